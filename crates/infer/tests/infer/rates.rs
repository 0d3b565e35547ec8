//! Fieller sets: kept rates against enumeration, and coverage over all noise.

use crate::making::{energy, free, release, spec, tables};
use infer::{Asked, How, Query, Release, rate};

#[test]
fn a_rate_of_two_blocks_covers_by_enumeration() {
    let text = spec(2, 2, &free("[[invariant]]\nby = [\"row\"]\n", "1"));
    let truth = [9, 11, 30, 20];
    let release = release(&text, &truth);
    let (above, below) = (Query::new("a", [(0, 1)]).unwrap(), Query::new("b", [(2, 1)]).unwrap());
    let asked = Asked::new(0.9, 999, 1).unwrap();
    let rate_of = |values: Vec<i64>| {
        let found = rate(&Release { values, ..release.clone() }, "r", &above, &below, asked).unwrap();
        assert_eq!(found.how, How::Exact);
        found.ends
    };
    let (mut covered, mut whole) = (0.0, 0.0);
    for table in
        tables(&release.conditions, &truth, -4, 34, &|table| (table[0] - 9).abs() <= 5 && (table[2] - 30).abs() <= 5)
    {
        let weight = (-energy(&release, &table, &truth)).exp();
        let [lower, upper] = rate_of(table).expect("the denominator is far from zero");
        whole += weight;
        covered += if (lower..=upper).contains(&(9.0 / 30.0)) { weight } else { 0.0 };
    }
    assert!(covered / whole >= 0.9, "{}", covered / whole);
    // It would not with a smaller set by far: it is not conservative without need.
    assert!(covered / whole <= 0.97, "{}", covered / whole);
}

#[test]
fn a_denominator_near_zero_leaves_rates_without_end() {
    let release = release(&spec(2, 2, &free("[[invariant]]\nby = [\"row\"]\n", "1/4")), &[9, 11, 1, 49]);
    let (above, below) = (Query::new("a", [(0, 1)]).unwrap(), Query::new("b", [(2, 1)]).unwrap());
    let found = rate(&release, "r", &above, &below, Asked::new(0.9, 999, 1).unwrap()).unwrap();
    assert_eq!(found.ends, None);
}

#[test]
fn an_exact_denominator_divides_the_interval_of_the_numerator() {
    let release = release(&spec(1, 4, &free("[[invariant]]\nby = []\n", "1/2")), &[20, 30, 25, 25]);
    let above = Query::new("a", [(0, 1)]).unwrap();
    let below = Query::new("all", (0..4).map(|cell| (cell, 1))).unwrap();
    let asked = Asked::new(0.9, 999, 1).unwrap();
    let found = rate(&release, "r", &above, &below, asked).unwrap();
    assert_eq!(found.how, How::Exact);
    let reach = found.parts[0].reach as f64;
    let [lower, upper] = found.ends.unwrap();
    assert!(
        (lower - (20.0 - reach) / 100.0).abs() < 0.011 && (upper - (20.0 + reach) / 100.0).abs() < 0.011,
        "{lower} {upper}"
    );
}

#[test]
fn rates_within_a_block_are_kept_exactly() {
    let truth = [9, 12, 10, 9];
    let like = release(&spec(1, 4, &free("[[invariant]]\nby = []\n", "1")), &truth);
    let cell = |cell: u32| Query::new("q", [(cell, 1)]).unwrap();
    // A second that holds the first, too: its cells are taken out of it.
    for (below, own) in [(cell(1), 9.0 / 12.0), (Query::new("q", [(0, 1), (1, 1)]).unwrap(), 9.0 / 21.0)] {
        let (mut covered, mut whole) = (0.0, 0.0);
        for table in tables(&like.conditions, &truth, 3, 18, &|table| {
            table.iter().zip(&truth).all(|(value, own)| (value - own).abs() <= 5)
        }) {
            let weight = (-energy(&like, &table, &truth)).exp();
            let found = rate(
                &Release { values: table, ..like.clone() },
                "r",
                &cell(0),
                &below,
                Asked::new(0.9, 99, 1).unwrap(),
            );
            let found = found.unwrap();
            assert_eq!(found.how, How::Exact);
            let kept = found.ends.is_none_or(|[lower, upper]| (lower..=upper).contains(&own));
            (covered, whole) = (covered + if kept { weight } else { 0.0 }, whole + weight);
        }
        assert!((0.9..0.985).contains(&(covered / whole)), "{}", covered / whole);
    }
}

#[test]
fn rates_of_totals_that_cross_are_kept_by_rank() {
    let both = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";
    let release = release(&spec(2, 3, &free(both, "1/2")), &[20, 30, 25, 25, 40, 10]);
    let (above, below) = (Query::new("a", [(0, 1)]).unwrap(), Query::new("b", [(1, 1)]).unwrap());
    let found = rate(&release, "r", &above, &below, Asked::new(0.9, 999, 1).unwrap()).unwrap();
    assert_eq!(found.how, How::Rank { draws: 999 });
    let [lower, upper] = found.ends.unwrap();
    assert!(lower < 2.0 / 3.0 && upper > 2.0 / 3.0 && lower > 0.3 && upper < 1.2, "{lower} {upper}");
}

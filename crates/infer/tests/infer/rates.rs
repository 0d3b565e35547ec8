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
fn rates_within_a_block_are_kept_by_rank() {
    let release = release(&spec(1, 4, &free("[[invariant]]\nby = []\n", "1/2")), &[20, 30, 25, 25]);
    let (above, below) = (Query::new("a", [(0, 1)]).unwrap(), Query::new("b", [(1, 1)]).unwrap());
    let found = rate(&release, "r", &above, &below, Asked::new(0.9, 999, 1).unwrap()).unwrap();
    assert_eq!(found.how, How::Rank { draws: 999 });
    let [lower, upper] = found.ends.unwrap();
    assert!(lower < 2.0 / 3.0 && upper > 2.0 / 3.0 && lower > 0.3 && upper < 1.2, "{lower} {upper}");
}

//! Ranges of cells and sums against all tables of random small fibres.

mod ranges;

use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};
use disclose::{End, Known, Range};
use ranges::{Box, grouping, totals};
use testkit::Random;

/// Random groupings of few cells: partial, nested, crossing; cells may be taken twice or
/// negatively.
fn random_grouping(random: &mut Random, cells: usize, number: usize, with_times: bool) -> Grouping {
    let groups = 1 + random.below(3) as u32;
    let holes = random.below(3);
    let group = |random: &mut Random| match random.below(5) < holes {
        true => NO_GROUP,
        false => random.below(u64::from(groups)) as u32,
    };
    let group_of = (0..cells).map(|_| group(random)).collect();
    let mut grouping = grouping(&format!("g{number}"), groups, group_of);
    if with_times {
        let times = [-2, -1, -1, 1, 1, 2];
        grouping.times = Some((0..cells).map(|_| times[random.below(6) as usize]).collect());
    }
    grouping
}

fn random_conditions(random: &mut Random, table: &[i64], with_rules: bool, with_times: bool) -> Conditions {
    let cells = table.len();
    let invariants = (0..1 + random.below(3) as usize)
        .map(|number| {
            let times = with_times && random.below(3) == 0;
            random_grouping(random, cells, number, times)
        })
        .collect();
    let mut conditions = Conditions::of_totals(cells, invariants);
    for number in 0..random.below(3) as usize * usize::from(with_rules) {
        let times = with_times || random.below(2) == 0;
        let mut grouping = random_grouping(random, cells, 10 + number, times);
        if times && !with_times {
            let signs = grouping.times.take().unwrap_or_default();
            grouping.times = Some(signs.iter().map(|times| times.signum()).collect());
        }
        let sums = grouping.totals(table);
        let slack = random.below(2) as i64;
        let (relation, bound) = match random.below(2) {
            0 => (Relation::AtMost, sums.iter().max().map_or(0, |sum| *sum as i64) + slack),
            _ => (Relation::AtLeast, sums.iter().min().map_or(0, |sum| *sum as i64) - slack),
        };
        conditions.rules.push(RuleRows { grouping, relation, bound });
    }
    conditions
}

/// A range against the values in a small and in a large box of tables.
fn agrees(range: Range, small: Option<(i64, i64)>, large: Option<(i64, i64)>) -> bool {
    let (Some(small), Some(large)) = (small, large) else { return false };
    let low = match range.low {
        End::Exact(value) => value == large.0,
        End::Endless => large.0 < small.0,
        End::Between { .. } => false,
    };
    let high = match range.high {
        End::Exact(value) => value == large.1,
        End::Endless => large.1 > small.1,
        End::Between { .. } => false,
    };
    low && high
}

fn compare(rounds: u64, seed: u64, with_rules: bool, with_times: bool, counts: bool) {
    let mut random = Random(seed);
    let mut endless = 0;
    for round in 0..rounds {
        let cells = 2 + random.below(if counts && !with_times { 4 } else { 3 }) as usize;
        let table: Vec<i64> = (0..cells).map(|_| random.below(3) as i64).collect();
        let conditions = random_conditions(&mut random, &table, with_rules, with_times);
        let totals = totals(&conditions, &table);
        let asked =
            vec![random_grouping(&mut random, cells, 20, false), random_grouping(&mut random, cells, 21, with_times)];
        let least = if counts { Some(0) } else { None };
        let known = Known { conditions: &conditions, totals: &totals, least };
        let ranges = known.ranges(&asked, &|_| {}).unwrap();
        // Wide enough for the extremes of tables whose counts are at most 2.
        let (small, large) = match (counts, with_times) {
            (true, false) => ((0, 5), (0, 10)),
            (true, true) => ((0, 7), (0, 15)),
            (false, _) => ((-5, 5), (-11, 11)),
        };
        let [small, large] = [small, large].map(|limits| Box::new(&conditions, &totals, &asked, limits));
        let context = || format!("round {round}: {conditions:?}\n{totals:?}\n{asked:?}");
        for cell in 0..cells {
            let range = ranges.cell(cell);
            endless += usize::from(range.high == End::Endless);
            let (small, large) = (small.cells[cell], large.cells[cell]);
            assert!(agrees(range, small, large), "cell {cell}: {range:?}, {small:?}, {large:?}\n{}", context());
        }
        for (margin, (small, large)) in ranges.margins.iter().zip(small.sums.iter().zip(&large.sums)) {
            for (group, range) in margin.ranges.iter().enumerate().filter(|(group, _)| large[*group].is_some()) {
                let (small, large) = (small[group], large[group]);
                assert!(
                    agrees(*range, small, large),
                    "{group} of {}: {range:?}, {small:?}, {large:?}\n{}",
                    margin.label,
                    context()
                );
            }
        }
    }
    assert!(endless > 0);
}

#[test]
fn totals_of_counts() {
    compare(250, 1, false, false, true);
}

#[test]
fn totals_and_rules_of_counts() {
    compare(250, 2, true, false, true);
}

#[test]
fn rows_that_take_cells_twice_or_negatively() {
    compare(400, 3, true, true, true);
}

#[test]
fn without_any_bound_a_sum_is_known_or_endless() {
    compare(100, 4, false, true, false);
}

#[test]
fn rules_without_a_floor() {
    compare(100, 5, true, false, false);
}

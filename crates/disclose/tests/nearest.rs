//! The nearest pair of tables against fibres that are enumerated: what is said to exist does, and
//! nothing nearer does.

use analyse::{Apart, Nearest, analyse};
use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};
use disclose::with_nearest;
use testkit::Random;

fn grouping(groups: u32, group_of: Vec<u32>, times: Option<Vec<i64>>) -> Grouping {
    let names = (0..groups).map(|group| format!("g = {group}")).collect();
    Grouping { label: "by g".into(), names, group_of, times }
}

fn narrow(grouping: &Grouping, table: &[i64]) -> Vec<i64> {
    grouping.totals(table).into_iter().map(|total| total as i64).collect()
}

fn nearest(conditions: &Conditions, table: &[i64]) -> Option<Nearest> {
    let totals: Vec<Vec<i64>> = conditions.invariants.iter().map(|grouping| narrow(grouping, table)).collect();
    pair(conditions, &totals).ok()
}

fn pair(conditions: &Conditions, totals: &[Vec<i64>]) -> Result<Nearest, declare::Problem> {
    Ok(with_nearest(analyse(conditions, totals)?, conditions, totals).moves.pair)
}

/// All tables of counts with the totals of this one that satisfy the rules; the first total takes
/// every cell.
fn fibre(conditions: &Conditions, table: &[i64]) -> Vec<Vec<i64>> {
    fn fill(conditions: &Conditions, left: i64, filled: &mut Vec<i64>, all: &mut Vec<Vec<i64>>) {
        if filled.len() == conditions.cells {
            if left == 0 {
                all.push(filled.clone());
            }
            return;
        }
        let times = conditions.invariants[0].taken(filled.len());
        for value in 0..=left / times {
            filled.push(value);
            fill(conditions, left - value * times, filled, all);
            filled.pop();
        }
    }
    let mut all = Vec::new();
    fill(conditions, narrow(&conditions.invariants[0], table)[0], &mut Vec::new(), &mut all);
    let kept = |y: &Vec<i64>| conditions.invariants.iter().all(|g| g.totals(y) == g.totals(table));
    let ruled = |y: &Vec<i64>| {
        let holds =
            |rule: &RuleRows| rule.grouping.totals(y).into_iter().all(|sum| rule.relation.holds(sum, rule.bound));
        conditions.rules.iter().all(holds)
    };
    all.into_iter().filter(|y| kept(y) && ruled(y)).collect()
}

/// The distances of all pairs.
fn distances(fibre: &[Vec<i64>]) -> Vec<Apart> {
    let mut found = Vec::new();
    for (index, one) in fibre.iter().enumerate() {
        for other in &fibre[..index] {
            let apart = |power| one.iter().zip(other).map(|(a, b)| a.abs_diff(*b).pow(power)).sum();
            found.push(Apart { l1: apart(1), l2_squared: apart(2) });
        }
    }
    found
}

fn random_grouping(random: &mut Random, cells: usize, groups: u32, with_times: bool) -> Grouping {
    let mut group = || match random.below(5) {
        0 => NO_GROUP,
        _ => random.below(u64::from(groups)) as u32,
    };
    let group_of = (0..cells).map(|_| group()).collect();
    let mut times = || [-1, 1, 2, -2][random.below(4) as usize];
    grouping(groups, group_of, with_times.then(|| (0..cells).map(|_| times()).collect()))
}

fn random_conditions(random: &mut Random) -> (Conditions, Vec<i64>) {
    let cells = 3 + random.below(4) as usize;
    let weights = (random.below(4) == 0).then(|| (0..cells).map(|_| 1 + random.below(2) as i64).collect());
    let mut invariants = vec![grouping(1, vec![0; cells], weights)];
    for _ in 0..random.below(3) {
        let groups = 1 + random.below(3) as u32;
        let with_times = random.below(5) == 0;
        invariants.push(random_grouping(random, cells, groups, with_times));
    }
    let table: Vec<i64> = (0..cells).map(|_| random.below(3) as i64).collect();
    let mut conditions = Conditions { nonnegative: random.below(2) == 0, ..Conditions::of_totals(cells, invariants) };
    for _ in 0..random.below(4) {
        let groups = 1 + random.below(3) as u32;
        let grouping = random_grouping(random, cells, groups, true);
        let sums = grouping.totals(&table);
        let slack = random.below(2) as i64;
        let rule = match random.below(2) {
            0 => RuleRows { relation: Relation::AtLeast, bound: *sums.iter().min().unwrap() as i64 - slack, grouping },
            _ => RuleRows { relation: Relation::AtMost, bound: *sums.iter().max().unwrap() as i64 + slack, grouping },
        };
        conditions.rules.push(rule);
    }
    (conditions, table)
}

#[test]
fn what_is_found_exists_and_nothing_is_nearer_than_stated() {
    let mut random = Random(15);
    let (mut seen, mut attained, mut alone, mut farther) = (0, 0, 0, 0);
    for round in 0..600 {
        let (conditions, table) = random_conditions(&mut random);
        let Some(stated) = nearest(&conditions, &table) else { continue };
        let apart = distances(&fibre(&conditions, &table));
        let context = || format!("round {round}: {stated:?} of {table:?} under {conditions:?}");
        seen += 1;
        match apart.iter().map(|apart| apart.l1).min() {
            Some(least) => {
                assert!(stated.at_least <= least, "{}, pairs at {least}", context());
                farther += u32::from(least > 2);
            }
            None => alone += 1,
        }
        if let Some(found) = stated.found {
            assert!(apart.contains(&found), "{}", context());
            assert!(found.l1 >= stated.at_least, "{}", context());
        }
        attained += u32::from(stated.is_attained());
    }
    assert!(seen > 400 && farther > 15 && attained + alone == seen, "{seen}, {attained}, {alone}, {farther}");
}

/// Chained measures m₁ ≥ m₂ ≥ … of two counties, all totals exact and equal: whoever moves one
/// moves all.
fn chained(measures: usize, counts: [i64; 2]) -> (Conditions, Vec<i64>) {
    let cells = 2 * measures;
    let by_measure = (0..cells).map(|cell| cell as u32 % measures as u32).collect();
    let mut conditions = Conditions {
        nonnegative: true,
        ..Conditions::of_totals(cells, vec![grouping(measures as u32, by_measure, None)])
    };
    for upper in 0..measures - 1 {
        let group = |cell: usize| match cell % measures {
            measure if measure == upper || measure == upper + 1 => (cell / measures) as u32,
            _ => NO_GROUP,
        };
        let times = (0..cells).map(|cell| if cell % measures == upper { 1 } else { -1 }).collect();
        let sides = grouping(2, (0..cells).map(group).collect(), Some(times));
        conditions.rules.push(RuleRows { grouping: sides, relation: Relation::AtLeast, bound: 0 });
    }
    let table = counts.iter().flat_map(|count| vec![*count; measures]).collect();
    (conditions, table)
}

/// The certificate said 2, whatever the number of measures.
#[test]
fn chained_measures_with_equal_totals_move_together() {
    for measures in 2..=4 {
        let (conditions, table) = chained(measures, [2, 1]);
        let length = 2 * measures as u64;
        let expected = Nearest { at_least: length, found: Some(Apart { l1: length, l2_squared: length }) };
        assert_eq!(nearest(&conditions, &table), Some(expected), "{measures} measures");
    }
}

/// A part too large for the lattice is filled greedily; where that fails nothing is claimed to
/// exist.
#[test]
fn large_two_way_tables_have_swaps() {
    let (rows, columns) = (40u32, 25u32);
    let cells = rows * columns;
    let margins = vec![
        grouping(rows, (0..cells).map(|cell| cell / columns).collect(), None),
        grouping(columns, (0..cells).map(|cell| cell % columns).collect(), None),
    ];
    let conditions = Conditions::of_totals(cells as usize, margins);
    let table: Vec<i64> = (0..i64::from(cells)).map(|cell| cell % 3).collect();
    let swap = Nearest { at_least: 4, found: Some(Apart { l1: 4, l2_squared: 4 }) };
    assert_eq!(nearest(&conditions, &table), Some(swap));
}

fn margins(rows: u32, columns: u32) -> Vec<Grouping> {
    let cells = rows * columns;
    vec![
        grouping(rows, (0..cells).map(|cell| cell / columns).collect(), None),
        grouping(columns, (0..cells).map(|cell| cell % columns).collect(), None),
    ]
}

#[test]
fn a_total_of_zero_rules_out_what_would_be_nearest() -> Result<(), declare::Problem> {
    // Two cells under a total of zero, and two-way margins beside them.
    let mut groupings = margins(2, 2);
    groupings.iter_mut().for_each(|grouping| grouping.group_of.extend([NO_GROUP, NO_GROUP]));
    groupings.push(grouping(1, [vec![NO_GROUP; 4], vec![0, 0]].concat(), None));
    let conditions = Conditions::of_totals(6, groupings);
    let near = |last: i64| pair(&conditions, &[vec![2, 2], vec![2, 2], vec![last]]);
    assert_eq!(near(0)?, Nearest { at_least: 4, found: Some(Apart { l1: 4, l2_squared: 4 }) });
    assert_eq!(near(1)?, Nearest { at_least: 2, found: Some(Apart { l1: 2, l2_squared: 2 }) });
    Ok(())
}

#[test]
fn totals_that_nest_or_cross_and_cells_in_none() -> Result<(), declare::Problem> {
    let by = |groups: u32, group_of: &[u32]| grouping(groups, group_of.to_vec(), None);
    let (total, county, education) =
        (by(1, &[0; 8]), by(4, &[0, 0, 1, 1, 2, 2, 3, 3]), by(2, &[0, 1, 0, 1, 0, 1, 0, 1]));
    let nested = Conditions::of_totals(8, vec![total.clone(), county.clone()]);
    let crossing = Conditions::of_totals(8, vec![total, county, education]);
    let free = Conditions::of_totals(3, vec![by(1, &[0, 0, NO_GROUP])]);
    let at = |distance: u64| Nearest { at_least: distance, found: Some(Apart { l1: distance, l2_squared: distance }) };
    assert_eq!(pair(&nested, &[vec![135], vec![30, 40, 50, 15]])?, at(2));
    assert_eq!(pair(&crossing, &[vec![135], vec![30, 40, 50, 15], vec![100, 35]])?, at(4));
    assert_eq!(pair(&free, &[vec![7]])?, at(1));
    Ok(())
}

//! The nearest pair under rules: the pair that is stated exists, and loses no more than is stated.

use crate::enumerated::price;
use crate::enumerated::{Laws, grouping, mechanism, moves, noise};
use declare::{Conditions, Grouping, NO_GROUP, Per, Relation, RuleRows};
use loss::NearestLoss;
use testkit::Random;

/// All tables of counts with the totals of this one that satisfy the rules; every cell is in a
/// total without coefficients.
fn fibre(conditions: &Conditions, table: &[i64]) -> Vec<Vec<i64>> {
    let mut tables = vec![Vec::new()];
    let left = |filled: &[i64], totals: &Grouping| {
        let mut sums: Vec<i64> = totals.totals(table).into_iter().map(|total| total as i64).collect();
        filled.iter().zip(&totals.group_of).filter(|(_, group)| **group != NO_GROUP).for_each(|(value, group)| {
            sums[*group as usize] -= value;
        });
        sums
    };
    for cell in 0..conditions.cells {
        let mut longer = Vec::new();
        for filled in tables {
            let of = |totals: &Grouping| {
                let group = totals.group_of[cell];
                (group != NO_GROUP).then(|| left(&filled, totals)[group as usize])
            };
            let most = conditions.invariants.iter().filter_map(of).min().unwrap();
            longer.extend((0..=most).map(|value| filled.iter().copied().chain([value]).collect::<Vec<i64>>()));
        }
        tables = longer;
    }
    let kept = |y: &Vec<i64>| conditions.invariants.iter().all(|totals| totals.totals(y) == totals.totals(table));
    let holds = |y: &[i64], rule: &RuleRows| {
        rule.grouping.totals(y).into_iter().all(|sum| rule.relation.holds(sum, rule.bound))
    };
    tables.into_iter().filter(|y| kept(y) && conditions.rules.iter().all(|rule| holds(y, rule))).collect()
}

/// The nearest pair that is stated at ε = 1/10 per unit, and of all pairs the distance with the
/// worst loss there.
fn stated_and_true(conditions: &Conditions, table: &[i64]) -> Option<(NearestLoss, Vec<(u64, f64)>)> {
    let priced = price(&moves(conditions, table).ok()?, &mechanism("1/10", Per::Unit), false).unwrap();
    let fibre = fibre(conditions, table);
    let laws = Laws::new(fibre.clone(), &fibre, &noise(conditions, &priced), |_| 1.0);
    let pairs = (0..fibre.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let pairs = pairs.map(|(one, other)| (laws.distance(one, other), laws.loss(one, other))).collect();
    Some((priced.loss.nearest, pairs))
}

fn worst_at(pairs: &[(u64, f64)], distance: u64) -> Option<f64> {
    pairs.iter().filter(|(at, _)| *at == distance).map(|(_, loss)| *loss).reduce(f64::max)
}

/// Measures m₁ ≥ m₂ ≥ … of two counties, all totals exact: the table (2, 2, …), (1, 1, …).
fn chained(measures: u32) -> (Conditions, Vec<i64>) {
    let cells = 2 * measures as usize;
    let by_measure = (0..2 * measures).map(|cell| cell % measures).collect();
    let totals = vec![grouping(measures as usize, by_measure)];
    let mut conditions = Conditions { nonnegative: true, ..Conditions::of_totals(cells, totals) };
    for upper in 0..measures - 1 {
        let of = |cell: u32| match cell % measures {
            measure if measure == upper || measure == upper + 1 => cell / measures,
            _ => NO_GROUP,
        };
        let times = (0..2 * measures).map(|cell| if cell % measures == upper { 1 } else { -1 }).collect();
        let sides = Grouping { times: Some(times), ..grouping(2, (0..2 * measures).map(of).collect()) };
        conditions.rules.push(RuleRows { grouping: sides, relation: Relation::AtLeast, bound: 0 });
    }
    let table = [2, 1].into_iter().flat_map(|count| vec![count; measures as usize]).collect();
    (conditions, table)
}

/// Deaths ≤ cases with equal totals: the certificate once said distance 2 and e^0.4, however many
/// measures were chained.
#[test]
fn a_pair_that_rules_forbid_is_not_stated() {
    for (measures, loss) in [(2, 0.542), (3, 0.774), (4, 0.987)] {
        let (conditions, table) = chained(measures);
        let (stated, pairs) = stated_and_true(&conditions, &table).unwrap();
        let nearest = pairs.iter().map(|(distance, _)| *distance).min().unwrap();
        assert_eq!((stated.distance, stated.at_least, stated.known), (nearest, nearest, true));
        assert_eq!(nearest, 2 * u64::from(measures));
        let truth = worst_at(&pairs, nearest).unwrap();
        assert!((truth - loss).abs() < 1e-3, "{measures} measures lose {truth}");
        let claimed = stated.amount.epsilon().unwrap().to_f64();
        assert!(truth <= claimed && claimed <= 0.2 * nearest as f64 + 1e-12, "{truth} of {claimed}");
    }
}

/// Cases and deaths of some counties, as many deaths as cases in all, and perhaps a rule about one
/// county.
fn tied(random: &mut Random) -> (Conditions, Vec<i64>) {
    let counties = 2 + random.below(2) as u32;
    let cells = 2 * counties;
    let table: Vec<i64> = (0..counties).flat_map(|_| vec![random.below(3) as i64; 2]).collect();
    let totals = vec![grouping(2, (0..cells).map(|cell| cell % 2).collect())];
    let mut conditions = Conditions { nonnegative: true, ..Conditions::of_totals(cells as usize, totals) };
    let times = (0..cells).map(|cell| if cell % 2 == 0 { 1 } else { -1 }).collect();
    let sides =
        Grouping { times: Some(times), ..grouping(counties as usize, (0..cells).map(|cell| cell / 2).collect()) };
    conditions.rules.push(RuleRows { grouping: sides, relation: Relation::AtLeast, bound: 0 });
    if random.below(2) == 0 {
        let first = grouping(1, (0..cells).map(|cell| if cell == 0 { 0 } else { NO_GROUP }).collect());
        conditions.rules.push(RuleRows { grouping: first, relation: Relation::AtMost, bound: table[0] });
    }
    (conditions, table)
}

/// Cells under one or two families of totals, and random rules that the table keeps with equality
/// somewhere.
fn loose(random: &mut Random) -> (Conditions, Vec<i64>) {
    let cells = 3 + random.below(4) as usize;
    let table: Vec<i64> = (0..cells).map(|_| random.below(3) as i64).collect();
    let groups = 1 + random.below(2);
    let of = (0..cells).map(|_| random.below(groups) as u32).collect();
    let mut totals = vec![grouping(groups as usize, of)];
    if random.below(2) == 0 {
        totals.push(grouping(2, (0..cells).map(|_| random.below(2) as u32).collect()));
    }
    let mut conditions = Conditions { nonnegative: true, ..Conditions::of_totals(cells, totals) };
    for _ in 0..1 + random.below(3) {
        let times = (0..cells).map(|_| if random.below(2) == 0 { 1 } else { -1 }).collect();
        let sides = (0..cells).map(|_| if random.below(3) == 0 { NO_GROUP } else { random.below(2) as u32 });
        let sides = Grouping { times: Some(times), ..grouping(2, sides.collect()) };
        let bound = sides.totals(&table).into_iter().min().unwrap() as i64;
        conditions.rules.push(RuleRows { grouping: sides, relation: Relation::AtLeast, bound });
    }
    (conditions, table)
}

/// Random totals and rules: a distance that is said to be attained is, none is nearer than stated,
/// and no pair at the stated distance loses more.
#[test]
fn the_stated_pair_exists_and_loses_no_more() {
    let mut random = Random(2026);
    let (mut seen, mut attained, mut ruled) = (0, 0, 0);
    for round in 0..160 {
        let (conditions, table) = if round % 2 == 0 { tied(&mut random) } else { loose(&mut random) };
        let Some((stated, pairs)) = stated_and_true(&conditions, &table) else { continue };
        let Some(nearest) = pairs.iter().map(|(distance, _)| *distance).min() else { continue };
        seen += 1;
        let context = || format!("round {round}: {stated:?} under {conditions:?} of {table:?}");
        assert!(stated.at_least <= nearest, "{}, pairs at {nearest}", context());
        let worst = worst_at(&pairs, stated.distance);
        assert!(!stated.known || worst.is_some(), "{}", context());
        let claimed = stated.amount.epsilon().unwrap().to_f64();
        assert!(worst.is_none_or(|worst| worst <= claimed + 1e-9), "{}: {worst:?}", context());
        attained += u32::from(stated.is_attained());
        ruled += u32::from(nearest > 2);
    }
    assert!(seen > 100 && ruled > 45 && attained == seen, "{seen} fibres, {ruled} beyond 2, {attained} attained");
}

//! Tables weighted by a base measure: the plain factor 2 holds, a sharp peak comes as near to it as
//! one likes, and one is too little.

use crate::enumerated::price;
use crate::enumerated::{Laws, fibre, grouping, largest_part, mechanism, moves, noise, nonnegative, rational};
use declare::{Conditions, Per, Relation, RuleRows};
use draw::Factor;
use loss::Theorem;

/// The second cell of every pair is at most the first, whose total is exact.
fn pairs(pairs: usize) -> Conditions {
    let cells = 2 * pairs;
    let first = (0..cells as u32).map(|cell| if cell % 2 == 0 { 0 } else { declare::NO_GROUP }).collect();
    let mut conditions = nonnegative(cells, vec![grouping(1, first)]);
    let mut at_most = grouping(pairs, (0..cells as u32).map(|cell| cell / 2).collect());
    at_most.times = Some((0..cells).map(|cell| if cell % 2 == 1 { 1 } else { -1 }).collect());
    conditions.rules = vec![RuleRows { grouping: at_most, relation: Relation::AtMost, bound: 0 }];
    conditions
}

struct Case {
    name: &'static str,
    conditions: Conditions,
    table: Vec<i64>,
    most: i64,
    factors: Vec<Option<Factor>>,
}

fn rising(a: &str) -> Option<Factor> {
    Some(Factor::Rising(rational(a)))
}

fn listed(weights: &[(i64, &str)]) -> Option<Factor> {
    Some(Factor::Listed(weights.iter().map(|(value, weight)| (*value, rational(weight))).collect()))
}

fn cases() -> Vec<Case> {
    let one = |cells: usize| nonnegative(cells, vec![grouping(1, vec![0; cells])]);
    let peaked = || rising("1/100000");
    vec![
        Case {
            name: "no total, a peak at zero",
            conditions: nonnegative(1, Vec::new()),
            table: vec![3],
            most: 40,
            factors: vec![peaked()],
        },
        Case {
            name: "one total, both cells peaked at zero",
            conditions: one(2),
            table: vec![4, 4],
            most: 8,
            factors: vec![peaked(), peaked()],
        },
        Case {
            name: "one total, one cell peaked",
            conditions: one(3),
            table: vec![3, 1, 1],
            most: 5,
            factors: vec![peaked(), None, rising("5/2")],
        },
        Case {
            name: "one total, a Poisson law far above",
            conditions: one(2),
            table: vec![1, 6],
            most: 7,
            factors: vec![Some(Factor::Poisson(rational("40"))), None],
        },
        Case {
            name: "one total, weights with zeros",
            conditions: one(3),
            table: vec![2, 2, 1],
            most: 5,
            factors: vec![listed(&[(1, "0"), (3, "100000")]), None, listed(&[(0, "0")])],
        },
        Case {
            name: "deaths at most cases, cases weighted",
            conditions: pairs(2),
            table: vec![3, 1, 2, 0],
            most: 5,
            factors: vec![rising("1/200"), None, rising("1/200"), None],
        },
    ]
}

#[test]
fn a_base_measure_costs_twice_the_noise_and_may_cost_that_much() {
    let mut lines = Vec::new();
    for case in cases() {
        let moves = moves(&case.conditions, &case.table).unwrap();
        let priced = price(&moves, &mechanism("1/2", Per::Unit), true).unwrap();
        let loss = &priced.loss;
        assert_eq!((loss.theorem, loss.gamma.to_f64(), loss.epsilon().unwrap().to_f64()), (Theorem::Base, 1.0, 1.0));
        let tables = fibre(&case.conditions, &case.table, case.most);
        let weight = |y: &[i64]| -> f64 {
            let weights = y.iter().zip(&case.factors);
            weights.map(|(y, factor)| factor.as_ref().map_or(1.0, |factor| factor.weight(*y).to_f64())).product()
        };
        let laws = Laws::new(tables.clone(), &tables, &noise(&case.conditions, &priced), weight);
        let part = largest_part(&laws, loss, case.name);
        lines.push(format!("{}: {} tables, at most {part:.4} of it", case.name, tables.len()));
        // Charged once it would be false.
        if case.name.contains("peak") {
            assert!(part > 0.5, "{part}");
        }
    }
    // A case that reaches 1.9 ε' per unit.
    assert!(lines.iter().any(|line| line.contains("at most 0.9") || line.contains("at most 1.0000")), "{lines:?}");
    insta::assert_snapshot!(lines.join("\n"), @"
    no total, a peak at zero: 41 tables, at most 1.0000 of it
    one total, both cells peaked at zero: 9 tables, at most 0.9989 of it
    one total, one cell peaked: 21 tables, at most 0.9909 of it
    one total, a Poisson law far above: 8 tables, at most 1.0000 of it
    one total, weights with zeros: 21 tables, at most 1.0000 of it
    deaths at most cases, cases weighted: 56 tables, at most 0.9864 of it
    ");
}

#[test]
fn a_record_gets_half_the_noise_rate_of_free_noise() {
    let conditions = nonnegative(3, vec![grouping(1, vec![0; 3])]);
    let moves = moves(&conditions, &[1, 1, 1]).unwrap();
    let priced = price(&moves, &mechanism("1", Per::Record), true).unwrap();
    assert!(priced.law == draw::NoiseLaw::double_geometric(rational("1/4")));
    assert_eq!(priced.loss.epsilon().cloned(), Some(rational("1")));
    assert_eq!(priced.loss.nearest.amount.epsilon().cloned(), Some(rational("1")));
}

//! Small networks with names: deaths and cases, a tree, margins.

use super::small::Small;
use crate::tables::numbers::rational;
use declare::{Conditions, Footprint, Grouping, NO_GROUP, QueryRows, Relation, RuleRows};
use draw::{Ladder, NoiseLaw};
use exact::{Enclosure, Tape};
use std::collections::BTreeMap;
use testkit::{TapeLaw, tape_law};

pub fn grouping(group_of: &[u32], times: Option<&[i64]>) -> Grouping {
    let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |group| group + 1);
    Grouping {
        label: "g".into(),
        names: (0..groups).map(|group| format!("g{group}")).collect(),
        group_of: group_of.to_vec(),
        times: times.map(<[i64]>::to_vec),
    }
}

pub fn conditions(cells: usize, invariants: Vec<Grouping>) -> Conditions {
    let pinned = vec![None; invariants.len()];
    let footprint = Footprint::OneCell;
    Conditions { cells, invariants, pinned, rules: Vec::new(), queries: Vec::new(), nonnegative: true, footprint }
}

pub fn small(conditions: Conditions, table: &[i64], epsilon: &str) -> Small {
    let rates = conditions.queries.iter().map(|query| query.strength.clone()).collect();
    let law = NoiseLaw::double_geometric(rational(epsilon));
    Small { conditions, table: table.to_vec(), law, rates }
}

/// Deaths at most cases in two places, and the cases of both exact: cases 0 and 1, deaths 2 and 3.
pub fn deaths_and_cases(epsilon: &str) -> Small {
    let mut conditions = conditions(4, vec![grouping(&[0, 0, NO_GROUP, NO_GROUP], None)]);
    let rule = grouping(&[0, 1, 0, 1], Some(&[-1, -1, 1, 1]));
    conditions.rules.push(RuleRows { grouping: rule, relation: Relation::AtMost, bound: 0 });
    small(conditions, &[1, 1, 1, 0], epsilon)
}

/// Deaths and cases with discrete Gaussian noise of this σ².
pub fn gaussian_deaths_and_cases(variance: &str) -> Small {
    Small { law: NoiseLaw::discrete_gaussian(rational(variance)), ..deaths_and_cases("1") }
}

/// Two leaves under one node, noise on all three.
pub fn tree(rate: &str) -> Small {
    let mut conditions = conditions(2, Vec::new());
    for group_of in [[0, 1], [0, 0]] {
        conditions.queries.push(QueryRows { grouping: grouping(&group_of, None), strength: rational(rate) });
    }
    small(conditions, &[1, 0], "1")
}

/// A 2 × 2 table with both margins.
pub fn margins(epsilon: &str) -> Small {
    small(conditions(4, vec![grouping(&[0, 0, 1, 1], None), grouping(&[0, 1, 0, 1], None)]), &[2, 1, 1, 2], epsilon)
}

pub fn tapes(small: &Small, depth: u32) -> TapeLaw<Vec<i64>> {
    let network = small.network();
    let sampler = small.sampler(&network, Ladder::Standard);
    tape_law(depth, |tape: &mut Tape| {
        let mut values = small.table.clone();
        sampler.draw(tape, &mut values).unwrap();
        values
    })
}

pub fn verdict(tapes: &TapeLaw<Vec<i64>>, claimed: &BTreeMap<Vec<i64>, f64>) -> Result<(), String> {
    let total: f64 = claimed.values().sum();
    tapes.agrees_with(|table| enclosed(claimed.get(table).map_or(0.0, |weight| weight / total)))
}

/// The enumerated law, with room for the tables that were not enumerated.
pub fn enclosed(probability: f64) -> Enclosure {
    let bits = 60;
    let scaled = |value: f64| exact::Integer::from((value.max(0.0) * 2f64.powi(bits)) as u64);
    Enclosure::from_bounds(
        scaled(probability * (1.0 - 1e-5) - 1e-9),
        scaled(probability * (1.0 + 1e-5) + 1e-9),
        bits as usize,
    )
}

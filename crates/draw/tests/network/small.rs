//! Random small declarations with bounds, rules, coefficients and noisy sums, and their fibres by
//! enumeration.

use analyse::{Ground, Network};
use declare::{Conditions, Footprint, Grouping, NO_GROUP, QueryRows, Relation, RuleRows};
use draw::{Ladder, NetworkSampler, NoiseLaw, TableNoise};
use exact::Rational;
use std::collections::BTreeMap;

/// A small table with conditions, and every table of its fibre near it with its weight.
pub struct Small {
    pub conditions: Conditions,
    pub table: Vec<i64>,
    pub law: NoiseLaw,
    pub rates: Vec<Rational>,
}

/// A repeatable sequence of small numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

fn grouping(numbers: &mut Numbers, cells: usize, groups: u64, leave_out: u64, signs: bool) -> Grouping {
    let mut group_of: Vec<u32> =
        (0..cells).map(|_| if numbers.chance(leave_out) { NO_GROUP } else { numbers.below(groups) as u32 }).collect();
    let mut present: Vec<u32> = group_of.iter().copied().filter(|group| *group != NO_GROUP).collect();
    present.sort_unstable();
    present.dedup();
    for group in group_of.iter_mut().filter(|group| **group != NO_GROUP) {
        *group = present.iter().position(|other| other == group).unwrap() as u32;
    }
    let times = signs.then(|| (0..cells).map(|_| [1, 1, -1, 2][numbers.below(4) as usize]).collect());
    Grouping {
        label: "g".into(),
        names: (0..present.len()).map(|group| format!("g{group}")).collect(),
        group_of,
        times,
    }
}

fn holds(rule: &RuleRows, table: &[i64]) -> bool {
    rule.grouping.totals(table).iter().all(|sum| match rule.relation {
        Relation::AtMost => *sum <= i128::from(rule.bound),
        Relation::AtLeast => *sum >= i128::from(rule.bound),
        Relation::Equal => *sum == i128::from(rule.bound),
    })
}

impl Small {
    /// The declaration with this number; `None` when its table breaks its own rules.
    pub fn random(seed: u64) -> Option<Small> {
        let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..8).for_each(|_| {
            numbers.below(2);
        });
        let cells = 2 + numbers.below(3) as usize;
        let nonnegative = numbers.chance(70);
        let signs = numbers.chance(25);
        let invariants: Vec<Grouping> = (0..numbers.below(3))
            .map(|_| {
                let (groups, leave_out) = (1 + numbers.below(2), numbers.below(30));
                grouping(&mut numbers, cells, groups, leave_out, signs)
            })
            .collect();
        let relations = [Relation::AtMost, Relation::AtLeast, Relation::AtMost, Relation::Equal];
        let rules: Vec<RuleRows> = (0..numbers.below(3))
            .map(|_| {
                let (groups, leave_out) = (1 + numbers.below(2), 10 + numbers.below(40));
                RuleRows {
                    grouping: grouping(&mut numbers, cells, groups, leave_out, true),
                    relation: relations[numbers.below(4) as usize],
                    bound: numbers.below(4) as i64 - 1,
                }
            })
            .collect();
        let mut queries = Vec::new();
        if numbers.chance(50) {
            let single = Grouping {
                label: "cells".into(),
                names: (0..cells).map(|cell| format!("c{cell}")).collect(),
                group_of: (0..cells as u32).collect(),
                times: None,
            };
            queries.push(QueryRows { grouping: single, strength: Rational::integer(1) });
            for _ in 0..1 + numbers.below(2) {
                let (groups, leave_out) = (1 + numbers.below(2), numbers.below(30));
                let grouping = grouping(&mut numbers, cells, groups, leave_out, false);
                queries.push(QueryRows { grouping, strength: Rational::integer(1) });
            }
        }
        let table: Vec<i64> = (0..cells).map(|_| numbers.below(4) as i64).collect();
        if !rules.iter().all(|rule| holds(rule, &table)) {
            return None;
        }
        let choices = ["3/2", "2", "5/2"];
        let rate = |numbers: &mut Numbers| choices[numbers.below(3) as usize].parse::<Rational>().unwrap();
        let rates = queries.iter().map(|_| rate(&mut numbers)).collect();
        let law = if queries.is_empty() && numbers.chance(25) {
            NoiseLaw::discrete_gaussian(Rational::new(2, 3u32))
        } else {
            NoiseLaw::double_geometric(rate(&mut numbers))
        };
        let pinned = vec![None; invariants.len()];
        let footprint = Footprint::OneCell;
        let conditions = Conditions { cells, invariants, pinned, rules, queries, nonnegative, footprint };
        Some(Small { conditions, table, law, rates })
    }

    pub fn network(&self) -> Network {
        let particular: Vec<(usize, Rational)> =
            self.table.iter().enumerate().map(|(cell, value)| (cell, Rational::integer(*value))).collect();
        let ground = Ground::new(&self.conditions, &particular, &[]);
        let cells: Vec<u32> = (0..self.table.len() as u32).collect();
        Network::new(&self.conditions, &ground, &cells).unwrap()
    }

    pub fn sums(&self) -> Vec<Vec<i64>> {
        let queries = self.conditions.queries.iter();
        queries.map(|query| query.grouping.totals(&self.table).iter().map(|sum| *sum as i64).collect()).collect()
    }

    pub fn sampler<'a>(&self, network: &'a Network, ladder: Ladder) -> NetworkSampler<'a> {
        let sums = self.sums();
        let noise = TableNoise { law: &self.law, rates: &self.rates, sums: &sums };
        NetworkSampler::new(network, noise, &self.table, ladder).unwrap()
    }

    pub fn energy(&self, table: &[i64]) -> f64 {
        if self.conditions.queries.is_empty() {
            return table.iter().zip(&self.table).map(|(y, x)| self.law.energy(y - x).to_f64()).sum();
        }
        let queries = self.conditions.queries.iter().zip(&self.rates);
        queries
            .map(|(query, rate)| {
                let (here, there) = (query.grouping.totals(table), query.grouping.totals(&self.table));
                let distance: i128 = here.iter().zip(&there).map(|(one, two)| (one - two).abs()).sum();
                rate.to_f64() * distance as f64
            })
            .sum()
    }

    /// Every table of the fibre whose cells are within `radius` of the confidential ones, with its
    /// weight.
    pub fn enumerate(&self, radius: i64) -> BTreeMap<Vec<i64>, f64> {
        let low = |cell: usize| {
            let low = self.table[cell] - radius;
            if self.conditions.nonnegative { low.max(0) } else { low }
        };
        let kept: Vec<Vec<i128>> = self.conditions.invariants.iter().map(|g| g.totals(&self.table)).collect();
        let mut found = BTreeMap::new();
        let mut table: Vec<i64> = (0..self.table.len()).map(low).collect();
        'all: loop {
            let fits = self.conditions.invariants.iter().zip(&kept).all(|(g, kept)| g.totals(&table) == *kept)
                && self.conditions.rules.iter().all(|rule| holds(rule, &table));
            if fits {
                found.insert(table.clone(), (-self.energy(&table)).exp());
            }
            for cell in (0..table.len()).rev() {
                if table[cell] < self.table[cell] + radius {
                    table[cell] += 1;
                    continue 'all;
                }
                table[cell] = low(cell);
            }
            return found;
        }
    }
}

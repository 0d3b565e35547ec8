//! Small tables of noise times a factor, and their laws by enumeration.

use crate::tables::numbers::rational;
use analyse::{Ground, Network};
use declare::{Conditions, Footprint, Grouping, NO_GROUP, Relation, RuleRows};
use draw::{Base, CellNoise, Factor, Ladder, NetworkSampler, NoiseLaw, TableNoise};
use exact::{Enclosure, Rational};
use std::collections::BTreeMap;
use testkit::{TapeLaw, tape_law};

type Law = BTreeMap<Vec<i64>, Enclosure>;

pub fn rising(a: &str) -> Factor {
    Factor::Rising(rational(a))
}

pub fn poisson(mean: &str) -> Factor {
    Factor::Poisson(rational(mean))
}

pub fn listed(weights: &[(i64, &str)]) -> Factor {
    Factor::Listed(weights.iter().map(|(value, weight)| (*value, rational(weight))).collect())
}

pub fn geometric(rate: &str) -> CellNoise {
    CellNoise::Geometric { up: rational(rate), down: rational(rate) }
}

/// A table of a few cells with noise and factors, and what must hold.
#[derive(Clone)]
pub struct Small {
    pub noise: CellNoise,
    pub cells: Vec<(i64, Option<Factor>)>,
    pub conditions: Conditions,
}

pub fn total(cells: usize, of: impl Fn(usize) -> bool) -> Grouping {
    let group = |cell| if of(cell) { 0 } else { NO_GROUP };
    Grouping {
        label: "total".into(),
        names: vec!["all".into()],
        group_of: (0..cells).map(group).collect(),
        times: None,
    }
}

/// Cell 2i + 1 is at most cell 2i.
fn at_most(cells: usize) -> RuleRows {
    let grouping = Grouping {
        label: "deaths at most cases".into(),
        names: (0..cells / 2).map(|pair| pair.to_string()).collect(),
        group_of: (0..cells).map(|cell| cell as u32 / 2).collect(),
        times: Some((0..cells).map(|cell| if cell % 2 == 1 { 1 } else { -1 }).collect()),
    };
    RuleRows { grouping, relation: Relation::AtMost, bound: 0 }
}

pub fn conditions(cells: usize, invariants: Vec<Grouping>, rules: Vec<RuleRows>) -> Conditions {
    let pinned = vec![None; invariants.len()];
    let footprint = Footprint::OneCell;
    Conditions { cells, invariants, pinned, rules, queries: Vec::new(), nonnegative: true, footprint }
}

impl Small {
    /// All cells in one total.
    pub fn one_total(noise: CellNoise, cells: &[(i64, Option<Factor>)]) -> Small {
        let conditions = conditions(cells.len(), vec![total(cells.len(), |_| true)], Vec::new());
        Small { noise, cells: cells.to_vec(), conditions }
    }

    /// Pairs with a rule each; the first of all pairs in a total.
    pub fn pairs(noise: CellNoise, cells: &[(i64, Option<Factor>)]) -> Small {
        let count = cells.len();
        let conditions = conditions(count, vec![total(count, |cell| cell % 2 == 0)], vec![at_most(count)]);
        Small { noise, cells: cells.to_vec(), conditions }
    }

    pub fn table(&self) -> Vec<i64> {
        self.cells.iter().map(|(x, _)| *x).collect()
    }

    pub fn weight(&self, values: &[i64]) -> Enclosure {
        let (mut exponent, mut weight) = (Rational::integer(0), Rational::integer(1));
        for ((x, factor), y) in self.cells.iter().zip(values) {
            let distance = Rational::integer((y - x).abs());
            exponent = &exponent
                + &match &self.noise {
                    CellNoise::Geometric { up, .. } => up * &distance,
                    CellNoise::Gaussian { variance } => &(&distance * &distance) / &(variance + variance),
                    CellNoise::Flat => Rational::integer(0),
                };
            if let Some(factor) = factor {
                weight = &weight * &factor.weight(*y);
            }
        }
        &Enclosure::exp_rational(&-exponent, 200) * &Enclosure::from_rational(&weight, 200)
    }

    /// All tables that keep everything, none of whose counts is above `most`, with their
    /// probabilities.
    pub fn enumerated(&self, most: i64) -> Law {
        let (table, cells) = (self.table(), self.cells.len());
        let totals = self.conditions.totals(&table).unwrap();
        let mut tables: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..cells {
            tables = tables
                .into_iter()
                .flat_map(|start| (0..=most).map(move |y| start.iter().copied().chain([y]).collect()))
                .collect();
        }
        tables.retain(|values| {
            self.conditions.totals(values).unwrap() == totals && self.conditions.check_table(values).is_ok()
        });
        let weights: Vec<Enclosure> = tables.iter().map(|values| self.weight(values)).collect();
        let whole = weights.iter().fold(Enclosure::from_integer(0, 200), |sum, weight| &sum + weight);
        tables.into_iter().zip(weights).map(|(values, weight)| (values, weight.checked_div(&whole).unwrap())).collect()
    }

    pub fn law(&self) -> NoiseLaw {
        let law = match &self.noise {
            CellNoise::Gaussian { variance } => NoiseLaw::discrete_gaussian(variance.clone()),
            CellNoise::Geometric { up, .. } => NoiseLaw::double_geometric(up.clone()),
            CellNoise::Flat => unreachable!("networks have noise"),
        };
        let mut factors = Vec::new();
        let mut numbered = |factor: &Option<Factor>| {
            factor.clone().map(|factor| {
                factors.push(factor);
                factors.len() as u32 - 1
            })
        };
        let of_cell = self.cells.iter().map(|(_, factor)| numbered(factor)).collect();
        law.weighted_by(Base::new(factors, of_cell, "a test".into()))
    }

    pub fn network(&self) -> Network {
        let table = self.table();
        let particular: Vec<(usize, Rational)> = table.iter().map(|x| Rational::integer(*x)).enumerate().collect();
        let ground = Ground::new(&self.conditions, &particular, &[]);
        let cells: Vec<u32> = (0..self.cells.len() as u32).collect();
        Network::new(&self.conditions, &ground, &cells).unwrap()
    }

    pub fn tapes(&self, ladder: Ladder, depth: u32) -> TapeLaw<Vec<i64>> {
        let (network, law) = (self.network(), self.law());
        let sampler = NetworkSampler::new(&network, TableNoise::from(&law), &self.table(), ladder).unwrap();
        tape_law(depth, |tape| {
            let mut values = vec![0; self.cells.len()];
            sampler.draw(tape, &mut values).unwrap();
            values
        })
    }
}

pub fn agrees(law: &TapeLaw<Vec<i64>>, claim: &Law) -> Result<(), String> {
    law.agrees_with(|values| claim.get(values).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 200)))
}

/// Every base on two to four cells.
pub fn tables() -> Vec<(Small, i64)> {
    let two_peaks = || Some(rising("1/200"));
    let gaussian = || CellNoise::Gaussian { variance: rational("2") };
    vec![
        (Small::one_total(geometric("1/2"), &[(4, two_peaks()), (2, two_peaks())]), 6),
        (Small::one_total(geometric("1/8"), &[(5, two_peaks()), (1, two_peaks()), (0, two_peaks())]), 6),
        (Small::one_total(geometric("1/2"), &[(2, Some(rising("5/2"))), (1, None), (1, two_peaks())]), 4),
        (Small::one_total(geometric("1"), &[(1, Some(poisson("3"))), (2, Some(poisson("1/2"))), (1, None)]), 4),
        (Small::one_total(geometric("1/3"), &[(2, Some(listed(&[(0, "0"), (1, "7/2"), (3, "0")]))), (2, None)]), 4),
        (Small::one_total(geometric("1"), &[(1, Some(rising("0"))), (1, Some(rising("1"))), (1, None)]), 3),
        (Small::one_total(gaussian(), &[(3, two_peaks()), (0, Some(rising("3"))), (1, None)]), 4),
        (Small::one_total(geometric("2"), &[(1, two_peaks()), (1, None), (1, two_peaks()), (0, two_peaks())]), 3),
        // Drawn far above what the total leaves.
        (Small::one_total(geometric("1/8"), &[(3, Some(rising("400"))), (2, Some(rising("90")))]), 5),
        // Deaths at most cases, cases weighted, the total of the cases exact.
        (Small::pairs(geometric("1/2"), &[(3, two_peaks()), (1, None), (1, two_peaks()), (0, None)]), 4),
        (Small::pairs(geometric("1"), &[(2, Some(rising("7/2"))), (2, None), (2, two_peaks()), (1, None)]), 4),
        (Small::pairs(geometric("1"), &[(2, None), (1, Some(listed(&[(0, "1/9"), (2, "4")])))]), 2),
    ]
}

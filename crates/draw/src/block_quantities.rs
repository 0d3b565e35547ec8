//! `BlockQuantities`: what can be said exactly about the draws of one block, without any draw.

use crate::integer_law::Law;
use crate::law::NoiseLaw;
use crate::sums::{ClassLaw, Ladder, NoLaws};
use std::collections::BTreeMap;

/// The law of one sum of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QuerySum {
    /// The number of the query.
    pub query: u32,
    /// The group of the query.
    pub group: u32,
    /// The law of the sum in the released table.
    pub law: Law,
}

/// Cells without laws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAvailable {
    /// How many.
    pub cells: usize,
    /// Why.
    pub reason: &'static str,
}

pub(crate) const COSTLY: &str = "their laws cost too much to compute";
pub(crate) const IMPRECISE: &str = "the table is too far from what its totals ask for";

/// What can be said exactly about one block.
#[derive(Debug, Default)]
pub struct BlockQuantities {
    /// The logarithm of the sum of all weights, if the operator tells it.
    pub log_normaliser: Option<f64>,
    /// The laws of its cells, as far as they are available.
    pub cells: Vec<(u32, Law)>,
    /// The laws of its noisy sums of several cells.
    pub sums: Vec<QuerySum>,
    /// What is not available.
    pub not_available: Option<NotAvailable>,
}

impl BlockQuantities {
    /// Nothing, for this reason.
    pub fn without(cells: &[u32], reason: &'static str) -> Self {
        BlockQuantities {
            not_available: Some(NotAvailable { cells: cells.len(), reason }),
            ..BlockQuantities::default()
        }
    }

    /// Cells with noise of their own and nothing else.
    pub(crate) fn free(noise: &NoiseLaw, cells: &[u32], centre: &[i64]) -> Self {
        let Some(law) = around_zero(noise, i64::MIN) else { return BlockQuantities::without(cells, COSTLY) };
        let log_normaliser = Some(cells.len() as f64 * noise.log_normaliser());
        let cells = cells.iter().map(|cell| (*cell, law.shifted(centre[*cell as usize])));
        BlockQuantities { log_normaliser, cells: cells.collect(), ..BlockQuantities::default() }
    }

    /// Cells whose noise adds up to zero.
    pub(crate) fn one_total(noise: &NoiseLaw, cells: &[u32], centre: &[i64]) -> Self {
        let Some(cell_noise) = noise.cell_noise() else { return BlockQuantities::without(cells, COSTLY) };
        let class = ClassLaw::new(cell_noise, None, None, vec![0; cells.len()], Ladder::Standard);
        let precision = Ladder::Standard.level(0);
        let found = match cells.len() {
            1 => Ok(vec![Law::point(0)]),
            _ => class.laws_given::<f64>(0, precision),
        };
        let law = match found {
            Ok(laws) if !laws.is_empty() => laws[0].clone(),
            Err(NoLaws::Imprecise) => return BlockQuantities::without(cells, IMPRECISE),
            _ => return BlockQuantities::without(cells, COSTLY),
        };
        let Some(log_normaliser) = class.log_weight(0) else { return BlockQuantities::without(cells, IMPRECISE) };
        let cells = cells.iter().map(|cell| (*cell, law.shifted(centre[*cell as usize])));
        BlockQuantities { log_normaliser: Some(log_normaliser), cells: cells.collect(), ..BlockQuantities::default() }
    }

    /// Cells by themselves, each at least zero.
    pub(crate) fn at_least_zero(noise: &NoiseLaw, cells: &[u32], centre: &[i64]) -> Self {
        let mut known: BTreeMap<i64, (Law, f64)> = BTreeMap::new();
        let Some(free) = around_zero(noise, i64::MIN) else { return BlockQuantities::without(cells, COSTLY) };
        let alone = noise.log_normaliser();
        let mut found = BlockQuantities { log_normaliser: Some(0.0), ..BlockQuantities::default() };
        for cell in cells {
            let value = centre[*cell as usize];
            // Bounds that the noise does not reach cut nothing off.
            let bound = (-value).max(free.first);
            let (law, log) = known.entry(bound).or_insert_with(|| {
                let law = around_zero(noise, bound).unwrap_or_else(|| free.clone());
                let above: f64 = free.probabilities[(bound - free.first) as usize..].iter().sum();
                (law, alone + above.ln())
            });
            found.log_normaliser = found.log_normaliser.map(|sum| sum + *log);
            found.cells.push((*cell, law.shifted(value)));
        }
        found
    }
}

/// Exponents above this are beyond the digits that are told.
pub(crate) const FARTHEST_EXPONENT: f64 = 42.0;
/// Noise that reaches farther is not listed.
pub(crate) const FARTHEST: f64 = 1e6;

/// The law of one cell's noise, given that it is at least `bound`; `None` when it reaches too far
/// to be listed.
fn around_zero(noise: &NoiseLaw, bound: i64) -> Option<Law> {
    let reach = noise.reach(FARTHEST_EXPONENT);
    if reach > FARTHEST {
        return None;
    }
    let last = reach.ceil() as i64;
    let first = bound.max(-last);
    Law::from_weights(first, &(first..=last).map(|z| (-noise.energy(z).to_f64()).exp()).collect::<Vec<_>>())
}

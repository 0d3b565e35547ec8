//! `Enumerate`: one table of a list, drawn in proportion to e^{−energy}: any integer law on a fibre
//! of few tables, exactly.
//!
//! The list is public and complete (`analyse::Listed`). The energy of every table around the
//! confidential one is whole units times a few rates ([`BlockEnergy`]); tables with the same units
//! share a weight. A uniform number is compared with enclosures of the cumulative weights, which
//! are narrowed until they decide. Proof: `proofs/enumerate.md`.

mod energy;
mod weights;

use crate::block_quantities::QuerySum;
use crate::integer_law::Law;
use crate::network::TableNoise;
use analyse::{Demand, Fibre, Listed};
use exact::{Entropy, choose};
use std::collections::{BTreeMap, HashMap};
use weights::Weights;

pub use energy::BlockEnergy;

/// A block of few tables, ready to be drawn from as often as wanted.
#[derive(Debug)]
pub struct Enumerate<'a> {
    listed: &'a Listed,
    fibre: &'a Fibre,
    weights: Weights,
    /// Whether the law is a product over cells or sums.
    is_product: bool,
}

impl<'a> Enumerate<'a> {
    /// Makes a block ready: `centre` is the whole confidential table.
    pub fn new(fibre: &'a Fibre, listed: &'a Listed, noise: TableNoise<'_>, centre: &[i64]) -> Enumerate<'a> {
        let energy = BlockEnergy::new(fibre, noise.law, noise.rates);
        let own: Vec<i64> = fibre.cells.iter().map(|cell| centre[*cell as usize]).collect();
        // Totals may be pinned, so the sums of the confidential table need not be those of its
        // cells in this block.
        let sums: Vec<i64> = fibre
            .rows
            .iter()
            .filter_map(|row| match row.demand {
                Demand::Noisy { query, group, fixed } => Some(noise.sums[query as usize][group as usize] - fixed),
                _ => None,
            })
            .collect();
        let mut kinds: HashMap<Vec<i128>, u32> = HashMap::new();
        let mut units: Vec<Vec<i128>> = Vec::new();
        let mut kind_of = Vec::with_capacity(listed.len());
        let mut counted = Vec::new();
        for table in listed.tables() {
            energy.units(table, &own, &sums, &mut counted);
            let kind = *kinds.entry(counted.clone()).or_insert_with(|| {
                units.push(counted.clone());
                units.len() as u32 - 1
            });
            kind_of.push(kind);
        }
        let is_product = noise.law.is_product();
        Enumerate { listed, fibre, weights: Weights::new(energy, units, kind_of), is_product }
    }

    /// Draws a table of the block: values in the order of the fibre's cells.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> &'a [i64] {
        self.listed.table(choose(entropy, |level, uniform| self.weights.decide(level, uniform)))
    }

    /// The block's cells.
    pub(crate) fn block_cells(&self) -> &[u32] {
        &self.fibre.cells
    }

    /// The block's cells with the values of a draw.
    pub fn draw_cells<E: Entropy>(&self, entropy: &mut E) -> impl Iterator<Item = (u32, i64)> {
        self.fibre.cells.iter().copied().zip(self.draw(entropy).iter().copied())
    }

    /// The laws of the block's cells and of its noisy sums, for reading.
    pub(crate) fn laws(&self) -> (Vec<(u32, Law)>, Vec<QuerySum>) {
        let weights = self.weights.relative();
        let of = |value: &dyn Fn(&[i64]) -> i64| {
            let mut listed: BTreeMap<i64, f64> = BTreeMap::new();
            for (table, weight) in self.listed.tables().zip(&weights) {
                *listed.entry(value(table)).or_default() += weight;
            }
            Law::of_values(&listed.into_iter().collect::<Vec<_>>())
        };
        let cells = self.fibre.cells.iter().enumerate();
        let cells = cells.filter_map(|(place, cell)| Some((*cell, of(&|table| table[place])?)));
        let sums = self.fibre.rows.iter().filter_map(|row| match row.demand {
            Demand::Noisy { query, group, fixed } if row.entries.len() > 1 => {
                let sum = |table: &[i64]| {
                    row.entries.iter().map(|(place, times)| times * table[*place as usize]).sum::<i64>() + fixed
                };
                Some(QuerySum { query, group, law: of(&sum)? })
            }
            _ => None,
        });
        (cells.collect(), sums.collect())
    }

    /// The logarithm of the sum of all weights, for reading; `None` where the noise is one norm
    /// over all cells.
    pub(crate) fn log_normaliser(&self) -> Option<f64> {
        self.is_product.then(|| self.weights.log_sum())
    }
}

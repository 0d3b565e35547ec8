//! `Belief`: what may be believed of one block of the table: laws of its cells and sums, and draws.

use crate::nested::Nest;
use crate::weighted::{Weighted, pick_pair};
use draw::Law;
use exact::Entropy;
use std::collections::HashMap;

/// One block.
#[derive(Debug)]
pub(crate) enum Belief {
    /// Cells that are independent of each other.
    Cells(Vec<(u32, Law)>),
    /// Tables with weights: all of them, or draws.
    Tables {
        /// The cells.
        cells: Vec<u32>,
        /// Their values, table by table.
        tables: Vec<Vec<i64>>,
        /// A weight for every table.
        weights: Vec<f64>,
    },
    /// Messages.
    Weighted {
        /// The block.
        ready: Box<Weighted>,
        /// The laws of its cells.
        laws: HashMap<u32, Law>,
        /// Its number.
        block: usize,
    },
    /// Splits of a cascade.
    Nested(Box<Nest>),
}

/// A uniform number between 0 and 1.
pub(crate) fn uniform(entropy: &mut impl Entropy) -> f64 {
    entropy.bits(53) as f64 / (1u64 << 53) as f64
}

impl Belief {
    /// The cells of the block.
    pub(crate) fn cells(&self) -> Vec<u32> {
        match self {
            Belief::Cells(laws) => laws.iter().map(|(cell, _)| *cell).collect(),
            Belief::Tables { cells, .. } => cells.clone(),
            Belief::Weighted { laws, .. } => laws.keys().copied().collect(),
            Belief::Nested(nest) => nest.cells().to_vec(),
        }
    }

    /// The law of a sum over its cells, where it is at hand.
    pub(crate) fn law(&self, entries: &[(u32, i64)], budget: &mut u64) -> Option<Law> {
        match self {
            Belief::Cells(laws) => {
                let known: HashMap<u32, &Law> = laws.iter().map(|(cell, law)| (*cell, law)).collect();
                entries.iter().try_fold(Law::point(0), |sum, (cell, times)| {
                    crate::sums::joined(&sum, &crate::sums::scaled(known.get(cell)?, *times)?, budget)
                })
            }
            Belief::Tables { cells, tables, weights } => {
                // Cells are in order where the block is large.
                let ordered = cells.is_sorted();
                let place = |cell: &u32| match ordered {
                    true => cells.binary_search(cell).ok(),
                    false => cells.iter().position(|other| other == cell),
                };
                let entries: Vec<(usize, i64)> =
                    entries.iter().map(|(cell, times)| Some((place(cell)?, *times))).collect::<Option<_>>()?;
                let value = |table: &Vec<i64>| entries.iter().map(|(place, times)| times * table[*place]).sum::<i64>();
                let values: Vec<i64> = tables.iter().map(value).collect();
                let (first, last) = (*values.iter().min()?, *values.iter().max()?);
                let length = usize::try_from(last - first).ok().filter(|length| *length < 1 << 24)?;
                let mut listed = vec![0.0; length + 1];
                values.iter().zip(weights).for_each(|(value, weight)| listed[(value - first) as usize] += weight);
                Law::from_weights(first, &listed)
            }
            Belief::Weighted { laws, .. } => match entries {
                [(cell, times)] => crate::sums::scaled(laws.get(cell)?, *times),
                _ => None,
            },
            Belief::Nested(nest) => nest.law(entries),
        }
    }

    /// Draws its cells into a table.
    pub(crate) fn draw(&self, entropy: &mut impl Entropy, table: &mut [i64]) {
        match self {
            Belief::Cells(laws) => {
                for (cell, law) in laws {
                    let listed: Vec<(i64, f64)> = law.listed().collect();
                    table[*cell as usize] = *pick_pair(&listed, uniform(entropy));
                }
            }
            Belief::Tables { cells, tables, weights } => {
                let listed: Vec<(usize, f64)> = weights.iter().copied().enumerate().collect();
                let chosen = &tables[*pick_pair(&listed, uniform(entropy))];
                cells.iter().zip(chosen).for_each(|(cell, value)| table[*cell as usize] = *value);
            }
            Belief::Weighted { ready, .. } => {
                let drawn = ready.draw(&mut || uniform(entropy));
                drawn.into_iter().for_each(|(cell, value)| table[cell as usize] = value);
            }
            Belief::Nested(nest) => nest.draw(entropy, table),
        }
    }
}

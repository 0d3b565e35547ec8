//! `Belief`: what may be believed of one block of the table: laws of its cells and sums, and draws.

use crate::basis::Diagnosis;
use crate::nested::Nest;
use crate::pick::{pick_pair, uniform};
use crate::sums::{joined, scaled};
use crate::weighted::law_of;
use crate::widths::Mixture;
use declare::Problem;
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
        ready: Box<Mixture>,
        /// The laws of its cells.
        laws: HashMap<u32, Law>,
        /// Its number.
        block: usize,
    },
    /// Splits of a cascade.
    Nested(Box<Nest>),
}

impl Belief {
    /// The cells of the block.
    pub(crate) fn cells(&self) -> Vec<u32> {
        match self {
            Belief::Cells(laws) => laws.iter().map(|(cell, _)| *cell).collect(),
            Belief::Tables { cells, .. } => cells.clone(),
            Belief::Weighted { laws, .. } => laws.keys().copied().collect(),
            Belief::Nested(nest) => nest.cells.clone(),
        }
    }

    /// The law of a sum over its cells, where it is at hand.
    pub(crate) fn law(&self, entries: &[(u32, i64)], budget: &mut u64) -> Option<Law> {
        match self {
            Belief::Cells(laws) => {
                let known: HashMap<u32, &Law> = laws.iter().map(|(cell, law)| (*cell, law)).collect();
                entries.iter().try_fold(Law::point(0), |sum, (cell, times)| {
                    joined(&sum, &scaled(known.get(cell)?, *times)?, budget)
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
                law_of(&tables.iter().map(value).zip(weights.iter().copied()).collect::<Vec<_>>())
            }
            Belief::Weighted { laws, .. } => match entries {
                [(cell, times)] => scaled(laws.get(cell)?, *times),
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
            Belief::Weighted { ready, .. } => ready.draw(&mut || uniform(entropy), table),
            Belief::Nested(nest) => nest.draw(entropy, table),
        }
    }
}

/// Draws or chains that are as good as fewer independent draws than this are refused.
pub(crate) const FEWEST_EFFECTIVE: f64 = 50.0;

/// Draws with the logarithms of their weights, and how many plain draws they are as good as.
///
/// # Errors
/// Refused when that is too few; infeasible when none has any weight.
pub(crate) fn weigh(cells: Vec<u32>, tables: Vec<Vec<i64>>, logs: &[f64]) -> Result<(Belief, Diagnosis), Problem> {
    let weights = relative(logs)?;
    let effective = effective_of(weights.iter().copied());
    check_effective(effective, &format!("{} draws have weights so unequal that they tell", tables.len()))?;
    let diagnosis = Diagnosis::Importance { draws: tables.len(), effective: effective / tables.len() as f64 };
    Ok((Belief::Tables { cells, tables, weights }, diagnosis))
}

/// Kish's effective size of weighted draws: how many plain draws are as good.
pub(crate) fn effective_of(weights: impl Iterator<Item = f64>) -> f64 {
    let (sum, squares) = weights.fold((0.0, 0.0), |(sum, squares), one| (sum + one, squares + one * one));
    sum * sum / squares
}

/// Refuses what is as good as too few independent draws.
pub(crate) fn check_effective(effective: f64, what: &str) -> Result<(), Problem> {
    match effective >= FEWEST_EFFECTIVE {
        true => Ok(()),
        false => Err(Problem::refused(format!(
            "{what} as much as {effective:.0} independent draws, and at least {FEWEST_EFFECTIVE:.0} are needed"
        ))
        .hint("ask for more: --draws N; a release with nonnegative = false and without rules has exact posteriors under any bounds")),
    }
}

/// Weights from their logarithms, the largest one.
pub(crate) fn relative(logs: &[f64]) -> Result<Vec<f64>, Problem> {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY || largest.is_nan() {
        return Err(Problem::new(
            declare::Kind::Infeasible,
            "no table with these totals, bounds and rules has any weight under the prior",
        ));
    }
    Ok(logs.iter().map(|log| (log - largest).exp()).collect())
}

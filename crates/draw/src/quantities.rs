//! Exact quantities of a whole table, given the table: laws of cells and of noisy sums, and the
//! normaliser.
//!
//! For reading: machine numbers with about twelve digits, without any draw. They depend on the
//! interior of the table, so they may be shown for public tables only, unless the law of the noise
//! is the same for every table.

use crate::block_quantities::{BlockQuantities, NotAvailable, QuerySum};
use crate::integer_law::Law;
use crate::listing::{ABOVE_LIMIT, Listing};
use crate::network::TableNoise;
use crate::planned::PlannedWork;
use crate::table::BlockDraw;
use declare::Problem;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What can be said exactly about the draws of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantities {
    /// The logarithm of the sum of `e^{−energy}` over all tables that satisfy what is asked; `None`
    /// when an operator does not tell it.
    pub log_normaliser: Option<f64>,
    /// The laws of the cells of the blocks, in order of the cells, as far as they are available.
    pub cells: Vec<(u32, Law)>,
    /// The laws of noisy sums of several cells.
    pub sums: Vec<QuerySum>,
    /// What is not available.
    pub not_available: Vec<NotAvailable>,
}

/// Blocks whose laws need more memory while they are listed are listed one after the other.
const TOGETHER_BYTES: f64 = 64e6;

/// The laws of cells and noisy sums of these blocks around a table, and their normaliser; of blocks
/// beyond the limit of [`listed`] nothing.
///
/// # Errors
/// Refused for real-valued noise, and where a block has no law.
pub fn quantities(noise: TableNoise<'_>, blocks: &[BlockDraw<'_>], centre: &[i64]) -> Result<Quantities, Problem> {
    if !noise.law.is_integer() {
        return Err(Problem::refused(format!("{} noise is real-valued: its laws are not listed", noise.law.name())));
    }
    let (fits, _) = listed(blocks.iter().map(|block| block.work));
    let one = |(block, fits): (&BlockDraw<'_>, &bool)| match fits {
        true => block.work.quantities(block.around(noise, centre)),
        false => Ok(BlockQuantities::without(block.cells, ABOVE_LIMIT)),
    };
    let is_large = |block: &BlockDraw<'_>| block.work.prospect().listing.bytes > TOGETHER_BYTES;
    let small = blocks.par_iter().zip(&fits).map(|pair| (!is_large(pair.0)).then(|| one(pair)).transpose());
    let mut found: Vec<Option<BlockQuantities>> = small.collect::<Result<_, Problem>>()?;
    for (place, pair) in blocks.iter().zip(&fits).enumerate() {
        if found[place].is_none() {
            found[place] = Some(one(pair)?);
        }
    }
    let mut all =
        Quantities { log_normaliser: Some(0.0), cells: Vec::new(), sums: Vec::new(), not_available: Vec::new() };
    let mut not_available: BTreeMap<&'static str, usize> = BTreeMap::new();
    for block in found.into_iter().flatten() {
        all.log_normaliser = all.log_normaliser.zip(block.log_normaliser).map(|(sum, block)| sum + block);
        all.cells.extend(block.cells);
        all.sums.extend(block.sums);
        if let Some(missing) = block.not_available {
            *not_available.entry(missing.reason).or_default() += missing.cells;
        }
    }
    all.cells.sort_by_key(|(cell, _)| *cell);
    all.sums.sort_by_key(|sum| (sum.query, sum.group));
    all.not_available = not_available.into_iter().map(|(reason, cells)| NotAvailable { cells, reason }).collect();
    Ok(all)
}

/// Of which blocks the laws are listed, in order as long as all together are within the limit, and
/// what that is predicted to take.
pub fn listed<'w>(works: impl IntoIterator<Item = &'w dyn PlannedWork>) -> (Vec<bool>, Listing) {
    let mut all = Listing::NOTHING;
    let fits = works.into_iter().map(|work| {
        let with = all.and(work.prospect().listing);
        let fits = with.is_affordable();
        all = if fits { with } else { all };
        fits
    });
    (fits.collect(), all)
}

//! `TableList`: all tables of a block that has few.

use crate::listing::Listing;
use analyse::{Block, Fibre, Ground, ListLimits, Listed};
use declare::Conditions;

/// A table of a list: its weight, and each of its counts.
const TABLE_SECONDS: f64 = 0.08e-6;
const COUNT_SECONDS: f64 = 0.5e-9;
/// A count that is added to the law of its cell.
const LISTED_SECONDS: f64 = 0.1e-6;

/// All tables of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct TableList {
    /// The block's totals, bounds, rules and noisy sums.
    pub fibre: Fibre,
    /// The tables.
    pub listed: Listed,
}

impl TableList {
    /// Lists the tables of a block.
    ///
    /// # Errors
    /// In words, when they are too many.
    pub fn new(conditions: &Conditions, ground: &Ground, block: &Block, limits: &ListLimits) -> Result<Self, String> {
        if block.size != block.cells.len() || block.cells.len() > limits.cells {
            return Err(format!("tables of more than {} cells are not listed", limits.cells));
        }
        let fibre = Fibre::new(conditions, ground, &block.cells).map_err(|problem| problem.message)?;
        let listed = fibre.listed(limits).map_err(|why| why.in_words())?;
        Ok(TableList { fibre, listed })
    }

    /// The predicted seconds of the first draw.
    pub(crate) fn seconds(&self) -> f64 {
        let (tables, cells) = (self.listed.len() as f64, (self.fibre.cells.len() + self.fibre.rows.len()) as f64);
        0.02e-3 + tables * (TABLE_SECONDS + COUNT_SECONDS * cells)
    }

    /// What listing the laws of the block is predicted to take.
    pub(crate) fn listing(&self) -> Listing {
        let values = self.listed.len() as f64 * (self.fibre.cells.len() + self.fibre.rows.len()) as f64;
        Listing { seconds: self.seconds() + LISTED_SECONDS * values, ..Listing::NOTHING }
    }
}

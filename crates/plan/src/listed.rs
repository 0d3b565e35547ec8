//! All tables of blocks that have few: what `enumerate` draws from, and what theorem G12 prices.

use analyse::{Block, Demand, Fibre, Ground, ListLimits, Listed};
use declare::{Conditions, Problem};
use std::sync::Arc;

/// All tables of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedList {
    /// The block's totals, bounds, rules and noisy sums.
    pub fibre: Fibre,
    /// The tables.
    pub listed: Listed,
}

/// Lists that are short enough for the loss of every pair of tables.
const PRICED: ListLimits = ListLimits { cells: 512, tables: 2000, values: 1 << 20, work: 10_000_000 };

/// All blocks together may have so many pairs, times cells and entries of noisy sums.
const MOST_PAIRS: usize = 150_000_000;

/// More blocks are not listed.
const MOST_BLOCKS: usize = 256;

/// Lists that are drawn from.
const DRAWN: ListLimits = ListLimits { cells: 4096, tables: 1_000_000, values: 1 << 24, work: 400_000_000 };

impl PlannedList {
    fn new(conditions: &Conditions, ground: &Ground, block: &Block, limits: &ListLimits) -> Result<Self, String> {
        if block.size != block.cells.len() || block.cells.len() > limits.cells {
            return Err(format!("tables of more than {} cells are not listed", limits.cells));
        }
        let fibre = Fibre::new(conditions, ground, &block.cells).map_err(|problem| problem.message)?;
        let listed = fibre.listed(limits).map_err(|why| why.in_words())?;
        Ok(PlannedList { fibre, listed })
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> f64 {
        self.listed.bytes() as f64
    }
}

/// The list of a block, for drawing.
pub(crate) fn of_block(conditions: &Conditions, ground: &Ground, block: &Block) -> Result<Arc<PlannedList>, String> {
    PlannedList::new(conditions, ground, block, &DRAWN).map(Arc::new)
}

/// The lists of all blocks, in order, where all are short; the largest blocks are tried first.
pub(crate) fn of_all(conditions: &Conditions, ground: &Ground, blocks: &[Block]) -> Option<Vec<Arc<PlannedList>>> {
    if !conditions.has_inequalities() || blocks.len() > MOST_BLOCKS {
        return None;
    }
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|block| std::cmp::Reverse(blocks[*block].size));
    let mut lists: Vec<Option<Arc<PlannedList>>> = vec![None; blocks.len()];
    let mut pairs = 0usize;
    for block in order {
        let list = PlannedList::new(conditions, ground, &blocks[block], &PRICED).ok()?;
        let tables = list.listed.len();
        let noisy = list.fibre.rows.iter().filter(|row| matches!(row.demand, Demand::Noisy { .. }));
        let entries = list.fibre.cells.len() + noisy.map(|row| row.entries.len()).sum::<usize>();
        pairs = pairs.checked_add(tables * tables / 2 * entries)?;
        if tables == 0 || pairs > MOST_PAIRS {
            return None;
        }
        lists[block] = Some(Arc::new(list));
    }
    lists.into_iter().collect()
}

/// Refuses blocks that have one table each.
pub(crate) fn check_several(lists: Option<&[Arc<PlannedList>]>) -> Result<(), Problem> {
    match lists {
        Some(lists) if lists.iter().all(|list| list.listed.len() == 1) => Err(crate::plan::only_one_table()),
        _ => Ok(()),
    }
}

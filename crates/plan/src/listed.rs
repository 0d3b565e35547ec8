//! All tables of blocks that have few: what theorem G12 prices, and what `enumerate` may draw from.

use analyse::{Block, Demand, Ground, ListLimits};
use declare::{Conditions, Problem};
use draw::operators::TableList;
use std::sync::Arc;

/// Lists that are short enough for the loss of every pair of tables.
const PRICED: ListLimits = ListLimits { cells: 512, tables: 2000, values: 1 << 20, work: 10_000_000 };

/// All blocks together may have so many pairs, times cells and entries of noisy sums.
const MOST_PAIRS: usize = 150_000_000;

/// More blocks are not listed.
const MOST_BLOCKS: usize = 256;

/// The lists of all blocks, in order, where all are short; the largest blocks are tried first.
pub(crate) fn of_all(conditions: &Conditions, ground: &Ground, blocks: &[Block]) -> Option<Vec<Arc<TableList>>> {
    if !conditions.has_inequalities() || blocks.len() > MOST_BLOCKS {
        return None;
    }
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|block| std::cmp::Reverse(blocks[*block].size));
    let mut lists: Vec<Option<Arc<TableList>>> = vec![None; blocks.len()];
    let mut pairs = 0usize;
    for block in order {
        let list = TableList::new(conditions, ground, &blocks[block], &PRICED).ok()?;
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

/// A refusal of ρ that also says why the list does not help.
pub(crate) fn too_many_for_orders(lists: &[Arc<TableList>], problem: Problem) -> Problem {
    let most = lists.iter().map(|list| list.listed.len()).max().unwrap_or(0);
    let message = format!(
        "{}; and the divergences of all orders are not computed for {most} tables, or for noise so wide (theorem G12)",
        problem.message
    );
    Problem { message, ..problem }
}

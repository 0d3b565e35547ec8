//! Blocks in words, all blocks as one, and the problem of a single table.

use analyse::{Block, Structure};
use declare::Problem;
use draw::{crossing, tied};

/// How messages call a block.
pub(crate) fn block_in_words(block: &Block) -> String {
    let cells = block.size;
    match &block.structure {
        Structure::Free => format!("the {cells} free cells"),
        Structure::OneTotal { name, .. } => format!("the {cells} cells of `{name}`"),
        Structure::Crossing { .. } => format!("the {cells} cells in which {}", crossing(&block.structure)),
        Structure::Linked { by } => format!("the {cells} cells tied together by {}", tied(by)),
    }
}

/// All cells as one block, where something ties them together whatever the totals do; `None` where
/// there are not several blocks.
pub fn joined(blocks: &[Block], by: &str) -> Option<Block> {
    if blocks.len() < 2 {
        return None;
    }
    let mut cells: Vec<u32> = blocks.iter().flat_map(|block| block.cells.iter().copied()).collect();
    cells.sort_unstable();
    let classes = blocks.iter().map(|block| block.classes).sum();
    let size = blocks.iter().map(|block| block.size).sum();
    Some(Block { cells, size, classes, structure: Structure::Linked { by: vec![by.to_owned()] } })
}

/// The problem of totals that only one table has.
pub fn only_one_table() -> Problem {
    Problem::refused(
        "totals, bounds and rules alone give every cell: counts are not negative, so only one table has them",
    )
    .hint("such a release protects nothing; keep fewer or coarser totals")
}

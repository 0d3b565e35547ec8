//! `Block`: an independent part of the fibre, and what the invariants say about it.

/// An independent part of the fibre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its cells, increasing; of a folded table those that stand for them (see
    /// `Analysis::unfolded`).
    pub cells: Vec<u32>,
    /// How many cells it has: as many as are listed, or as many as these stand for.
    pub size: usize,
    /// The number of classes (cells with identical columns in A).
    pub classes: usize,
    /// What the invariants say about it.
    pub structure: Structure,
}

impl Block {
    /// A block with these cells.
    pub fn new(cells: Vec<u32>, classes: usize, structure: Structure) -> Block {
        Block { size: cells.len(), cells, classes, structure }
    }
}

/// What the invariants say about a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Structure {
    /// Nothing: every cell is free.
    Free,
    /// One total over all its cells.
    OneTotal {
        /// The public value of the total.
        total: i64,
        /// How messages call the group, for example `county = Alpha`.
        name: String,
    },
    /// Totals that overlap without nesting; carries the labels of invariants that cross.
    Crossing {
        /// Labels of two or more invariants whose groups cross in this block.
        invariants: Vec<String>,
        /// The rank of A on this block.
        rank: usize,
    },
    /// Cells that rules or noisy sums tie together, whatever the totals say.
    Linked {
        /// The labels of those rules and sums.
        by: Vec<String>,
    },
}

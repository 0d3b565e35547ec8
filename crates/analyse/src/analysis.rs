//! `Analysis`: what the declared invariants say about the fibre, before any noise.

use crate::block::Block;
use crate::disclosed::Disclosed;
use crate::moves::Moves;
use declare::{Cell, Fold};
use exact::Rational;

/// The structure of the fibre: a function of the declaration and the public totals alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The live cells.
    pub cells: usize,
    /// The declared totals: rows of the matrix A.
    pub invariants: usize,
    /// The declared invariants, in order.
    pub kept: Vec<Kept>,
    /// The rank of A, exactly.
    pub rank: usize,
    /// The totals that follow from others, with the reason.
    pub redundant: Vec<Redundant>,
    /// Cells whose released value the invariants alone determine, with that value.
    pub fixed: Vec<(Cell, i64)>,
    /// Cells of the confidential table whose values follow from its own totals, the rules and that
    /// counts are not negative, as far as that is known: increasing. Totals pinned to other values
    /// say nothing about the confidential table.
    pub disclosed: Disclosed,
    /// Independent parts of the fibre that are not fixed, each with its structure.
    pub blocks: Vec<Block>,
    /// A table of fractions that has all totals: the sum of every class on its first cell, zero
    /// elsewhere and left out.
    pub particular: Vec<(Cell, Rational)>,
    /// The steps between tables of the fibre: what decides the loss.
    pub moves: Moves,
}

impl Analysis {
    /// Cells that totals, bounds and rules disclose, with their values.
    pub fn disclosed(&self) -> impl Iterator<Item = (Cell, i64)> {
        self.disclosed.iter()
    }

    /// The dimension of the fibre: how many cells may move freely once the totals are kept.
    pub fn free_dimension(&self) -> usize {
        self.cells - self.rank
    }
}

impl Analysis {
    /// The analysis of a large table, from that of the small one with the same structure: sizes and
    /// disclosed cells are those of the large table, cells of blocks and of the particular solution
    /// stay those of the small one.
    ///
    /// Every class of the small table has two cells or more, as in the large one, so no cell is
    /// fixed in either. Proof: `proofs/folding.md`.
    pub fn unfolded(mut self, fold: &Fold) -> Analysis {
        self.cells = fold.cells();
        self.blocks.iter_mut().for_each(|block| block.size = fold.size(block.cells.len()));
        self.disclosed = self.disclosed.unfolded(fold);
        self
    }
}

/// A declared invariant: a family of totals that are exactly true in the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// For example `by county`.
    pub label: String,
    /// The number of its totals.
    pub totals: usize,
}

/// A total that follows from others, or several of one invariant that do so for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redundant {
    /// The total, for example `total`.
    pub name: String,
    /// Why, for example `it is the sum of the 4 totals by county`.
    pub because: String,
    /// How many totals this entry stands for.
    pub totals: usize,
}

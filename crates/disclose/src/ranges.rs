//! `Ranges`: the least and the largest value of every cell and of sums, and which cells are
//! disclosed.

use crate::range::Range;
use analyse::Disclosed;
use declare::{Cell, Fold};

/// The ranges of all cells, and of the sums that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges {
    /// The range of a cell of every class, and how many cells it has.
    pub(crate) classes: Vec<(Range, usize)>,
    /// The class of every cell, or of every `each` neighbouring cells.
    pub(crate) class_of: Vec<u32>,
    pub(crate) each: usize,
    /// The sums that were asked for, in order.
    pub margins: Vec<MarginRanges>,
}

/// The ranges of sums over cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarginRanges {
    /// For example `by county`.
    pub label: String,
    /// For example `county = Alpha`.
    pub names: Vec<String>,
    /// The range of every sum.
    pub ranges: Vec<Range>,
}

impl Ranges {
    /// The range of a cell.
    pub fn cell(&self, cell: Cell) -> Range {
        self.classes[self.class_of[cell / self.each] as usize].0
    }

    /// Cells whose value is disclosed, the first ones up to a number.
    pub fn disclosed(&self, most: usize) -> Disclosed {
        let places = self.class_of.iter().enumerate();
        let known = |(place, class): (usize, &u32)| Some((place, self.classes[*class as usize].0.value()?));
        let cells =
            |(place, value): (usize, i64)| (place * self.each..(place + 1) * self.each).map(move |cell| (cell, value));
        places.filter_map(known).flat_map(cells).take(most).collect()
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.class_of.len() * self.each
    }

    /// The ranges that cells have, each with the number of cells that share it for the same reason.
    pub fn classes(&self) -> impl Iterator<Item = (Range, usize)> {
        self.classes.iter().map(|(range, cells)| (*range, cells * self.each))
    }

    /// The ranges of a large table, from those of the small one with the same structure: cells that
    /// stand for many have the range that each of these has (`crates/analyse/proofs/folding.md`).
    /// Sums must not have been asked for.
    pub fn unfolded(self, fold: &Fold) -> Ranges {
        let places = fold.cells() / fold.each();
        let class_of: Vec<u32> = (0..places).map(|place| self.class_of[fold.place(place * fold.each())]).collect();
        let mut classes: Vec<(Range, usize)> = self.classes.iter().map(|(range, _)| (*range, 0)).collect();
        class_of.iter().for_each(|class| classes[*class as usize].1 += 1);
        Ranges { classes, class_of, each: fold.each(), margins: Vec::new() }
    }
}

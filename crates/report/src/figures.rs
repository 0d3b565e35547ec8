//! `Figures`: what a page says about the counts of a table, gathered in one pass over portions of
//! it.

use crate::overview::{MOST_SQUARES, Shown, shown};
use crate::table::SHOWN_FULLY;
use crate::tally::Tally;
use declare::{Domain, Walk};

/// What a page needs to know about the released counts: sums, extremes, the first cells. A small
/// table is kept whole.
#[derive(Debug, Clone)]
pub struct Figures<'a> {
    domain: &'a Domain,
    walk: Walk<'a>,
    /// The first cells, all of them when the table is shown fully.
    pub(crate) first: Vec<i64>,
    /// The sum of all counts.
    pub(crate) sum: i128,
    /// How many counts are below zero.
    pub(crate) negative: usize,
    /// The sizes of counts above and below zero.
    pub(crate) above: Tally,
    pub(crate) below: Tally,
    /// For every dimension what is shown of it, and the sums along that.
    pub(crate) margins: Vec<Option<(Shown, Vec<i128>)>>,
    /// Sums of neighbouring cells, and of how many.
    pub(crate) squares: Vec<i64>,
    pub(crate) per_square: usize,
}

impl<'a> Figures<'a> {
    /// No counts yet, of a table over this domain.
    pub fn new(domain: &'a Domain) -> Self {
        let dimensions = domain.schema.dimensions.iter();
        let margins = dimensions.map(|dimension| shown(dimension).map(|shown| (shown, vec![0; shown.len(dimension)])));
        Figures {
            domain,
            walk: domain.walk(),
            first: Vec::new(),
            sum: 0,
            negative: 0,
            above: Tally::default(),
            below: Tally::default(),
            margins: margins.collect(),
            squares: Vec::new(),
            per_square: domain.len().div_ceil(MOST_SQUARES).max(1),
        }
    }

    /// The figures of a whole table.
    pub fn of(domain: &'a Domain, values: &[i64]) -> Self {
        let mut figures = Figures::new(domain);
        figures.add(values);
        figures
    }

    /// The next counts, in cell order. Counts beyond the last cell are ignored.
    pub fn add(&mut self, values: &[i64]) {
        let wanted = SHOWN_FULLY.saturating_sub(self.first.len()).min(values.len());
        self.first.extend_from_slice(&values[..wanted]);
        let dimensions = &self.domain.schema.dimensions;
        for value in values {
            let Some((cell, codes)) = self.walk.advance() else { return };
            self.sum += i128::from(*value);
            match value {
                0 => {}
                1.. => self.above.add(value.unsigned_abs()),
                _ => {
                    self.negative += 1;
                    self.below.add(value.unsigned_abs());
                }
            }
            for ((margin, dimension), code) in self.margins.iter_mut().zip(dimensions).zip(codes) {
                if let Some((shown, sums)) = margin {
                    sums[shown.place(dimension, *code)] += i128::from(*value);
                }
            }
            match self.squares.last_mut() {
                Some(square) if cell % self.per_square != 0 => *square = square.saturating_add(*value),
                _ => self.squares.push(*value),
            }
        }
    }
}

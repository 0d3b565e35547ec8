//! `Domain`: the live cells of a schema, structural zeros removed, numbered in cell order.
//!
//! Live combinations are kept as runs of consecutive ones, so a domain without zeros costs nothing
//! and a domain with zeros costs two words per run.

use crate::columns::{Column, describe_leaf};
use crate::schema::Schema;

/// A live cell, numbered from 0 in cell order.
pub type Cell = usize;

/// The most combinations of values of a table that is held in memory: some fifty bytes each, in a
/// release.
pub const MOST_CELLS: usize = 1 << 27;

/// The live cells of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// The dimensions.
    pub schema: Schema,
    /// Runs of consecutive live combinations (row-major, last dimension fastest), increasing.
    runs: Vec<Run>,
    cells: usize,
}

/// Consecutive live combinations; the run ends where the cells of the next one begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    combination: usize,
    cell: Cell,
}

/// Collects the live combinations of a domain in increasing order.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    cells: usize,
    end: usize,
}

impl Runs {
    /// `length` live combinations from `combination` on, which comes after all earlier ones.
    pub(crate) fn push(&mut self, combination: usize, length: usize) {
        if self.runs.is_empty() || self.end != combination {
            self.runs.push(Run { combination, cell: self.cells });
        }
        self.cells += length;
        self.end = combination + length;
    }

    /// The domain with these live combinations.
    pub(crate) fn finish(self, schema: Schema) -> Domain {
        Domain { schema, runs: self.runs, cells: self.cells }
    }
}

impl Domain {
    /// The domain of a schema with this many combinations of values, of which those marked in
    /// `zero` are structural zeros.
    pub fn new(schema: Schema, combinations: usize, zero: Option<Vec<bool>>) -> Self {
        let mut runs = Runs::default();
        match zero {
            None if combinations > 0 => runs.push(0, combinations),
            None => {}
            Some(zero) => {
                for (combination, is_zero) in zero.iter().enumerate().take(combinations) {
                    if !is_zero {
                        runs.push(combination, 1);
                    }
                }
            }
        }
        runs.finish(schema)
    }

    /// The number of live cells.
    pub fn len(&self) -> usize {
        self.cells
    }

    /// Whether no cell is live.
    pub fn is_empty(&self) -> bool {
        self.cells == 0
    }

    /// The live cell with these codes (one per dimension), or `None` for a structural zero.
    pub fn cell(&self, codes: &[usize]) -> Option<Cell> {
        let coded = self.schema.dimensions.iter().zip(codes);
        self.cell_of(coded.fold(0usize, |index, (dimension, code)| index * dimension.values.len() + code))
    }

    /// The live cell of a combination of values, or `None` for a structural zero. Combinations are
    /// numbered like the cells of a domain without zeros: row-major, the last dimension fastest.
    pub fn cell_of(&self, combination: usize) -> Option<Cell> {
        let run = self.runs.partition_point(|run| run.combination <= combination).checked_sub(1)?;
        let cell = self.runs[run].cell + (combination - self.runs[run].combination);
        (cell < self.end(run)).then_some(cell)
    }

    /// The codes of a live cell, one per dimension.
    pub fn codes(&self, cell: Cell) -> Vec<usize> {
        let run = self.runs[self.runs.partition_point(|run| run.cell <= cell) - 1];
        let mut codes = vec![0; self.schema.dimensions.len()];
        self.decode(run.combination + (cell - run.cell), &mut codes);
        codes
    }

    /// How messages call a live cell, for example `county = Alpha, education = Low`: its row in the
    /// released table.
    pub fn describe(&self, cell: Cell) -> String {
        let mut text = String::new();
        for (dimension, code) in self.schema.dimensions.iter().zip(self.codes(cell)) {
            if !text.is_empty() {
                text.push_str(", ");
            }
            describe_leaf(dimension, code, &mut text);
        }
        text
    }

    /// The columns of the released table, in order; a writer that walks the cells asks them for
    /// labels.
    pub fn columns(&self) -> Vec<Column<'_>> {
        Column::of(&self.schema)
    }

    /// All live cells in order with their codes, without an allocation per cell.
    pub fn walk(&self) -> Walk<'_> {
        let sizes = self.schema.sizes();
        Walk { domain: self, codes: vec![0; sizes.len()], sizes, next: 0, run: 0 }
    }

    fn end(&self, run: usize) -> Cell {
        self.runs.get(run + 1).map_or(self.cells, |next| next.cell)
    }

    fn decode(&self, combination: usize, codes: &mut [usize]) {
        let mut rest = combination;
        for (code, dimension) in codes.iter_mut().zip(&self.schema.dimensions).rev() {
            let size = dimension.values.len();
            *code = rest % size;
            rest /= size;
        }
    }
}

/// A walk over the live cells in order. Lends the codes, so it is no `Iterator`.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    domain: &'a Domain,
    sizes: Vec<usize>,
    codes: Vec<usize>,
    next: Cell,
    run: usize,
}

impl Walk<'_> {
    /// The next cell and its codes, one per dimension.
    pub fn advance(&mut self) -> Option<(Cell, &[usize])> {
        if self.next == self.domain.cells {
            return None;
        }
        match self.domain.runs.get(self.run) {
            Some(run) if run.cell == self.next => {
                self.domain.decode(run.combination, &mut self.codes);
                self.run += 1;
            }
            _ => {
                for (code, size) in self.codes.iter_mut().zip(&self.sizes).rev() {
                    *code += 1;
                    if *code < *size {
                        break;
                    }
                    *code = 0;
                }
            }
        }
        self.next += 1;
        Some((self.next - 1, &self.codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Dimension, Values};

    #[test]
    fn cells_and_codes_are_inverse_and_the_walk_sees_every_cell() {
        let dimension = |name: &str, size: i64| Dimension {
            name: name.into(),
            column: name.into(),
            values: Values::Integers { first: 0, last: size - 1 },
            cleaning: Default::default(),
        };
        let schema = Schema { dimensions: vec![dimension("a", 3), dimension("b", 4), dimension("c", 2)] };
        let zero: Vec<bool> = (0..24).map(|combination| [0, 5, 6, 7, 13, 23].contains(&combination)).collect();
        for zero in [None, Some(zero), Some(vec![true; 24])] {
            let domain = Domain::new(schema.clone(), 24, zero.clone());
            let mut seen = 0;
            let mut walk = domain.walk();
            for combination in 0..24 {
                let codes = [combination / 8, combination / 2 % 4, combination % 2];
                if zero.as_ref().is_some_and(|zero| zero[combination]) {
                    assert_eq!(domain.cell(&codes), None);
                } else {
                    assert_eq!(domain.cell(&codes), Some(seen));
                    assert_eq!(domain.cell_of(combination), Some(seen));
                    assert_eq!(domain.codes(seen), codes);
                    assert_eq!(walk.advance(), Some((seen, &codes[..])));
                    seen += 1;
                }
            }
            assert_eq!(domain.len(), seen);
            assert_eq!(walk.advance(), None);
        }
    }
}

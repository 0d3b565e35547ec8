//! `Domain`: the live cells of a schema, structural zeros removed, numbered in cell order.

use crate::schema::Schema;

/// A live cell, numbered from 0 in cell order.
pub type Cell = usize;

/// The live cells of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// The dimensions.
    pub schema: Schema,
    /// For each combination of values (row-major, last dimension fastest) whether it is a structural zero; `None`: no zeros.
    live: Option<Live>,
    cells: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Live {
    /// The combination of every live cell, increasing.
    combination_of: Vec<usize>,
}

impl Domain {
    /// The domain of a schema in which the combinations for which `is_zero` holds are structural zeros.
    pub fn new(schema: Schema, combinations: usize, zero: Option<Vec<bool>>) -> Self {
        let live = zero.map(|zero| Live {
            combination_of: (0..combinations).filter(|combination| !zero[*combination]).collect(),
        });
        let cells = live.as_ref().map_or(combinations, |live| live.combination_of.len());
        Domain { schema, live, cells }
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
        let combination = self
            .schema
            .dimensions
            .iter()
            .zip(codes)
            .fold(0usize, |index, (dimension, code)| index * dimension.values.len() + code);
        match &self.live {
            None => Some(combination),
            Some(live) => live.combination_of.binary_search(&combination).ok(),
        }
    }

    /// The codes of a live cell, one per dimension.
    pub fn codes(&self, cell: Cell) -> Vec<usize> {
        let mut rest = match &self.live {
            None => cell,
            Some(live) => live.combination_of[cell],
        };
        let mut codes = vec![0; self.schema.dimensions.len()];
        for (code, dimension) in codes.iter_mut().zip(&self.schema.dimensions).rev() {
            let size = dimension.values.len();
            *code = rest % size;
            rest /= size;
        }
        codes
    }
}

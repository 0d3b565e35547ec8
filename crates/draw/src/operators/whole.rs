//! Blocks that are drawn whole, by one task: noise around the counts, or the counts themselves.

use crate::exactness::Exactness;
use crate::planned::Ready;
use crate::table::too_large;
use declare::Problem;
use exact::Stream;
use std::fmt;

/// A block, and what draws one number for each of its cells, in their order, exactly.
pub(crate) struct WholeBlock<'a, D> {
    cells: &'a [u32],
    /// The table that noise is added to; `None` where counts are drawn.
    centre: Option<&'a [i64]>,
    draw: D,
}

impl<D> fmt::Debug for WholeBlock<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WholeBlock({} cells, counts withheld)", self.cells.len())
    }
}

impl<'a, D: Fn(&mut Stream, &mut [i64]) -> Result<(), Problem>> WholeBlock<'a, D> {
    pub(crate) fn new(cells: &'a [u32], centre: Option<&'a [i64]>, draw: D) -> Self {
        WholeBlock { cells, centre, draw }
    }
}

impl<D: Fn(&mut Stream, &mut [i64]) -> Result<(), Problem> + Send + Sync> Ready for WholeBlock<'_, D> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.cells.len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        let mut values = vec![0i64; self.cells.len()];
        (self.draw)(stream, &mut values)?;
        if let Some(centre) = self.centre {
            for (cell, value) in self.cells.iter().zip(&mut values) {
                *value = centre[*cell as usize].checked_add(*value).ok_or_else(too_large)?;
            }
        }
        Ok(self.cells.iter().copied().zip(values).collect())
    }
}

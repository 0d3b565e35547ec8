//! Blocks that are drawn whole, by one task: noise around the counts, or the counts themselves.

use crate::exactness::Exactness;
use crate::planned::Ready;
use crate::table::too_large;
use declare::Problem;
use exact::Stream;
use std::fmt::Debug;

/// What draws all cells of a block at once, exactly.
pub(crate) trait DrawsBlock: Debug + Send + Sync {
    /// Draws one number for every cell, in the order of the block.
    ///
    /// # Errors
    /// Refused when the numbers do not fit 64-bit counts.
    fn draw_block(&self, stream: &mut Stream, values: &mut [i64]) -> Result<(), Problem>;
}

/// A block, and what draws it.
#[derive(Debug)]
pub(crate) struct WholeBlock<'a, D> {
    sampler: D,
    cells: &'a [u32],
    /// The table that noise is added to; `None` where counts are drawn.
    centre: Option<&'a [i64]>,
}

impl<'a, D: DrawsBlock> WholeBlock<'a, D> {
    /// A sampler of noise, and the table that it is added to.
    pub(crate) fn noise(sampler: D, cells: &'a [u32], centre: &'a [i64]) -> Self {
        WholeBlock { sampler, cells, centre: Some(centre) }
    }

    /// A sampler of counts.
    pub(crate) fn counts(sampler: D, cells: &'a [u32]) -> Self {
        WholeBlock { sampler, cells, centre: None }
    }
}

impl<D: DrawsBlock> Ready for WholeBlock<'_, D> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.cells.len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        let mut values = vec![0i64; self.cells.len()];
        self.sampler.draw_block(stream, &mut values)?;
        if let Some(centre) = self.centre {
            for (cell, value) in self.cells.iter().zip(&mut values) {
                *value = centre[*cell as usize].checked_add(*value).ok_or_else(too_large)?;
            }
        }
        Ok(self.cells.iter().copied().zip(values).collect())
    }
}

//! A plan as ranges of cells: what is drawn without holding the table.

use crate::planned::Plan;
use declare::{Fold, Problem};
use draw::BlockRange;

impl Plan {
    /// The blocks of a large table as ranges of its cells, from a plan whose blocks list the cells
    /// of the small one.
    ///
    /// # Errors
    /// Refused when a block is no range, or when its noise depends on the table.
    pub fn ranges(&self, fold: &Fold) -> Result<Vec<BlockRange>, Problem> {
        let ranges = self.blocks.iter().map(|planned| {
            let cells = &planned.block.cells;
            let (first, last) = (*cells.first()? as usize, *cells.last()? as usize);
            let whole = planned.is_noise() && last - first + 1 == cells.len();
            let cells = fold.unfold(first..last + 1).filter(|_| whole)?;
            Some(BlockRange { cells, work: planned.work.clone() })
        });
        let ranges: Option<Vec<BlockRange>> = ranges.collect();
        // Disjoint ranges that have all cells leave none without noise.
        let covers =
            |ranges: &Vec<BlockRange>| ranges.iter().map(|range| range.cells.len()).sum::<usize>() == fold.cells();
        ranges.filter(|ranges| self.fixed.is_empty() && covers(ranges)).ok_or_else(|| {
            Problem::refused("a table this large is drawn portion by portion, and this plan needs it whole")
                .hint("write sampler = \"auto\", or use fewer or coarser values")
        })
    }
}

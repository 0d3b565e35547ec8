//! `Intervals`: how far the noise of every cell reaches with probability 90 %, where its law is public.

use plan::{NoReach, Plan, cell_reach};

/// For every cell the smallest q with P(|noise| ≤ q) ≥ 0.9.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intervals {
    /// The same in every cell.
    Same(u32),
    /// Cell by cell.
    ByCell(Vec<u32>),
}

impl Intervals {
    /// The intervals of a plan, or why there are none.
    pub fn of(plan: &Plan) -> Result<Intervals, NoReach> {
        let by_block = cell_reach(plan)?;
        let drawn: usize = plan.blocks.iter().map(|planned| planned.block.cells.len()).sum();
        if let Some((first, others)) = by_block.split_first()
            && drawn == plan.cells
            && others.iter().all(|other| other == first)
        {
            return Ok(Intervals::Same(*first));
        }
        // Cells that no block draws are exact.
        let mut by_cell = vec![0; plan.cells];
        for (planned, reach) in plan.blocks.iter().zip(by_block) {
            planned.block.cells.iter().for_each(|cell| by_cell[*cell as usize] = reach);
        }
        Ok(Intervals::ByCell(by_cell))
    }

    /// How far the noise of a cell reaches.
    #[inline]
    pub fn reach(&self, cell: usize) -> i64 {
        match self {
            Intervals::Same(reach) => i64::from(*reach),
            Intervals::ByCell(reach) => i64::from(reach[cell]),
        }
    }
}

//! `Intervals`: how far the noise of every cell reaches with probability 90 %, where its law is
//! public.

use ::infer::{Reaches, cell_reaches};
use declare::{Conditions, Fold};
use plan::{NoReach, Plan, cell_reach};

/// For every cell the smallest q with P(|noise| ≤ q) ≥ 0.9.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intervals {
    /// One reach for every cell.
    Same(u32),
    /// Cell by cell.
    ByCell(Vec<u32>),
    /// Cell by cell of the small table that stands for a large one.
    Folded(Vec<u32>, Fold),
    /// Cell by cell, where totals cross or sums are noisy: from laws that messages list, or by rank
    /// among so many fresh draws.
    Inferred(Reaches),
}

impl Intervals {
    /// The intervals of a plan, or why there are none.
    ///
    /// Of a table that is folded, the blocks of the plan list the cells of the small one.
    pub fn of(plan: &Plan, conditions: &Conditions, fold: Option<&Fold>) -> Result<Intervals, NoReach> {
        let by_block = match cell_reach(plan) {
            Ok(by_block) => by_block,
            Err(reason @ (NoReach::Crossing | NoReach::NoisySums)) if fold.is_none() => {
                return cell_reaches(plan, conditions).map(Intervals::Inferred).ok_or(reason);
            }
            Err(reason) => return Err(reason),
        };
        let drawn: usize = plan.blocks.iter().map(|planned| planned.block.size).sum();
        if let Some((first, others)) = by_block.split_first()
            && drawn == plan.cells
            && others.iter().all(|other| other == first)
        {
            return Ok(Intervals::Same(*first));
        }
        // Cells that no block draws are exact.
        let mut by_cell = vec![0; fold.map_or(plan.cells, |fold| fold.domain.len())];
        for (planned, reach) in plan.blocks.iter().zip(by_block) {
            planned.block.cells.iter().for_each(|cell| by_cell[*cell as usize] = reach);
        }
        Ok(match fold {
            Some(fold) => Intervals::Folded(by_cell, fold.clone()),
            None => Intervals::ByCell(by_cell),
        })
    }

    /// How far the noise of a cell reaches.
    #[inline]
    pub fn reach(&self, cell: usize) -> i64 {
        i64::from(match self {
            Intervals::Same(reach) => *reach,
            Intervals::ByCell(reach) | Intervals::Inferred(Reaches { reach, .. }) => reach[cell],
            Intervals::Folded(reach, fold) => reach[fold.place(cell)],
        })
    }

    /// The smallest and the largest reach of so many cells.
    pub fn ends(&self, cells: usize) -> (u32, u32) {
        let ends = |reach: &[u32]| {
            let (least, most) = (reach.iter().min(), reach.iter().max());
            (least.copied().unwrap_or(0), most.copied().unwrap_or(0))
        };
        match self {
            Intervals::Same(reach) => (*reach, *reach),
            Intervals::ByCell(reach) => ends(&reach[..cells.min(reach.len())]),
            Intervals::Folded(reach, _) => ends(reach),
            Intervals::Inferred(found) => ends(&found.reach),
        }
    }

    /// The fresh draws of the noise that reaches were found among by rank, where some were.
    pub fn draws(&self) -> Option<u64> {
        match self {
            Intervals::Inferred(found) => found.draws,
            _ => None,
        }
    }
}

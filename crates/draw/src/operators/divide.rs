//! Divide: two-way tables without bounds, all rows but two freely and the last two completed.

use crate::divide::Divide as Sampler;
use crate::exactness::Exactness;
use crate::network::TableNoise;
use crate::operator::{Operator, Task, crossing};
use crate::planned::{PlannedWork, Prospect, Ready};
use crate::quantities::BlockQuantities;
use crate::sums::Ladder;
use analyse::{Grid, Structure};
use declare::Problem;
use exact::Stream;
use std::sync::Arc;

/// Two-way tables: most rows by themselves, the last two completed and accepted by their weight.
#[derive(Debug)]
pub struct Divide;

/// One attempt, and what each cell adds to it.
const ATTEMPT_SECONDS: f64 = 20e-6;
const CELL_SECONDS: f64 = 0.5e-6;

impl Operator for Divide {
    fn name(&self) -> &'static str {
        "divide"
    }

    fn in_words(&self) -> &'static str {
        "two-way tables without bounds: all rows but two by themselves, the last two completed"
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_product()?;
        if let Some(reason) = task.depends_on_table() {
            return Err(reason.to_owned());
        }
        task.is_integer()?;
        let Structure::Crossing { .. } = &task.block.structure else {
            return Err("no totals cross: there is nothing to divide".to_owned());
        };
        let Some(grid) = task.grid else {
            return Err(format!(
                "{}, but not as the rows and columns of a two-way table",
                crossing(&task.block.structure)
            ));
        };
        let divide =
            Sampler::new(grid.columns, &grid.cells, task.law, Ladder::Standard).map_err(|problem| problem.message)?;
        let because =
            "a two-way table: all rows but two by themselves, the last two completed, accepted by their weight";
        let attempt = ATTEMPT_SECONDS + CELL_SECONDS * task.block.cells.len() as f64;
        let seconds = 1e-3 + attempt * divide.expected_attempts();
        Ok(Arc::new(PlannedGrid { prospect: task.prospect(self.name(), seconds, because), grid: grid.clone() }))
    }
}

/// A two-way table whose noise adds up to zero along rows and columns.
#[derive(Debug)]
struct PlannedGrid {
    prospect: Prospect,
    grid: Grid,
}

impl PlannedWork for PlannedGrid {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        5
    }

    fn ready<'a>(
        &'a self,
        cells: &'a [u32],
        noise: TableNoise<'a>,
        centre: &'a [i64],
    ) -> Result<Box<dyn Ready + 'a>, Problem> {
        let divide = Sampler::new(self.grid.columns, &self.grid.cells, noise.law, Ladder::Standard)?;
        Ok(Box::new(ReadyGrid { divide, cells, centre }))
    }

    fn quantities(&self, cells: &[u32], _noise: TableNoise<'_>, _centre: &[i64]) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "`divide` draws them, and it does not list weights of cells"))
    }
}

/// A two-way table around its counts.
#[derive(Debug)]
struct ReadyGrid<'a> {
    divide: Sampler,
    cells: &'a [u32],
    centre: &'a [i64],
}

impl Ready for ReadyGrid<'_> {
    fn exactness(&self) -> Exactness {
        self.divide.exactness()
    }

    fn cells(&self, _task: usize) -> usize {
        self.cells.len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        let mut noise = vec![0i64; self.cells.len()];
        self.divide.draw(stream, &mut noise);
        Ok(self.cells.iter().zip(noise).map(|(cell, noise)| (*cell, self.centre[*cell as usize] + noise)).collect())
    }
}

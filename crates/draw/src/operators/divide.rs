//! Divide: two-way tables, all rows but two by themselves and the last two completed; with bounds
//! or without.

use crate::block_quantities::BlockQuantities;
use crate::divide::{BoundedDivide, BoundedShape, Divide as Sampler, MOST_ATTEMPTS};
use crate::operator::{Operator, Role, Task, crossing};
use crate::operators::WholeBlock;
use crate::planned::{Around, PlannedWork, Prospect, Ready};
use crate::sums::Ladder;
use analyse::{Demand, Fibre, Grid, Structure};
use declare::{Problem, RunTime};
use std::sync::Arc;

/// Two-way tables: most rows by themselves, the last two completed and accepted by their weight.
#[derive(Debug)]
pub struct Divide;

static ROLE: Role = Role::new(
    "divide",
    "two-way tables: all rows but two by themselves, the last two completed; double geometric noise with bounds, too",
);

impl Operator for Divide {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_product()?;
        task.is_integer()?;
        if let (Some(reason), false) =
            (task.depends_on_table(), task.nonnegative && task.rates.is_empty() && !task.pinned)
        {
            return Err(reason.to_owned());
        }
        let Structure::Crossing { .. } = &task.block.structure else {
            return Err("no totals cross: there is nothing to divide".to_owned());
        };
        let Some(grid) = task.grid else {
            return Err(format!(
                "{}, but not as the rows and columns of a two-way table",
                crossing(&task.block.structure)
            ));
        };
        if task.nonnegative {
            return bounded(self.name(), task, grid);
        }
        let divide =
            Sampler::new(grid.columns, &grid.cells, task.law, Ladder::Standard).map_err(|problem| problem.message)?;
        let because =
            "a two-way table: all rows but two by themselves, the last two completed, accepted by their weight";
        let seconds = 1e-3 + divide.draw_seconds(task.block.cells.len());
        let (once, again_seconds) = divide.measured_seconds(task.block.cells.len());
        let draw_seconds = once + again_seconds;
        let prospect = Prospect { draw_seconds, again_seconds, ..task.prospect(self.name(), seconds, because) };
        Ok(Arc::new(PlannedGrid { prospect, grid: grid.clone() }))
    }
}

/// With bounds: what is prepared, an attempt and what each cell adds to it, and a multiplication of
/// those that are completed.
const BOUNDED_SECONDS: f64 = 30e-6;
const PROPOSED_SECONDS: f64 = 5e-6;
const PROPOSED_CELL_SECONDS: f64 = 0.2e-6;
const MULTIPLICATION_SECONDS: f64 = 1.1e-9;

/// How much faster it must be, with bounds, than an operator that also tells the laws of single
/// cells.
const GIVES_WAY_SECONDS: f64 = 2e-3;

/// A two-way table of counts at or above zero, if that is all that is asked of them.
fn bounded(name: &'static str, task: &Task, grid: &Grid) -> Result<Arc<dyn PlannedWork>, String> {
    if task.law.geometric().is_none() {
        return Err(format!("with bounds it draws double geometric noise, not {}", task.law.in_words()));
    }
    let cells = &task.block.cells;
    let fibre = Fibre::new(task.conditions, task.ground, cells).map_err(|problem| problem.message)?;
    let plain = fibre.bounds.iter().all(|bounds| *bounds == (Some(0), None))
        && fibre.rows.iter().all(|row| matches!(row.demand, Demand::Equal(_)));
    if !plain {
        return Err("beside totals and counts of at least zero other bounds or rules hold".to_owned());
    }
    // Totals are public, and so is a table made of them: which rows come last and how many attempts
    // are expected see no more.
    let total = |positions: Vec<usize>| {
        let places = positions.into_iter().flat_map(|position| &grid.cells[position]);
        let numbers: Vec<u32> = places.map(|place| cells[*place as usize]).collect();
        task.ground.sum(&numbers).map_err(|problem| problem.message)
    };
    let row = |row: usize| total((0..grid.columns).map(|column| row * grid.columns + column).collect());
    let column = |column: usize| total((0..grid.rows).map(|row| row * grid.columns + column).collect());
    let rows: Vec<i64> = (0..grid.rows).map(row).collect::<Result<_, String>>()?;
    let columns: Vec<i64> = (0..grid.columns).map(column).collect::<Result<_, String>>()?;
    let totals = [rows.as_slice(), columns.as_slice()];
    let shapes = BoundedDivide::shapes(grid.columns, &grid.cells, totals).map_err(|problem| problem.message)?;
    let stand_in = BoundedShape::stand_in(grid.columns, &grid.cells, totals)
        .ok_or("no table of counts is easily made of the totals, so that its attempts are not known")?;
    let mut best: Option<(BoundedShape, f64, f64)> = None;
    for shape in shapes {
        let divide =
            BoundedDivide::new(&shape, task.law, &stand_in, Ladder::Standard).map_err(|problem| problem.message)?;
        let operations = divide.completing_operations();
        if operations > MOST_OPERATIONS {
            continue;
        }
        let (attempts, completed) = divide.foreseen();
        let proposed = PROPOSED_SECONDS + PROPOSED_CELL_SECONDS * cells.len() as f64;
        let seconds = BOUNDED_SECONDS + attempts * (proposed + completed * MULTIPLICATION_SECONDS * operations);
        if best.as_ref().is_none_or(|(_, least, _)| seconds < *least) {
            best = Some((shape, seconds, attempts));
        }
    }
    let (shape, seconds, attempts) = best.ok_or("the noise is so wide that weights of two rows are too many")?;
    if attempts.is_nan() || attempts > MOST_ATTEMPTS {
        return Err(format!(
            "it would take about {attempts:.0e} attempts a draw on {} × {} totals that cross, and {MOST_ATTEMPTS:.0e} is the \
             most it may",
            grid.rows, grid.columns
        ));
    }
    let because = "a two-way table of counts at or above zero: all rows but two by themselves, the last two completed, accepted by \
                   their weight";
    Ok(Arc::new(PlannedCounts { prospect: task.prospect(name, seconds, because), shape }))
}

/// An attempt that takes more multiplications is not made.
const MOST_OPERATIONS: f64 = 5e7;

/// A two-way table of counts at or above zero.
#[derive(Debug)]
struct PlannedCounts {
    prospect: Prospect,
    shape: BoundedShape,
}

impl PlannedWork for PlannedCounts {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        9
    }

    fn gives_way(&self) -> f64 {
        GIVES_WAY_SECONDS
    }

    fn ready<'a>(&'a self, Around { cells, noise, centre }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let counts: Vec<i64> = cells.iter().map(|cell| centre[*cell as usize]).collect();
        let divide = BoundedDivide::new(&self.shape, noise.law, &counts, Ladder::Standard)?;
        Ok(Box::new(WholeBlock::new(cells, None, move |stream, counts| {
            divide.draw(stream, counts);
            Ok(())
        })))
    }

    fn lists_laws(&self) -> bool {
        false
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "`divide` draws them, and it does not list weights of cells"))
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

    /// The noise is drawn before any count is seen.
    fn run_time(&self) -> RunTime {
        RunTime::Independent
    }

    fn ready<'a>(&'a self, Around { cells, noise, centre }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let divide = Sampler::new(self.grid.columns, &self.grid.cells, noise.law, Ladder::Standard)?;
        Ok(Box::new(WholeBlock::new(cells, Some(centre), move |stream, noise| {
            divide.draw(stream, noise);
            Ok(())
        })))
    }

    fn lists_laws(&self) -> bool {
        false
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "`divide` draws them, and it does not list weights of cells"))
    }
}

//! What all rules of projections share: the block as a fibre, the weights of its measurements, and what cannot be projected.

use super::{Choice, Task, WorksOn, choice};
use crate::cost;
use crate::projection::{PlannedProjection, weights};
use analyse::{Demand, Fibre};
use draw::Operator;
use std::collections::HashMap;

/// A projection holds the table and its solver in memory.
const MOST_CELLS: usize = 1 << 24;

/// The projection of the block's measurements by this operator.
pub(super) fn project(operator: Operator, task: &Task, because: &'static str) -> Result<Choice, String> {
    let fibre = fibre(task)?;
    let levels = match operator {
        Operator::TopDown => task.levels.iter().map(|level| groups(level, &fibre.cells)).collect(),
        _ => Vec::new(),
    };
    let bytes = cost::projection_bytes(&fibre);
    let names = fibre.row_names(task.conditions);
    // Names of other rows than these would mislead.
    let names = if names.len() == fibre.rows.len() { names } else { Vec::new() };
    let planned = PlannedProjection { fibre, weights: weights(task.rates), levels, names };
    let chosen = choice(operator, task, because);
    let seconds = cost::projection(operator, &planned);
    Ok(Choice { seconds, bytes, on: WorksOn::Projection(Box::new(planned)), ..chosen })
}

/// The block, if it can be projected.
pub(super) fn fibre(task: &Task) -> Result<Fibre, String> {
    if task.block.size > MOST_CELLS || task.block.size != task.block.cells.len() {
        return Err(format!("a projection is in memory whole: at most {MOST_CELLS} cells, not {}", task.block.size));
    }
    Fibre::new(task.conditions, task.ground, &task.block.cells).map_err(|problem| problem.message)
}

/// Whether bounds or comparisons hold in the block.
pub(super) fn has_inequalities(fibre: &Fibre) -> bool {
    fibre.bounds.iter().any(|(low, high)| low.is_some() || high.is_some())
        || fibre.rows.iter().any(|row| matches!(row.demand, Demand::AtLeast(_) | Demand::AtMost(_)))
}

/// The groups of some cells, numbered from 0 without gaps.
fn groups(level: &[u32], cells: &[u32]) -> Vec<u32> {
    let mut numbers = HashMap::new();
    let number = |cell: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(level[*cell as usize]).or_insert(next)
    };
    cells.iter().map(number).collect()
}

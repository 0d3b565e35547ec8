//! What all rules of walks share: when a walk is accepted, and the walk itself.

use super::{Choice, Task, WorksOn};
use crate::noise::law_in_words;
use analyse::{Fibre, Lattice};
use draw::{CONFIDENCE_PERCENT, Exactness, Operator, Walk};
use exact::Rational;

/// A walk holds the table and its lattice in memory.
const MOST_CELLS: usize = 4_194_304;

/// Bytes of memory for every cell of a walk.
const CELL_BYTES: f64 = 200.0;

/// Why a walk is not used without being asked for.
pub(crate) const NOT_ACCEPTED: &str = "its law is only estimated to be close, which the spec must accept: accept = \"estimated\" \
                                       and max_delta = \"1e-6\" under [mechanism]";

/// A walk by this operator in the block's fibre.
pub(super) fn walk(operator: Operator, task: &Task, because: &'static str) -> Result<Choice, String> {
    if !task.law.is_integer() {
        return Err(format!("it draws integers, not {}", law_in_words(task.law)));
    }
    if task.pinned {
        return Err(
            "totals are pinned to values that are not the table's own, and a walk starts at the table".to_owned()
        );
    }
    if !task.accepts_estimated {
        return Err(NOT_ACCEPTED.to_owned());
    }
    if task.block.size > MOST_CELLS || task.block.size != task.block.cells.len() {
        return Err(format!("a walk is in memory whole: at most {MOST_CELLS} cells, not {}", task.block.size));
    }
    let fibre = Fibre::new(task.conditions, task.ground, &task.block.cells).map_err(|problem| problem.message)?;
    let lattice = Lattice::of_fibre(&fibre).map_err(|problem| problem.message)?;
    let walk = Walk::new(operator, fibre, lattice, task.law, task.rates)?;
    walk.connected()?;
    Ok(Choice {
        operator,
        // Every law is at a distance of at most one from every other: evidence says more.
        exactness: Exactness::Estimated { distance: Rational::integer(1), percent: CONFIDENCE_PERCENT },
        seconds: walk.step_seconds(),
        bytes: CELL_BYTES * task.block.size as f64,
        on: WorksOn::Walk(Box::new(walk)),
        because,
    })
}

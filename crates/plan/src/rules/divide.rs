//! Divide: two-way tables without bounds, all rows but two freely and the last two completed.

use super::{Choice, PlanRule, Task, WorksOn, choice, crossing, depends_on_table, not_product};
use crate::noise::law_in_words;
use analyse::Structure;
use draw::{Divide, Ladder, Operator};

pub(crate) struct DivideRule;

/// One attempt, and what each cell adds to it.
const ATTEMPT_SECONDS: f64 = 20e-6;
const CELL_SECONDS: f64 = 0.5e-6;

impl PlanRule for DivideRule {
    fn operator(&self) -> Operator {
        Operator::Divide
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if let Some(reason) = not_product(task) {
            return Err(reason);
        }
        if let Some(reason) = depends_on_table(task) {
            return Err(reason.to_owned());
        }
        if !task.law.is_integer() {
            return Err(format!("it draws integers, not {}", law_in_words(task.law)));
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
        let divide =
            Divide::new(grid.columns, &grid.cells, task.law, Ladder::Standard).map_err(|problem| problem.message)?;
        let because =
            "a two-way table: all rows but two by themselves, the last two completed, accepted by their weight";
        let Choice { operator, exactness, .. } = choice(Operator::Divide, task, because);
        let attempt = ATTEMPT_SECONDS + CELL_SECONDS * task.block.cells.len() as f64;
        let seconds = 1e-3 + attempt * divide.expected_attempts();
        Ok(Choice { operator, exactness, seconds, bytes: 0.0, on: WorksOn::Grid, because })
    }
}

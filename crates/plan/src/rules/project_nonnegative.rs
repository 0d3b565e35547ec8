//! The nearest table by the ℓ₂ norm under totals, bounds and rules: least squares with inequalities.

use super::project::project;
use super::{Choice, PlanRule, Task};
use draw::Operator;

pub(crate) struct ProjectNonnegative;

impl PlanRule for ProjectNonnegative {
    fn operator(&self) -> Operator {
        Operator::ProjectNonnegative
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        let because =
            "bounds or rules hold: the nearest table solves a quadratic program, rounded to integers that keep them";
        project(Operator::ProjectNonnegative, task, because)
    }
}

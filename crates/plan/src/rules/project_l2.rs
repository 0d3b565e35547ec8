//! The nearest table by the ℓ₂ norm, under totals alone: least squares.

use super::project::{fibre, has_inequalities, project};
use super::{Choice, PlanRule, Task};
use draw::Operator;

pub(crate) struct ProjectL2;

impl PlanRule for ProjectL2 {
    fn operator(&self) -> Operator {
        Operator::ProjectL2
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if has_inequalities(&fibre(task)?) {
            return Err("least squares ignore bounds and rules, which the spec has".to_owned());
        }
        let because =
            "totals alone: the nearest table is a weighted least-squares solution, rounded to integers that keep them";
        project(Operator::ProjectL2, task, because)
    }
}

//! The nearest table by the ℓ₁ norm: a linear program; only when the spec asks for it by name.

use super::project::project;
use super::{Choice, PlanRule, Task};
use draw::Operator;

pub(crate) struct ProjectL1;

impl PlanRule for ProjectL1 {
    fn operator(&self) -> Operator {
        Operator::ProjectL1
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        project(
            Operator::ProjectL1,
            task,
            "asked for by name: the nearest table by the ℓ₁ norm solves a linear program",
        )
    }
}

//! The hierarchy walk of Liu: all leaves proposed and summed upward; for comparison.

use super::{Choice, PlanRule, Task, walk::walk};
use draw::Operator;

pub(crate) struct HierarchyWalk;

impl PlanRule for HierarchyWalk {
    fn operator(&self) -> Operator {
        Operator::HierarchyWalk
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        walk(
            Operator::HierarchyWalk,
            task,
            "asked for by name: all leaves proposed, summed upward, accepted by their weight",
        )
    }
}

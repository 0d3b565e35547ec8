//! The independence walk of Gong and Meng: all free cells proposed at once around the table; for comparison.

use super::{Choice, PlanRule, Task, walk::walk};
use draw::Operator;

pub(crate) struct IndependenceWalk;

impl PlanRule for IndependenceWalk {
    fn operator(&self) -> Operator {
        Operator::IndependenceWalk
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        walk(
            Operator::IndependenceWalk,
            task,
            "asked for by name: all free cells proposed at once, accepted by their weight",
        )
    }
}

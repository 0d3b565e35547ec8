//! Independent draws: cells that no total ties together, under any law.

use super::{Choice, PlanRule, all, choice};
use analyse::{Block, Structure};
use draw::{NoiseLaw, Operator};

pub(crate) struct Independent;

impl PlanRule for Independent {
    fn operator(&self) -> Operator {
        Operator::Independent
    }

    fn attempt(&self, block: &Block, law: &NoiseLaw) -> Result<Choice, String> {
        match &block.structure {
            Structure::Free => Ok(choice(
                Operator::Independent,
                block,
                law,
                "no total ties these cells together: each gets its own noise",
            )),
            Structure::OneTotal { name, .. } => Err(format!("independent noise would break the total `{name}`")),
            Structure::Crossing { invariants, .. } => {
                Err(format!("independent noise would break the totals {}", all(invariants)))
            }
        }
    }
}

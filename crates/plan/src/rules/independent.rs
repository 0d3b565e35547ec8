//! Independent draws: cells that no total ties together, under any law.

use super::{Choice, PlanRule, Task, WorksOn, choice, crossing, not_product, tied};
use crate::noise::law_in_words;
use analyse::Structure;
use draw::{NoiseLaw, Operator};

pub(crate) struct Independent;

impl PlanRule for Independent {
    fn operator(&self) -> Operator {
        Operator::Independent
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if let Some(reason) = not_product(task) {
            return Err(reason);
        }
        match &task.block.structure {
            Structure::Free if !task.rates.is_empty() => {
                Err("noise sits on sums of cells, not on every cell".to_owned())
            }
            Structure::Free if task.nonnegative => match task.law {
                NoiseLaw::DoubleGeometric { .. } | NoiseLaw::DiscreteGaussian { .. } => {
                    let because =
                        "no total ties these cells together: each gets its own noise, again until it is at least zero";
                    Ok(Choice { on: WorksOn::AtLeastZero, ..choice(Operator::Independent, task, because) })
                }
                law => Err(format!("{} cannot be kept at or above zero", law_in_words(law))),
            },
            Structure::Free => {
                Ok(choice(Operator::Independent, task, "no total ties these cells together: each gets its own noise"))
            }
            Structure::OneTotal { name, .. } => Err(format!("independent noise would break the total `{name}`")),
            Structure::Crossing { .. } => {
                Err(format!("{}: independent noise would break them", crossing(&task.block.structure)))
            }
            Structure::Linked { by } => Err(format!("the cells are tied together by {}", tied(by))),
        }
    }
}

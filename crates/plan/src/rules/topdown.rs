//! TopDown: nearest tables level by level, from the coarsest to the cells, each of integers.

use super::project::project;
use super::{Choice, PlanRule, Task};
use crate::noise::law_in_words;
use draw::Operator;

pub(crate) struct TopDown;

impl PlanRule for TopDown {
    fn operator(&self) -> Operator {
        Operator::TopDown
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if !task.law.is_integer() {
            return Err(format!("it makes tables of integers, not of {}", law_in_words(task.law)));
        }
        let because = match task.levels {
            [] => "no dimension has levels: the cells are projected at once and rounded to integers",
            _ => {
                "level by level, coarse to fine: every level is projected and rounded to integers under the one above it"
            }
        };
        project(Operator::TopDown, task, because)
    }
}

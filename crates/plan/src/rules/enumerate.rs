//! Enumerate: a block whose tables are few enough to list, under any integer law.

use super::{Choice, PlanRule, Task, WorksOn};
use crate::cost;
use crate::listed;
use crate::noise::law_in_words;
use draw::{Exactness, Operator};

pub(crate) struct Enumerate;

impl PlanRule for Enumerate {
    fn operator(&self) -> Operator {
        Operator::Enumerate
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if !task.law.is_integer() {
            return Err(format!("it draws integers, not {}", law_in_words(task.law)));
        }
        if !task.conditions.has_inequalities() {
            return Err("no bound or rule ends the table's counts, so its tables have no end".to_owned());
        }
        let list = match task.list {
            Some(list) => list.clone(),
            None => listed::of_block(task.conditions, task.ground, task.block)?,
        };
        if list.listed.is_empty() {
            return Err("no table keeps totals, bounds and rules together".to_owned());
        }
        Ok(Choice {
            operator: Operator::Enumerate,
            exactness: Exactness::Exact,
            seconds: cost::list(&list),
            bytes: list.bytes(),
            on: WorksOn::Listed(list),
            because: "totals, bounds and rules leave few tables: all are listed, and one is drawn by its weight",
        })
    }
}

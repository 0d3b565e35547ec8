//! The closed form: one total, and a law whose sum can be drawn without tables of weights.

use super::{Choice, PlanRule, Task, choice, depends_on_table, not_one_total, not_product};
use crate::noise::law_in_words;
use analyse::Structure;
use draw::{NoiseLaw, Operator};

pub(crate) struct ClosedForm;

impl PlanRule for ClosedForm {
    fn operator(&self) -> Operator {
        Operator::ClosedForm
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if let Some(reason) = not_product(task) {
            return Err(reason);
        }
        let Structure::OneTotal { .. } = &task.block.structure else {
            return Err(not_one_total(task.block));
        };
        if let Some(reason) = depends_on_table(task) {
            return Err(reason.to_owned());
        }
        let because = match task.law {
            NoiseLaw::DoubleGeometric { .. } => {
                "one total and double-geometric noise: two uniform compositions of one random sum"
            }
            NoiseLaw::Laplace { .. } => {
                "one total and Laplace noise: two uniform points of a simplex, times one random sum"
            }
            NoiseLaw::Gaussian { .. } => "one total and Gaussian noise: subtracting the mean conditions it",
            law @ (NoiseLaw::DiscreteGaussian { .. } | NoiseLaw::LatticeLaplace { .. }) => {
                return Err(format!("sums of {} have no closed form", law_in_words(law)));
            }
        };
        Ok(choice(Operator::ClosedForm, task, because))
    }
}

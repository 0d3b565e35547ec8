//! The samplers whose noise is the same whatever the table, under one roof.

use crate::closed_form::ClosedForm;
use crate::independent::Independent;
use crate::law::{NoiseLaw, Operator};
use crate::messages::Messages;
use declare::Problem;

/// A sampler whose noise is the same whatever the table.
#[derive(Debug)]
pub(crate) enum AnySampler {
    Independent(Independent),
    ClosedForm(ClosedForm),
    Messages(Messages),
}

impl AnySampler {
    /// The operators, in the order in which their tasks are numbered.
    pub(crate) const OPERATORS: [Operator; 3] = [Operator::Independent, Operator::ClosedForm, Operator::Messages];

    /// The sampler of an operator for a law.
    ///
    /// # Errors
    /// Refused when the operator does not draw this law.
    pub(crate) fn new(operator: Operator, law: &NoiseLaw) -> Result<Self, Problem> {
        Ok(match (operator, law) {
            (Operator::Independent, NoiseLaw::DoubleGeometric { epsilon }) => {
                AnySampler::Independent(Independent::double_geometric(epsilon))
            }
            (Operator::Independent, NoiseLaw::DiscreteGaussian { variance }) => {
                AnySampler::Independent(Independent::discrete_gaussian(variance))
            }
            (Operator::ClosedForm, NoiseLaw::DoubleGeometric { epsilon }) => {
                AnySampler::ClosedForm(ClosedForm::new(epsilon))
            }
            (Operator::Messages, NoiseLaw::DiscreteGaussian { variance }) => {
                AnySampler::Messages(Messages::new(variance))
            }
            (operator, law) => {
                let message = format!("`{}` cannot draw {} noise on the integers", operator.name(), law.name());
                return Err(Problem::refused(message));
            }
        })
    }
}

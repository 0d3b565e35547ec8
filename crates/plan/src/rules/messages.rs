//! Messages: one total under the discrete Gaussian, by weights of partial sums.

use super::{Choice, PlanRule, choice, not_one_total};
use crate::noise::law_in_words;
use analyse::{Block, Structure};
use draw::{NoiseLaw, Operator};

pub(crate) struct Messages;

impl PlanRule for Messages {
    fn operator(&self) -> Operator {
        Operator::Messages
    }

    fn attempt(&self, block: &Block, law: &NoiseLaw) -> Result<Choice, String> {
        let Structure::OneTotal { .. } = &block.structure else {
            return Err(not_one_total(block));
        };
        match law {
            NoiseLaw::DiscreteGaussian { .. } => Ok(choice(
                Operator::Messages,
                block,
                law,
                "one total and discrete Gaussian noise: weights of sums go up, sums are drawn going down",
            )),
            _ => Err(format!("in this version it draws discrete Gaussian noise only, not {}", law_in_words(law))),
        }
    }
}

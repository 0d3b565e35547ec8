//! Messages: weights of sums go up, sums are drawn going down; bounds, rules, crossing totals and noisy sums.

use super::{Choice, PlanRule, Task, WorksOn, choice, depends_on_table, not_one_total, not_product};
use crate::cost;
use crate::noise::law_in_words;
use analyse::{CellNoise, NetworkClass, Structure};
use draw::{MOST_KEY_BITS, NoiseLaw, Operator};

pub(crate) struct Messages;

/// Beyond these a block is refused instead of running for hours or out of memory.
const MOST_SECONDS: f64 = 1200.0;
const MOST_BYTES: f64 = 6e9;

impl PlanRule for Messages {
    fn operator(&self) -> Operator {
        Operator::Messages
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        if let Some(reason) = not_product(task) {
            return Err(reason);
        }
        if !task.law.is_integer() {
            return Err(format!("it draws integers, not {}", law_in_words(task.law)));
        }
        let gaussian = matches!(task.law, NoiseLaw::DiscreteGaussian { .. });
        if let (Structure::OneTotal { .. }, true, None) = (&task.block.structure, gaussian, depends_on_table(task)) {
            let because = "one total and discrete Gaussian noise: weights of sums go up, sums are drawn going down";
            return Ok(choice(Operator::Messages, task, because));
        }
        let Some(network) = task.network else {
            return Err(match &task.block.structure {
                Structure::OneTotal { .. } => "a cheaper operator needs no weights of sums".to_owned(),
                _ => not_one_total(task.block),
            });
        };
        let bare = |class: &NetworkClass| {
            class.noise == CellNoise::Queries(Vec::new()) && (class.low.is_none() || class.high.is_none())
        };
        if network.classes.iter().any(bare) {
            return Err(
                "some cells carry no noise of their own and no sum of cells with bounds confines them".to_owned()
            );
        }
        let estimate = cost::network(network, task.law, task.rates);
        let gigabytes = estimate.bytes / 1e9;
        if estimate.bytes > MOST_BYTES || gigabytes.is_nan() {
            let much = if gigabytes < 1e6 {
                format!("about {gigabytes:.0} GB")
            } else {
                "far more memory than there is".into()
            };
            return Err(format!("its weights of sums would need {much}"));
        }
        if estimate.seconds > MOST_SECONDS {
            let hours = estimate.seconds / 3600.0;
            let long = if hours < 1e4 { format!("about {hours:.1} hours") } else { "years".into() };
            return Err(format!("its weights of sums would take {long}"));
        }
        // Beyond this no level of precision packs the values of a join, and a draw would climb for ever.
        if estimate.key_bits > f64::from(MOST_KEY_BITS) || estimate.key_bits.is_nan() {
            return Err("too many sums meet at once for their values to be kept together".to_owned());
        }
        let because = match &task.block.structure {
            Structure::Free => "free cells with noise of their own: one weight each",
            Structure::OneTotal { .. } => {
                "one total over cells with bounds: weights of sums go up, sums are drawn going down"
            }
            Structure::Crossing { .. } => "totals that cross in few classes: weights of several sums at once",
            Structure::Linked { .. } => "rules and noisy sums join in a tree: weights go up, sums are drawn going down",
        };
        let Choice { operator, exactness, .. } = choice(Operator::Messages, task, because);
        let (seconds, bytes) = (estimate.seconds, estimate.bytes);
        Ok(Choice { operator, exactness, seconds, bytes, on: WorksOn::Network, because })
    }
}

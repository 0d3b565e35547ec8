//! `PlanRule`: when an operator can draw a block, and why not otherwise. One rule per file.

mod closed_form;
mod independent;
mod messages;

use crate::cost;
use analyse::{Block, Structure};
use draw::{Exactness, NoiseLaw, Operator};

/// When an operator can draw a block.
pub trait PlanRule {
    /// The operator this rule speaks for.
    fn operator(&self) -> Operator;

    /// How the operator would draw the block, or why it cannot, in words that follow `because`.
    ///
    /// # Errors
    /// The reason, when the operator cannot draw the block under this law.
    fn attempt(&self, block: &Block, law: &NoiseLaw) -> Result<Choice, String>;
}

/// How an operator would draw a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The operator.
    pub operator: Operator,
    /// How exactly it draws.
    pub exactness: Exactness,
    /// The predicted time.
    pub seconds: f64,
    /// Why it fits, in words.
    pub because: &'static str,
}

/// All rules of this version. The first that accepts a block draws it: cheaper operators come first.
pub(crate) const RULES: [&dyn PlanRule; 3] = [&independent::Independent, &closed_form::ClosedForm, &messages::Messages];

/// The operators that specs may name and a later version will have.
pub(crate) fn later() -> impl Iterator<Item = &'static str> {
    declare::OPERATORS.into_iter().filter(|name| RULES.iter().all(|rule| rule.operator().name() != *name))
}

fn choice(operator: Operator, block: &Block, law: &NoiseLaw, because: &'static str) -> Choice {
    // Real numbers are rounded to machine numbers without a bound: nothing is proved about that law.
    let exactness = match law {
        NoiseLaw::DoubleGeometric { .. } | NoiseLaw::DiscreteGaussian { .. } => Exactness::Exact,
        NoiseLaw::Laplace { .. } | NoiseLaw::Gaussian { .. } => Exactness::Unproven,
    };
    Choice { operator, exactness, seconds: cost::seconds(operator, block.cells.len()), because }
}

/// Why an operator for blocks with one total does not take a block of another structure.
fn not_one_total(block: &Block) -> String {
    match &block.structure {
        Structure::Free => "the cells are in no total: there is nothing to condition on".to_owned(),
        Structure::OneTotal { name, .. } => format!("`{name}` is one total"),
        Structure::Crossing { invariants, .. } => {
            format!("the totals {} cross, and it draws one total per block", all(invariants))
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn all(labels: &[String]) -> String {
    match labels {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

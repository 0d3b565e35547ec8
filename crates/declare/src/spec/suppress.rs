//! `method = "suppress"`: the exact totals alone are published, so there is no noise to declare and
//! no loss to choose.

use super::keys;
use super::reader::Section;
use crate::declaration::{Mechanism, Method, Noise, Per, Strength};
use crate::problem::Problem;
use exact::Rational;

/// What may stand beside `method`.
const ALLOWED: [&str; 2] = ["method", "epsilon"];

pub(super) fn read(section: &Section) -> Result<Mechanism, Problem> {
    if let Some(node) = section.get("epsilon")
        && !node.number()?.is_zero()
    {
        return Err(node
            .bad("method = \"suppress\" costs nothing: its `epsilon` is 0", "a loss that nothing is drawn with")
            .hint("write epsilon = 0 or leave it out; or choose method = \"condition\" to release counts with noise"));
    }
    if let Some(other) = keys::MECHANISM.iter().find(|key| !ALLOWED.contains(key) && section.get(key).is_some()) {
        return Err(section
            .bad_key(
                other,
                format!(
                    "method = \"suppress\" publishes the exact totals and draws nothing: `{other}` says nothing there"
                ),
                "without a draw",
            )
            .hint(format!("leave `{other}` out, or choose method = \"condition\" to release counts with noise")));
    }
    // A law must stand in the declaration; the canonical spec does not write it, and no plan draws
    // from it.
    Ok(Mechanism {
        noise: Noise::DOUBLE_GEOMETRIC,
        method: Method::Suppress,
        strength: Strength::Epsilon(Rational::integer(0)),
        per: Per::Record,
        sampler: None,
        max_delta: None,
        queries: Vec::new(),
        order: None,
        base: None,
    })
}

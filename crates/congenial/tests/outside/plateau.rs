//! `plateau`: noise of −1, 0 and 1 weighs the same, farther noise falls like the double geometric.

use draw::{Growth, LawFamily};

/// `P(u) ∝ e^{−ε'·max(|u| − 1, 0)}` on the integers.
#[derive(Debug)]
pub struct Plateau;

impl LawFamily for Plateau {
    fn name(&self) -> &'static str {
        "plateau"
    }

    fn title(&self) -> &'static str {
        "plateau"
    }

    fn in_words(&self) -> &'static str {
        "plateau noise"
    }

    fn formula(&self) -> (&'static str, &'static str) {
        ("plateau, P(u) ∝ e^(−ε'·max(|u| − 1, 0))", "ε'")
    }

    fn certified(&self, parameter: &str) -> String {
        format!("plateau in every cell, P(u) proportional to exp(-{parameter} max(|u| - 1, 0))")
    }

    fn growth(&self) -> Growth {
        Growth::Other
    }

    fn units(&self, z: i64) -> u128 {
        u128::from(z.unsigned_abs().saturating_sub(1))
    }
}

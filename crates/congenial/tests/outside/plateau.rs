//! `plateau`: noise of −1, 0 and 1 weighs the same, farther noise falls like the double geometric.

use draw::{Growth, LawFamily};

/// `P(u) ∝ e^{−ε'·max(|u| − 1, 0)}` on the integers.
pub static PLATEAU: LawFamily = LawFamily {
    name: "plateau",
    title: "plateau",
    in_words: "plateau noise",
    formula: ("plateau, P(u) ∝ e^(−ε'·max(|u| − 1, 0))", "ε'"),
    certified: "plateau in every cell, P(u) proportional to exp(-{} max(|u| - 1, 0))",
    growth: Growth::Other,
    is_integer: true,
    units: |z| u128::from(z.unsigned_abs().saturating_sub(1)),
};

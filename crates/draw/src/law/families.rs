//! The families of this version.

use super::{Growth, LawFamily};

/// Units of energies that grow with the size of the noise.
fn sizes(z: i64) -> u128 {
    u128::from(z.unsigned_abs())
}

/// Units of energies that grow with its square.
fn squares(z: i64) -> u128 {
    sizes(z) * sizes(z)
}

/// What certificates would say of real-valued noise, which they never state.
const REAL: &str = "real-valued, for research only";

/// `P(u) ∝ e^{−ε'|u|}` on the integers.
pub static DOUBLE_GEOMETRIC: LawFamily = LawFamily {
    name: "double-geometric",
    title: "double geometric",
    in_words: "double-geometric noise",
    formula: ("double geometric, P(u) ∝ e^(−ε'|u|)", "ε'"),
    certified: "double geometric in every cell, P(u) proportional to exp(-{} |u|)",
    growth: Growth::Absolute,
    is_integer: true,
    units: sizes,
};

/// `P(z) ∝ e^{−z²/2σ²}` on the integers.
pub static DISCRETE_GAUSSIAN: LawFamily = LawFamily {
    name: "discrete-gaussian",
    title: "discrete Gaussian",
    in_words: "discrete Gaussian noise",
    formula: ("discrete Gaussian, P(u) ∝ e^(−u²/2σ²)", "σ²"),
    certified: "discrete Gaussian in every cell, P(z) proportional to exp(-z^2 / (2 * {}))",
    growth: Growth::Square,
    is_integer: true,
    units: squares,
};

/// `P(z) ∝ e^{−ε'‖z‖₂}` on the integers, of all cells together.
pub static LATTICE_LAPLACE: LawFamily = LawFamily {
    name: "lattice-laplace",
    title: "lattice Laplace",
    in_words: "lattice Laplace noise",
    formula: ("lattice Laplace, P(z) ∝ e^(−ε'‖z‖₂) over all cells together", "ε'"),
    certified: "lattice Laplace over all cells together, P(z) proportional to exp(-{} ||z||), with the l2 norm",
    growth: Growth::Norm,
    is_integer: true,
    units: sizes,
};

/// Density `∝ e^{−ε'|u|}` on the reals; never certified.
pub static LAPLACE: LawFamily = LawFamily {
    name: "laplace",
    title: "Laplace",
    in_words: "continuous Laplace noise",
    formula: ("continuous Laplace, density ∝ e^(−ε'|u|)", "ε'"),
    certified: REAL,
    growth: Growth::Absolute,
    is_integer: false,
    units: sizes,
};

/// Density `∝ e^{−z²/2σ²}` on the reals; never certified.
pub static GAUSSIAN: LawFamily = LawFamily {
    name: "gaussian",
    title: "Gaussian",
    in_words: "continuous Gaussian noise",
    formula: ("continuous Gaussian, density ∝ e^(−u²/2σ²)", "σ²"),
    certified: REAL,
    growth: Growth::Square,
    is_integer: false,
    units: squares,
};

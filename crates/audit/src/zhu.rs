//! Bias and variance of projections: the theorems of Zhu, Van Hentenryck and Fioretto (2021) as
//! functions.
//!
//! Setting: noise on n cells, independent, symmetric about zero; the noisy table is moved to the
//! nearest point (ℓ₂) of `{A v = A x}`, with `v ≥ 0` or without. Results are for real-valued
//! projections: a rounding to integers that follows is not part of them.
//!
//! | here | there |
//! |---|---|
//! | [`BIAS_WITH_EQUALITIES`] | Theorem 7 |
//! | [`ball`] | Lemma 8, Corollary 9 |
//! | [`bias_bound`], [`farthest`] | Theorem 11 |
//! | [`variance`], [`covariance`] | Theorem 12, and the covariance that its representation implies |
//! | [`variance`] grows to that of the noise | Theorem 13 |
//! | [`wasserstein_bound`] | Theorem 14, with a rate |
//!
//! Their bound for New Mexico (0.29) does not follow from the inputs they print: n = 33, r = 348,
//! λ = 5 and C' = 7,289,112 give 2.74.

pub mod ball;

use exact::Rational;

/// Theorem 7: the bias of a projection onto equalities. The error of a noisy table and that of its
/// reflection at the true table add up to zero, and both are equally likely.
pub const BIAS_WITH_EQUALITIES: f64 = 0.0;

/// Theorem 11: no cell of the non-negative projection has a larger bias than this.
///
/// Contract: the true table lies in the feasible set; `farthest` is C', at least the largest
/// distance (ℓ_∞) of a feasible table from the true one; `ball` is that of [`ball::laplace`] or
/// [`ball::double_geometric`] for the law of the noise, the number of cells and a radius of at most
/// the smallest true count. The theorem is stated for Laplace noise; its proof uses nothing of the
/// law but symmetry and the probability of the ball.
pub fn bias_bound(farthest: f64, ball: ball::Ball) -> f64 {
    farthest * ball.outside
}

/// C' of Theorem 11 for one kept total and non-negative counts: the largest ℓ_∞ distance of a
/// feasible table from this one, which is non-negative. Some cell may hold the whole total, and any
/// may be empty.
pub fn farthest(counts: &[i64]) -> f64 {
    let total: i128 = counts.iter().map(|count| i128::from(*count)).sum();
    if counts.len() < 2 {
        return 0.0;
    }
    let distance = |count: &i64| i128::from(*count).max(total - i128::from(*count));
    counts.iter().map(distance).max().unwrap_or(0) as f64
}

/// Theorem 12: the variance of a cell after projection onto one total of `cells` cells, when the
/// noise of a cell had the given variance (2λ² for Laplace). The error is
/// `((n−1)η_i − Σ_{j≠i} η_j)/n`.
pub fn variance(of_noise: f64, cells: u64) -> f64 {
    if cells < 2 { 0.0 } else { of_noise * (1.0 - 1.0 / cells as f64) }
}

/// [`variance`] in fractions.
pub fn exact_variance(of_noise: &Rational, cells: u64) -> Rational {
    if cells < 2 { Rational::integer(0) } else { of_noise * &Rational::new(cells - 1, cells) }
}

/// The covariance of two different cells after the projection of [`variance`]: together with the
/// variances it makes the variance of the total zero.
pub fn covariance(of_noise: f64, cells: u64) -> f64 {
    if cells < 2 { 0.0 } else { -of_noise / cells as f64 }
}

/// Theorem 14 with a rate: the Wasserstein-1 distance of the error of a cell, after projection onto
/// one total of `cells` cells, from the Laplace noise of scale λ itself is at most 2λ/n. With one
/// cell the error is zero and the distance λ. The rate is ours: `proofs/projection.md`.
pub fn wasserstein_bound(scale: f64, cells: u64) -> f64 {
    if cells < 2 { scale } else { 2.0 * scale / cells as f64 }
}

//! Larger blocks of the closed form against exact marginals and variances.

use crate::tables::numbers::rational;
use crate::tables::one_total::fit;
use crate::tables::variances::{CLOSED_FORM, assert_variance};
use draw::{ClosedForm, NoiseLaw};
use testkit::level;

#[test]
fn larger_blocks_fit_their_exact_marginals() {
    let epsilon = rational("1/2");
    let closed = ClosedForm::new(&epsilon);
    let geometric = NoiseLaw::double_geometric(epsilon);
    for (seed, slices) in [(1, &[7usize][..]), (2, &[3, 4]), (3, &[1, 2, 3, 1])] {
        for p in fit(&closed, &geometric, 7, 3, seed, slices) {
            assert!(p > level(6), "slices {slices:?}: p = {p}");
        }
    }
}

/// The variance of one of n cells of double-geometric noise with total zero:
/// 2·E[k(n+k)]·(n−1)/(n²(n+1)), where k has weight C(n+k−1, k)²·a^{2k}.
fn closed_form_variance(n: u64, epsilon: f64) -> f64 {
    let n = n as f64;
    let rise = |k: f64| (-2.0 * epsilon).exp() * ((n + k) / (k + 1.0)).powi(2);
    let mut mode = 0.0;
    while rise(mode) > 1.0 {
        mode += 1.0;
    }
    let (mut total, mut moment) = (0.0, 0.0);
    let mut add = |k: f64, weight: f64| {
        total += weight;
        moment += weight * k * (n + k);
    };
    let (mut weight, mut k) = (1.0, mode);
    while weight > 1e-18 {
        add(k, weight);
        weight *= rise(k);
        k += 1.0;
    }
    (weight, k) = (1.0, mode);
    while weight > 1e-18 && k > 0.0 {
        k -= 1.0;
        weight /= rise(k);
        add(k, weight);
    }
    2.0 * moment / total * (n - 1.0) / (n * n * (n + 1.0))
}

#[test]
fn the_exact_variance_is_that_of_the_continuous_law_for_small_epsilon() {
    // (2n−1)(n−1)/(n(n+1))·λ²: two ways to the same number.
    for n in [2u64, 3, 10] {
        let (size, scale) = (n as f64, 1e4);
        let continuous = (2.0 * size - 1.0) * (size - 1.0) / (size * (size + 1.0)) * scale * scale;
        let discrete = closed_form_variance(n, 1.0 / scale);
        assert!((discrete / continuous - 1.0).abs() < 1e-3, "{discrete} {continuous}");
    }
}

#[test]
fn double_geometric_cells_have_the_exact_variance() {
    for (cells, epsilon, draws) in
        [(2_000u64, "1/2", 200), (2_000, "1/50", 100), (40_000, "1/2", 20), (40_000, "2", 20)]
    {
        let epsilon = rational(epsilon);
        let variance = closed_form_variance(cells, epsilon.to_f64());
        let law = NoiseLaw::double_geometric(epsilon);
        assert_variance(&law, &CLOSED_FORM, cells as usize, draws, variance);
    }
}

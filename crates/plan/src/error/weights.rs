//! `W_m(j)`: the weight of the sum of the noise of m independent cells, up to a common factor.

/// Beyond this ε a cell has no noise with probability above 1 − 10⁻⁴²; the limit keeps the
/// recurrence in range.
const LARGEST_EPSILON: f64 = 100.0;

/// `W_m(0..=length)` of the double geometric with parameter `e^{−ε}`.
///
/// `Σ_j W_m(j) e^{ijθ} = (1 − 2a cos θ + a²)^{−m}`; differentiating gives a three-term recurrence
/// whose solution that falls off at infinity is `W_m`. Downward it is stable (Miller): an error
/// made at the start dies out, by `(m−j)/(m+j)` or by `a²` per step, so starting far enough beyond
/// `length` with anything gives the weights.
pub(crate) fn double_geometric(epsilon: f64, m: usize, length: usize) -> Vec<f64> {
    let epsilon = epsilon.min(LARGEST_EPSILON);
    let a = (-epsilon).exp();
    let m = m as f64;
    let start = length + (7.0 * m.sqrt() + 40.0 / epsilon) as usize + 50;
    let mut weights = vec![0.0; length + 1];
    let (mut above, mut here) = (0.0f64, 1.0f64);
    for j in (1..=start).rev() {
        let position = j as f64;
        let below = (position * (1.0 + a * a) * here - a * (position + 1.0 - m) * above) / (a * (position - 1.0 + m));
        (above, here) = (here, below);
        if j <= length + 1 {
            weights[j - 1] = here;
        }
        if here > 1e250 {
            above *= 1e-250;
            here *= 1e-250;
            weights[(j - 1).min(length)..].iter_mut().for_each(|weight| *weight *= 1e-250);
        }
    }
    weights
}

/// From this σ² on, sums of discrete Gaussians are discrete Gaussians to beyond machine precision.
const LARGE_VARIANCE: f64 = 4.0;

/// `W_m(0..=length)` of the discrete Gaussian with parameter σ².
///
/// For small σ² by Fourier inversion: the transform of one cell is a theta function that falls from
/// 0 to π, its m-th power is concentrated at 0, and the trapezoid rule with more points than the
/// law is wide is exact up to its tails.
pub(crate) fn discrete_gaussian(variance: f64, m: usize, length: usize) -> Vec<f64> {
    let spread = m as f64 * variance;
    if variance >= LARGE_VARIANCE {
        let weight = |j: usize| (-(j as f64) * (j as f64) / (2.0 * spread)).exp();
        return (0..=length).map(weight).collect();
    }
    let points = length + (10.0 * spread.sqrt()) as usize + 20;
    let step = 2.0 * std::f64::consts::PI / points as f64;
    let mut weights = vec![1.0; length + 1];
    for k in 1..=points / 2 {
        let angle = step * k as f64;
        let power = (m as f64 * theta(variance, angle).max(f64::MIN_POSITIVE).ln()).exp();
        if power < 1e-19 {
            break;
        }
        let twice = if 2 * k == points { power } else { 2.0 * power };
        for (j, weight) in weights.iter_mut().enumerate() {
            *weight += twice * (angle * j as f64).cos();
        }
    }
    weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
    weights
}

/// `Σ_z e^{−z²/2σ²} cos zθ`, divided by its value at 0; for σ² above 0.3 by Poisson summation.
fn theta(variance: f64, angle: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    let sum = |angle: f64| -> f64 {
        if variance > 0.3 {
            let term = |k: i32| (-variance * (angle - turn * f64::from(k)).powi(2) / 2.0).exp();
            (-4..=4).map(term).sum()
        } else {
            let term = |z: i32| {
                let z = f64::from(z);
                (-z * z / (2.0 * variance)).exp() * (z * angle).cos()
            };
            1.0 + 2.0 * (1..=8).map(term).sum::<f64>()
        }
    };
    sum(angle) / sum(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The m-fold convolution by definition, on −reach..=reach.
    fn convolved(single: &dyn Fn(i64) -> f64, m: usize, reach: i64) -> Vec<f64> {
        let mut law = vec![0.0; (2 * reach + 1) as usize];
        law[reach as usize] = 1.0;
        for _ in 0..m {
            let mut next = vec![0.0; law.len()];
            for (i, mass) in law.iter().enumerate() {
                for u in -reach..=reach {
                    let to = i as i64 + u;
                    if (0..next.len() as i64).contains(&to) {
                        next[to as usize] += mass * single(u);
                    }
                }
            }
            law = next;
        }
        law[reach as usize..].to_vec()
    }

    fn assert_proportional(found: &[f64], expected: &[f64], least: f64) {
        for (j, weight) in found.iter().enumerate() {
            let ratio = weight / found[0];
            let truth = expected[j] / expected[0];
            assert!((ratio - truth).abs() <= 1e-11 * truth + least, "{j}: {ratio} {truth}");
        }
    }

    #[test]
    fn the_recurrence_gives_the_convolution_even_in_the_tail() {
        for (epsilon, m) in [(0.5, 1), (0.5, 2), (1.0, 3), (0.3, 7), (2.0, 20), (0.8, 33)] {
            let a = f64::exp(-epsilon);
            let direct = convolved(&|u| a.powi(u.unsigned_abs() as i32), m, 300);
            assert_proportional(&double_geometric(epsilon, m, 60), &direct, 0.0);
        }
    }

    #[test]
    fn the_recurrence_starts_right_when_the_window_is_narrow() {
        let a = f64::exp(-1.0);
        let direct = convolved(&|u| a.powi(u.unsigned_abs() as i32), 200, 250);
        assert_proportional(&double_geometric(1.0, 200, 3), &direct, 0.0);
    }

    #[test]
    fn extreme_strengths_stay_finite() {
        let weights = double_geometric(1e6, 5, 3);
        assert!(weights[0].is_finite() && weights[1] / weights[0] < 1e-40);
        assert!(double_geometric(1e-3, 100_000, 10).iter().all(|weight| weight.is_normal()));
    }

    #[test]
    fn fourier_inversion_gives_the_convolution() {
        for (variance, m) in [(0.05, 4), (0.2, 9), (0.5, 2), (1.0, 1), (3.9, 5), (4.0, 3), (9.0, 6)] {
            let direct = convolved(&|u| f64::exp(-((u * u) as f64) / (2.0 * variance)), m, 120);
            assert_proportional(&discrete_gaussian(variance, m, 40), &direct, 1e-14);
        }
    }
}

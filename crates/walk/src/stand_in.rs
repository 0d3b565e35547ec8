//! `StandIn`: a discrete Gaussian law that takes the place of the ℓ₂ norm when a line is redrawn.
//!
//! `e^{−ε‖z‖}` is no product over cells, so messages cannot redraw a line by it.
//! `g(z) ∝ e^{−s‖z‖²}` is one: a line is redrawn from g given the rest of the table, and what comes
//! out is accepted with probability
//!
//! ```text
//! min(1, e^{−ε(‖z'‖ − ‖z‖) + s(‖z'‖² − ‖z‖²)})
//! ```
//!
//! which is Metropolis' rule with π/g: the law stays as it is whatever s is. `s = ε/2‖z‖` is the
//! best one at z, so every redraw chooses one of a few s by fair bits: enough to climb from no
//! noise to where the law is, and to come back from its tails. No normaliser is needed. Proof:
//! `proofs/walks.md`.

use super::target::{Change, FINE_BITS, Target};
use exact::Rational;

/// The law of a line's redraw.
#[derive(Debug)]
pub(crate) struct StandIn {
    /// The discrete Gaussian law around the same centre.
    pub(crate) target: Target,
    /// s, in fine units.
    precision: i64,
}

impl StandIn {
    /// Takes the place of the norm with this s, in fine units.
    pub(crate) fn new(target: &Target, precision: i64) -> StandIn {
        StandIn { target: target.squared(rate(precision)), precision }
    }

    /// By how much π/g falls when a line is redrawn: squared distances before and after.
    pub(crate) fn change(&self, target: &Target, before: i128, after: i128) -> Change {
        let further = after - before;
        let mut units = vec![0; target.rates.len()];
        units[0] = further;
        if let Some(fine) = units.last_mut() {
            *fine = -i128::from(self.precision) * further;
        }
        target.measured(units, before, None)
    }
}

/// s as a rate.
pub(crate) fn rate(precision: i64) -> Rational {
    Rational::new(precision as u64, 1u64 << FINE_BITS)
}

/// The standardised distance from one radius to the next, and to the farthest, among those where
/// the law is.
const SPACING: f64 = 2.0;
const FARTHEST: i32 = 3;
/// From no noise, redraws with this radius over the mean are mostly accepted, in every dimension.
const FIRST_RADIUS: f64 = 0.25;
/// Cells vary by one unit at least: narrower laws would hardly move.
const LEAST_VARIANCE: f64 = 0.5;

/// The s of all stand-ins, in fine units, from public quantities alone: `s = ε/2r` for radii r
/// where the law is, and some on the way from no noise.
///
/// In `dimension` m the radius is about a gamma variable of shape m and mean m/ε. Radii θm/ε are
/// taken at the standardised distances −6, −4, …, 6, by the root of twice the deviance
/// `m(θ − 1 − ln θ)`. A redraw of all cells from radius θ leads to about √θ, so a few square roots
/// climb from the first radius.
pub(crate) fn precisions(epsilon: &Rational, dimension: usize) -> Vec<i64> {
    let size = dimension.max(1) as f64;
    let mut radii: Vec<f64> = (-FARTHEST..=FARTHEST).map(|step| radius(size, SPACING * f64::from(step))).collect();
    let mut climbing = FIRST_RADIUS;
    while climbing < radii[0] {
        radii.push(climbing);
        climbing = climbing.sqrt();
    }
    let epsilon = epsilon.to_f64();
    let precision = |radius: &f64| {
        let variance = (radius * size / (epsilon * epsilon)).max(LEAST_VARIANCE);
        rounded(2f64.powi(FINE_BITS as i32) / (2.0 * variance))
    };
    let mut found: Vec<i64> = radii.iter().map(precision).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Eight significant bits: the last bits of a machine's logarithms do not matter.
fn rounded(value: f64) -> i64 {
    let scale = 2f64.powi((value.max(1.0).log2().floor() as i32 - 7).max(0));
    ((value / scale).round().max(1.0) * scale) as i64
}

/// θ on the side of `distance` from one, with `2m(θ − 1 − ln θ) = distance²`: by halving.
fn radius(size: f64, distance: f64) -> f64 {
    let wanted = distance * distance / (2.0 * size);
    let farther = |theta: f64| theta - 1.0 - theta.ln() > wanted;
    let (mut near, mut far) = (1.0, if distance < 0.0 { f64::MIN_POSITIVE } else { 2.0 + 4.0 * wanted });
    for _ in 0..200 {
        let middle = (near + far) / 2.0;
        if farther(middle) { far = middle } else { near = middle }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::{precisions, radius};
    use exact::Rational;

    #[test]
    fn radii_are_at_their_distances() {
        for size in [1.0, 9.0, 101.0] {
            for distance in [-6.0f64, -2.0, 0.0, 2.0, 6.0] {
                let theta = radius(size, distance);
                let found = (2.0 * size * (theta - 1.0 - theta.ln())).sqrt();
                assert!((found - distance.abs()).abs() < 1e-6 && (theta >= 1.0) == (distance >= 0.0), "{theta}");
            }
        }
    }

    #[test]
    fn stand_ins_are_few_and_as_wide_as_the_law() {
        let found = precisions(&Rational::new(24, 125u8), 101);
        assert!(found.is_sorted() && (7..=12).contains(&found.len()), "{found:?}");
        // The variance of a cell by the law itself is about m/ε².
        let variance = |precision: i64| 2f64.powi(59) / precision as f64;
        let middle = 101.0 / 0.192f64.powi(2);
        assert!(found.iter().any(|precision| (variance(*precision) / middle - 1.0).abs() < 0.01));
        assert!(variance(found[0]) > 1.5 * middle && variance(found[found.len() - 1]) < 0.3 * middle);
        // Noise of less than a cell still has a stand-in.
        assert_eq!(precisions(&Rational::integer(40), 3).len(), 1);
    }
}

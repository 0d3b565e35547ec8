//! The Wasserstein-1 distance of observed errors from the law of the noise: the area between their
//! distribution functions.

use draw::{Growth, NoiseLaw};

/// What is left out at each end of an integer law.
const NEGLIGIBLE: f64 = 1e-18;
/// The most values of an integer law that are listed.
const MOST_VALUES: usize = 1 << 24;

/// The Wasserstein-1 distance of these errors from the noise of one cell; `None` for laws that are
/// not of single cells, for Gaussian noise on the reals, for integer laws too wide to list, and
/// without errors.
///
/// Contract: errors are finite.
pub fn wasserstein_to_noise(errors: &[f64], law: &NoiseLaw) -> Option<f64> {
    if errors.is_empty() {
        return None;
    }
    let mut sorted = errors.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match is_laplace(law) {
        true => Some(to_laplace(&sorted, 1.0 / law.parameter().to_f64())),
        false => noise_atoms(law).map(|atoms| to_atoms(&sorted, &atoms)),
    }
}

/// What chance alone makes of it: the expected distance of so many independent draws of the noise
/// from their own law is at most `∫√(F(1 − F))/√N`. `None` where [`wasserstein_to_noise`] is.
pub fn wasserstein_by_chance(draws: u64, law: &NoiseLaw) -> Option<f64> {
    let area = match is_laplace(law) {
        true => (1.0 + std::f64::consts::FRAC_PI_2) / law.parameter().to_f64(),
        false => {
            let mut below = 0.0;
            let spread = |(_, share): &(f64, f64)| {
                below += share;
                (below * (1.0 - below)).max(0.0).sqrt()
            };
            noise_atoms(law)?.iter().map(spread).sum()
        }
    };
    Some(area / (draws.max(1) as f64).sqrt())
}

/// Whether the noise is that of the real-valued Laplace law.
fn is_laplace(law: &NoiseLaw) -> bool {
    !law.is_integer() && law.growth() == Growth::Absolute
}

/// The values of an integer law of single cells with their probabilities, in order; what is left
/// out has a probability of about 10⁻¹⁸. `None` for other laws, and for more than 2²⁴ values.
pub fn noise_atoms(law: &NoiseLaw) -> Option<Vec<(f64, f64)>> {
    if !law.is_integer() || !law.is_product() {
        return None;
    }
    let rate = law.rate().to_f64();
    let weight = |distance: usize| (-rate * law.units(distance as i64) as f64).exp();
    let mut half = Vec::new();
    while half.len() <= MOST_VALUES {
        let next = weight(half.len());
        if next < NEGLIGIBLE {
            let whole: f64 = 2.0 * half.iter().skip(1).sum::<f64>() + 1.0;
            let down = half.iter().enumerate().skip(1).rev().map(|(value, weight)| (-(value as f64), weight / whole));
            let up = half.iter().enumerate().map(|(value, weight)| (value as f64, weight / whole));
            return Some(down.chain(up).collect());
        }
        half.push(next);
    }
    None
}

/// Both laws are steps: the area is a sum over the values of either.
fn to_atoms(sorted: &[f64], atoms: &[(f64, f64)]) -> f64 {
    let each = 1.0 / sorted.len() as f64;
    let (mut seen, mut listed) = (0usize, 0usize);
    // Of the errors, minus of the law, up to the place.
    let mut mass = 0.0;
    let mut place = sorted[0].min(atoms.first().map_or(f64::INFINITY, |atom| atom.0));
    let mut area = 0.0;
    loop {
        let error = sorted.get(seen).copied().unwrap_or(f64::INFINITY);
        let atom = atoms.get(listed).map_or(f64::INFINITY, |atom| atom.0);
        let next = error.min(atom);
        if next == f64::INFINITY {
            return area;
        }
        area += (next - place) * f64::abs(seen as f64 * each - mass);
        place = next;
        while sorted.get(seen).is_some_and(|error| *error <= next) {
            seen += 1;
        }
        while atoms.get(listed).is_some_and(|atom| atom.0 <= next) {
            mass += atoms[listed].1;
            listed += 1;
        }
    }
}

/// Between two neighbouring errors the observed distribution function is constant, and Laplace's
/// crosses it at most once.
fn to_laplace(sorted: &[f64], scale: f64) -> f64 {
    // ∫_{−∞}^v F, with λ as the unit.
    let below = |v: f64| if v < 0.0 { 0.5 * v.exp() } else { v + 0.5 * (-v).exp() };
    // ∫_v^∞ (1 − F), by symmetry.
    let above = |v: f64| below(-v);
    let units: Vec<f64> = sorted.iter().map(|error| error / scale).collect();
    let count = units.len() as f64;
    let mut area = below(units[0]) + above(units[units.len() - 1]);
    for (number, pair) in units.windows(2).enumerate() {
        let (from, to, level) = (pair[0], pair[1], (number + 1) as f64 / count);
        let crossing = if level <= 0.5 { (2.0 * level).ln() } else { -(2.0 * (1.0 - level)).ln() };
        let turn = crossing.clamp(from, to);
        area += level * (turn - from) - (below(turn) - below(from));
        area += (below(to) - below(turn)) - level * (to - turn);
    }
    area * scale
}

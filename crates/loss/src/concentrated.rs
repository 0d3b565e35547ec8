//! From zCDP to (ε, δ): an ε that certainly holds, rounded up.
//!
//! ρ-zCDP implies (ε, δ) with `ε = ρα + ln(1 − 1/α) − (ln δ + ln α)/(α − 1)` for **every** α > 1,
//! so any α gives a valid bound and only the tightness depends on the choice: floating point
//! proposes α, enclosures evaluate. Proof: `crates/certify/proofs/G2.md`.

use exact::{Enclosure, Natural, Rational};

/// An ε, rounded up to six decimals, such that ρ-zCDP implies (ε, δ)-differential privacy. At least
/// zero.
///
/// # Panics
/// When ρ is not positive or δ is not between 0 and 1.
pub fn epsilon_at(rho: &Rational, delta: &Rational) -> Rational {
    assert!(rho.is_positive() && delta.is_positive() && *delta < Rational::integer(1), "ρ > 0 and 0 < δ < 1");
    let tried = proposals(rho.to_f64(), delta.to_f64());
    let best = tried.iter().filter_map(|alpha| bound(rho, delta, alpha)).min();
    // α = 2 always gives a bound: all its logarithms are of positive numbers.
    let best = best.or_else(|| bound(rho, delta, &Rational::integer(2))).expect("a logarithm of a positive number");
    rounded(best)
}

/// Rounded up to six decimals, at least zero.
pub(crate) fn rounded(epsilon: Rational) -> Rational {
    let million = Rational::integer(1_000_000);
    let ceiling = Rational::integer((&epsilon * &million).ceil());
    let rounded = &ceiling / &million;
    if rounded.is_negative() { Rational::integer(0) } else { rounded }
}

/// The upper end of the bound at one α > 1.
pub(crate) fn bound(rho: &Rational, delta: &Rational, alpha: &Rational) -> Option<Rational> {
    let bits = 128;
    let one = Rational::integer(1);
    let shrink = Enclosure::ln_rational(&(&one - &(&one / alpha)), bits)?;
    let logs = &Enclosure::ln_rational(delta, bits)? + &Enclosure::ln_rational(alpha, bits)?;
    let slope = Enclosure::from_rational(&(&one / &(alpha - &one)), bits);
    let cost = Enclosure::from_rational(&(rho * alpha), bits);
    Some((&(&cost + &shrink) - &(&logs * &slope)).upper_rational())
}

/// About the ε at a δ: for choosing a δ, never for stating one.
pub(crate) fn about(rho: f64, delta: f64) -> f64 {
    value(rho, delta, 1.0 + above_one(rho, delta)).max(0.0)
}

pub(crate) fn value(rho: f64, delta: f64, alpha: f64) -> f64 {
    rho * alpha + (1.0 - 1.0 / alpha).ln() - (delta.ln() + alpha.ln()) / (alpha - 1.0)
}

/// About the minimiser α, less one.
pub(crate) fn above_one(rho: f64, delta: f64) -> f64 {
    // Golden-section search in ln(α − 1): the function has one valley there.
    let (mut low, mut high) = (1e-6f64.ln(), 1e12f64.ln());
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..200 {
        let (one, two) = (high - ratio * (high - low), low + ratio * (high - low));
        let falls = value(rho, delta, 1.0 + one.exp()) < value(rho, delta, 1.0 + two.exp());
        if falls { high = two } else { low = one }
    }
    ((low + high) / 2.0).exp()
}

/// Values of α around the minimiser, as exact fractions.
fn proposals(rho: f64, delta: f64) -> Vec<Rational> {
    let above = above_one(rho, delta);
    [0.99, 1.0, 1.01]
        .into_iter()
        .map(|factor| {
            // α − 1 in units of 2⁻³², at least one unit.
            let units = ((above * factor) * 4_294_967_296.0).clamp(1.0, 1e30) as u128;
            &Rational::integer(1) + &Rational::new(units, Natural::ONE << 32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn never_below_the_formula_at_its_minimum_and_close_to_it() {
        for (rho, delta) in [("1/8", "1e-6"), ("1/2", "1e-9"), ("1e-4", "1e-6"), ("3", "1e-10"), ("40", "1e-6")] {
            let (rho, delta) = (rational(rho), rational(delta));
            let certified = epsilon_at(&rho, &delta).to_f64();
            let (r, d) = (rho.to_f64(), delta.to_f64());
            let minimum = (1..400_000)
                .map(|step| 1.0 + (f64::from(step) / 20_000.0 - 8.0).exp2())
                .map(|a| r * a + (1.0 - 1.0 / a).ln() - (d.ln() + a.ln()) / (a - 1.0))
                .fold(f64::INFINITY, f64::min);
            assert!(certified >= minimum - 1e-9, "ρ = {rho}: {certified} < {minimum}");
            assert!(certified <= minimum * 1.001 + 2e-6, "ρ = {rho}: {certified} ≫ {minimum}");
        }
    }

    #[test]
    fn grows_with_rho_and_shrinks_with_delta() {
        let delta = rational("1e-6");
        assert!(epsilon_at(&rational("1/8"), &delta) < epsilon_at(&rational("1/4"), &delta));
        assert!(epsilon_at(&rational("1/8"), &rational("1e-9")) > epsilon_at(&rational("1/8"), &delta));
    }
}

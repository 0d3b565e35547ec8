//! The cost of one kind of step, enclosed and rounded up.

use crate::rounding::decimals_up;
use analyse::{Bounds, Element};
use exact::{Enclosure, Rational};

/// Fraction bits of the enclosures: the last digits printed are far above their width.
const BITS: usize = 192;

/// How steps are charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    /// E: the noise is not conditioned.
    Once,
    /// E, the closed form or 2E, by the inequalities that the step may run into.
    ByBounds,
    /// 2E, whatever the step.
    Twice,
}

/// What a kind of step costs.
pub(super) struct Cost<'a> {
    /// The kind.
    pub element: &'a Element,
    /// `E`: how far the step moves the log-weight, at most.
    pub moved: Rational,
    /// The loss, at most.
    pub loss: Rational,
}

impl Cost<'_> {
    /// The loss per unit of ℓ₁ distance.
    pub(super) fn per_unit(&self) -> Rational {
        &self.loss / &Rational::integer(self.element.length)
    }

    /// E per unit of ℓ₁ distance.
    pub(super) fn rate(&self) -> Rational {
        &self.moved / &Rational::integer(self.element.length)
    }

    /// What the normaliser adds, as a part of E, rounded up; never above 1.
    pub(super) fn gamma(&self) -> Rational {
        if self.moved.is_zero() {
            return Rational::integer(0);
        }
        let one = Rational::integer(1);
        let gamma = decimals_up(&(&(&self.loss / &self.moved) - &one), 6);
        if gamma > one { one } else { gamma }
    }
}

/// The kind of step with the largest loss for its length.
pub(super) fn dearest<'a>(elements: &'a [Element], rates: &[Rational], charge: Charge) -> Cost<'a> {
    let costs = elements.iter().map(|element| cost(element, rates, charge));
    let dearer = |one: Cost<'a>, other: Cost<'a>| if other.per_unit() > one.per_unit() { other } else { one };
    costs.reduce(dearer).expect("a fibre with two tables has a step between them")
}

fn cost<'a>(element: &'a Element, rates: &[Rational], charge: Charge) -> Cost<'a> {
    let sum = |counts: &[u64]| {
        let terms = counts.iter().zip(rates).map(|(count, rate)| rate * &Rational::integer(*count));
        terms.fold(Rational::integer(0), |sum, term| &sum + &term)
    };
    let moved = sum(&element.moved);
    let twice = &moved + &moved;
    let loss = match (charge, element.bounds) {
        (Charge::Once, _) | (Charge::ByBounds, Bounds::Free) => moved.clone(),
        (Charge::Twice, _) | (Charge::ByBounds, Bounds::Tied) => twice,
        (Charge::ByBounds, Bounds::Cells) => {
            let closed = &moved + &normaliser(&moved, &sum(&element.own));
            if closed < twice { closed } else { twice }
        }
    };
    Cost { element, moved, loss }
}

/// An upper bound of `ln(1 + e^{E − 2b} − e^{−2b})`: by how much bounds of single cells can move the log-normaliser.
///
/// Written so that no exponent is positive: with `m = max(0, E − 2b)` it is `m + ln(e^{−m} + e^{E − 2b − m} − e^{−2b − m})`.
fn normaliser(moved: &Rational, own: &Rational) -> Rational {
    let zero = Rational::integer(0);
    let twice_own = own + own;
    let above = moved - &twice_own;
    let most = if above.is_positive() { above.clone() } else { zero };
    let power = |exponent: Rational| Enclosure::exp_rational(&exponent, BITS);
    let sum = &(&power(-most.clone()) + &power(&above - &most)) - &power(-(&twice_own + &most));
    // One of the first two powers is 1 and the last is at most the other: the sum is at least 1, up to rounding.
    match sum.ln() {
        Some(logarithm) => &most + &logarithm.upper_rational(),
        None => moved.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::Shape;

    fn element(length: u64, bounds: Bounds) -> Element {
        Element { shape: Shape::Pair, length, squared: length, moved: vec![length], own: vec![1], bounds }
    }

    #[test]
    fn the_closed_forms_of_the_theorem() {
        for rate in ["1/100", "1/2", "1", "3"] {
            let exact: Rational = rate.parse().unwrap();
            let e = exact.to_f64();
            let expected = [
                (1, e + (1.0 + (-e).exp() - (-2.0 * e).exp()).ln()),
                (2, 2.0 * e + (2.0 - (-2.0 * e).exp()).ln()),
                (4, 4.0 * e + (1.0 + 2.0 * (2.0 * e).sinh()).ln()),
            ];
            for (length, expected) in expected {
                let element = element(length, Bounds::Cells);
                let found = cost(&element, std::slice::from_ref(&exact), Charge::ByBounds);
                assert!((found.loss.to_f64() - expected).abs() < 1e-12, "{length} at {rate}");
                assert!(found.gamma() <= Rational::integer(1));
            }
        }
    }

    #[test]
    fn without_noise_of_its_own_a_bounded_cell_costs_the_plain_factor() {
        let mut element = element(2, Bounds::Cells);
        element.own = vec![0];
        let cost = cost(&element, &["1/2".parse().unwrap()], Charge::ByBounds);
        assert_eq!((cost.loss.clone(), cost.gamma()), (Rational::integer(2), Rational::integer(1)));
    }

    #[test]
    fn strong_and_weak_noise_keep_their_digits() {
        for (rate, least, most) in [("5000", 1.4999, 1.5001), ("1e-12", 1.9999, 2.0)] {
            let rate: Rational = rate.parse().unwrap();
            let element = element(4, Bounds::Cells);
            let cost = cost(&element, std::slice::from_ref(&rate), Charge::ByBounds);
            let part = (&cost.loss / &cost.moved).to_f64();
            assert!((least..=most).contains(&part), "{part}");
        }
    }
}

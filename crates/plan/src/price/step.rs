//! The cost of one kind of step, enclosed and rounded up.

use analyse::{Bounds, Element, Near};
use exact::{Enclosure, Rational};
use loss::decimals_up;

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
    /// The bound that the loss is.
    pub bound: Bound,
}

/// Which bound a loss is: the names of `crates/certify/proofs/G3.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// E: the normaliser stands still, or the noise is not conditioned.
    Noise,
    /// 2E.
    Plain,
    /// R1: bounds of single cells, with the noise that is tied to them.
    Tied,
    /// R2: all noise of the step is tied to the cell that stops it.
    OneDirection,
    /// R3: a class of cells under one total.
    Class,
    /// R5: a small part with strong noise.
    Small,
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
        decimals_up(&(&(&self.loss / &self.moved) - &one), 6).min(one)
    }
}

/// The step with the largest loss, whatever its length.
pub(super) fn costliest<'a>(elements: &'a [Element], rates: &[Rational], charge: Charge) -> Option<Cost<'a>> {
    let costs = elements.iter().map(|element| cost(element, rates, charge));
    costs.reduce(|one, other| if other.loss > one.loss { other } else { one })
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
    let own = sum(&element.own);
    let twice = &moved + &moved;
    let (loss, bound) = match (charge, element.bounds) {
        (Charge::Once, _) | (Charge::ByBounds, Bounds::Free) => (moved.clone(), Bound::Noise),
        (Charge::Twice, _) | (Charge::ByBounds, Bounds::Tied) => (twice, Bound::Plain),
        (Charge::ByBounds, Bounds::Cells) => {
            let (added, bound) = match element.class {
                Some(cells) => (normaliser_of_class(&moved, cells), Bound::Class),
                None if own == moved => (normaliser(&moved, &own), Bound::OneDirection),
                None => (normaliser(&moved, &own), Bound::Tied),
            };
            let closed = &moved + &added;
            let small = element.near.as_ref().and_then(|near| small_part(near, element, rates, &own));
            let (closed, bound) = match small {
                Some(small) if small < closed => (small, Bound::Small),
                _ => (closed, bound),
            };
            if closed < twice { (closed, bound) } else { (twice, Bound::Plain) }
        }
    };
    Cost { element, moved, loss, bound }
}

fn power(exponent: Rational) -> Enclosure {
    Enclosure::exp_rational(&exponent, BITS)
}

/// An upper bound of `ln(1 + e^{E − 2b} − e^{−2b})`: by how much bounds of single cells can move
/// the log-normaliser.
///
/// Written so that no exponent is positive: with `m = max(0, E − 2b)` it is
/// `m + ln(e^{−m} + e^{E − 2b − m} − e^{−2b − m})`.
fn normaliser(moved: &Rational, own: &Rational) -> Rational {
    let zero = Rational::integer(0);
    let twice_own = own + own;
    let above = moved - &twice_own;
    let most = if above.is_positive() { above.clone() } else { zero };
    let sum = &(&power(-most.clone()) + &power(&above - &most)) - &power(-(&twice_own + &most));
    // One of the first two powers is 1 and the last is at most the other: the sum is at least 1, up
    // to rounding.
    match sum.ln() {
        Some(logarithm) => &most + &logarithm.upper_rational(),
        None => moved.clone(),
    }
}

/// An upper bound of `ln(2 − q − (1 − q)ⁿ)` with `q = e^{−E}`: by how much counts that are not
/// negative can move the log-normaliser of n cells with one total and the same noise on each.
fn normaliser_of_class(moved: &Rational, cells: u64) -> Rational {
    let one = Enclosure::from_integer(1, BITS);
    let others = &one - &power(-moved);
    let sum = &(&one + &others) - &others.pow(cells);
    match sum.ln() {
        Some(logarithm) => logarithm.upper_rational(),
        None => moved.clone(),
    }
}

/// Beyond this much log-weight of a step the powers below are not computed.
const MOST_MOVED: u32 = 64;

/// R5 for a part of single cells with noise of one rate, scaled to the length of the element: the
/// largest loss for its length of steps up to that length. `None` where it is not computed.
fn small_part(near: &Near, element: &Element, rates: &[Rational], own: &Rational) -> Option<Rational> {
    let [rate] = rates else { return None };
    let length = Rational::integer(element.length);
    if &length * rate > Rational::integer(MOST_MOVED) {
        return None;
    }
    let weight = weight_of_steps(near, rate)?;
    let own_line = Enclosure::from_integer(1, BITS).checked_div(&weight)?;
    let mut dearest: Option<Rational> = None;
    for cells in 2..=element.length {
        let moved = rate * &Rational::integer(cells);
        let one = Enclosure::from_integer(1, BITS);
        let twice_own = own + own;
        let any = &(&one + &power(&moved - &twice_own)) - &power(-twice_own);
        let own_one = &(&one + &power(-&moved)) - &power(-(&moved + &moved));
        let ratio = &any - &(&(&any - &own_one) * &own_line);
        let loss = &moved + &ratio.ln()?.upper_rational();
        let scaled = &(&loss * &length) / &Rational::integer(cells);
        if dearest.as_ref().is_none_or(|known| scaled > *known) {
            dearest = Some(scaled);
        }
    }
    dearest
}

/// An enclosure of a number not below `Σ_z e^{−ε'‖z‖₁}` over all steps z: those that were counted,
/// and for longer ones `e^{−ε'S/2} Σ_z e^{−ε'‖z‖₁/2}`, where the cells that determine a step bound
/// its length.
fn weight_of_steps(near: &Near, rate: &Rational) -> Option<Enclosure> {
    let mut weight = Enclosure::from_integer(0, BITS);
    for (length, steps) in near.steps.iter().enumerate().filter(|(_, steps)| **steps > 0) {
        let each = power(&-rate * &Rational::integer(length as u64));
        weight = &weight + &each.mul_integer(&(*steps).into());
    }
    let one = Enclosure::from_integer(1, BITS);
    let half = power(&-rate / &Rational::integer(2));
    let geometric = (&one + &half).checked_div(&(&one - &half))?;
    let longest = near.steps.len() as u64 - 1;
    let rest = &power(&(&-rate * &Rational::integer(longest)) / &Rational::integer(2))
        * &geometric.pow(u64::from(near.directions));
    Some(&weight + &rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::StepKind;

    fn element(length: u64, bounds: Bounds) -> Element {
        let (moved, own) = (vec![length], vec![1]);
        let (shape, squared) = (StepKind::Pair, length);
        let (class, near) = (None, None);
        Element { shape, length, squared, moved, own, bounds, from_below: true, is_exact: true, class, near }
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

    /// A class of two cells is one direction; one of very many is bounded by the cell alone.
    #[test]
    fn classes_grow_from_one_direction_to_the_closed_form() {
        for rate in ["1/100", "1/2", "1", "3"] {
            let rate: Rational = rate.parse().unwrap();
            let loss = |class: Option<u64>, own: u64| {
                let element = Element { class, own: vec![own], ..element(2, Bounds::Cells) };
                cost(&element, std::slice::from_ref(&rate), Charge::ByBounds).loss.to_f64()
            };
            let sizes = [2, 3, 10, 1000, 1 << 40].map(|cells| loss(Some(cells), 1));
            assert!((sizes[0] - loss(None, 2)).abs() < 1e-12 && (sizes[4] - loss(None, 1)).abs() < 1e-9);
            assert!(sizes.is_sorted(), "{sizes:?}");
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

//! `Atom`: a chain with an artificial atom α, cut at a geometric time: Algorithms 1 and 2 of
//! Seeman, after Lee and others.
//!
//! The chain lives on the space and α. With w the relative weight of a point (at most 1) and κ the
//! mass that α has per point:
//!
//! ```text
//! from y: with probability ½ propose α, accepted with min{1, κ/w(y)}; otherwise a local step that keeps w
//! from α: with probability ½ stay; otherwise a uniform point y, accepted with min{1, w(y)/κ}
//! ```
//!
//! `Π(y, {α}) = ½·min{1, κ/w(y)}` is a known function of y, so the coin `(1 − Π(y, {α}))/(1 − β)`
//! is tossed directly, by enclosures: no Bernoulli factory. From α the residual kernel needs no
//! coin but `½/(1 − β)`. Proof, and why plain rejection is always cheaper with a uniform jump:
//! `proofs/atom.md`.

use crate::target::Target;
use exact::lazy::{Bounds, coin};
use exact::{Enclosure, Entropy, Rational, integer};

/// One uniform coordinate moves by one, up or down: a symmetric step, which may leave the space.
fn step<E: Entropy>(entropy: &mut E, point: &mut [i64]) {
    let place = integer::below(entropy, point.len() as u64) as usize;
    point[place] += if entropy.bits(1) == 1 { 1 } else { -1 };
}

/// The chain with its atom.
#[derive(Debug)]
pub struct Atom<'a, T> {
    target: &'a T,
    kappa: Rational,
    beta: Rational,
    /// From this exponent on, κ·e^x is at least one.
    enough: Rational,
}

/// A draw, with what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// The point.
    pub point: Vec<i64>,
    /// States of all chains, the atom at their beginning included: the sum of the geometric
    /// lengths.
    pub steps: u64,
}

impl<'a, T: Target> Atom<'a, T> {
    /// The chain whose atom has mass `kappa` per point, relative to the upper bound of the weights,
    /// cut at times that are geometric with `β = share·inf Π`, `inf Π = ½·min{1, κ}`. A share of ½
    /// is Seeman's; without a factory 1 is possible, and fastest.
    ///
    /// # Panics
    /// When `kappa` is not positive or `share` not in (0, 1].
    pub fn new(target: &'a T, kappa: Rational, share: &Rational) -> Self {
        assert!(kappa.is_positive(), "the atom has mass");
        assert!(share.is_positive() && *share <= Rational::integer(1), "β is above zero and at most the infimum");
        let least = kappa.clone().min(Rational::integer(1));
        let beta = &(&least * share) * &Rational::new(1, 2u8);
        let mut enough = Rational::integer(1);
        let mut power = &kappa * &Rational::integer(2);
        while power < Rational::integer(1) {
            power = &power * &Rational::integer(2);
            enough = &enough + &Rational::integer(1);
        }
        Atom { target, kappa, beta, enough }
    }

    /// The parameter β of the geometric times.
    pub fn beta(&self) -> &Rational {
        &self.beta
    }

    /// Π(y, {α}) for a point y: half of the acceptance of a jump to the atom.
    pub fn to_atom(&self, point: &[i64], bits: usize) -> Enclosure {
        self.jump(point, bits).mul_power_of_two(-1)
    }

    /// min{1, κ/w(y)}.
    fn jump(&self, point: &[i64], bits: usize) -> Enclosure {
        let bits = bits + 8;
        let one = Enclosure::from_integer(1, bits);
        // κ/w = κ·e^{upper − log w}; far out it is certainly cut at one, and need not be computed.
        let exponent = &Enclosure::from_rational(&self.target.upper(), bits) - &self.target.log_weight(point, bits);
        if exponent.certainly_less_than_rational(&self.enough) == Some(false) {
            return one;
        }
        let kappa = Enclosure::from_rational(&self.kappa, bits);
        (&kappa * &exponent.exp()).min(&one)
    }

    /// The probability that the residual kernel leaves y for a state other than α: (1 − Π(y,
    /// {α}))/(1 − β).
    pub fn stays_off(&self, point: &[i64], bits: usize) -> Enclosure {
        let bits = bits + 8;
        let off = &Enclosure::from_integer(1, bits) - &self.to_atom(point, bits);
        let rest = &Rational::integer(1) - &self.beta;
        &off * &Enclosure::from_rational(&rest.reciprocal().unwrap_or(Rational::integer(2)), bits)
    }

    /// The probability that the residual kernel tries to leave α: ½/(1 − β).
    pub fn leaves(&self) -> Rational {
        &Rational::new(1, 2u8) / &(&Rational::integer(1) - &self.beta)
    }

    /// The acceptance min{1, w(y)/κ} of a point proposed from α.
    pub fn enters(&self, point: &[i64], bits: usize) -> Enclosure {
        let bits = bits + 8;
        let inverse = self.kappa.reciprocal().unwrap_or(Rational::integer(1));
        let ratio = &self.target.relative(point, bits) * &Enclosure::from_rational(&inverse, bits);
        ratio.min(&Enclosure::from_integer(1, bits))
    }

    /// The acceptance min{1, w(y′)/w(y)} of a local step; the step must stay in the space.
    pub fn moves(&self, from: &[i64], to: &[i64], bits: usize) -> Enclosure {
        let bits = bits + 8;
        let change = &self.target.log_weight(to, bits) - &self.target.log_weight(from, bits);
        change.min(&Enclosure::from_integer(0, bits)).exp()
    }

    /// A draw of the target: chains until one does not end in the atom.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> Tour {
        let mut steps = 0;
        loop {
            let (end, length) = self.chain(entropy);
            steps += length;
            if let Some(point) = end {
                return Tour { point, steps };
            }
        }
    }

    /// Algorithm 1: a chain of geometric length from the atom, and its last state (`None` is α).
    fn chain<E: Entropy>(&self, entropy: &mut E) -> (Option<Vec<i64>>, u64) {
        let mut state: Option<Vec<i64>> = None;
        let mut length = 1;
        while !integer::bernoulli(entropy, &self.beta) {
            state = match state {
                None => self.leaving_atom(entropy),
                Some(point) => self.leaving_point(entropy, point),
            };
            length += 1;
        }
        (state, length)
    }

    /// One step of the residual kernel from α.
    fn leaving_atom<E: Entropy>(&self, entropy: &mut E) -> Option<Vec<i64>> {
        if !integer::bernoulli(entropy, &self.leaves()) {
            return None;
        }
        let mut point = Vec::new();
        self.target.space().uniform(entropy, &mut point);
        coin(entropy, Bounds::UNKNOWN, |bits| self.enters(&point, bits)).then_some(point)
    }

    /// One step of the residual kernel from a point: the coin of α first, then Π given that it is
    /// not α.
    fn leaving_point<E: Entropy>(&self, entropy: &mut E, point: Vec<i64>) -> Option<Vec<i64>> {
        if !coin(entropy, Bounds::UNKNOWN, |bits| self.stays_off(&point, bits)) {
            return None;
        }
        loop {
            if entropy.bits(1) == 1 {
                if coin(entropy, Bounds::UNKNOWN, |bits| self.jump(&point, bits)) {
                    continue;
                }
                return Some(point);
            }
            let mut next = point.clone();
            step(entropy, &mut next);
            let inside = self.target.space().contains(&next);
            let moves = inside && coin(entropy, Bounds::UNKNOWN, |bits| self.moves(&point, &next, bits));
            return Some(if moves { next } else { point });
        }
    }
}

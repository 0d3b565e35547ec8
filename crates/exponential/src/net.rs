//! `Net`: public points with a weight of their own in the base measure: one exponential mechanism,
//! loss ε.
//!
//! Seeman's relaxation releases, with the probability of the atom, a draw from the mechanism on a
//! net of public points. The atom's share κ/(κ + Z) moves with the data, so that loses up to 1.5 ε.
//! Here the net is part of the base measure instead: a share k is spread over the net and 1 − k
//! over the space, for every table alike. Proof: `proofs/rejection.md`.

use crate::rejection::Attempt;
use crate::target::Target;
use exact::{Entropy, Rational, integer};

/// Attempts that propose from the mixed base measure.
#[derive(Debug)]
pub struct Net<'a, T> {
    target: &'a T,
    points: &'a [Vec<i64>],
    share: Rational,
}

impl<'a, T: Target> Net<'a, T> {
    /// The share k of the base measure is on the `points`, each listed point having an equal part
    /// of it.
    ///
    /// # Panics
    /// When the net is empty, a point is outside the space, or the share is not in [0, 1].
    pub fn new(target: &'a T, points: &'a [Vec<i64>], share: Rational) -> Self {
        assert!(!points.is_empty() && points.iter().all(|point| target.space().contains(point)), "a net in the space");
        assert!(!share.is_negative() && share <= Rational::integer(1), "a share is between 0 and 1");
        Net { target, points, share }
    }
}

impl<T: Target> Attempt for Net<'_, T> {
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool {
        if integer::bernoulli(entropy, &self.share) {
            point.clone_from(&self.points[integer::below(entropy, self.points.len() as u64) as usize]);
        } else {
            self.target.space().uniform(entropy, point);
        }
        self.target.accepts(entropy, point)
    }
}

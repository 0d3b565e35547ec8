//! The Kullback–Leibler divergence of finite laws, which conditioning minimises.

use super::FiniteLaw;
use exact::{Enclosure, Rational};

impl<T: Ord + Clone> FiniteLaw<T> {
    /// `KL(this ‖ other) = Σ p ln(p/q)`, enclosed; `None` when it is infinite.
    ///
    /// Among all laws P' with P'(C) = 1, `KL(P' ‖ P)` is smallest for `P' = P given C`, because
    /// `KL(P' ‖ P) = KL(P' ‖ P given C) − ln P(C)`, and only the first term depends on P'.
    pub fn divergence_from(&self, other: &Self, bits: usize) -> Option<Enclosure> {
        let mut sum = Enclosure::from_integer(0, bits);
        for (outcome, share) in self.iter() {
            let claimed = other.probability(outcome);
            let ratio = share * &claimed.reciprocal()?;
            let term = &Enclosure::from_rational(share, bits) * &Enclosure::ln_rational(&ratio, bits)?;
            sum = &sum + &term;
        }
        Some(sum)
    }

    /// The least divergence from this law that a law on the constraint can have: `−ln P(C)`; `None`
    /// when P(C) is zero.
    pub fn least_divergence(&self, constraint: impl Fn(&T) -> bool, bits: usize) -> Option<Enclosure> {
        let mass: Rational = self.mass(constraint);
        Enclosure::ln_rational(&mass, bits).map(|log| -&log)
    }
}

//! `Factory`: a coin of probability C·p from coins of unknown probability p (Huber 2014, 2016): for
//! kernels that cannot be evaluated.
//!
//! A walk on 0, 1, 2, … starts at 1 and ends at 0 with probability (Cp)^i from i: heads go one
//! down, tails up by a geometric number less one. Far up, the walk is thinned by `(1 + γs)^−i` and
//! goes on with C·(1 + γs), so that it ends. It needs a *slack* s > 0 with Cp ≤ 1 − s: at Cp = 1
//! the walk has no drift and takes forever on average. Proof: `proofs/atom.md`.
//!
//! Nothing else here uses it: the atom's coin is a known function ([`crate::Atom`]).

use exact::{Entropy, Rational, integer};

/// A factory for given C and slack.
#[derive(Debug, Clone)]
pub struct Factory {
    factor: Rational,
    slack: Rational,
}

/// What a factory made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tossed {
    /// The coin: true with probability C·p.
    pub heads: bool,
    /// How many coins of p it took.
    pub tosses: u64,
}

impl Factory {
    /// The factory of C·p with `C > 1` and `C·p ≤ 1 − slack`, or `None` where C or the slack cannot
    /// be.
    pub fn new(factor: Rational, slack: Rational) -> Option<Self> {
        let one = Rational::integer(1);
        (factor > one && slack.is_positive() && slack < one).then_some(Factory { factor, slack })
    }

    /// One coin of C·p; `toss` tosses a coin of p.
    pub fn toss<E: Entropy>(&self, entropy: &mut E, mut toss: impl FnMut(&mut E) -> bool) -> Tossed {
        let half = Rational::new(1, 2u8);
        let (mut factor, mut slack) = (self.factor.clone(), self.slack.clone());
        let (mut height, mut tosses) = (1u32, 0);
        loop {
            // Huber's 2.3/(γs) with γ = ½: any height gives the law, this one few tosses.
            let far = (&Rational::new(23, 5u8) / &slack).ceil();
            let far = u32::try_from(far).unwrap_or(u32::MAX);
            while height > 0 && height < far {
                tosses += 1;
                height = if toss(entropy) { height - 1 } else { height - 1 + geometric(entropy, &factor) };
            }
            if height == 0 {
                return Tossed { heads: true, tosses };
            }
            let growth = &Rational::integer(1) + &(&slack * &half);
            if !(0..height).all(|_| integer::bernoulli(entropy, &(&Rational::integer(1) / &growth))) {
                return Tossed { heads: false, tosses };
            }
            factor = &factor * &growth;
            slack = &slack * &half;
        }
    }
}

/// Geometric on 1, 2, … with success (C − 1)/C.
fn geometric<E: Entropy>(entropy: &mut E, factor: &Rational) -> u32 {
    let fails = &Rational::integer(1) / factor;
    let mut count = 1;
    while integer::bernoulli(entropy, &fails) {
        count += 1;
    }
    count
}

//! `Padding`: the number of tries of a rejection, lengthened so that it has the same law for every
//! table.
//!
//! A rejection that succeeds with probability p takes N ~ Geometric(p) tries. With probability q/p
//! it stops there, otherwise it waits a further Geometric(q): the sum is Geometric(q) exactly. q is
//! public and at most p for every table; p is that of the table itself, summed over the space.
//! Proof, and why infima over the states of a chain give another law: `proofs/padding.md`.
//!
//! What is padded is the number of proposals. The clock on the wall is outside: a proposal that is
//! evaluated takes a time of its own.

use crate::rejection::{Attempt, Drawn, Uniform, draw};
use crate::target::Target;
use exact::lazy::{Bounds, coin};
use exact::{Enclosure, Entropy, Integer, Natural, Rational, integer};
use std::sync::OnceLock;

/// The most points that are summed to know p.
pub const MOST_SUMMED: u64 = 10_000_000;

/// A rejection with uniform proposals whose number of tries is padded.
#[derive(Debug)]
pub struct Padding<'a, T> {
    target: &'a T,
    public: Rational,
    first: OnceLock<Enclosure>,
}

impl<'a, T: Target> Padding<'a, T> {
    /// Pads to Geometric(`public`), or `None` when the space has too many points for p to be
    /// summed, or `public` is not in (0, 1].
    ///
    /// Contract: `public` is at most the acceptance of every table that there could be.
    pub fn new(target: &'a T, public: Rational) -> Option<Self> {
        let few = *target.space().count() <= Natural::from(MOST_SUMMED);
        (few && public.is_positive() && public <= Rational::integer(1)).then(|| Padding {
            target,
            public,
            first: OnceLock::new(),
        })
    }

    /// The acceptance p of the table, enclosed: the mean relative weight over the space.
    pub fn acceptance(&self, bits: usize) -> Enclosure {
        // Every weight is a few units wide, and there are at most 2²⁴ of them.
        let mut sum = Enclosure::from_integer(0, bits);
        self.target.space().for_each(|point| sum = &sum + &self.target.relative(point, bits).with_bits(bits));
        self.mean(sum)
    }

    /// The coin from bounds on machine words: narrow enough for almost every coin.
    fn roughly(&self) -> Enclosure {
        let (mut low, mut high) = (0u128, 0u128);
        self.target.space().for_each(|point| {
            let bounds = self.target.bounds(point);
            low += u128::from(bounds.floor);
            high += u128::from(bounds.last) + 1;
        });
        self.mean(Enclosure::from_bounds(low.into(), high.into(), 64).with_bits(128))
    }

    fn mean(&self, sum: Enclosure) -> Enclosure {
        let count = Integer::from(self.target.space().count().clone());
        sum.div_integer(&count).unwrap_or(sum)
    }

    /// q/p, for an enclosure of p.
    fn stops(&self, acceptance: &Enclosure) -> Enclosure {
        let one = Enclosure::from_integer(1, acceptance.bits());
        let public = Enclosure::from_rational(&self.public, acceptance.bits());
        let any = || Enclosure::from_bounds(0.into(), one.upper().clone(), one.bits());
        public.checked_div(acceptance).unwrap_or_else(any).min(&one)
    }

    /// A draw with its padded number of tries, which has the same law for every table and is
    /// independent of the point.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> Drawn {
        // The sum is taken before the first try, whatever the coin will ask for.
        let bounds = Bounds::of(&self.stops(self.first.get_or_init(|| self.roughly())));
        let mut drawn = draw(entropy, &mut Uniform(self.target));
        if coin(entropy, bounds, |bits| self.stops(&self.acceptance(bits + 64))) {
            return drawn;
        }
        // A waiting try does what a try does, and is decided by the public coin.
        let mut idle = Vec::new();
        loop {
            drawn.tries += 1;
            let _ = std::hint::black_box(Uniform(self.target).attempt(entropy, &mut idle));
            if integer::bernoulli(entropy, &self.public) {
                return drawn;
            }
        }
    }
}

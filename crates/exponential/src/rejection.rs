//! Rejection: a point is proposed and a coin with its weight decides; the first point that is
//! accepted has the law.
//!
//! An *attempt* proposes and decides once, so that it succeeds with point y with a probability that
//! is one constant times the weight of y. Whatever the constant, a success has the law itself; so
//! attempts of several kinds may take turns, and an attempt may learn from those that failed before
//! it. Proof: `proofs/rejection.md`.

use crate::target::Target;
use exact::Entropy;

/// One try: `true` leaves in `point` a draw of the law.
///
/// Contract: given all that happened before, the probability of success with point y is c·w(y), w
/// the weights of the law and c the same for every y; and c has a lower bound above zero that does
/// not depend on what happened before.
pub trait Attempt {
    /// Tries once.
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool;
}

/// A draw and how many attempts it took. The number tells about the confidential table: it is for
/// tests and experiments on public data, and is never published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// The point.
    pub point: Vec<i64>,
    /// The attempts, the successful one included.
    pub tries: u64,
}

/// Attempts until one succeeds.
pub fn draw<E: Entropy>(entropy: &mut E, attempt: &mut impl Attempt) -> Drawn {
    let mut point = Vec::new();
    let mut tries = 1;
    while !attempt.attempt(entropy, &mut point) {
        tries += 1;
    }
    Drawn { point, tries }
}

/// Attempts of two kinds in turns: never more than about twice the tries of the better of them.
pub fn in_turns<'a, A: Attempt, B: Attempt>(first: &'a mut A, second: &'a mut B) -> impl Attempt + use<'a, A, B> {
    Turns { first, second, is_second: false }
}

struct Turns<'a, A, B> {
    first: &'a mut A,
    second: &'a mut B,
    is_second: bool,
}

impl<A: Attempt, B: Attempt> Attempt for Turns<'_, A, B> {
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool {
        self.is_second = !self.is_second;
        if self.is_second { self.first.attempt(entropy, point) } else { self.second.attempt(entropy, point) }
    }
}

/// Attempts that propose a uniform point of the space.
#[derive(Debug)]
pub struct Uniform<'a, T>(pub &'a T);

impl<T: Target> Attempt for Uniform<'_, T> {
    #[inline]
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool {
        self.0.space().uniform(entropy, point);
        self.0.accepts(entropy, point)
    }
}

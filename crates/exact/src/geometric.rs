//! The geometric and double geometric laws with parameter a = e^{−ε}, ε an exact fraction.
//!
//! `P(G ≥ g) = a^g`, inverted by table. For small ε the draw is cut in two: `G = 2^s·Q + R` with Q
//! geometric of parameter a^{2^s} and, independently, `P(R = r) ∝ a^r` on `0..2^s`; R is a uniform
//! integer accepted with probability a^r. The double geometric is the difference of two independent
//! geometrics.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::Bounds;
use crate::power::Powers;
use crate::rational::Rational;
use crate::survival::{Survival, SurvivalTable};

/// The most entries of the table. With a rate of at least 1/64 fewer than one draw in 10¹³ falls
/// beyond it.
const ENTRIES: usize = 2048;
/// The most low bits drawn apart. A quotient is above 2¹³, and a draw above 2⁶³, with probability
/// below e^{−128}.
const MOST_SHIFT: u32 = 50;

/// The geometric law `P(G = g) = (1 − a)·a^g` on {0, 1, …}, a = e^{−ε}.
#[derive(Debug, Clone)]
pub struct Geometric {
    quotient: Quotient,
    table: SurvivalTable,
    /// The low bits of a draw, when they are drawn apart.
    shift: u32,
    remainder: Powers,
}

/// The law of the quotient: geometric with rate `ε·2^shift`.
#[derive(Debug, Clone)]
struct Quotient(Rational);

impl Survival for Quotient {
    fn survival(&self, index: u64, bits: usize) -> Enclosure {
        Enclosure::exp_rational(&-(&self.0 * &Rational::integer(index)), bits)
    }
}

impl Geometric {
    /// The law with a = e^{−ε}.
    ///
    /// # Panics
    /// When ε is not positive, or so small that draws would leave 64-bit integers.
    pub fn new(epsilon: Rational) -> Self {
        assert!(epsilon.is_positive(), "ε is positive");
        let mut shift = 0;
        let mut rate = epsilon.clone();
        let enough = Rational::new(1, 64u32);
        while rate < enough {
            rate = &rate + &rate;
            shift += 1;
            assert!(shift <= MOST_SHIFT, "ε is too small for 64-bit integers");
        }
        let factor = Enclosure::exp_rational(&-rate.clone(), 192);
        let mut power = Enclosure::from_integer(1, 192);
        let mut entries = vec![Bounds::UNKNOWN];
        // Entries that every word exceeds decide nothing.
        while entries.len() <= ENTRIES && entries.last().is_some_and(|entry| entry.last > 0) {
            power = &power * &factor;
            entries.push(Bounds::of(&power));
        }
        Geometric {
            quotient: Quotient(rate),
            table: SurvivalTable::new(entries),
            shift,
            remainder: Powers::new(epsilon, shift.div_ceil(8).max(1)),
        }
    }

    /// One draw.
    #[inline]
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> u64 {
        let quotient = self.table.draw(entropy, &self.quotient);
        if self.shift == 0 {
            return quotient;
        }
        let remainder = loop {
            let candidate = entropy.bits(self.shift);
            if self.remainder.coin(entropy, candidate) {
                break candidate;
            }
        };
        (quotient << self.shift) + remainder
    }

    /// One draw of the double geometric `P(u) = (1−a)/(1+a)·a^{|u|}`.
    #[inline]
    pub fn draw_double<E: Entropy>(&self, entropy: &mut E) -> i64 {
        self.draw(entropy) as i64 - self.draw(entropy) as i64
    }
}

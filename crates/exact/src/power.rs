//! Powers of e^{−rate} on machine words: e^{−rate·r} for integers r, with bounds.
//!
//! The exponent is cut into bytes; each byte has a table of 256 rounded-down powers, and the result
//! is the product of the entries. Every entry and every product is at most one unit of 2⁻⁶⁴ too
//! small, and a factor is at most one, so the error is at most two units per byte. Beyond the
//! tables' reach nothing is claimed and the lazy comparison refines.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::{Bounds, coin};
use crate::rational::Rational;

/// The powers e^{−rate·r} of a positive rational rate.
#[derive(Debug, Clone)]
pub struct Powers {
    rate: Rational,
    /// `tables[level][byte]`: e^{−rate·byte·256^level}·2⁶⁴, rounded down and below 2⁶⁴.
    tables: Vec<[u64; 256]>,
}

impl Powers {
    /// The powers for exponents `rate·r` with r below `256^levels` on the fast path; any r on the
    /// careful one.
    ///
    /// # Panics
    /// When the rate is not positive.
    pub fn new(rate: Rational, levels: u32) -> Self {
        assert!(rate.is_positive(), "a rate is positive");
        let mut tables = Vec::new();
        let mut step = rate.clone();
        for _ in 0..levels.min(8) {
            // 128 guard bits under the word: 255 products lose far less than one unit of 2⁻⁶⁴.
            let factor = Enclosure::exp_rational(&-step.clone(), 192);
            let mut power = Enclosure::from_integer(1, 192);
            let mut table = [u64::MAX; 256];
            for entry in table.iter_mut().skip(1) {
                power = &power * &factor;
                *entry = Bounds::of(&power).floor;
            }
            tables.push(table);
            step = &step * &Rational::integer(256);
        }
        Powers { rate, tables }
    }

    /// The rate.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// Bounds of e^{−rate·r}.
    #[inline]
    pub fn bounds(&self, r: u64) -> Bounds {
        if r == 0 {
            return Bounds { floor: u64::MAX, last: u64::MAX };
        }
        let (mut product, mut slack, mut rest) = (u64::MAX, 1, r);
        for table in &self.tables {
            let byte = (rest & 255) as usize;
            if byte != 0 {
                product = ((u128::from(product) * u128::from(table[byte])) >> 64) as u64;
                slack += 3;
            }
            rest >>= 8;
            if rest == 0 {
                return Bounds::around(product, slack);
            }
        }
        Bounds::UNKNOWN
    }

    /// An enclosure of e^{−rate·r}.
    pub fn refine(&self, r: u64, bits: usize) -> Enclosure {
        Enclosure::exp_rational(&-(&self.rate * &Rational::integer(r)), bits)
    }

    /// True with probability e^{−rate·r}.
    #[inline]
    pub fn coin<E: Entropy>(&self, entropy: &mut E, r: u64) -> bool {
        r == 0 || coin(entropy, self.bounds(r), |bits| self.refine(r, bits))
    }
}

/// True with probability e^{−x}, for x a fraction not below zero.
pub fn bernoulli_exp<E: Entropy>(entropy: &mut E, x: &Rational) -> bool {
    x.is_zero() || coin(entropy, Bounds::UNKNOWN, |bits| Enclosure::exp_rational(&-x.clone(), bits))
}

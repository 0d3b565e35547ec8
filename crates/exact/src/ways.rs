//! `Ways`: in how many ways k units fall on n cells, C(n+k−1, k), as ratios and logarithms; and
//! `Weights`: laws of k whose weights are made of them.

use crate::bracket::Bracket;
use crate::enclosure::Enclosure;
use crate::lazy::Bounds;
use crate::rational::Rational;
use crate::unimodal::{UnimodalLaw, first_fall, is_at_least};
use dashu_int::{IBig, UBig};

/// Products of at most this many fractions are evaluated as such; longer ones by factorials.
const SHORT: u64 = 4096;

/// The ways to spread units over n ≥ 1 cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ways {
    pub(crate) cells: u64,
}

impl Ways {
    /// Whether the quotient of two numbers of ways, this many units apart, is a short product.
    pub(crate) fn is_short(self, distance: u64) -> bool {
        distance.min(self.cells - 1) <= SHORT
    }

    /// The ways of `high` units over those of `low`, not more, by a product of machine words.
    pub(crate) fn rise(self, low: u64, high: u64) -> Bracket {
        let n = self.cells;
        if high - low < n - 1 {
            let above = Bracket::product((low..high).map(|i| n + i));
            above.over(Bracket::product((low..high).map(|i| i + 1)))
        } else {
            let above = Bracket::product((1..n).map(|i| high + i));
            above.over(Bracket::product((1..n).map(|i| low + i)))
        }
    }

    /// The logarithm of the ways of k units.
    pub(crate) fn logarithm(self, k: u64, bits: usize) -> Enclosure {
        let above = Enclosure::ln_factorial(self.cells + k - 1, bits);
        let below = &Enclosure::ln_factorial(k, bits) + &Enclosure::ln_factorial(self.cells - 1, bits);
        &above - &below
    }
}

/// The law of k with weight `C(n+k−1, k)·a^k` or, with a total t that is not negative,
/// `C(n+k+t−1, k+t)·C(n+k−1, k)·a^k`, where a = e^{−rate}.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    ways: Ways,
    total: Option<u64>,
    rate: Rational,
    pub(crate) mode: u64,
    /// a to 192 bits.
    pub(crate) factor: Enclosure,
    /// a as a bracket, if it does not underflow.
    quick: Option<Bracket>,
}

impl Weights {
    pub(crate) fn new(n: u64, rate: Rational, total: Option<u64>) -> Self {
        let factor = Enclosure::exp_rational(&-&rate, 192);
        let quick = Bracket::of(&factor);
        let mut weights = Weights { ways: Ways { cells: n }, total, rate, mode: 0, factor, quick };
        weights.mode = first_fall(|k| weights.rises(k));
        weights
    }

    /// Whether `a·(n+k) ≥ k+1`, with a total `a·(n+k)(n+t+k) ≥ (k+1)(t+k+1)`.
    pub(crate) fn rises(&self, k: u64) -> bool {
        let (mut above, mut below) = (UBig::from(self.ways.cells) + k, UBig::from(k) + UBig::ONE);
        if let Some(total) = self.total {
            (above, below) = (&above * (&above + total), &below * (&below + total));
        }
        above > below && is_at_least(&self.factor, &-&self.rate, &IBig::from(above), &IBig::from(below))
    }
}

impl UnimodalLaw for Weights {
    fn mode(&self) -> i64 {
        self.mode as i64
    }

    fn bounds(&self, offset: i64) -> Bounds {
        let distance = offset.unsigned_abs();
        if offset < 0 && distance > self.mode {
            return Bounds { floor: 0, last: 0 };
        }
        let Some(factor) = self.quick.filter(|_| self.ways.is_short(distance)) else { return Bounds::UNKNOWN };
        let (low, high) =
            if offset < 0 { (self.mode - distance, self.mode) } else { (self.mode, self.mode + distance) };
        // C(n+high−1, high)/C(n+low−1, low), once without and once with the total added.
        let without = self.ways.rise(low, high);
        let rise = match self.total {
            None => without,
            Some(0) => without.times(without),
            Some(total) => without.times(self.ways.rise(low + total, high + total)),
        };
        let rise = rise.times(factor.power(distance));
        if offset < 0 { Bracket::integer(1).over(rise).bounds() } else { rise.bounds() }
    }

    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        let Some(k) = self.mode.checked_add_signed(offset) else {
            return Enclosure::from_integer(0, bits);
        };
        // Logarithms of factorials of 62-bit numbers have at most 68 bits before the point.
        let working = bits + 72;
        let decay = Enclosure::from_rational(&-(&self.rate * &Rational::integer(offset)), working);
        let ways = |k: u64| {
            let without = self.ways.logarithm(k, working);
            match self.total {
                None => without,
                Some(total) => &without + &self.ways.logarithm(k + total, working),
            }
        };
        (&decay + &(&ways(k) - &ways(self.mode))).exp().with_bits(bits)
    }
}

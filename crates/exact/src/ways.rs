//! `Ways`: in how many ways k units fall on n cells, C(n+k−1, k), as ratios and logarithms.

use crate::bracket::Bracket;
use crate::enclosure::Enclosure;

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

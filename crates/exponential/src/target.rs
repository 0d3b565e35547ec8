//! `Target`: a law on a space, known by its log-weights up to a constant.

use crate::space::Space;
use exact::lazy::{Bounds, coin};
use exact::{Enclosure, Entropy, Rational};

/// A law on the points of a space: the probability of a point is proportional to e to its
/// log-weight.
///
/// What uses a target relies on this: `log_weight` encloses one real number per point, ever more
/// narrowly as `bits` grow; it is nowhere above `upper`.
pub trait Target: Sync {
    /// The points.
    fn space(&self) -> &Space;

    /// The log-weight of a point, enclosed with a width of a few units of 2^−bits.
    fn log_weight(&self, point: &[i64], bits: usize) -> Enclosure;

    /// A number that no log-weight exceeds: the closer, the fewer points are refused.
    fn upper(&self) -> Rational;

    /// Bounds of the relative weight of a point on machine words, where they are cheap.
    fn bounds(&self, _point: &[i64]) -> Bounds {
        Bounds::UNKNOWN
    }

    /// The weight of a point relative to the upper bound: a number in (0, 1].
    fn relative(&self, point: &[i64], bits: usize) -> Enclosure {
        // Four bits more than asked for: the exponential widens by a few units.
        let bits = bits + 4;
        (&self.log_weight(point, bits) - &Enclosure::from_rational(&self.upper(), bits)).exp()
    }

    /// True with the probability that is the relative weight of the point.
    #[inline]
    fn accepts<E: Entropy>(&self, entropy: &mut E, point: &[i64]) -> bool {
        coin(entropy, self.bounds(point), |bits| self.relative(point, bits))
    }
}

//! Draws an index in proportion to weights that are known approximately, exactly as if they were
//! known.
//!
//! Weights come in levels: each knows them more precisely, and may know of more indices. One
//! uniform number is compared with the cumulative weights of a level; what the level cannot decide
//! is decided by more bits or by the next level, with the bits already seen. Indices keep one order
//! in all levels, so the answer is that of the true weights: exact. Proof: `proofs/positive.md`.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::Uniform;
use crate::positive::Positive;
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};

/// Weights of indices, in the order that all levels share.
///
/// The true weight of entry i is `weights[i]·(1 + u)^{±roundings}` plus a part that is missing; the
/// missing parts of all indices, those not listed included, add up to at most `missing`.
#[derive(Debug, Clone)]
pub struct Weighted<T> {
    /// The weights that are accounted for.
    pub weights: Vec<T>,
    /// The longest chain of roundings behind a weight.
    pub roundings: u64,
    /// An upper bound of all weight that is not accounted for.
    pub missing: T,
    /// The bits of numbers that have a choice of them.
    pub bits: u32,
}

/// What a level can say about a uniform number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It lies in the part of this entry of the list.
    Index(usize),
    /// More bits of the number might decide.
    MoreBits,
    /// The weights are not known precisely enough.
    MorePrecision,
}

impl<T: Positive> Weighted<T> {
    /// Where the uniform number falls, if this level can tell.
    pub fn decide(&self, uniform: &Uniform) -> Decision {
        let mut sums = Vec::with_capacity(self.weights.len());
        let mut sum = T::zero();
        for weight in &self.weights {
            sum = sum.plus(weight);
            sums.push(sum.clone());
        }
        // With nothing missing, what is not before the last entry that has weight is in it.
        let Some(last) = self.weights.iter().rposition(|weight| !weight.is_zero()) else {
            return Decision::MorePrecision;
        };
        let Some(error) = self.relative_error() else { return Decision::MorePrecision };
        if uniform.known() >= 53
            && let Some(index) = self.quick(&sums, uniform, error)
        {
            return Decision::Index(index);
        }
        let bounds = Cumulative::new(&sums, &self.missing, self.roundings + sums.len() as u64, T::precision(self.bits));
        // The place of the number: all before it is certainly below, it is certainly below the
        // share of its entry.
        let compare = |share: Enclosure| match uniform.below(&share) {
            Some(below) => Ok(below),
            None if share.width().bit_len() + uniform.known() + 2 >= share.bits() => Err(Decision::MorePrecision),
            None => Err(Decision::MoreBits),
        };
        let (mut low, mut high) = (0, if self.missing.is_zero() { last } else { sums.len() });
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(bounds.share(middle)) {
                Ok(true) => high = middle,
                Ok(false) => low = middle + 1,
                Err(undecided) => return undecided,
            }
        }
        // Indices that are not listed may come before the first.
        match low {
            0 => match compare(bounds.before()) {
                Ok(false) => Decision::Index(0),
                Ok(true) => Decision::MorePrecision,
                Err(undecided) => undecided,
            },
            _ if low == sums.len() => Decision::MorePrecision,
            _ => Decision::Index(low),
        }
    }

    /// `(1 + u)^{k} − 1`, rounded up generously; `None` when the weights are worth nothing.
    fn relative_error(&self) -> Option<f64> {
        let chain = (self.roundings + self.weights.len() as u64 + 2) as f64;
        let error = 4.0 * chain * 2f64.powi(-(T::precision(self.bits).min(1000) as i32));
        (error < 0.25).then_some(error)
    }

    /// The answer by machine numbers, when the number is far enough from every boundary.
    fn quick(&self, sums: &[T], uniform: &Uniform, error: f64) -> Option<usize> {
        let scale = -sums.last()?.magnitude()?;
        let total = sums.last()?.shifted(scale).to_f64();
        // The error of the shares, the missing weight, and the rounding of the few operations here.
        let margin = 4.0 * error + 4.0 * self.missing.shifted(scale).to_f64() / total + 2f64.powi(-49);
        if margin.is_nan() || margin >= 0.25 {
            return None;
        }
        let number = uniform.leading();
        let share = |index: usize| sums[index].shifted(scale).to_f64() / total;
        let index = sums.partition_point(|sum| sum.shifted(scale).to_f64() / total <= number);
        let above = index < sums.len() && number + margin < share(index);
        let below = index == 0 && number > margin || index > 0 && number - margin > share(index - 1);
        (above && below).then_some(index)
    }
}

/// Bounds of the cumulative shares of a level, in common integer units.
struct Cumulative {
    /// The sums in units of the smallest exponent.
    sums: Vec<UBig>,
    missing: UBig,
    /// The relative error is below `chain·2^−precision·2`.
    chain: UBig,
    precision: usize,
}

impl Cumulative {
    fn new<T: Positive>(sums: &[T], missing: &T, roundings: u64, precision: u32) -> Self {
        let parts: Vec<(UBig, i64)> = sums.iter().map(Positive::parts).collect();
        let (missing, missing_power) = missing.parts();
        // Units small enough for every sum, and for rounding up by one of them to be nothing; the
        // missing weight is rounded up to them.
        let least = parts.iter().filter(|(sum, _)| !sum.is_zero()).map(|(_, power)| *power).min().unwrap_or(0);
        let largest = sums.last().and_then(Positive::magnitude).unwrap_or(0);
        let least = least.min(largest - i64::from(precision) - 64);
        let whole = |(sum, power): (UBig, i64)| if sum.is_zero() { sum } else { sum << (power - least) as usize };
        let missing = match missing_power - least {
            _ if missing.is_zero() => missing,
            up @ 0.. => missing << up as usize,
            down => (missing >> down.unsigned_abs() as usize) + UBig::ONE,
        };
        Cumulative {
            sums: parts.into_iter().map(whole).collect(),
            missing,
            chain: UBig::from(2 * (roundings + 1)),
            precision: precision as usize,
        }
    }

    /// Bounds of a true sum: `sum·(1 ∓ chain/2^precision)`, and the missing weight above.
    fn bounds(&self, sum: &UBig) -> (UBig, UBig) {
        let slack = ((sum * &self.chain) >> self.precision) + UBig::ONE;
        let lower = if slack >= *sum { UBig::ZERO } else { sum - &slack };
        (lower, sum + slack + &self.missing)
    }

    /// The share of all weight at or before an entry.
    fn share(&self, index: usize) -> Enclosure {
        self.divided(self.bounds(&self.sums[index]))
    }

    /// The share of what is not listed and comes before the first entry.
    fn before(&self) -> Enclosure {
        self.divided((UBig::ZERO, self.missing.clone()))
    }

    /// A part of the whole, both between bounds, as a share.
    fn divided(&self, (part, part_upper): (UBig, UBig)) -> Enclosure {
        let bits = self.precision + 64;
        let (whole, whole_upper) = self.bounds(&self.sums[self.sums.len() - 1]);
        let one = UBig::ONE << bits;
        let lower = (part << bits) / whole_upper;
        let upper = if whole.is_zero() { one.clone() } else { ceiling(part_upper << bits, whole).min(one) };
        Enclosure::from_bounds(IBig::from(lower), IBig::from(upper), bits)
    }
}

fn ceiling(numerator: UBig, denominator: UBig) -> UBig {
    (numerator + &denominator - UBig::ONE) / denominator
}

/// Draws an index: `level(n, uniform)` is what level n says. Levels must become arbitrarily
/// precise.
pub fn choose<E: Entropy>(entropy: &mut E, mut level: impl FnMut(usize, &Uniform) -> Decision) -> usize {
    let mut uniform = Uniform::from_bits(0, 0);
    if entropy.stride() == 64 {
        uniform.reveal(entropy);
    }
    let mut current = 0;
    loop {
        match level(current, &uniform) {
            Decision::Index(index) => return index,
            Decision::MoreBits => uniform.reveal(entropy),
            Decision::MorePrecision => current += 1,
        }
    }
}

//! Non-negative fixed-point numbers for the inner series: machine words when few bits are asked
//! for, a big integer otherwise, with every rounding down.

use dashu_int::UBig;

/// Fraction bits up to which the words of [`Limbs`] are used.
const MOST_LIMB_BITS: usize = 320;

/// A non-negative number with a fixed count of fraction bits; its integer part is below `2^64`.
///
/// Products and quotients are rounded down by less than one unit of the last place; sums,
/// differences and integers are exact.
pub(super) trait FixedPoint: Sized {
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// Twice this.
    fn doubled(self) -> Self;
    /// The quotient by a machine word.
    fn over(self, divisor: u64) -> Self;
    /// The sum with an integer.
    fn plus_integer(self, integer: u64) -> Self;
    /// An integer minus this, which is at most the integer.
    fn from_integer_minus(integer: u64, subtracted: &Self) -> Self;
    /// An integer in the format of `like`.
    fn integer(integer: u64, like: &Self) -> Self;
}

/// A function on fixed-point numbers, written once for both representations.
pub(super) trait Series {
    /// The value at `argument`.
    fn evaluate<F: FixedPoint>(&self, argument: F) -> F;
}

/// Evaluates a series at `argument * 2^-scale`, below 1, computing with at least `bits` fraction
/// bits, and rounds the result down to a multiple of `2^-bits`; `scale <= bits`.
pub(super) fn evaluate(series: &impl Series, argument: &UBig, scale: usize, bits: usize) -> UBig {
    match bits.div_ceil(64) {
        0 | 1 => with_limbs::<2>(series, argument, scale, bits),
        2 => with_limbs::<3>(series, argument, scale, bits),
        3 => with_limbs::<4>(series, argument, scale, bits),
        4 => with_limbs::<5>(series, argument, scale, bits),
        5 => with_limbs::<6>(series, argument, scale, bits),
        _ => {
            debug_assert!(bits > MOST_LIMB_BITS);
            series.evaluate(Big { value: argument << (bits - scale), bits }).value
        }
    }
}

fn with_limbs<const N: usize>(series: &impl Series, argument: &UBig, scale: usize, bits: usize) -> UBig {
    let fraction_bits = 64 * (N - 1);
    let argument = Limbs::<N>::from_integer(&(argument << (fraction_bits - scale)));
    series.evaluate(argument).to_integer() >> (fraction_bits - bits)
}

/// `N` words, the lowest first; the last is the integer part.
#[derive(Clone, Copy)]
pub(super) struct Limbs<const N: usize>(pub(super) [u64; N]);

impl<const N: usize> Limbs<N> {
    pub(super) fn from_integer(value: &UBig) -> Self {
        let mut limbs = [0; N];
        let words_per_limb = (u64::BITS / dashu_int::Word::BITS) as usize;
        for (limb, words) in limbs.iter_mut().zip(value.as_words().chunks(words_per_limb)) {
            for (place, &word) in words.iter().enumerate() {
                *limb |= (u128::from(word) << (place as u32 * dashu_int::Word::BITS)) as u64;
            }
        }
        Limbs(limbs)
    }

    pub(super) fn to_integer(self) -> UBig {
        UBig::from_le_bytes(self.0.map(u64::to_le_bytes).as_flattened())
    }
}

impl<const N: usize> FixedPoint for Limbs<N> {
    fn times(&self, other: &Self) -> Self {
        let (mut low, mut high) = ([0u64; N], [0u64; N]);
        for (i, &left) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &right) in other.0.iter().enumerate() {
                let slot = if i + j < N { &mut low[i + j] } else { &mut high[i + j - N] };
                let sum = u128::from(left) * u128::from(right) + u128::from(*slot) + u128::from(carry);
                *slot = sum as u64;
                carry = (sum >> 64) as u64;
            }
            high[i] = carry;
        }
        debug_assert_eq!(high[N - 1], 0, "the integer part of a product fits a word");
        let mut product = [0; N];
        product[0] = low[N - 1];
        product[1..].copy_from_slice(&high[..N - 1]);
        Limbs(product)
    }

    fn doubled(self) -> Self {
        let mut carry = 0;
        Limbs(self.0.map(|limb| {
            let shifted = limb << 1 | carry;
            carry = limb >> 63;
            shifted
        }))
    }

    fn over(self, divisor: u64) -> Self {
        let mut quotient = self.0;
        let mut rest = 0u64;
        for limb in quotient.iter_mut().rev() {
            let part = u128::from(rest) << 64 | u128::from(*limb);
            *limb = (part / u128::from(divisor)) as u64;
            rest = (part % u128::from(divisor)) as u64;
        }
        Limbs(quotient)
    }

    fn plus_integer(mut self, integer: u64) -> Self {
        self.0[N - 1] += integer;
        self
    }

    fn from_integer_minus(integer: u64, subtracted: &Self) -> Self {
        let mut difference = [0; N];
        difference[N - 1] = integer;
        let mut borrow = false;
        for (limb, &less) in difference.iter_mut().zip(&subtracted.0) {
            let (once, first) = limb.overflowing_sub(less);
            let (twice, second) = once.overflowing_sub(u64::from(borrow));
            *limb = twice;
            borrow = first || second;
        }
        debug_assert!(!borrow, "the difference is not negative");
        Limbs(difference)
    }

    fn integer(integer: u64, _like: &Self) -> Self {
        Limbs([0; N]).plus_integer(integer)
    }
}

/// An integer number of units of `2^-bits`.
pub(super) struct Big {
    pub(super) value: UBig,
    pub(super) bits: usize,
}

impl FixedPoint for Big {
    fn times(&self, other: &Self) -> Self {
        Big { value: (&self.value * &other.value) >> self.bits, bits: self.bits }
    }

    fn doubled(self) -> Self {
        Big { value: self.value << 1, bits: self.bits }
    }

    fn over(self, divisor: u64) -> Self {
        Big { value: self.value / divisor, bits: self.bits }
    }

    fn plus_integer(self, integer: u64) -> Self {
        Big { value: self.value + (UBig::from(integer) << self.bits), bits: self.bits }
    }

    fn from_integer_minus(integer: u64, subtracted: &Self) -> Self {
        let bits = subtracted.bits;
        Big { value: (UBig::from(integer) << bits) - &subtracted.value, bits }
    }

    fn integer(integer: u64, like: &Self) -> Self {
        Big { value: UBig::from(integer) << like.bits, bits: like.bits }
    }
}

//! `Key`: the values of all forms of a join packed into one number, a field for each, so that a
//! pair of entries is one addition.
//!
//! Fields never overflow: each is as wide as the largest sum that can stand in it. 127 bits are
//! enough almost everywhere and are one machine operation; where more sums meet, several words take
//! their place, and a field lies within one word.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// Packed values.
pub(crate) trait Key: Copy + Eq + Hash + Send + Sync + Debug + 'static {
    /// Nothing in any field.
    const ZERO: Self;

    /// Where a field of so many bits, at most 64, begins after others that end here; `None` when
    /// there is no room.
    fn place(end: u32, bits: u32) -> Option<u32>;

    /// A number in the field that begins here.
    fn put(number: u64, shift: u32) -> Self;

    /// The number in a field.
    fn get(self, shift: u32, bits: u32) -> u64;

    /// Both, field by field; no field overflows.
    fn plus(self, other: Self) -> Self;

    /// The difference, field by field; no field is below the other's.
    fn minus(self, other: Self) -> Self;

    /// The bits that both have.
    fn and(self, other: Self) -> Self;

    /// The bits that one of them has.
    fn or(self, other: Self) -> Self;

    /// The first bits, as an index.
    fn index(self) -> usize;

    /// The other way round, for keys that fit.
    fn of_index(index: usize) -> Self {
        Self::put(index as u64, 0)
    }
}

/// As many ones.
fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

impl Key for u128 {
    const ZERO: u128 = 0;

    fn place(end: u32, bits: u32) -> Option<u32> {
        (end + bits < u128::BITS).then_some(end)
    }

    #[inline]
    fn put(number: u64, shift: u32) -> u128 {
        u128::from(number) << shift
    }

    #[inline]
    fn get(self, shift: u32, bits: u32) -> u64 {
        (self >> shift) as u64 & ones(bits)
    }

    #[inline]
    fn plus(self, other: u128) -> u128 {
        self + other
    }

    #[inline]
    fn minus(self, other: u128) -> u128 {
        self - other
    }

    #[inline]
    fn and(self, other: u128) -> u128 {
        self & other
    }

    #[inline]
    fn or(self, other: u128) -> u128 {
        self | other
    }

    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// Several words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words<const N: usize>([u64; N]);

impl<const N: usize> Hash for Words<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|word| state.write_u128(u128::from(*word)));
    }
}

impl<const N: usize> Words<N> {
    fn each(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Words(std::array::from_fn(|word| operation(self.0[word], other.0[word])))
    }
}

impl<const N: usize> Key for Words<N> {
    const ZERO: Self = Words([0; N]);

    fn place(end: u32, bits: u32) -> Option<u32> {
        let shift = if end % 64 + bits > 64 { end.next_multiple_of(64) } else { end };
        (shift + bits <= 64 * N as u32).then_some(shift)
    }

    fn put(number: u64, shift: u32) -> Self {
        let mut words = [0; N];
        // A field without bits may begin behind the last word.
        if let Some(word) = words.get_mut(shift as usize / 64) {
            *word = number << (shift % 64);
        }
        Words(words)
    }

    fn get(self, shift: u32, bits: u32) -> u64 {
        self.0.get(shift as usize / 64).map_or(0, |word| word >> (shift % 64) & ones(bits))
    }

    fn plus(self, other: Self) -> Self {
        self.each(other, u64::wrapping_add)
    }

    fn minus(self, other: Self) -> Self {
        self.each(other, u64::wrapping_sub)
    }

    fn and(self, other: Self) -> Self {
        self.each(other, |one, two| one & two)
    }

    fn or(self, other: Self) -> Self {
        self.each(other, |one, two| one | two)
    }

    fn index(self) -> usize {
        self.0[0] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Words};

    fn fields_come_back<K: Key>(bits: &[u32]) -> Option<()> {
        let (mut end, mut key, mut twice, mut places) = (0, K::ZERO, K::ZERO, Vec::new());
        for (number, bits) in bits.iter().enumerate() {
            let shift = K::place(end, *bits)?;
            let value = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1
                & if *bits > 1 { (1 << (bits - 1)) - 1 } else { 0 };
            key = key.or(K::put(value, shift));
            twice = twice.plus(K::put(value, shift)).plus(K::put(value, shift));
            places.push((shift, *bits, value));
            end = shift + bits;
        }
        for (shift, bits, value) in places {
            assert_eq!((key.get(shift, bits), twice.get(shift, bits)), (value, 2 * value));
            assert_eq!(twice.minus(key).get(shift, bits), value);
            assert_eq!(key.and(K::put((1 << (bits - 1)) - 1, shift)).get(shift, bits), value);
        }
        Some(())
    }

    #[test]
    fn numbers_come_back_from_their_fields() {
        assert!(fields_come_back::<u128>(&[12, 40, 1, 60, 14]).is_some());
        assert!(fields_come_back::<u128>(&[12, 40, 1, 60, 15]).is_none(), "127 bits and no more");
        assert!(fields_come_back::<Words<4>>(&[40, 40, 40, 40]).is_some());
        assert!(fields_come_back::<Words<4>>(&[40, 40, 40, 40, 40]).is_none(), "a field lies within one word");
        assert!(fields_come_back::<Words<16>>(&[33; 16]).is_some());
        assert!(fields_come_back::<Words<16>>(&[30; 32]).is_some());
        assert_eq!(<Words<4>>::of_index(77).index(), 77);
    }
}

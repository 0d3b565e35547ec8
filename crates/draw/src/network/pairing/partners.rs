//! `Partners`: the entries of a part by what their keys have in common.

use super::key::Key;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A quick hash of packed values.
#[derive(Debug, Default, Clone)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u128(u128::from(*byte)));
    }

    /// Both halves of a product of 128 bits, mixed: fields stand at any place of a key, and each
    /// must move all bits of the hash.
    fn write_u128(&mut self, value: u128) {
        let low = (value as u64) ^ self.0 ^ 0x9E37_79B9_7F4A_7C15;
        let high = ((value >> 64) as u64) ^ 0xD1B5_4A32_D192_ED03;
        let product = u128::from(low) * u128::from(high);
        let folded = (product as u64) ^ ((product >> 64) as u64);
        let mixed = (folded ^ (folded >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

pub(super) type Keyed<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// Entries by a part of their keys, each in its order: one list for all of them.
#[derive(Debug)]
pub(super) struct Partners<K> {
    /// Where the entries of a key begin, and how many there are.
    ranges: Keyed<K, (u32, u32)>,
    entries: Vec<u32>,
}

impl<K: Key> Partners<K> {
    pub(super) fn new(keys: &[K], mask: K) -> Self {
        let mut ranges: Keyed<K, (u32, u32)> = Keyed::default();
        keys.iter().for_each(|key| ranges.entry(key.and(mask)).or_default().1 += 1);
        let mut begin = 0;
        for (first, count) in ranges.values_mut() {
            (*first, begin) = (begin, begin + std::mem::take(count));
        }
        let mut entries = vec![0; keys.len()];
        for (entry, key) in keys.iter().enumerate() {
            let (first, count) = ranges.entry(key.and(mask)).or_default();
            entries[(*first + *count) as usize] = entry as u32;
            *count += 1;
        }
        Partners { ranges, entries }
    }

    pub(super) fn of(&self, key: &K) -> &[u32] {
        let range = self.ranges.get(key);
        range.map_or(&[], |(begin, count)| &self.entries[*begin as usize..(*begin + *count) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::KeyHasher;
    use std::collections::HashSet;
    use std::hash::Hasher;

    /// A table of hashes looks at their first bits for a place and at their last ones for a tag.
    #[test]
    fn fields_move_all_bits_of_a_hash_wherever_they_stand() {
        for shift in 0..112 {
            let (mut places, mut tags) = (HashSet::new(), HashSet::new());
            for field in 0..1u128 << 14 {
                let mut hasher = KeyHasher::default();
                hasher.write_u128(field << shift);
                places.insert(hasher.finish() & 0x3FFF);
                tags.insert(hasher.finish() >> 57);
            }
            // Of as many places as there are keys chance takes 63 %.
            assert!(places.len() > 9500 && tags.len() == 128, "{shift}: {} places", places.len());
        }
    }
}

//! `TextEntries`: the entries of texts that were looked up before, for columns that hand over a
//! text for every row.
//!
//! A text has a place, by its length and bytes, that it shares with others; the last one looked up
//! there is remembered. So the memory is bounded, and an entry is what looking it up would give:
//! texts are compared whole.

use super::column::Texts;

/// The longest text that is its own key, as in the views of Arrow: four bytes are its length.
const SHORT: usize = 12;

/// Texts that are remembered at once, of either kind: a power of two.
const PLACES: usize = 1 << 12;

/// A short text: its length, then its bytes, then zeros.
type Key = u128;

/// No text has this key: its length would be beyond the short ones.
const NONE: Key = u128::MAX;

/// What is remembered of one column.
#[derive(Clone, Default)]
pub(crate) struct TextEntries {
    /// Short texts; empty until the first is seen.
    short: Vec<(Key, u64)>,
    /// Long ones.
    long: Vec<(Box<[u8]>, u64)>,
}

impl TextEntries {
    /// The entry of these bytes: remembered, or found by `look`.
    #[inline]
    pub fn of(&mut self, bytes: &[u8], look: impl FnOnce(&[u8]) -> u64) -> u64 {
        if bytes.len() <= SHORT { self.of_short(key_of(bytes), || look(bytes)) } else { self.of_long(bytes, look) }
    }

    /// The entry of the text of a row, which is not null.
    #[inline]
    pub fn of_row(&mut self, texts: &Texts<'_>, row: usize, look: impl FnOnce(&[u8]) -> u64) -> u64 {
        // A view of a short text holds all of it, and is its key: nothing is copied.
        let view = match texts {
            Texts::View(array) => array.views().get(row),
            Texts::ViewBytes(array) => array.views().get(row),
            _ => None,
        };
        match view {
            Some(view) if *view as u32 as usize <= SHORT => self.of_short(*view, || look(texts.bytes(row))),
            _ => self.of(texts.bytes(row), look),
        }
    }

    #[inline]
    fn of_short(&mut self, key: Key, look: impl FnOnce() -> u64) -> u64 {
        if self.short.is_empty() {
            self.short = vec![(NONE, 0); PLACES];
        }
        let place = place_of(key as u64, (key >> 64) as u64);
        let (known, entry) = &mut self.short[place];
        if *known != key {
            (*known, *entry) = (key, look());
        }
        *entry
    }

    fn of_long(&mut self, bytes: &[u8], look: impl FnOnce(&[u8]) -> u64) -> u64 {
        if self.long.is_empty() {
            self.long = vec![(Box::default(), 0); PLACES];
        }
        let (first, last) = (bytes.first_chunk().unwrap_or(&[0; 8]), bytes.last_chunk().unwrap_or(&[0; 8]));
        let ends = u64::from_le_bytes(*first) ^ (bytes.len() as u64).rotate_left(48);
        let (known, entry) = &mut self.long[place_of(ends, u64::from_le_bytes(*last))];
        // Empty is none: long texts are not.
        if **known != *bytes {
            (*known, *entry) = (bytes.into(), look(bytes));
        }
        *entry
    }
}

/// The key of a short text.
#[inline]
fn key_of(bytes: &[u8]) -> Key {
    let mut key = [0; 16];
    key[..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    key[4..4 + bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(key)
}

#[inline]
fn place_of(low: u64, high: u64) -> usize {
    // Odd numbers without pattern: every bit of a text reaches the highest ones of the product.
    let mixed = (low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> (u64::BITS - PLACES.ilog2())) as usize
}

//! `Decoded`: text in Windows-1252 as UTF-8, byte by byte.

use std::io::{self, Read};

/// The letters of the bytes from 0x80 to 0x9f. Five bytes have none and stay control characters, as
/// browsers read them; all others are the letter with their number.
const SPECIAL: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The bytes that are read and decoded at a time.
const PORTION: usize = 1 << 16;

/// A source of Windows-1252, read as UTF-8.
pub(crate) struct Decoded<R> {
    source: R,
    raw: Vec<u8>,
    text: Vec<u8>,
    /// How much of the text has been handed on.
    done: usize,
}

impl<R: Read> Decoded<R> {
    /// The text of a source.
    pub fn new(source: R) -> Self {
        Decoded { source, raw: vec![0; PORTION], text: Vec::new(), done: 0 }
    }
}

fn letter(byte: u8) -> char {
    match byte {
        0x80..=0x9f => SPECIAL[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.done == self.text.len() {
            let length = self.source.read(&mut self.raw)?;
            self.text.clear();
            self.done = 0;
            for byte in &self.raw[..length] {
                if byte.is_ascii() {
                    self.text.push(*byte);
                } else {
                    let mut bytes = [0; 4];
                    self.text.extend_from_slice(letter(*byte).encode_utf8(&mut bytes).as_bytes());
                }
            }
        }
        let rest = &self.text[self.done..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.done += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_one_letter_however_it_is_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut whole = String::new();
        Decoded::new(bytes.as_slice()).read_to_string(&mut whole).expect("memory");
        let letters: Vec<char> = whole.chars().collect();
        assert_eq!(letters.len(), 256);
        assert_eq!((letters[0x41], letters[0xe9], letters[0x80], letters[0xa0]), ('A', 'é', '€', '\u{a0}'));
        let mut apart = Vec::new();
        let mut decoded = Decoded::new(bytes.as_slice());
        let mut one = [0];
        while decoded.read(&mut one).expect("memory") == 1 {
            apart.push(one[0]);
        }
        assert_eq!(apart, whole.as_bytes());
        let different: std::collections::HashSet<char> = letters.into_iter().collect();
        assert_eq!(different.len(), 256);
    }
}

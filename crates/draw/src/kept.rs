//! Draws that are kept: what was paid for, under authenticated encryption, outlives the process
//! that drew it.
//!
//! Only what [`Drawn::keep`] or [`Measured::keep`] wrote under a key can be opened with it, so
//! whoever cannot encrypt by other means under that key makes no draw of something else: the type
//! still says where the random bits came from.

use crate::drawn::Drawn;
use crate::exactness::Exactness;
use crate::measured::Measured;
use analyse::Fibre;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use declare::Problem;
use exact::{SystemEntropy, SystemSeed};
use std::fmt;
use zeroize::Zeroizing;

/// What a kept draw begins with.
const MARK: &[u8] = b"congenial kept draw 1\n";

/// The bytes of a nonce, which is random: one key may keep several things.
const NONCE: usize = 24;

/// A key for one entry of a ledger; wiped from memory after use.
pub struct KeepingKey(Zeroizing<[u8; 32]>);

impl fmt::Debug for KeepingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeepingKey(redacted)")
    }
}

impl KeepingKey {
    /// A key of these bytes.
    pub fn new(bytes: Zeroizing<[u8; 32]>) -> KeepingKey {
        KeepingKey(bytes)
    }

    /// Keeps the seed of a draw before its first bit is used: authenticated, so that no other one
    /// is taken for it.
    pub fn seal_seed(&self, seed: &SystemSeed) -> Result<Vec<u8>, Problem> {
        self.encrypted("seed", seed.bytes())
    }

    /// The seed that was kept under this key; `None` when this is none.
    pub fn open_seed(&self, kept: &[u8]) -> Option<SystemSeed> {
        let plain = self.decrypted("seed", kept)?;
        <[u8; 32]>::try_from(plain.as_slice()).ok().map(SystemSeed::kept)
    }

    fn encrypted(&self, kind: &str, plain: &[u8]) -> Result<Vec<u8>, Problem> {
        let unkept = || Problem::system("a draw could not be encrypted to be kept");
        let mut nonce = [0u8; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| unkept())?;
        let cipher = XChaCha20Poly1305::new_from_slice(self.0.as_ref()).map_err(|_| unkept())?;
        let payload = Payload { msg: plain, aad: kind.as_bytes() };
        let sealed = cipher.encrypt(&nonce.into(), payload).map_err(|_| unkept())?;
        Ok([MARK, &nonce, &sealed].concat())
    }

    fn decrypted(&self, kind: &str, kept: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let rest = kept.strip_prefix(MARK).filter(|rest| rest.len() > NONCE)?;
        let (nonce, sealed) = rest.split_at(NONCE);
        let nonce: [u8; NONCE] = nonce.try_into().ok()?;
        let cipher = XChaCha20Poly1305::new_from_slice(self.0.as_ref()).ok()?;
        let payload = Payload { msg: sealed, aad: kind.as_bytes() };
        cipher.decrypt(&nonce.into(), payload).ok().map(Zeroizing::new)
    }

    fn seal(&self, kind: &str, exactness: &Exactness, values: &[i64]) -> Result<Vec<u8>, Problem> {
        let mut plain = Zeroizing::new(format!("{exactness:?}\n").into_bytes());
        plain.reserve(values.len() * 3);
        values.iter().for_each(|value| put(&mut plain, *value));
        self.encrypted(kind, &plain)
    }

    fn open(&self, kind: &str, exactness: &Exactness, kept: &[u8]) -> Result<Vec<i64>, Problem> {
        let plain = self.decrypted(kind, kept).ok_or_else(damaged)?;
        let expected = format!("{exactness:?}\n");
        let numbers = plain.strip_prefix(expected.as_bytes()).ok_or_else(|| {
            Problem::refused("the draw that is kept was not made as the plan says now")
                .hint("another version of congenial made it: use that one")
        })?;
        let (mut values, mut place) = (Vec::new(), 0);
        while place < numbers.len() {
            values.push(take(numbers, &mut place).ok_or_else(damaged)?);
        }
        Ok(values)
    }
}

fn damaged() -> Problem {
    Problem::bad("the draw that is kept is damaged, or another ledger or entry paid for it")
        .hint("what it cost stays spent; a new draw pays again")
}

/// Small numbers take one byte: the sign is the lowest bit, and seven bits go into each.
fn put(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn take(bytes: &[u8], place: &mut usize) -> Option<i64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let byte = *bytes.get(*place)?;
        *place += 1;
        if shift > 63 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((value >> 1) as i64 ^ -((value & 1) as i64));
        }
        shift += 7;
    }
}

impl Drawn<SystemEntropy> {
    /// The draw as bytes that only this key opens.
    pub fn keep(&self, key: &KeepingKey) -> Result<Vec<u8>, Problem> {
        key.seal("counts", self.exactness(), self.values())
    }

    /// The draw that was kept under this key: so many cells, drawn as exactly as that.
    ///
    /// # Errors
    /// When the bytes are not what [`Drawn::keep`] wrote under this key, or are of another table.
    pub fn kept(bytes: &[u8], key: &KeepingKey, cells: usize, exactness: Exactness) -> Result<Self, Problem> {
        let values = key.open("counts", &exactness, bytes)?;
        if values.len() != cells {
            return Err(damaged());
        }
        Ok(Drawn::new(values, exactness))
    }
}

impl<'a> Measured<'a, SystemEntropy> {
    /// The measurements as bytes that only this key opens.
    pub fn keep(&self, key: &KeepingKey) -> Result<Vec<u8>, Problem> {
        key.seal("measurements", self.exactness(), self.values())
    }

    /// The measurements of these blocks that were kept under this key.
    ///
    /// # Errors
    /// When the bytes are not what [`Measured::keep`] wrote under this key, or are of other blocks.
    pub fn kept(bytes: &[u8], key: &KeepingKey, fibres: &[&'a Fibre], exactness: Exactness) -> Result<Self, Problem> {
        let values = key.open("measurements", &exactness, bytes)?;
        Measured::again(fibres, values, exactness).ok_or_else(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeepingKey, put, take};
    use crate::drawn::Drawn;
    use crate::exactness::Exactness;
    use exact::SystemEntropy;
    use zeroize::Zeroizing;

    fn key(byte: u8) -> KeepingKey {
        KeepingKey::new(Zeroizing::new([byte; 32]))
    }

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, -1, 63, 64, -64, -65, 1 << 40, i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put(&mut bytes, *number));
        let mut place = 0;
        let found: Option<Vec<i64>> = numbers.iter().map(|_| take(&bytes, &mut place)).collect();
        assert_eq!((found.as_deref(), place), (Some(numbers.as_slice()), bytes.len()));
    }

    #[test]
    fn a_seed_is_opened_by_its_key_alone_and_is_no_draw() {
        let seed = exact::SystemSeed::fresh().unwrap();
        let kept = key(1).seal_seed(&seed).unwrap();
        assert_eq!(key(1).open_seed(&kept).unwrap().bytes(), seed.bytes());
        assert!(key(2).open_seed(&kept).is_none());
        assert!(key(1).open_seed(&kept[1..]).is_none() && key(1).open_seed(&kept[..kept.len() - 1]).is_none());
        let drawn: Drawn<SystemEntropy> = Drawn::new(vec![3; 32], Exactness::Exact);
        assert!(key(1).open_seed(&drawn.keep(&key(1)).unwrap()).is_none(), "a draw is no seed");
    }

    #[test]
    fn a_draw_is_opened_by_its_key_alone_and_whole() {
        let drawn: Drawn<SystemEntropy> = Drawn::new(vec![3, -70_000, 5], Exactness::Exact);
        let kept = drawn.keep(&key(1)).unwrap();
        let open = |bytes: &[u8], key: &KeepingKey, cells| Drawn::kept(bytes, key, cells, Exactness::Exact);
        assert_eq!(open(&kept, &key(1), 3).unwrap().values(), drawn.values());
        assert!(open(&kept, &key(2), 3).is_err(), "another key");
        assert!(open(&kept, &key(1), 4).is_err(), "another table");
        assert!(Drawn::kept(&kept, &key(1), 3, Exactness::Unproven).is_err(), "drawn otherwise");
        for place in 0..kept.len() {
            let mut changed = kept.clone();
            changed[place] ^= 1;
            assert!(open(&changed, &key(1), 3).is_err(), "byte {place}");
            assert!(open(&kept[..place], &key(1), 3).is_err(), "{place} bytes");
        }
        assert!(!kept.windows(2).any(|pair| pair == b"Ex"), "nothing of it is readable");
        assert_ne!(kept, drawn.keep(&key(1)).unwrap(), "a nonce is used once");
    }
}

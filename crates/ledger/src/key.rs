//! `Key`: the secret of a ledger, which seals its history and makes fingerprints.

use crate::text::{hex, unhex};
use declare::Problem;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroizing;

/// 32 random bytes, created with the ledger and kept in its database; wiped from memory when the
/// ledger is closed.
///
/// A reader of a database may not be allowed to see the key: such a `Key` seals nothing and finds
/// no fault with any seal.
#[derive(Clone)]
pub(crate) struct Key(Zeroizing<[u8; 32]>, bool);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// A new key from the bits of the operating system.
    pub(crate) fn random() -> Result<Key, Problem> {
        let mut key = Key(Zeroizing::new([0; 32]), true);
        getrandom::fill(key.0.as_mut())
            .map_err(|error| Problem::system(format!("the operating system gave no random bits: {error}")))?;
        Ok(key)
    }

    /// What stands for a key that its reader may not see.
    pub(crate) fn unknown() -> Result<Key, Problem> {
        Ok(Key(Key::random()?.0, false))
    }

    /// Whether it is the key of the ledger.
    pub(crate) fn is_known(&self) -> bool {
        self.1
    }

    /// What tells this ledger from all others, and may be seen by anybody.
    pub(crate) fn identity(&self) -> String {
        self.seal("identity", &[]).chars().take(32).collect()
    }

    /// The key as the database holds it.
    pub(crate) fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(hex(self.0.as_ref()))
    }

    /// The key that the database holds.
    pub(crate) fn from_text(text: &str) -> Option<Key> {
        unhex(text).map(|bytes| Key(Zeroizing::new(bytes), true))
    }

    /// An unfinished HMAC for one purpose; no two purposes share a value.
    pub(crate) fn begin(&self, purpose: &str) -> Sealing {
        // HMAC takes keys of every length.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_ref()).expect("a key of 32 bytes");
        absorb(&mut mac, purpose.as_bytes());
        Sealing(mac)
    }

    /// The HMAC of some fields.
    pub(crate) fn derived<'f>(&self, purpose: &str, fields: impl IntoIterator<Item = &'f [u8]>) -> [u8; 32] {
        let mut sealing = self.begin(purpose);
        fields.into_iter().for_each(|field| sealing.field(field));
        sealing.finish()
    }

    /// The HMAC of some fields, as hexadecimal digits.
    pub(crate) fn seal(&self, purpose: &str, fields: &[&str]) -> String {
        hex(&self.derived(purpose, fields.iter().map(|field| field.as_bytes())))
    }
}

/// A keyed hash of what was given so far.
#[derive(Clone)]
pub(crate) struct Sealing(Hmac<Sha256>);

impl Sealing {
    /// One field, told apart from its neighbours by its length.
    pub(crate) fn field(&mut self, bytes: &[u8]) {
        absorb(&mut self.0, bytes);
    }

    /// The next portion of a last field that has no end yet.
    pub(crate) fn portion(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash.
    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into_bytes().into()
    }
}

fn absorb(mac: &mut Hmac<Sha256>, bytes: &[u8]) {
    mac.update(&(bytes.len() as u64).to_be_bytes());
    mac.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn fields_and_purposes_are_told_apart() {
        let key = Key::from_text(&"01".repeat(32)).expect("a key");
        assert_ne!(key.seal("a", &["bc", "d"]), key.seal("a", &["b", "cd"]));
        assert_ne!(key.seal("a", &["b"]), key.seal("ab", &[]));
        assert_eq!(*Key::from_text(&key.to_text()).expect("the same").to_text(), *key.to_text());
        assert_ne!(*Key::random().expect("bits").to_text(), *Key::random().expect("bits").to_text());
        assert_eq!(format!("{key:?}"), "Key");
    }
}

//! Which bits a paid release is drawn from is fixed by the entry that pays: whoever draws for it, wherever and however often, draws the same table.
//!
//! The seed is kept with the entry, encrypted under a key that takes the ledger and the data together to make. So a process that
//! was stopped, and a folder that was lost, copied or changed, cost nothing and give nobody a second draw.

use crate::open::Prepared;
use declare::Problem;
use draw::KeepingKey;
use exact::SystemSeed;
use ledger::Ledger;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};

/// Another version may make another table of the same bits: that would be a second draw.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The seed of a draw, as an entry keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptSeed {
    /// The version of the program that makes the table of it.
    version: String,
    /// The seed, encrypted; in hexadecimal.
    sealed: String,
}

impl KeptSeed {
    /// A new one, for a release of this table that is made in the place with this token.
    pub(crate) fn fresh(ledger: &Ledger, token: &str, prepared: &Prepared) -> Result<KeptSeed, Problem> {
        let seed = SystemSeed::fresh().map_err(|error| Problem::system(error.to_string()))?;
        let sealed = key(ledger, token, prepared)?.seal_seed(&seed)?;
        let sealed = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(KeptSeed { version: VERSION.to_string(), sealed })
    }

    /// The seed, for the same table and place.
    ///
    /// # Errors
    /// Refused when another version of the program, or other data, belong to it.
    pub(crate) fn open(&self, ledger: &Ledger, token: &str, prepared: &Prepared) -> Result<SystemSeed, Problem> {
        if self.version != VERSION {
            let message = format!("version {} of congenial paid for this release, and only it draws it", self.version);
            return Err(Problem::refused(message).hint("another version may draw another table of the same bits"));
        }
        let opened = unhex(&self.sealed).map(|sealed| Ok(key(ledger, token, prepared)?.open_seed(&sealed)));
        opened.transpose()?.flatten().ok_or_else(|| {
            Problem::refused("what this release is drawn from does not open with these data")
                .hint("they are not those that were paid for, down to the last count")
        })
    }
}

/// The key of the ledger, of the place and of the data.
fn key(ledger: &Ledger, token: &str, prepared: &Prepared) -> Result<KeepingKey, Problem> {
    let counts = Bytes { counts: prepared.counts(), rest: Vec::new() };
    let data = certify::sha256_of(counts)
        .map_err(|error| Problem::system(format!("the table cannot be recognised: {error}")))?;
    Ok(KeepingKey::new(ledger.seed_key(token, data.as_bytes())))
}

/// Counts as bytes, without a second table of them.
struct Bytes<'a> {
    counts: &'a [i64],
    /// Bytes of the last count that found no room.
    rest: Vec<u8>,
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            let (now, later) = self.counts.split_at(self.counts.len().min(buffer.len().div_ceil(8)));
            self.counts = later;
            self.rest = now.iter().flat_map(|count| count.to_le_bytes()).collect();
        }
        let written = buffer.len().min(self.rest.len());
        buffer[..written].copy_from_slice(&self.rest[..written]);
        self.rest.drain(..written);
        Ok(written)
    }
}

/// The bytes of hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let byte = |place: usize| u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok();
    (0..digits.len().div_ceil(2)).map(byte).collect()
}

//! Which bits a paid release is drawn from is fixed by the entry that pays: whoever draws for it,
//! wherever and however often, draws the same table.
//!
//! The seed is kept with the entry, encrypted under a key that takes the ledger and the data
//! together to make. So a process that was stopped, and a folder that was lost, copied or changed,
//! cost nothing and give nobody a second draw.

use declare::Problem;
use draw::KeepingKey;
use exact::{SystemEntropy, SystemSeed};
use ledger::{Event, Ledger, Reservation};
use prepare::{ColumnPrint, Prepared};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};

/// The version that is noted with a new seed. Another one may make another table of the same bits:
/// that would be a second draw.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Earlier versions whose seeds draw the same tables here, so that what they began is completed.
pub const SAME_TABLES: &[&str] = &["0.2.0", "0.3.0"];

/// The seed of a draw, as an entry keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSeed {
    /// The version of the program that makes the table of it.
    version: String,
    /// The seed, encrypted; in hexadecimal.
    sealed: String,
}

impl KeptSeed {
    /// A new one, for a release that is made in the place with this token, of data that are known
    /// by their hash.
    pub fn fresh_for(ledger: &Ledger, token: &str, data: &str) -> Result<KeptSeed, Problem> {
        let seed = SystemSeed::fresh().map_err(|error| Problem::system(error.to_string()))?;
        let sealed = key(ledger, token, data).seal_seed(&seed)?;
        let sealed = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(KeptSeed { version: VERSION.to_string(), sealed })
    }

    /// The seed, for the same data and place; `earlier` versions draw the same of it as this one.
    ///
    /// # Errors
    /// Refused when another version of the program, or other data, belong to it.
    pub fn open(&self, ledger: &Ledger, token: &str, data: &str, earlier: &[&str]) -> Result<SystemSeed, Problem> {
        if self.version != VERSION && !earlier.contains(&self.version.as_str()) {
            let message = format!("version {} of congenial paid for this release, and only it draws it", self.version);
            return Err(Problem::refused(message).hint("another version may draw another table of the same bits"));
        }
        let opened = unhex(&self.sealed).and_then(|sealed| key(ledger, token, data).open_seed(&sealed));
        opened.ok_or_else(|| {
            Problem::refused("what this release is drawn from does not open with these data")
                .hint("they are not those that were paid for, down to the last count")
        })
    }
}

/// What is kept with an entry that pays: the public side of the release, for the analysis of later
/// ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// The canonical spec.
    pub spec: String,
    /// The totals of its invariants; absent when they are too many to be kept.
    pub totals: Option<Vec<Vec<i64>>>,
    /// What its columns count, whatever they are called; under the key of the ledger.
    #[serde(default)]
    pub shapes: Vec<ColumnPrint>,
    /// What it is drawn from, encrypted; suppression draws nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<KeptSeed>,
}

/// What is kept with an entry that asks: what a second person must see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The canonical spec.
    pub spec: String,
    /// What it means, in words.
    pub statement: String,
}

/// What is kept with an entry, as the ledger keeps it.
pub fn kept_text(details: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(details).map_err(|error| Problem::system(format!("cannot write to the ledger: {error}")))
}

/// The seed that an entry keeps, for data that are known by their hash; `earlier` versions draw the
/// same of it as this one.
pub fn seed_for(
    ledger: &Ledger,
    reservation: &Reservation,
    data: &str,
    earlier: &[&str],
) -> Result<SystemSeed, Problem> {
    let entry = reservation.entry();
    let Event::Reserved { details, place: Some(place), .. } = &entry.event else {
        return Err(nothing_fixed(entry.number));
    };
    let kept = serde_json::from_str::<Details>(details).ok().and_then(|details| details.seed);
    kept.ok_or_else(|| nothing_fixed(entry.number))?.open(ledger, &place.token, data, earlier)
}

/// An entry of an earlier version does not say what is drawn for it.
fn nothing_fixed(number: u64) -> Problem {
    Problem::refused(format!("entry {number} does not fix what is drawn for it: an earlier version of congenial paid"))
        .hint(
            "what it cost stays spent, because nobody can tell who saw a draw of it; a new one needs --again, and pays",
        )
}

/// The right to draw: of public data, or of confidential data that were paid for.
///
/// It is the only way to certifiable bits: [`SystemEntropy`] is made nowhere else (the `tidy` test
/// looks).
#[derive(Debug)]
pub struct Right<'a>(Granted<'a>);

#[derive(Debug)]
enum Granted<'a> {
    /// The data are declared public, and no ledger that was asked knows better.
    Public,
    /// The loss is durably spent, and the entry that spent it keeps this seed.
    Paid(&'a Reservation, SystemSeed),
}

impl<'a> Right<'a> {
    /// Of data that their declaration calls public, after the ledgers were asked.
    ///
    /// # Errors
    /// When they are not: a fault of this program, which ends before a bit is drawn.
    pub fn public(declared_public: bool) -> Result<Right<'a>, Problem> {
        match declared_public {
            true => Ok(Right(Granted::Public)),
            false => Err(Problem::system("confidential data were to be drawn without payment; nothing was drawn")),
        }
    }

    /// Of an entry that paid, with the seed that it keeps.
    pub fn paid(reservation: &'a Reservation, seed: SystemSeed) -> Right<'a> {
        Right(Granted::Paid(reservation, seed))
    }

    /// The first random bits: there are none before there is a right to draw.
    ///
    /// The seal of the entry is mixed in: machines that were cloned with their generators have
    /// different entries. The same entry gives the same bits again.
    pub fn entropy(self) -> SystemEntropy {
        match self.0 {
            Granted::Public => SystemEntropy::of_public_data(),
            Granted::Paid(reservation, seed) => {
                let seal = unhex(&reservation.entry().seal).and_then(|seal| seal.try_into().ok());
                SystemEntropy::remembering(seed, seal.unwrap_or_default())
            }
        }
    }
}

/// The key of the ledger, of the place and of the data.
fn key(ledger: &Ledger, token: &str, data: &str) -> KeepingKey {
    KeepingKey::new(ledger.seed_key(token, data.as_bytes()))
}

/// The hash of a table.
pub fn data_of(prepared: &Prepared) -> Result<String, Problem> {
    let counts = Bytes { counts: prepared.counts(), rest: Vec::new() };
    certify::sha256_of(counts).map_err(|error| Problem::system(format!("the table cannot be recognised: {error}")))
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
fn unhex(digits: &str) -> Option<Vec<u8>> {
    let byte = |place: usize| u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok();
    (0..digits.len().div_ceil(2)).map(byte).collect()
}

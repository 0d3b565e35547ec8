//! Fingerprints of data under the key of the ledger: the same data are recognised, and nobody
//! without the key can try out guesses.
//!
//! A plain hash of confidential data could be compared with the hash of a guess. A keyed one
//! cannot.

use crate::key::{Key, Sealing};
use crate::text::hex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One fingerprint: the print of the bytes of a file, or of rows in any order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Print(pub(crate) String);

impl Print {
    /// Whether it is the print of all rows, and not of a file.
    pub fn is_of_rows(&self) -> bool {
        self.0.starts_with("rows:")
    }

    /// Whether it is the print of sums of rows: a release may publish these exactly, so public data
    /// may have it too.
    pub(crate) fn is_of_sums(&self) -> bool {
        self.0.starts_with("sums:")
    }

    /// Whether it is the print of all rows that are counted, by their values or by their counts.
    pub fn is_of_all_rows(&self) -> bool {
        self.is_of_rows() || self.0.starts_with("table:")
    }

    /// Whether it says from which files, read in which way, rows are taken.
    pub fn is_of_source(&self) -> bool {
        self.0.starts_with("source:")
    }

    /// Whether it is the print of one of a few rows that were chosen by their prints.
    pub(crate) fn is_of_one_row(&self) -> bool {
        self.0.starts_with("row:")
    }

    /// Whether it is the print of counts alone that are too few to be nobody else's.
    pub(crate) fn is_of_few(&self) -> bool {
        self.0.starts_with("few:")
    }

    /// Whether it is the print of the bytes of a file.
    pub fn is_of_file(&self) -> bool {
        self.0.starts_with("file:")
    }

    /// Whether data with this print are those of whoever had it first.
    pub fn says_whose(&self) -> bool {
        self.is_noted() && !self.is_of_few()
    }

    /// Whether data are noted by it.
    pub(crate) fn is_noted(&self) -> bool {
        !self.is_of_source() && !self.is_of_one_row()
    }

    /// What is noted of it, in entries and heads: it tells nobody without the key what it is a
    /// print of. Tokens are their own.
    pub(crate) fn token(&self, key: &Key) -> Print {
        const MARK: &str = "seen:";
        if self.0.starts_with(MARK) { self.clone() } else { Print(format!("{MARK}{}", key.seal("seen", &[&self.0]))) }
    }
}

impl std::fmt::Display for Print {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a print of counts is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// All cells of a table.
    Table,
    /// Sums of its cells.
    Sums,
    /// All cells of a table whose counts are so few or small that another may have the same.
    Few,
}

/// What a caller says the data are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim<'a> {
    /// Public or synthetic.
    Public,
    /// A public file that a spec reads beside its data.
    Named,
    /// Those of a dataset of this ledger.
    Dataset(&'a str),
    /// Those of a dataset of another ledger.
    Elsewhere,
}

/// Fingerprints that are being made, portion by portion: give it bytes, rows, or both.
pub struct Fingerprint {
    key: Key,
    file: Option<Sealing>,
    /// The sum of the prints of the rows so far, modulo 2²⁵⁶; the least significant limb first.
    rows: [u64; 4],
    any_row: bool,
    /// The prints of those rows that have the smallest ones.
    chosen: BTreeSet<[u8; 32]>,
    finished: BTreeSet<Print>,
}

/// So many rows are chosen by their prints: from data that share rows the same ones.
pub(crate) const CHOSEN: usize = 64;

impl Fingerprint {
    pub(crate) fn new(key: &Key) -> Fingerprint {
        let (chosen, finished) = (BTreeSet::new(), BTreeSet::new());
        Fingerprint { key: key.clone(), file: None, rows: [0; 4], any_row: false, chosen, finished }
    }

    /// The next portion of the bytes of a file.
    pub fn file(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.file.get_or_insert_with(|| self.key.begin("file")).portion(bytes);
        }
    }

    /// The file ends here; the next bytes are those of another one. Every file is recognised by
    /// itself.
    pub fn end_of_file(&mut self) {
        if let Some(sealing) = self.file.take() {
            self.insert("file", sealing);
        }
    }

    /// Adds a finished print of a kind; says whether there was no such print yet.
    fn insert(&mut self, kind: &str, sealing: Sealing) -> bool {
        self.finished.insert(Print(format!("{kind}:{}", hex(&sealing.finish()))))
    }

    /// One row, written canonically as its fields, which occurs so many times.
    ///
    /// Rows add up in any order, and a row that occurs three times is three rows: a list of records
    /// and a table of their counts have the same print, if their fields are written in the same
    /// way. Rows that occur zero times count nothing.
    pub fn row<'a>(&mut self, fields: impl IntoIterator<Item = &'a [u8]>, times: i64) {
        if times == 0 {
            return;
        }
        let print = limbs(&self.key.derived("row", fields));
        let inverted = |limbs: [u64; 4]| limbs.map(|limb| !limb);
        self.rows = match times < 0 {
            // Inverting all bits before and after turns adding to taking away.
            true => inverted(sum(inverted(self.rows), &print, times.unsigned_abs())),
            false => sum(self.rows, &print, times.unsigned_abs()),
        };
        self.any_row = true;
    }

    /// One row and what it counts, written canonically, of which a few are chosen to tell whether
    /// other data share rows.
    pub fn one_row<'a>(&mut self, fields: impl IntoIterator<Item = &'a [u8]>, count: i64) {
        let mut sealing = self.key.begin("one-row");
        sealing.field(&count.to_be_bytes());
        fields.into_iter().for_each(|field| sealing.field(field));
        self.chosen.insert(sealing.finish());
        if self.chosen.len() > CHOSEN {
            self.chosen.pop_last();
        }
    }

    /// Counts other than zero, in whatever order and whatever they are called.
    /// Says whether there was no such print yet.
    pub fn counts(&mut self, of: Counts, counts: impl IntoIterator<Item = i64>) -> bool {
        let mut sorted: Vec<i64> = counts.into_iter().filter(|count| *count != 0).collect();
        sorted.sort_unstable();
        let kind = match of {
            Counts::Table => "table",
            Counts::Sums => "sums",
            Counts::Few => "few",
        };
        let mut sealing = self.key.begin(kind);
        for count in sorted {
            sealing.field(&count.to_be_bytes());
        }
        self.insert(kind, sealing)
    }

    /// Takes the place of a print that these data are too poor for: how many prints data have must
    /// not depend on what is in them, because each is an entry, and numbers of entries are
    /// published.
    pub fn absent(&mut self, place: &str) {
        self.of_files("absent", &[place]);
    }

    /// All files so far, read in the way that these words say.
    pub fn source(&mut self, words: &[&str]) {
        self.of_files("source", words);
    }

    /// A print of all files so far and of these words.
    fn of_files(&mut self, kind: &str, words: &[&str]) {
        self.end_of_file();
        let mut sealing = self.key.begin(kind);
        self.finished.iter().filter(|print| print.is_of_file()).for_each(|print| sealing.field(print.0.as_bytes()));
        words.iter().for_each(|word| sealing.field(word.as_bytes()));
        self.insert(kind, sealing);
    }

    /// Adds the rows and files of another part of the same data, as parts are read in parallel.
    pub fn join(&mut self, mut other: Fingerprint) {
        other.end_of_file();
        self.rows = sum(self.rows, &other.rows, 1);
        self.any_row |= other.any_row;
        self.chosen.append(&mut other.chosen);
        while self.chosen.len() > CHOSEN {
            self.chosen.pop_last();
        }
        self.finished.append(&mut other.finished);
    }

    /// The prints of all files, and one of all rows. Data without bytes or rows have none: nothing
    /// is nobody's.
    pub fn finish(mut self) -> Vec<Print> {
        self.end_of_file();
        if self.any_row {
            let mut sealing = self.key.begin("rows");
            self.rows.iter().for_each(|limb| sealing.field(&limb.to_be_bytes()));
            self.insert("rows", sealing);
        }
        let chosen = std::mem::take(&mut self.chosen);
        self.finished.extend(chosen.iter().map(|print| Print(format!("row:{}", hex(&print[..16])))));
        self.finished.into_iter().collect()
    }
}

fn limbs(bytes: &[u8; 32]) -> [u64; 4] {
    let limb = |place: usize| bytes[8 * place..8 * place + 8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    std::array::from_fn(limb)
}

/// A number and so many times another, modulo 2²⁵⁶.
fn sum(one: [u64; 4], other: &[u64; 4], times: u64) -> [u64; 4] {
    let mut carry = 0u128;
    std::array::from_fn(|place| {
        // The largest that this can be is just below 2¹²⁸.
        let here = u128::from(one[place]) + u128::from(other[place]) * u128::from(times) + carry;
        carry = here >> 64;
        here as u64
    })
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, Print};
    use crate::key::Key;

    fn fingerprint(rows: &[(&str, i64)]) -> Vec<Print> {
        let mut fingerprint = Fingerprint::new(&Key::from_text(&"07".repeat(32)).expect("a key"));
        for (row, times) in rows {
            fingerprint.row(row.split(',').map(str::as_bytes), *times);
        }
        fingerprint.finish()
    }

    #[test]
    fn rows_are_recognised_in_any_order_and_as_counts() {
        let records = fingerprint(&[("a,x", 1), ("b,y", 1), ("a,x", 1)]);
        assert_eq!(records.len(), 1);
        assert_eq!(records, fingerprint(&[("b,y", 1), ("a,x", 2), ("c,z", 0)]));
        assert_eq!(records, fingerprint(&[("b,y", 2), ("a,x", 2), ("b,y", -1)]));
        for other in
            [[("a,x", 2), ("b,y", 2)], [("ax", 2), ("b,y", 1)], [("a,x", 1), ("b,y", 1)], [("a,x", 2), ("b,", 1)]]
        {
            assert_ne!(records, fingerprint(&other));
        }
        assert!(fingerprint(&[]).is_empty());
        assert!(fingerprint(&[("a", 0)]).is_empty());
    }

    #[test]
    fn parts_read_in_parallel_join() {
        let key = Key::from_text(&"07".repeat(32)).expect("a key");
        let (mut one, mut other) = (Fingerprint::new(&key), Fingerprint::new(&key));
        one.row([b"b".as_slice(), b"y"], i64::MAX);
        other.row([b"a".as_slice(), b"x"], i64::MIN);
        one.join(other);
        assert_eq!(one.finish(), fingerprint(&[("a,x", i64::MIN), ("b,y", i64::MAX)]));
    }

    #[test]
    fn bytes_are_recognised_however_they_are_cut_and_files_by_themselves() {
        let key = Key::from_text(&"07".repeat(32)).expect("a key");
        let print = |portions: &[&[u8]]| {
            let mut fingerprint = Fingerprint::new(&key);
            for portion in portions {
                if portion.is_empty() { fingerprint.end_of_file() } else { fingerprint.file(portion) }
            }
            fingerprint.finish()
        };
        let whole = print(&[b"abc"]);
        assert_eq!(whole, print(&[b"a", b"bc"]));
        assert_ne!(whole, print(&[b"abd"]));
        let two = print(&[b"xyz", b"", b"abc"]);
        assert!(two.len() == 2 && two.contains(&whole[0]));
        let mut elsewhere = Fingerprint::new(&Key::from_text(&"08".repeat(32)).expect("a key"));
        elsewhere.file(b"abc");
        assert_ne!(elsewhere.finish(), whole, "another ledger, another print");
    }
}

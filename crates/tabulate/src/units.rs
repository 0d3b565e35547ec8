//! `Units`: how many rows every privacy unit owns so far.
//!
//! A unit is remembered by 128 bits that depend on its name and on random keys. Should two units
//! share them, their rows are counted together: the file may be refused, but no unit can own more
//! rows than declared.

use crate::chosen::key_of;
use crate::fault::Fault;
use declare::Number;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// Longer names are no numbers: numbers beyond some 36 digits are not read exactly.
const LONGEST_NUMBER: usize = 30;

/// From the name of a unit to its key.
#[derive(Clone)]
pub(crate) enum UnitKeys {
    /// Other keys in every run.
    Random(RandomState, RandomState),
    /// Keys that are equal in every run, where they choose rows.
    Fixed,
}

impl UnitKeys {
    /// The keys of a file; `fixed`: the same in every run.
    pub fn new(fixed: bool) -> Self {
        if fixed { UnitKeys::Fixed } else { UnitKeys::Random(RandomState::new(), RandomState::new()) }
    }

    /// The key of a unit with this name. Names that mean the same number are the same unit: `17`,
    /// `17.0`, `017` and ` 17` come from programs that write one column in several ways. Taking two
    /// units for one can only refuse a file.
    pub fn key(&self, name: &[u8]) -> u128 {
        let name = name.trim_ascii();
        let number = std::str::from_utf8(name).ok().filter(|text| text.len() <= LONGEST_NUMBER).and_then(Number::read);
        match number.and_then(|number| number.integer()) {
            Some(whole) => self.hash(whole.to_string().as_bytes()),
            None => self.hash(name),
        }
    }

    fn hash(&self, name: &[u8]) -> u128 {
        let half = |state: &RandomState| {
            let mut hasher = state.build_hasher();
            hasher.write(name);
            u128::from(hasher.finish())
        };
        match self {
            UnitKeys::Random(first, second) => half(first) << 64 | half(second),
            UnitKeys::Fixed => key_of(name),
        }
    }
}

/// The rows of every unit.
pub(crate) struct Units {
    column: String,
    limit: u64,
    rows: HashMap<u128, u64, BuildHasherDefault<LowHalf>>,
}

impl Units {
    /// No rows yet; the units stand in this column.
    pub fn new(column: &str, limit: u64) -> Self {
        Units { column: column.to_owned(), limit, rows: HashMap::default() }
    }

    /// One more row of this unit, or what is wrong with it.
    pub fn add(&mut self, unit: u128) -> Result<(), Box<Fault>> {
        let rows = self.rows.entry(unit).or_insert(0);
        *rows += 1;
        if *rows <= self.limit {
            return Ok(());
        }
        let limit = self.limit;
        let owned = if limit == 1 { "1 row".to_owned() } else { format!("{limit} rows") };
        Err(Fault::new(
            format!(
                "a unit of `{}` owns more than {owned}, the most that `rows_per_unit` in [data] allows",
                self.column
            ),
            "one row too many for its unit",
        )
        .hint("raise `rows_per_unit` (the loss grows with it), or count that many rows of each unit with `beyond = \"drop\"` in [data]"))
    }
}

/// The keys are random already.
#[derive(Default)]
struct LowHalf(u64);

impl Hasher for LowHalf {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

//! What a draft learns about the columns of a file: one pass, and memory that the size of the file
//! does not change.

use declare::{DateFormat, Day, Encoding, Number, Problem, read_day};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use tabulate::{Scanned, encoding_of, scan_readable};

/// The most columns that are looked at.
pub(super) const MOST_COLUMNS: usize = 100;

/// The most different values of a column that are remembered.
pub(super) const MOST_VALUES: usize = 5_000;

/// The most bytes that the values of a column take together.
const MOST_BYTES: usize = 1 << 18;

/// Numbers from here on are taken for text: they are no sizes that bins could sort.
const LARGEST: u128 = 1_000_000_000_000_000;

/// The most rows for which it is known whether a column names each of them.
const MOST_KEYS: usize = 450_000;

/// The most columns among which one is looked for that decides another.
const MOST_COMPARED: usize = 24;

/// What stands in files for a value that is not known, in small letters.
const MARKERS: [&str; 14] =
    ["na", "n/a", "#n/a", "nan", "null", "none", "nil", "unk", "missing", "not known", "not stated", "?", "-", "."];

/// How files write dates, in the order in which they are tried.
const DATE_FORMATS: [&str; 6] = ["YYYY-MM-DD", "MM/DD/YYYY", "DD/MM/YYYY", "DD.MM.YYYY", "YYYY/MM/DD", "YYYYMMDD"];

/// A file, column by column.
pub(super) struct Facts {
    /// How its bytes are letters.
    pub(super) encoding: Encoding,
    /// Its rows.
    pub(super) rows: u64,
    /// The columns that were looked at.
    pub(super) columns: Vec<Column>,
    /// The names of the columns beyond [`MOST_COLUMNS`].
    pub(super) left_out: Vec<String>,
    decides: Decisions,
}

/// What was seen of one column.
#[derive(Default)]
pub(super) struct Column {
    /// Its name in the file.
    pub(super) name: String,
    /// Its different values in order of appearance; `None`: too many to remember.
    pub(super) values: Option<Vec<String>>,
    /// In how many rows each of them stands.
    pub(super) times: Vec<u64>,
    /// Rows without a value.
    pub(super) missing: u64,
    /// What stands there for a value that is not known; such rows have no value otherwise.
    pub(super) markers: Vec<String>,
    /// What it holds that is not read.
    pub(super) unreadable: Option<&'static str>,
    /// The dates, when every value is one: every way in which they could be written.
    pub(super) dates: Vec<Dates>,
    /// Whether every value so far was a new one, as far as that is known.
    all_different: bool,
    /// Of values that are too many to remember, in how many rows each stands, by their hashes.
    hashes: Option<HashMap<u64, u64>>,
    /// How many different values there are and in how many rows one stands at the most, where that
    /// is known.
    pub(super) repeated: Option<(usize, u64)>,
    /// Whether it certainly names every row.
    pub(super) is_key: bool,
    /// The numbers, when every value is one.
    pub(super) numbers: Option<Numbers>,
    /// The length of every value in characters, when they are all equally long digits, and two of
    /// them at least.
    pub(super) digits: Option<usize>,
    code_of: HashMap<String, u32>,
    hasher: RandomState,
    bytes: usize,
    /// Rows with a value.
    pub(super) seen: u64,
}

/// What was seen of a column of numbers.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// The smallest, rounded down.
    pub(super) least: i64,
    /// The largest, rounded up.
    pub(super) most: i64,
    /// Whether all are whole and written without leading zeros.
    pub(super) whole: bool,
}

/// What was seen of a column of dates, if it is written in these formats.
#[derive(Clone)]
pub(super) struct Dates {
    /// The formats: one, or one beside year, month and day with hyphens.
    pub(super) formats: Vec<DateFormat>,
    /// The first day.
    pub(super) first: Day,
    /// The last day.
    pub(super) last: Day,
}

impl Dates {
    /// All that a column could be written in: one format for all values first.
    fn candidates() -> Vec<Dates> {
        let formats: Vec<DateFormat> = DATE_FORMATS.into_iter().filter_map(DateFormat::new).collect();
        let with_iso = formats.iter().skip(1).map(|format| vec![format.clone(), DateFormat::iso()]);
        let alone = formats.iter().map(|format| vec![format.clone()]);
        let dates = |formats| Dates { formats, first: Day(i64::MAX), last: Day(i64::MIN) };
        alone.chain(with_iso).map(dates).collect()
    }

    /// Takes note of a field; whether it is a date.
    fn add(&mut self, field: &str) -> bool {
        let Some(day) = read_day(field, &self.formats) else { return false };
        (self.first, self.last) = (self.first.min(day), self.last.max(day));
        true
    }
}

impl Facts {
    /// Reads a file.
    pub(super) fn read(path: &Path, name: &str) -> Result<Facts, Problem> {
        let encoding = encoding_of(path, name)?;
        let (columns, left_out) = (Vec::new(), Vec::new());
        let mut facts = Facts { encoding, rows: 0, columns, left_out, decides: Decisions::default() };
        let scanned = scan_readable(path, name, encoding, &mut |header, fields| facts.add(name, header, fields))?;
        let Scanned { header, unreadable } = scanned;
        facts.start(&header);
        facts.columns.iter_mut().for_each(Column::finish);
        for (column, kind) in unreadable {
            if let Some(column) = facts.columns.get_mut(column) {
                column.unreadable = Some(kind);
            }
        }
        Ok(facts)
    }

    fn start(&mut self, header: &[String]) {
        if self.columns.is_empty() {
            self.columns = header.iter().take(MOST_COLUMNS).map(|name| Column::new(name)).collect();
            self.left_out = header.iter().skip(MOST_COLUMNS).cloned().collect();
            self.decides = Decisions::new(self.columns.len().min(MOST_COMPARED));
        }
    }

    fn add(&mut self, name: &str, header: &[String], fields: &[&str]) -> Result<(), Problem> {
        self.start(header);
        self.rows += 1;
        if fields.len() != header.len() {
            let (found, wanted) = (fields.len(), header.len());
            let message = format!("row {} of `{name}` has {found} fields, the header has {wanted}", self.rows);
            return Err(Problem::bad(message).hint("correct the file: every row needs one field per column"));
        }
        let columns = self.columns.iter_mut().zip(fields).enumerate();
        let codes: Vec<Option<u32>> =
            columns.map(|(position, (column, field))| column.add(field, position < MOST_COMPARED)).collect();
        self.decides.add(&codes);
        Ok(())
    }

    /// Whether equal values of one column always come with equal values of another, as far as both
    /// were remembered.
    pub(super) fn decides(&self, column: usize, other: usize) -> bool {
        let known = |column: usize| self.columns[column].values.is_some();
        known(column) && known(other) && self.decides.holds(column, other)
    }
}

impl Column {
    fn new(name: &str) -> Column {
        let numbers = Some(Numbers { least: i64::MAX, most: i64::MIN, whole: true });
        let (name, values) = (name.to_string(), Some(Vec::new()));
        Column { name, values, all_different: true, numbers, ..Column::default() }
    }

    /// Takes note of a field; returns the number of its value while values are remembered.
    /// `may_be_key`: whether it is worth the memory to know that the column names every row.
    fn add(&mut self, field: &str, may_be_key: bool) -> Option<u32> {
        let trimmed = field.trim();
        if trimmed.is_empty() {
            self.missing += 1;
            return None;
        }
        if MARKERS.contains(&trimmed.to_lowercase().as_str()) {
            self.missing += 1;
            if !self.markers.iter().any(|known| known == trimmed) {
                self.markers.push(trimmed.to_string());
            }
            return None;
        }
        self.note_number(field);
        self.note_digits(field);
        self.note_date(field);
        self.seen += 1;
        let Some(values) = &mut self.values else {
            self.note_hash(field);
            return None;
        };
        if let Some(code) = self.code_of.get(field) {
            self.all_different = false;
            self.times[*code as usize] += 1;
            return Some(*code);
        }
        self.bytes += field.len();
        if values.len() == MOST_VALUES || self.bytes > MOST_BYTES {
            if may_be_key {
                let hashes = values.iter().map(|value| self.hasher.hash_one(value.as_str()));
                self.hashes = Some(hashes.zip(self.times.iter().copied()).collect());
            }
            self.values = None;
            self.times = Vec::new();
            self.code_of = HashMap::new();
            self.note_hash(field);
            return None;
        }
        let code = values.len() as u32;
        values.push(field.to_string());
        self.times.push(1);
        self.code_of.insert(field.to_string(), code);
        Some(code)
    }

    fn note_hash(&mut self, field: &str) {
        let Some(hashes) = &mut self.hashes else { return };
        let times = hashes.entry(self.hasher.hash_one(field)).or_insert(0);
        *times += 1;
        self.all_different &= *times == 1;
        if hashes.len() > MOST_KEYS {
            self.hashes = None;
        }
    }

    fn note_date(&mut self, field: &str) {
        if self.seen == 0 {
            self.dates = Dates::candidates();
        }
        self.dates.retain_mut(|dates| dates.add(field));
    }

    fn note_number(&mut self, field: &str) {
        let Some(numbers) = &mut self.numbers else { return };
        let unsigned = field.strip_prefix('-').unwrap_or(field);
        // A code such as 01001 is no number, although it could be read as one.
        let is_code =
            unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.bytes().all(|byte| byte.is_ascii_digit());
        let number = Number::read(field).filter(|number| !is_code && number.floor.unsigned_abs() < LARGEST);
        match number {
            Some(Number { floor, fractional }) => {
                numbers.least = numbers.least.min(floor as i64);
                numbers.most = numbers.most.max(floor as i64 + i64::from(fractional));
                numbers.whole &= !fractional;
            }
            None => self.numbers = None,
        }
    }

    fn note_digits(&mut self, field: &str) {
        let length = field.bytes().all(|byte| byte.is_ascii_digit()).then_some(field.len());
        self.digits = match self.seen {
            0 => length,
            _ => self.digits.filter(|known| Some(*known) == length),
        };
    }

    fn finish(&mut self) {
        self.is_key = self.names_rows() && (self.values.is_some() || self.hashes.is_some());
        self.repeated = match (&self.values, &self.hashes) {
            (Some(values), _) => self.times.iter().max().map(|most| (values.len(), *most)),
            (None, Some(hashes)) => hashes.values().max().map(|most| (hashes.len(), *most)),
            (None, None) => None,
        };
        self.hashes = None;
        self.code_of = HashMap::new();
        if self.seen == 0 {
            self.numbers = None;
        }
        self.digits = self.digits.filter(|digits| *digits >= 2);
    }

    /// Whether it names every row, as far as values were remembered.
    pub(super) fn names_rows(&self) -> bool {
        self.all_different && self.missing == 0 && self.seen > 1
    }
}

/// For every ordered pair of columns: whether the first decides the second, so far.
#[derive(Default)]
struct Decisions {
    columns: usize,
    /// The value of the second column that came with every value of the first; `None`: it does not
    /// decide it.
    partner: Vec<Option<Vec<Option<u32>>>>,
}

impl Decisions {
    fn new(columns: usize) -> Decisions {
        Decisions { columns, partner: vec![Some(Vec::new()); columns * columns] }
    }

    fn add(&mut self, codes: &[Option<u32>]) {
        for first in 0..self.columns {
            let Some(value) = codes[first] else { continue };
            for second in (0..self.columns).filter(|second| *second != first) {
                let Some(partners) = &mut self.partner[first * self.columns + second] else { continue };
                if partners.len() <= value as usize {
                    partners.resize(value as usize + 1, None);
                }
                let partner = &mut partners[value as usize];
                match (*partner, codes[second]) {
                    (_, None) => {}
                    (None, found) => *partner = found,
                    (known, found) if known == found => {}
                    _ => self.partner[first * self.columns + second] = None,
                }
            }
        }
    }

    fn holds(&self, first: usize, second: usize) -> bool {
        let inside = first < self.columns && second < self.columns && first != second;
        inside && self.partner[first * self.columns + second].is_some()
    }
}

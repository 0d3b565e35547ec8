//! Turns rows of Arrow columns to a batch: all columns at once for plain rows, as text for every
//! other.

use super::column::{Column, Texts, Values};
use super::texts::TextEntries;
use crate::batch::Batch;
use crate::codes::Codes;
use crate::counts::{LARGEST, count};
use crate::entries::{FILTERED, MISSING, OUTSIDE, UNCLEAR, add, flagged};
use crate::filter::Filter;
use crate::guard::guarded;
use crate::judge::Judge;
use crate::names::Names;
use arrow_array::{Array, ArrayRef, RecordBatch};
use csv::ByteRecord;
use declare::{Policy, Problem};
use std::sync::Arc;

/// Below this magnitude every real number with a fraction has a text with one.
const EXACT_REAL: f64 = (1u64 << 53) as f64;
const EXACT_SINGLE: f64 = (1u64 << 24) as f64;

/// The entries that are known from earlier batches, for every dimension.
#[derive(Default)]
pub(crate) struct KnownEntries {
    columns: Vec<ColumnEntries>,
}

/// What is known of the column of a dimension.
#[derive(Clone, Default)]
struct ColumnEntries {
    /// The entries of the dictionary that was seen last: a dictionary serves many batches.
    dictionary: Option<(ArrayRef, Vec<u64>)>,
    texts: TextEntries,
}

/// Consecutive rows of the used columns of a file.
pub(crate) struct Rows<'a> {
    /// The used columns, in increasing order, and their values.
    pub used: &'a [usize],
    pub columns: Vec<Column<'a>>,
    /// How many rows there are.
    pub length: usize,
    /// How many columns the file has.
    pub width: usize,
}

impl<'a> Rows<'a> {
    /// The rows of a batch that holds the used columns.
    pub fn of(names: &'a Names, batch: &'a RecordBatch) -> Result<Rows<'a>, Problem> {
        let columns = guarded(|| {
            let columns = batch.columns().iter().map(Column::new).collect::<Option<Vec<_>>>();
            columns.filter(|found| found.len() == names.used.len()).ok_or("its columns are of other kinds than it says")
        });
        let columns = columns.map_err(|error| names.damaged(&error))?;
        Ok(Rows { used: &names.used, columns, length: batch.num_rows(), width: names.header().names.len() })
    }

    fn column(&self, column: usize) -> Option<&Column<'a>> {
        self.used.binary_search(&column).ok().and_then(|place| self.columns.get(place))
    }

    /// A row as text; columns that are not used are empty.
    pub fn text(&self, row: usize, record: &mut ByteRecord, scratch: &mut Vec<u8>) {
        record.clear();
        let mut used = self.used.iter().zip(&self.columns).peekable();
        for column in 0..self.width {
            scratch.clear();
            if let Some((_, values)) = used.next_if(|(used, _)| **used == column) {
                values.write(row, scratch);
            }
            record.push_field(scratch);
        }
    }

    /// Enters all rows in the batch, up to the first at fault.
    pub fn enter(&self, judge: &Judge<'_>, known: &mut KnownEntries, batch: &mut Batch) {
        let mut sums = vec![0; self.length];
        let mut flags = vec![0; self.length];
        for (position, (_, column)) in judge.columns.dimensions.iter().enumerate() {
            if let Some(column) = self.column(*column) {
                add_codes(column, &judge.lookups[position], known.of(position), &mut sums, &mut flags);
            }
        }
        let counts: Vec<Vec<i64>> = judge
            .columns
            .counts
            .iter()
            .filter_map(|column| self.column(*column))
            .map(|column| counts(column, judge, &mut flags))
            .collect();
        let units = judge.columns.unit.and_then(|column| self.column(column));
        let units = units.map(|column| units_of(column, judge, &mut flags)).unwrap_or_default();
        if let Some(filter) = &judge.columns.filter {
            self.filter(filter, &mut flags);
        }
        if counts.len() < 2 && judge.is_plain() && flags.iter().all(|flag| *flag == 0) {
            batch.tally.read += self.length as u64;
            batch.cells = sums;
            batch.counts = counts.into_iter().next().unwrap_or_default();
            batch.units = units;
            return;
        }
        self.enter_one_by_one(judge, &Encoded { sums, flags, counts, units }, batch);
    }

    fn enter_one_by_one(&self, judge: &Judge<'_>, encoded: &Encoded, batch: &mut Batch) {
        let data = &judge.declaration.data;
        let (mut record, mut scratch) = (ByteRecord::new(), Vec::new());
        // Rows after a wrong one are not counted.
        let mut rest = Batch::default();
        for (row, (sum, flag)) in encoded.sums.iter().zip(&encoded.flags).enumerate() {
            let dropped = match *flag {
                flag if flag & FILTERED != 0 => Some(&mut batch.tally.filtered),
                flag if flag & (UNCLEAR | MISSING) == MISSING && data.missing == Policy::Drop => {
                    Some(&mut batch.tally.dropped_missing)
                }
                OUTSIDE if data.outside == Policy::Drop => Some(&mut batch.tally.dropped_outside),
                _ => None,
            };
            if let Some(dropped) = dropped {
                *dropped += 1;
                batch.tally.read += 1;
                continue;
            }
            // Batches are far shorter than this.
            let offset = row as u32;
            if *flag != 0 {
                self.text(row, &mut record, &mut scratch);
                let counted = if batch.stop.is_none() { &mut *batch } else { &mut rest };
                if let Err(fault) = judge.row(&record, offset, counted)
                    && !batch.note(batch.first + row as u64, fault)
                {
                    return;
                }
                continue;
            }
            if batch.stop.is_some() {
                continue;
            }
            batch.tally.read += 1;
            let unit = encoded.units.get(row).copied();
            if encoded.counts.is_empty() {
                judge.enter(*sum, None, offset, unit, batch);
            }
            for (number, counts) in encoded.counts.iter().enumerate() {
                judge.enter(*sum + judge.measure(number), Some(counts[row]), offset, unit, batch);
            }
        }
    }

    /// Flags the rows that the filter leaves out or cannot judge.
    fn filter(&self, filter: &Filter, flags: &mut [u8]) {
        let columns: Vec<(usize, &Column<'_>)> =
            filter.columns.iter().filter_map(|column| Some((*column, self.column(*column)?))).collect();
        let mut texts: Vec<Vec<u8>> = vec![Vec::new(); columns.len()];
        // What the filter says about every combination.
        let mut judged: Vec<Option<u8>> = vec![None; combinations(&columns).unwrap_or(0)];
        for (row, flag) in flags.iter_mut().enumerate() {
            let place = if judged.is_empty() { 0 } else { combination(&columns, row) };
            if let Some(Some(known)) = judged.get(place) {
                *flag |= known;
                continue;
            }
            for ((_, column), text) in columns.iter().zip(&mut texts) {
                text.clear();
                column.write(row, text);
            }
            let texts: Option<Vec<&str>> = texts.iter().map(|text| std::str::from_utf8(text).ok()).collect();
            let found = texts.map_or(UNCLEAR, |texts| {
                let field = |wanted| {
                    let found = columns.iter().position(|(column, _)| *column == wanted);
                    found.map_or("", |found| texts[found])
                };
                match filter.keeps(&field) {
                    Ok(true) => 0,
                    Ok(false) => FILTERED,
                    Err(_) => UNCLEAR,
                }
            });
            if let Some(judged) = judged.get_mut(place) {
                *judged = Some(found);
            }
            *flag |= found;
        }
    }
}

/// What is known of rows from their columns alone.
struct Encoded {
    sums: Vec<u64>,
    flags: Vec<u8>,
    counts: Vec<Vec<i64>>,
    units: Vec<u128>,
}

/// How many combinations of dictionary values, or of nulls, columns have, where these are few.
fn combinations(columns: &[(usize, &Column<'_>)]) -> Option<usize> {
    const MOST: usize = 1 << 16;
    columns.iter().try_fold(1usize, |product, (_, column)| match &column.values {
        Values::Dictionary(_, values) => product.checked_mul(values.array.len() + 1).filter(|product| *product <= MOST),
        _ => None,
    })
}

/// Which of them a row has.
fn combination(columns: &[(usize, &Column<'_>)], row: usize) -> usize {
    columns.iter().fold(0, |place, (_, column)| match &column.values {
        Values::Dictionary(keys, values) => {
            let size = values.array.len();
            place * (size + 1) + if column.is_null(row) { size } else { keys[row] as usize }
        }
        _ => place,
    })
}

impl KnownEntries {
    fn of(&mut self, position: usize) -> &mut ColumnEntries {
        if self.columns.len() <= position {
            self.columns.resize(position + 1, ColumnEntries::default());
        }
        &mut self.columns[position]
    }
}

impl ColumnEntries {
    /// The entries of the values of a dictionary.
    fn entries(&mut self, values: &Column<'_>, codes: &Codes<'_>) -> &[u64] {
        let dictionary = self.dictionary.take().filter(|(array, _)| Arc::ptr_eq(array, values.array));
        let dictionary = dictionary.unwrap_or_else(|| (Arc::clone(values.array), entries(values, codes).collect()));
        &self.dictionary.insert(dictionary).1
    }
}

fn add_codes(column: &Column<'_>, codes: &Codes<'_>, known: &mut ColumnEntries, sums: &mut [u64], flags: &mut [u8]) {
    if !codes.is_of_values() {
        return add_cleaned(column, codes, known, sums, flags);
    }
    match &column.values {
        Values::Whole(numbers) => codes.whole().add(numbers, sums, flags),
        Values::Unsigned(numbers) => {
            let entry = |number: &u64| match i64::try_from(*number) {
                Ok(number) => codes.whole().entry(number),
                Err(_) => codes.entry_of_text(number.to_string().as_bytes()),
            };
            add(numbers.iter().map(entry), sums, flags);
        }
        Values::Real(numbers) => {
            add(numbers.iter().map(|number| codes.entry_of_real(*number, EXACT_REAL)), sums, flags);
        }
        Values::Single(numbers) => {
            add(numbers.iter().map(|number| codes.entry_of_real(*number, EXACT_SINGLE)), sums, flags);
        }
        Values::Flag(values) => {
            let [no, yes] = ["false", "true"].map(|text| codes.entry_of_text(text.as_bytes()));
            let entry = |row| if values.value(row) { yes } else { no };
            add((0..values.len()).map(entry), sums, flags);
        }
        Values::Text(texts) => {
            add_texts(column, texts, flagged(MISSING), codes, &mut known.texts, sums, flags);
        }
        Values::Date(_) | Values::Time { .. } => add(entries(column, codes), sums, flags),
        Values::Dictionary(keys, values) => {
            let entries = known.entries(values, codes);
            let entry = |key: &i32| entries.get(*key as usize).copied().unwrap_or(flagged(UNCLEAR));
            add(keys.iter().map(entry), sums, flags);
        }
        Values::Nothing => flags.iter_mut().for_each(|flag| *flag |= MISSING),
    }
    flag_nulls(column, flags);
}

/// Adds the codes of a dimension whose cleaning decides about nulls and numbers too: every value
/// goes by its text.
fn add_cleaned(column: &Column<'_>, codes: &Codes<'_>, known: &mut ColumnEntries, sums: &mut [u64], flags: &mut [u8]) {
    let missing = codes.entry_of_text(b"");
    match &column.values {
        Values::Dictionary(keys, values) => {
            let entries = known.entries(values, codes);
            let entry = |(row, key): (usize, &i32)| match column.is_null(row) {
                true => missing,
                false => entries.get(*key as usize).copied().unwrap_or(flagged(UNCLEAR)),
            };
            add(keys.iter().enumerate().map(entry), sums, flags);
        }
        Values::Text(texts) => add_texts(column, texts, missing, codes, &mut known.texts, sums, flags),
        _ => {
            let mut text = Vec::new();
            let entry = |row| {
                if column.is_null(row) {
                    return missing;
                }
                text.clear();
                column.write(row, &mut text);
                known.texts.of(&text, |text| codes.entry_of_text(text))
            };
            add((0..column.array.len()).map(entry), sums, flags);
        }
    }
}

/// Adds the entries of a column of texts; nulls have this one.
fn add_texts(
    column: &Column<'_>,
    texts: &Texts<'_>,
    missing: u64,
    codes: &Codes<'_>,
    known: &mut TextEntries,
    sums: &mut [u64],
    flags: &mut [u8],
) {
    let rows = 0..column.array.len();
    let mut entry = |row| known.of_row(texts, row, |text| codes.entry_of_text(text));
    if column.array.null_count() == 0 {
        add(rows.map(entry), sums, flags);
    } else {
        add(rows.map(|row| if column.array.is_null(row) { missing } else { entry(row) }), sums, flags);
    }
}

/// The entry of every value, by its text.
fn entries(values: &Column<'_>, codes: &Codes<'_>) -> impl Iterator<Item = u64> {
    let mut text = Vec::new();
    (0..values.array.len()).map(move |row| {
        text.clear();
        values.write(row, &mut text);
        codes.entry_of_text(&text)
    })
}

/// Whatever the value under a null looks like, it is missing.
fn flag_nulls(column: &Column<'_>, flags: &mut [u8]) {
    if column.array.null_count() > 0 {
        for (row, flag) in flags.iter_mut().enumerate() {
            if column.array.is_null(row) {
                *flag |= MISSING;
            }
        }
    }
}

/// The counts of a column; rows whose count is not plain are flagged.
fn counts(column: &Column<'_>, judge: &Judge<'_>, flags: &mut [u8]) -> Vec<i64> {
    let mut text = Vec::new();
    let mut plain = |row: usize| -> Result<i64, u8> {
        if column.is_null(row) {
            return Err(MISSING);
        }
        let whole = |number: i64| if (0..=LARGEST).contains(&number) { Ok(number) } else { Err(UNCLEAR) };
        match &column.values {
            Values::Whole(numbers) => whole(numbers[row]),
            Values::Unsigned(numbers) => whole(i64::try_from(numbers[row]).unwrap_or(-1)),
            Values::Real(numbers) if numbers[row].floor() == numbers[row] && numbers[row].abs() < EXACT_REAL => {
                whole(numbers[row] as i64)
            }
            _ => {
                text.clear();
                column.write(row, &mut text);
                let Ok(text) = std::str::from_utf8(&text) else { return Err(UNCLEAR) };
                if text.trim_ascii().is_empty() {
                    return Err(MISSING);
                }
                match count(text, judge.declaration.data.negative) {
                    Ok(found) if !found.was_negative => Ok(found.count),
                    _ => Err(UNCLEAR),
                }
            }
        }
    };
    let mut counts = Vec::with_capacity(flags.len());
    for (row, flag) in flags.iter_mut().enumerate() {
        counts.push(plain(row).unwrap_or_else(|found| {
            *flag |= found;
            0
        }));
    }
    counts
}

/// The keys of the units of a column; rows whose unit is missing or no text are flagged.
fn units_of(column: &Column<'_>, judge: &Judge<'_>, flags: &mut [u8]) -> Vec<u128> {
    let mut text = Vec::new();
    let mut units = Vec::with_capacity(flags.len());
    for (row, flag) in flags.iter_mut().enumerate() {
        text.clear();
        column.write(row, &mut text);
        if text.trim_ascii().is_empty() {
            *flag |= MISSING;
        } else if std::str::from_utf8(&text).is_err() {
            *flag |= UNCLEAR;
        }
        units.push(judge.keys.key(&text));
    }
    units
}

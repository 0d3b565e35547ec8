//! `Rows`: adds one row after another to the counts, by the policies of `[data]`.

use crate::codes::Codes;
use crate::columns::Columns;
use crate::fault::{Fault, quoted};
use crate::filter::Unknown;
use crate::source::not_text;
use crate::table::{Table, Tabulated};
use csv::ByteRecord;
use declare::{Declaration, Domain, Duplicates, Number, Policy, Problem, Resolved};

/// Beyond this, other programs lose units when they read the release.
const LARGEST: i64 = 1 << 53;

/// No row has given this cell a count yet.
const UNSEEN: u64 = u64::MAX;

/// The counts so far.
pub(crate) struct Rows<'a> {
    declaration: &'a Declaration,
    domain: &'a Domain,
    columns: Columns,
    width: usize,
    lookups: Vec<Codes<'a>>,
    codes: Vec<usize>,
    /// The structural zeros, in declared order.
    zeros: Vec<Resolved>,
    counts: Table,
    total: i64,
    /// The byte of the row that gave each cell its count; empty when the same cell may come twice.
    seen: Vec<u64>,
    /// The first structural zero, in declared order, that a row fell into.
    broken: Option<usize>,
    rows_read: u64,
    rows_filtered: u64,
    rows_dropped_missing: u64,
    rows_dropped_outside: u64,
}

impl<'a> Rows<'a> {
    /// No rows yet.
    pub fn new(
        declaration: &'a Declaration,
        domain: &'a Domain,
        columns: Columns,
        width: usize,
    ) -> Result<Self, Problem> {
        let distinct = !columns.counts.is_empty() && declaration.data.duplicates == Duplicates::Error;
        let dimensions = &domain.schema.dimensions;
        let zeros = declaration.constraints.zero.iter();
        let zeros = zeros.map(|rule| Resolved::new(rule, &domain.schema));
        Ok(Rows {
            declaration,
            domain,
            columns,
            width,
            lookups: dimensions.iter().map(Codes::new).collect(),
            codes: vec![0; dimensions.len()],
            zeros: zeros.collect::<Result<_, _>>()?,
            counts: Table::new(filled(0, domain.len())?),
            total: 0,
            seen: if distinct { filled(UNSEEN, domain.len())? } else { Vec::new() },
            broken: None,
            rows_read: 0,
            rows_filtered: 0,
            rows_dropped_missing: 0,
            rows_dropped_outside: 0,
        })
    }

    /// The number of rows so far.
    pub fn read(&self) -> u64 {
        self.rows_read
    }

    /// Adds a row, or says what is wrong with it.
    pub fn add(&mut self, record: &ByteRecord) -> Result<(), Box<Fault>> {
        self.rows_read += 1;
        self.check_shape(record)?;
        match self.columns.filter.as_ref().map(|filter| filter.keeps(record)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => {
                self.rows_filtered += 1;
                return Ok(());
            }
            Some(Err(Unknown::Missing(column))) => {
                return self.missing(column, "a value that `where` in [data] compares");
            }
            Some(Err(Unknown::Fault(fault))) => return Err(fault),
        }
        if let Some((column, what)) = self.first_missing(record) {
            return self.missing(column, &what);
        }
        for (position, column) in &self.columns.dimensions {
            let field = field(record, *column);
            match self.lookups[*position].code(field) {
                Some(code) => self.codes[*position] = code,
                None if self.declaration.data.outside == Policy::Error => {
                    return Err(self.lookups[*position].fault(field).at(*column));
                }
                None => {
                    self.rows_dropped_outside += 1;
                    return Ok(());
                }
            }
        }
        let byte = record.position().map_or(0, csv::Position::byte);
        if self.columns.counts.is_empty() {
            return self.add_count(1, byte);
        }
        for number in 0..self.columns.counts.len() {
            let column = self.columns.counts[number];
            if let Some(dimension) = self.columns.measures {
                self.codes[dimension] = number;
            }
            let count = count(field(record, column)).map_err(|fault| fault.at(column))?;
            self.add_count(count, byte)?;
        }
        Ok(())
    }

    fn check_shape(&self, record: &ByteRecord) -> Result<(), Box<Fault>> {
        if record.len() != self.width {
            let message = format!("this row has {}, the header has {}", fields(record.len()), self.width);
            let label = if record.len() < self.width { "a field is missing" } else { "a field too many" };
            let hint = if record.len() < self.width {
                "an empty value still needs its separator"
            } else {
                "a value that contains the separator must stand in quotation marks"
            };
            return Err(Fault::new(message, label).hint(hint));
        }
        if !record.as_slice().is_ascii() {
            for (position, field) in record.iter().enumerate() {
                if std::str::from_utf8(field).is_err() {
                    return Err(not_text(field, position));
                }
            }
        }
        Ok(())
    }

    fn first_missing(&self, record: &ByteRecord) -> Option<(usize, String)> {
        let blank = |column: usize| record[column].trim_ascii().is_empty();
        let dimensions = &self.domain.schema.dimensions;
        if let Some((position, column)) = self.columns.dimensions.iter().find(|(_, column)| blank(*column)) {
            return Some((*column, format!("the value of `{}`", dimensions[*position].name)));
        }
        let number = self.columns.counts.iter().position(|column| blank(*column))?;
        let what = match self.columns.measures {
            Some(dimension) => format!("the count `{}`", dimensions[dimension].values.label(number)),
            None => "the count".to_owned(),
        };
        Some((self.columns.counts[number], what))
    }

    fn missing(&mut self, column: usize, what: &str) -> Result<(), Box<Fault>> {
        if self.declaration.data.missing == Policy::Drop {
            self.rows_dropped_missing += 1;
            return Ok(());
        }
        Err(Fault::new(format!("{what} is missing"), "empty").at(column).hint(
            "fill it in, declare a value for it, or leave such rows out with `missing = \
                    \"drop\"` in [data]",
        ))
    }

    fn add_count(&mut self, count: i64, byte: u64) -> Result<(), Box<Fault>> {
        let Some(cell) = self.domain.cell(&self.codes) else {
            // The message must name the rule alone, so it is written when all rows have been read.
            if count > 0 {
                let mut rules = self.zeros.iter();
                let rule = rules.position(|rule| rule.holds(&self.codes));
                let rule = rule.unwrap_or(usize::MAX);
                self.broken = Some(self.broken.map_or(rule, |before| before.min(rule)));
            }
            return Ok(());
        };
        if let Some(first) = self.seen.get_mut(cell) {
            if *first != UNSEEN {
                return Err(Fault::new("the same cell has a count twice", "a second count for this cell")
                    .repeats(*first)
                    .hint("remove one of the rows, or add them with `duplicates = \"sum\"` in [data]"));
            }
            *first = byte;
        }
        // Counts are never negative, so a bounded total bounds every cell and every sum of cells.
        self.total = self.total.checked_add(count).filter(|total| *total <= LARGEST).ok_or_else(|| {
            Fault::new("the counts up to this row add up to more than 2^53", "the sum becomes too large")
                .hint("counts this large cannot be published without losing units")
        })?;
        self.counts.add(cell, count);
        Ok(())
    }

    /// The table, or the structural zero it breaks.
    pub fn finish(self) -> Result<Tabulated, Problem> {
        if let Some(rule) = self.broken {
            let rules = &self.declaration.constraints.zero;
            let rule = rules.get(rule).map_or(String::new(), |rule| format!(" `{rule}`"));
            return Err(Problem::bad(format!("the data break the structural zero{rule}")).hint(
                "correct the data, or take the rule out of `zero` in [constraints]; which \
                        rows break it is not shown",
            ));
        }
        Ok(Tabulated {
            table: self.counts,
            rows_read: self.rows_read,
            rows_filtered: self.rows_filtered,
            rows_dropped_missing: self.rows_dropped_missing,
            rows_dropped_outside: self.rows_dropped_outside,
        })
    }
}

/// The text of a field, in a row whose fields have been checked to be text.
pub(crate) fn field(record: &ByteRecord, column: usize) -> &str {
    record.get(column).and_then(|field| std::str::from_utf8(field).ok()).unwrap_or_default()
}

fn count(field: &str) -> Result<i64, Box<Fault>> {
    let found = || quoted(field);
    // An exponent nearly always means that a spreadsheet has rounded the count.
    let plain = !field.contains(['e', 'E']);
    let Some(number) = Number::read(field).filter(|_| plain) else {
        return Err(Fault::new(format!("the count {} is not a number", found()), "not a number")
            .hint("counts are whole numbers in plain digits, such as 12"));
    };
    if number.floor < 0 {
        return Err(Fault::new(format!("the count {} is negative", found()), "negative").hint(
            "a confidential table counts records; a released table with noise cannot be \
                    released again",
        ));
    }
    let Some(count) = number.integer() else {
        return Err(Fault::new(format!("the count {} is not a whole number", found()), "not a whole number").hint(
            "the noise is drawn on whole numbers; round the counts before, and say so \
                    where you publish",
        ));
    };
    i64::try_from(count).ok().filter(|count| *count <= LARGEST).ok_or_else(|| {
        Fault::new(format!("the count {} is larger than 2^53", found()), "too large")
            .hint("counts this large cannot be published without losing units")
    })
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

/// A vector of equal values, or a problem when the table does not fit in memory.
fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>, Problem> {
    let mut vector = Vec::new();
    if vector.try_reserve_exact(length).is_err() {
        return Err(Problem::system(format!("a table of {length} cells does not fit in memory")));
    }
    vector.resize(length, value);
    Ok(vector)
}

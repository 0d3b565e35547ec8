//! `Judge`: what a row of text counts for, by the domain and the policies of `[data]`.
//!
//! Readers of columns judge plain rows on their own; every other row comes here as text, so that
//! all formats mean the same.

use crate::batch::Batch;
use crate::codes::Codes;
use crate::columns::Columns;
use crate::counts::count;
use crate::fault::Fault;
use crate::filter::CannotJudge;
use crate::reading::Reading;
use crate::units::UnitKeys;
use csv::ByteRecord;
use declare::{Declaration, Domain, Field, Policy, Problem, Resolved};

/// All that decides what a row counts for; shared by the workers.
pub(crate) struct Judge<'a> {
    pub declaration: &'a Declaration,
    domain: &'a Domain,
    pub columns: Columns,
    width: usize,
    /// The lookup of every dimension that has a column, in the order of `columns.dimensions`.
    pub lookups: Vec<Codes<'a>>,
    /// By how many combinations one step of a code moves, for every dimension of the domain.
    strides: Vec<u64>,
    /// Whether some combinations are no cells.
    has_zeros: bool,
    /// The structural zeros, in declared order.
    zeros: Vec<Resolved>,
    pub keys: &'a UnitKeys,
    reading: Reading,
}

impl<'a> Judge<'a> {
    /// The judge of the rows of a file with these columns, of which there are `width` in all.
    pub fn new(
        declaration: &'a Declaration,
        domain: &'a Domain,
        columns: Columns,
        width: usize,
        keys: &'a UnitKeys,
        reading: Reading,
    ) -> Result<Self, Problem> {
        let dimensions = &domain.schema.dimensions;
        let mut strides = vec![1u64; dimensions.len()];
        for position in (1..dimensions.len()).rev() {
            strides[position - 1] = strides[position].saturating_mul(dimensions[position].values.len() as u64);
        }
        let zeros = declaration.constraints.zero.iter();
        let zeros = zeros.map(|rule| Resolved::new(rule, &domain.schema)).collect::<Result<_, _>>()?;
        let lookups = columns.dimensions.iter();
        let lookups = lookups.map(|(position, _)| Codes::new(&dimensions[*position], strides[*position])).collect();
        let has_zeros = domain.schema.combinations() != Some(domain.len());
        Ok(Judge { declaration, domain, columns, width, lookups, strides, has_zeros, zeros, keys, reading })
    }

    /// Judges a row that is this far from the first of the batch: enters it, drops it, or says what
    /// is wrong with it.
    pub fn row(&self, record: &ByteRecord, offset: u32, batch: &mut Batch) -> Result<(), Box<Fault>> {
        self.check_shape(record)?;
        batch.tally.read += 1;
        match self.columns.filter.as_ref().map(|filter| filter.keeps(&|column| field(record, column))) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => {
                batch.tally.filtered += 1;
                return Ok(());
            }
            Some(Err(CannotJudge::Missing(column))) => {
                return self.missing(column, "a value that `where` in [data] compares", batch);
            }
            Some(Err(CannotJudge::Fault(_))) if self.trusts() => {
                batch.tally.dropped_outside += 1;
                return Ok(());
            }
            Some(Err(CannotJudge::Fault(fault))) => return Err(fault),
        }
        if let Some((column, what)) = self.first_missing(record) {
            return self.missing(column, &what, batch);
        }
        let mut combination = 0;
        for ((_, column), lookup) in self.columns.dimensions.iter().zip(&self.lookups) {
            let field = field(record, *column);
            match lookup.read(field) {
                Field::Code(code) => combination += code as u64 * lookup.stride,
                _ if self.declaration.data.outside == Policy::Error => return Err(lookup.fault(field).at(*column)),
                _ => {
                    batch.tally.dropped_outside += 1;
                    return Ok(());
                }
            }
        }
        let unit = self.columns.unit.map(|column| self.keys.key(&record[column]));
        if self.columns.counts.is_empty() {
            self.enter(combination, None, offset, unit, batch);
            return Ok(());
        }
        let is_count = |column: &usize| count(field(record, *column), self.declaration.data.negative).is_ok();
        if self.trusts() && !self.columns.counts.iter().all(is_count) {
            batch.tally.dropped_outside += 1;
            return Ok(());
        }
        let mut negative = false;
        for (number, column) in self.columns.counts.iter().enumerate() {
            let found = count(field(record, *column), self.declaration.data.negative);
            let found = found.map_err(|fault| fault.at(*column))?;
            negative |= found.was_negative;
            self.enter(combination + self.measure(number), Some(found.count), offset, unit, batch);
        }
        batch.tally.negative += u64::from(negative);
        Ok(())
    }

    /// Whether a row that breaks the declaration is left out instead of told.
    fn trusts(&self) -> bool {
        self.reading == Reading::Trusting
    }

    /// How far the combinations of a measure are from those of the first.
    pub fn measure(&self, number: usize) -> u64 {
        self.columns.measures.map_or(0, |dimension| number as u64 * self.strides[dimension])
    }

    /// Whether every combination is a cell of the same number.
    pub fn is_plain(&self) -> bool {
        !self.has_zeros
    }

    /// Enters a count for a combination: 1 when it has none of its own.
    pub fn enter(&self, combination: u64, count: Option<i64>, offset: u32, unit: Option<u128>, batch: &mut Batch) {
        let cell = if self.has_zeros {
            // The message must name the rule alone, so it is written when all rows have been read.
            let Some(cell) = usize::try_from(combination).ok().and_then(|index| self.domain.cell_of(index)) else {
                if count.is_none_or(|count| count > 0) && !self.trusts() {
                    let rule = self.zeros.iter().position(|rule| rule.holds(&self.codes(combination)));
                    batch.broken = batch.broken.into_iter().chain([rule.unwrap_or(usize::MAX)]).min();
                }
                return;
            };
            cell as u64
        } else {
            combination
        };
        batch.cells.push(cell);
        batch.counts.extend(count);
        batch.offsets.push(offset);
        batch.units.extend(unit);
    }

    fn codes(&self, combination: u64) -> Vec<usize> {
        let dimensions = self.domain.schema.dimensions.iter().zip(&self.strides);
        dimensions.map(|(dimension, stride)| (combination / stride) as usize % dimension.values.len()).collect()
    }

    fn check_shape(&self, record: &ByteRecord) -> Result<(), Box<Fault>> {
        if record.len() != self.width {
            let message = format!("this row has {}, the header has {}", fields(record.len()), self.width);
            let (label, hint) = if record.len() < self.width {
                ("a field is missing", "an empty value still needs its separator")
            } else {
                ("a field too many", "a value that contains the separator must stand in quotation marks")
            };
            return Err(Fault::new(message, label).hint(hint));
        }
        let is_garbled = |field: &[u8]| std::str::from_utf8(field).is_err();
        let garbled = if record.as_slice().is_ascii() { None } else { record.iter().position(is_garbled) };
        garbled.map_or(Ok(()), |position| Err(Fault::not_text(&record[position], position)))
    }

    fn first_missing(&self, record: &ByteRecord) -> Option<(usize, String)> {
        let blank = |column: usize| record[column].trim_ascii().is_empty();
        let dimensions = &self.domain.schema.dimensions;
        let mut read = self.columns.dimensions.iter().zip(&self.lookups);
        let missing = read.find(|((_, column), lookup)| lookup.read(field(record, *column)) == Field::Missing);
        if let Some(((position, column), _)) = missing {
            return Some((*column, format!("the value of `{}`", dimensions[*position].name)));
        }
        if let Some(number) = self.columns.counts.iter().position(|column| blank(*column)) {
            let what = match self.columns.measures {
                Some(dimension) => format!("the count `{}`", dimensions[dimension].values.label(number)),
                None => "the count".to_owned(),
            };
            return Some((self.columns.counts[number], what));
        }
        let unit = self.columns.unit.filter(|column| blank(*column))?;
        Some((unit, "the privacy unit".to_owned()))
    }

    fn missing(&self, column: usize, what: &str, batch: &mut Batch) -> Result<(), Box<Fault>> {
        if self.declaration.data.missing == Policy::Drop {
            batch.tally.dropped_missing += 1;
            return Ok(());
        }
        let dimension = self.columns.dimensions.iter().any(|(_, known)| *known == column);
        let declare = if dimension { ", count such rows under a value of their own with `unknown`" } else { "" };
        Err(Fault::new(format!("{what} is missing"), "empty")
            .at(column)
            .hint(format!("fill it in{declare}, or leave such rows out with `missing = \"drop\"` in [data]")))
    }
}

/// The text of a field, in a row whose fields have been checked to be text.
pub(crate) fn field(record: &ByteRecord, column: usize) -> &str {
    record.get(column).and_then(|field| std::str::from_utf8(field).ok()).unwrap_or_default()
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

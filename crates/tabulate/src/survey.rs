//! `Survey`: which fields of the data are not counted as they are written, by column and value. For
//! the curator alone.

use crate::columns::Columns;
use crate::fault::shortened;
use crate::judge::field;
use crate::origin::{Origin, Sources};
use declare::{Change, Declaration, Domain, Field, FieldReader, Problem};
use exact::attention::look;
use std::collections::HashMap;
use std::fmt;

/// Of one column so many different values are told apart.
const MOST_VALUES: usize = 10_000;

/// What was found in every column that is a dimension. Confidential.
pub struct Survey {
    /// The rows that the `where` of `[data]` keeps, or cannot judge.
    pub rows: u64,
    /// One for every dimension that has a column.
    pub columns: Vec<Surveyed>,
}

/// What was found in one column.
pub struct Surveyed {
    /// The dimension.
    pub dimension: String,
    /// Its column of the file.
    pub column: String,
    /// Fields that are not counted as written, the most frequent first.
    pub changed: Vec<Changed>,
    /// Rows with such fields beyond those that are told apart.
    pub others: u64,
}

/// A field that is not counted as it is written.
pub struct Changed {
    /// The field, on one line; empty: missing.
    pub found: String,
    /// What becomes of it.
    pub became: Became,
    /// In how many rows.
    pub rows: u64,
}

/// What becomes of a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Became {
    /// This value, because spaces or capital letters are ignored.
    Written(String),
    /// This value, because it is recoded.
    Recoded(String),
    /// This value, because it is missing or outside.
    Unknown(String),
    /// Its row has no value.
    Missing,
    /// Its row is outside the domain.
    Outside,
}

impl fmt::Debug for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Survey({} columns, redacted)", self.columns.len())
    }
}

/// Reads the data of a declaration, files or a frame, and counts every field that is not counted as
/// written.
pub fn survey<'a>(
    declaration: &Declaration,
    domain: &Domain,
    origin: impl Into<Origin<'a>>,
    progress: &mut dyn FnMut(u64),
) -> Result<Survey, Problem> {
    let data = &declaration.data;
    let dimensions = &domain.schema.dimensions;
    let readers: Vec<FieldReader<'_>> = dimensions.iter().map(|dimension| dimension.reader()).collect();
    let mut rows = 0;
    let mut found: Vec<FieldTally> = dimensions.iter().map(|_| FieldTally::default()).collect();
    let mut bytes = 0;
    let sources = Sources::of(data, origin.into())?;
    for number in 0..sources.number() {
        let mut file = sources.open(number)?;
        let columns = Columns::find(file.header(), declaration, domain);
        let columns = columns.map_err(|fault| file.header_problem(*fault))?;
        file.select(&columns.used())?;
        for piece in file.pieces()?.rest {
            look();
            piece?.rows(&mut |record| {
                let keeps = columns.filter.as_ref().map(|filter| filter.keeps(&|column| field(record, column)));
                if matches!(keeps, Some(Ok(false))) {
                    return Ok(());
                }
                rows += 1;
                for (dimension, column) in &columns.dimensions {
                    found[*dimension].add(field(record, *column), &readers[*dimension]);
                }
                Ok(())
            })?;
        }
        bytes += file.size();
        progress(bytes);
    }
    let columns = dimensions.iter().zip(found).filter(|(_, found)| !found.rows.is_empty() || found.others > 0);
    let columns = columns.map(|(dimension, found)| Surveyed {
        dimension: dimension.name.clone(),
        column: dimension.column.clone(),
        others: found.others,
        changed: found.changed(|code| dimension.values.label(code)),
    });
    Ok(Survey { rows, columns: columns.collect() })
}

#[derive(Default)]
struct FieldTally {
    /// By field: what it is, how it came to that, and in how many rows.
    rows: HashMap<String, (Field, Change, u64)>,
    others: u64,
}

impl FieldTally {
    fn add(&mut self, field: &str, reader: &FieldReader<'_>) {
        if let Some((.., rows)) = self.rows.get_mut(field) {
            *rows += 1;
            return;
        }
        let (read, change) = reader.explain(field);
        if matches!((read, change), (Field::Code(_), Change::None)) {
            return;
        }
        if self.rows.len() == MOST_VALUES {
            self.others += 1;
        } else {
            self.rows.insert(field.to_owned(), (read, change, 1));
        }
    }

    fn changed(self, label: impl Fn(usize) -> String) -> Vec<Changed> {
        let mut changed: Vec<Changed> = self
            .rows
            .into_iter()
            .map(|(found, (read, change, rows))| {
                let became = match (read, change) {
                    (Field::Code(code), Change::Recoded) => Became::Recoded(label(code)),
                    (Field::Code(code), Change::Unknown) => Became::Unknown(label(code)),
                    (Field::Code(code), Change::None | Change::Written) => Became::Written(label(code)),
                    (Field::Missing, _) => Became::Missing,
                    (Field::Outside, _) => Became::Outside,
                };
                Changed { found: shortened(&found), became, rows }
            })
            .collect();
        changed.sort_by(|one, other| other.rows.cmp(&one.rows).then_with(|| one.found.cmp(&other.found)));
        changed
    }
}

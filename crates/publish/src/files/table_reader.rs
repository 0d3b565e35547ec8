//! Released tables read back: consecutive cells, whose labels are checked against the domain.

use super::format::Format;
use certify::changed;
use declare::{Domain, Problem};
use std::path::Path;
use tabulate::survived;

/// The next cells of a table, in cell order.
#[derive(Debug, Clone, Copy)]
pub struct Portion<'a> {
    /// Their counts.
    pub values: &'a [i64],
    /// The columns `lower90` and `upper90`, if the table has them.
    pub interval: Option<[&'a [i64]; 2]>,
}

/// Reads a released table and hands on its cells, checking that its rows are exactly the live cells
/// in cell order.
///
/// `intervals` says whether the table has columns `lower90` and `upper90`.
pub fn read_table(
    path: &Path,
    format: Format,
    domain: &Domain,
    intervals: bool,
    visit: &mut dyn FnMut(Portion<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut portions = Portions { intervals, values: Vec::new(), lower: Vec::new(), upper: Vec::new(), visit };
    // Somebody else may have written the file, and the libraries that read it panic on some
    // contradictions.
    let read = survived(|| format.read(path, domain, &mut portions));
    read.unwrap_or_else(|| {
        Err(Problem::bad(format!("`{}` is damaged: its parts contradict each other", path.display())))
    })?;
    portions.hand_on()
}

/// The counts of a released table without intervals.
pub fn read_counts(path: &Path, format: Format, domain: &Domain) -> Result<Vec<i64>, Problem> {
    let mut counts = Vec::with_capacity(domain.len());
    read_table(path, format, domain, false, &mut |portion| {
        counts.extend_from_slice(portion.values);
        Ok(())
    })?;
    Ok(counts)
}

/// Rows that are handed on at once by formats that are read row by row.
const ROWS: usize = 1 << 16;

/// Rows that wait to be handed on.
pub struct Portions<'a> {
    pub(super) intervals: bool,
    pub(super) values: Vec<i64>,
    pub(super) lower: Vec<i64>,
    pub(super) upper: Vec<i64>,
    visit: &'a mut dyn FnMut(Portion<'_>) -> Result<(), Problem>,
}

impl Portions<'_> {
    /// One more row.
    pub fn push(&mut self, value: i64, interval: Option<[i64; 2]>) -> Result<(), Problem> {
        self.values.push(value);
        if let Some([lower, upper]) = interval {
            self.lower.push(lower);
            self.upper.push(upper);
        }
        if self.values.len() == ROWS { self.hand_on() } else { Ok(()) }
    }

    /// Hands on what waits.
    pub(super) fn hand_on(&mut self) -> Result<(), Problem> {
        if self.values.is_empty() {
            return Ok(());
        }
        let interval = self.intervals.then_some([self.lower.as_slice(), self.upper.as_slice()]);
        (self.visit)(Portion { values: &self.values, interval })?;
        self.values.clear();
        self.lower.clear();
        self.upper.clear();
        Ok(())
    }
}

/// What may be wrong with a table.
#[derive(Clone, Copy)]
pub(super) struct Damage<'a> {
    pub(super) path: &'a Path,
}

impl Damage<'_> {
    pub(super) fn of(self, what: impl std::fmt::Display) -> Problem {
        Problem::bad(format!("`{}` {what}", self.path.display()))
    }

    pub(super) fn columns(self) -> Problem {
        self.of("does not have the columns that its certificate declares")
    }

    pub(super) fn more(self) -> Problem {
        self.of("has more rows than its certificate declares cells")
    }

    pub(super) fn fewer(self) -> Problem {
        self.of("has fewer rows than its certificate declares cells")
    }

    pub(super) fn row(self, row: usize) -> Problem {
        self.of(format_args!("has another cell in row {row} than its certificate declares"))
    }

    pub(super) fn written(self) -> Problem {
        changed(format!("`{}` has the counts, and is not the file that a release writes of them", self.path.display()))
    }

    pub(super) fn number(self, row: usize) -> Problem {
        self.of(format_args!("has no whole number in row {row}"))
    }
}

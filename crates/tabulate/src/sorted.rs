//! Tables that are never in memory whole: their rows must come in cell order, and are read twice.
//!
//! The first reading adds the counts up to those of a small table with the same totals. The second
//! hands them on, in cell order. Both make the same digest of what they see, under a random key, so
//! that data that changed in between are noticed.

use crate::origin::Origin;
use crate::reading::Reading;
use crate::table::{Table, Tabulated};
use crate::visit::{Portion, visit};
use declare::{Declaration, Domain, Duplicates, Fold, Problem};
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};

/// What the first reading has seen, to be compared with the second.
#[derive(Clone)]
pub struct FirstReading {
    key: RandomState,
    digest: u64,
}

impl fmt::Debug for FirstReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FirstReading(redacted)")
    }
}

/// Reads the data of a large table into the counts of the small one with the same totals.
///
/// # Errors
/// Those of [`crate::tabulate`]; also when a row comes after one of a later cell.
pub fn tabulate_sorted(
    reading: Reading,
    declaration: &Declaration,
    domain: &Domain,
    fold: &Fold,
    origin: Origin<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<(Tabulated, FirstReading), Problem> {
    let declaration = &*reading.of(declaration);
    let key = RandomState::new();
    let mut sorted = Sorted::new(declaration, domain, &key);
    let mut table = Table::new(vec![0; fold.domain.len()]);
    let rows = visit(reading, declaration, domain, origin, progress, &mut |portion| {
        sorted.check(portion)?;
        each(portion, |cell, count| table.add(fold.place(cell), count));
        Ok(())
    })?;
    let digest = sorted.hasher.finish();
    Ok((Tabulated { table, rows }, FirstReading { key, digest }))
}

/// Reads the data again and hands on all cells of the table in cell order, `portion` cells at a
/// time and fewer at the end; cells that do not appear in the data have a count of zero. The
/// visitor may change the counts it is lent: they are forgotten afterwards.
///
/// # Errors
/// Those of the first reading; also when the data are not those of the first reading. Then
/// everything that was handed on must be thrown away.
pub fn read_again(
    reading: Reading,
    declaration: &Declaration,
    domain: &Domain,
    origin: Origin<'_>,
    first: &FirstReading,
    portion: usize,
    visitor: &mut dyn FnMut(&mut [i64]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let declaration = &*reading.of(declaration);
    let mut sorted = Sorted::new(declaration, domain, &first.key);
    let mut dense = Dense { counts: Table::new(Vec::new()), start: 0, cells: domain.len(), portion, visitor };
    dense.begin(0);
    visit(reading, declaration, domain, origin, &mut |_| {}, &mut |rows| {
        sorted.check(rows)?;
        let mut result = Ok(());
        each(rows, |cell, count| {
            if result.is_ok() {
                result = dense.add(cell, count);
            }
        });
        result
    })?;
    if sorted.hasher.finish() != first.digest {
        return Err(Problem::bad(
            "the data changed while they were read: the second reading found other rows than the first",
        )
        .hint("let nothing write to the data until the release is done"));
    }
    dense.finish()
}

fn each(portion: &Portion<'_>, mut take: impl FnMut(usize, i64)) {
    for (entry, cell) in portion.cells.iter().enumerate() {
        take(*cell as usize, portion.counts.get(entry).copied().unwrap_or(1));
    }
}

/// Whether rows come in cell order, and a digest of them.
struct Sorted<'a> {
    domain: &'a Domain,
    /// Whether a cell must not come twice.
    distinct: bool,
    /// The last cell, and the place of its row.
    last: Option<(u64, u64)>,
    hasher: DefaultHasher,
}

impl<'a> Sorted<'a> {
    fn new(declaration: &Declaration, domain: &'a Domain, key: &RandomState) -> Self {
        let counted = declaration.data.count.is_some() || domain.schema.measures().is_some();
        let distinct = counted && declaration.data.duplicates == Duplicates::Error;
        Sorted { domain, distinct, last: None, hasher: key.build_hasher() }
    }

    fn check(&mut self, portion: &Portion<'_>) -> Result<(), Problem> {
        for (entry, cell) in portion.cells.iter().enumerate() {
            match self.last {
                Some((last, _)) if *cell < last => return Err(self.out_of_order(portion, entry)),
                Some((last, first)) if *cell == last && self.distinct => return Err(portion.repeated(entry, first)),
                _ => {}
            }
            self.last = Some((*cell, portion.place(entry)));
            self.hasher.write_u64(*cell);
            self.hasher.write_i64(portion.counts.get(entry).copied().unwrap_or(1));
        }
        Ok(())
    }

    fn out_of_order(&self, portion: &Portion<'_>, entry: usize) -> Problem {
        let names: Vec<&str> = self.domain.schema.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        let message = "this row belongs before an earlier one: a table this large is never in memory whole, so its rows must \
                       come in cell order";
        portion.problem(entry, message, "out of order").hint(format!(
            "sort the data by {}, and each by the order of its values in the spec",
            names.join(", then ")
        ))
    }
}

/// Counts of consecutive cells, those between rows included.
struct Dense<'a> {
    counts: Table,
    start: usize,
    cells: usize,
    portion: usize,
    visitor: &'a mut dyn FnMut(&mut [i64]) -> Result<(), Problem>,
}

impl Dense<'_> {
    fn begin(&mut self, start: usize) {
        self.start = start;
        self.counts.reset(self.portion.min(self.cells - start));
    }

    fn add(&mut self, cell: usize, count: i64) -> Result<(), Problem> {
        while cell >= self.start + self.counts.counts().len() {
            self.hand_on()?;
        }
        self.counts.add(cell - self.start, count);
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), Problem> {
        (self.visitor)(self.counts.counts_mut())?;
        self.begin(self.start + self.counts.counts().len());
        Ok(())
    }

    fn finish(mut self) -> Result<(), Problem> {
        while self.start < self.cells {
            self.hand_on()?;
        }
        Ok(())
    }
}

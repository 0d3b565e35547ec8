//! Hands the rows of all data files, turned to cells and counts, to a visitor in the order of the
//! files.
//!
//! Workers decode parts of a file at the same time, but what they find is taken strictly in file
//! order: results, the first error and everything that depends on earlier rows are the same
//! whatever the number of threads.

use crate::batch::{Batch, Stop};
use crate::chosen::{Choice, RowsOfUnits};
use crate::columns::Columns;
use crate::counts::LARGEST;
use crate::fault::Fault;
use crate::file::DataFile;
use crate::judge::Judge;
use crate::order::in_order;
use crate::origin::{Origin, Sources};
use crate::reading::Reading;
use crate::schemas::Schemas;
use crate::table::RowTally;
use crate::units::{UnitKeys, Units};
use declare::{Declaration, Domain, Policy, Problem};
use exact::attention::look;

/// Consecutive counts of a data file, in the order of its rows.
pub struct Portion<'a> {
    /// The live cells that the rows count in, by their numbers in the domain.
    pub cells: &'a [u64],
    /// What they count there; empty: 1 each. Below zero only where rows of a unit are chosen: an
    /// earlier row is taken back.
    pub counts: &'a [i64],
    batch: &'a Batch,
    files: &'a Files<'a>,
}

impl Portion<'_> {
    /// The place of the row behind an entry: it tells rows apart over all files, and grows from row
    /// to row.
    pub fn place(&self, entry: usize) -> u64 {
        self.files.base + self.batch.place(entry)
    }

    /// The problem of the row behind an entry, with a label of a few words to stand under it.
    pub fn problem(&self, entry: usize, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.files.problem(self.batch.place(entry), *Fault::new(message, label))
    }

    /// The problem of a row that gives a count to a cell which the row at `first` has given one
    /// before.
    pub fn repeated(&self, entry: usize, first: u64) -> Problem {
        let fault = Fault::new("the same cell has a count twice", "a second count for this cell");
        let fault = *fault.hint("remove one of the rows, or add them with `duplicates = \"sum\"` in [data]");
        self.files.problem(self.batch.place(entry), Fault { earlier: Some(first), ..fault })
    }
}

/// Reads the data of a declaration, files or a frame, and hands consecutive portions of them to the
/// visitor.
///
/// All is done but the accumulation: rows are filtered and dropped by the policies of `[data]`,
/// rows of structural zeros are left out (at the end, if no other problem was found, one with a
/// count is an error), units are limited and the sum of all counts stays below 2^53. Whether a cell
/// may come twice is left to the visitor.
///
/// What breaks the declaration is told, or left out, as the reading says. `progress` is called now
/// and then with the number of bytes read so far, over all files, and at the end.
pub fn visit<'a>(
    reading: Reading,
    declaration: &Declaration,
    domain: &Domain,
    origin: impl Into<Origin<'a>>,
    progress: &mut dyn FnMut(u64),
    visitor: &mut dyn FnMut(&Portion<'_>) -> Result<(), Problem>,
) -> Result<RowTally, Problem> {
    let data = &declaration.data;
    let chooses = data.beyond == Policy::Drop;
    let keys = UnitKeys::new(chooses);
    let mut state = State {
        units: data.unit.as_ref().filter(|_| !chooses).map(|unit| Units::new(unit, data.rows_per_unit)),
        chosen: chooses.then(|| RowsOfUnits::new(data.rows_per_unit)),
        total: 0,
        tally: RowTally::default(),
        broken: None,
        bytes_before: 0,
        reported: None,
        reading,
    };
    let mut schemas = Schemas::default();
    let mut earlier: Vec<(u64, Box<dyn DataFile>)> = Vec::new();
    let mut base = 0;
    let sources = Sources::of(data, origin.into())?;
    for number in 0..sources.number() {
        let mut file = sources.open(number)?;
        let columns = Columns::find(file.header(), declaration, domain);
        let columns = columns.map_err(|fault| file.header_problem(*fault))?;
        let used = columns.used();
        file.select(&used)?;
        schemas.compare(file.as_ref(), &used)?;
        let judge = Judge::new(declaration, domain, columns, file.header().names.len(), &keys, reading)?;
        let files = Files { earlier: &earlier, current: file.as_ref(), base };
        let mut end = 0;
        in_order(file.as_ref(), &judge, &mut |batch| {
            end = batch.end;
            state.take(batch, &files, progress, visitor)
        })?;
        state.bytes_before += file.size();
        state.report(0, progress);
        earlier.push((base, file));
        base += end;
    }
    let Some(rule) = state.broken else { return Ok(state.tally) };
    let rule = declaration.constraints.zero.get(rule).map_or(String::new(), |rule| format!(" `{rule}`"));
    Err(Problem::bad(format!("the data break the structural zero{rule}")).hint(
        "correct the data, or take the rule out of `zero` in [constraints]; which \
                rows break it is not shown",
    ))
}

/// The file that is being read, and those before it.
struct Files<'a> {
    /// The files before, with what was added to their places.
    earlier: &'a [(u64, Box<dyn DataFile>)],
    current: &'a dyn DataFile,
    /// What is added to the places of the current file, so that they differ from all before.
    base: u64,
}

impl Files<'_> {
    /// The fault of a row as a problem that names other wrong rows too, without what they hold.
    fn problem_with(&self, place: u64, fault: Fault, more: &[u64]) -> Problem {
        let problem = self.problem(place, fault);
        if more.is_empty() {
            return problem;
        }
        let places: Vec<String> = more.iter().map(|place| self.current.whereabouts(*place)).collect();
        let places = format!("rows that cannot be counted either: {}, and perhaps later ones", places.join(", "));
        let hint = problem.hint.clone().map_or(places.clone(), |hint| format!("{hint}; {places}"));
        problem.hint(hint)
    }

    /// The fault of a row of the current file as a problem.
    fn problem(&self, place: u64, mut fault: Fault) -> Problem {
        if let Some(first) = fault.earlier {
            let first = match first.checked_sub(self.base) {
                Some(place) => self.current.whereabouts(place),
                None => {
                    let file = self.earlier.iter().rev().find(|(base, _)| *base <= first);
                    file.map_or(String::new(), |(base, file)| {
                        format!("{} of `{}`", file.whereabouts(first - base), file.name())
                    })
                }
            };
            fault.message = format!("{} (first {first})", fault.message);
        }
        self.current.problem(place, fault)
    }
}

/// What is known after the rows so far.
struct State {
    units: Option<Units>,
    chosen: Option<RowsOfUnits>,
    total: i64,
    tally: RowTally,
    /// The first structural zero, in declared order, that a row fell into.
    broken: Option<usize>,
    /// The bytes of the files before the current one.
    bytes_before: u64,
    reported: Option<u64>,
    reading: Reading,
}

impl State {
    /// Takes the next batch of the current file.
    fn take(
        &mut self,
        mut batch: Batch,
        files: &Files<'_>,
        progress: &mut dyn FnMut(u64),
        visitor: &mut dyn FnMut(&Portion<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        look();
        self.tally.add(&batch.tally);
        self.broken = self.broken.into_iter().chain(batch.broken).min();
        if let Some(chosen) = &mut self.chosen {
            choose(chosen, &mut batch, &mut self.tally);
        }
        if self.reading == Reading::Trusting {
            self.leave_out_beyond(&mut batch);
        }
        let limit = if self.reading == Reading::Strict { self.first_beyond(&batch) } else { None };
        // The visitor sees the row at fault too: what is wrong with it there comes first.
        let entries = limit.as_ref().map_or(batch.cells.len(), |(entry, _)| entry + 1);
        if entries > 0 {
            let counts = batch.counts.get(..entries).unwrap_or_default();
            visitor(&Portion { cells: &batch.cells[..entries], counts, batch: &batch, files })?;
        }
        if let Some((entry, fault)) = limit {
            return Err(files.problem(batch.place(entry), *fault));
        }
        match batch.stop {
            Some(Stop::Fault(place, fault, more)) => Err(files.problem_with(place, *fault, &more)),
            Some(Stop::Problem(problem)) => Err(problem),
            None => {
                self.report(batch.reached, progress);
                Ok(())
            }
        }
    }

    /// Leaves out entries that make the sum too large or are rows too many for their unit.
    fn leave_out_beyond(&mut self, batch: &mut Batch) {
        let sum = match batch.counts.is_empty() {
            true => i64::try_from(batch.cells.len()).ok(),
            false => batch.counts.iter().try_fold(0i64, |sum, count| sum.checked_add(*count)),
        };
        if self.units.is_none()
            && let Some(total) = sum.and_then(|sum| self.total.checked_add(sum)).filter(|total| *total <= LARGEST)
        {
            self.total = total;
            return;
        }
        let mut kept = batch.emptied();
        for (entry, cell) in batch.cells.iter().enumerate() {
            let count = batch.counts.get(entry).copied();
            let total = self.total.checked_add(count.unwrap_or(1)).filter(|total| *total <= LARGEST);
            let unit = batch.units.get(entry);
            let Some(total) = total else { continue };
            if let (Some(units), Some(unit)) = (&mut self.units, unit)
                && units.add(*unit).is_err()
            {
                continue;
            }
            self.total = total;
            kept.cells.push(*cell);
            kept.counts.extend(count);
            kept.offsets.push(batch.offset(entry));
            kept.units.extend(unit);
        }
        *batch = kept;
    }

    /// The first entry that makes the sum too large or is one row too many for its unit.
    fn first_beyond(&mut self, batch: &Batch) -> Option<(usize, Box<Fault>)> {
        if let Some(units) = &mut self.units {
            let mut found = batch.units.iter().enumerate();
            if let Some(beyond) = found.find_map(|(entry, unit)| Some((entry, units.add(*unit).err()?))) {
                return Some(beyond);
            }
        }
        let too_large = |entry| {
            let fault = Fault::new("the counts up to this row add up to more than 2^53", "the sum becomes too large");
            Some((entry, fault.hint("counts this large cannot be published without losing units")))
        };
        if batch.counts.is_empty() {
            let left = usize::try_from(LARGEST - self.total).unwrap_or(usize::MAX);
            if batch.cells.len() > left {
                return too_large(left);
            }
            self.total += batch.cells.len() as i64;
            return None;
        }
        // Counts are never negative, so a bounded total bounds every cell and every sum of cells.
        for (entry, count) in batch.counts.iter().enumerate() {
            match self.total.checked_add(*count).filter(|total| *total <= LARGEST) {
                Some(total) => self.total = total,
                None => return too_large(entry),
            }
        }
        None
    }

    fn report(&mut self, reached: u64, progress: &mut dyn FnMut(u64)) {
        let bytes = self.bytes_before + reached;
        if self.reported.is_none_or(|reported| reported < bytes) {
            self.reported = Some(bytes);
            progress(bytes);
        }
    }
}

/// Chooses among the rows of every unit; a row that is not counted any more is taken back by an
/// entry of −1.
fn choose(chosen: &mut RowsOfUnits, batch: &mut Batch, tally: &mut RowTally) {
    let mut kept = batch.emptied();
    for (entry, (cell, unit)) in batch.cells.iter().zip(&batch.units).enumerate() {
        let choice = chosen.add(*unit, *cell);
        tally.dropped_beyond += u64::from(choice != Choice::Kept);
        let counted: &[(u64, i64)] = match choice {
            Choice::LeftOut => &[],
            Choice::Kept => &[(*cell, 1)],
            Choice::Instead(old) => &[(*cell, 1), (old, -1)],
        };
        for (cell, count) in counted {
            kept.cells.push(*cell);
            kept.counts.push(*count);
            kept.offsets.push(batch.offset(entry));
        }
    }
    *batch = kept;
}

//! Vectors of the kernel of a part by length, until two tables are found that differ by one, within
//! limits of work.

use super::part::{TablePart, TableStep};
use analyse::{Apart, Lattice};
use std::cell::OnceCell;
use std::collections::HashSet;

/// Partial vectors that are looked at, for all parts together.
const MOST_VECTORS: u64 = 60_000;
/// Entries of rows that are looked at, for all parts together.
const MOST_ENTRIES: u64 = 4_000_000;
/// Steps of which it is asked whether two tables differ by them, for all parts together.
const MOST_ASKED: u64 = 200;
/// The longest vectors that are listed.
const MOST_LENGTH: u64 = 32;
/// Short vectors of bases that are tried where the list of all vectors was not finished, for all
/// parts together.
const MOST_TRIED: u64 = 24;

/// What is left of the limits.
pub(super) struct Work {
    vectors: u64,
    entries: u64,
    asked: u64,
    tried: u64,
}

/// The limits are reached.
struct Exhausted;

impl Work {
    pub(super) fn new() -> Work {
        Work { vectors: MOST_VECTORS, entries: MOST_ENTRIES, asked: MOST_ASKED, tried: MOST_TRIED }
    }

    fn vector(&mut self, entries: u64) -> Result<(), Exhausted> {
        self.vectors = self.vectors.checked_sub(1).ok_or(Exhausted)?;
        self.entries = self.entries.checked_sub(entries).ok_or(Exhausted)?;
        Ok(())
    }

    fn ask(&mut self) -> Result<(), Exhausted> {
        self.asked = self.asked.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }
}

/// What is known of a part.
pub(super) struct PairFound {
    /// No two tables of the part are nearer than this.
    pub(super) ruled_out_below: u64,
    /// Two tables, the nearest that were found.
    pub(super) pair: Option<Apart>,
}

/// Looks for pairs of length `least` and more, up to `most`: longer ones are of no interest.
pub(super) fn search(part: &TablePart, least: u64, most: u64, work: &mut Work) -> PairFound {
    let mut search = VectorSearch { part, lattice: OnceCell::new(), work, undecided: false };
    if part.is_one_table() {
        return PairFound { ruled_out_below: u64::MAX, pair: None };
    }
    let mut length = least;
    while length <= most.min(MOST_LENGTH) {
        match search.of_length(length) {
            Ok(Some(step)) => {
                let ruled_out_below = if search.undecided { length } else { step.apart().l1 };
                return PairFound { ruled_out_below, pair: Some(step.apart()) };
            }
            // A step of which it is not known whether tables differ by it rules nothing out, nor
            // does a list with an end.
            Ok(None) if !search.undecided => length += 1,
            Ok(None) | Err(Exhausted) => break,
        }
    }
    let pair = if length > most { None } else { search.by_basis(most) };
    PairFound { ruled_out_below: length, pair }
}

struct VectorSearch<'a> {
    part: &'a TablePart,
    lattice: OnceCell<Option<Lattice>>,
    work: &'a mut Work,
    /// Whether of some step it was not decided whether tables differ by it.
    undecided: bool,
}

/// A vector in the making.
struct Partial {
    /// The first variable, which grows.
    start: u32,
    /// Amounts of variables, none zero, increasing.
    amounts: Vec<(u32, i64)>,
    /// By how much every total is off.
    off: Vec<i64>,
    /// The sum of what totals are off.
    all: u64,
}

impl Partial {
    /// Whether one unit more in this direction leaves no other way to the same vector shorter.
    fn may(&self, part: &TablePart, variable: u32, sign: i64) -> bool {
        if variable < self.start || part.fixed[variable as usize] {
            return false;
        }
        match self.amounts.binary_search_by_key(&variable, |(known, _)| *known) {
            Ok(at) => self.amounts[at].1.signum() == sign,
            Err(_) => true,
        }
    }

    fn add(&mut self, part: &TablePart, variable: u32, sign: i64) {
        match self.amounts.binary_search_by_key(&variable, |(known, _)| *known) {
            Ok(at) => {
                self.amounts[at].1 += sign;
                if self.amounts[at].1 == 0 {
                    self.amounts.remove(at);
                }
            }
            Err(at) => self.amounts.insert(at, (variable, sign)),
        }
        for (row, times) in &part.columns[variable as usize] {
            let off = &mut self.off[*row as usize];
            self.all -= off.unsigned_abs();
            *off += sign * times;
            self.all += off.unsigned_abs();
        }
    }
}

impl VectorSearch<'_> {
    fn ask(&mut self, step: &TableStep) -> Result<bool, Exhausted> {
        self.work.ask()?;
        let found = self.has_pair(step);
        self.undecided |= found.is_none();
        Ok(found == Some(true))
    }

    fn has_pair(&self, step: &TableStep) -> Option<bool> {
        self.part.has_pair(step, || self.lattice.get_or_init(|| self.part.lattice()).as_ref())
    }

    /// A step of this length by which two tables differ.
    fn of_length(&mut self, length: u64) -> Result<Option<TableStep>, Exhausted> {
        if length == 2 {
            let several = |at: &u32| self.part.variables[*at as usize] && !self.part.fixed[*at as usize];
            for variable in (0..self.part.variables.len() as u32).filter(several) {
                let step = TableStep::Inside(variable);
                if self.ask(&step)? {
                    return Ok(Some(step));
                }
            }
        }
        let widest = self.part.columns.iter().map(|column| column.iter().map(|(_, t)| t.unsigned_abs()).sum()).max();
        let widest: u64 = widest.unwrap_or(0);
        let mut off = vec![0; self.part.equal.len()];
        for start in (0..self.part.variables.len() as u32).filter(|at| !self.part.fixed[*at as usize]) {
            let mut partial = Partial { start, amounts: Vec::new(), off, all: 0 };
            partial.add(self.part, start, 1);
            let mut seen = HashSet::new();
            let found = self.complete(&mut partial, length - 1, widest, &mut seen)?;
            if found.is_some() {
                return Ok(found);
            }
            partial.add(self.part, start, -1);
            off = partial.off;
        }
        Ok(None)
    }

    /// Adds so many units that no total is off, in all ways; the unit that is added next moves a
    /// total that is off towards zero, as some unit of every vector that completes this one does.
    fn complete(
        &mut self,
        partial: &mut Partial,
        left: u64,
        widest: u64,
        seen: &mut HashSet<Vec<(u32, i64)>>,
    ) -> Result<Option<TableStep>, Exhausted> {
        if partial.all > left * widest || !seen.insert(partial.amounts.clone()) {
            return Ok(None);
        }
        if left == 0 {
            self.work.vector(0)?;
            let step = TableStep::Across(partial.amounts.clone());
            return Ok(self.ask(&step)?.then_some(step));
        }
        let row =
            (0..partial.off.len()).filter(|row| partial.off[*row] != 0).min_by_key(|row| self.part.equal[*row].0.len());
        let choices: Vec<(u32, i64)> = match row {
            Some(row) => {
                let sign = |times: i64| -(times.signum() * partial.off[row].signum());
                self.part.equal[row].0.iter().map(|(variable, times)| (*variable, sign(*times))).collect()
            }
            // Without rules a vector that has a part in the kernel is not shorter than that part.
            None if !self.part.is_ruled() => Vec::new(),
            None => (partial.start..self.part.variables.len() as u32).flat_map(|at| [(at, 1), (at, -1)]).collect(),
        };
        self.work.vector((choices.len() + partial.off.len()) as u64)?;
        for (variable, sign) in choices {
            if !partial.may(self.part, variable, sign) {
                continue;
            }
            partial.add(self.part, variable, sign);
            let found = self.complete(partial, left - 1, widest, seen)?;
            partial.add(self.part, variable, -sign);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A pair that differs by a short vector of a basis, and not by more than `most`.
    fn by_basis(&mut self, most: u64) -> Option<Apart> {
        if self.work.tried == 0 {
            return None;
        }
        let lattice = self.lattice.get_or_init(|| self.part.lattice()).as_ref()?;
        let mut steps: Vec<TableStep> = lattice.basis().iter().cloned().map(TableStep::Across).collect();
        steps.sort_by_key(|step| step.apart().l1);
        for step in steps.into_iter().filter(|step| step.apart().l1 <= most) {
            self.work.tried = self.work.tried.checked_sub(1)?;
            if self.has_pair(&step) == Some(true) {
                return Some(step.apart());
            }
        }
        None
    }
}

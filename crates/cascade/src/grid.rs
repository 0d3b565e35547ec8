//! Two-way tables with both margins exact: columns are split in two, and for every split the rows
//! share it out.
//!
//! When the columns C are split into C₁ and C₂, the sums of all rows over C are known, and so is
//! the sum of C₁. What is drawn is y(r, C₁) for all rows r: a total that is split over the rows, as
//! in [`crate::split`], with the leaf centres `x(r, C₁) + f·(y − x)(r, C)`, `f = |C₁|/|C|`, the
//! bounds `0 ≤ y(r, C₁) ≤ y(r, C)` where counts are at least zero, and `s² = s²(rows)·s²(columns)`.
//! Then C₁ and C₂ are two smaller tables that have nothing to do with each other any more.
//!
//! The table is kept column by column, so that everything here runs along memory; columns of C₁
//! stay where those of C were.

use crate::bell::Bell;
use crate::law::Step;
use crate::shape::{Split, SplitTree};
use crate::split::{
    FromBits, Leaves, Limits, Pick, Ready, Replay, Sums, Tasks, running_sums, split_all, split_parallel, stream,
};
use declare::Problem;
use exact::Source;

/// Tables of this many cells are drawn with bits of their own.
const TASK_CELLS: usize = 1 << 13;

/// A two-way table to draw.
pub(crate) struct Grid<'a> {
    pub(crate) rows: &'a SplitTree,
    pub(crate) columns: &'a SplitTree,
    /// The parts of the rows that have streams of their own.
    pub(crate) tasks: &'a Tasks,
    /// Sums of the confidential table over the columns before each column, and behind the last:
    /// column by column.
    pub(crate) before: &'a [i64],
    /// Such sums of the exact totals of the columns.
    pub(crate) totals: &'a [i64],
    /// Whether every cell is at least zero.
    pub(crate) bounded: bool,
}

/// What one column split needs, kept from split to split.
#[derive(Default)]
struct Scratch {
    whole: Vec<i64>,
    part: Vec<i64>,
    high: Vec<i64>,
    values: Vec<i64>,
    bells: Vec<Bell>,
    sums: Vec<Sums>,
}

impl Grid<'_> {
    /// The streams it takes.
    pub(crate) fn streams(rows: &Tasks, columns: &SplitTree) -> u64 {
        rows.streams() * columns.splits().len().max(1) as u64
    }

    fn rows(&self) -> usize {
        self.rows.leaves()
    }

    /// Draws y(r, C₁) of a split into `scratch.values`: `known` are the sums of the rows over all
    /// its columns.
    fn draw_split(
        &self,
        split: Split,
        known: &[i64],
        scratch: &mut Scratch,
        with: impl FnOnce(Ready<'_>, Leaves<'_>, i64, &mut Vec<Sums>, &mut [i64]) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let rows = self.rows();
        let class = &self.columns.classes()[split.class as usize];
        let column = |at: u32| &self.before[at as usize * rows..(at as usize + 1) * rows];
        let (start, middle, end) = (column(split.start), column(split.middle), column(split.end));
        scratch.whole.clear();
        scratch.whole.extend(middle.iter().zip(start).map(|(middle, start)| middle - start));
        scratch.part.clear();
        let noise = known.iter().zip(end.iter().zip(start)).map(|(known, (end, start))| known - (end - start));
        scratch.part.extend(noise.map(|noise| noise * class.left as i64));
        scratch.bells.clear();
        scratch.bells.extend(self.rows.classes().iter().map(|row| Bell::new(row.estimate * class.estimate)));
        scratch.values.resize(rows, 0);
        if self.bounded {
            scratch.high.clear();
            scratch.high.extend_from_slice(known);
        }
        let ready = Ready { shape: self.rows, bells: &scratch.bells, factor: Some(&class.variance) };
        let leaves = Leaves {
            whole: &scratch.whole,
            part: &scratch.part,
            unit: class.whole,
            limits: if self.bounded { Limits::UpTo(&scratch.high) } else { Limits::Free },
            floors: &[],
        };
        let total = self.totals[split.middle as usize] - self.totals[split.start as usize];
        with(ready, leaves, total, &mut scratch.sums, &mut scratch.values)
    }

    /// Puts what was drawn in its place: C₁ where C was, C₂ at its first column.
    fn place(&self, split: Split, first: usize, columns: &mut [i64], values: &[i64]) {
        let rows = self.rows();
        let at = (split.start as usize - first) * rows;
        let (left, right) = columns[at..].split_at_mut((split.middle - split.start) as usize * rows);
        for ((left, right), value) in left[..rows].iter_mut().zip(&mut right[..rows]).zip(values) {
            *right = *left - value;
            *left = *value;
        }
    }

    /// All splits from `first` on, of columns that start at `column`, with one source of answers.
    fn sequential<P: Pick>(
        &self,
        splits: &[Split],
        column: usize,
        columns: &mut [i64],
        pick: &mut P,
    ) -> Result<(), Problem> {
        let rows = self.rows();
        let mut scratch = Scratch::default();
        for split in splits {
            let at = (split.start as usize - column) * rows;
            self.draw_split(*split, &columns[at..at + rows], &mut scratch, |ready, leaves, total, sums, out| {
                split_all(ready, leaves, total, sums, out, pick)
            })?;
            self.place(*split, column, columns, &scratch.values);
        }
        Ok(())
    }

    /// Draws the table into `columns`, whose first column holds the totals of the rows, with one
    /// stream of bits.
    pub(crate) fn draw_all<P: Pick>(&self, columns: &mut [i64], pick: &mut P) -> Result<(), Problem> {
        self.sequential(self.columns.splits(), 0, columns, pick)
    }

    /// Draws the columns with streams from `number` on, in parallel.
    pub(crate) fn draw<S: Source + ?Sized>(&self, columns: &mut [i64], source: &S, number: u64) -> Result<(), Problem> {
        if self.columns.splits().is_empty() {
            return Ok(());
        }
        self.divide(0, 0, columns, source, number)
    }

    /// Draws the columns below a split, which start at `column`.
    fn divide<S: Source + ?Sized>(
        &self,
        place: usize,
        column: usize,
        columns: &mut [i64],
        source: &S,
        number: u64,
    ) -> Result<(), Problem> {
        let split = self.columns.splits()[place];
        let own = number + place as u64 * self.tasks.streams();
        let length = (split.end - split.start) as usize;
        let rows = self.rows();
        if columns.len() <= TASK_CELLS {
            let splits = &self.columns.splits()[place..place + length - 1];
            return self.sequential(splits, column, columns, &mut FromBits(stream(source, own)?));
        }
        let mut scratch = Scratch::default();
        self.draw_split(split, &columns[..rows], &mut scratch, |ready, leaves, total, _, out| {
            split_parallel(ready, self.tasks, leaves, total, out, source, own)
        })?;
        self.place(split, column, columns, &scratch.values);
        drop(scratch);
        let left = (split.middle - split.start) as usize;
        let (first, second) = columns.split_at_mut(left * rows);
        let below = |place: usize, column: usize, columns: &mut [i64]| match columns.len() > rows {
            true => self.divide(place, column, columns, source, number),
            false => Ok(()),
        };
        let (one, other) =
            rayon::join(|| below(place + 1, column, first), || below(place + left, split.middle as usize, second));
        one.and(other)
    }

    /// Tells every step that leads to a release, given column by column; `off` was taken off
    /// everything.
    pub(crate) fn replay<F: FnMut(Step)>(&self, release: &[i64], off: &[i64], told: &mut F) -> Result<(), Problem> {
        let rows = self.rows();
        let (values, off) = (along_columns(release, rows), along_columns(off, rows));
        let mut scratch = Scratch::default();
        for split in self.columns.splits() {
            let known = between(&values, rows, split.start, split.end);
            let before = running_sums(&between(&values, rows, split.start, split.middle));
            let off = running_sums(&between(&off, rows, split.start, split.middle));
            self.draw_split(*split, &known, &mut scratch, |ready, leaves, total, sums, out| {
                split_all(ready, leaves, total, sums, out, &mut Replay { before: &before, off: &off, told })
            })?;
        }
        Ok(())
    }
}

/// Sums over the columns before each column and behind the last.
fn along_columns(table: &[i64], rows: usize) -> Vec<i64> {
    let mut sums = vec![0i64; rows + table.len()];
    for at in rows..sums.len() {
        sums[at] = sums[at - rows] + table[at - rows];
    }
    sums
}

/// The sums of all rows over some columns.
fn between(sums: &[i64], rows: usize, from: u32, to: u32) -> Vec<i64> {
    let column = |at: u32| &sums[at as usize * rows..(at as usize + 1) * rows];
    column(to).iter().zip(column(from)).map(|(to, from)| to - from).collect()
}

//! All two-way tables of a stage: gathered column by column, drawn in parallel, and put back.

use crate::bell::NO_LOW;
use crate::flow::{Network, ReleasedSums};
use crate::grid::Grid;
use crate::law::Step;
use crate::peel::{Grids, Table};
use crate::split::{FromBits, Pick, stream};
use declare::Problem;
use exact::{Rational, Source};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;

/// Small tables are drawn together until they have this many cells.
const BATCH_CELLS: usize = 1 << 12;
/// A table of more cells has streams of its own.
const LARGE_CELLS: usize = 1 << 13;

/// A table with its numbers, column by column, less their lower bounds.
struct ColumnNumbers {
    before: Vec<i64>,
    totals: Vec<i64>,
    values: Vec<i64>,
    bounded: bool,
}

impl Grids {
    /// Gathers a table: its lower bounds are taken off.
    fn gather(&self, table: &Table, counts: &[i64], low: &[i64], above: &[i64]) -> ColumnNumbers {
        let rows = self.rows[table.rows as usize].shape.leaves();
        let columns = table.sums.len();
        let bounded = !low.is_empty() && low[table.cells[0] as usize] != NO_LOW;
        let less = |cell: u32| if bounded { low[cell as usize] } else { 0 };
        let mut before = vec![0i64; (columns + 1) * rows];
        before[rows..].par_iter_mut().zip(&table.cells).with_min_len(1 << 14).for_each(|(place, cell)| {
            *place = counts[*cell as usize] - less(*cell);
        });
        let mut totals = vec![0i64; columns + 1];
        for (column, sum) in table.sums.iter().enumerate() {
            let cells = &table.cells[column * rows..(column + 1) * rows];
            let floors: i64 = if bounded { cells.iter().map(|cell| low[*cell as usize]).sum() } else { 0 };
            totals[column + 1] = totals[column] + above[*sum as usize] - floors;
        }
        for column in 1..columns {
            let (done, rest) = before.split_at_mut((column + 1) * rows);
            rest[..rows].iter_mut().zip(&done[column * rows..]).for_each(|(place, sum)| *place += sum);
        }
        let mut values = vec![0i64; columns * rows];
        values[..rows].copy_from_slice(&before[columns * rows..]);
        ColumnNumbers { before, totals, values, bounded }
    }

    fn grid<'a>(&'a self, table: &Table, gathered: &'a ColumnNumbers) -> Grid<'a> {
        let rows = &self.rows[table.rows as usize];
        Grid {
            rows: &rows.shape,
            columns: &self.columns[table.columns as usize].shape,
            tasks: &rows.tasks,
            before: &gathered.before,
            totals: &gathered.totals,
            bounded: gathered.bounded,
        }
    }

    /// Tables that are drawn together, with the first of their streams.
    fn items(&self, number: &mut u64) -> Vec<(Range<usize>, u64)> {
        let mut items = Vec::new();
        let (mut first, mut cells) = (0, 0);
        for (at, table) in self.tables.iter().enumerate() {
            let large = table.cells.len() > LARGE_CELLS;
            if large && first < at {
                items.push((first..at, *number));
                *number += 1;
                first = at;
            }
            cells += table.cells.len();
            if large || cells >= BATCH_CELLS || at + 1 == self.tables.len() {
                items.push((first..at + 1, *number));
                let columns = &self.columns[table.columns as usize].shape;
                let streams = Grid::streams(&self.rows[table.rows as usize].tasks, columns);
                *number += if large { streams } else { 1 };
                (first, cells) = (at + 1, 0);
            }
        }
        items
    }

    /// Numbers of the cells of a table, column by column.
    fn laid_out(table: &Table, values: &[i64]) -> Vec<i64> {
        table.cells.iter().map(|cell| values[*cell as usize]).collect()
    }

    /// Runs a table whose intervals come from flows.
    fn run<P: Pick>(
        &self,
        table: &Table,
        counts: &[i64],
        (low, high): (&[i64], &[i64]),
        pick: &mut P,
    ) -> Result<Vec<i64>, Problem> {
        let [counts, low, high] = [counts, low, high].map(|values| Self::laid_out(table, values));
        let rows = &self.rows[table.rows as usize].shape;
        let columns = &self.columns[table.columns as usize].shape;
        Network { rows, columns, counts: &counts, low: &low, high: &high }.run(pick)
    }

    /// Draws all tables into `out`, with streams from `number` on.
    pub(crate) fn draw<S: Source + ?Sized>(
        &self,
        counts: &[i64],
        (low, high): (&[i64], &[i64]),
        above: &[i64],
        out: &mut [i64],
        source: &S,
        number: &mut u64,
    ) -> Result<(), Problem> {
        let drawn: Vec<(usize, Vec<i64>)> = self
            .items(number)
            .par_iter()
            .map(|(tables, number)| {
                let mut values = Vec::new();
                let large = !self.flows && tables.len() == 1 && self.tables[tables.start].cells.len() > LARGE_CELLS;
                let mut pick = if large { None } else { Some(FromBits(stream(source, *number)?)) };
                for table in &self.tables[tables.clone()] {
                    if let Some(pick) = pick.as_mut().filter(|_| self.flows) {
                        values.extend(self.run(table, counts, (low, high), pick)?);
                        continue;
                    }
                    let mut gathered = self.gather(table, counts, low, above);
                    let mut own = std::mem::take(&mut gathered.values);
                    let grid = self.grid(table, &gathered);
                    match &mut pick {
                        Some(pick) => grid.draw_all(&mut own, pick)?,
                        None => grid.draw(&mut own, source, *number)?,
                    }
                    if gathered.bounded {
                        own.iter_mut().zip(&table.cells).for_each(|(value, cell)| *value += low[*cell as usize]);
                    }
                    if values.is_empty() { values = own } else { values.extend_from_slice(&own) }
                }
                Ok((tables.start, values))
            })
            .collect::<Result<_, Problem>>()?;
        for (first, values) in drawn {
            let cells = self.tables[first..].iter().flat_map(|table| &table.cells);
            cells.zip(values).for_each(|(cell, value)| out[*cell as usize] = value);
        }
        Ok(())
    }

    /// Tells every step that leads to these numbers.
    pub(crate) fn replay<F: FnMut(Step)>(
        &self,
        counts: &[i64],
        (low, high): (&[i64], &[i64]),
        above: &[i64],
        release: &[i64],
        told: &mut F,
    ) -> Result<(), Problem> {
        for table in &self.tables {
            if self.flows {
                let rows = self.rows[table.rows as usize].shape.leaves();
                let release = Self::laid_out(table, release);
                self.run(table, counts, (low, high), &mut ReleasedSums { release: &release, rows, column: 0, told })?;
                continue;
            }
            let gathered = self.gather(table, counts, low, above);
            let less = |cell: &u32| if gathered.bounded { low[*cell as usize] } else { 0 };
            let off: Vec<i64> = table.cells.iter().map(less).collect();
            let cells = table.cells.iter().zip(&off);
            let values: Vec<i64> = cells.map(|(cell, off)| release[*cell as usize] - off).collect();
            self.grid(table, &gathered).replay(&values, &off, told)?;
        }
        Ok(())
    }

    /// Whether numbers have the sums of the counts along rows and those of the stage before along
    /// columns.
    pub(crate) fn keeps(&self, counts: &[i64], above: &[i64], release: &[i64]) -> bool {
        self.tables.iter().all(|table| {
            let rows = self.rows[table.rows as usize].shape.leaves();
            let mut difference = vec![0i64; rows];
            for (place, cell) in table.cells.iter().enumerate() {
                difference[place % rows] += release[*cell as usize] - counts[*cell as usize];
            }
            let columns = table.cells.chunks(rows).zip(&table.sums);
            difference.iter().all(|difference| *difference == 0)
                && columns.into_iter().all(|(cells, sum)| {
                    cells.iter().map(|cell| release[*cell as usize]).sum::<i64>() == above[*sum as usize]
                })
        })
    }

    /// Whether the sums of the rows leave any table.
    ///
    /// Where cells have upper bounds too, the confidential table is taken to be one.
    pub(crate) fn feasible(&self, counts: &[i64], low: &[i64]) -> bool {
        self.flows
            || self.tables.iter().all(|table| {
                let rows = self.rows[table.rows as usize].shape.leaves();
                let mut room = vec![0i64; rows];
                for (place, cell) in table.cells.iter().enumerate() {
                    let low = low[*cell as usize];
                    room[place % rows] += counts[*cell as usize] - if low == NO_LOW { 0 } else { low };
                }
                low[table.cells[0] as usize] == NO_LOW || room.iter().all(|room| *room >= 0)
            })
    }

    /// The smallest variance of every kind of table.
    pub(crate) fn variances(&self) -> Vec<Rational> {
        let pairs: BTreeSet<(u32, u32)> = self.tables.iter().map(|table| (table.rows, table.columns)).collect();
        let least = |(rows, columns): (u32, u32)| {
            let row = self.rows[rows as usize].shape.least_variance()?;
            let column = self.columns[columns as usize].shape.least_variance()?;
            Some(row * column)
        };
        pairs.into_iter().filter_map(least).collect()
    }

    /// How many numbers are drawn.
    pub(crate) fn numbers(&self) -> u64 {
        let of = |table: &Table| {
            let rows = self.rows[table.rows as usize].shape.splits().len() as u64;
            rows * self.columns[table.columns as usize].shape.splits().len() as u64
        };
        self.tables.iter().map(of).sum()
    }
}

//! The search for all tables: the cell with the fewest values is told apart, and every row narrows
//! the others.

use super::ranges::rows;
use super::relations::{Relation, relations};
use super::{ListLimits, NotListed};
use crate::fibre::Fibre;
use crate::program::Row;
use std::collections::VecDeque;

/// A sum over cells that must lie between two ends.
struct Sum {
    entries: Vec<(u32, i64)>,
    low: i128,
    high: i128,
}

/// Ends that no sum of 64-bit counts reaches.
const NO_END: i128 = 1 << 120;

struct TableSearch<'a> {
    fibre: &'a Fibre,
    rows: Vec<Sum>,
    /// For every cell the rows that have it.
    rows_of: Vec<Vec<u32>>,
    low: Vec<i64>,
    high: Vec<i64>,
    /// Cells whose ranges were narrowed, with what they were, in order.
    narrowed: Vec<(u32, i64, i64)>,
    waiting: VecDeque<u32>,
    is_waiting: Vec<bool>,
    limits: &'a ListLimits,
    work: u64,
    found: Vec<Vec<i64>>,
}

/// All tables within ranges, in the order in which they are found.
pub(super) fn tables(fibre: &Fibre, ranges: Vec<(i64, i64)>, limits: &ListLimits) -> Result<Vec<Vec<i64>>, NotListed> {
    let cells = ranges.len();
    let mut sums = rows(fibre);
    let equal = |Row { entries, within }: &Row| -> Option<Relation> {
        (within.0 == within.1).then_some(())?;
        Some((entries.clone(), within.0?))
    };
    let equalities: Vec<Relation> = sums.iter().filter_map(equal).collect();
    // Cells of wide ranges are written by cells of narrow ones, which are then told apart first.
    let mut order: Vec<u32> = (0..cells as u32).collect();
    let width = |cell: u32| ranges[cell as usize].1.abs_diff(ranges[cell as usize].0);
    order.sort_by_key(|cell| std::cmp::Reverse(width(*cell)));
    let written = relations(cells, &equalities, &order).into_iter();
    sums.extend(written.map(|(entries, value)| Row { entries, within: (Some(value), Some(value)) }));
    let sum = |Row { entries, within: (low, high) }: Row| Sum {
        entries,
        low: low.unwrap_or(-NO_END),
        high: high.unwrap_or(NO_END),
    };
    let rows: Vec<Sum> = sums.into_iter().map(sum).collect();
    let mut rows_of = vec![Vec::new(); cells];
    for (number, row) in rows.iter().enumerate() {
        row.entries.iter().for_each(|(cell, _)| rows_of[*cell as usize].push(number as u32));
    }
    let (low, high) = ranges.into_iter().unzip();
    let mut search = TableSearch {
        fibre,
        is_waiting: vec![true; rows.len()],
        waiting: (0..rows.len() as u32).collect(),
        rows,
        rows_of,
        low,
        high,
        narrowed: Vec::new(),
        limits,
        work: 0,
        found: Vec::new(),
    };
    if search.narrow()? {
        search.descend()?;
    }
    Ok(search.found)
}

impl TableSearch<'_> {
    /// Finds every table within the present ranges.
    fn descend(&mut self) -> Result<(), NotListed> {
        let open = (0..self.low.len()).filter(|cell| self.low[*cell] < self.high[*cell]);
        let Some(cell) = open.min_by_key(|cell| self.high[*cell].abs_diff(self.low[*cell])) else {
            return self.keep();
        };
        self.work += self.low.len() as u64;
        for value in self.low[cell]..=self.high[cell] {
            let mark = self.narrowed.len();
            self.set(cell as u32, value, value);
            if self.narrow()? {
                self.descend()?;
            }
            self.undo(mark);
        }
        Ok(())
    }

    /// Notes a table, if it keeps all rows as they came in.
    fn keep(&mut self) -> Result<(), NotListed> {
        if self.fibre.contains(&self.low) {
            let most = self.limits.tables.min(self.limits.values / self.low.len().max(1));
            if self.found.len() == most {
                return Err(NotListed::TooMany { most });
            }
            self.found.push(self.low.clone());
        }
        Ok(())
    }

    fn set(&mut self, cell: u32, low: i64, high: i64) {
        let place = cell as usize;
        self.narrowed.push((cell, self.low[place], self.high[place]));
        (self.low[place], self.high[place]) = (low, high);
        for row in &self.rows_of[place] {
            if !std::mem::replace(&mut self.is_waiting[*row as usize], true) {
                self.waiting.push_back(*row);
            }
        }
    }

    fn undo(&mut self, mark: usize) {
        for (cell, low, high) in self.narrowed.drain(mark..).rev() {
            (self.low[cell as usize], self.high[cell as usize]) = (low, high);
        }
    }

    /// Narrows all ranges until no row narrows any; whether every row can still have its value.
    fn narrow(&mut self) -> Result<bool, NotListed> {
        while let Some(row) = self.waiting.pop_front() {
            self.is_waiting[row as usize] = false;
            self.work += self.rows[row as usize].entries.len() as u64;
            if self.work > self.limits.work {
                return Err(NotListed::TooMuchWork);
            }
            if !self.narrow_row(row as usize) {
                self.waiting.drain(..).for_each(|row| self.is_waiting[row as usize] = false);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Narrows the cells of one row; whether it can still have its value.
    fn narrow_row(&mut self, number: usize) -> bool {
        let ends = |search: &Self, (cell, times): &(u32, i64)| {
            let (low, high) = (search.low[*cell as usize], search.high[*cell as usize]);
            let (low, high) = (i128::from(*times) * i128::from(low), i128::from(*times) * i128::from(high));
            if *times > 0 { (low, high) } else { (high, low) }
        };
        let row = &self.rows[number];
        let (row_low, row_high) = (row.low, row.high);
        let (mut least, mut most) = (0i128, 0i128);
        for entry in &row.entries {
            let (low, high) = ends(self, entry);
            (least, most) = (least + low, most + high);
        }
        if least > row_high || most < row_low {
            return false;
        }
        if least >= row_low && most <= row_high {
            return true;
        }
        for at in 0..self.rows[number].entries.len() {
            let (cell, times) = self.rows[number].entries[at];
            let (known_low, known_high) = (self.low[cell as usize], self.high[cell as usize]);
            if known_low == known_high {
                continue;
            }
            let (low, high) = ends(self, &(cell, times));
            // What the other cells leave for this one, taken so many times.
            let (at_least, at_most) = (row_low - (most - high), row_high - (least - low));
            let size = i128::from(times).abs();
            let (at_least, at_most) = if times > 0 { (at_least, at_most) } else { (-at_most, -at_least) };
            let at_least = at_least.div_euclid(size) + i128::from(at_least.rem_euclid(size) != 0);
            let at_most = at_most.div_euclid(size);
            let (new_low, new_high) = (at_least.max(i128::from(known_low)), at_most.min(i128::from(known_high)));
            if new_low > new_high {
                return false;
            }
            if new_low > i128::from(known_low) || new_high < i128::from(known_high) {
                // Both lie between 64-bit numbers.
                self.set(cell, new_low as i64, new_high as i64);
                let (now_low, now_high) = ends(self, &(cell, times));
                (least, most) = (least + now_low - low, most + now_high - high);
            }
        }
        true
    }
}

//! Two-way tables whose cells have bounds of all kinds: the intervals come from flows.
//!
//! Columns are drawn one after the other, each split over the rows in halves. What is known then is
//! a network: every other column sends its sum to the rows, the current column sends the sums that
//! are known to groups of rows and these to their rows, every row takes its total. Flows in
//! networks with integer bounds are integer, and the values of one arc are all integers between its
//! least and its largest (`proofs/G11.md`). Both are found from a table that keeps everything, by
//! pushing along paths as long as there are any; at first that table is the confidential one, and
//! whichever it is, the ends are the same.

use crate::bell::{NO_HIGH, NO_LOW};
use crate::shape::{Split, SplitTree};
use crate::split::{Ask, Pick, Ready, Sums, ask};
use crate::{Bell, Step};
use declare::Problem;

/// A table, column by column, and its bounds.
pub(crate) struct Network<'a> {
    pub(crate) rows: &'a SplitTree,
    pub(crate) columns: &'a SplitTree,
    pub(crate) counts: &'a [i64],
    pub(crate) low: &'a [i64],
    pub(crate) high: &'a [i64],
}

/// A flow: a table that keeps everything known, from the current column on.
#[derive(Clone)]
struct Flow<'a> {
    network: &'a Network<'a>,
    values: Vec<i64>,
    /// The current column.
    column: usize,
    /// The group of every row whose sum in the current column is known.
    group: Vec<u32>,
}

/// Where a path is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Row(usize),
    Column(usize),
    Group(u32),
}

impl Flow<'_> {
    fn rows(&self) -> usize {
        self.group.len()
    }

    /// How much a cell may grow, or shrink; `i64::MAX` without end.
    fn room(&self, row: usize, column: usize, more: bool) -> i64 {
        let at = column * self.rows() + row;
        let (value, low, high) = (self.values[at], self.network.low[at], self.network.high[at]);
        match more {
            true if high == NO_HIGH => i64::MAX,
            true => (high - value).max(0),
            false if low == NO_LOW => i64::MAX,
            false => (value - low).max(0),
        }
    }

    /// A shortest way to make the sum of group `gains` larger and that of group `loses` smaller:
    /// the cells of the path, alternately to grow and to shrink, beginning with a cell of the
    /// current column in `gains`.
    fn path(&self, gains: u32, loses: u32) -> Option<Vec<(usize, usize)>> {
        let (rows, columns) = (self.rows(), self.network.columns.leaves());
        let groups = self.group.iter().max().map_or(0, |most| *most as usize + 1);
        let index = |place: Place| match place {
            Place::Row(row) => row,
            Place::Column(column) => rows + column,
            Place::Group(group) => rows + columns + group as usize,
        };
        let mut from: Vec<Option<Place>> = vec![None; rows + columns + groups];
        let mut queue = std::collections::VecDeque::from([Place::Group(gains)]);
        from[index(Place::Group(gains))] = Some(Place::Group(gains));
        // A step from a group or column to a row makes the cell between them grow, one from a row
        // makes it shrink.
        while let Some(place) = queue.pop_front() {
            if place == Place::Group(loses) {
                break;
            }
            let mut visit = |next: Place| {
                if from[index(next)].is_none() {
                    from[index(next)] = Some(place);
                    queue.push_back(next);
                }
            };
            match place {
                Place::Row(row) => {
                    let shrinks = |column: &usize| self.room(row, *column, false) > 0;
                    if shrinks(&self.column) {
                        visit(Place::Group(self.group[row]));
                    }
                    (self.column + 1..columns).filter(shrinks).for_each(|column| visit(Place::Column(column)));
                }
                Place::Column(column) => {
                    (0..rows).filter(|row| self.room(*row, column, true) > 0).for_each(|row| visit(Place::Row(row)));
                }
                Place::Group(group) => {
                    let grows = |row: &usize| self.group[*row] == group && self.room(*row, self.column, true) > 0;
                    (0..rows).filter(grows).for_each(|row| visit(Place::Row(row)));
                }
            }
        }
        let mut place = Place::Group(loses);
        from[index(place)]?;
        let mut cells = Vec::new();
        while place != Place::Group(gains) {
            let before = from[index(place)]?;
            let column = |place: Place| if let Place::Column(column) = place { column } else { self.column };
            cells.push(match (before, place) {
                (Place::Row(row), next) => (row, column(next)),
                (other, Place::Row(row)) => (row, column(other)),
                _ => return None,
            });
            place = before;
        }
        cells.reverse();
        Some(cells)
    }

    /// Makes the sum of one group larger by at most `limit`, and that of the other smaller: by how
    /// much it did, or nothing if there is no end.
    fn push(&mut self, gains: u32, loses: u32, limit: i64) -> Option<i64> {
        let mut pushed = 0;
        while pushed < limit {
            let Some(cells) = self.path(gains, loses) else { break };
            let rooms = cells.iter().enumerate().map(|(at, (row, column))| self.room(*row, *column, at % 2 == 0));
            let room = rooms.min().unwrap_or(0);
            if room == i64::MAX && limit == i64::MAX {
                return None;
            }
            let amount = room.min(limit - pushed);
            for (at, (row, column)) in cells.into_iter().enumerate() {
                let place = column * self.rows() + row;
                self.values[place] += if at % 2 == 0 { amount } else { -amount };
            }
            pushed += amount;
        }
        Some(pushed)
    }

    /// The sum of some rows in the current column.
    fn sum(&self, split: Split, end: u32) -> i64 {
        let first = self.column * self.rows();
        self.values[first + split.start as usize..first + end as usize].iter().sum()
    }
}

impl<'a> Network<'a> {
    /// Draws all columns, or goes along with a release.
    pub(crate) fn run<P: Pick>(&'a self, pick: &mut P) -> Result<Vec<i64>, Problem> {
        let rows = self.rows.leaves();
        let mut flow = Flow { network: self, values: self.counts.to_vec(), column: 0, group: vec![0; rows] };
        for split in self.columns.splits() {
            flow.column = split.start as usize;
            flow.group.fill(0);
            pick.begin(flow.column);
            self.column(*split, &mut flow, pick)?;
        }
        Ok(flow.values)
    }

    /// Draws one column.
    fn column<P: Pick>(&self, split: Split, flow: &mut Flow<'_>, pick: &mut P) -> Result<(), Problem> {
        let rows = self.rows.leaves();
        let class = &self.columns.classes()[split.class as usize];
        let bells: Vec<Bell> = self.rows.classes().iter().map(|row| Bell::new(row.estimate * class.estimate)).collect();
        let ready = Ready { shape: self.rows, bells: &bells, factor: Some(&class.variance) };
        let leaf = |row: usize| {
            let noise: i64 = (split.start as usize..split.end as usize)
                .map(|column| flow.values[column * rows + row] - self.counts[column * rows + row])
                .sum();
            let whole = self.counts[split.start as usize * rows + row];
            Sums { whole, part: noise * class.left as i64, ..Sums::default() }
        };
        // Sums over the rows before each row.
        let mut before = vec![Sums::default()];
        for row in 0..rows {
            let (last, leaf) = (before[row], leaf(row));
            before.push(Sums { whole: last.whole + leaf.whole, part: last.part + leaf.part, ..last });
        }
        let between = |from: u32, to: u32| {
            let (from, to) = (before[from as usize], before[to as usize]);
            Sums { whole: to.whole - from.whole, part: to.part - from.part, ..Sums::default() }
        };
        for (number, row_split) in self.rows.splits().iter().enumerate() {
            let total = flow.sum(*row_split, row_split.end);
            let current = flow.sum(*row_split, row_split.middle);
            // The right part becomes a group of its own.
            let (gains, loses) = (flow.group[row_split.start as usize], number as u32 + 1);
            flow.group[row_split.middle as usize..row_split.end as usize].fill(loses);
            let up = flow.clone().push(gains, loses, i64::MAX);
            let down = flow.clone().push(loses, gains, i64::MAX);
            let high = up.map_or(NO_HIGH, |up| current + up);
            let low = down.map_or(NO_LOW, |down| current - down);
            let whole = Sums { total, ..between(row_split.start, row_split.end) };
            let left = between(row_split.start, row_split.middle);
            let value = ask(&ready, class.whole, *row_split, &whole, &left, (low, high), pick)?;
            match value - current {
                more @ 1.. => flow.push(gains, loses, more),
                less => flow.push(loses, gains, -less),
            };
        }
        Ok(())
    }
}

/// Answers with the sums of a release, column by column.
pub(crate) struct ReleasedSums<'a, F> {
    pub(crate) release: &'a [i64],
    pub(crate) rows: usize,
    pub(crate) column: usize,
    pub(crate) told: &'a mut F,
}

impl<F: FnMut(Step)> Pick for ReleasedSums<'_, F> {
    fn begin(&mut self, column: usize) {
        self.column = column;
    }

    fn pick(&mut self, ask: &Ask<'_>) -> i64 {
        let values = &self.release[self.column * self.rows..(self.column + 1) * self.rows];
        let value = values[ask.split.start as usize..ask.split.middle as usize].iter().sum();
        (self.told)(ask.step(value));
        value
    }
}

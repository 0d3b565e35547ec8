//! Sparse elimination by pivots of ±1: rows become an echelon form and a core in which no such
//! pivot is left.
//!
//! Dividing by ±1 keeps integers whole, so the pivot cell of a row is a whole combination of the
//! others: solutions, kernel and obstacles of the core are those of the whole system. Short rows
//! and cells in few rows come first, which keeps rows short.

use super::Vector;
use exact::Integer;
use std::collections::BTreeSet;

/// How many of the shortest rows are looked at for the best pivot.
const LOOKED_AT: usize = 8;
/// Numbers in rows grow to this at most, unless they came in larger: the core keeps them short in
/// another way.
const LARGEST: u64 = 1 << 5;

/// Rows after elimination.
#[derive(Debug, Clone)]
pub(crate) struct Echelon {
    /// In the order of elimination: a pivot's cell is in no later pivot's row and not in the core.
    pub(crate) pivots: Vec<Pivot>,
    /// The rows that are left, by their number; rows that vanished are here too, empty.
    pub(crate) core: Vec<(usize, Vector)>,
    /// For every cell the pivots whose rows have it beside their own, with the coefficient.
    above: Vec<Vec<(u32, i64)>>,
}

/// One row and the cell that it determines.
#[derive(Debug, Clone)]
pub(crate) struct Pivot {
    /// The number of the row.
    pub(crate) row: usize,
    /// The cell.
    pub(crate) cell: u32,
    /// Its coefficient, 1 or −1.
    sign: i64,
    /// The rows that this one was taken from, and how many times.
    pub(crate) taken_from: Vec<(usize, i64)>,
}

/// What numbers of this size cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Echelon {
    /// Eliminates.
    pub(crate) fn new(cells: usize, rows: &[&[(u32, i64)]]) -> Echelon {
        let mut work = Work::new(cells, rows);
        let mut pivots = Vec::new();
        let mut above = vec![Vec::new(); cells];
        while let Some((row, cell)) = work.choose() {
            if let Some((pivot, entries)) = work.eliminate(row, cell) {
                for (other, times) in entries.iter().filter(|(other, _)| *other != cell) {
                    above[*other as usize].push((pivots.len() as u32, *times));
                }
                pivots.push(pivot);
            }
        }
        let is_pivot: std::collections::HashSet<usize> = pivots.iter().map(|pivot| pivot.row).collect();
        let left = work.rows.into_iter().enumerate().filter(|(row, _)| !is_pivot.contains(row));
        Echelon { pivots, core: left.collect(), above }
    }

    /// Whether each cell is a pivot's.
    pub(crate) fn is_pivot(&self) -> Vec<bool> {
        let mut is_pivot = vec![false; self.above.len()];
        self.pivots.iter().for_each(|pivot| is_pivot[pivot.cell as usize] = true);
        is_pivot
    }

    /// The only vector of the kernel of the pivot rows with these entries at cells that are no
    /// pivots.
    pub(crate) fn complete(&self, entries: &[(u32, i64)], sums: &mut Sums) -> Result<Vector, TooLarge> {
        let mut vector = entries.to_vec();
        for (cell, value) in entries {
            self.spread(*cell, *value, sums)?;
        }
        while let Some((number, sum)) = sums.pop() {
            let pivot = &self.pivots[number as usize];
            let value = i64::try_from(sum).ok().and_then(|sum| sum.checked_mul(-pivot.sign)).ok_or(TooLarge)?;
            if value != 0 {
                vector.push((pivot.cell, value));
                self.spread(pivot.cell, value, sums)?;
            }
        }
        vector.sort_unstable();
        Ok(vector)
    }

    /// Values of rows after the elimination: each row loses what was taken from it.
    pub(crate) fn carry(&self, mut values: Vec<Integer>) -> Vec<Integer> {
        for pivot in &self.pivots {
            for (row, times) in &pivot.taken_from {
                let taken = &values[pivot.row] * *times;
                values[*row] -= taken;
            }
        }
        values
    }

    /// Sets the pivot cells, which are zero, so that every pivot row has its value after the
    /// elimination.
    pub(crate) fn fill(&self, values: &[Integer], table: &mut [Integer]) {
        let mut left: Vec<Integer> = self.pivots.iter().map(|pivot| values[pivot.row].clone()).collect();
        let spread = |cell: usize, value: &Integer, left: &mut [Integer]| {
            self.above[cell].iter().for_each(|(pivot, times)| left[*pivot as usize] -= value * *times);
        };
        for (cell, value) in table.iter().enumerate().filter(|(_, value)| !value.is_zero()) {
            spread(cell, value, &mut left);
        }
        for (number, pivot) in self.pivots.iter().enumerate().rev() {
            let value = &left[number] * pivot.sign;
            if !value.is_zero() {
                spread(pivot.cell as usize, &value, &mut left);
                table[pivot.cell as usize] = value;
            }
        }
    }

    fn spread(&self, cell: u32, value: i64, sums: &mut Sums) -> Result<(), TooLarge> {
        for (number, times) in &self.above[cell as usize] {
            sums.add(*number, i128::from(*times) * i128::from(value))?;
        }
        Ok(())
    }
}

/// Sums that pivots wait for, the last pivot first.
pub(crate) struct Sums {
    waiting: std::collections::BinaryHeap<u32>,
    sum: Vec<i128>,
    is_waiting: Vec<bool>,
}

impl Sums {
    /// For an echelon form, empty.
    pub(crate) fn new(echelon: &Echelon) -> Sums {
        let pivots = echelon.pivots.len();
        Sums { waiting: Default::default(), sum: vec![0; pivots], is_waiting: vec![false; pivots] }
    }

    fn add(&mut self, pivot: u32, value: i128) -> Result<(), TooLarge> {
        let place = pivot as usize;
        if !self.is_waiting[place] {
            self.is_waiting[place] = true;
            self.waiting.push(pivot);
        }
        self.sum[place] = self.sum[place].checked_add(value).ok_or(TooLarge)?;
        Ok(())
    }

    fn pop(&mut self) -> Option<(u32, i128)> {
        let pivot = self.waiting.pop()?;
        self.is_waiting[pivot as usize] = false;
        Some((pivot, std::mem::take(&mut self.sum[pivot as usize])))
    }
}

struct Work {
    rows: Vec<Vector>,
    /// For every cell the rows that have it and are not used up.
    rows_of: Vec<Vec<u32>>,
    /// Rows that may hold a pivot, shortest first.
    open: BTreeSet<(usize, usize)>,
    /// No number may become larger.
    largest: u64,
}

impl Work {
    fn new(cells: usize, rows: &[&[(u32, i64)]]) -> Work {
        let rows: Vec<Vector> = rows.iter().map(|row| sorted(row)).collect();
        let mut rows_of = vec![Vec::new(); cells];
        for (number, row) in rows.iter().enumerate() {
            row.iter().for_each(|(cell, _)| rows_of[*cell as usize].push(number as u32));
        }
        let open = rows.iter().enumerate().filter(|(_, row)| !row.is_empty()).map(|(number, row)| (row.len(), number));
        let came_in = rows.iter().flatten().map(|(_, times)| times.unsigned_abs()).max().unwrap_or(0);
        Work { open: open.collect(), rows, rows_of, largest: LARGEST.max(came_in) }
    }

    /// The row and cell that touch the least, by Markowitz's count, among the shortest rows.
    fn choose(&mut self) -> Option<(usize, u32)> {
        let mut best: Option<(usize, usize, u32)> = None;
        let (mut looked_at, mut closed) = (0, Vec::new());
        for (length, row) in &self.open {
            let units = self.rows[*row].iter().filter(|(_, times)| matches!(times, 1 | -1));
            let Some((others, cell)) = units.map(|(cell, _)| (self.rows_of[*cell as usize].len() - 1, *cell)).min()
            else {
                closed.push((*length, *row));
                continue;
            };
            let cost = others * (length - 1);
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, *row, cell));
            }
            looked_at += 1;
            if cost == 0 || looked_at == LOOKED_AT {
                break;
            }
        }
        closed.iter().for_each(|entry| {
            self.open.remove(entry);
        });
        best.map(|(_, row, cell)| (row, cell))
    }

    /// Takes the row from all others with the cell; `None`, and the row is closed, when a number
    /// would become too large.
    fn eliminate(&mut self, row: usize, cell: u32) -> Option<(Pivot, Vector)> {
        let length = self.rows[row].len();
        self.open.remove(&(length, row));
        let sign = coefficient(&self.rows[row], cell);
        let others: Vec<usize> =
            self.rows_of[cell as usize].iter().map(|other| *other as usize).filter(|other| *other != row).collect();
        let mut changed = Vec::with_capacity(others.len());
        for other in others {
            let times = coefficient(&self.rows[other], cell).checked_mul(sign)?;
            let entries = subtract(&self.rows[other], times, &self.rows[row])?;
            if entries.iter().any(|(_, times)| times.unsigned_abs() > self.largest) {
                return None;
            }
            changed.push((other, times, entries));
        }
        let mut taken_from = Vec::with_capacity(changed.len());
        for (other, times, entries) in changed {
            self.replace(other, entries);
            taken_from.push((other, times));
        }
        let entries = std::mem::take(&mut self.rows[row]);
        for (cell, _) in &entries {
            forget(&mut self.rows_of[*cell as usize], row);
        }
        Some((Pivot { row, cell, sign, taken_from }, entries))
    }

    fn replace(&mut self, row: usize, entries: Vector) {
        let before = std::mem::take(&mut self.rows[row]);
        self.open.remove(&(before.len(), row));
        let (mut old, mut new) = (before.iter().peekable(), entries.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (Some(one), Some(other)) if one.0 == other.0 => {
                    old.next();
                    new.next();
                }
                (Some(one), other) if other.is_none_or(|other| one.0 < other.0) => {
                    forget(&mut self.rows_of[one.0 as usize], row);
                    old.next();
                }
                (_, Some(other)) => {
                    self.rows_of[other.0 as usize].push(row as u32);
                    new.next();
                }
                _ => break,
            }
        }
        if !entries.is_empty() {
            self.open.insert((entries.len(), row));
        }
        self.rows[row] = entries;
    }
}

fn forget(rows: &mut Vec<u32>, row: usize) {
    if let Some(place) = rows.iter().position(|other| *other as usize == row) {
        rows.swap_remove(place);
    }
}

fn coefficient(row: &[(u32, i64)], cell: u32) -> i64 {
    row.binary_search_by_key(&cell, |(cell, _)| *cell).map_or(0, |place| row[place].1)
}

/// Entries in order of cells, those of one cell added up.
pub(crate) fn sorted(entries: &[(u32, i64)]) -> Vector {
    let mut entries = entries.to_vec();
    entries.sort_unstable_by_key(|(cell, _)| *cell);
    entries.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            // A sum beyond the range makes a kernel that its verification refuses.
            earlier.1 = earlier.1.saturating_add(later.1);
        }
        same
    });
    entries.retain(|(_, times)| *times != 0);
    entries
}

/// `row − times·other`, both sorted.
pub(crate) fn subtract(row: &[(u32, i64)], times: i64, other: &[(u32, i64)]) -> Option<Vector> {
    let mut result = Vec::with_capacity(row.len() + other.len());
    let (mut left, mut right) = (0, 0);
    while left < row.len() || right < other.len() {
        let cell = match (row.get(left), other.get(right)) {
            (Some(one), Some(two)) => one.0.min(two.0),
            (Some(one), None) | (None, Some(one)) => one.0,
            (None, None) => break,
        };
        let mut value = 0i64;
        if left < row.len() && row[left].0 == cell {
            value = row[left].1;
            left += 1;
        }
        if right < other.len() && other[right].0 == cell {
            value = value.checked_sub(times.checked_mul(other[right].1)?)?;
            right += 1;
        }
        if value != 0 {
            result.push((cell, value));
        }
    }
    Some(result)
}

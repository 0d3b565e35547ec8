//! `Completion`: some cells of a block are free, the others are solved for from the totals.
//!
//! Gauss and Jordan's elimination of `A z = 0` with whole numbers: every row is kept primitive, so
//! a cell that is solved for comes out as a whole combination of free cells over one divisor. Where
//! the divisor is one, whatever the free cells are, the table is one of integers.

use analyse::Fibre;
use std::collections::BTreeMap;

/// How the offsets of all other cells follow from those of the free ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The places of the free cells.
    pub(crate) free: Vec<u32>,
    /// The places of the others, each with the divisor of its combination.
    pub(crate) given: Vec<(u32, i64)>,
    /// For every free cell, which of the others it adds to, and how often.
    adds: Vec<Vec<(u32, i64)>>,
}

/// A row of the totals, while it is eliminated.
type Row = BTreeMap<u32, i128>;

const TOO_LARGE: &str = "solving its totals for some cells takes coefficients that are too large";

impl Completion {
    /// Solves for all cells that are not among `free`; which are is found by unit pivots if it is
    /// not given.
    ///
    /// # Errors
    /// In words that follow `because`: the totals do not give the other cells from these.
    pub(crate) fn of(fibre: &Fibre, free: Option<&[u32]>) -> Result<Completion, String> {
        let cells = fibre.cells.len();
        let mut solvable = vec![true; cells];
        for place in free.unwrap_or_default() {
            solvable[*place as usize] = false;
        }
        let rows = fibre.equalities().map(|(entries, _)| {
            let mut row = Row::new();
            entries.iter().for_each(|(place, times)| *row.entry(*place).or_default() += i128::from(*times));
            row.retain(|_, times| *times != 0);
            row
        });
        let mut work = Elimination::new(rows.collect(), cells);
        while let Some((row, cell)) = work.choose(&solvable)? {
            work.eliminate(row, cell)?;
        }
        let wanted = solvable.iter().filter(|solvable| **solvable).count();
        if free.is_some() && work.pivots.len() < wanted {
            let missing = wanted - work.pivots.len();
            let cells = if missing == 1 { "cell" } else { "cells" };
            return Err(format!("its index set lacks {missing} {cells}: the totals do not give all others from it"));
        }
        work.completion(cells)
    }

    /// The offsets of all cells from those of the free ones; nothing when some are not whole.
    pub(crate) fn complete(&self, cells: usize, free: &[i64]) -> Option<Vec<i64>> {
        let mut sums = vec![0i128; self.given.len()];
        let mut offsets = vec![0; cells];
        for ((place, offset), adds) in self.free.iter().zip(free).zip(&self.adds) {
            if *offset != 0 {
                offsets[*place as usize] = *offset;
                adds.iter()
                    .for_each(|(given, times)| sums[*given as usize] += i128::from(*offset) * i128::from(*times));
            }
        }
        for ((place, divisor), sum) in self.given.iter().zip(sums) {
            let divisor = i128::from(*divisor);
            if sum % divisor != 0 {
                return None;
            }
            offsets[*place as usize] = i64::try_from(sum / divisor).ok()?;
        }
        Some(offsets)
    }
}

/// The rows, and which cell was solved for from which.
struct Elimination {
    rows: Vec<Row>,
    /// In how many rows every cell is.
    uses: Vec<u32>,
    done: Vec<bool>,
    pivots: Vec<(usize, u32)>,
}

impl Elimination {
    fn new(rows: Vec<Row>, cells: usize) -> Elimination {
        let mut uses = vec![0; cells];
        rows.iter().flat_map(Row::keys).for_each(|cell| uses[*cell as usize] += 1);
        Elimination { done: vec![false; rows.len()], rows, uses, pivots: Vec::new() }
    }

    /// The shortest row that is left, and in it a cell with a unit coefficient, if there is one,
    /// that few other rows have.
    fn choose(&self, solvable: &[bool]) -> Result<Option<(usize, u32)>, String> {
        let left = (0..self.rows.len()).filter(|row| !self.done[*row] && !self.rows[*row].is_empty());
        let Some(row) = left.min_by_key(|row| self.rows[*row].len()) else { return Ok(None) };
        let cells = self.rows[row].iter().filter(|(cell, _)| solvable[**cell as usize]);
        match cells.min_by_key(|(cell, times)| (times.abs(), self.uses[**cell as usize])) {
            Some((cell, _)) => Ok(Some((row, *cell))),
            None => Err("the totals tie cells of the index set to one another: they cannot all be free".to_owned()),
        }
    }

    /// Takes a cell out of every other row.
    fn eliminate(&mut self, pivot: usize, cell: u32) -> Result<(), String> {
        self.done[pivot] = true;
        self.pivots.push((pivot, cell));
        let leading = self.rows[pivot].clone();
        let p = leading[&cell];
        for row in (0..self.rows.len()).filter(|row| *row != pivot) {
            let Some(c) = self.rows[row].get(&cell).copied() else { continue };
            let common = gcd(p, c);
            let replaced = combined(&self.rows[row], p / common, &leading, c / common).ok_or(TOO_LARGE)?;
            self.rows[row].keys().for_each(|cell| self.uses[*cell as usize] -= 1);
            replaced.keys().for_each(|cell| self.uses[*cell as usize] += 1);
            self.rows[row] = replaced;
        }
        Ok(())
    }

    fn completion(self, cells: usize) -> Result<Completion, String> {
        let mut solved = vec![false; cells];
        self.pivots.iter().for_each(|(_, cell)| solved[*cell as usize] = true);
        let free: Vec<u32> = (0..cells as u32).filter(|cell| !solved[*cell as usize]).collect();
        let mut number = vec![0usize; cells];
        free.iter().enumerate().for_each(|(index, cell)| number[*cell as usize] = index);
        let mut adds = vec![Vec::new(); free.len()];
        let mut given = Vec::with_capacity(self.pivots.len());
        let small = |large: i128| i64::try_from(large).map_err(|_| TOO_LARGE.to_owned());
        for (index, (row, cell)) in self.pivots.iter().enumerate() {
            let row = &self.rows[*row];
            let p = row[cell];
            given.push((*cell, small(p.abs())?));
            for (other, times) in row.iter().filter(|(other, _)| *other != cell) {
                adds[number[*other as usize]].push((index as u32, small(-times * p.signum())?));
            }
        }
        Ok(Completion { free, given, adds })
    }
}

/// `row·times − other·taken`, without common divisors; nothing when a number is too large.
fn combined(row: &Row, times: i128, other: &Row, taken: i128) -> Option<Row> {
    let mut sum = Row::new();
    for (cell, entry) in row {
        sum.insert(*cell, entry.checked_mul(times)?);
    }
    for (cell, entry) in other {
        let place = sum.entry(*cell).or_default();
        *place = place.checked_sub(entry.checked_mul(taken)?)?;
    }
    sum.retain(|_, entry| *entry != 0);
    let common = sum.values().fold(0, |common, entry| gcd(common, *entry));
    sum.values_mut().for_each(|entry| *entry /= common);
    Some(sum)
}

fn gcd(one: i128, two: i128) -> i128 {
    let (mut one, mut two) = (one.abs(), two.abs());
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

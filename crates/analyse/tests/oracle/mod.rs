//! Dense elimination over big fractions: slow, obvious, and independent of the code it checks.

use declare::{Grouping, NO_GROUP};
use exact::Rational;

/// What dense elimination says about the cells.
pub struct Oracle {
    pub rank: usize,
    pub consistent: bool,
    /// A basis of the kernel: one fundamental circuit per free column.
    pub kernel: Vec<Vec<Rational>>,
    /// One solution of the totals (meaningful when consistent).
    pub solution: Vec<Rational>,
}

/// Reduces `[A | totals]` to reduced row echelon form.
pub fn solve(cells: usize, groupings: &[Grouping], totals: &[Vec<i64>]) -> Oracle {
    let zero = Rational::integer(0);
    let mut rows: Vec<Vec<Rational>> = Vec::new();
    for (grouping, totals) in groupings.iter().zip(totals) {
        for (group, total) in totals.iter().enumerate() {
            let member = |(cell, of): (usize, &u32)| match *of != NO_GROUP && *of as usize == group {
                true => Rational::from(grouping.taken(cell)),
                false => Rational::integer(0),
            };
            let mut row: Vec<Rational> = grouping.group_of.iter().enumerate().map(member).collect();
            row.push(Rational::from(*total));
            rows.push(row);
        }
    }
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..cells {
        let rank = pivots.len();
        let Some(found) = (rank..rows.len()).find(|row| !rows[*row][column].is_zero()) else {
            continue;
        };
        rows.swap(rank, found);
        let pivot = rows[rank][column].clone();
        rows[rank].iter_mut().for_each(|entry| *entry = &*entry / &pivot);
        let pivot_row = rows[rank].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != rank && !row[column].is_zero() {
                let factor = row[column].clone();
                for (entry, above) in row.iter_mut().zip(&pivot_row) {
                    *entry = &*entry - &(&factor * above);
                }
            }
        }
        pivots.push(column);
    }
    let rank = pivots.len();
    let consistent = rows[rank..].iter().all(|row| row[cells].is_zero());
    let mut kernel = Vec::new();
    for free in (0..cells).filter(|column| !pivots.contains(column)) {
        let mut vector = vec![zero.clone(); cells];
        vector[free] = Rational::integer(1);
        for (row, pivot) in pivots.iter().enumerate() {
            vector[*pivot] = -rows[row][free].clone();
        }
        kernel.push(vector);
    }
    let mut solution = vec![zero; cells];
    for (row, pivot) in pivots.iter().enumerate() {
        solution[*pivot] = rows[row][cells].clone();
    }
    Oracle { rank, consistent, kernel, solution }
}

impl Oracle {
    /// Whether every table with these totals has the same count in this cell.
    pub fn is_fixed(&self, cell: usize) -> bool {
        self.kernel.iter().all(|vector| vector[cell].is_zero())
    }

    /// The sum of these cells, if every table with these totals has the same.
    pub fn determined(&self, cells: &[usize]) -> Option<Rational> {
        let sum = |vector: &[Rational]| cells.iter().fold(Rational::integer(0), |sum, cell| &sum + &vector[*cell]);
        self.kernel.iter().all(|vector| sum(vector).is_zero()).then(|| sum(&self.solution))
    }

    /// The finest independent parts of the cells that are not fixed: cells linked by circuits.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        let cells = self.solution.len();
        let mut part: Vec<usize> = (0..cells).collect();
        for vector in &self.kernel {
            let support: Vec<usize> = (0..cells).filter(|cell| !vector[*cell].is_zero()).collect();
            let target = part[support[0]];
            for cell in support {
                let old = part[cell];
                part.iter_mut().filter(|p| **p == old).for_each(|p| *p = target);
            }
        }
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for name in 0..cells {
            let members: Vec<usize> = (0..cells).filter(|c| part[*c] == name && !self.is_fixed(*c)).collect();
            if !members.is_empty() {
                parts.push(members);
            }
        }
        parts
    }
}

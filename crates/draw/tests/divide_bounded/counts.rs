//! Counts at or above zero with both margins, and their fibres.

use crate::divide::grids::{full, geometric};
use draw::{BoundedDivide, Ladder};
use exact::{Enclosure, Rational};

/// A table of counts, row by row.
pub struct Counts {
    pub columns: usize,
    pub values: Vec<i64>,
}

impl Counts {
    pub fn new(columns: usize, values: &[i64]) -> Counts {
        Counts { columns, values: values.to_vec() }
    }

    pub fn totals(&self) -> (Vec<i64>, Vec<i64>) {
        let rows = self.values.chunks(self.columns).map(|row| row.iter().sum()).collect();
        let column = |column: usize| self.values.iter().skip(column).step_by(self.columns).sum();
        (rows, (0..self.columns).map(column).collect())
    }

    pub fn samplers(&self, epsilon: &str, ladder: Ladder) -> Vec<BoundedDivide> {
        let (rows, columns) = self.totals();
        let grid = full(rows.len(), self.columns);
        let shapes = BoundedDivide::shapes(self.columns, &grid.positions, [&rows, &columns]).unwrap();
        shapes
            .iter()
            .map(|shape| BoundedDivide::new(shape, &geometric(epsilon), &self.values, ladder).unwrap())
            .collect()
    }

    /// All tables of counts with the same margins.
    pub fn fibre(&self) -> Vec<Vec<i64>> {
        let (rows, columns) = self.totals();
        let mut found = Vec::new();
        fill(&rows, &columns, &mut vec![0; self.values.len()], 0, &mut found);
        found
    }

    pub fn distance(&self, table: &[i64]) -> i64 {
        self.values.iter().zip(table).map(|(one, other)| (one - other).abs()).sum()
    }

    pub fn weight(&self, table: &[i64], epsilon: &str) -> Enclosure {
        let epsilon: Rational = epsilon.parse().unwrap();
        Enclosure::exp_rational(&-(&epsilon * &Rational::integer(self.distance(table))), 128)
    }
}

fn fill(rows: &[i64], columns: &[i64], table: &mut Vec<i64>, cell: usize, found: &mut Vec<Vec<i64>>) {
    let width = columns.len();
    if cell == table.len() {
        found.push(table.clone());
        return;
    }
    let (row, column) = (cell / width, cell % width);
    let in_row = rows[row] - table[row * width..cell].iter().sum::<i64>();
    let in_column = columns[column] - (0..row).map(|above| table[above * width + column]).sum::<i64>();
    let last_row = row + 1 == rows.len();
    let range = match (column + 1 == width, last_row) {
        (true, _) => in_row..=in_row,
        (false, true) => in_column..=in_column,
        _ => 0..=in_row.min(in_column),
    };
    for value in range {
        if value < 0 || value > in_row || value > in_column || last_row && value != in_column {
            continue;
        }
        table[cell] = value;
        fill(rows, columns, table, cell + 1, found);
    }
}

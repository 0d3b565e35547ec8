//! `Lattice`: the integer noise tables that change no total.

use crate::fibre::Fibre;
use declare::Problem;

/// Sparse vectors that generate all integer tables whose totals are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    cells: usize,
    basis: Vec<Vec<(u32, i64)>>,
}

impl Lattice {
    /// The lattice of a fibre: integer column operations bring its equalities to echelon form. To be replaced at the merge.
    ///
    /// # Errors
    /// None.
    pub fn of_fibre(fibre: &Fibre) -> Result<Lattice, Problem> {
        let cells = fibre.cells.len();
        // Every column holds its entries of the rows, then its own combination of cells.
        let rows: Vec<Vec<i64>> = fibre
            .equalities()
            .map(|(entries, _)| {
                let mut row = vec![0i64; cells];
                entries.iter().for_each(|(place, times)| row[*place as usize] = *times);
                row
            })
            .collect();
        let height = rows.len();
        let mut columns: Vec<Vec<i64>> = (0..cells)
            .map(|cell| {
                let unit = (0..cells).map(|place| i64::from(place == cell));
                rows.iter().map(|row| row[cell]).chain(unit).collect()
            })
            .collect();
        let mut done = 0;
        for row in 0..height {
            loop {
                let least = (done..cells).filter(|at| columns[*at][row] != 0).min_by_key(|at| columns[*at][row].abs());
                let Some(least) = least else { break };
                columns.swap(done, least);
                let pivot = columns[done].clone();
                let mut rest = false;
                for column in columns[done + 1..].iter_mut() {
                    let times = column[row].div_euclid(pivot[row]);
                    column.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= times * pivot);
                    rest |= column[row] != 0;
                }
                if !rest {
                    done += 1;
                    break;
                }
            }
        }
        let sparse = |column: &Vec<i64>| {
            let entries = column[height..].iter().enumerate().filter(|(_, times)| **times != 0);
            entries.map(|(place, times)| (place as u32, *times)).collect()
        };
        Ok(Lattice { cells, basis: columns[done..].iter().map(sparse).collect() })
    }

    /// The vectors: places of cells, increasing, with coefficients that are not zero.
    pub fn basis(&self) -> &[Vec<(u32, i64)>] {
        &self.basis
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }
}

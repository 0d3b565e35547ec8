//! The core of a system: the few rows in which no pivot of ±1 is left, by the Smith normal form.
//!
//! The form is needed on a few columns only: those that are independent, and those that are no whole combination of them. Every
//! other column c is one, `c = C·x`, and gives the kernel vector `e_c − x`. The proof is in `proofs/lattice.md`.

use super::Vector;
use super::modular::Modular;
use exact::{Integer, Matrix, Smith, hermite, smith};

/// The core with its Smith normal form.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    /// The rows, by their number.
    pub(crate) rows: Vec<usize>,
    /// The cells whose columns generate all others.
    chosen: Vec<u32>,
    /// The Smith normal form of these columns.
    smith: Smith,
    /// Every other cell, with its column as a whole combination of the chosen ones.
    others: Vec<(u32, Vec<Integer>)>,
}

/// A vector of the kernel, or of its dual, in integers of any size.
pub(crate) type Large = Vec<(u32, Integer)>;

impl Core {
    /// From the rows that are not empty.
    pub(crate) fn new(rows: &[(usize, Vector)]) -> Core {
        let rows: Vec<&(usize, Vector)> = rows.iter().filter(|(_, row)| !row.is_empty()).collect();
        let mut cells: Vec<u32> = rows.iter().flat_map(|(_, row)| row.iter().map(|(cell, _)| *cell)).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut columns = vec![vec![0i64; rows.len()]; cells.len()];
        for (number, (_, row)) in rows.iter().enumerate() {
            for (cell, times) in row {
                columns[cells.partition_point(|known| known < cell)][number] = *times;
            }
        }
        let mut independent = Modular::default();
        let mut chosen: Vec<usize> =
            (0..cells.len()).filter(|place| independent.insert(columns[*place].iter().copied())).collect();
        let form = |chosen: &[usize]| {
            smith(&Matrix::from_fn(rows.len(), chosen.len(), |row, column| columns[chosen[column]][row].into()))
        };
        let mut smith = form(&chosen);
        let mut others = Vec::new();
        for place in 0..cells.len() {
            if chosen.contains(&place) {
                continue;
            }
            let column: Vec<Integer> = columns[place].iter().map(|times| Integer::from(*times)).collect();
            match smith.solve(&column) {
                Ok(combination) => others.push((cells[place], combination)),
                Err(_) => {
                    chosen.push(place);
                    smith = form(&chosen);
                }
            }
        }
        let chosen = chosen.into_iter().map(|place| cells[place]).collect();
        Core { rows: rows.iter().map(|(row, _)| *row).collect(), chosen, smith, others }
    }

    /// The cells that the core has, in no order.
    pub(crate) fn cells(&self) -> impl Iterator<Item = u32> {
        self.chosen.iter().copied().chain(self.others.iter().map(|(cell, _)| *cell))
    }

    /// Cells with independent columns, as many as the rank.
    pub(crate) fn independent(&self) -> &[u32] {
        // The chosen cells begin with columns that are independent modulo a prime.
        &self.chosen[..self.smith.rank]
    }

    /// For every cell that is not chosen the kernel vector with 1 there.
    pub(crate) fn combinations(&self) -> impl Iterator<Item = (u32, Large)> {
        self.others.iter().map(|(cell, combination)| {
            let mut vector: Large =
                self.chosen.iter().copied().zip(combination.iter().map(|value| -value.clone())).collect();
            vector.push((*cell, Integer::ONE));
            (*cell, tidy(vector))
        })
    }

    /// The kernel of the chosen columns, in pairs with the rows of `V⁻¹` that show it to be saturated.
    pub(crate) fn kernel(&self) -> Vec<(Large, Large)> {
        let v = &self.smith.v;
        let inverse = hermite(v).u;
        let column = |number: usize| (0..v.rows()).map(move |row| v[(row, number)].clone());
        let over =
            |entries: &mut dyn Iterator<Item = Integer>| tidy(self.chosen.iter().copied().zip(entries).collect());
        (self.smith.rank..v.columns())
            .map(|number| (over(&mut column(number)), over(&mut inverse.row(number).iter().cloned())))
            .collect()
    }

    /// A solution for values of the rows, in the order of [`Core::rows`], zero at cells that are not chosen.
    ///
    /// # Errors
    /// Coefficients of the rows, divided by a number, that make every column whole but not the value.
    pub(crate) fn solve(&self, values: &[Integer]) -> Result<Large, (Vec<Integer>, Integer)> {
        let solution = self.smith.solve(values).map_err(|row| {
            let divisor = if row < self.smith.rank { self.smith.d[(row, row)].clone() } else { Integer::ZERO };
            (self.smith.u.row(row).to_vec(), divisor)
        })?;
        Ok(tidy(self.chosen.iter().copied().zip(solution).collect()))
    }
}

fn tidy(mut vector: Large) -> Large {
    vector.retain(|(_, value)| !value.is_zero());
    vector.sort_unstable_by_key(|(cell, _)| *cell);
    vector
}

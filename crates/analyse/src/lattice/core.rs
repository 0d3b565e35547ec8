//! The core of a system: the few rows in which no pivot of ±1 is left, by normal forms.
//!
//! They are needed on a few columns C only, those whose whole combinations are all columns. The
//! Smith normal form of C gives its kernel, solutions and obstacles. Every other column is
//! `c = C·x` and gives the kernel vector `e_c − x`; x comes from the Hermite form of C, whose few
//! rows are combinations of columns too. All combinations are made short by a reduced basis of the
//! kernel of C, for which C has more columns than it must. The proof is in `proofs/lattice.md`.

use super::Vector;
use super::modular::Modular;
use exact::{Integer, Matrix, Smith, hermite, lll, nearest_plane, smith};

/// How many columns C has beyond those that it must have, at least.
const MORE_COLUMNS: usize = 24;

/// The core with its normal forms.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    /// The rows, by their number.
    pub(crate) rows: Vec<usize>,
    /// The cells whose columns are C: first as many independent ones as the rank.
    chosen: Vec<u32>,
    /// The Smith normal form of C.
    smith: Smith,
    /// A reduced basis of the kernel of C, in rows.
    kernel: Matrix,
    /// Every other cell, with its column as a whole combination of C.
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
        let mut columns = vec![vec![Integer::ZERO; rows.len()]; cells.len()];
        for (number, (_, row)) in rows.iter().enumerate() {
            for (cell, times) in row {
                columns[cells.partition_point(|known| known < cell)][number] = Integer::from(*times);
            }
        }
        let mut chosen = generating(&columns);
        let wanted = chosen.len() + MORE_COLUMNS.max(chosen.len());
        let more: Vec<usize> = (0..cells.len()).filter(|place| !chosen.contains(place)).collect();
        chosen.extend(more.into_iter().take(wanted - chosen.len()));
        let c = Matrix::from_fn(rows.len(), chosen.len(), |row, column| columns[chosen[column]][row].clone());
        let smith = smith(&c);
        let rank = smith.rank;
        let kernel =
            Matrix::from_fn(chosen.len() - rank, chosen.len(), |row, column| smith.v[(column, rank + row)].clone());
        let kernel = lll(&kernel);
        let form = hermite(&c.transpose());
        let basis = Basis::new(form.h.first_rows(rank));
        let combinations = nearest_plane(&kernel, &form.u.first_rows(rank));
        let mut is_chosen = vec![false; cells.len()];
        chosen.iter().for_each(|place| is_chosen[*place] = true);
        let combined = |column: &[Integer]| {
            // C generates every column, so there are coordinates.
            let coordinates = basis.coordinates(column).unwrap_or_else(|| vec![Integer::ZERO; rank]);
            let coordinates = Matrix::from_fn(1, rank, |_, place| coordinates[place].clone());
            coordinates.product(&combinations).row(0).to_vec()
        };
        let others = (0..cells.len())
            .filter(|place| !is_chosen[*place])
            .map(|place| (cells[place], combined(&columns[place])))
            .collect();
        let chosen = chosen.into_iter().map(|place| cells[place]).collect();
        Core { rows: rows.iter().map(|(row, _)| *row).collect(), chosen, smith, kernel, others }
    }

    /// The cells that the core has, in no order.
    pub(crate) fn cells(&self) -> impl Iterator<Item = u32> {
        self.chosen.iter().copied().chain(self.others.iter().map(|(cell, _)| *cell))
    }

    /// The cells whose columns generate all others.
    pub(crate) fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Cells with independent columns, as many as the rank.
    pub(crate) fn independent(&self) -> &[u32] {
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

    /// The kernel of the chosen columns, in pairs with rows that show it to be saturated: a left
    /// inverse of its vectors.
    pub(crate) fn kernel(&self) -> Vec<(Large, Large)> {
        let inverse = hermite(&self.kernel.transpose()).u;
        let over = |entries: &[Integer]| tidy(self.chosen.iter().copied().zip(entries.iter().cloned()).collect());
        (0..self.kernel.rows()).map(|row| (over(self.kernel.row(row)), over(inverse.row(row)))).collect()
    }

    /// A solution for values of the rows, in the order of [`Core::rows`], zero at cells that are
    /// not chosen.
    ///
    /// # Errors
    /// Coefficients of the rows that make every column a multiple of a number, but not the value.
    /// Zero: every column vanishes.
    pub(crate) fn solve(&self, values: &[Integer]) -> Result<Large, (Vec<Integer>, Integer)> {
        let solution = self.smith.solve(values).map_err(|row| {
            let divisor = if row < self.smith.rank { self.smith.d[(row, row)].clone() } else { Integer::ZERO };
            (self.smith.u.row(row).to_vec(), divisor)
        })?;
        let solution = Matrix::from_fn(1, solution.len(), |_, place| solution[place].clone());
        let short = nearest_plane(&self.kernel, &solution);
        Ok(tidy(self.chosen.iter().copied().zip(short.row(0).iter().cloned()).collect()))
    }
}

/// Columns whose whole combinations are all columns: first independent ones, then what these leave
/// out.
fn generating(columns: &[Vec<Integer>]) -> Vec<usize> {
    let mut independent = Modular::default();
    let mut chosen: Vec<usize> = (0..columns.len()).filter(|place| independent.insert(&columns[*place])).collect();
    let of = |places: &[usize]| {
        let height = columns.first().map_or(0, Vec::len);
        Matrix::from_fn(places.len(), height, |row, entry| columns[places[row]][entry].clone())
    };
    let mut basis = Basis::of(&of(&chosen));
    for (place, column) in columns.iter().enumerate() {
        if basis.coordinates(column).is_none() {
            let more = Matrix::from_fn(basis.rows.rows() + 1, column.len(), |row, entry| {
                if row < basis.rows.rows() { basis.rows[(row, entry)].clone() } else { column[entry].clone() }
            });
            basis = Basis::of(&more);
            chosen.push(place);
        }
    }
    chosen
}

/// A basis in Hermite form.
struct Basis {
    rows: Matrix,
    pivots: Vec<usize>,
}

impl Basis {
    fn of(generators: &Matrix) -> Basis {
        let form = hermite(generators);
        Basis::new(form.h.first_rows(form.rank))
    }

    fn new(rows: Matrix) -> Basis {
        let pivot = |row: usize| rows.row(row).iter().position(|entry| !entry.is_zero()).unwrap_or(0);
        let pivots = (0..rows.rows()).map(pivot).collect();
        Basis { rows, pivots }
    }

    /// How often each row is taken in a vector of the lattice; `None` for other vectors.
    fn coordinates(&self, vector: &[Integer]) -> Option<Vec<Integer>> {
        let mut left = vector.to_vec();
        let mut coordinates = Vec::with_capacity(self.pivots.len());
        for (row, pivot) in self.pivots.iter().enumerate() {
            let divisor = &self.rows[(row, *pivot)];
            if !(&left[*pivot] % divisor).is_zero() {
                return None;
            }
            let times = &left[*pivot] / divisor;
            if !times.is_zero() {
                left.iter_mut().zip(self.rows.row(row)).for_each(|(entry, other)| *entry -= &times * other);
            }
            coordinates.push(times);
        }
        left.iter().all(Integer::is_zero).then_some(coordinates)
    }
}

fn tidy(mut vector: Large) -> Large {
    vector.retain(|(_, value)| !value.is_zero());
    vector.sort_unstable_by_key(|(cell, _)| *cell);
    vector
}

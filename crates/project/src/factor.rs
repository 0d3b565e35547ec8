//! `Factored`: weighted least squares under equalities, factorised once and solved for many
//! right-hand sides.
//!
//! With cells y, their own measurements c of weights D, measured sums `M·y ≈ t` of weights W and
//! equalities `A·y = a`, the least squares are where, with `y = c + u`,
//!
//! ```text
//! | D  Mᵀ    Aᵀ | |u|   |   0     |
//! | M  −W⁻¹  0  |·|ν| = | t − M·c |
//! | A  0     0  | |λ|   | a − A·c |
//! ```
//!
//! For D = I and no sums that is `y = c − Aᵀ(AAᵀ)⁺(A·c − a)`. The matrix may be singular:
//! equalities repeat each other, and cells may be measured by nothing. So small numbers are added
//! to its diagonal, the sum is factorised, and steps of refinement against the matrix itself take
//! them out again: from zero they stay in its range, and so find the shortest of all solutions.

use crate::faults::unsolved;
use clarabel::algebra::CscMatrix;
use clarabel::qdldl::{QDLDLFactorisation, QDLDLSettings};
use declare::Problem;

/// A sum over cells.
pub(crate) type Row = Vec<(u32, f64)>;

/// What is added to the diagonal, relative to the least weight and to coefficients of one.
const SHIFT: f64 = 1e-7;

/// The most steps of refinement.
const MOST_STEPS: usize = 60;

/// How much of the largest number involved may be missing from an equality before the refinement
/// counts as failed.
const TOLERANCE: f64 = 1e-10;

/// The matrix above and its factors.
#[derive(Debug)]
pub(crate) struct Factored {
    cells: usize,
    /// D, in units of the largest weight.
    weight: Vec<f64>,
    sums: Vec<Row>,
    /// W⁻¹, in the same unit.
    variance: Vec<f64>,
    rows: Vec<Row>,
    unit: f64,
    order: Vec<usize>,
    lower: CscMatrix<f64>,
    inverse: Vec<f64>,
}

/// The least squares with the multipliers that show them to be least.
pub(crate) struct Solution {
    pub values: Vec<f64>,
    /// `W·(M·y − t)`.
    pub pulls: Vec<f64>,
    /// λ.
    pub multipliers: Vec<f64>,
}

impl Factored {
    /// `sums`: each with its weight.
    pub fn new(weight: &[f64], sums: Vec<(Row, f64)>, rows: Vec<Row>) -> Result<Factored, Problem> {
        let weights = || weight.iter().copied().chain(sums.iter().map(|(_, weight)| *weight));
        let unit = weights().fold(0.0, f64::max);
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let least = weights().filter(|weight| *weight > 0.0).fold(unit, f64::min) / unit;
        let cells = weight.len();
        let weight: Vec<f64> = weight.iter().map(|weight| weight / unit).collect();
        let variance: Vec<f64> = sums.iter().map(|(_, weight)| unit / weight).collect();
        let sums: Vec<Row> = sums.into_iter().map(|(row, _)| row).collect();
        let size = cells + sums.len() + rows.len();
        let (mut starts, mut places, mut numbers) = (vec![0], Vec::new(), Vec::new());
        for (cell, weight) in weight.iter().enumerate() {
            places.push(cell);
            numbers.push(weight + SHIFT * least);
            starts.push(places.len());
        }
        let below = variance.iter().copied().chain(std::iter::repeat_n(SHIFT, rows.len()));
        for (place, (row, diagonal)) in sums.iter().chain(&rows).zip(below).enumerate() {
            let mut entries = row.clone();
            entries.sort_unstable_by_key(|(cell, _)| *cell);
            for (cell, times) in entries {
                places.push(cell as usize);
                numbers.push(times);
            }
            places.push(cells + place);
            numbers.push(-diagonal);
            starts.push(places.len());
        }
        let matrix = CscMatrix::new(size, size, starts, places, numbers);
        let mut signs = vec![1i8; cells];
        signs.resize(size, -1);
        let settings = QDLDLSettings { Dsigns: Some(signs), ..QDLDLSettings::default() };
        let (order, lower, inverse) = if size == 0 {
            (Vec::new(), CscMatrix::zeros((0, 0)), Vec::new())
        } else {
            let factors = QDLDLFactorisation::new(&matrix, Some(settings))
                .map_err(|error| unsolved("the factorisation of the least squares", error))?;
            (factors.perm, factors.L, factors.Dinv)
        };
        Ok(Factored { cells, weight, sums, variance, rows, unit, order, lower, inverse })
    }

    /// The least squares around these centres, targets of the sums, and values of the equalities.
    pub fn solve(&self, centre: &[f64], targets: &[f64], values: &[f64]) -> Result<Solution, Problem> {
        let sum = |row: &Row| -> f64 { row.iter().map(|(cell, times)| centre[*cell as usize] * times).sum() };
        let size = self.inverse.len();
        let mut right = vec![0.0; self.cells];
        right.extend(self.sums.iter().zip(targets).map(|(row, target)| target - sum(row)));
        right.extend(self.rows.iter().zip(values).map(|(row, value)| value - sum(row)));
        let numbers = centre.iter().chain(targets).chain(values);
        let scale = numbers.fold(1.0, |scale: f64, number| scale.max(number.abs()));
        let mut solution = vec![0.0; size];
        let mut best = (f64::INFINITY, solution.clone());
        let mut idle = 0;
        for _ in 0..MOST_STEPS {
            let rest = self.rest(&right, &solution);
            let error =
                rest.iter().fold(0.0, |error: f64, rest| if rest.is_nan() { f64::NAN } else { error.max(rest.abs()) });
            if error.is_nan() {
                return Err(unsolved("the least squares", "numbers too far apart for machine arithmetic"));
            }
            idle = if error < best.0 * 0.5 { 0 } else { idle + 1 };
            if error < best.0 {
                best = (error, solution.clone());
            }
            if error == 0.0 || idle > 2 {
                break;
            }
            let step = self.divide(&rest);
            solution.iter_mut().zip(&step).for_each(|(value, step)| *value += step);
        }
        let (error, solution) = best;
        if error > TOLERANCE * scale {
            return Err(unsolved(
                "the least squares",
                format!("after {MOST_STEPS} steps of refinement a total is off by {error:.1e}"),
            ));
        }
        let values = solution[..self.cells].iter().zip(centre).map(|(step, centre)| step + centre).collect();
        let scaled = |part: &[f64]| part.iter().map(|value| value * self.unit).collect();
        let rows = self.cells + self.sums.len();
        Ok(Solution { values, pulls: scaled(&solution[self.cells..rows]), multipliers: scaled(&solution[rows..]) })
    }

    /// The right-hand side less the matrix times a solution.
    fn rest(&self, right: &[f64], solution: &[f64]) -> Vec<f64> {
        let mut rest = right.to_vec();
        for cell in 0..self.cells {
            rest[cell] -= self.weight[cell] * solution[cell];
        }
        let variances = self.variance.iter().copied().chain(std::iter::repeat_n(0.0, self.rows.len()));
        for (place, (row, variance)) in self.sums.iter().chain(&self.rows).zip(variances).enumerate() {
            let place = self.cells + place;
            let mut sum = -variance * solution[place];
            for (cell, times) in row {
                sum += times * solution[*cell as usize];
                rest[*cell as usize] -= times * solution[place];
            }
            rest[place] -= sum;
        }
        rest
    }

    /// The factorised matrix's inverse times a vector.
    fn divide(&self, right: &[f64]) -> Vec<f64> {
        let mut work: Vec<f64> = self.order.iter().map(|place| right[*place]).collect();
        let column = |place: usize| self.lower.colptr[place]..self.lower.colptr[place + 1];
        for place in 0..work.len() {
            let value = work[place];
            for entry in column(place) {
                work[self.lower.rowval[entry]] -= self.lower.nzval[entry] * value;
            }
        }
        work.iter_mut().zip(&self.inverse).for_each(|(value, inverse)| *value *= inverse);
        for place in (0..work.len()).rev() {
            let taken: f64 = column(place).map(|entry| self.lower.nzval[entry] * work[self.lower.rowval[entry]]).sum();
            work[place] -= taken;
        }
        let mut result = vec![0.0; right.len()];
        self.order.iter().zip(work).for_each(|(place, value)| result[*place] = value);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::Factored;

    #[test]
    fn repeated_rows_do_no_harm() {
        let row = || vec![(0u32, 1.0), (1, 1.0), (2, 1.0)];
        let factors = Factored::new(&[1.0; 3], Vec::new(), vec![row(), row(), row()]).expect("factors");
        let found = factors.solve(&[1e9, 2.0, 3.0], &[], &[0.0; 3]).expect("values").values;
        assert!(found.iter().sum::<f64>().abs() < 1e-6 && (found[2] - found[1] - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn rows_that_contradict_each_other_are_an_error() {
        let row = || vec![(0u32, 1.0), (1, 1.0)];
        let factors = Factored::new(&[1.0; 2], Vec::new(), vec![row(), row()]).expect("factors");
        assert!(factors.solve(&[1.0, 2.0], &[], &[3.0, 4.0]).is_err());
    }
}

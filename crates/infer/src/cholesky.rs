//! `Cholesky`: small positive definite matrices, dense, as L·Lᵀ.

/// L, by rows.
#[derive(Debug)]
pub(crate) struct Cholesky(pub(crate) Vec<Vec<f64>>);

impl Cholesky {
    /// Of a matrix given by its lower triangle. If a pivot is no more than this part of its
    /// diagonal, the number of its column, which follows from those before it.
    pub(crate) fn new(mut matrix: Vec<Vec<f64>>, least: f64) -> Result<Cholesky, usize> {
        for column in 0..matrix.len() {
            let whole = matrix[column][column];
            let taken: f64 = matrix[column][..column].iter().map(|own| own * own).sum();
            let pivot = whole - taken;
            if !(pivot > least * whole && pivot.is_finite()) {
                return Err(column);
            }
            matrix[column][column] = pivot.sqrt();
            for row in column + 1..matrix.len() {
                let taken: f64 = (0..column).map(|place| matrix[row][place] * matrix[column][place]).sum();
                matrix[row][column] = (matrix[row][column] - taken) / matrix[column][column];
            }
        }
        Ok(Cholesky(matrix))
    }

    /// x with L·Lᵀ·x = b.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let lower = &self.0;
        let mut found = right.to_vec();
        for row in 0..found.len() {
            let taken: f64 = (0..row).map(|place| lower[row][place] * found[place]).sum();
            found[row] = (found[row] - taken) / lower[row][row];
        }
        self.backward(found)
    }

    /// x with Lᵀ·x = y.
    pub(crate) fn backward(&self, mut found: Vec<f64>) -> Vec<f64> {
        let lower = &self.0;
        for row in (0..found.len()).rev() {
            let taken: f64 = (row + 1..found.len()).map(|place| lower[place][row] * found[place]).sum();
            found[row] = (found[row] - taken) / lower[row][row];
        }
        found
    }

    pub(crate) fn inverse_diagonal(&self) -> Vec<f64> {
        let size = self.0.len();
        let unit = |column: usize| (0..size).map(|row| f64::from(u8::from(row == column))).collect::<Vec<f64>>();
        (0..size).map(|column| self.solve(&unit(column))[column]).collect()
    }
}

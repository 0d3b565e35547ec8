//! `ReducedBasis`: coordinates of the grid in which the weight fills a box as well as may be.

/// A basis of the grid: columns, and the rows of the inverse, all whole numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReducedBasis {
    /// The vectors of the basis.
    pub columns: Vec<Vec<i64>>,
    /// Row a gives the coordinate of a point along vector a.
    pub rows: Vec<Vec<i64>>,
}

/// Entries stay below this: what is beyond is reduced no further.
const LARGEST: i64 = 1 << 24;
/// The constant of Lovász.
const REDUCED: f64 = 0.9;

impl ReducedBasis {
    /// The basis that the grid comes with.
    pub fn plain(p: usize) -> Self {
        let rows: Vec<Vec<i64>> = (0..p).map(|i| (0..p).map(|j| i64::from(i == j)).collect()).collect();
        ReducedBasis { columns: rows.clone(), rows }
    }

    /// Reduced (Lenstra, Lenstra and Lovász) for the quadratic form of a symmetric matrix, by rows.
    /// Machine numbers choose the steps; every step keeps a basis.
    pub fn reduce(&mut self, form: &[f64]) {
        let p = self.columns.len();
        let (mut k, mut steps) = (1, 0);
        while k < p && steps < 200 * p {
            steps += 1;
            for j in (0..k).rev() {
                let (shares, _) = self.orthogonal(form, k);
                let times = shares[j].round();
                if times != 0.0 && !self.subtract(k, j, times) {
                    return;
                }
            }
            let (shares, norm) = self.orthogonal(form, k);
            let (_, before) = self.orthogonal(form, k - 1);
            if norm >= (REDUCED - shares[k - 1] * shares[k - 1]) * before {
                k += 1;
            } else {
                self.columns.swap(k, k - 1);
                self.rows.swap(k, k - 1);
                k = (k - 1).max(1);
            }
        }
    }

    /// Takes a multiple of vector j from vector k, if entries stay small.
    fn subtract(&mut self, k: usize, j: usize, times: f64) -> bool {
        if times.abs() >= LARGEST as f64 {
            return false;
        }
        let times = times as i64;
        let less = |one: &[i64], other: &[i64], times: i64| -> Option<Vec<i64>> {
            let entry =
                |(a, b): (&i64, &i64)| a.checked_sub(times.checked_mul(*b)?).filter(|entry| entry.abs() < LARGEST);
            one.iter().zip(other).map(entry).collect()
        };
        let column = less(&self.columns[k], &self.columns[j], times);
        let row = less(&self.rows[j], &self.rows[k], -times);
        match (column, row) {
            (Some(column), Some(row)) => {
                self.columns[k] = column;
                self.rows[j] = row;
                true
            }
            _ => false,
        }
    }

    /// The shares of vector k along the orthogonal parts of those before it, and the square of what
    /// is left of it.
    fn orthogonal(&self, form: &[f64], k: usize) -> (Vec<f64>, f64) {
        let p = self.columns.len();
        let inner = |one: &[f64], other: &[f64]| -> f64 {
            (0..p).map(|i| one[i] * (0..p).map(|j| form[i * p + j] * other[j]).sum::<f64>()).sum()
        };
        let real = |column: &[i64]| -> Vec<f64> { column.iter().map(|entry| *entry as f64).collect() };
        let mut parts: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut shares = Vec::new();
        for index in 0..=k {
            let vector = real(&self.columns[index]);
            let mut rest = vector.clone();
            shares = parts.iter().map(|(part, norm)| inner(&vector, part) / norm.max(f64::MIN_POSITIVE)).collect();
            for ((part, _), share) in parts.iter().zip(&shares) {
                rest.iter_mut().zip(part).for_each(|(value, along)| *value -= share * along);
            }
            let norm = inner(&rest, &rest);
            parts.push((rest, norm));
        }
        (shares, parts[k].1)
    }
}

#[cfg(test)]
mod tests {
    use super::ReducedBasis;

    #[test]
    fn a_slab_gets_a_vector_across_it_and_others_along() {
        // Narrow across (1, 1, 1), wide along it.
        let form: Vec<f64> = (0..9).map(|place| 1e6 + if place % 4 == 0 { 1.0 } else { 0.0 }).collect();
        let mut basis = ReducedBasis::plain(3);
        basis.reduce(&form);
        let across = basis.columns.iter().filter(|column| column.iter().sum::<i64>() != 0).count();
        assert_eq!(across, 1, "{basis:?}");
        for (i, row) in basis.rows.iter().enumerate() {
            for (j, column) in basis.columns.iter().enumerate() {
                let product: i64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
                assert_eq!(product, i64::from(i == j), "rows are those of the inverse");
            }
        }
    }
}

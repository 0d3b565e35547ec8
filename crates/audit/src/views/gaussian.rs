//! Gaussian noise under equalities `A z = 0`: covariances by conditioning and by projection, in
//! fractions.
//!
//! Both laws are Gaussian with mean zero, so equal covariances mean equal laws. For covariance
//! `σ²I` both are `σ²(I − Aᵀ(AAᵀ)⁻¹A)`; for other covariances they differ in general.

use exact::Rational;

/// A matrix by rows.
pub type Rows = Vec<Vec<Rational>>;

/// The covariance of z ~ N(0, Σ) given `A z = 0`: `Σ − ΣAᵀ(AΣAᵀ)⁻¹AΣ`.
///
/// Contract: Σ is symmetric and positive definite, every row of A as long as Σ. Rows of A that
/// follow from others are dropped. `None` when Σ is singular on the rows of A.
pub fn conditional_covariance(covariance: &Rows, equalities: &Rows) -> Option<Rows> {
    let rows = independent_rows(equalities);
    let reached = times(&rows, covariance);
    let inverse = inverted(&times(&reached, &transposed(&rows, covariance.len())))?;
    Some(minus(covariance, &times(&times(&transposed(&reached, covariance.len()), &inverse), &reached)))
}

/// The covariance of the orthogonal projection of z ~ N(0, Σ) onto `{A z = 0}`: `PΣP` with
/// `P = I − Aᵀ(AAᵀ)⁻¹A`.
///
/// Contract: as for [`conditional_covariance`].
pub fn projected_covariance(covariance: &Rows, equalities: &Rows) -> Option<Rows> {
    let projection = projection(equalities, covariance.len())?;
    Some(times(&times(&projection, covariance), &projection))
}

/// The orthogonal projection onto `{z : A z = 0}` in so many dimensions: `I − Aᵀ(AAᵀ)⁻¹A`.
pub fn projection(equalities: &Rows, dimensions: usize) -> Option<Rows> {
    let rows = independent_rows(equalities);
    let across = transposed(&rows, dimensions);
    let inverse = inverted(&times(&rows, &across))?;
    Some(minus(&scaled_identity(&Rational::integer(1), dimensions), &times(&times(&across, &inverse), &rows)))
}

/// `value · I`: the covariance of spherical noise.
pub fn scaled_identity(value: &Rational, dimensions: usize) -> Rows {
    let entry = |row, column| if row == column { value.clone() } else { Rational::integer(0) };
    (0..dimensions).map(|row| (0..dimensions).map(|column| entry(row, column)).collect()).collect()
}

/// A matrix times a vector.
pub fn apply(matrix: &Rows, vector: &[Rational]) -> Vec<Rational> {
    matrix.iter().map(|row| dot(row.iter().zip(vector))).collect()
}

fn dot<'a>(pairs: impl Iterator<Item = (&'a Rational, &'a Rational)>) -> Rational {
    pairs.fold(Rational::integer(0), |sum, (one, two)| &sum + &(one * two))
}

fn times(left: &Rows, right: &Rows) -> Rows {
    let width = right.first().map_or(0, Vec::len);
    let entry = |row: &Vec<Rational>, column: usize| dot(row.iter().zip(right.iter().map(|line| &line[column])));
    left.iter().map(|row| (0..width).map(|column| entry(row, column)).collect()).collect()
}

fn transposed(rows: &Rows, width: usize) -> Rows {
    (0..width).map(|column| rows.iter().map(|row| row[column].clone()).collect()).collect()
}

fn minus(left: &Rows, right: &Rows) -> Rows {
    // A product with no inner dimension is zero.
    let other = |row: usize, column: usize| right.get(row).and_then(|line| line.get(column));
    let difference = |value: &Rational, row, column| other(row, column).map_or(value.clone(), |less| value - less);
    let line = |(row, values): (usize, &Vec<Rational>)| {
        values.iter().enumerate().map(|(column, value)| difference(value, row, column)).collect()
    };
    left.iter().enumerate().map(line).collect()
}

/// The first rows that do not follow from earlier ones.
fn independent_rows(rows: &Rows) -> Rows {
    let (mut kept, mut reduced): (Rows, Vec<(usize, Vec<Rational>)>) = (Vec::new(), Vec::new());
    for row in rows {
        let mut rest = row.clone();
        for (pivot, known) in &reduced {
            subtract(&mut rest, known, *pivot);
        }
        if let Some(pivot) = rest.iter().position(|entry| !entry.is_zero()) {
            reduced.push((pivot, rest));
            kept.push(row.clone());
        }
    }
    kept
}

/// Takes so much of `known` from `row` that the entry at the pivot vanishes.
fn subtract(row: &mut [Rational], known: &[Rational], pivot: usize) {
    if row[pivot].is_zero() {
        return;
    }
    let factor = &row[pivot] / &known[pivot];
    for (entry, less) in row.iter_mut().zip(known) {
        *entry = &*entry - &(&factor * less);
    }
}

/// The inverse by elimination, without exchanges: pivots of a positive definite matrix are
/// positive. `None` when one is zero.
fn inverted(matrix: &Rows) -> Option<Rows> {
    let size = matrix.len();
    let identity = scaled_identity(&Rational::integer(1), size);
    let mut rows: Rows = matrix.iter().zip(identity).map(|(row, unit)| [row.clone(), unit].concat()).collect();
    for pivot in 0..size {
        let inverse = rows[pivot][pivot].reciprocal()?;
        rows[pivot].iter_mut().for_each(|entry| *entry = &*entry * &inverse);
        let known = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != pivot) {
            subtract(row, &known, pivot);
        }
    }
    Some(rows.into_iter().map(|row| row[size..].to_vec()).collect())
}

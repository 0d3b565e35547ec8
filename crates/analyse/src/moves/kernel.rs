//! The directions that totals leave free in a part: a basis of them, and the primitive integer
//! vector where there is one.

use crate::number::{Number, ONE, ZERO, gcd};
use crate::system::System;

/// The most classes of a part whose direction is computed.
const MOST_CLASSES: usize = 200;
/// The largest entry of a direction that is used.
const LARGEST: u64 = 1 << 20;

/// The primitive kernel vector of a part with one more class than its rank; `None` when the part or
/// the vector is too large.
pub(super) fn primitive(system: &System, classes: &[u32]) -> Option<Vec<(u32, i64)>> {
    if classes.len() > MOST_CLASSES {
        return None;
    }
    let basis = kernel(system, classes);
    let [vector] = basis.as_slice() else { return None };
    let whole = whole(vector)?;
    Some(classes.iter().copied().zip(whole).collect())
}

/// A basis of the kernel over the classes of a part, the primitive vector where it has dimension
/// one.
pub(super) fn basis(system: &System, classes: &[u32]) -> Vec<Vec<Number>> {
    let basis = kernel(system, classes);
    match basis.as_slice() {
        [vector] => match whole(vector) {
            Some(whole) => vec![whole.into_iter().map(Number::Small).collect()],
            None => basis,
        },
        _ => basis,
    }
}

/// The primitive integer multiple of a vector; `None` when its entries are too large.
fn whole(vector: &[Number]) -> Option<Vec<i64>> {
    let scale = vector.iter().fold(ONE, |scale, value| scale.times(&value.times(&scale).denominator()));
    let whole: Option<Vec<i64>> = vector.iter().map(|value| value.times(&scale).integer()).collect();
    let whole = whole?;
    let divisor = whole.iter().fold(0, |divisor, value| gcd(divisor, value.unsigned_abs()));
    if divisor == 0 || whole.iter().any(|value| value.unsigned_abs() / divisor > LARGEST) {
        return None;
    }
    let divisor = i64::try_from(divisor).ok()?;
    Some(whole.into_iter().map(|value| value / divisor).collect())
}

/// Vectors that span the kernel, one for every class that is no pivot, by elimination over the
/// fractions.
fn kernel(system: &System, classes: &[u32]) -> Vec<Vec<Number>> {
    let mut rows: Vec<usize> = classes.iter().flat_map(|class| system.rows_of(*class)).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut matrix = vec![vec![ZERO; classes.len()]; rows.len()];
    for (column, class) in classes.iter().enumerate() {
        for (row, times) in system.column(*class) {
            let row = rows.partition_point(|known| *known < row);
            matrix[row][column] = Number::Small(times);
        }
    }
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..classes.len() {
        let rank = pivots.len();
        let Some(found) = (rank..matrix.len()).find(|row| !matrix[*row][column].is_zero()) else {
            continue;
        };
        matrix.swap(rank, found);
        let pivot = matrix[rank][column].clone();
        matrix[rank].iter_mut().for_each(|entry| *entry = entry.over(&pivot));
        let above = matrix[rank].clone();
        for (index, row) in matrix.iter_mut().enumerate() {
            if index != rank && !row[column].is_zero() {
                let factor = row[column].clone();
                row.iter_mut().zip(&above).for_each(|(entry, above)| *entry = entry.minus(&factor.times(above)));
            }
        }
        pivots.push(column);
    }
    let free = (0..classes.len()).filter(|column| !pivots.contains(column));
    let along = |free: usize| {
        let mut vector = vec![ZERO; classes.len()];
        vector[free] = ONE;
        for (row, pivot) in pivots.iter().enumerate() {
            vector[*pivot] = matrix[row][free].negated();
        }
        vector
    };
    free.map(along).collect()
}

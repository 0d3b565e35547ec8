//! `tangent`: the least value of a sum of absolute values, less a linear function, over an ℓ₁ ball,
//! by the simplex method in machine numbers.
//!
//! What it finds is a guess: whoever uses it proves a bound from it in whole numbers, so rounding
//! and a search that is given up cost acceptance and never the law.

/// Where ‖Mx − w‖₁ − v·x is least in the unit ball of ℓ₁, and with which slopes of the absolute
/// values that is seen.
#[derive(Debug, Clone)]
pub(crate) struct Tangent {
    /// The point.
    pub point: Vec<f64>,
    /// λ in [−1, 1]: the gradient of λ·(Mx − w) − v·x points out of the ball at the point.
    pub slopes: Vec<f64>,
}

const LEAST: f64 = 1e-10;

/// Solves the linear program in the positive and negative parts of x and of Mx − w, from x = 0.
pub(crate) fn tangent(matrix: &[f64], offset: &[f64], direction: &[f64]) -> Tangent {
    let p = offset.len();
    // Columns: x⁺, x⁻, what is left of the radius, r⁺, r⁻, and the right-hand side.
    let (left, above, below, width) = (2 * p, 2 * p + 1, 3 * p + 1, 4 * p + 2);
    let mut rows = vec![vec![0.0; width]; p + 2];
    let mut basis = vec![left; p + 1];
    for i in 0..p {
        let sign = if offset[i] < 0.0 { -1.0 } else { 1.0 };
        for j in 0..p {
            rows[i][j] = sign * matrix[i * p + j];
            rows[i][p + j] = -sign * matrix[i * p + j];
        }
        (rows[i][above + i], rows[i][below + i], rows[i][width - 1]) = (-sign, sign, offset[i].abs());
        basis[i] = if sign < 0.0 { above + i } else { below + i };
    }
    rows[p][..=left].fill(1.0);
    rows[p][width - 1] = 1.0;
    // Reduced costs: those of the residuals are 1, and they are the basis.
    for j in 0..p {
        (rows[p + 1][j], rows[p + 1][p + j]) = (-direction[j], direction[j]);
        (rows[p + 1][above + j], rows[p + 1][below + j]) = (1.0, 1.0);
    }
    let (residuals, costs) = rows.split_at_mut(p + 1);
    for row in &residuals[..p] {
        costs[0].iter_mut().zip(row).for_each(|(cost, entry)| *cost -= entry);
    }
    for step in 0..60 * (p + 1) {
        let costs = &rows[p + 1];
        let scale = LEAST * costs[..width - 1].iter().fold(1.0f64, |most, cost| most.max(cost.abs()));
        let candidates = (0..width - 1).filter(|j| costs[*j] < -scale);
        // The steepest column; the first one when that goes round in circles (Bland).
        let entering = match step < 30 * (p + 1) {
            true => candidates.min_by(|one, other| costs[*one].total_cmp(&costs[*other])),
            false => candidates.min(),
        };
        let Some(entering) = entering else { break };
        let ratio = |i: usize| rows[i][width - 1] / rows[i][entering];
        let leaving = (0..=p)
            .filter(|i| rows[*i][entering] > LEAST)
            .min_by(|one, other| ratio(*one).total_cmp(&ratio(*other)).then(basis[*one].cmp(&basis[*other])));
        let Some(leaving) = leaving else { break };
        let pivot = rows[leaving][entering];
        rows[leaving].iter_mut().for_each(|value| *value /= pivot);
        let lead = rows[leaving].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != leaving) {
            let factor = row[entering];
            if factor != 0.0 {
                row.iter_mut().zip(&lead).for_each(|(value, above)| *value -= factor * above);
            }
        }
        basis[leaving] = entering;
    }
    let mut values = vec![0.0; width];
    basis.iter().zip(&rows).for_each(|(column, row)| values[*column] = row[width - 1]);
    let point = (0..p).map(|j| values[j] - values[p + j]).collect();
    let slopes = (0..p).map(|i| (rows[p + 1][below + i] - 1.0).clamp(-1.0, 1.0)).collect();
    Tangent { point, slopes }
}

#[cfg(test)]
mod tests {
    use super::tangent;

    #[test]
    fn the_least_value_is_that_of_its_tangent() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1 << 30) - 1.0
        };
        for case in 0..300 {
            let p = 1 + case % 6;
            let size = 10f64.powi(case as i32 % 5);
            let matrix: Vec<f64> = (0..p * p).map(|_| size * random()).collect();
            let offset: Vec<f64> = (0..p).map(|_| 3.0 * size * random()).collect();
            let direction: Vec<f64> = (0..p).map(|_| size * random()).collect();
            let found = tangent(&matrix, &offset, &direction);
            let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            let residual = |i: usize, x: &[f64]| dot(&matrix[i * p..(i + 1) * p], x) - offset[i];
            let value = |x: &[f64]| (0..p).map(|i| residual(i, x).abs()).sum::<f64>() - dot(&direction, x);
            assert!(found.point.iter().map(|x| x.abs()).sum::<f64>() < 1.0 + 1e-9);
            // The dual bound, which holds whatever the slopes are, is attained.
            let slope = |j: usize| (0..p).map(|i| found.slopes[i] * matrix[i * p + j]).sum::<f64>() - direction[j];
            let steepest = (0..p).map(|j| slope(j).abs()).fold(0.0, f64::max);
            let bound = -dot(&found.slopes, &offset) - steepest;
            assert!(
                (value(&found.point) - bound).abs() < 1e-6 * (1.0 + size),
                "{case}: {} {bound}",
                value(&found.point)
            );
        }
    }
}

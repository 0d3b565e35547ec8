//! Small projections, written for these tests alone.

/// The nearest point whose sum is `total`.
pub fn onto_total(noisy: &[f64], total: f64) -> Vec<f64> {
    let share = (total - noisy.iter().sum::<f64>()) / noisy.len() as f64;
    noisy.iter().map(|value| value + share).collect()
}

/// The nearest non-negative point whose sum is `total`: by sorting.
pub fn onto_nonnegative_total(noisy: &[f64], total: f64) -> Vec<f64> {
    let mut sorted = noisy.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let mut sum = 0.0;
    let mut cut = f64::NEG_INFINITY;
    for (number, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - total) / (number + 1) as f64;
        if *value > candidate {
            cut = candidate;
        }
    }
    noisy.iter().map(|value| (value - cut).max(0.0)).collect()
}

/// Whether a figure is within five standard errors of what it should be.
pub fn agrees(found: f64, error: f64, expected: f64) -> bool {
    (found - expected).abs() <= testkit::deviations(400) * error
}

#[test]
fn the_projections_project() {
    assert_eq!(onto_total(&[1.0, 2.0, 6.0], 6.0), [0.0, 1.0, 5.0]);
    assert_eq!(onto_nonnegative_total(&[-3.0, 1.0, 5.0], 4.0), [0.0, 0.0, 4.0]);
    assert_eq!(onto_nonnegative_total(&[1.0, 2.0, 6.0], 12.0), [2.0, 3.0, 7.0]);
}

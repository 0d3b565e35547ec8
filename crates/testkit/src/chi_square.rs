//! Goodness of fit with true quantiles, pooled bins and a stated level.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The verdict of a chi-square test.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// The statistic.
    pub statistic: f64,
    /// Degrees of freedom after pooling.
    pub freedom: f64,
    /// The probability of a larger statistic under the claimed law.
    pub p_value: f64,
}

/// Pearson's test of observed counts against claimed probabilities, which may sum to less than one:
/// the rest is one more bin, observed `total − Σ observed` times. Bins are pooled, in order, until
/// each is expected at least ten times.
pub fn goodness_of_fit(observed: &[u64], claimed: &[f64], total: u64) -> Fit {
    assert_eq!(observed.len(), claimed.len(), "one probability per bin");
    let seen: u64 = observed.iter().sum();
    let share: f64 = claimed.iter().sum();
    assert!(share < 1.0 + 1e-9 && seen <= total, "probabilities and counts are parts of a whole");
    let rest = ((total - seen) as f64, (1.0 - share).max(0.0));
    let bins = observed.iter().map(|count| *count as f64).zip(claimed.iter().copied()).chain([rest]);
    let (mut statistic, mut pooled) = (0.0, 0usize);
    let (mut count, mut expected) = (0.0, 0.0);
    let mut finished: Vec<(f64, f64)> = Vec::new();
    for (bin_count, bin_share) in bins {
        count += bin_count;
        expected += bin_share * total as f64;
        if expected >= 10.0 {
            finished.push((count, expected));
            (count, expected) = (0.0, 0.0);
        }
    }
    if let Some(last) = finished.last_mut() {
        last.0 += count;
        last.1 += expected;
    }
    for (count, expected) in &finished {
        statistic += (count - expected).powi(2) / expected;
        pooled += 1;
    }
    assert!(pooled >= 2, "a test needs at least two bins after pooling");
    let freedom = (pooled - 1) as f64;
    let law = ChiSquared::new(freedom).expect("a positive number of degrees of freedom");
    Fit { statistic, freedom, p_value: 1.0 - law.cdf(statistic) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_the_level() {
        // 0.95-quantile of chi-square with 4 degrees of freedom: 9.487729.
        let fit = goodness_of_fit(&[200, 200, 200, 200, 200], &[0.2; 5], 1000);
        assert!((fit.statistic - 0.0).abs() < 1e-12 && fit.freedom == 4.0 && fit.p_value == 1.0);
        let law = ChiSquared::new(4.0).unwrap();
        assert!((law.cdf(9.487_729_036_781_154) - 0.95).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_law_is_rejected() {
        let fit = goodness_of_fit(&[2600, 2400, 2500, 2500], &[0.3, 0.2, 0.25, 0.25], 10_000);
        assert!(fit.p_value < 1e-3);
    }
}

//! Simulated means and variances, with their standard errors in words.

use audit::measure::Summary;

/// A mean and a variance in words.
pub(super) struct Simulated {
    pub(super) mean: String,
    pub(super) variance: String,
}

/// What a stream of numbers says.
pub(super) fn summary(numbers: &Summary) -> Simulated {
    Simulated {
        mean: format!("{:.4} ± {:.4}", numbers.mean(), numbers.mean_error()),
        variance: format!("{:.4} ± {:.4}", numbers.variance(), numbers.variance_error()),
    }
}

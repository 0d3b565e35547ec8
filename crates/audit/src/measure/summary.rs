//! `Summary`: mean and variance of a stream of numbers, with standard errors, in one pass.

/// Count, mean and sums of powers of deviations; streams that were summarised apart can be merged.
///
/// Updates are Welford's, extended to the fourth power by Pébay (2008): no large numbers are
/// subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    count: u64,
    mean: f64,
    squares: f64,
    cubes: f64,
    fourths: f64,
}

impl Summary {
    /// One more number.
    pub fn push(&mut self, value: f64) {
        self.merge(&Summary { count: 1, mean: value, ..Summary::default() });
    }

    /// The numbers of another stream.
    pub fn merge(&mut self, other: &Summary) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (n, m) = (self.count as f64, other.count as f64);
        let all = n + m;
        let gap = other.mean - self.mean;
        let step = gap / all;
        let fourths = self.fourths
            + other.fourths
            + gap * step.powi(3) * n * m * (n * n - n * m + m * m)
            + 6.0 * step * step * (n * n * other.squares + m * m * self.squares)
            + 4.0 * step * (n * other.cubes - m * self.cubes);
        let cubes = self.cubes
            + other.cubes
            + gap * step * step * n * m * (n - m)
            + 3.0 * step * (n * other.squares - m * self.squares);
        self.squares += other.squares + gap * step * n * m;
        self.cubes = cubes;
        self.fourths = fourths;
        self.mean += step * m;
        self.count += other.count;
    }

    /// How many numbers there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; zero when there were none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their variance, without bias; zero for fewer than two numbers.
    pub fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }

    /// The standard error of the mean; infinite for fewer than two numbers.
    pub fn mean_error(&self) -> f64 {
        if self.count < 2 { f64::INFINITY } else { (self.variance() / self.count as f64).sqrt() }
    }

    /// The standard error of the variance, from the fourth moment: numbers need not be normal.
    /// Infinite for fewer than four numbers.
    pub fn variance_error(&self) -> f64 {
        if self.count < 4 {
            return f64::INFINITY;
        }
        let n = self.count as f64;
        let square = self.variance() * self.variance();
        ((self.fourths / n - square * (n - 3.0) / (n - 1.0)).max(0.0) / n).sqrt()
    }
}

impl FromIterator<f64> for Summary {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut summary = Summary::default();
        values.into_iter().for_each(|value| summary.push(value));
        summary
    }
}

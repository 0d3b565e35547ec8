//! What is believed of a sum or of a rate: means, medians and intervals, from a law or from draws.

use draw::Law;

/// What is believed of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Believed {
    /// Its name.
    pub name: String,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The median.
    pub median: i64,
    /// The ends of the interval between the quantiles (1 − level)/2 and 1 − (1 − level)/2.
    pub interval: [i64; 2],
    /// Whether the law is the one of the posterior; otherwise it is that of so many draws.
    pub draws: Option<u64>,
}

impl Believed {
    /// From a law.
    pub fn of(name: &str, law: &Law, level: f64, draws: Option<u64>) -> Believed {
        let tail = (1.0 - level) / 2.0;
        Believed {
            name: name.to_string(),
            mean: law.mean(),
            deviation: law.variance().sqrt(),
            median: law.quantile(0.5),
            interval: [law.quantile(tail), law.quantile(1.0 - tail)],
            draws,
        }
    }
}

/// What is believed of a rate: quantiles of its values in draws of whole tables.
#[derive(Debug, Clone, PartialEq)]
pub struct BelievedRate {
    /// Its name.
    pub name: String,
    /// The median.
    pub median: f64,
    /// The quantiles (1 − level)/2 and 1 − (1 − level)/2.
    pub interval: [f64; 2],
    /// The share of draws whose denominator is not above zero: they have no rate, and are left out.
    pub without: f64,
    /// How many draws.
    pub draws: u64,
}

/// From draws, one value each.
pub(crate) fn of_draws(name: &str, values: Vec<i128>, level: f64) -> Believed {
    let mut values: Vec<i64> = values.into_iter().map(|value| i64::try_from(value).unwrap_or(i64::MAX)).collect();
    values.sort_unstable();
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|value| *value as f64).sum::<f64>() / count;
    let variance = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum::<f64>() / count;
    let tail = (1.0 - level) / 2.0;
    let [lower, median, upper] = [tail, 0.5, 1.0 - tail].map(|probability| match values.is_empty() {
        true => 0,
        false => quantile(&values, probability),
    });
    let (name, draws) = (name.to_string(), Some(values.len() as u64));
    Believed { name, mean, deviation: variance.sqrt(), median, interval: [lower, upper], draws }
}

/// A quantile of numbers in order, of which there is one at least.
pub(crate) fn quantile<T: Copy>(sorted: &[T], probability: f64) -> T {
    let place = ((probability * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
    sorted[place - 1]
}

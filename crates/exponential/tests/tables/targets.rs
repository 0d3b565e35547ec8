//! Small targets with their laws.

use exact::Rational;
use exponential::Target;

/// The fraction of a text.
pub fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The probabilities of all points of a small target, as machine numbers, with the points.
pub fn law(target: &impl Target) -> Vec<(Vec<i64>, f64)> {
    let mut points = Vec::new();
    target.space().for_each(|point| points.push((point.to_vec(), target.relative(point, 80).to_f64())));
    let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
    points.iter_mut().for_each(|(_, weight)| *weight /= sum);
    points
}

/// The truncated double geometric on `size` points: exponents ε·|k − centre|.
pub fn truncated(size: i64, centre: i64, epsilon: &str) -> exponential::Listed {
    let epsilon = number(epsilon);
    exponential::Listed::new((0..size).map(|k| &epsilon * &Rational::integer((k - centre).abs())).collect())
}

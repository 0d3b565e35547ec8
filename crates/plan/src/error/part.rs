//! The noise of part of a block: `take` cells of a block of `of` cells whose total is kept, or
//! cells in no total.

use super::symmetric::Symmetric;
use super::weights::{discrete_gaussian, double_geometric};
use draw::{Growth, NoiseLaw};

/// Some cells of a block, as far as their joint noise is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NoisyCells {
    pub take: usize,
    /// The cells of the block; `None`: in no total.
    pub of: Option<usize>,
}

impl NoisyCells {
    /// Noise that is the same up to its sign, with as few cells as possible: the rest of a block
    /// cancels its part.
    pub(crate) fn new(take: usize, of: Option<usize>) -> NoisyCells {
        NoisyCells { take: of.map_or(take, |of| take.min(of - take)), of }
    }
}

/// The most points on which a law is tabulated.
const MOST_POINTS: f64 = 2_097_152.0;
/// Continuous Laplace noise is tabulated on this many points per scale.
pub(crate) const POINTS_PER_SCALE: f64 = 64.0;

/// The law of the noise of a part, on integers (of Laplace: on multiples of its scale / 64);
/// `None`: too wide to tabulate, or Gaussian, whose variance says all.
pub(crate) fn law(noise: &NoiseLaw, part: NoisyCells) -> Option<Symmetric> {
    let parameter = noise.parameter().to_f64();
    match (noise.growth(), noise.is_integer()) {
        (Growth::Absolute, true) => {
            let a = (-parameter).exp();
            let deviation = (2.0 * a * part.take as f64).sqrt() / -(-parameter).exp_m1();
            conditioned(part, 10.0 * deviation + 36.0 / parameter, |m, length| double_geometric(parameter, m, length))
        }
        (Growth::Absolute, false) => {
            let deviation = (2.0 * part.take as f64).sqrt() * POINTS_PER_SCALE;
            conditioned(part, 10.0 * deviation + 36.0 * POINTS_PER_SCALE, |m, length| {
                double_geometric(1.0 / POINTS_PER_SCALE, m, length)
            })
        }
        (Growth::Square, true) => {
            let deviation = (parameter * part.take as f64).sqrt();
            conditioned(part, 10.0 * deviation, |m, length| discrete_gaussian(parameter, m, length))
        }
        (Growth::Norm | Growth::Other, _) | (Growth::Square, false) => None,
    }
}

/// The law of the noise of `take` cells together: of a block of `of` cells whose total is kept, or
/// of cells in no total. Probabilities of `0, 1, …`; that of `−j` is that of `j`. `None`: too wide
/// to tabulate, or no law of single cells.
pub fn law_of_part(noise: &NoiseLaw, take: usize, of: Option<usize>) -> Option<Vec<f64>> {
    let part = NoisyCells::new(take, of);
    if part.take == 0 {
        return Some(vec![1.0]);
    }
    law(noise, part).filter(|_| noise.is_integer()).map(|law| law.half)
}

fn conditioned(part: NoisyCells, reach: f64, weights: impl Fn(usize, usize) -> Vec<f64>) -> Option<Symmetric> {
    if reach > MOST_POINTS {
        return None;
    }
    let length = reach as usize + 10;
    let mut law = weights(part.take, length);
    if let Some(of) = part.of {
        // Only products matter, and either factor may have any scale: bring both to 1 at 0 before
        // multiplying.
        let rest = weights(of - part.take, length);
        let scale = (law[0], rest[0]);
        for (weight, rest) in law.iter_mut().zip(&rest) {
            *weight = (*weight / scale.0) * (rest / scale.1);
        }
    }
    Some(Symmetric::new(law))
}

/// The variance of the noise of a part of a real-valued block; of integer noise, its limit for
/// large scales.
///
/// Cells of a block are exchangeable and sum to zero, so t of n cells have t(n−t)/(n−1) times the
/// variance of one.
pub(crate) fn continuous_variance(noise: &NoiseLaw, part: NoisyCells) -> f64 {
    let take = part.take as f64;
    let gaussian = |variance: f64| match part.of {
        None => variance * take,
        Some(of) => variance * take * (of as f64 - take) / of as f64,
    };
    match (noise.growth(), noise.parameter().to_f64()) {
        (Growth::Absolute | Growth::Norm, epsilon) => {
            let square = epsilon.powi(-2);
            match part.of {
                None => 2.0 * square * take,
                Some(of) => {
                    let n = of as f64;
                    (2.0 * n - 1.0) / (n * (n + 1.0)) * take * (n - take) * square
                }
            }
        }
        (Growth::Square, variance) => gaussian(variance),
        // The sums of many cells are nearly Gaussian.
        (Growth::Other, _) => gaussian(noise.variance().unwrap_or(f64::INFINITY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exact::Rational;

    /// The law of the sum of the first `take` of `of` cells given total 0, by enumeration.
    fn enumerated(weight: &dyn Fn(i64) -> f64, take: usize, of: usize, reach: i64) -> Vec<f64> {
        let mut law = vec![0.0; (reach * take as i64 + 1) as usize];
        let mut table = vec![-reach; of - 1];
        loop {
            let last = -table.iter().sum::<i64>();
            let sum: i64 = table[..take].iter().sum();
            if sum >= 0 {
                let mass: f64 = table.iter().map(|u| weight(*u)).product::<f64>() * weight(last);
                law[sum as usize] += mass;
            }
            let Some(next) = table.iter().position(|u| *u < reach) else {
                return law;
            };
            table[next] += 1;
            table[..next].iter_mut().for_each(|u| *u = -reach);
        }
    }

    fn assert_same(noise: &NoiseLaw, weight: &dyn Fn(i64) -> f64, reach: i64) {
        for (take, of) in [(1, 2), (1, 3), (1, 4), (2, 4)] {
            let truth = Symmetric::new(enumerated(weight, take, of, reach));
            let found = law(noise, NoisyCells::new(take, Some(of))).unwrap();
            assert!((found.variance() / truth.variance() - 1.0).abs() < 1e-6);
            for level in [0.5, 0.9, 0.95, 0.99] {
                assert_eq!(found.quantile(level), truth.quantile(level), "{take} of {of}");
            }
        }
    }

    #[test]
    fn double_geometric_parts_have_the_enumerated_law() {
        let noise = NoiseLaw::double_geometric(Rational::integer(1));
        assert_same(&noise, &|u| f64::exp(-(u.abs() as f64)), 20);
    }

    #[test]
    fn discrete_gaussian_parts_have_the_enumerated_law() {
        for variance in [Rational::new(1, 2u8), Rational::integer(5)] {
            let value = variance.to_f64();
            let noise = NoiseLaw::discrete_gaussian(variance);
            assert_same(&noise, &|u| f64::exp(-((u * u) as f64) / (2.0 * value)), 16);
        }
    }

    #[test]
    fn laplace_cells_have_the_published_variances() {
        let noise = NoiseLaw::laplace(Rational::integer(1));
        for (n, published) in [(2, 0.5), (3, 0.8333), (10, 1.5545), (100, 1.9506)] {
            let part = NoisyCells::new(1, Some(n));
            let closed = continuous_variance(&noise, part);
            assert!((closed - published).abs() < 5e-5, "{n}: {closed}");
            let tabulated = law(&noise, part).unwrap().variance() / POINTS_PER_SCALE.powi(2);
            assert!((tabulated / closed - 1.0).abs() < 1e-3, "{n}: {tabulated}");
        }
    }

    #[test]
    fn fine_integer_noise_tends_to_its_continuous_variance() {
        let noise = NoiseLaw::double_geometric(Rational::new(1, 200u8));
        for part in [NoisyCells::new(1, Some(3)), NoisyCells::new(4, Some(10)), NoisyCells::new(5, None)] {
            let ratio = law(&noise, part).unwrap().variance() / continuous_variance(&noise, part);
            assert!((ratio - 1.0).abs() < 1e-4, "{part:?}: {ratio}");
        }
    }
}

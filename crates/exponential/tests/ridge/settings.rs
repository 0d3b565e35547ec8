//! A ridge regression small enough to enumerate, and examples of it.

use crate::tables::targets::number;
use exponential::{Moments, Ridge, RidgeSettings};

pub fn tiny(records: u64, grid: u64, epsilon: &str) -> RidgeSettings {
    RidgeSettings {
        epsilon: number(epsilon),
        radius: number("1"),
        penalty: number("1"),
        grid,
        resolution: 1,
        records,
        predictors: 2,
        is_padded: false,
    }
}

/// Two predictors and a response, each −1, 0 or 1.
pub fn record(code: i64) -> ([i64; 2], i64) {
    ([code % 3 - 1, code / 3 % 3 - 1], code / 9 - 1)
}

pub fn ridge(settings: &RidgeSettings, records: &[([i64; 2], i64)]) -> Ridge {
    let mut moments = Moments::new(2, settings.resolution);
    records.iter().for_each(|(predictors, response)| moments.add(predictors, *response));
    Ridge::new(settings.clone(), &moments).unwrap()
}

pub fn loss(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max)
}

/// The law written again in machine numbers, with a factor on the exponent and no clamping.
pub fn again(records: &[([i64; 2], i64)], factor: f64) -> Vec<f64> {
    let mut weights = Vec::new();
    exponential::Space::ball(2, 4).for_each(|point| {
        let y = [point[0] as f64 / 4.0, point[1] as f64 / 4.0];
        let mut gradient = y;
        for (x, z) in records {
            let residual = x[0] as f64 * y[0] + x[1] as f64 * y[1] - *z as f64;
            gradient[0] += x[0] as f64 * residual;
            gradient[1] += x[1] as f64 * residual;
        }
        weights.push((-factor * (gradient[0].abs() + gradient[1].abs()) / 16.0).exp());
    });
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

pub fn example(epsilon: &str, scale: i64) -> Ridge {
    let settings = RidgeSettings { resolution: 10, penalty: number("1/3"), ..tiny(4 * scale as u64, 6, epsilon) };
    let base = [([10, 3], 4), ([-7, 2], -5), ([1, 9], 2), ([4, -6], 1)];
    let records: Vec<_> = base.iter().cycle().take(4 * scale as usize).copied().collect();
    ridge(&settings, &records)
}

//! Regressions of many designs, with estimates in the ball and far outside.

use exact::{Entropy, Seeded, Source, Stream};
use exponential::{Moments, Ridge, RidgeSettings};

fn number(stream: &mut Stream) -> f64 {
    stream.bits(32) as f64 / f64::from(u32::MAX) * 2.0 - 1.0
}

/// How columns hang together.
#[derive(Debug, Clone, Copy)]
pub enum Design {
    Independent,
    /// Nearly the same.
    Alike,
    /// Indicators that are seldom 1.
    Rare,
    /// Waves of one number.
    Waves,
}

pub const DESIGNS: [Design; 4] = [Design::Independent, Design::Alike, Design::Rare, Design::Waves];

/// A regression of some records whose response has slopes of about this size.
pub fn drawn(settings: &RidgeSettings, design: Design, size: f64, seed: u64) -> Ridge {
    let (p, steps) = (settings.predictors, settings.resolution);
    let mut stream = Seeded::new(seed).stream(0).unwrap();
    let slopes: Vec<f64> = (0..p).map(|_| size * number(&mut stream)).collect();
    let mut moments = Moments::new(p, steps);
    for _ in 0..settings.records {
        let shared = number(&mut stream);
        let column = |j: usize, own: f64| match design {
            Design::Independent => own,
            Design::Alike => 0.95 * shared + 0.05 * own,
            Design::Rare => {
                if own > 0.8 {
                    1.0
                } else {
                    -1.0
                }
            }
            Design::Waves => (j as f64 * 0.3 + shared).sin(),
        };
        let x: Vec<f64> = (0..p).map(|j| column(j, number(&mut stream))).collect();
        let z: f64 = x.iter().zip(&slopes).map(|(x, slope)| x * slope).sum::<f64>() + 0.1 * number(&mut stream);
        let whole = |value: f64| (value.clamp(-1.0, 1.0) * steps as f64).round() as i64;
        moments.add(&x.iter().map(|x| whole(*x)).collect::<Vec<_>>(), whole(z));
    }
    Ridge::new(settings.clone(), &moments).unwrap()
}

pub fn settings(predictors: usize, records: u64, epsilon: &str, radius: &str, grid: u64) -> RidgeSettings {
    let [epsilon, radius, penalty] = [epsilon, radius, "1"].map(|text| text.parse().unwrap());
    RidgeSettings { epsilon, radius, penalty, grid, resolution: 10_000, records, predictors, is_padded: false }
}

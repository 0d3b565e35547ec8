//! Splits of classes by a seed.

use draw::{CellNoise, ClassLaw};
use exact::{Rational, Seeded, Source};

pub fn noise(kind: u8, rate: u32) -> CellNoise {
    match kind {
        0 => CellNoise::Geometric { up: Rational::new(1, rate), down: Rational::new(1, rate) },
        1 => CellNoise::Geometric { up: Rational::new(2, rate), down: Rational::new(1, rate) },
        2 => CellNoise::Gaussian { variance: Rational::integer(rate) },
        _ => CellNoise::Flat,
    }
}

pub fn split(law: &ClassLaw, sum: i64, seed: u64) -> Vec<i64> {
    let mut cells = vec![0; law.cells()];
    law.split(&mut Seeded::new(seed).stream(0).unwrap(), sum, &mut cells);
    cells
}

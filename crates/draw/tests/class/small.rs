//! Small classes given their sum, and their laws by enumeration.

use crate::tables::numbers::rational;
use draw::{CellNoise, ClassLaw, Ladder};
use exact::{Enclosure, Rational};
use std::collections::BTreeMap;
use testkit::{TapeLaw, tape_law};

#[derive(Clone)]
pub struct Class {
    pub noise: CellNoise,
    pub low: Option<i64>,
    pub high: Option<i64>,
    pub centres: Vec<i64>,
    pub sum: i64,
}

pub fn geometric(up: &str, down: &str) -> CellNoise {
    CellNoise::Geometric { up: rational(up), down: rational(down) }
}

pub fn gaussian(variance: &str) -> CellNoise {
    CellNoise::Gaussian { variance: rational(variance) }
}

impl Class {
    pub fn new(noise: CellNoise, low: Option<i64>, high: Option<i64>, centres: &[i64], sum: i64) -> Self {
        Class { noise, low, high, centres: centres.to_vec(), sum }
    }

    pub fn exponent(&self, x: i64, y: i64) -> Rational {
        let distance = Rational::integer(y - x);
        match &self.noise {
            CellNoise::Geometric { up, .. } if y >= x => up * &distance,
            CellNoise::Geometric { down, .. } => -(down * &distance),
            CellNoise::Gaussian { variance } => &(&distance * &distance) / &(variance * &Rational::integer(2)),
            CellNoise::Flat => Rational::integer(0),
        }
    }

    /// Every way to split the sum between values within `reach` of the centres, and their
    /// probabilities.
    pub fn enumerated(&self, reach: i64) -> BTreeMap<Vec<i64>, Enclosure> {
        let mut ways: Vec<(Vec<i64>, Rational)> = vec![(Vec::new(), Rational::integer(0))];
        for (index, x) in self.centres.iter().enumerate() {
            let first = self.low.unwrap_or(x - reach);
            let last = self.high.unwrap_or((x + reach).max(self.sum + reach));
            let is_last = index + 1 == self.centres.len();
            ways = ways
                .into_iter()
                .flat_map(|(way, exponent)| {
                    let rest = self.sum - way.iter().sum::<i64>();
                    let range = if is_last { rest.max(first)..=rest.min(last) } else { first..=last };
                    range.map(move |y| {
                        let way: Vec<i64> = way.iter().copied().chain([y]).collect();
                        (way, &exponent + &self.exponent(*x, y))
                    })
                })
                .collect();
        }
        let weight = |exponent: &Rational| Enclosure::exp_rational(&-exponent.clone(), 160);
        let whole = ways.iter().fold(Enclosure::from_integer(0, 160), |sum, (_, exponent)| &sum + &weight(exponent));
        ways.into_iter().map(|(way, exponent)| (way, weight(&exponent).checked_div(&whole).unwrap())).collect()
    }

    pub fn tapes(&self, ladder: Ladder, depth: u32) -> TapeLaw<Vec<i64>> {
        let law = ClassLaw::new(self.noise.clone(), self.low, self.high, self.centres.clone(), ladder);
        tape_law(depth, |tape| {
            let mut cells = vec![0; self.centres.len()];
            law.split(tape, self.sum, &mut cells);
            cells
        })
    }
}

/// Probabilities as claimed; what was never claimed has probability zero.
pub fn agrees(law: &TapeLaw<Vec<i64>>, claim: &BTreeMap<Vec<i64>, Enclosure>) -> Result<(), String> {
    law.agrees_with(|cells| claim.get(cells).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 160)))
}

pub fn classes() -> Vec<Class> {
    vec![
        Class::new(geometric("1/2", "1/2"), Some(0), None, &[3, 0], 3),
        Class::new(geometric("1", "1/3"), Some(0), None, &[1, 0, 2], 3),
        Class::new(geometric("1/2", "1/2"), Some(0), None, &[0, 1, 0, 1], 2),
        // Slopes turned by the tilt, a sum at its least, centres outside the bounds, both bounds,
        // one value only.
        Class::new(geometric("1/5", "1/5"), Some(0), None, &[5, 4, 5], 2),
        Class::new(geometric("1/2", "1/3"), Some(1), Some(4), &[-3, 9, 2], 8),
        Class::new(geometric("1/2", "1/3"), Some(-2), Some(2), &[0, 0, 1], 6),
        Class::new(geometric("2", "2"), None, Some(3), &[3, 5], 1),
        Class::new(geometric("3", "3"), None, None, &[0, 1], 1),
        Class::new(gaussian("2"), Some(0), None, &[1, 0, 2], 4),
        Class::new(gaussian("1/2"), None, None, &[0, 3], 1),
        Class::new(gaussian("3"), Some(0), Some(3), &[-2, 7, 1], 4),
        Class::new(CellNoise::Flat, Some(0), Some(3), &[0, 0, 0], 4),
        Class::new(CellNoise::Flat, Some(-1), Some(2), &[5, 5, 5, 5], -3),
    ]
}

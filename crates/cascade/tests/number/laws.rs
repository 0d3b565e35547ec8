//! Laws of one number, every way to propose it.

use cascade::{Bell, Centre, NO_HIGH, NO_LOW, Step};
use exact::{Enclosure, Entropy, Rational, Seeded, Source};
use testkit::goodness_of_fit;

/// A law to test: centre `numerator/unit`, s², bounds.
#[derive(Debug, Clone)]
pub struct Law {
    pub numerator: i128,
    pub unit: u128,
    pub variance: Rational,
    pub low: i64,
    pub high: i64,
}

impl Law {
    pub fn new(numerator: i128, unit: u128, variance: &str, low: i64, high: i64) -> Self {
        Law { numerator, unit, variance: variance.parse().unwrap(), low, high }
    }

    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        let centre = Centre::new(0, self.numerator, self.unit).unwrap();
        let bell = Bell::new(self.variance.to_f64());
        bell.draw(entropy, &centre, self.low, self.high, &|| self.variance.clone())
    }

    pub fn step(&self, value: i64) -> Step {
        let centre = Centre::new(0, self.numerator, self.unit).unwrap().to_rational();
        Step { centre, variance: self.variance.clone(), low: self.low, high: self.high, value }
    }

    pub fn probability(&self, value: i64) -> Enclosure {
        self.step(value).probability(128)
    }
}

/// Every way to propose: wide and narrow intervals, both ends, none, near and far, thirds and
/// halves.
pub fn laws() -> Vec<Law> {
    vec![
        Law::new(0, 1, "1", NO_LOW, NO_HIGH),
        Law::new(1, 3, "1/2", NO_LOW, NO_HIGH),
        Law::new(7, 2, "9/4", 0, NO_HIGH),
        Law::new(-1, 4, "2", 0, NO_HIGH),
        Law::new(5, 7, "3", NO_LOW, 1),
        Law::new(2, 1, "4", 0, 5),
        Law::new(5, 2, "100", 0, 4),
        Law::new(-9, 2, "3", 0, NO_HIGH),
        Law::new(-30, 7, "1", 0, 3),
        Law::new(101, 3, "5", NO_LOW, 30),
        Law::new(-50, 1, "40", 0, NO_HIGH),
        Law::new(-3, 1, "64", 0, 2),
        Law::new(31, 1, "50", NO_LOW, 30),
        Law::new(1, 2, "30", NO_LOW, NO_HIGH),
    ]
}

/// p-values of draws against the formula.
pub fn fit(law: &Law, claimed: &Law, seed: u64, draws: u64) -> f64 {
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    let drawn: Vec<i64> = (0..draws).map(|_| law.draw(&mut entropy)).collect();
    let (low, high) = (*drawn.iter().min().unwrap(), *drawn.iter().max().unwrap());
    let mut observed = vec![0u64; (high - low + 1) as usize];
    drawn.iter().for_each(|value| observed[(value - low) as usize] += 1);
    let probabilities: Vec<f64> = (low..=high).map(|value| claimed.step(value).log_probability().exp()).collect();
    let seen: Vec<f64> = probabilities.iter().map(|p| p.min(1.0)).collect();
    if seen.iter().filter(|p| **p * draws as f64 >= 10.0).count() < 2 {
        return 1.0;
    }
    goodness_of_fit(&observed, &seen, draws).p_value
}

//! PLACEHOLDER until the class branch is merged.
#![allow(missing_docs)]
use super::{Ladder, Message, Precision};
use exact::{Decision, Entropy, Positive, Rational, Weighted, Wide, choose};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellNoise {
    Geometric { up: Rational, down: Rational },
    Gaussian { variance: Rational },
    Flat,
}

#[derive(Debug)]
pub struct ClassLaw {
    noise: CellNoise,
    low: Option<i64>,
    high: Option<i64>,
    centres: Vec<i64>,
    ladder: Ladder,
}

impl ClassLaw {
    pub fn new(noise: CellNoise, low: Option<i64>, high: Option<i64>, centres: Vec<i64>, ladder: Ladder) -> Self {
        ClassLaw { noise, low, high, centres, ladder }
    }
    fn energy(&self, d: i64) -> Rational {
        let n = Rational::integer(d.unsigned_abs());
        match &self.noise {
            CellNoise::Geometric { up, down } => {
                if d >= 0 {
                    up * &n
                } else {
                    down * &n
                }
            }
            CellNoise::Gaussian { variance } => &(&n * &n) / &(&Rational::integer(2) * variance),
            CellNoise::Flat => Rational::integer(0),
        }
    }
    fn cell<T: Positive>(&self, cell: usize, p: Precision) -> Message<T> {
        let x = self.centres[cell];
        let reach = match &self.noise {
            CellNoise::Geometric { up, .. } => (f64::from(p.trim) * 0.7 / up.to_f64()).ceil() as i64 + 2,
            CellNoise::Gaussian { variance } => (variance.to_f64() * 1.4 * f64::from(p.trim)).sqrt() as i64 + 2,
            CellNoise::Flat => 1 << 40,
        };
        let low = self.low.map_or(x - reach, |l| l.max(x - reach));
        let high = self.high.map_or(x + reach, |h| h.min(x + reach));
        let weights: Vec<T> = (low..=high).map(|y| T::exp_minus(&self.energy(y - x), p.bits)).collect();
        let missing = if self.noise == CellNoise::Flat {
            T::zero()
        } else {
            T::exp_minus(&self.energy(reach), p.bits).shifted(8)
        };
        Message { first: low, weights, roundings: 1, missing, scale: 0 }.normalised()
    }
    fn prefix<T: Positive>(&self, count: usize, p: Precision) -> Message<T> {
        (0..count).fold(Message::point(0), |m, c| m.convolved(&self.cell(c, p), p))
    }
    pub fn message<T: Positive>(&self, p: Precision) -> Message<T> {
        self.prefix(self.centres.len(), p)
    }
    pub fn log_weight(&self, sum: i64) -> f64 {
        let m = self.message::<f64>(Ladder::Standard.level(1));
        m.weight(sum).map_or(f64::NEG_INFINITY, |w| w.ln() + m.scale as f64 * std::f64::consts::LN_2)
    }
    pub fn split<E: Entropy>(&self, entropy: &mut E, sum: i64, cells: &mut [i64]) {
        let mut left = sum;
        for c in (0..self.centres.len()).rev() {
            let mut v = 0;
            choose(entropy, |level, u| {
                let p = self.ladder.level(level);
                let (d, value) =
                    if p.machine { self.step::<f64>(c, left, p, u) } else { self.step::<Wide>(c, left, p, u) };
                v = value;
                d
            });
            cells[c] = v;
            left -= v;
        }
    }
    fn step<T: Positive>(&self, c: usize, left: i64, p: Precision, u: &exact::lazy::Uniform) -> (Decision, i64) {
        let (one, two) = (self.cell::<T>(c, p), self.prefix::<T>(c, p));
        let weights: Vec<T> = (one.first..one.end())
            .map(|v| match (one.weight(v), two.weight(left - v)) {
                (Some(a), Some(b)) => a.times(b),
                _ => T::zero(),
            })
            .collect();
        let missing = one.missing.times(&two.mass()).plus(&two.missing.times(&one.mass()));
        let d = Weighted { weights, roundings: one.roundings + two.roundings + 1, missing, bits: p.bits }.decide(u);
        (
            d,
            match d {
                Decision::Index(i) => one.first + i as i64,
                _ => 0,
            },
        )
    }
}

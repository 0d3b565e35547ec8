//! What the rows that end in a form ask of its values: a value, an interval, or a factor for noise.

use crate::sums::Precision;
use analyse::Demand;
use exact::{Positive, Rational};

/// The rows of a network with their noise.
#[derive(Debug)]
pub(crate) struct Rows(pub(super) Vec<(Demand, Option<RowNoise>)>);

/// `e^{−rate·|difference| − tilt·difference}`, the difference that from the centre: see
/// [`super::tilt`].
#[derive(Debug, Clone)]
pub(crate) struct RowNoise {
    centre: i64,
    /// The rate below the centre and above it.
    rates: [Rational; 2],
}

impl RowNoise {
    /// The noise of a row that is tilted by less than its rate.
    pub(crate) fn new(centre: i64, rate: &Rational, tilt: &Rational) -> RowNoise {
        RowNoise { centre, rates: [rate - tilt, rate + tilt] }
    }
}

/// What is asked of the values of one form.
#[derive(Debug)]
pub(crate) struct FormDemand<T> {
    /// The least value.
    pub low: Option<i64>,
    /// The largest value.
    pub high: Option<i64>,
    /// The noise: a table of factors for each row.
    noise: Vec<Factors<T>>,
}

/// The factors of the noise of a row, by a table of powers for each side of its centre.
#[derive(Debug)]
struct Factors<T> {
    factor: i64,
    noise: RowNoise,
    bits: u32,
    powers: [std::sync::RwLock<Vec<T>>; 2],
}

impl Rows {
    /// What the rows that end in a form ask, together with its limits.
    pub(crate) fn asked<T: Positive>(
        &self,
        ending: &[(u32, i64)],
        limits: (Option<i64>, Option<i64>),
        precision: Precision,
    ) -> FormDemand<T> {
        let mut asked = FormDemand { low: limits.0, high: limits.1, noise: Vec::new() };
        for (row, factor) in ending {
            match &self.0[*row as usize] {
                (Demand::Equal(value), _) => {
                    asked.at_least(*factor, *value);
                    asked.at_most(*factor, *value);
                }
                (Demand::AtLeast(value), _) => asked.at_least(*factor, *value),
                (Demand::AtMost(value), _) => asked.at_most(*factor, *value),
                (Demand::Noisy { .. }, Some(noise)) => {
                    let (factor, noise, powers) = (*factor, noise.clone(), Default::default());
                    asked.noise.push(Factors { factor, noise, bits: precision.bits, powers });
                }
                (Demand::Noisy { .. }, None) => {}
            }
        }
        asked
    }
}

impl<T: Positive> FormDemand<T> {
    fn at_least(&mut self, factor: i64, value: i64) {
        if factor > 0 {
            let least = value.div_euclid(factor) + i64::from(value.rem_euclid(factor) != 0);
            self.low = Some(self.low.map_or(least, |low| low.max(least)));
        } else {
            let most = (-value).div_euclid(-factor);
            self.high = Some(self.high.map_or(most, |high| high.min(most)));
        }
    }

    fn at_most(&mut self, factor: i64, value: i64) {
        self.at_least(-factor, -value);
    }

    /// The only value, if there is only one.
    pub(crate) fn only(&self) -> Option<i64> {
        self.low.filter(|low| self.high == Some(*low))
    }

    /// Whether a value is possible.
    #[inline]
    pub(crate) fn allows(&self, value: i64) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }

    /// Whether there is noise on the form.
    pub(crate) fn noisy(&self) -> bool {
        !self.noise.is_empty()
    }

    /// The roundings of a factor.
    pub(crate) fn roundings(&self) -> u64 {
        2 * self.noise.len() as u64
    }

    /// The product of the factors of a value.
    pub(crate) fn factor(&self, value: i64) -> T {
        let factors = self.noise.iter().map(|row| row.power(row.factor * value - row.noise.centre));
        factors.reduce(|product, factor| product.times(&factor)).unwrap_or_else(T::one)
    }
}

/// Distances up to this are remembered.
const REMEMBERED: u64 = 1 << 14;

impl<T: Positive> Factors<T> {
    fn power(&self, difference: i64) -> T {
        let (side, distance) = (usize::from(difference > 0), difference.unsigned_abs());
        if distance >= REMEMBERED {
            return self.compute(side, distance);
        }
        let known = &self.powers[side];
        if let Some(power) = known.read().ok().and_then(|powers| powers.get(distance as usize).cloned()) {
            return power;
        }
        let Ok(mut powers) = known.write() else { return self.compute(side, distance) };
        while powers.len() <= distance as usize {
            let next = self.compute(side, powers.len() as u64);
            powers.push(next);
        }
        powers[distance as usize].clone()
    }

    fn compute(&self, side: usize, distance: u64) -> T {
        T::exp_minus(&(&self.noise.rates[side] * &Rational::integer(distance)), self.bits)
    }
}

//! What can be read off a class: the weights of its sum, their logarithms, and the law of one cell
//! given the sum.

use super::ClassLaw;
use super::shape::{Cell, Centre, Tilted};
use super::weights::ClassWeights;
use crate::sums::{Message, Precision};
use exact::{Positive, Rational, Wide};

/// A share of missing weight that a reading may have.
const NEGLIGIBLE: f64 = 1e-12;

impl ClassLaw {
    /// The weights of the class sum, all divided by the product of the weights of the cells' most
    /// likely values.
    pub fn message<T: Positive>(&self, precision: Precision) -> Message<T> {
        self.tilted_message(&Rational::integer(0), precision).unwrap_or_else(Message::nothing)
    }

    /// The message with the weight of a sum s multiplied by e^{θs} (and by a constant): the window
    /// is where the tilted cells expect the sum. `None` when a side without a bound would not fall
    /// any more.
    pub fn tilted_message<T: Positive>(&self, theta: &Rational, precision: Precision) -> Option<Message<T>> {
        let tilted = self.try_tilted(theta)?;
        Some(self.sum_of(&tilted, self.centres.iter().copied(), precision))
    }

    /// Whether the cells have a law under this tilt.
    pub(crate) fn has_tilt(&self, theta: &Rational) -> bool {
        self.try_tilted(theta).is_some()
    }

    /// Mean and variance of the class sum under a tilt, as machine numbers: for choosing tilts and
    /// predicting windows.
    pub fn expected(&self, theta: &Rational) -> Option<(f64, f64)> {
        self.moments(theta).map(|moments| (moments.mean, moments.variance))
    }

    fn sum_of<T: Positive>(
        &self,
        tilted: &Tilted,
        centres: impl Iterator<Item = Centre>,
        precision: Precision,
    ) -> Message<T> {
        let cells: Vec<Cell> = centres.map(|centre| tilted.cell(centre)).collect();
        let weights: ClassWeights<T> = ClassWeights::new(tilted, &cells, precision);
        let mut message = weights.sum();
        message.first += cells.iter().map(|cell| cell.mode).sum::<i64>();
        message
    }

    /// The natural logarithm of the weight of a sum, within 10⁻⁹ of it (relative to the larger of
    /// it and 1); `None` for a sum that is not feasible.
    pub fn log_weight(&self, sum: i64) -> Option<f64> {
        if !self.feasible(sum) {
            return None;
        }
        if let Some(law) = self.within(sum) {
            return law.log_weight(sum);
        }
        let theta = self.tilt(sum).theta();
        let tilted = self.tilted(&theta);
        let log = self.levels(|precision| {
            if precision.machine {
                log_of(&self.sum_of::<f64>(&tilted, self.centres.iter().copied(), precision), sum)
            } else {
                log_of(&self.sum_of::<Wide>(&tilted, self.centres.iter().copied(), precision), sum)
            }
        })?;
        // The tilted weight of s is e^{θ(s − Σx)} times the weight.
        let centres: i128 = self.centres.iter().map(|centre| i128::from(tilted.centre(centre.x))).sum();
        let moved = &theta * &Rational::integer(i128::from(sum) - centres);
        let (plain, weighted) = tilted.peak_exponent(&self.centres, &theta);
        Some(log - (&plain + &moved).to_f64() - weighted)
    }

    /// The law of one cell given the sum: values with their probabilities, within 10⁻⁹. Empty when
    /// the sum is not feasible.
    pub fn marginal(&self, sum: i64, cell: usize) -> Vec<(i64, f64)> {
        if !self.feasible(sum) || cell >= self.centres.len() {
            return Vec::new();
        }
        if let Some(law) = self.within(sum) {
            return law.marginal(sum, cell);
        }
        let tilted = self.tilted(&self.tilt(sum).theta());
        let found = self.levels(|precision| {
            if precision.machine {
                self.marginal_at::<f64>(&tilted, sum, cell, precision)
            } else {
                self.marginal_at::<Wide>(&tilted, sum, cell, precision)
            }
        });
        found.unwrap_or_default()
    }

    fn marginal_at<T: Positive>(
        &self,
        tilted: &Tilted,
        sum: i64,
        cell: usize,
        precision: Precision,
    ) -> Option<Vec<(i64, f64)>> {
        let others = (0..self.centres.len()).filter(|other| *other != cell).map(|other| self.centres[other]);
        let others: Message<T> = self.sum_of(tilted, others, precision);
        let own: Message<T> = self.sum_of(tilted, std::iter::once(self.centres[cell]), precision);
        let values = own.first..own.end();
        let weights: Vec<(i64, T)> = values
            .filter_map(|value| Some((value, own.weight(value)?.times(others.weight(sum - value)?))))
            .filter(|(_, weight)| !weight.is_zero())
            .collect();
        let whole = weights.iter().fold(T::zero(), |whole, (_, weight)| whole.plus(weight));
        let scale = -whole.magnitude()?;
        let missing = own.missing.plus(&others.missing).shifted(scale + 1).to_f64();
        let whole = whole.shifted(scale).to_f64();
        (missing <= NEGLIGIBLE * whole)
            .then(|| weights.iter().map(|(value, weight)| (*value, weight.shifted(scale).to_f64() / whole)).collect())
    }

    /// The first level that has an answer.
    fn levels<R>(&self, mut read: impl FnMut(Precision) -> Option<R>) -> Option<R> {
        (0..6).find_map(|level| read(crate::Ladder::Standard.level(level)))
    }
}

/// ln of a weight, when little enough of it is missing.
fn log_of<T: Positive>(message: &Message<T>, sum: i64) -> Option<f64> {
    let weight = message.weight(sum)?;
    let scale = -weight.magnitude()?;
    let leading = weight.shifted(scale).to_f64();
    let known = message.missing.shifted(scale).to_f64() <= NEGLIGIBLE;
    known.then(|| leading.ln() + (message.scale - scale) as f64 * std::f64::consts::LN_2)
}

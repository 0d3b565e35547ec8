//! The laws of single cells, given what is known about the sum of their class.
//!
//! Cells of one shape have one law around their modes. Shapes are lined up: the weights of all
//! shapes before one, of its other cells and of all shapes after it together with what is outside
//! the class give its law. Each is a message; what is outside enters with its sign changed, so that
//! adding cells to it is adding cells to a sum.

use super::ClassLaw;
use super::shape::{Cell, Tilted};
use super::weights::{ClassWeights, sizes};
use crate::integer_law::{Law, is_complete};
use crate::sums::{Message, Precision};
use exact::{Positive, Rational};

/// Multiplications that the laws of one class may take.
const MOST_WORK: f64 = 4e9;
/// The width of a sum in standard deviations, and what a sum with one more cell costs for each
/// weight.
const WIDTH: f64 = 24.0;
const SLIDING: f64 = 40.0;

/// A multiplication.
const SECONDS: f64 = 1e-9;

/// How many cells have one shape, and what the work for their laws follows from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeSize {
    /// The cells.
    pub count: f64,
    /// The weights of one cell.
    pub length: f64,
    /// Whether a window slides over sums to add one more cell.
    pub slides: bool,
    /// The standard deviation of one cell.
    pub deviation: f64,
}

/// Multiplications for the laws of all shapes, about; `outside` weights are outside their class.
fn multiplications(sizes: &[ShapeSize], outside: f64) -> f64 {
    let variance: f64 = sizes.iter().map(|size| size.count * size.deviation.powi(2)).sum();
    let width = WIDTH * variance.sqrt() + sizes.iter().map(|size| size.length).fold(0.0, f64::max);
    let one = |size: &ShapeSize| {
        let one_more = if size.slides { SLIDING } else { size.length };
        let all = (size.count * one_more).min(2.0 * width);
        size.length * width + 2.0 * all * (width + outside)
    };
    sizes.iter().map(one).sum()
}

/// The predicted seconds for the laws of a class whose cells have at most so many shapes, all of
/// about this size; none where one shape alone costs too much.
pub(crate) fn seconds_of_laws(size: ShapeSize, shapes: f64, outside: f64) -> f64 {
    if multiplications(&[size], outside) > MOST_WORK {
        return 0.0;
    }
    let each = ShapeSize { count: size.count / shapes, ..size };
    let width = ShapeSize { deviation: size.deviation * shapes.sqrt(), ..each };
    SECONDS * (shapes * multiplications(&[width], outside)).min(MOST_WORK)
}

/// Why there are no laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoLaws {
    /// This precision does not tell.
    Imprecise,
    /// They would cost too much.
    Costly,
}

impl ClassLaw {
    /// The law of every cell given the sum of the class.
    pub(crate) fn laws_given<T: Positive>(&self, sum: i64, precision: Precision) -> Result<Vec<Law>, NoLaws> {
        if let Some(law) = self.within(sum) {
            return law.laws_given::<T>(sum, precision);
        }
        self.laws_under(&self.tilt(sum).theta(), &Message::<T>::point(sum), precision)
    }

    /// The law of every cell under a tilt when sums have these weights outside the class.
    pub(crate) fn laws_under<T: Positive>(
        &self,
        theta: &Rational,
        outside: &Message<T>,
        precision: Precision,
    ) -> Result<Vec<Law>, NoLaws> {
        let tilted: Tilted = self.tilted(theta);
        let cells: Vec<Cell> = self.centres.iter().map(|centre| tilted.cell(*centre)).collect();
        // Before any weight is made.
        if sizes(&tilted, &cells, precision)
            .is_some_and(|sizes| multiplications(&sizes, outside.weights.len() as f64) > MOST_WORK)
        {
            return Err(NoLaws::Costly);
        }
        let weights: ClassWeights<T> = ClassWeights::new(&tilted, &cells, precision);
        let modes: i64 = cells.iter().map(|cell| cell.mode).sum();
        let mut negated = outside.clone();
        negated.weights.reverse();
        negated.first = modes - (outside.end() - 1);
        let laws = weights.laws(negated)?;
        let law = |(cell, shape): (&Cell, &u32)| laws[*shape as usize].as_ref().map(|law| law.shifted(cell.mode));
        cells.iter().zip(&weights.of_cell).map(law).collect::<Option<Vec<Law>>>().ok_or(NoLaws::Imprecise)
    }
}

impl<T: Positive> ClassWeights<T> {
    /// The law of every shape around its mode. `outside` holds the weights of what the offsets of
    /// all cells must add up to, with the sign changed.
    fn laws(&self, outside: Message<T>) -> Result<Vec<Option<Law>>, NoLaws> {
        let (counts, order) = self.counted();
        let size = |shape: &usize| {
            let weights = &self.shapes[*shape];
            let (count, length) = (counts[*shape] as f64, weights.message.weights.len() as f64);
            ShapeSize { count, length, slides: !weights.runs.is_empty(), deviation: weights.deviation }
        };
        let sizes: Vec<ShapeSize> = order.iter().map(size).collect();
        if multiplications(&sizes, outside.weights.len() as f64) > MOST_WORK {
            return Err(NoLaws::Costly);
        }
        // after[k]: what is outside, and all shapes after the k-th in line.
        let mut after = vec![outside];
        for shape in order.iter().skip(1).rev() {
            let next = self.with_copies(&after[after.len() - 1], *shape, counts[*shape]);
            after.push(next);
        }
        after.reverse();
        let mut before = Message::point(0);
        let mut laws = vec![None; self.shapes.len()];
        for (shape, after) in order.iter().zip(&after) {
            let others = self.with_copies(&before, *shape, counts[*shape] - 1);
            laws[*shape] = Some(self.law_of(*shape, &others, after).ok_or(NoLaws::Imprecise)?);
            before = self.with_copies(&others, *shape, 1);
        }
        Ok(laws)
    }

    fn law_of(&self, shape: usize, others: &Message<T>, after: &Message<T>) -> Option<Law> {
        let own = &self.shapes[shape].message;
        let weight = |value: i64| {
            // Σ others(t)·after(−value − t)
            let start = others.first.max(-value - (after.end() - 1));
            let end = others.end().min(-value - after.first + 1);
            if start >= end {
                return T::zero();
            }
            let one = &others.weights[(start - others.first) as usize..(end - others.first) as usize];
            let two =
                &after.weights[(-value - end + 1 - after.first) as usize..(-value - start + 1 - after.first) as usize];
            one.iter().zip(two.iter().rev()).fold(T::zero(), |sum, (one, two)| sum.plus(&one.times(two)))
        };
        let weights: Vec<(i64, T)> = (own.first..)
            .zip(&own.weights)
            .map(|(value, own)| (value, if own.is_zero() { T::zero() } else { own.times(&weight(value)) }))
            .collect();
        let whole = weights.iter().fold(T::zero(), |whole, (_, weight)| whole.plus(weight));
        let (own_mass, others_mass, after_mass) = (own.mass(), others.mass(), after.mass());
        let missing = own.missing.times(&others_mass).plus(&own_mass.times(&others.missing)).times(&after_mass);
        let missing = missing.plus(&own_mass.times(&others_mass).times(&after.missing));
        is_complete(&whole, &missing).then(|| Law::of_values(&weights))?
    }
}

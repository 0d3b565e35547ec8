//! The weights of the sums of a few cells at one level of precision, and of the columns of two
//! rows.

use crate::law::NoiseLaw;
use crate::remembered::Remembered;
use crate::sums::{Message, Precision, rounded_up};
use exact::{Positive, Rational};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// Weights at one level.
#[derive(Debug)]
pub(super) struct Weights<T> {
    pub(super) precision: Precision,
    /// The weights of the sum of n cells, by n.
    sums: BTreeMap<u32, Message<T>>,
    /// What makes a column of two single cells quick, when the noise is double geometric.
    falling: Option<Falling<T>>,
    /// What makes columns of two single cells quick, when the noise is Gaussian.
    pub(super) halves: Option<Halves<T>>,
}

/// A message whose values all lie higher by a shift.
#[derive(Debug)]
pub(super) struct Shifted<T> {
    pub(super) message: ChainMessage<T>,
    pub(super) shift: i64,
}

/// A message of one chain, or one that several share. An attempt makes many of the former, and most
/// attempts fail.
#[derive(Debug)]
pub(super) enum ChainMessage<T> {
    Own(Message<T>),
    Shared(Arc<Message<T>>),
}

impl<T> Deref for ChainMessage<T> {
    type Target = Message<T>;

    fn deref(&self) -> &Message<T> {
        match self {
            ChainMessage::Own(message) => message,
            ChainMessage::Shared(message) => message,
        }
    }
}

impl<T> From<Message<T>> for Shifted<T> {
    fn from(message: Message<T>) -> Self {
        Shifted { message: ChainMessage::Own(message), shift: 0 }
    }
}

/// The Gaussian: `g(u; d) = e^{−(d² − p)/4σ²}·g(u − ⌊d/2⌋; p)`, p = 0 for even d and 1 for odd d.
/// So only how many column sums are even and how many are odd decides the shape of a convolution,
/// and few are ever made.
#[derive(Debug)]
pub(super) struct Halves<T> {
    variance: Rational,
    shapes: Remembered<[usize; 2], Arc<Message<T>>>,
}

impl<T: Positive> Halves<T> {
    /// `e^{−Σ(d² − p)/4σ²}`.
    pub(super) fn factor(&self, sums: &[i64], bits: u32) -> T {
        let energy: i128 = sums.iter().map(|d| i128::from(*d) * i128::from(*d) - i128::from(d.rem_euclid(2))).sum();
        T::exp_minus(&(&Rational::integer(energy) / &(&Rational::integer(4) * &self.variance)), bits)
    }
}

/// The double geometric: its weights fall by one factor a step.
#[derive(Debug)]
struct Falling<T> {
    epsilon: Rational,
    /// b = e^{−2ε}.
    factor: T,
    /// So many steps take a weight down to what is given up.
    steps: usize,
    /// An integer above 1/ε.
    width: u64,
}

impl<T: Positive> Weights<T> {
    /// Weights of the sums of as many cells as `sizes` says.
    pub(super) fn new(law: &NoiseLaw, precision: Precision, sizes: impl Iterator<Item = u32>) -> Self {
        let one = single::<T>(law, precision);
        let mut sums = BTreeMap::new();
        for size in sizes {
            sums.entry(size).or_insert_with(|| power(&one, size, precision));
        }
        let falling = law.geometric().map(|epsilon| Falling {
            factor: T::exp_minus(&(epsilon + epsilon), precision.bits),
            steps: reach(law, precision.trim) as usize / 2 + 1,
            width: whole_above(epsilon.reciprocal()),
            epsilon: epsilon.clone(),
        });
        let halves = law
            .gaussian_variance()
            .map(|variance| Halves { variance: variance.clone(), shapes: Remembered::up_to(usize::MAX) });
        Weights { precision, sums, falling, halves }
    }

    /// The convolution of columns of two single cells with sums 0 and 1, so many of each, when the
    /// noise is Gaussian.
    pub(super) fn shape(&self, halves: &Halves<T>, counts: [usize; 2]) -> Arc<Message<T>> {
        let convolved = |one: [usize; 2], other: [usize; 2]| {
            self.shape(halves, one).convolved(&self.shape(halves, other), self.precision)
        };
        let made = || match counts {
            [0, 0] => Message::point(0),
            [1, 0] => self.product([1, 1], 0),
            [0, 1] => self.product([1, 1], 1),
            [0, odd] => convolved([0, odd - 1], [0, 1]),
            [even, odd] => convolved([even - 1, odd], [1, 0]),
        };
        halves.shapes.get(counts, || Arc::new(made()))
    }

    /// The weights of u in a column with sum d: n cells with sum u above, m cells with sum d − u
    /// below.
    pub(super) fn column(&self, cells: [u32; 2], d: i64) -> Message<T> {
        match &self.falling {
            Some(falling) if cells == [1, 1] => self.after_falling(falling, &Message::point(0), d),
            _ => self.product(cells, d),
        }
    }

    /// The weights of `s + u`, for s with the given weights and u in a column with sum d.
    pub(super) fn after(&self, message: &Message<T>, cells: [u32; 2], d: i64) -> Message<T> {
        match &self.falling {
            Some(falling) if cells == [1, 1] => self.after_falling(falling, message, d),
            _ => message.convolved(&self.product(cells, d), self.precision),
        }
    }

    pub(super) fn product(&self, cells: [u32; 2], d: i64) -> Message<T> {
        let [Some(above), Some(below)] = cells.map(|size| self.sums.get(&size)) else { return Message::nothing() };
        let (first, weights) = products(above, below, d);
        Message {
            first,
            weights,
            roundings: above.roundings + below.roundings + 1,
            missing: product_missing(above, below),
            scale: above.scale + below.scale,
        }
        .trimmed(self.precision)
    }

    /// A column of two single cells with double-geometric noise, in time proportional to the
    /// window.
    ///
    /// The weight of u is a^{|d|} between 0 and d, and falls by b = a² a step outside. So the sum
    /// over u is two geometric sums, which are recurrences, and the sum over a box. No difference
    /// is formed: nothing cancels.
    fn after_falling(&self, falling: &Falling<T>, message: &Message<T>, d: i64) -> Message<T> {
        let (length, steps) = (message.weights.len(), falling.steps);
        let size = d.unsigned_abs();
        let box_width = size as usize + 1;
        let peak = match self.sums.get(&1).and_then(|one| one.weight(d).map(|weight| weight.shifted(one.scale))) {
            Some(weight) => weight,
            None => T::exp_minus(&(&falling.epsilon * &Rational::integer(size)), self.precision.bits),
        };
        let Some(magnitude) = peak.magnitude().filter(|_| length > 0 && size <= FARTHEST) else {
            // All that can be said is a bound; the whole column weighs at most
            // `a^{|d|}·(|d| + 1 + 1/ε)`.
            let peak = if peak.is_zero() { T::least().map_or_else(T::one, |least| least.shifted(2)) } else { peak };
            let most = T::integer(size.saturating_add(falling.width + 2), self.precision.bits).times(&peak);
            let missing = rounded_up(&message.mass().shifted(1).times(&most));
            return Message { missing, scale: message.scale, ..Message::nothing() };
        };
        // The size of a^{|d|} goes to the scale: a machine number could not hold it times a small
        // weight.
        let peak = peak.shifted(-magnitude);
        let mut weights = vec![T::zero(); steps];
        weights.extend(box_sums(&message.weights, box_width));
        weights.resize(length + box_width - 1 + 2 * steps, T::zero());
        // From below: what every weight has become so many steps after the box has left it.
        let mut sum = T::zero();
        for (index, weight) in weights[steps + box_width - 1..].iter_mut().enumerate() {
            *weight = weight.plus(&sum);
            if let Some(entered) = message.weights.get(index) {
                sum = sum.plus(entered);
            }
            sum = sum.times(&falling.factor);
        }
        let mut sum = T::zero();
        for (index, weight) in weights[..length + steps].iter_mut().rev().enumerate() {
            *weight = weight.plus(&sum);
            if index < length {
                sum = sum.plus(&message.weights[length - 1 - index]);
            }
            sum = sum.times(&falling.factor);
        }
        weights.iter_mut().for_each(|weight| *weight = weight.times(&peak));
        let ends = weights[0].plus(&weights[weights.len() - 1]).times(&T::integer(falling.width, 0));
        let mass = T::integer(size + falling.width + 2, 0).times(&peak);
        let missing = message.missing.times(&mass).plus(&ends);
        Message {
            first: message.first + d.min(0) - steps as i64,
            roundings: message.roundings + 3 * (length + steps + 2) as u64 + box_width as u64 + 6,
            weights,
            missing: rounded_up(&missing.shifted(1)),
            scale: message.scale + magnitude,
        }
        .trimmed(self.precision)
    }
}

/// A column sum above this is never met, and no box is made for it.
const FARTHEST: u64 = 1 << 24;

/// As [`products`], of shifted messages.
pub(super) fn shifted_products<T: Positive>(above: &Shifted<T>, below: &Shifted<T>, total: i64) -> (i64, Vec<T>) {
    let (first, weights) = products(&above.message, &below.message, total - above.shift - below.shift);
    (first + above.shift, weights)
}

/// Every weight of `above` at u times that of `below` at `total − u`, for the u that both know; the
/// first such u.
pub(super) fn products<T: Positive>(above: &Message<T>, below: &Message<T>, total: i64) -> (i64, Vec<T>) {
    let first = above.first.max(total - below.end() + 1);
    let end = above.end().min(total - below.first + 1);
    let range = first..end.max(first);
    let weights = range.filter_map(|u| Some(above.weight(u)?.times(below.weight(total - u)?)));
    (first, weights.collect())
}

/// An upper bound of what is missing from [`products`]: missing parts of one times the other, whose
/// weights are at most one but for roundings.
pub(super) fn product_missing<T: Positive>(one: &Message<T>, other: &Message<T>) -> T {
    let both = one.missing.times(&other.missing);
    rounded_up(&one.missing.plus(&other.missing).plus(&both).shifted(1))
}

/// Sums of `width` consecutive weights, wherever at least one weight takes part. Blocks of that
/// width are summed from their starts and to their ends, so that a sum is one addition.
fn box_sums<T: Positive>(weights: &[T], width: usize) -> Vec<T> {
    if width == 1 {
        return weights.to_vec();
    }
    let padded = weights.len() + 2 * (width - 1);
    let at = |index: usize| index.checked_sub(width - 1).and_then(|index| weights.get(index));
    let (mut from_start, mut to_end) = (vec![T::zero(); padded], vec![T::zero(); padded]);
    for index in 0..padded {
        let before = if index % width == 0 { T::zero() } else { from_start[index - 1].clone() };
        from_start[index] = at(index).map_or_else(|| before.clone(), |weight| before.plus(weight));
    }
    for index in (0..padded).rev() {
        let after =
            if index % width == width - 1 || index + 1 == padded { T::zero() } else { to_end[index + 1].clone() };
        to_end[index] = at(index).map_or_else(|| after.clone(), |weight| after.plus(weight));
    }
    (0..weights.len() + width - 1)
        .map(|start| match start % width {
            0 => from_start[start + width - 1].clone(),
            _ => to_end[start].plus(&from_start[start + width - 1]),
        })
        .collect()
}

/// How far from zero a weight of one cell is above 2^−trim, about.
pub(super) fn reach(law: &NoiseLaw, trim: u32) -> i64 {
    law.reach(f64::from(trim) * std::f64::consts::LN_2).ceil() as i64 + 1
}

/// The smallest integer above a rational, at least one.
fn whole_above(value: Option<Rational>) -> u64 {
    value.and_then(|value| u64::try_from(value.ceil()).ok()).unwrap_or(0) + 1
}

/// The weights of one cell.
fn single<T: Positive>(law: &NoiseLaw, precision: Precision) -> Message<T> {
    let reach = reach(law, precision.trim);
    let half: Vec<T> = (0..=reach).map(|z| T::exp_minus(&law.energy(z), precision.bits)).collect();
    let weights = half.iter().skip(1).rev().chain(&half).cloned().collect();
    // Energies are convex, so weights beyond fall at least by e^{−δ} a step, and 1/(1 − e^{−δ}) ≤
    // 1 + 1/δ.
    let (next, then) = (law.energy(reach + 1), law.energy(reach + 2));
    let steps = T::integer(1 + whole_above((&then - &next).reciprocal()), 0);
    let missing = rounded_up(&T::exp_minus(&next, precision.bits).times(&steps).shifted(2));
    Message { first: -reach, weights, roundings: 1, missing, scale: 0 }.trimmed(precision)
}

/// The weights of the sum of n cells: by repeated squaring.
fn power<T: Positive>(one: &Message<T>, cells: u32, precision: Precision) -> Message<T> {
    if cells == 0 {
        return Message::point(0);
    }
    let mut result = one.clone();
    for bit in (0..cells.ilog2()).rev() {
        result = result.convolved(&result, precision);
        if cells >> bit & 1 == 1 {
            result = result.convolved(one, precision);
        }
    }
    result
}

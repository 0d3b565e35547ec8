//! The pass up: the weights of the forms that every part remembers.

use super::NetworkSampler;
use super::pairing::Pairing;
use super::rows::Asked;
use super::sparse::Sparse;
use crate::sums::{Message, Precision};
use analyse::{Join, MadeOf};
use exact::Positive;
use std::sync::{Arc, OnceLock};

/// All parts of a network at one level of precision.
#[derive(Debug)]
pub(crate) struct Parts<T> {
    pub precision: Precision,
    pub parts: Vec<Part<T>>,
}

/// One part.
#[derive(Debug)]
pub(crate) struct Part<T> {
    pub weights: PartWeights<T>,
    /// The pairs of its two parts, made when the first draw needs them.
    pub pairing: OnceLock<Pairing<T>>,
}

/// The weights of what a part remembers.
#[derive(Debug)]
pub(crate) enum PartWeights<T> {
    /// One form, its sum: also where the sum ends and need not be remembered.
    Line(Message<T>),
    /// Several forms, or none.
    Spread(Arc<Sparse<T>>),
}

impl<T: Positive> PartWeights<T> {
    pub(crate) fn spread(&self) -> Arc<Sparse<T>> {
        match self {
            PartWeights::Line(message) => Arc::new(Sparse::of(message)),
            PartWeights::Spread(sparse) => sparse.clone(),
        }
    }
}

/// Whether a join adds the only sums of its two parts to its own only sum.
pub(crate) fn is_line(join: &Join) -> bool {
    match (join.made_of, join.forms.as_slice()) {
        (MadeOf::Class(_), _) => true,
        (MadeOf::Parts(..), [form]) => form.first == Some((0, 1)) && form.second == Some((0, 1)),
        _ => false,
    }
}

impl<T: Positive> Parts<T> {
    pub(crate) fn new(sampler: &NetworkSampler<'_>, precision: Precision) -> Self {
        let mut parts: Vec<Part<T>> = Vec::with_capacity(sampler.network.joins.len());
        for join in &sampler.network.joins {
            let weights = weights(sampler, join, &parts, precision);
            parts.push(Part { weights, pairing: OnceLock::new() });
        }
        Parts { precision, parts }
    }
}

fn weights<T: Positive>(
    sampler: &NetworkSampler<'_>,
    join: &Join,
    parts: &[Part<T>],
    precision: Precision,
) -> PartWeights<T> {
    match join.made_of {
        MadeOf::Class(class) => {
            let asked: Asked<T> = sampler.rows.asked(&join.forms[0].ending, join.limits[0], precision);
            // A class whose sum is given weighs the same in every table: its weight need not be known.
            PartWeights::Line(match asked.only() {
                Some(sum) => Message::point(sum),
                None => ask(sampler.classes[class as usize].message(precision), &asked),
            })
        }
        MadeOf::Parts(first, second) => {
            let (one, two) = (&parts[first as usize].weights, &parts[second as usize].weights);
            if let (true, PartWeights::Line(one), PartWeights::Line(two)) = (is_line(join), one, two) {
                let asked: Asked<T> = sampler.rows.asked(&join.forms[0].ending, join.limits[0], precision);
                return PartWeights::Line(ask(one.convolved(two, precision), &asked));
            }
            let pairing = Pairing::new(join, one.spread(), two.spread(), &sampler.rows, precision);
            let joined = pairing.map_or_else(|| unknown(join.remembered), |pairing| pairing.joined(precision));
            match joined.forms {
                1 => line(&joined).map_or_else(|| PartWeights::Spread(Arc::new(joined)), PartWeights::Line),
                _ => PartWeights::Spread(Arc::new(joined)),
            }
        }
    }
}

/// Weights of which nothing is known but that they exist: a level that decides nothing.
fn unknown<T: Positive>(forms: usize) -> Sparse<T> {
    Sparse { forms, values: Vec::new(), weights: Vec::new(), roundings: 0, missing: T::one(), scale: 0 }
}

/// What is asked of a sum, applied to its weights.
fn ask<T: Positive>(message: Message<T>, asked: &Asked<T>) -> Message<T> {
    let message = message.restricted(asked.low, asked.high);
    if asked.noisy() { message.multiplied(asked.roundings(), |value| asked.factor(value)) } else { message }
}

/// The most values of one form that are kept as a line.
const LONGEST_LINE: i64 = 1 << 24;

/// One form's weights as a line, unless its values lie too far apart.
fn line<T: Positive>(sparse: &Sparse<T>) -> Option<Message<T>> {
    let (first, last) = (sparse.values.first().copied().unwrap_or(0), sparse.values.last().copied().unwrap_or(0));
    let length = last.checked_sub(first).filter(|length| *length < LONGEST_LINE)?;
    let mut weights = vec![T::zero(); length as usize + 1];
    for (value, weight) in sparse.values.iter().zip(&sparse.weights) {
        weights[(value - first) as usize] = weight.clone();
    }
    if sparse.weights.is_empty() {
        weights.clear();
    }
    Some(Message { first, weights, roundings: sparse.roundings, missing: sparse.missing.clone(), scale: sparse.scale })
}

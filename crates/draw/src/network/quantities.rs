//! Exact quantities of a block as a by-product of its messages: the laws of cells and sums, given
//! the table.
//!
//! The mirror of the pass up: every part is told the weight of everything outside it, for each
//! value of the forms it remembers. Inside times outside is the law of the part's forms. For a join
//! with forms f of its parts a and b,
//! `outside_a(x) = Σ_y outside(f(x, y))·asked(f(x, y))·inside_b(y)`; a class divides its sum among
//! its cells in the same way. Nothing random is involved. The level of precision is the first at
//! which almost nothing is missing.

use super::NetworkSampler;
use super::pairing::Pairing;
use super::part::{PartAtHand, PartWeights, Parts, is_line};
use super::rows::FormDemand;
use crate::integer_law::{Law, is_complete, scaled};
use crate::sums::{Message, NoLaws, Precision};
use analyse::{Demand, Join, MadeOf};
use exact::Positive;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What can be read off a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkQuantities {
    /// The logarithm of the normaliser, as [`NetworkSampler::log_normaliser`].
    pub log_normaliser: f64,
    /// The law of every class sum.
    pub sums: Vec<Law>,
    /// The law of every row over the block's cells that is not given: noisy sums and sums with a
    /// bound, by row.
    pub rows: Vec<(u32, Law)>,
    /// The law of every cell, class by class, unless it costs too much.
    pub cells: Vec<(u32, Law)>,
    /// The number of cells whose laws cost too much.
    pub left_out: usize,
}

/// Levels with fewer bits round too much to be read.
const LEAST_BITS: u32 = 50;

/// How far two ways to compute a logarithm of the normaliser may differ.
const AGREEMENT: f64 = 1e-9;
/// The levels that are tried.
const LEVELS: usize = 7;

/// Weights outside a part, one for every weight inside it.
struct Outside<T> {
    weights: Vec<T>,
    scale: i64,
}

impl<T: Positive> Outside<T> {
    /// Scales the largest weight to about one.
    fn new(mut weights: Vec<T>, scale: i64) -> Self {
        let largest = weights.iter().filter_map(Positive::magnitude).max().unwrap_or(0);
        weights.iter_mut().for_each(|weight| *weight = weight.shifted(-largest));
        Outside { weights, scale: scale + largest }
    }
}

/// The outcome of the pass down at one level.
struct Passed<T> {
    outside: Vec<Outside<T>>,
    rows: Vec<(u32, Law)>,
}

/// Every part at one level of precision.
struct AllParts<'p, T> {
    precision: Precision,
    parts: Vec<PartAtHand<'p, T>>,
}

impl<'p, T: Positive> AllParts<'p, T> {
    fn new(sampler: &NetworkSampler<'_>, made: &'p Parts<T>) -> Self {
        let numbers = 0..sampler.network.joins.len() as u32;
        AllParts { precision: made.precision, parts: numbers.map(|number| made.part(sampler, number)).collect() }
    }
}

impl NetworkSampler<'_> {
    /// The laws of all sums and cells, given the table: for reading, to about twelve digits. `None`
    /// when no level of precision tells them.
    pub fn quantities(&self) -> Option<NetworkQuantities> {
        self.quantities_at_levels(LEVELS)
    }

    /// [`NetworkSampler::quantities`] at the first levels of precision alone.
    pub(crate) fn quantities_at_levels(&self, levels: usize) -> Option<NetworkQuantities> {
        let precise = |level: &usize| self.ladder.level(*level).bits >= LEAST_BITS;
        (0..levels.min(LEVELS)).filter(precise).find_map(|level| {
            if self.ladder.level(level).machine {
                self.quantities_at(self.machine(level))
            } else {
                self.quantities_at(&*self.wide(level))
            }
        })
    }

    fn quantities_at<T: Positive>(&self, made: &Parts<T>) -> Option<NetworkQuantities> {
        let parts = &AllParts::new(self, made);
        let inside = |part: usize| weights_of(&parts.parts[part].weights);
        let complete = |root: &u32| {
            let (weights, missing, _) = inside(*root as usize);
            is_complete(&weights.iter().fold(T::zero(), |sum, weight| sum.plus(weight)), missing)
        };
        if !self.roots.iter().all(complete) {
            return None;
        }
        let Passed { outside, rows } = self.pass_down(parts)?;
        let mut normaliser = vec![None; parts.parts.len()];
        let mut root_of: Vec<usize> = (0..parts.parts.len()).collect();
        for (number, join) in self.network.joins.iter().enumerate().rev() {
            if let MadeOf::Parts(first, second) = join.made_of {
                (root_of[first as usize], root_of[second as usize]) = (root_of[number], root_of[number]);
            }
        }
        let mut sums = Vec::with_capacity(self.classes.len());
        for (number, join) in self.network.joins.iter().enumerate() {
            let (weights, _, scale) = inside(number);
            let both: Vec<T> =
                weights.iter().zip(&outside[number].weights).map(|(inside, outside)| inside.times(outside)).collect();
            let found = logarithm(&both, scale + outside[number].scale)?;
            // What was lost on the way down would be missing here.
            let expected = *normaliser[root_of[number]].get_or_insert(found);
            if (found - expected).abs() > AGREEMENT * expected.abs().max(1.0) {
                return None;
            }
            if let (MadeOf::Class(_), PartWeights::Line(message)) = (join.made_of, &parts.parts[number].weights) {
                sums.push(Law::of_values(&(message.first..).zip(both).collect::<Vec<_>>())?);
            }
        }
        let classes: Vec<Result<Vec<Law>, NoLaws>> =
            (0..self.classes.len()).into_par_iter().map(|class| self.cells_of(class, parts, &outside, &sums)).collect();
        let (mut cells, mut left_out) = (Vec::with_capacity(self.network.cells()), 0);
        for (class, laws) in self.network.classes.iter().zip(classes) {
            match laws {
                Ok(laws) => cells.extend(class.cells.iter().copied().zip(laws)),
                Err(NoLaws::Costly) => left_out += class.cells.len(),
                Err(NoLaws::Imprecise) => return None,
            }
        }
        Some(NetworkQuantities { log_normaliser: self.log_normaliser_of(made), sums, rows, cells, left_out })
    }

    /// Tells every part what is outside it.
    fn pass_down<T: Positive>(&self, parts: &AllParts<'_, T>) -> Option<Passed<T>> {
        let mut outside: Vec<Option<Outside<T>>> = (0..parts.parts.len()).map(|_| None).collect();
        let mut rows = Vec::new();
        for (number, join) in self.network.joins.iter().enumerate().rev() {
            let (inside, _, _) = weights_of(&parts.parts[number].weights);
            let own = outside[number].take().unwrap_or_else(|| Outside::new(vec![T::one(); inside.len()], 0));
            self.read_forms(join, &parts.parts[number].weights, &own, &mut rows);
            if let MadeOf::Parts(first, second) = join.made_of {
                let told = self.tell(number, (first as usize, second as usize), parts, &own, &mut rows)?;
                (outside[first as usize], outside[second as usize]) = (Some(told.0), Some(told.1));
            }
            outside[number] = Some(own);
        }
        rows.sort_by_key(|(row, _)| *row);
        Some(Passed { outside: outside.into_iter().collect::<Option<_>>()?, rows })
    }

    /// What a join tells its two parts.
    fn tell<T: Positive>(
        &self,
        number: usize,
        (first, second): (usize, usize),
        parts: &AllParts<'_, T>,
        own: &Outside<T>,
        rows: &mut Vec<(u32, Law)>,
    ) -> Option<(Outside<T>, Outside<T>)> {
        let join = &self.network.joins[number];
        let part = |number: usize| &parts.parts[number].weights;
        let (one, two) = (part(first), part(second));
        let (one_scale, two_scale) = (weights_of(one).2, weights_of(two).2);
        if let (true, PartWeights::Line(one), PartWeights::Line(two), PartWeights::Line(whole)) =
            (is_line(join), one, two, part(number))
        {
            let asked: FormDemand<T> = self.rows.asked(&join.forms[0].ending, join.limits[0], parts.precision);
            let told = asked_line(whole, own, &asked);
            return Some((
                Outside::new(correlated(one, two, &told, whole.first), own.scale + two_scale),
                Outside::new(correlated(two, one, &told, whole.first), own.scale + one_scale),
            ));
        }
        let pairing = Pairing::new(join, one.spread(), two.spread(), &self.rows, parts.precision)?;
        let wanted: Vec<usize> =
            (join.remembered..join.forms.len()).filter(|form| self.open_rows(join, *form).next().is_some()).collect();
        let outward = match part(number) {
            PartWeights::Line(message) => {
                let values = (message.first..).map(|value| Cow::Owned(vec![value]));
                pairing.outward(values.zip(own.weights.iter().cloned()), &wanted)
            }
            PartWeights::Spread(sparse) => {
                let values = (0..sparse.weights.len()).map(|entry| Cow::Borrowed(sparse.values(entry)));
                pairing.outward(values.zip(own.weights.iter().cloned()), &wanted)
            }
        };
        for (form, weights) in outward.forms {
            let law = Law::of_values(&weights.into_iter().collect::<Vec<_>>())?;
            rows.extend(self.open_rows(join, form).filter_map(|(row, factor)| Some((row, law.times(factor)?))));
        }
        Some((
            Outside::new(placed(one, outward.first), own.scale + two_scale),
            Outside::new(placed(two, outward.second), own.scale + one_scale),
        ))
    }

    /// The rows that end in a form and whose value is not given.
    fn open_rows<'j>(&self, join: &'j Join, form: usize) -> impl Iterator<Item = (u32, i64)> + use<'j, '_> {
        let open = |(row, _): &(u32, i64)| !matches!(self.network.rows[*row as usize].demand, Demand::Equal(_));
        join.forms[form].ending.iter().copied().filter(open)
    }

    /// The laws of rows that end in forms whose values a part lists.
    fn read_forms<T: Positive>(
        &self,
        join: &Join,
        inside: &PartWeights<T>,
        own: &Outside<T>,
        rows: &mut Vec<(u32, Law)>,
    ) {
        let (weights, _, _) = weights_of(inside);
        let listed = if is_line(join) { 1 } else { join.remembered };
        for form in (0..listed).filter(|form| self.open_rows(join, *form).next().is_some()) {
            let value = |entry: usize| match inside {
                PartWeights::Line(message) => message.first + entry as i64,
                PartWeights::Spread(sparse) => sparse.values(entry)[form],
            };
            let mut by_value: BTreeMap<i64, T> = BTreeMap::new();
            for (entry, (inside, outside)) in weights.iter().zip(&own.weights).enumerate() {
                let sum = by_value.entry(value(entry)).or_insert_with(T::zero);
                *sum = sum.plus(&inside.times(outside));
            }
            let Some(law) = Law::of_values(&by_value.into_iter().collect::<Vec<_>>()) else { continue };
            rows.extend(self.open_rows(join, form).filter_map(|(row, factor)| Some((row, law.times(factor)?))));
        }
    }

    /// The laws of the cells of a class. The parts of classes come first, in the order of the
    /// classes.
    fn cells_of<T: Positive>(
        &self,
        class: usize,
        parts: &AllParts<'_, T>,
        outside: &[Outside<T>],
        sums: &[Law],
    ) -> Result<Vec<Law>, NoLaws> {
        let (law, join) = (&self.classes[class], &self.network.joins[class]);
        if law.cells() == 1 {
            return Ok(vec![sums[class].clone()]);
        }
        let asked: FormDemand<T> = self.rows.asked(&join.forms[0].ending, join.limits[0], parts.precision);
        if let Some(sum) = asked.only() {
            return law.laws_given::<T>(sum, parts.precision);
        }
        let PartWeights::Line(message) = &parts.parts[class].weights else { return Err(NoLaws::Imprecise) };
        let told = asked_line(message, &outside[class], &asked);
        let told = Message { first: message.first, weights: told, roundings: 0, missing: T::zero(), scale: 0 };
        // What is outside belongs to the tilted weights inside.
        law.laws_under(&self.tilts[class], &told.normalised(), parts.precision)
    }
}

/// Weights, missing weight and scale of a part.
fn weights_of<T: Positive>(weights: &PartWeights<T>) -> (&[T], &T, i64) {
    match weights {
        PartWeights::Line(message) => (&message.weights, &message.missing, message.scale),
        PartWeights::Spread(sparse) => (&sparse.weights, &sparse.missing, sparse.scale),
    }
}

/// ln of a sum of weights.
pub(super) fn logarithm<T: Positive>(weights: &[T], scale: i64) -> Option<f64> {
    let whole = weights.iter().fold(T::zero(), |sum, weight| sum.plus(weight));
    let magnitude = whole.magnitude()?;
    Some(scaled(&whole, magnitude).ln() + (magnitude + scale) as f64 * std::f64::consts::LN_2)
}

/// What is outside a line together with what is asked of its values.
fn asked_line<T: Positive>(line: &Message<T>, outside: &Outside<T>, asked: &FormDemand<T>) -> Vec<T> {
    let told = |(value, weight): (i64, &T)| match (asked.allows(value), asked.noisy()) {
        (false, _) => T::zero(),
        (true, false) => weight.clone(),
        (true, true) => weight.times(&asked.factor(value)),
    };
    (line.first..).zip(&outside.weights).map(told).collect()
}

/// `Σ_y other(y)·told(x + y)` for every x of a line.
fn correlated<T: Positive>(line: &Message<T>, other: &Message<T>, told: &[T], first: i64) -> Vec<T> {
    let sum = |x: i64| {
        // The place of x + y in `told`, for the first y.
        let place = x + other.first - first;
        let skipped = (-place).clamp(0, other.weights.len() as i64) as usize;
        let start = place.clamp(0, told.len() as i64) as usize;
        let pairs = other.weights[skipped..].iter().zip(&told[start..]);
        pairs.fold(T::zero(), |sum, (weight, told)| sum.plus(&weight.times(told)))
    };
    (line.first..line.end()).map(sum).collect()
}

/// Weights of the entries of a part in the places of its own weights.
fn placed<T: Positive>(part: &PartWeights<T>, entries: Vec<T>) -> Vec<T> {
    let PartWeights::Line(message) = part else { return entries };
    let mut entries = entries.into_iter();
    let place = |inside: &T| if inside.is_zero() { T::zero() } else { entries.next().unwrap_or_else(T::zero) };
    message.weights.iter().map(place).collect()
}

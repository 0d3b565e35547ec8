//! The pass up: the weights of the forms that every part remembers.

use super::NetworkSampler;
use super::pairing::Pairing;
use super::rows::FormDemand;
use super::sparse::Sparse;
use crate::sums::{Message, Precision};
use analyse::{Join, MadeOf};
use exact::Positive;
use exact::attention::look;
use rayon::prelude::*;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// All parts of a network at one level of precision.
#[derive(Debug)]
pub(crate) struct Parts<T> {
    pub precision: Precision,
    /// The parts that are kept; the others are made again with their branch.
    kept: Vec<Option<NetworkPart<T>>>,
    /// The branch that was made again last: draws visit the parts of a branch one after the other.
    recent: Mutex<Option<Arc<Branch<T>>>>,
}

/// The parts of one branch, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Branch<T> {
    branch: u32,
    parts: Vec<(u32, NetworkPart<T>)>,
}

/// A part that was asked for.
pub(crate) enum PartAtHand<'p, T> {
    /// It was kept.
    Kept(&'p NetworkPart<T>),
    /// It was made again, and stands at this place of its branch.
    Again(Arc<Branch<T>>, usize),
}

impl<T> Deref for PartAtHand<'_, T> {
    type Target = NetworkPart<T>;

    fn deref(&self) -> &NetworkPart<T> {
        match self {
            PartAtHand::Kept(part) => part,
            PartAtHand::Again(branch, place) => &branch.parts[*place].1,
        }
    }
}

/// The most bytes of weights below the tops of branches that are kept; what does not fit is made
/// again in every draw.
pub(super) const KEPT_BYTES: usize = 1 << 28;
/// Branches with more bytes of weights are kept all the same: they would take long to make again.
const CHEAP_BYTES: usize = 1 << 22;

/// One part.
#[derive(Debug)]
pub(crate) struct NetworkPart<T> {
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
    /// About the bytes it occupies.
    fn bytes(&self, precision: Precision) -> usize {
        let weight = if precision.machine { 8 } else { 40 + precision.bits as usize / 8 };
        match self {
            PartWeights::Line(message) => weight * message.weights.len(),
            PartWeights::Spread(sparse) => (weight + 8 * sparse.forms) * sparse.weights.len(),
        }
    }

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
    /// The weights of all parts: branches in parallel, then the parts above them, one height after
    /// the other. Which parts are kept never changes a weight.
    pub(crate) fn new(sampler: &NetworkSampler<'_>, precision: Precision) -> Self {
        let cut = &sampler.branches;
        let mut kept: Vec<Option<NetworkPart<T>>> = Vec::new();
        kept.resize_with(sampler.network.joins.len(), || None);
        let room = AtomicUsize::new(sampler.room);
        let made = cut.branches.par_iter().map(|branch| {
            let mut parts = branch_parts(sampler, branch, precision);
            let below = &parts[..parts.len() - 1];
            let bytes = below.iter().map(|(_, part)| part.weights.bytes(precision)).sum();
            let fits = |room: usize| room.checked_sub(bytes);
            let kept = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
            if !kept && bytes <= CHEAP_BYTES {
                parts.drain(..parts.len() - 1);
            }
            parts
        });
        let made: Vec<Vec<(u32, NetworkPart<T>)>> = made.collect();
        made.into_iter().flatten().for_each(|(number, part)| kept[number as usize] = Some(part));
        for height in &cut.above {
            let known = |part: u32| kept[part as usize].as_ref();
            let made: Vec<NetworkPart<T>> =
                height.par_iter().map(|number| part(sampler, *number, known, precision)).collect();
            height.iter().zip(made).for_each(|(number, part)| kept[*number as usize] = Some(part));
        }
        Parts { precision, kept, recent: Mutex::new(None) }
    }

    /// A part, made again with its branch if it was not kept.
    pub(crate) fn part(&self, sampler: &NetworkSampler<'_>, number: u32) -> PartAtHand<'_, T> {
        if let Some(part) = &self.kept[number as usize] {
            return PartAtHand::Kept(part);
        }
        let branch = sampler.branches.branch_of[number as usize];
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let made = match recent {
            Some(recent) if recent.branch == branch => recent,
            _ => {
                let members = &sampler.branches.branches[branch as usize];
                let made = Arc::new(Branch { branch, parts: branch_parts(sampler, members, self.precision) });
                *self.recent.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
                made
            }
        };
        let place = made.parts.partition_point(|(other, _)| *other < number);
        PartAtHand::Again(made, place)
    }
}

/// The parts of a branch.
fn branch_parts<T: Positive>(
    sampler: &NetworkSampler<'_>,
    branch: &[u32],
    precision: Precision,
) -> Vec<(u32, NetworkPart<T>)> {
    let mut parts: Vec<(u32, NetworkPart<T>)> = Vec::with_capacity(branch.len());
    for number in branch {
        let known = |part: u32| {
            let place = parts.partition_point(|(other, _)| *other < part);
            parts.get(place).map(|(_, part)| part)
        };
        let made = part(sampler, *number, known, precision);
        parts.push((*number, made));
    }
    parts
}

/// A part, from the parts it is made of.
fn part<'p, T: Positive>(
    sampler: &NetworkSampler<'_>,
    number: u32,
    known: impl Fn(u32) -> Option<&'p NetworkPart<T>>,
    precision: Precision,
) -> NetworkPart<T> {
    look();
    let join = &sampler.network.joins[number as usize];
    let asked = || -> FormDemand<T> { sampler.rows.asked(&join.forms[0].ending, join.limits[0], precision) };
    let weights = match join.made_of {
        MadeOf::Class(class) => {
            let asked = asked();
            // A class whose sum is given weighs the same in every table: its weight need not be
            // known.
            PartWeights::Line(match asked.only() {
                Some(sum) => Message::point(sum),
                None => ask(sampler.class_message(class as usize, precision), &asked, precision),
            })
        }
        MadeOf::Parts(first, second) => match (known(first), known(second)) {
            (Some(one), Some(two)) => return joined(sampler, join, &one.weights, &two.weights, asked, precision),
            // Parts are made in order; a weight that is not known decides nothing.
            _ => PartWeights::Spread(Arc::new(unknown(join.remembered))),
        },
    };
    NetworkPart { weights, pairing: OnceLock::new() }
}

/// The weights of a join.
fn joined<T: Positive>(
    sampler: &NetworkSampler<'_>,
    join: &Join,
    one: &PartWeights<T>,
    two: &PartWeights<T>,
    asked: impl Fn() -> FormDemand<T>,
    precision: Precision,
) -> NetworkPart<T> {
    if let (true, PartWeights::Line(one), PartWeights::Line(two)) = (is_line(join), one, two) {
        let weights = PartWeights::Line(ask(one.convolved(two, precision), &asked(), precision));
        return NetworkPart { weights, pairing: OnceLock::new() };
    }
    let pairing = Pairing::new(join, one.spread(), two.spread(), &sampler.rows, precision);
    let joined = pairing.as_ref().map_or_else(|| unknown(join.remembered), |pairing| pairing.joined(precision));
    let weights = match joined.forms {
        1 => line(&joined).map_or_else(|| PartWeights::Spread(Arc::new(joined)), PartWeights::Line),
        _ => PartWeights::Spread(Arc::new(joined)),
    };
    // What ends here was added up once: every draw chooses from it.
    let kept = pairing.filter(|_| join.remembered == 0).map_or_else(OnceLock::new, OnceLock::from);
    NetworkPart { weights, pairing: kept }
}

/// Weights of which nothing is known but that they exist: a level that decides nothing.
fn unknown<T: Positive>(forms: usize) -> Sparse<T> {
    Sparse { forms, values: Vec::new(), weights: Vec::new(), roundings: 0, missing: T::one(), scale: 0 }
}

/// What is asked of a sum, applied to its weights.
fn ask<T: Positive>(message: Message<T>, asked: &FormDemand<T>, precision: Precision) -> Message<T> {
    let message = message.restricted(asked.low, asked.high);
    if asked.noisy() {
        // Products of weights stay in the range of machine numbers only as long as small ones are
        // given up.
        return message.multiplied(asked.roundings(), |value| asked.factor(value)).trimmed(precision);
    }
    message
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

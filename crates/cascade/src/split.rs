//! The one thing every cascade does: split a total over an ordered row of leaves, number by number.
//!
//! Leaf i has centre `whole_i + part_i/unit` and, where there are bounds, an interval
//! `low_i..=high_i`. Sums are taken from below; then every split, from above, asks for the sum of
//! its left part: one number with centre `e_L + (a/(a+b))·(y − e_P)` on
//! `max(low_L, y − high_R) ..= min(high_L, y − low_R)`. That interval is never empty once the total
//! lies between the sums of the bounds, and every integer of it can be completed (`proofs/G11.md`).

use crate::bell::{Bell, Centre, NO_HIGH, NO_LOW};
use crate::law::Step;
use crate::shape::{Split, SplitTree};
use declare::Problem;
use exact::{Entropy, Rational, Source};
use rayon::prelude::*;
use std::ops::Range;

/// Parts of this many leaves are drawn with bits of their own: enough work for a stream, few enough
/// for near memory.
pub(crate) const TASK_LEAVES: usize = 1 << 13;

/// The bounds of leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limits<'a> {
    /// None.
    Free,
    /// One pair for all.
    Same(i64, i64),
    /// Zero, and a bound above of its own.
    UpTo(&'a [i64]),
    /// Bounds of its own.
    Each(&'a [i64], &'a [i64]),
}

/// What a total is split over. An empty slice: no fractions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaves<'a> {
    pub(crate) whole: &'a [i64],
    pub(crate) part: &'a [i64],
    pub(crate) unit: u64,
    pub(crate) limits: Limits<'a>,
    /// Bounds of whole parts, by split; empty: none.
    pub(crate) floors: &'a [i64],
}

/// A shape with its variances made ready, times a common factor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready<'a> {
    pub(crate) shape: &'a SplitTree,
    pub(crate) bells: &'a [Bell],
    pub(crate) factor: Option<&'a Rational>,
}

/// One number that is asked for.
pub(crate) struct Ask<'a> {
    pub(crate) split: Split,
    pub(crate) bell: &'a Bell,
    pub(crate) variance: &'a Rational,
    pub(crate) factor: Option<&'a Rational>,
    pub(crate) centre: Centre,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Ask<'_> {
    fn variance(&self) -> Rational {
        self.factor.map_or_else(|| self.variance.clone(), |factor| self.variance * factor)
    }

    /// The step with this value.
    pub(crate) fn step(&self, value: i64) -> Step {
        let (low, high) = (self.low, self.high);
        Step { centre: self.centre.to_rational(), variance: self.variance(), low, high, value }
    }
}

/// Who answers: random bits, or a release that is known.
pub(crate) trait Pick {
    /// Says which column of a table comes next, where columns are drawn one by one.
    fn begin(&mut self, _column: usize) {}

    fn pick(&mut self, ask: &Ask<'_>) -> i64;
}

/// Answers by random bits.
pub(crate) struct FromBits<E>(pub(crate) E);

impl<E: Entropy> Pick for FromBits<E> {
    #[inline]
    fn pick(&mut self, ask: &Ask<'_>) -> i64 {
        ask.bell.draw(&mut self.0, &ask.centre, ask.low, ask.high, &|| ask.variance())
    }
}

/// Answers with the sums of a release, and tells every step.
pub(crate) struct Replay<'a, F> {
    /// The sums of the leaves before each leaf.
    pub(crate) before: &'a [i64],
    /// What was taken off the leaves before each leaf; empty: nothing.
    pub(crate) off: &'a [i64],
    pub(crate) told: &'a mut F,
}

impl<F: FnMut(Step)> Pick for Replay<'_, F> {
    fn pick(&mut self, ask: &Ask<'_>) -> i64 {
        let between = |sums: &[i64]| sums[ask.split.middle as usize] - sums[ask.split.start as usize];
        let value = between(self.before);
        let off = if self.off.is_empty() { 0 } else { between(self.off) };
        (self.told)(ask.step(value).moved(off));
        value
    }
}

/// Sums of the values before each value and behind the last.
pub(crate) fn running_sums(values: &[i64]) -> Vec<i64> {
    let mut sums = vec![0i64];
    for value in values {
        sums.push(sums[sums.len() - 1] + value);
    }
    sums
}

/// The sums of a part.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub(crate) whole: i64,
    pub(crate) part: i64,
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) total: i64,
}

/// Sums of bounds: one that is missing makes the sum missing.
#[inline]
pub(crate) fn add_low(one: i64, other: i64) -> i64 {
    if one == NO_LOW || other == NO_LOW { NO_LOW } else { one.saturating_add(other) }
}

#[inline]
pub(crate) fn add_high(one: i64, other: i64) -> i64 {
    if one == NO_HIGH || other == NO_HIGH { NO_HIGH } else { one.saturating_add(other) }
}

impl Limits<'_> {
    /// The bounds of one leaf.
    #[inline]
    pub(crate) fn of(&self, leaf: usize) -> (i64, i64) {
        match self {
            Limits::Free => (NO_LOW, NO_HIGH),
            Limits::Same(low, high) => (*low, *high),
            Limits::UpTo(high) => (0, high[leaf]),
            Limits::Each(low, high) => (low[leaf], high[leaf]),
        }
    }

    pub(crate) fn is_free(&self) -> bool {
        matches!(self, Limits::Free)
    }
}

impl<'a> Leaves<'a> {
    #[inline]
    fn leaf<const BOUNDED: bool>(&self, leaf: usize) -> Sums {
        let (low, high) = if BOUNDED { self.limits.of(leaf) } else { (NO_LOW, NO_HIGH) };
        let part = if self.part.is_empty() { 0 } else { self.part[leaf] };
        Sums { whole: self.whole[leaf], part, low, high, total: 0 }
    }

    fn range(&self, leaves: Range<usize>) -> Leaves<'a> {
        let limits = match self.limits {
            Limits::UpTo(high) => Limits::UpTo(&high[leaves.clone()]),
            Limits::Each(low, high) => Limits::Each(&low[leaves.clone()], &high[leaves.clone()]),
            same => same,
        };
        let part = if self.part.is_empty() { self.part } else { &self.part[leaves.clone()] };
        Leaves { whole: &self.whole[leaves], part, unit: self.unit, limits, floors: self.floors }
    }

    /// The sums of the centres and bounds of all leaves below the first split; of one leaf its own.
    pub(crate) fn root(&self, splits: &[Split]) -> (i64, i64, i64) {
        let mut all = self.leaf::<true>(0);
        for leaf in 1..self.whole.len() {
            all = add::<true>(&all, &self.leaf::<true>(leaf));
        }
        if !self.floors.is_empty() && !splits.is_empty() {
            // Floors of parts may add up to more than the leaves' own.
            let mut sums = vec![Sums::default(); splits.len()];
            self.sum::<true>(0, 0, splits, &mut sums);
            all.low = sums[0].low;
        }
        (all.whole, all.low, all.high)
    }

    #[inline]
    fn part_sums<const BOUNDED: bool>(&self, sums: &[Sums], place: usize, leaf: usize, count: u32) -> Sums {
        if count == 1 { self.leaf::<BOUNDED>(leaf) } else { sums[place] }
    }

    /// Sums of consecutive splits, from below; the first is split `first`, its leaves are ours and
    /// start at `start`.
    fn sum<const BOUNDED: bool>(&self, first: usize, start: usize, splits: &[Split], sums: &mut [Sums]) {
        for (place, split) in splits.iter().enumerate().rev() {
            let length = split.middle - split.start;
            let left = self.part_sums::<BOUNDED>(sums, place + 1, split.start as usize - start, length);
            let (middle, rest) = (split.middle as usize - start, split.end - split.middle);
            let right = self.part_sums::<BOUNDED>(sums, place + length as usize, middle, rest);
            sums[place] = add::<BOUNDED>(&left, &right);
            if BOUNDED && !self.floors.is_empty() {
                sums[place].low = sums[place].low.max(self.floors[first + place]);
            }
        }
    }
}

/// Splits of consecutive numbers, below one of them: their leaves start at `start`.
struct Below<'a, 'b> {
    ready: Ready<'a>,
    /// Split `first + i` has its sums at i.
    first: usize,
    start: usize,
    leaves: Leaves<'b>,
}

impl Below<'_, '_> {
    /// Asks for the left part of a split; the totals of both parts.
    #[inline]
    fn divide<const BOUNDED: bool, P: Pick>(
        &self,
        split: Split,
        whole: &Sums,
        left: &Sums,
        right: &Sums,
        pick: &mut P,
    ) -> Result<(i64, i64), Problem> {
        let total = whole.total;
        let (mut low, mut high) = (NO_LOW, NO_HIGH);
        if BOUNDED {
            low = if right.high == NO_HIGH { left.low } else { left.low.max(total.saturating_sub(right.high)) };
            high = if right.low == NO_LOW { left.high } else { left.high.min(total.saturating_sub(right.low)) };
        }
        let value = ask(&self.ready, self.leaves.unit, split, whole, left, (low, high), pick)?;
        Ok((value, total - value))
    }
}

/// Asks for the left part of a split, between bounds.
#[inline]
pub(crate) fn ask<P: Pick>(
    ready: &Ready<'_>,
    unit: u64,
    split: Split,
    whole: &Sums,
    left: &Sums,
    (low, high): (i64, i64),
    pick: &mut P,
) -> Result<i64, Problem> {
    let class = &ready.shape.classes()[split.class as usize];
    let noise = i128::from(unit) * i128::from(whole.total - whole.whole) - i128::from(whole.part);
    let numerator = i128::from(left.part) * i128::from(class.whole) + i128::from(class.left) * noise;
    let denominator = u128::from(unit) * u128::from(class.whole);
    let centre = Centre::new(left.whole, numerator, denominator).ok_or_else(too_large)?;
    let bell = &ready.bells[split.class as usize];
    Ok(pick.pick(&Ask { split, bell, variance: &class.variance, factor: ready.factor, centre, low, high }))
}

#[inline]
fn add<const BOUNDED: bool>(left: &Sums, right: &Sums) -> Sums {
    let mut sum = Sums { whole: left.whole + right.whole, part: left.part + right.part, ..Sums::default() };
    if BOUNDED {
        sum.low = add_low(left.low, right.low);
        sum.high = add_high(left.high, right.high);
    }
    sum
}

/// Splits a total over the leaves below split `first`, all with the same source of answers.
fn descend<const BOUNDED: bool, P: Pick>(
    below: &Below<'_, '_>,
    splits: &[Split],
    total: i64,
    sums: &mut Vec<Sums>,
    out: &mut [i64],
    pick: &mut P,
) -> Result<(), Problem> {
    sums.clear();
    sums.resize(splits.len(), Sums::default());
    below.leaves.sum::<BOUNDED>(below.first, below.start, splits, sums);
    sums[0].total = total;
    for (place, split) in splits.iter().enumerate() {
        let (length, rest) = (split.middle - split.start, split.end - split.middle);
        let right_place = place + length as usize;
        let left = below.leaves.part_sums::<BOUNDED>(sums, place + 1, split.start as usize - below.start, length);
        let right = below.leaves.part_sums::<BOUNDED>(sums, right_place, split.middle as usize - below.start, rest);
        let (value, other) = below.divide::<BOUNDED, P>(*split, &sums[place], &left, &right, pick)?;
        if length == 1 {
            out[split.start as usize - below.start] = value;
        } else {
            sums[place + 1].total = value;
        }
        if rest == 1 {
            out[split.middle as usize - below.start] = other;
        } else {
            sums[right_place].total = other;
        }
    }
    Ok(())
}

/// Splits a total over all leaves, with one source of answers.
pub(crate) fn split_all<P: Pick>(
    ready: Ready<'_>,
    leaves: Leaves<'_>,
    total: i64,
    sums: &mut Vec<Sums>,
    out: &mut [i64],
    pick: &mut P,
) -> Result<(), Problem> {
    let splits = ready.shape.splits();
    if splits.is_empty() {
        out[0] = total;
        return Ok(());
    }
    let below = Below { ready, first: 0, start: 0, leaves };
    if leaves.limits.is_free() {
        descend::<false, P>(&below, splits, total, sums, out, pick)
    } else {
        descend::<true, P>(&below, splits, total, sums, out, pick)
    }
}

/// The parts of a shape that are drawn with streams of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tasks {
    /// The splits above all tasks.
    top: Vec<usize>,
    /// The tasks: their first split and their leaves, in order.
    parts: Vec<(usize, Range<usize>)>,
}

impl Tasks {
    /// Cuts a shape, by sizes alone.
    pub(crate) fn new(shape: &SplitTree) -> Self {
        let mut tasks = Tasks { top: Vec::new(), parts: Vec::new() };
        if shape.leaves() > TASK_LEAVES {
            tasks.cut(shape, 0);
        }
        tasks
    }

    fn cut(&mut self, shape: &SplitTree, place: usize) {
        let split = shape.splits()[place];
        self.top.push(place);
        let (start, middle, end) = (split.start as usize, split.middle as usize, split.end as usize);
        for (child, leaves) in [(place + 1, start..middle), (place + middle - start, middle..end)] {
            if leaves.len() > TASK_LEAVES { self.cut(shape, child) } else { self.parts.push((child, leaves)) }
        }
    }

    /// The streams it takes.
    pub(crate) fn streams(&self) -> u64 {
        1 + self.parts.len() as u64
    }
}

/// Splits a total over all leaves: large parts in parallel, each with the stream of its number from
/// `number` on.
pub(crate) fn split_parallel<S: Source + ?Sized>(
    ready: Ready<'_>,
    tasks: &Tasks,
    leaves: Leaves<'_>,
    total: i64,
    out: &mut [i64],
    source: &S,
    number: u64,
) -> Result<(), Problem> {
    if tasks.parts.is_empty() {
        return split_all(ready, leaves, total, &mut Vec::new(), out, &mut FromBits(stream(source, number)?));
    }
    if leaves.limits.is_free() {
        parallel::<false, S>(ready, tasks, leaves, total, out, source, number)
    } else {
        parallel::<true, S>(ready, tasks, leaves, total, out, source, number)
    }
}

fn parallel<const BOUNDED: bool, S: Source + ?Sized>(
    ready: Ready<'_>,
    tasks: &Tasks,
    leaves: Leaves<'_>,
    total: i64,
    out: &mut [i64],
    source: &S,
    number: u64,
) -> Result<(), Problem> {
    let splits = ready.shape.splits();
    let part = |(first, range): &(usize, Range<usize>)| Below {
        ready,
        first: *first,
        start: range.start,
        leaves: leaves.range(range.clone()),
    };
    let summed = |task: &(usize, Range<usize>)| {
        let below = part(task);
        let own = &splits[task.0..task.0 + task.1.len() - 1];
        if own.is_empty() {
            return below.leaves.leaf::<BOUNDED>(0);
        }
        let mut sums = vec![Sums::default(); own.len()];
        below.leaves.sum::<BOUNDED>(below.first, below.start, own, &mut sums);
        sums[0]
    };
    let bottom: Vec<Sums> = tasks.parts.par_iter().map(summed).collect();
    // Everything above the tasks, from below and then from above.
    let whole = Below { ready, first: 0, start: 0, leaves };
    let mut known: std::collections::HashMap<u32, Sums> =
        tasks.parts.iter().zip(&bottom).map(|((_, range), sums)| (range.start as u32, *sums)).collect();
    let mut sums: Vec<(Sums, Sums, Sums)> = vec![Default::default(); tasks.top.len()];
    for at in (0..tasks.top.len()).rev() {
        let own = tasks.top[at];
        let split = splits[own];
        let left = known.get(&split.start).copied().unwrap_or_default();
        let right = known.get(&split.middle).copied().unwrap_or_default();
        let mut sum = add::<BOUNDED>(&left, &right);
        if BOUNDED && !leaves.floors.is_empty() {
            sum.low = sum.low.max(leaves.floors[own]);
        }
        known.insert(split.start, sum);
        sums[at] = (sum, left, right);
    }
    let mut totals: std::collections::HashMap<u32, i64> = [(0, total)].into();
    let mut pick = FromBits(stream(source, number)?);
    for (at, place) in tasks.top.iter().enumerate() {
        let split = splits[*place];
        let (mut sum, left, right) = sums[at];
        sum.total = totals.get(&split.start).copied().unwrap_or_default();
        let (value, rest) = whole.divide::<BOUNDED, _>(split, &sum, &left, &right, &mut pick)?;
        totals.insert(split.start, value);
        totals.insert(split.middle, rest);
    }
    let mut chunks = Vec::with_capacity(tasks.parts.len());
    let mut rest = out;
    for (_, range) in &tasks.parts {
        let (chunk, after) = rest.split_at_mut(range.len());
        chunks.push(chunk);
        rest = after;
    }
    let numbered = tasks.parts.par_iter().zip(chunks).enumerate();
    numbered.try_for_each(|(at, (task, chunk))| {
        let total = totals.get(&(task.1.start as u32)).copied().unwrap_or_default();
        let own = &splits[task.0..task.0 + task.1.len() - 1];
        if own.is_empty() {
            chunk[0] = total;
            return Ok(());
        }
        let mut pick = FromBits(stream(source, number + 1 + at as u64)?);
        descend::<BOUNDED, _>(&part(task), own, total, &mut Vec::new(), chunk, &mut pick)
    })
}

/// The stream of a task.
pub(crate) fn stream<S: Source + ?Sized>(source: &S, number: u64) -> Result<exact::Stream, Problem> {
    source.stream(number).map_err(|error| Problem::system(error.to_string()))
}

pub(crate) fn too_large() -> Problem {
    Problem::refused("the counts of the table are too large for a cascade")
        .hint("a cascade draws counts whose sums stay below 2⁶⁰")
}

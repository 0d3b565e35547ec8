//! Totals that are disjoint or nested: every total is split over its leaves, blocks in parallel.
//!
//! A *block* is a row of leaves whose sum is known: because it is exact, or because an earlier
//! stage drew it. A block without a known sum begins with drawing it. Blocks do not depend on each
//! other, except through rules: a block whose leaves must not exceed other leaves is drawn after
//! those, with what was drawn as bounds.

use crate::bell::{Bell, Centre, NO_HIGH, NO_LOW};
use crate::law::Step;
use crate::shape::{Split, SplitTree};
use crate::split::{
    Ask, FromBits, Leaves, Limits, Pick, Ready, Replay, Sums, TASK_LEAVES, Tasks, running_sums, split_all,
    split_parallel, stream, too_large,
};
use declare::Problem;
use exact::{Rational, Source};
use rayon::prelude::*;
use std::ops::Range;

/// Small blocks are drawn together until they have this many leaves: a stream of bits costs more
/// than a small block.
const BATCH_LEAVES: usize = 1 << 12;

/// Where the sum of a block comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Total {
    /// It is the exact sum of the confidential leaves.
    Exact,
    /// It is drawn.
    Free,
    /// It is this number of the stage before.
    Drawn(u32),
}

/// A row of leaves that share a total.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Its leaves, as places of [`Forest::leaves`].
    pub(crate) places: Range<usize>,
    /// Its shape.
    pub(crate) shape: u32,
    /// Its sum.
    pub(crate) total: Total,
    /// Parts whose sum is at least the exact sum of another block: their leaves here, and that
    /// block.
    pub(crate) floors: Vec<(Range<usize>, u32)>,
}

/// A number of a cascade: the sum of what is on its left. One more on the left moves its centre by
/// `1 − share`, one more on the right by `−share`.
#[derive(Debug, Clone, PartialEq)]
pub struct Half {
    /// Places on the left.
    pub left: Range<usize>,
    /// Places on the right.
    pub right: Range<usize>,
    /// The left part's share of the noise.
    pub share: f64,
}

/// A shape that is ready.
#[derive(Debug, Clone)]
pub(crate) struct ReadyShape {
    pub(crate) shape: SplitTree,
    pub(crate) bells: Vec<Bell>,
    root: Bell,
    pub(crate) tasks: Tasks,
}

impl ReadyShape {
    pub(crate) fn new(shape: SplitTree) -> Self {
        let bells = shape.classes().iter().map(|class| Bell::new(class.estimate)).collect();
        let (root, tasks) = (Bell::new(shape.variance().to_f64()), Tasks::new(&shape));
        ReadyShape { shape, bells, root, tasks }
    }

    pub(crate) fn ready(&self) -> Ready<'_> {
        Ready { shape: &self.shape, bells: &self.bells, factor: None }
    }
}

/// Blocks, in the order in which they are drawn.
#[derive(Debug, Clone)]
pub(crate) struct Forest {
    /// The leaf at every place; `None`: leaf i at place i.
    pub(crate) leaves: Option<Vec<u32>>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) shapes: Vec<ReadyShape>,
    /// The first block that is drawn after the others, because of rules.
    pub(crate) second: usize,
    /// For a leaf of a second block: the leaf that it must not exceed.
    pub(crate) greater: Vec<(u32, u32)>,
}

/// What is known when a forest is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    /// The confidential numbers, by leaf.
    pub(crate) counts: &'a [i64],
    /// The bounds of the leaves, by leaf.
    pub(crate) limits: Limits<'a>,
    /// What the stage before drew.
    pub(crate) above: &'a [i64],
}

/// The numbers of a block, gathered.
#[derive(Default)]
struct BlockNumbers {
    whole: Vec<i64>,
    low: Vec<i64>,
    high: Vec<i64>,
    floors: Vec<i64>,
    sums: Vec<Sums>,
}

impl Forest {
    pub(crate) fn leaf(&self, place: usize) -> usize {
        self.leaves.as_ref().map_or(place, |leaves| leaves[place] as usize)
    }

    fn exact_sum(&self, block: &Block, counts: &[i64]) -> i64 {
        block.places.clone().map(|place| counts[self.leaf(place)]).sum()
    }

    /// Gathers what a block needs; `drawn` are the upper bounds that rules give, by place.
    fn gather<'a>(
        &'a self,
        block: &Block,
        given: Given<'a>,
        drawn: Option<&'a [i64]>,
        scratch: &'a mut BlockNumbers,
    ) -> (Leaves<'a>, &'a mut Vec<Sums>) {
        let places = block.places.clone();
        let plain = self.leaves.is_none() && block.floors.is_empty() && drawn.is_none();
        let prepared = &self.shapes[block.shape as usize];
        scratch.floors.clear();
        if !plain {
            scratch.whole.clear();
            scratch.whole.extend(places.clone().map(|place| given.counts[self.leaf(place)]));
        }
        let uniform =
            matches!(given.limits, Limits::Free | Limits::Same(..)) && block.floors.is_empty() && drawn.is_none();
        if !plain && !uniform {
            scratch.low.clear();
            scratch.high.clear();
            for place in places.clone() {
                let (low, high) = given.limits.of(self.leaf(place));
                scratch.low.push(low);
                scratch.high.push(drawn.map_or(high, |drawn| high.min(drawn[place])));
            }
            if !block.floors.is_empty() {
                scratch.floors.resize(prepared.shape.splits().len(), NO_LOW);
            }
            for (leaves, other) in &block.floors {
                let least = self.exact_sum(&self.blocks[*other as usize], given.counts);
                if leaves.len() == 1 {
                    scratch.low[leaves.start] = scratch.low[leaves.start].max(least);
                } else {
                    let same = |split: &Split| (split.start as usize, split.end as usize) == (leaves.start, leaves.end);
                    if let Some(place) = prepared.shape.splits().iter().position(same) {
                        scratch.floors[place] = scratch.floors[place].max(least);
                    }
                }
            }
        }
        let BlockNumbers { whole, low, high, floors, sums } = scratch;
        let limits = match given.limits {
            same @ (Limits::Free | Limits::Same(..)) if uniform => same,
            Limits::Each(low, high) if plain => Limits::Each(&low[places.clone()], &high[places.clone()]),
            _ => Limits::Each(low, high),
        };
        let whole: &[i64] = if plain { &given.counts[places] } else { whole };
        (Leaves { whole, part: &[], unit: 1, limits, floors }, sums)
    }

    /// The sum of a block, drawn where it is not known.
    fn total<P: Pick>(
        &self,
        block: &Block,
        given: Given<'_>,
        leaves: &Leaves<'_>,
        pick: &mut P,
    ) -> Result<i64, Problem> {
        let prepared = &self.shapes[block.shape as usize];
        match block.total {
            Total::Drawn(number) => Ok(given.above[number as usize]),
            Total::Exact => Ok(leaves.whole.iter().sum()),
            Total::Free => {
                let (centre, low, high) = leaves.root(prepared.shape.splits());
                let centre = Centre::new(centre, 0, 1).ok_or_else(too_large)?;
                let all = prepared.shape.leaves() as u32;
                let split = Split { start: 0, middle: all, end: all, class: 0 };
                let (bell, variance) = (&prepared.root, prepared.shape.variance());
                Ok(pick.pick(&Ask { split, bell, variance, factor: None, centre, low, high }))
            }
        }
    }

    /// Blocks that are drawn together, with the first of their streams.
    fn items(&self, blocks: Range<usize>, number: &mut u64) -> Vec<(Range<usize>, u64)> {
        let mut items = Vec::new();
        let (mut first, mut leaves) = (blocks.start, 0);
        let mut close = |from: usize, to: usize, number: &mut u64| {
            if from < to {
                items.push((from..to, *number));
                *number += 1;
            }
        };
        let mut large = Vec::new();
        for at in blocks.clone() {
            let block = &self.blocks[at];
            if block.places.len() > TASK_LEAVES {
                close(first, at, number);
                large.push((at..at + 1, *number));
                *number += 1 + self.shapes[block.shape as usize].tasks.streams();
                (first, leaves) = (at + 1, 0);
                continue;
            }
            leaves += block.places.len();
            if leaves >= BATCH_LEAVES {
                close(first, at + 1, number);
                (first, leaves) = (at + 1, 0);
            }
        }
        close(first, blocks.end, number);
        items.extend(large);
        items.sort_by_key(|(blocks, _)| blocks.start);
        items
    }

    /// Draws all leaves into `out`, with streams from `number` on.
    pub(crate) fn draw<S: Source + ?Sized>(
        &self,
        given: Given<'_>,
        out: &mut [i64],
        source: &S,
        number: &mut u64,
    ) -> Result<(), Problem> {
        let mut values = vec![0i64; out.len()];
        self.phase(0..self.second, given, None, &mut values, source, number)?;
        if self.second < self.blocks.len() {
            let bounds = self.bounds_by_rules(&values, out.len());
            self.phase(self.second..self.blocks.len(), given, Some(&bounds), &mut values, source, number)?;
        }
        match &self.leaves {
            None => out.copy_from_slice(&values),
            Some(leaves) => leaves.iter().zip(&values).for_each(|(leaf, value)| out[*leaf as usize] = *value),
        }
        Ok(())
    }

    /// For every place the bound that what was drawn puts on it.
    fn bounds_by_rules(&self, values: &[i64], leaves: usize) -> Vec<i64> {
        let mut place_of = vec![0usize; leaves];
        (0..values.len()).for_each(|place| place_of[self.leaf(place)] = place);
        let mut bounds = vec![NO_HIGH; values.len()];
        for (lesser, greater) in &self.greater {
            let bound = &mut bounds[place_of[*lesser as usize]];
            *bound = (*bound).min(values[place_of[*greater as usize]]);
        }
        bounds
    }

    fn phase<S: Source + ?Sized>(
        &self,
        blocks: Range<usize>,
        given: Given<'_>,
        drawn: Option<&[i64]>,
        values: &mut [i64],
        source: &S,
        number: &mut u64,
    ) -> Result<(), Problem> {
        let items = self.items(blocks, number);
        let mut chunks = Vec::with_capacity(items.len());
        let mut rest = &mut values[self
            .blocks
            .get(items.first().map_or(0, |(blocks, _)| blocks.start))
            .map_or(0, |block| block.places.start)..];
        for (blocks, _) in &items {
            let length = self.blocks[blocks.end - 1].places.end - self.blocks[blocks.start].places.start;
            let (chunk, after) = rest.split_at_mut(length);
            chunks.push(chunk);
            rest = after;
        }
        items.par_iter().zip(chunks).try_for_each(|((blocks, number), chunk)| {
            let mut pick = FromBits(stream(source, *number)?);
            let mut scratch = BlockNumbers::default();
            let mut rest = chunk;
            for block in &self.blocks[blocks.clone()] {
                let (own, after) = rest.split_at_mut(block.places.len());
                rest = after;
                let prepared = &self.shapes[block.shape as usize];
                let (leaves, sums) = self.gather(block, given, drawn, &mut scratch);
                let total = self.total(block, given, &leaves, &mut pick)?;
                if own.len() > TASK_LEAVES {
                    split_parallel(prepared.ready(), &prepared.tasks, leaves, total, own, source, number + 1)?;
                } else {
                    split_all(prepared.ready(), leaves, total, sums, own, &mut pick)?;
                }
            }
            Ok(())
        })
    }

    /// Tells every step that leads to these leaves.
    pub(crate) fn replay<F: FnMut(Step)>(
        &self,
        given: Given<'_>,
        release: &[i64],
        told: &mut F,
    ) -> Result<(), Problem> {
        let values: Vec<i64> = (0..release.len()).map(|place| release[self.leaf(place)]).collect();
        let bounds = self.bounds_by_rules(&values, release.len());
        let mut scratch = BlockNumbers::default();
        let mut out = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let drawn = (at >= self.second).then_some(&bounds[..]);
            let (leaves, sums) = self.gather(block, given, drawn, &mut scratch);
            let before = running_sums(&values[block.places.clone()]);
            let mut replay = Replay { before: &before, off: &[], told };
            let total = self.total(block, given, &leaves, &mut replay)?;
            out.clear();
            out.resize(block.places.len(), 0);
            split_all(self.shapes[block.shape as usize].ready(), leaves, total, sums, &mut out, &mut replay)?;
        }
        Ok(())
    }

    /// The variances of all numbers that are drawn, with repetitions left out block by block.
    pub(crate) fn variances(&self) -> Vec<Rational> {
        let shapes = self.shapes.iter().filter_map(|prepared| prepared.shape.least_variance().cloned());
        let free = self.blocks.iter().filter(|block| block.total == Total::Free);
        shapes.chain(free.map(|block| self.shapes[block.shape as usize].shape.variance().clone())).collect()
    }

    /// How many numbers are drawn.
    pub(crate) fn numbers(&self) -> u64 {
        let free = |block: &Block| u64::from(block.total == Total::Free);
        self.blocks.iter().map(|block| block.places.len() as u64 - 1 + free(block)).sum()
    }

    /// How every number that [`Forest::replay`] tells follows from the leaves, in its order; `None`
    /// where rules decide bounds.
    pub(crate) fn halves(&self) -> Option<Vec<Half>> {
        if !self.greater.is_empty() || self.blocks.iter().any(|block| !block.floors.is_empty()) {
            return None;
        }
        let mut halves = Vec::with_capacity(self.numbers() as usize);
        for block in &self.blocks {
            let (shape, start) = (&self.shapes[block.shape as usize].shape, block.places.start);
            if block.total == Total::Free {
                halves.push(Half { left: block.places.clone(), right: start..start, share: 0.0 });
            }
            halves.extend(shape.splits().iter().map(|split| {
                let [first, middle, end] = [split.start, split.middle, split.end].map(|place| start + place as usize);
                let class = &shape.classes()[split.class as usize];
                Half { left: first..middle, right: middle..end, share: class.left as f64 / class.whole as f64 }
            }));
        }
        Some(halves)
    }

    /// Whether leaves have the sums they must have, and keep the rules.
    pub(crate) fn keeps(&self, counts: &[i64], above: &[i64], release: &[i64]) -> bool {
        let sums = self.blocks.iter().all(|block| {
            let sum: i64 = block.places.clone().map(|place| release[self.leaf(place)]).sum();
            match block.total {
                Total::Free => true,
                Total::Exact => sum == self.exact_sum(block, counts),
                Total::Drawn(number) => sum == above[number as usize],
            }
        });
        sums && self.greater.iter().all(|(lesser, greater)| release[*lesser as usize] <= release[*greater as usize])
    }

    /// Whether the exact sums of the counts can be split within the bounds: a public question.
    pub(crate) fn feasible(&self, given: Given<'_>) -> bool {
        let mut scratch = BlockNumbers::default();
        self.blocks.iter().all(|block| {
            let (leaves, _) = self.gather(block, given, None, &mut scratch);
            let (sum, low, high) = leaves.root(self.shapes[block.shape as usize].shape.splits());
            match block.total {
                Total::Exact => (low == NO_LOW || low <= sum) && sum <= high,
                _ => low == NO_LOW || low <= high,
            }
        })
    }
}

//! Extremes in two-way tables with holes and bounds: integers that flow through a network
//! (`proofs/disclosure.md`, 4).
//!
//! Every variable is an arc from the smallest set around it on one side to that on the other; a set
//! is an arc from the set around it. A flow is a table. An arc carries its most when no path of
//! steps that are still allowed leads back around it.

use crate::holes;
use crate::part::{GoalSystem, Goals, WideEnd, WideRange};
use crate::sides::{NONE, Sides};
use analyse::by_key;
use analyse::program::{Empty, Interval};
use exact::attention::look;
use rayon::prelude::*;

/// How many goals share what they find; a fixed number, so that results do not depend on the
/// threads.
const SHARED: usize = 1024;

/// A network and a flow through it.
#[derive(Clone)]
struct Network {
    tail: Vec<u32>,
    head: Vec<u32>,
    within: Vec<Interval>,
    /// The arcs at every node: starts, then arcs.
    starts: Vec<u32>,
    at: Vec<u32>,
    flow: Vec<i128>,
    /// The least and the largest flow of every arc that was met.
    seen: Vec<(i128, i128)>,
    reached_in: Vec<u32>,
    by: Vec<u32>,
    search: u32,
    queue: Vec<u32>,
    /// How many arcs may still be looked at.
    work: u64,
}

/// The ranges of all goals, which are variables or sets of these sides, looking at no more arcs
/// than `work`; `outer` are limits of them.
pub(crate) fn extremes(
    part: &GoalSystem,
    sides: &Sides,
    outer: &[Interval],
    work: u64,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<WideRange>, Empty> {
    let mut network = Network::new(part, sides);
    network.fill()?;
    let variables = part.bounds.len() as u32;
    let (arcs, mut found): (Vec<u32>, Vec<Option<WideRange>>) = match &part.goals {
        Goals::Each => ((0..variables).collect(), holes::closed(part, sides)),
        Goals::Forms(_) => (sides.goals.iter().map(|set| variables + set).collect(), vec![None; part.goals()]),
    };
    let open: Vec<usize> = (0..arcs.len()).filter(|goal| found[*goal].is_none()).collect();
    progress(arcs.len() - open.len());
    let work = work / open.len().div_ceil(SHARED).max(1) as u64;
    let chunks: Vec<Vec<WideRange>> = open
        .par_chunks(SHARED)
        .map(|chunk| {
            let mut network = Network { work, ..network.clone() };
            let ranges = chunk.iter().map(|goal| network.range(arcs[*goal] as usize, outer[*goal])).collect();
            progress(chunk.len());
            ranges
        })
        .collect();
    open.into_iter().zip(chunks.concat()).for_each(|(goal, range)| found[goal] = Some(range));
    Ok(found.into_iter().zip(outer).map(|(found, outer)| found.unwrap_or_else(|| WideRange::unknown(*outer))).collect())
}

impl Network {
    fn new(part: &GoalSystem, sides: &Sides) -> Network {
        let variables = part.bounds.len();
        // Two nodes for what is in no set, then one for every set.
        let node = |set: u32, side: usize| if set == NONE { side as u32 } else { set + 2 };
        let (mut tail, mut head, mut within) = (Vec::new(), Vec::new(), part.bounds.clone());
        for variable in 0..variables {
            tail.push(node(sides.leaf[0][variable], 0));
            head.push(node(sides.leaf[1][variable], 1));
        }
        for (number, set) in sides.sets.iter().enumerate() {
            let (own, around) = (number as u32 + 2, node(set.parent, set.side));
            let (from, to) = if set.side == 0 { (around, own) } else { (own, around) };
            tail.push(from);
            head.push(to);
            within.push(set.within);
        }
        tail.push(1);
        head.push(0);
        within.push((None, None));
        let nodes = sides.sets.len() + 2;
        let (mut at, starts) = by_key(tail.iter().zip(&head).flat_map(|(tail, head)| [*tail, *head]), nodes);
        at.iter_mut().for_each(|end| *end /= 2);
        let nearest = |(low, high): &Interval| 0.max(low.unwrap_or(0)).min(high.unwrap_or(i128::MAX));
        let flow: Vec<i128> = within.iter().map(nearest).collect();
        Network {
            seen: Vec::new(),
            reached_in: vec![0; nodes],
            by: vec![0; nodes],
            search: 0,
            queue: Vec::new(),
            work: u64::MAX,
            tail,
            head,
            within,
            starts,
            at,
            flow,
        }
    }

    /// Makes every node pass on what it gets.
    fn fill(&mut self) -> Result<(), Empty> {
        let nodes = self.starts.len() - 1;
        let mut excess = vec![0i128; nodes];
        for arc in 0..self.flow.len() {
            excess[self.tail[arc] as usize] -= self.flow[arc];
            excess[self.head[arc] as usize] += self.flow[arc];
        }
        for node in 0..nodes {
            while excess[node] > 0 {
                let Some(end) = self.reach(node as u32, None, |other| excess[other as usize] < 0) else {
                    return Err(Empty);
                };
                let amount = excess[node].min(-excess[end as usize]);
                let amount = self.room(node as u32, end).map_or(amount, |room| room.min(amount));
                self.push(node as u32, end, amount);
                excess[node] -= amount;
                excess[end as usize] += amount;
            }
        }
        self.seen = self.flow.iter().map(|flow| (*flow, *flow)).collect();
        Ok(())
    }

    /// The least and the largest flow of an arc.
    fn range(&mut self, arc: usize, outer: Interval) -> WideRange {
        look();
        let low = self.extreme(arc, outer.0, false);
        let high = self.extreme(arc, outer.1, true);
        WideRange { low, high }
    }

    fn extreme(&mut self, arc: usize, outer: Option<i128>, raise: bool) -> WideEnd {
        let reached = if raise { self.seen[arc].1 } else { self.seen[arc].0 };
        if outer == Some(reached) {
            return WideEnd::Exact(reached);
        }
        let (from, to) = if raise { (self.head[arc], self.tail[arc]) } else { (self.tail[arc], self.head[arc]) };
        loop {
            let flow = self.flow[arc];
            let end = if raise { self.within[arc].1 } else { self.within[arc].0 };
            let own = [end, outer].into_iter().flatten().map(|end| (end - flow).abs()).min();
            if own == Some(0) {
                return WideEnd::Exact(flow);
            }
            if self.work == 0 {
                let found = if raise { self.seen[arc].1 } else { self.seen[arc].0 };
                return WideEnd::Between { outer, found: Some(found) };
            }
            if self.reach(from, Some(arc as u32), |node| node == to).is_none() {
                return WideEnd::Exact(flow);
            }
            let room = [own, self.room(from, to)].into_iter().flatten().min();
            let Some(amount) = room else { return WideEnd::Endless };
            self.push(from, to, amount);
            self.flow[arc] += if raise { amount } else { -amount };
            self.see(arc);
        }
    }

    fn see(&mut self, arc: usize) {
        let (flow, seen) = (self.flow[arc], &mut self.seen[arc]);
        *seen = (seen.0.min(flow), seen.1.max(flow));
    }

    /// How much more an arc can carry away from a node; `None`: as much as one likes.
    fn residual(&self, arc: u32, from: u32) -> Option<i128> {
        let (arc, flow) = (arc as usize, self.flow[arc as usize]);
        if self.tail[arc] == from {
            self.within[arc].1.map(|high| high - flow)
        } else {
            self.within[arc].0.map(|low| flow - low)
        }
    }

    /// The first node that fits, along steps that are still allowed, without one arc.
    fn reach(&mut self, from: u32, without: Option<u32>, fits: impl Fn(u32) -> bool) -> Option<u32> {
        self.search += 1;
        self.reached_in[from as usize] = self.search;
        let mut queue = std::mem::take(&mut self.queue);
        queue.clear();
        queue.push(from);
        let mut next = 0;
        let mut found = None;
        'search: while let Some(node) = queue.get(next).copied() {
            next += 1;
            self.work =
                self.work.saturating_sub(u64::from(self.starts[node as usize + 1] - self.starts[node as usize]));
            for place in self.starts[node as usize]..self.starts[node as usize + 1] {
                let arc = self.at[place as usize];
                let other = self.tail[arc as usize] ^ self.head[arc as usize] ^ node;
                if self.reached_in[other as usize] == self.search
                    || without == Some(arc)
                    || self.residual(arc, node).is_some_and(|room| room <= 0)
                {
                    continue;
                }
                self.reached_in[other as usize] = self.search;
                self.by[other as usize] = arc;
                if fits(other) {
                    found = Some(other);
                    break 'search;
                }
                queue.push(other);
            }
        }
        self.queue = queue;
        found
    }

    /// How much the path that was found can carry.
    fn room(&self, from: u32, to: u32) -> Option<i128> {
        let (mut node, mut room) = (to, None::<i128>);
        while node != from {
            let arc = self.by[node as usize];
            let before = self.tail[arc as usize] ^ self.head[arc as usize] ^ node;
            room = match (room, self.residual(arc, before)) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            node = before;
        }
        room
    }

    /// Sends an amount along the path that was found.
    fn push(&mut self, from: u32, to: u32, amount: i128) {
        let mut node = to;
        while node != from {
            let arc = self.by[node as usize] as usize;
            let before = self.tail[arc] ^ self.head[arc] ^ node;
            self.flow[arc] += if self.tail[arc] == before { amount } else { -amount };
            if !self.seen.is_empty() {
                self.see(arc);
            }
            node = before;
        }
    }
}

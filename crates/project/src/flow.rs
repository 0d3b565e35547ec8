//! `Circulation`: integers on the arcs of a network, as cheap as possible, by shortest paths
//! (`proofs/projections.md`, 3).
//!
//! Every arc starts at its own cheapest value. Nodes that then have too much send it along shortest
//! paths to nodes that have too little, as far as costs stay the same on the way; costs are convex,
//! so what has been sent is never regretted. A search for a path ends at the first node that lacks
//! something, and prices change only where it went; then everything is sent that these prices make
//! free.

use crate::convex::Convex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Stands for a bound that is none: far beyond every number that is accepted.
pub(crate) const FAR: i64 = 1 << 60;

/// An arc with its bounds and cost.
#[derive(Debug, Clone)]
pub(crate) struct Arc {
    pub tail: u32,
    pub head: u32,
    pub low: i64,
    pub high: i64,
    pub cost: Convex,
}

/// A network in which every node passes on what it gets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Circulation {
    pub nodes: usize,
    pub arcs: Vec<Arc>,
}

/// The state of the search.
struct Search<'a> {
    arcs: &'a [Arc],
    /// The arcs at every node: starts, then arcs.
    starts: Vec<usize>,
    at: Vec<u32>,
    flow: Vec<i64>,
    price: Vec<i128>,
    excess: Vec<i128>,
    distance: Vec<i128>,
    /// In which search a node was reached, and in which it was left.
    reached_in: Vec<u32>,
    left_in: Vec<u32>,
    /// In which search a node is on the path that is tried, or has been tried in vain.
    busy_in: Vec<u32>,
    /// In which search, and up to where, the arcs of a node have been tried in vain.
    tried_in: Vec<u32>,
    tried: Vec<usize>,
    search: u32,
}

impl Circulation {
    /// The cheapest integers, from a start; `None` when no integers fit the bounds. The start of an
    /// arc is moved to the nearest of the arc's own cheapest values.
    pub fn cheapest(&self, start: &[i64]) -> Option<Vec<i64>> {
        if self.arcs.iter().any(|arc| arc.low > arc.high) {
            return None;
        }
        let mut search = Search::new(self, start);
        for node in 0..self.nodes {
            while search.excess[node] > 0 {
                search.price_from(node)?;
                search.send_from(node);
            }
        }
        Some(search.flow)
    }
}

impl<'a> Search<'a> {
    fn new(network: &'a Circulation, start: &[i64]) -> Search<'a> {
        let mut starts = vec![0usize; network.nodes + 1];
        for arc in &network.arcs {
            starts[arc.tail as usize + 1] += 1;
            starts[arc.head as usize + 1] += 1;
        }
        (0..network.nodes).for_each(|node| starts[node + 1] += starts[node]);
        let (mut next, mut at) = (starts.clone(), vec![0u32; network.arcs.len() * 2]);
        let mut excess = vec![0i128; network.nodes];
        let settled = |(arc, wish): (&Arc, &i64)| arc.cost.cheapest_near(*wish, arc.low, arc.high);
        let flow: Vec<i64> = network.arcs.iter().zip(start).map(settled).collect();
        for (number, arc) in network.arcs.iter().enumerate() {
            for node in [arc.tail as usize, arc.head as usize] {
                at[next[node]] = number as u32;
                next[node] += 1;
            }
            excess[arc.tail as usize] -= i128::from(flow[number]);
            excess[arc.head as usize] += i128::from(flow[number]);
        }
        Search {
            arcs: &network.arcs,
            starts,
            at,
            flow,
            price: vec![0; network.nodes],
            excess,
            distance: vec![0; network.nodes],
            busy_in: vec![0; network.nodes],
            tried_in: vec![0; network.nodes],
            tried: vec![0; network.nodes],
            reached_in: vec![0; network.nodes],
            left_in: vec![0; network.nodes],
            search: 0,
        }
    }

    /// The cost of a unit along an arc away from a node, and how many units have it.
    fn step(&self, number: u32, from: usize) -> (usize, i128, i64) {
        let (arc, flow) = (&self.arcs[number as usize], self.flow[number as usize]);
        if arc.tail as usize == from {
            let room = arc.high - flow;
            let (cost, same) = arc.cost.up(flow);
            (arc.head as usize, cost, room.min(same))
        } else {
            let room = flow - arc.low;
            let (cost, same) = arc.cost.down(flow);
            (arc.tail as usize, cost, room.min(same))
        }
    }

    /// Prices that make all steps to the nearest node that lacks something free; `None` when there
    /// is no way to such a node.
    fn price_from(&mut self, source: usize) -> Option<()> {
        self.search += 1;
        let mut heap = BinaryHeap::from([Reverse((0i128, source))]);
        self.distance[source] = 0;
        self.reached_in[source] = self.search;
        let mut left = Vec::new();
        while let Some(Reverse((distance, node))) = heap.pop() {
            if self.left_in[node] == self.search {
                continue;
            }
            self.left_in[node] = self.search;
            if self.excess[node] < 0 {
                for node in left {
                    self.price[node] += self.distance[node] - distance;
                }
                return Some(());
            }
            left.push(node);
            for place in self.starts[node]..self.starts[node + 1] {
                let number = self.at[place];
                let (other, cost, room) = self.step(number, node);
                if room <= 0 || self.left_in[other] == self.search {
                    continue;
                }
                let further = distance + cost + self.price[node] - self.price[other];
                if self.reached_in[other] != self.search || further < self.distance[other] {
                    self.reached_in[other] = self.search;
                    self.distance[other] = further;
                    heap.push(Reverse((further, other)));
                }
            }
        }
        None
    }

    /// Sends what a node has too much along free steps, as long as there are some, depth first.
    fn send_from(&mut self, source: usize) {
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut node = source;
        self.enter(source);
        while self.excess[source] > 0 {
            match self.free_step(node) {
                Some((number, other)) if self.excess[other] < 0 => {
                    path.push((number, node));
                    self.send(source, other, &path);
                    // Nodes on the way may be passed again.
                    path.iter().skip(1).for_each(|(_, from)| self.busy_in[*from] = 0);
                    path.clear();
                    node = source;
                }
                Some((number, other)) => {
                    path.push((number, node));
                    self.enter(other);
                    node = other;
                }
                None => match path.pop() {
                    Some((_, from)) => {
                        self.tried[from] += 1;
                        node = from;
                    }
                    None => return,
                },
            }
        }
    }

    fn enter(&mut self, node: usize) {
        if self.tried_in[node] != self.search {
            self.tried_in[node] = self.search;
            self.tried[node] = self.starts[node];
        }
        self.busy_in[node] = self.search;
    }

    /// The next free step from a node to one that is not being tried.
    fn free_step(&mut self, node: usize) -> Option<(u32, usize)> {
        while self.tried[node] < self.starts[node + 1] {
            let number = self.at[self.tried[node]];
            let (other, cost, room) = self.step(number, node);
            let is_free = room > 0 && cost + self.price[node] == self.price[other];
            if is_free && self.busy_in[other] != self.search {
                return Some((number, other));
            }
            self.tried[node] += 1;
        }
        None
    }

    /// Sends as much along a path as goes at this cost.
    fn send(&mut self, source: usize, end: usize, path: &[(u32, usize)]) {
        let mut amount = self.excess[source].min(-self.excess[end]).min(i128::from(FAR)) as i64;
        for (number, from) in path {
            amount = amount.min(self.step(*number, *from).2);
        }
        for (number, from) in path {
            let sign = if self.arcs[*number as usize].tail as usize == *from { 1 } else { -1 };
            self.flow[*number as usize] += sign * amount;
        }
        self.excess[source] -= i128::from(amount);
        self.excess[end] += i128::from(amount);
    }
}

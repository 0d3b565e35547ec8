//! Block moves: all columns of a line redrawn at once, exactly, by messages.
//!
//! A line is a list of directions ("columns") with separate cells; what each does to the totals
//! cancels when their units add up to zero. So given the rest of the table its columns have the law
//! `∏ f_k(u_k)` on a fixed sum of the u_k: weights of sums go up a tree whose leaves are the
//! columns, and every node divides its sum by one exact choice on the way down. Two rows of a
//! two-way table are a line; so are the layers of four cells in a three-way table.
//!
//! **Coupling.** The law does not depend on the tree, so two chains may use a tree that suits both:
//! columns in which they agree on one side, on the other those in which they differ, pulled up in
//! one next to pulled down in another. Every node's choice is made by one uniform number for both.
//! Where subtrees agree, sums that differ by one are divided so that one child takes the difference
//! (weights are log-concave); where two columns are pulled in opposite ways their sum mostly
//! agrees. So a difference of a few units is passed on as it is, not multiplied.

use super::space::{Space, State, Step, Tracked};
use super::target::{OnCells, Target};
use draw::{Ladder, Message, Precision, rounded_up};
use exact::lazy::{Shared, Uniform};
use exact::{DECAY_BITS, Decision, Entropy, Positive, Rational, Weighted, Wide, decay};
use std::collections::HashMap;
use std::sync::Arc;

/// A list of directions whose units must add up to zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) columns: Vec<Step>,
    /// Whether every column is one cell without bounds or sums: then its law is the same around
    /// every table.
    pub(crate) free: bool,
}

/// The quick weights of every node of a plain tree, made once for a free line.
pub(crate) type NodeWeights = Vec<Arc<Message<f64>>>;

/// Weights below 2 to minus this of the largest are left to the next level.
pub(super) const FIRST_TRIM: u32 = 32;

/// A whole-table proposal does not reach values whose weight is below e to minus this of the
/// largest.
pub(super) const PROPOSED_DEPTH: f64 = 18.0;

/// The law of a column, whatever the present table: u is the offset of its first term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Offsets from a centre at u = 0, what a unit adds to them, and the rate they pay.
    pub(super) terms: Vec<(i64, i64, u32)>,
    /// Energies that belong to a proposal alone.
    pub(super) own: Own,
    pub(super) low: Option<i64>,
    pub(super) high: Option<i64>,
}

/// Energies of a proposal: parabolas and a slope, in steps of 2⁻²⁰.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Own {
    /// Precision and middle: `precision·(u − middle)²`.
    pub(super) parabolas: Vec<(i64, i64)>,
    /// `slope·u`.
    pub(super) slope: i64,
    /// Whether there are any.
    pub(super) used: bool,
}

/// The columns of a line around a present table.
#[derive(Debug)]
pub(crate) struct Present<'a> {
    pub(super) target: &'a Target,
    pub(super) columns: Vec<Column>,
    /// The present u of every column, or other values with the same sum.
    pub(super) now: Vec<i64>,
}

/// The order in which sums are divided: leaves are the columns, every later node has two earlier
/// ones.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(super) leaves: usize,
    pub(super) nodes: Vec<(u32, u32)>,
}

/// The precision of a level: quick at first, then that of other messages.
pub(super) fn precision(level: usize) -> Precision {
    match level {
        0 => Precision { machine: true, bits: 53, trim: FIRST_TRIM },
        level => Ladder::Standard.level(level - 1),
    }
}

impl Tree {
    /// Columns in their order, by halves.
    pub(crate) fn plain(leaves: usize) -> Tree {
        let mut tree = Tree { leaves, nodes: Vec::new() };
        let all: Vec<u32> = (0..leaves as u32).collect();
        tree.join(&all);
        tree
    }

    /// A tree that keeps the differences of two chains together.
    pub(crate) fn for_both(one: &Present<'_>, two: &Present<'_>) -> Tree {
        let leaves = one.columns.len();
        let mut tree = Tree { leaves, nodes: Vec::new() };
        let (same, differ): (Vec<u32>, Vec<u32>) =
            (0..leaves as u32).partition(|leaf| one.columns[*leaf as usize] == two.columns[*leaf as usize]);
        let mut pulled: Vec<(i64, u32)> = differ
            .into_iter()
            .map(|leaf| (one.columns[leaf as usize].pull() - two.columns[leaf as usize].pull(), leaf))
            .collect();
        pulled.sort_unstable();
        let mut pairs = Vec::with_capacity(pulled.len().div_ceil(2));
        let (mut low, mut high) = (0, pulled.len());
        while low < high {
            high -= 1;
            let pair: &[u32] = if low < high { &[pulled[low].1, pulled[high].1] } else { &[pulled[low].1] };
            pairs.extend(tree.join(pair));
            low += 1;
        }
        let tops: Vec<u32> = [tree.join(&pairs), tree.join(&same)].into_iter().flatten().collect();
        tree.join(&tops);
        tree
    }

    /// Joins parts by halves; returns the node that has all of them.
    fn join(&mut self, parts: &[u32]) -> Option<u32> {
        match parts {
            [] => None,
            [only] => Some(*only),
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                let (left, right) = (self.join(left)?, self.join(right)?);
                self.nodes.push((left, right));
                Some((self.leaves + self.nodes.len() - 1) as u32)
            }
        }
    }
}

impl<'a> Present<'a> {
    pub(crate) fn new(space: &Space, target: &'a Target, line: &Line, state: &State) -> Present<'a> {
        let mut now = Vec::with_capacity(line.columns.len());
        let column = |step: &Step| {
            let (low, high) = space.reach(state, step);
            let cell = |(place, times): &(u32, i64)| {
                let place = *place as usize;
                (state.values[place] - target.centre[place], *times, 0)
            };
            let noisy = step.rows.iter().filter_map(|(row, times)| match space.rows[*row as usize] {
                Tracked::Noisy { query, .. } => {
                    let row = *row as usize;
                    Some((state.sums[row] - target.row_centres[row], *times, 1 + query))
                }
                _ => None,
            });
            let cells = step.cells.iter().map(cell).filter(|_| !matches!(target.cells, OnCells::Bare));
            let mut terms: Vec<(i64, i64, u32)> = cells.chain(noisy).collect();
            // Units are counted from where the first cell stands: chains that differ there alone
            // have the same law.
            let (place, times) = step.cells[0];
            let at = (state.values[place as usize] - target.centre[place as usize]) * times.signum();
            terms.iter_mut().for_each(|(offset, times, _)| *offset -= at * *times);
            now.push(at);
            Column { terms, own: Own::default(), low: low.map(|low| low + at), high: high.map(|high| high + at) }
        };
        let columns = line.columns.iter().map(column).collect();
        Present { target, columns, now }
    }
}

/// One chain's way down a tree.
#[derive(Debug)]
pub(super) struct Descent<'a> {
    present: &'a Present<'a>,
    tree: &'a Tree,
    pub(super) first: Messages<f64>,
    wider: Vec<Level>,
    pub(super) sums: Vec<i64>,
}

/// The weights of a free line's columns.
pub(crate) fn kept(present: &Present<'_>) -> NodeWeights {
    Messages::all(present, &Tree::plain(present.columns.len()), precision(0)).nodes
}

/// Redraws a line: how many units of every column.
pub(crate) fn redraw<E: Entropy>(
    present: &Present<'_>,
    tree: &Tree,
    kept: Option<&NodeWeights>,
    entropy: &mut E,
) -> Vec<i64> {
    let mut descent = Descent::new(present, tree, kept, None);
    for node in (0..tree.nodes.len()).rev() {
        descent.divide(node, &mut Shared::new(), entropy);
    }
    descent.units()
}

/// Redraws the line of two chains with the same numbers.
pub(crate) fn redraw_both<E: Entropy>(
    one: &Present<'_>,
    two: &Present<'_>,
    kept: Option<&NodeWeights>,
    entropy: &mut E,
) -> (Vec<i64>, Vec<i64>) {
    // Where both chains have the same columns this is the plain tree.
    let tree = Tree::for_both(one, two);
    let mut first = Descent::new(one, &tree, kept, None);
    let mut second = Descent::new(two, &tree, kept, Some((one, &first)));
    let alike = alike(one, two, &tree);
    for node in (0..tree.nodes.len()).rev() {
        let place = tree.leaves + node;
        let mut uniform = Shared::new();
        first.divide(node, &mut uniform, entropy);
        if alike[place] && first.sums[place] == second.sums[place] {
            let (left, right) = tree.nodes[node];
            (second.sums[left as usize], second.sums[right as usize]) =
                (first.sums[left as usize], first.sums[right as usize]);
        } else {
            second.divide(node, &mut uniform, entropy);
        }
    }
    (first.units(), second.units())
}

/// The nodes below which two chains have the same columns.
fn alike(one: &Present<'_>, two: &Present<'_>, tree: &Tree) -> Vec<bool> {
    let mut alike: Vec<bool> = one.columns.iter().zip(&two.columns).map(|(one, two)| one == two).collect();
    for (left, right) in &tree.nodes {
        alike.push(alike[*left as usize] && alike[*right as usize]);
    }
    alike
}

impl<'a> Descent<'a> {
    /// Messages that are kept are used as they are; those below nodes where another chain has the
    /// same columns are taken from it.
    pub(super) fn new(
        present: &'a Present<'a>,
        tree: &'a Tree,
        kept: Option<&NodeWeights>,
        other: Option<(&Present<'_>, &Descent<'_>)>,
    ) -> Descent<'a> {
        let known = match (kept, other) {
            (Some(kept), _) => kept.iter().cloned().map(Some).collect(),
            (None, Some((other, descent))) => {
                let alike = alike(present, other, tree);
                alike.iter().zip(&descent.first.nodes).map(|(alike, message)| alike.then(|| message.clone())).collect()
            }
            (None, None) => vec![None; tree.leaves + tree.nodes.len()],
        };
        let first = Messages::new(present, tree, known, precision(0));
        let mut sums = vec![0; tree.leaves + tree.nodes.len()];
        if let Some(root) = sums.last_mut() {
            *root = present.now.iter().sum();
        }
        Descent { present, tree, first, wider: Vec::new(), sums }
    }

    /// Divides the sum of a node between its two parts, as the uniform number decides.
    pub(super) fn divide<E: Entropy>(&mut self, node: usize, shared: &mut Shared, entropy: &mut E) {
        let sum = self.sums[self.tree.leaves + node];
        let parts = self.tree.nodes[node];
        let uniform = shared.uniform();
        if uniform.known() == 0 && entropy.stride() == 64 {
            uniform.reveal(entropy);
        }
        let mut level = 0;
        let left = loop {
            let decided = match level {
                0 => self.first.decide(parts, sum, uniform),
                level => {
                    while self.wider.len() < level {
                        self.wider.push(Level::new(self.present, self.tree, precision(self.wider.len() + 1)));
                    }
                    match &self.wider[level - 1] {
                        Level::Machine(messages) => messages.decide(parts, sum, uniform),
                        Level::Wide(messages) => messages.decide(parts, sum, uniform),
                    }
                }
            };
            match decided {
                Ok(left) => break left,
                Err(Decision::MorePrecision) => level += 1,
                Err(_) => uniform.reveal(entropy),
            }
        };
        self.sums[parts.0 as usize] = left;
        self.sums[parts.1 as usize] = sum - left;
    }

    /// By how many units every column moved.
    fn units(&self) -> Vec<i64> {
        self.sums.iter().zip(&self.present.now).map(|(drawn, now)| drawn - now).collect()
    }
}

/// The weights of the sum below every node, at one level of precision.
#[derive(Debug)]
pub(super) struct Messages<T> {
    pub(super) nodes: Vec<Arc<Message<T>>>,
    bits: u32,
    /// The energy, in units of every rate, at which the weights of all leaves that were made here
    /// are one.
    pub(super) base: Vec<i128>,
}

#[derive(Debug)]
enum Level {
    Machine(Messages<f64>),
    Wide(Messages<Wide>),
}

impl Level {
    fn new(present: &Present<'_>, tree: &Tree, precision: Precision) -> Level {
        match precision.machine {
            true => Level::Machine(Messages::all(present, tree, precision)),
            false => Level::Wide(Messages::all(present, tree, precision)),
        }
    }
}

impl<T: Weigh> Messages<T> {
    /// All of them made here.
    pub(super) fn all(present: &Present<'_>, tree: &Tree, precision: Precision) -> Messages<T> {
        Messages::new(present, tree, vec![None; tree.leaves + tree.nodes.len()], precision)
    }

    fn new(
        present: &Present<'_>,
        tree: &Tree,
        known: Vec<Option<Arc<Message<T>>>>,
        precision: Precision,
    ) -> Messages<T> {
        let mut nodes: Vec<Arc<Message<T>>> = Vec::with_capacity(known.len());
        let mut base = vec![0i128; present.target.rates.len()];
        // Equal columns have equal weights, and so have nodes of the same parts: these are made
        // once.
        let mut last: Option<(usize, Vec<i128>)> = None;
        let mut joined: HashMap<[*const Message<T>; 2], u32> = HashMap::new();
        for (place, known) in known.into_iter().enumerate() {
            let message = match known {
                Some(message) => message,
                None if place < tree.leaves => {
                    let column = &present.columns[place];
                    let (message, least) = match last.take() {
                        Some((other, least)) if present.columns[other] == *column => (nodes[other].clone(), least),
                        _ => {
                            let (message, least) = column.message(present.target, precision);
                            (Arc::new(message), least)
                        }
                    };
                    base.iter_mut().zip(&least).for_each(|(base, least)| *base += least);
                    last = Some((place, least));
                    message
                }
                // Nobody asks for the weights of the whole sum: it is known.
                None if place + 1 == tree.leaves + tree.nodes.len() => Arc::new(Message::nothing()),
                None => {
                    let (left, right) = tree.nodes[place - tree.leaves];
                    let (left, right) = (&nodes[left as usize], &nodes[right as usize]);
                    let parts = [Arc::as_ptr(left), Arc::as_ptr(right)];
                    match joined.get(&parts) {
                        Some(same) => nodes[*same as usize].clone(),
                        None => {
                            joined.insert(parts, place as u32);
                            Arc::new(left.convolved(right, precision))
                        }
                    }
                }
            };
            nodes.push(message);
        }
        Messages { nodes, bits: precision.bits, base }
    }

    /// Where the uniform number falls among the sums of the left part, when both parts add up to
    /// `sum`.
    fn decide(&self, (left, right): (u32, u32), sum: i64, uniform: &Uniform) -> Result<i64, Decision> {
        let (left, right) = (&self.nodes[left as usize], &self.nodes[right as usize]);
        let low = left.first.max(sum - (right.end() - 1));
        let high = (left.end() - 1).min(sum - right.first);
        let weight = |own: i64| match (left.weight(own), right.weight(sum - own)) {
            (Some(left), Some(right)) => left.times(right),
            _ => T::zero(),
        };
        let weights: Vec<T> = (low..=high).map(weight).collect();
        // What is missing of one factor meets at most the largest weight, one, of the other.
        let missing = left.missing.plus(&right.missing).plus(&left.missing.times(&right.missing));
        let weighted = Weighted {
            weights,
            roundings: left.roundings + right.roundings + 1,
            missing: rounded_up(&missing.shifted(1)),
            bits: self.bits,
        };
        match weighted.decide(uniform) {
            Decision::Index(index) => Ok(low + index as i64),
            other => Err(other),
        }
    }
}

impl Own {
    /// Adds the change from u = 0, in fine units: 2⁻⁶⁰.
    pub(super) fn add(&self, units: i64, change: &mut [i128]) {
        if self.used
            && let Some(fine) = change.last_mut()
        {
            *fine += i128::from(self.slope) * (i128::from(units) << 40);
            for (precision, middle) in &self.parabolas {
                let (scaled, middle) = (i128::from(units) << 20, i128::from(*middle));
                *fine += i128::from(*precision) * (scaled * (scaled - 2 * middle));
            }
        }
    }
}

impl Column {
    /// Where its terms pull it to, times their number.
    fn pull(&self) -> i64 {
        self.terms.iter().map(|(offset, times, _)| -offset * times.signum()).sum()
    }

    /// The units of every rate at u, as they change from u = 0.
    pub(super) fn units(&self, target: &Target, units: i64, change: &mut [i128]) {
        change.fill(0);
        for (offset, times, rate) in &self.terms {
            let moved = offset + units * times;
            change[*rate as usize] += match (&target.cells, rate) {
                (OnCells::Squares, 0) => i128::from(moved - offset) * i128::from(moved + offset),
                _ => i128::from(moved.abs() - offset.abs()),
            };
        }
        self.own.add(units, change);
    }

    /// The energy at u, for machines: within a few roundings for every part of the sum of their
    /// sizes, which comes with it.
    fn quick(&self, target: &Target, units: i64) -> (f64, f64) {
        let rates = &target.quick;
        let squares = matches!(target.cells, OnCells::Squares);
        let (mut energy, mut size) = (0.0, 0.0);
        for (offset, times, rate) in &self.terms {
            let moved = (offset + units * times) as f64;
            let part = if squares && *rate == 0 { moved * moved } else { moved.abs() };
            energy += rates[*rate as usize] * part;
        }
        size += energy;
        if self.own.used {
            let fine = 1.0 / f64::from(1u32 << 20);
            let slope = self.own.slope as f64 * fine * units as f64;
            energy += slope;
            size += slope.abs();
            for (precision, middle) in &self.own.parabolas {
                let apart = units as f64 - *middle as f64 * fine;
                let part = *precision as f64 * fine * (apart * apart);
                energy += part;
                size += part;
            }
        }
        (energy, size)
    }

    /// The weights of the column's values in a window around the largest, and the energy at which a
    /// weight would be one.
    pub(super) fn message<T: Weigh>(&self, target: &Target, precision: Precision) -> (Message<T>, Vec<i128>) {
        let energy = |units: i64| self.quick(target, units).0;
        let inside = |units: i64| self.low.is_none_or(|low| units >= low) && self.high.is_none_or(|high| units <= high);
        // The energy is convex: downhill from anywhere ends at its least value.
        let start = self.low.unwrap_or(i64::MIN).max(0).min(self.high.unwrap_or(i64::MAX));
        let mut least = (start, energy(start));
        for direction in [1, -1] {
            while inside(least.0 + direction) {
                let next = energy(least.0 + direction);
                if next >= least.1 {
                    break;
                }
                least = (least.0 + direction, next);
            }
        }
        let trimmed = f64::from(precision.trim) * std::f64::consts::LN_2;
        // What a proposal does not reach belongs to its law: nothing is missing.
        let depth = if self.own.used { PROPOSED_DEPTH } else { trimmed };
        let mut missing = T::zero();
        let mut sides = [Vec::new(), Vec::new()];
        for (side, direction) in sides.iter_mut().zip([-1, 1]) {
            let mut end = least.0 + direction;
            while inside(end) {
                let next = energy(end) - least.1;
                if next > depth {
                    if !self.own.used {
                        // By convexity every further weight is smaller by at least the factor of
                        // these two.
                        let factor = decay(energy(end + direction) - least.1 - next);
                        let magnitude = -next * std::f64::consts::LOG2_E - (1.0 - factor).max(1e-12).log2();
                        missing = missing.plus(&T::one().shifted(magnitude.ceil() as i64 + 1));
                    }
                    break;
                }
                side.push(next);
                end += direction;
            }
        }
        let [left, right] = sides;
        let first = least.0 - left.len() as i64;
        let energies: Vec<f64> = left.into_iter().rev().chain([0.0]).chain(right).collect();
        let size = self.quick(target, first).1.max(self.quick(target, first + energies.len() as i64 - 1).1);
        let window = Window { first, energies, least: least.0, size };
        let (weights, roundings, base) = T::weigh(self, target, &window, precision.bits);
        (Message { first, weights, roundings, missing, scale: 0 }.normalised(), base)
    }
}

/// Values of a column with their energies above the least, by machine numbers.
pub(super) struct Window {
    first: i64,
    energies: Vec<f64>,
    least: i64,
    /// The largest size of an energy's parts.
    size: f64,
}

/// Numbers that can be weights of a column.
pub(super) trait Weigh: Positive {
    /// The weights of a window, the roundings behind them, and the energy at which a weight would
    /// be one.
    fn weigh(column: &Column, target: &Target, window: &Window, bits: u32) -> (Vec<Self>, u64, Vec<i128>);
}

impl Weigh for f64 {
    fn weigh(column: &Column, target: &Target, window: &Window, _bits: u32) -> (Vec<f64>, u64, Vec<i128>) {
        let mut base = vec![0i128; target.rates.len()];
        column.units(target, window.least, &mut base);
        let weights = window.energies.iter().map(|energy| decay(energy.max(0.0))).collect();
        // The error of the exponential, and that of two energies: a few roundings of the sizes of
        // their parts for every part.
        let parts = 16 + 4 * (column.terms.len() + column.own.parabolas.len());
        (weights, (1 << (53 - DECAY_BITS)) + 2 + (window.size * parts as f64).ceil() as u64, base)
    }
}

impl Weigh for Wide {
    fn weigh(column: &Column, target: &Target, window: &Window, bits: u32) -> (Vec<Wide>, u64, Vec<i128>) {
        let rates = &target.rates;
        let energy = |units: i64| {
            let mut change = vec![0i128; rates.len()];
            column.units(target, units, &mut change);
            let parts = rates.iter().zip(&change).map(|(rate, change)| rate * &Rational::integer(*change));
            (parts.fold(Rational::integer(0), |sum, part| &sum + &part), change)
        };
        let end = window.first + window.energies.len() as i64;
        let energies: Vec<(Rational, Vec<i128>)> = (window.first..end).map(energy).collect();
        // Machine numbers found the least value: the true one may be its neighbour by a hair.
        let least = energies.iter().min_by(|one, two| one.0.cmp(&two.0)).cloned();
        let (base, units) = least.unwrap_or_else(|| energy(window.least));
        (energies.iter().map(|(energy, _)| Wide::exp_minus(&(energy - &base), bits)).collect(), 1, units)
    }
}

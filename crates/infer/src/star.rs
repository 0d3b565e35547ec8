//! Normalisers of blocks that one total holds together: Z(x) by a sum over a circle, in machine
//! numbers.
//!
//! Without that total the cells of such a block are independent, or pairs with one rule between
//! them (deaths ≤ cases). Let f_i(a) be the weight of all values of the i-th of these parts whose
//! share in the total is off by a; each is found with running sums. Then Z(x) is the weight of all
//! offs that add up to zero: `(1/N)·Σ_k Π_i F_i(2πk/N)`, F_i the Fourier transform of f_i, once N
//! is beyond what offs reach together. A tilt e^{ta} changes no weight of a sum of zero and keeps
//! the terms from cancelling. Only terms near zero matter, because the product of many transforms
//! falls off quickly. Parts are recognised by how far bounds are from their counts, and far bounds
//! are all alike.

mod draws;
mod recognised;
mod turns;

use crate::base::BaseWeights;
use crate::circle::Complex;
use crate::energy::weight_of;
use crate::field::Field;
use crate::held::{Alone, Held, falling, moves, room};
use crate::pick::{stream, uniform};
use crate::tied::{Line, balanced};
use declare::Problem;
use draw::NoiseLaw;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

pub(crate) use draws::Draws;
use recognised::{components, parts};
pub(crate) use turns::dot;
use turns::{Turns, transformed};

/// A cell of the block: its bounds, and how often the total takes it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    number: u32,
    low: Option<i64>,
    high: Option<i64>,
    taken: i64,
    /// The factor by which a base measure weighs its counts.
    factor: Option<u32>,
}

/// What is independent of the rest without the total.
#[derive(Debug, Clone)]
struct TiedCells {
    first: Cell,
    /// A second cell, with `times.0·first + times.1·second ≤ bound`.
    second: Option<(Cell, (i64, i64), i64)>,
}

impl TiedCells {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        std::iter::once(&self.first).chain(self.second.as_ref().map(|(cell, ..)| cell))
    }

    /// Whether its counts are weighted.
    fn is_weighted(&self) -> bool {
        self.cells().any(|cell| cell.factor.is_some())
    }
}

/// How far bounds are from the counts of a part: below, above, of either cell; and what the rule
/// leaves. Under a base measure the counts themselves.
type Room = (usize, [i64; 5]);

/// The weights of a part around its counts.
#[derive(Debug)]
struct Transform {
    /// The logarithm of their sum.
    log: f64,
    /// Their transform at all nodes, divided by its value at zero.
    nodes: Vec<Complex>,
    /// How many values there are, their mean and their variance, where they are not alike in all
    /// tables.
    spread: Option<(usize, f64, f64)>,
}

/// A block ready for normalisers around any table with its total.
#[derive(Debug)]
pub(crate) struct Star {
    parts: Vec<TiedCells>,
    /// What the total is, over the cells of the block.
    total: i64,
    /// Parts of the same kind share their transforms: the kind of every part.
    kinds: Vec<usize>,
    /// e^{−energy} of 0, 1, … units of noise.
    falling: Vec<f64>,
    tilt: f64,
    /// Around the circle in so many nodes, of which the first are looked at.
    places: usize,
    nodes: usize,
    /// Cosines and sines at every node of all offs that parts have, from the least on; empty where
    /// they would be too many.
    turns: Turns,
    known: RwLock<HashMap<Room, Arc<Transform>>>,
    base: Option<Arc<BaseWeights>>,
}

/// More nodes than this would take too long.
const MOST_NODES: usize = 1 << 14;
/// Around a circle with more places, far more than matter, machine numbers turn too far.
const MOST_AROUND: usize = 1 << 22;
/// A product of transforms below this is nothing.
const SMALL: f64 = 1e-13;
/// Standard deviations of the sum that the circle goes around.
const DEVIATIONS: f64 = 24.0;
/// Weights of counts that fall faster than any power are tilted by up to this.
const STEEPEST: f64 = 4.0;
/// Tables that are drawn to find where true tables are.
const TUNED: u64 = 3;
/// Values of transforms that are kept.
const MOST_KEPT: usize = 1 << 22;

impl Star {
    /// Parts that one total holds together; `centre` is a table that others are near to.
    fn new(
        parts: Vec<TiedCells>,
        total: i64,
        law: &NoiseLaw,
        base: Option<Arc<BaseWeights>>,
        centre: &[i64],
    ) -> Option<Star> {
        let falling = falling(|away| weight_of(law, away))?;
        let mut seen: HashMap<String, usize> = HashMap::new();
        let kinds = parts.iter().map(|part| {
            let next = seen.len();
            *seen.entry(kind(part)).or_insert(next)
        });
        let kinds = kinds.collect();
        let mut star = Star {
            parts,
            total,
            kinds,
            falling,
            tilt: 0.0,
            places: 0,
            nodes: 0,
            turns: Turns::default(),
            known: RwLock::new(HashMap::new()),
            base,
        };
        star.prepare(centre)?;
        Some(star)
    }

    /// Chooses the tilt, the circle and the nodes at a table.
    fn prepare(&mut self, centre: &[i64]) -> Option<()> {
        // Parts with the same room are alike.
        let mut alike: BTreeMap<Room, (usize, usize)> = BTreeMap::new();
        for (number, (part, kind)) in self.parts.iter().zip(&self.kinds).enumerate() {
            alike.entry((*kind, self.room(part, centre))).or_insert((number, 0)).1 += 1;
        }
        // The mean grows with the tilt; half of what one unit costs keeps all sums finite. A base
        // measure draws farther, and where its lists end depends on the tilt.
        let unit = -self.falling.get(1).copied().unwrap_or(1e-9).ln();
        let (limit, rounds) = match self.base {
            None => (0.5 * unit, 1),
            Some(_) if self.falls_steeply() => (STEEPEST, 3),
            Some(_) => (0.75 * unit, 3),
        };
        let mut lines: Vec<(Line, usize)> = Vec::new();
        for _ in 0..rounds {
            let line = |(part, count): &(usize, usize)| Some((self.line(&self.parts[*part], centre)?.1, *count));
            lines = alike.values().map(line).collect::<Option<_>>()?;
            self.tilt = balanced(lines.iter().map(|(line, count)| (line, *count)), limit, 40);
        }
        let each = || lines.iter().map(|(line, count)| (line, *count));
        let deviation =
            each().map(|(line, count)| count as f64 * line.moments(self.tilt).1).sum::<f64>().max(0.0).sqrt();
        let longest = lines.iter().map(|(line, _)| line.weights.len()).max()?;
        let all: usize = each().map(|(line, count)| count * line.weights.len()).sum::<usize>() + 1;
        // Beyond the noise of one part the sum is that of many small ones.
        let near = 2 * longest + (2.0 * DEVIATIONS * deviation) as usize;
        self.places = all.min(near) | 1;
        if self.places > MOST_AROUND {
            return None;
        }
        // All nodes of few parts; else those at which the product is not nothing, and some more.
        self.nodes = self.places / 2 + 1;
        let decays = self.parts.len() > 12;
        if decays {
            let tilted: Vec<(Vec<f64>, usize)> =
                lines.iter().map(|(line, count)| (self.tilted(line).1, *count)).collect();
            let matter = |node: usize| {
                let angle = std::f64::consts::TAU * node as f64 / self.places as f64;
                let logs = tilted.iter().zip(&lines).map(|((weights, count), (line, _))| {
                    let whole: f64 = weights.iter().sum();
                    *count as f64 * (transformed(line.first, weights, angle).size() / whole).max(1e-300).ln()
                });
                logs.sum::<f64>() > SMALL.ln()
            };
            let (mut inside, mut outside) = (0, 1);
            while outside < self.nodes && matter(outside) {
                (inside, outside) = (outside, 2 * outside);
            }
            while outside - inside > 1 {
                let middle = (inside + outside) / 2;
                if matter(middle) { inside = middle } else { outside = middle }
            }
            self.nodes = self.nodes.min(outside + outside / 4 + 4);
        }
        if self.nodes > MOST_NODES {
            return None;
        }
        let ends = |part: &TiedCells| part.cells().map(|cell| cell.taken.abs() * self.reach()).sum();
        let listed = lines.iter().map(|(line, _)| line.first.abs().max(line.last().abs()));
        let farthest = self.parts.iter().map(ends).chain(listed).max()?;
        self.turns = Turns::new(farthest, self.nodes, self.places);
        Some(())
    }

    /// This block, ready for tables near another one.
    fn around(&self, centre: &[i64]) -> Option<Star> {
        let mut own = Star {
            parts: self.parts.clone(),
            kinds: self.kinds.clone(),
            falling: self.falling.clone(),
            turns: Turns::default(),
            known: RwLock::default(),
            base: self.base.clone(),
            ..*self
        };
        own.prepare(centre)?;
        Some(own)
    }

    /// Under a base measure: the same block ready for true tables that may be believed, which are
    /// not those near the release, because b draws releases to one side. Found by drawing one, and
    /// drawing again.
    ///
    /// # Errors
    /// When a seed has no stream.
    pub(crate) fn tuned(
        &self,
        released: &[i64],
        prior: impl Fn(u32, i64) -> f64 + Sync,
    ) -> Result<Option<Star>, Problem> {
        if self.base.is_none() {
            return Ok(None);
        }
        let mut found: Option<Star> = None;
        for round in 0..TUNED {
            let star = found.as_ref().unwrap_or(self);
            let alone = Alone::new(star);
            let beside = |cell: u32, count: i64| prior(cell, count) - alone.log(cell, count);
            let Some(draws) = Draws::new(star, released, &beside, false) else { break };
            let mut table = released.to_vec();
            let mut bits = stream(TUNED, round)?;
            if !draws.draw(&mut || uniform(&mut bits), &mut table) {
                break;
            }
            found = star.around(&table).or(found);
        }
        Ok(found)
    }

    fn log_sum(&self, centre: &[i64]) -> Option<f64> {
        let values = self.cells().map(|cell| cell.taken * centre[cell.number as usize]);
        if values.sum::<i64>() != self.total {
            return None;
        }
        let mut alike: HashMap<Room, (usize, usize)> = HashMap::new();
        // Most parts are like the one before.
        let (mut last, mut times) = (None, 0);
        for (number, (part, kind)) in self.parts.iter().zip(&self.kinds).enumerate() {
            let room = (*kind, self.room(part, centre));
            if last == Some(room) {
                times += 1;
                continue;
            }
            if let Some(before) = last.replace(room) {
                alike.entry(before).or_insert((number - 1, 0)).1 += times;
            }
            times = 1;
        }
        if let Some(before) = last {
            alike.entry(before).or_insert((self.parts.len() - 1, 0)).1 += times;
        }
        // In the order of parts, so that machine numbers round alike in every run.
        let mut alike: Vec<(Room, (usize, usize))> = alike.into_iter().collect();
        alike.sort_unstable_by_key(|(_, (number, _))| *number);
        let transform = |room: Room, number: usize| self.transform(&self.parts[number], room, centre);
        let transforms = alike.into_iter().map(|(room, (number, count))| Some((transform(room, number)?, count)));
        let transforms: Vec<(Arc<Transform>, usize)> = transforms.collect::<Option<_>>()?;
        if !self.goes_around(&transforms) {
            return None;
        }
        let logs: f64 = transforms.iter().map(|(transform, count)| *count as f64 * transform.log).sum();
        let (mut sum, mut last, mut sizes) = (0.0, 0.0, 0.0);
        for node in 0..self.nodes {
            let product = transforms.iter().fold(Complex::ONE, |product, (transform, count)| match count {
                1 => product.times(transform.nodes[node]),
                _ => product.times(transform.nodes[node].power(*count)),
            });
            sum += product.re * if node == 0 { 1.0 } else { 2.0 };
            (last, sizes) = (product.size(), sizes + product.size());
        }
        let whole = self.nodes == self.places / 2 + 1;
        // What was left out, and what cancelled, must be far below the sum.
        let precise = sum > 1e-4 * sizes && (whole || last < 1e-11 * sum);
        precise.then(|| logs + (sum / self.places as f64).ln())
    }

    /// Whether the circle is beyond what the sum reaches, or nearly all of it: where weights depend
    /// on counts, that is to be seen.
    fn goes_around(&self, transforms: &[(Arc<Transform>, usize)]) -> bool {
        let (mut values, mut mean, mut variance, mut alike) = (0, 0.0, 0.0, 0);
        for (transform, count) in transforms {
            match transform.spread {
                Some((length, own, spread)) => {
                    let times = *count as f64;
                    (values, mean, variance) = (values + count * length, mean + times * own, variance + times * spread);
                }
                None => (values, alike) = (values + count * 2 * self.falling.len(), alike + count),
            }
        }
        let far = mean.abs() + 0.5 * DEVIATIONS * variance.sqrt();
        alike == self.parts.len() || values < self.places || far < 0.5 * self.places as f64
    }

    fn transform(&self, part: &TiedCells, room: Room, centre: &[i64]) -> Option<Arc<Transform>> {
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&room) {
            return Some(known.clone());
        }
        let (scale, line) = self.line(part, centre)?;
        let (from, weights) = self.tilted(&line);
        let zero: f64 = weights.iter().sum();
        let step = std::f64::consts::TAU / self.places as f64;
        let nodes = (0..self.nodes).map(|node| {
            let value = match self.turns.transformed(line.first, &weights, node) {
                Some(value) => value,
                None => transformed(line.first, &weights, step * node as f64),
            };
            Complex { re: value.re / zero, im: value.im / zero }
        });
        let spread = part.is_weighted().then(|| {
            let (mean, variance) = line.moments(self.tilt);
            (line.weights.len(), mean, variance)
        });
        let made = Arc::new(Transform { log: scale + from + zero.ln(), nodes: nodes.collect(), spread });
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len().saturating_mul(self.nodes) < MOST_KEPT {
            known.insert(room, made.clone());
        }
        Some(made)
    }

    /// f(a)·e^{t(a − from)}, and t·from.
    fn tilted(&self, line: &Line) -> (f64, Vec<f64>) {
        let from = line.summit(self.tilt);
        let tilted = |(off, weight): (i64, &f64)| weight * (self.tilt * (off - from) as f64).exp();
        (self.tilt * from as f64, (line.first..).zip(&line.weights).map(tilted).collect())
    }

    fn reach(&self) -> i64 {
        self.falling.len() as i64 - 1
    }

    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.parts.iter().flat_map(TiedCells::cells)
    }

    /// Whether every count that the total takes is weighted so that any tilt leaves finite sums.
    fn falls_steeply(&self) -> bool {
        self.cells().all(|cell| {
            cell.taken == 0 || self.base.as_ref().zip(cell.factor).is_some_and(|(base, own)| base.is_steep(own))
        })
    }

    /// The most that a count can be where all counts add up to the total.
    fn most(&self, cell: &Cell) -> Option<i64> {
        let least = |cell: &Cell| cell.taken >= 0 && cell.low.is_some_and(|low| low >= 0);
        let all = cell.taken > 0 && self.cells().all(least);
        let most = all.then(|| self.total / cell.taken);
        [cell.high, most].into_iter().flatten().min()
    }

    /// How far a count may move: those beyond the reach of the noise are all alike.
    fn ends(&self, cell: &Cell, centre: &[i64]) -> (i64, i64) {
        room(&self.falling, centre[cell.number as usize], (cell.low, cell.high))
    }

    /// What is left of the bound of a rule.
    fn left(part: &TiedCells, centre: &[i64]) -> i64 {
        part.second.as_ref().map_or(0, |(second, times, bound)| {
            bound - times.0 * centre[part.first.number as usize] - times.1 * centre[second.number as usize]
        })
    }

    /// What decides the weights of a part.
    fn room(&self, part: &TiedCells, centre: &[i64]) -> [i64; 5] {
        let first = self.ends(&part.first, centre);
        match &part.second {
            second if part.is_weighted() => {
                let count = |cell: &Cell| centre[cell.number as usize];
                [count(&part.first), second.as_ref().map_or(0, |(second, ..)| count(second)), 0, 0, 0]
            }
            None => [first.0, first.1, 0, 0, 0],
            Some((second, times, _)) => {
                let farthest = (times.0.abs() + times.1.abs()) * self.reach();
                let own = self.ends(second, centre);
                [first.0, first.1, own.0, own.1, Star::left(part, centre).clamp(-farthest - 1, farthest)]
            }
        }
    }

    /// The weights of all moves of a cell, and the logarithm that they are to be multiplied with.
    fn moves(&self, cell: &Cell, centre: &[i64]) -> Option<(f64, Line)> {
        if let (Some(factor), Some(base)) = (cell.factor, &self.base) {
            let bounds = (cell.low.unwrap_or(0), cell.high);
            return base.moves(factor, centre[cell.number as usize], bounds, self.tilt * cell.taken as f64);
        }
        Some((0.0, moves(&self.falling, self.ends(cell, centre))))
    }

    /// f: the weights of all offs of a part, from the least on; and the logarithm that they are to
    /// be multiplied with.
    fn line(&self, part: &TiedCells, centre: &[i64]) -> Option<(f64, Line)> {
        let (mut scale, mut first) = self.moves(&part.first, centre)?;
        let (mut least, mut most) = first.ends(part.first.taken);
        let left = Star::left(part, centre);
        let mut tied = None;
        if let Some((cell, times, _)) = &part.second {
            let (own, second) = self.moves(cell, centre)?;
            let (low, high) = second.ends(cell.taken);
            (least, most, scale) = (least + low, most + high, scale + own);
            match cell.taken {
                0 => first.allow(&second, *times, left),
                taken => tied = Some((taken, times, second)),
            }
        }
        if most - least > MOST_AROUND as i64 {
            return None;
        }
        let Some((taken, times, second)) = tied else {
            let line = first.stretched(part.first.taken);
            // Rules may leave a weighted count nothing.
            return line.weights.iter().any(|weight| *weight > 0.0).then_some((scale, line));
        };
        let mut offs = vec![0.0; (most - least) as usize + 1];
        for (away, weight) in (first.first..).zip(&first.weights) {
            for (other, own) in (second.first..).zip(&second.weights) {
                if times.0 * away + times.1 * other <= left {
                    offs[(part.first.taken * away + taken * other - least) as usize] += weight * own;
                }
            }
        }
        offs.iter().any(|weight| *weight > 0.0).then_some((scale, Line { first: least, weights: offs }))
    }

    /// What a normaliser takes, about: pairs near their bounds have transforms of their own again
    /// and again.
    pub(crate) fn seconds(&self) -> f64 {
        let pairs = self.parts.iter().filter(|part| part.second.is_some()).count() as f64;
        let singles = self.parts.len() as f64 - pairs;
        let weighted = self.parts.iter().filter(|part| part.is_weighted()).count() as f64;
        1e-5 + singles * 2e-7 + (pairs + 2.0 * weighted) * self.nodes as f64 * self.reach() as f64 * 1e-9
    }
}

impl Held for Star {
    fn log_normaliser(&self, table: &[i64]) -> Option<f64> {
        self.log_sum(table).or_else(|| {
            // Under a base measure tables far from each other are drawn to different sums: such a
            // one gets a tilt of its own.
            self.base.as_ref()?;
            self.around(table)?.log_sum(table)
        })
    }

    fn falling(&self, _: u32) -> &[f64] {
        &self.falling
    }

    fn lows(&self) -> BTreeMap<u32, Option<i64>> {
        self.cells().map(|cell| (cell.number, cell.low)).collect()
    }

    fn base(&self) -> Option<&BaseWeights> {
        self.base.as_deref()
    }

    fn tilts(&self) -> HashMap<u32, f64> {
        self.cells().map(|cell| (cell.number, self.tilt * cell.taken as f64)).collect()
    }
}

/// What decides the transform of a part beside the room of its bounds.
fn kind(part: &TiedCells) -> String {
    let second = part.second.as_ref().map(|(cell, times, _)| (cell.taken, *times, cell.factor));
    let bounded = |cell: &Cell| (cell.low.is_some(), cell.high.is_some());
    // Weighted counts are recognised by themselves: their bounds must be the same too.
    let own = part.first.factor.map(|factor| (factor, part.first.low, part.first.high));
    let rule = part.second.as_ref().filter(|(cell, ..)| own.is_some() || cell.factor.is_some());
    let rule = rule.map(|(cell, _, bound)| (cell.low, cell.high, *bound));
    format!("{} {:?} {own:?} {second:?} {rule:?}", part.first.taken, bounded(&part.first))
}

/// A block of a field as stars, one for every part of it that no row ties to another; `None` where
/// one is none.
pub(crate) fn stars_of(field: &Field, block: usize) -> Option<Vec<Star>> {
    if !field.law.is_product() || !field.law.is_integer() || field.conditions.pinned.iter().any(Option::is_some) {
        return None;
    }
    let network = field.network(block).ok()?;
    let base = BaseWeights::of(&field.law).map(Arc::new);
    let star = |(classes, rows): (Vec<usize>, Vec<usize>)| {
        let (parts, total) = parts(network, base.as_deref(), &classes, &rows)?;
        Star::new(parts, total, &field.law, base.clone(), &field.centre)
    };
    components(network).into_iter().map(star).collect()
}

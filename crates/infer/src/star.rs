//! Normalisers of blocks that one total holds together: Z(x) by a sum over a circle, in machine numbers.
//!
//! Without that total the cells of such a block are independent, or pairs with one rule between them (deaths ≤ cases). Let f_i(a) be
//! the weight of all values of the i-th of these parts whose share in the total is off by a; each is found with running sums. Then Z(x) is the
//! weight of all offs that add up to zero: `(1/N)·Σ_k Π_i F_i(2πk/N)`, F_i the Fourier transform of f_i, once N is beyond what offs reach together.
//! A tilt e^{ta} changes no weight of a sum of zero and keeps the terms from cancelling. Only terms near zero matter, because the product of
//! many transforms falls off quickly. Parts are recognised by how far bounds are from their counts, and far bounds are all alike.

mod draws;

use crate::bounded::Held;
use crate::circle::Complex;
use crate::field::Field;
use crate::likelihood::weight_of;
use crate::tied::{Line, balanced};
use analyse::{Demand, Network};
use draw::NoiseLaw;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

pub(crate) use draws::Draws;

/// A cell of the block: its bounds, and how often the total takes it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    number: u32,
    low: Option<i64>,
    high: Option<i64>,
    taken: i64,
}

/// What is independent of the rest without the total.
#[derive(Debug, Clone)]
struct Part {
    first: Cell,
    /// A second cell, with `times.0·first + times.1·second ≤ bound`.
    second: Option<(Cell, (i64, i64), i64)>,
}

/// How far bounds are from the counts of a part: below, above, of either cell; and what the rule leaves.
type Room = (usize, [i64; 5]);

/// The transform of a part at all nodes, divided by its value at zero, and the logarithm of that.
type Transform = Arc<(f64, Vec<Complex>)>;

/// A block ready for normalisers around any table with its total.
#[derive(Debug)]
pub(crate) struct Star {
    parts: Vec<Part>,
    /// What the total is, over the cells of the block.
    total: i64,
    /// Parts of the same kind share their transforms: the kind of every part.
    kinds: Vec<usize>,
    /// e^{−energy} of 0, 1, … units of noise.
    falling: Vec<f64>,
    tilt: f64,
    /// Around the circle in so many nodes, of which the first are looked at.
    around: usize,
    nodes: usize,
    /// Cosines and sines at every node of all offs that parts have, from the least on; empty where they would be too many.
    turns: Turns,
    known: RwLock<HashMap<Room, Transform>>,
}

/// Weights below this part of the largest are left out.
const NEGLIGIBLE: f64 = 1e-13;
/// Noise that reaches farther, or more nodes than this, would take too long.
const FARTHEST: usize = 1 << 12;
const MOST_NODES: usize = 1 << 14;
/// Around a circle with more places, far more than matter, machine numbers turn too far.
const MOST_AROUND: usize = 1 << 22;
/// A product of transforms below this is nothing.
const SMALL: f64 = 1e-13;
/// Standard deviations of the sum that the circle goes around.
const DEVIATIONS: f64 = 24.0;

impl Star {
    /// Parts that one total holds together; `centre` is a table that others are near to.
    fn new(parts: Vec<Part>, total: i64, law: &NoiseLaw, centre: &[i64]) -> Option<Star> {
        let falling: Vec<f64> =
            (0..=FARTHEST as i64).map(|away| weight_of(law, away)).take_while(|w| *w > NEGLIGIBLE).collect();
        if falling.len() > FARTHEST {
            return None;
        }
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
            around: 0,
            nodes: 0,
            turns: Turns::default(),
            known: RwLock::new(HashMap::new()),
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
        let lines: Vec<(Line, usize)> =
            alike.into_values().map(|(part, count)| (self.line(&self.parts[part], centre), count)).collect();
        let each = || lines.iter().map(|(line, count)| (line, *count));
        // The mean grows with the tilt; half of what one unit costs keeps all sums finite.
        let limit = -0.5 * self.falling.get(1).copied().unwrap_or(1e-9).ln();
        self.tilt = balanced(each(), limit, 40);
        let deviation =
            each().map(|(line, count)| count as f64 * line.moments(self.tilt).1).sum::<f64>().max(0.0).sqrt();
        let longest = lines.iter().map(|(line, _)| line.weights.len()).max()?;
        let all: usize = each().map(|(line, count)| count * line.weights.len()).sum::<usize>() + 1;
        // Beyond the noise of one part the sum is that of many small ones.
        let near = 2 * longest + (2.0 * DEVIATIONS * deviation) as usize;
        self.around = all.min(near) | 1;
        if self.around > MOST_AROUND {
            return None;
        }
        // All nodes of few parts; else those at which the product is not nothing, and some more.
        self.nodes = self.around / 2 + 1;
        let decays = self.parts.len() > 12;
        if decays {
            let tilted: Vec<(Vec<f64>, usize)> =
                lines.iter().map(|(line, count)| (self.tilted(line), *count)).collect();
            let matter = |node: usize| {
                let angle = std::f64::consts::TAU * node as f64 / self.around as f64;
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
        let ends = |part: &Part| {
            let own = |cell: &Cell| cell.taken.abs() * self.reach();
            own(&part.first) + part.second.as_ref().map_or(0, |(cell, ..)| own(cell))
        };
        let farthest = self.parts.iter().map(ends).max()?;
        self.turns = Turns::new(farthest, self.nodes, self.around);
        Some(())
    }

    /// ln Z around a table with the total and within the bounds; `None` where machine numbers do not tell it.
    pub(crate) fn log_normaliser(&self, centre: &[i64]) -> Option<f64> {
        let value = |cell: &Cell| cell.taken * centre[cell.number as usize];
        let part = |part: &Part| value(&part.first) + part.second.as_ref().map_or(0, |(cell, ..)| value(cell));
        if self.parts.iter().map(part).sum::<i64>() != self.total {
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
        let transforms: Vec<(Transform, usize)> = alike
            .into_iter()
            .map(|(room, (number, count))| (self.transform(&self.parts[number], room, centre), count))
            .collect();
        let logs: f64 = transforms.iter().map(|(transform, count)| *count as f64 * transform.0).sum();
        let (mut sum, mut last, mut sizes) = (0.0, 0.0, 0.0);
        for node in 0..self.nodes {
            let product = transforms.iter().fold(Complex::ONE, |product, (transform, count)| match count {
                1 => product.times(transform.1[node]),
                _ => product.times(transform.1[node].power(*count)),
            });
            sum += product.re * if node == 0 { 1.0 } else { 2.0 };
            (last, sizes) = (product.size(), sizes + product.size());
        }
        let whole = self.nodes == self.around / 2 + 1;
        // What was left out, and what cancelled, must be far below the sum.
        let precise = sum > 1e-4 * sizes && (whole || last < 1e-11 * sum);
        precise.then(|| logs + (sum / self.around as f64).ln())
    }

    fn transform(&self, part: &Part, room: Room, centre: &[i64]) -> Transform {
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&room) {
            return known.clone();
        }
        let line = self.line(part, centre);
        let weights = self.tilted(&line);
        let zero: f64 = weights.iter().sum();
        let step = std::f64::consts::TAU / self.around as f64;
        let nodes = (0..self.nodes).map(|node| {
            let value = match self.turns.transformed(line.first, &weights, node) {
                Some(value) => value,
                None => transformed(line.first, &weights, step * node as f64),
            };
            Complex { re: value.re / zero, im: value.im / zero }
        });
        let made: Transform = Arc::new((zero.ln(), nodes.collect()));
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(room, made.clone());
        made
    }

    /// f(a)·e^{ta}.
    fn tilted(&self, line: &Line) -> Vec<f64> {
        (line.first..).zip(&line.weights).map(|(off, weight)| weight * (self.tilt * off as f64).exp()).collect()
    }

    fn reach(&self) -> i64 {
        self.falling.len() as i64 - 1
    }

    /// How far bounds are from the counts; those beyond the reach of the noise are all alike.
    fn room(&self, part: &Part, centre: &[i64]) -> [i64; 5] {
        let reach = self.reach();
        let below = |cell: &Cell| cell.low.map_or(reach, |low| (centre[cell.number as usize] - low).clamp(0, reach));
        let above = |cell: &Cell| cell.high.map_or(reach, |high| (high - centre[cell.number as usize]).clamp(0, reach));
        let first = [below(&part.first), above(&part.first)];
        match &part.second {
            None => [first[0], first[1], 0, 0, 0],
            Some((second, times, bound)) => {
                let farthest = (times.0.abs() + times.1.abs()) * reach;
                let left =
                    bound - times.0 * centre[part.first.number as usize] - times.1 * centre[second.number as usize];
                [first[0], first[1], below(second), above(second), left.clamp(-farthest - 1, farthest)]
            }
        }
    }

    /// f: the weights of all offs of a part, from the least on.
    fn line(&self, part: &Part, centre: &[i64]) -> Line {
        let [below, above, second_below, second_above, left] = self.room(part, centre);
        let weight = |away: i64| self.falling[away.unsigned_abs() as usize];
        let ends = |taken: i64, below: i64, above: i64| {
            [(-below * taken).min(above * taken), (-below * taken).max(above * taken)]
        };
        let [mut least, mut most] = ends(part.first.taken, below, above);
        if let Some((second, ..)) = &part.second {
            let [low, high] = ends(second.taken, second_below, second_above);
            (least, most) = (least + low, most + high);
        }
        let mut offs = vec![0.0; (most - least) as usize + 1];
        match &part.second {
            None => {
                for away in -below..=above {
                    offs[(part.first.taken * away - least) as usize] += weight(away);
                }
            }
            // The second cell is in no total: its weights up to every value, added up once.
            Some((second, times, _)) if second.taken == 0 => {
                let mut upto = vec![0.0];
                for away in -second_below..=second_above {
                    upto.push(upto[upto.len() - 1] + weight(away));
                }
                let count = |most: i64| upto[(most + second_below + 1).clamp(0, upto.len() as i64 - 1) as usize];
                for away in -below..=above {
                    let most = left - times.0 * away;
                    let inside = match times.1 > 0 {
                        true => count(most.div_euclid(times.1)),
                        false => {
                            count(second_above)
                                - count((-most).div_euclid(-times.1) + i64::from((-most).rem_euclid(-times.1) != 0) - 1)
                        }
                    };
                    offs[(part.first.taken * away - least) as usize] += weight(away) * inside;
                }
            }
            Some((second, times, _)) => {
                for away in -below..=above {
                    for other in -second_below..=second_above {
                        if times.0 * away + times.1 * other <= left {
                            let off = part.first.taken * away + second.taken * other;
                            offs[(off - least) as usize] += weight(away) * weight(other);
                        }
                    }
                }
            }
        }
        Line { first: least, weights: offs }
    }
}

impl Star {
    /// What a normaliser takes, about: pairs near their bounds have transforms of their own again and again.
    pub(crate) fn seconds(&self) -> f64 {
        let pairs = self.parts.iter().filter(|part| part.second.is_some()).count() as f64;
        let singles = self.parts.len() as f64 - pairs;
        1e-5 + singles * 2e-7 + pairs * self.nodes as f64 * self.reach() as f64 * 1e-9
    }
}

impl Held for Star {
    fn log_normaliser(&self, table: &[i64]) -> Option<f64> {
        self.log_normaliser(table)
    }

    fn falling(&self, _: u32) -> &[f64] {
        &self.falling
    }

    fn lows(&self) -> BTreeMap<u32, Option<i64>> {
        let second = |part: &Part| part.second.as_ref().map(|(cell, ..)| (cell.number, cell.low));
        self.parts.iter().flat_map(|part| [Some((part.first.number, part.first.low)), second(part)]).flatten().collect()
    }
}

/// Turns of all offs at all nodes.
#[derive(Debug, Default)]
struct Turns {
    farthest: i64,
    cosines: Vec<f64>,
    sines: Vec<f64>,
}

/// More turns than this are not kept.
const MOST_TURNS: usize = 1 << 22;

impl Turns {
    fn new(farthest: i64, nodes: usize, around: usize) -> Turns {
        let width = 2 * farthest as usize + 1;
        if width.saturating_mul(nodes) > MOST_TURNS {
            return Turns::default();
        }
        let angle = |place: usize| {
            let (node, off) = (place / width, (place % width) as i64 - farthest);
            // Whole turns are left out first: what is left is small and exact.
            let left = (node as i64 * off).rem_euclid(around as i64);
            std::f64::consts::TAU * left as f64 / around as f64
        };
        let places = 0..width * nodes;
        let cosines = places.clone().map(|place| angle(place).cos()).collect();
        Turns { farthest, cosines, sines: places.map(|place| angle(place).sin()).collect() }
    }

    /// Σ_a f(a)·e^{iθa} at a node; `None` where turns are not kept.
    fn transformed(&self, first: i64, weights: &[f64], node: usize) -> Option<Complex> {
        let width = 2 * self.farthest as usize + 1;
        let start = usize::try_from(first + self.farthest).ok()?;
        let at = node * width + start;
        let range = at..at + weights.len();
        let (cosines, sines) = (self.cosines.get(range.clone())?, self.sines.get(range)?);
        Some(Complex { re: dot(weights, cosines), im: dot(weights, sines) })
    }
}

/// Σ a·b, in four sums that the machine keeps side by side.
pub(crate) fn dot(one: &[f64], two: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (ones, twos) = (one.chunks_exact(4), two.chunks_exact(4));
    let rest: f64 = ones.remainder().iter().zip(twos.remainder()).map(|(one, two)| one * two).sum();
    for (one, two) in ones.zip(twos) {
        (0..4).for_each(|place| sums[place] += one[place] * two[place]);
    }
    rest + sums.iter().sum::<f64>()
}

/// Σ_a f(a)·e^{iθa}.
fn transformed(first: i64, weights: &[f64], angle: f64) -> Complex {
    let step = Complex { re: angle.cos(), im: angle.sin() };
    let mut sum = Complex { re: 0.0, im: 0.0 };
    // The turn is made afresh every so often: turns multiply their rounding.
    for (number, some) in weights.chunks(64).enumerate() {
        let at = angle * (first + 64 * number as i64) as f64;
        let mut turn = Complex { re: at.cos(), im: at.sin() };
        for weight in some {
            sum = Complex { re: sum.re + weight * turn.re, im: sum.im + weight * turn.im };
            turn = turn.times(step);
        }
    }
    sum
}

/// What decides the transform of a part beside the room of its bounds.
fn kind(part: &Part) -> String {
    let second = part.second.as_ref().map(|(cell, times, _)| (cell.taken, *times));
    let bounded = |cell: &Cell| (cell.low.is_some(), cell.high.is_some());
    format!("{} {:?} {second:?}", part.first.taken, bounded(&part.first))
}

/// The classes of a block that rows tie together, with these rows.
fn components(network: &Network) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut of: Vec<usize> = (0..network.classes.len()).collect();
    for row in &network.rows {
        let Some((first, _)) = row.entries.first() else { continue };
        let target = of[*first as usize];
        let joined: Vec<usize> = row.entries.iter().map(|(class, _)| of[*class as usize]).collect();
        of.iter_mut().filter(|class| joined.contains(class)).for_each(|class| *class = target);
    }
    let mut found: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    of.iter().enumerate().for_each(|(class, component)| found.entry(*component).or_default().0.push(class));
    for (number, row) in network.rows.iter().enumerate() {
        if let Some((first, _)) = row.entries.first() {
            found.entry(of[*first as usize]).or_default().1.push(number);
        }
    }
    found.into_values().collect()
}

/// The cells of classes as parts that one equality, with its value, holds together; `None` when it is something else.
fn parts(network: &Network, classes: &[usize], rows: &[usize]) -> Option<(Vec<Part>, i64)> {
    let rows: Vec<&analyse::NetworkRow> = rows.iter().map(|row| &network.rows[*row]).collect();
    let (mut taken, mut value, mut totals) = (HashMap::new(), 0, 0);
    for row in &rows {
        match row.demand {
            Demand::Equal(total) => {
                taken = row.entries.iter().copied().collect::<HashMap<u32, i64>>();
                (value, totals) = (total, totals + 1);
            }
            Demand::Noisy { .. } => return None,
            Demand::AtLeast(_) | Demand::AtMost(_) => {}
        }
    }
    if totals > 1 || classes.iter().any(|class| network.classes[*class].noise != analyse::CellNoise::Law) {
        return None;
    }
    let cell = |class: usize, place: usize| {
        let found = &network.classes[class];
        let times = taken.get(&(class as u32)).copied().unwrap_or(0);
        Cell { number: found.cells[place], low: found.low, high: found.high, taken: times }
    };
    let mut used: BTreeMap<usize, bool> = classes.iter().map(|class| (*class, false)).collect();
    let mut parts = Vec::new();
    for row in rows {
        let (bound, sign) = match row.demand {
            Demand::AtMost(bound) => (bound, 1),
            Demand::AtLeast(bound) => (-bound, -1),
            Demand::Equal(_) | Demand::Noisy { .. } => continue,
        };
        let [(one, a), (two, b)] = row.entries.as_slice() else { return None };
        let (one, two) = (*one as usize, *two as usize);
        if [one, two]
            .iter()
            .any(|class| network.classes[*class].cells.len() != 1 || used.insert(*class, true) == Some(true))
        {
            return None;
        }
        // A cell in no total comes second: running sums are of it.
        let (first, second) = (cell(one, 0), cell(two, 0));
        parts.push(match second.taken == 0 || first.taken != 0 {
            true => Part { first, second: Some((second, (sign * a, sign * b), bound)) },
            false => Part { first: second, second: Some((first, (sign * b, sign * a), bound)) },
        });
    }
    for (class, _) in used.into_iter().filter(|(_, used)| !used) {
        parts.extend(
            (0..network.classes[class].cells.len()).map(|place| Part { first: cell(class, place), second: None }),
        );
    }
    Some((parts, value))
}

/// A block of a field as stars, one for every part of it that no row ties to another; `None` where one is none.
pub(crate) fn stars_of(field: &Field, block: usize) -> Option<Vec<Star>> {
    if !field.law.is_product() || !field.law.is_integer() || field.conditions.pinned.iter().any(Option::is_some) {
        return None;
    }
    let network = field.network(block).ok()?;
    let star = |(classes, rows): (Vec<usize>, Vec<usize>)| {
        let (parts, total) = parts(network, &classes, &rows)?;
        Star::new(parts, total, &field.law, &field.centre)
    };
    components(network).into_iter().map(star).collect()
}

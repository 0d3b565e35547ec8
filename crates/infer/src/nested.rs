//! Releases by a cascade whose totals nest: the posterior itself, from split to split.
//!
//! Let t be the true sum of a part less the released one. A split of the part W into L and R has a
//! probability that depends on the true table through t_L − s·t_W alone, s being the left part's
//! share of the noise, and t_W = t_L + t_R. So parts are the points of a tree: given t_W, what is
//! left and what is right of it are independent. M(t), the weight of all tables of a part whose sum
//! is off by t, goes up that tree: M_W(t) = Σ M_L(u)·M_R(t − u)·f(u − s·t), with one of zero or one
//! (times the prior) for every cell; at an exact total t is zero. Going down again gives the laws
//! of all parts, and draws. Where bounds are far f is a bell, which is a product of bells of t_L,
//! t_R and 1/t_W, and the sum is a plain convolution. Nothing is random and nothing is left out but
//! tails: windows are widened until what lies beyond them is below 10⁻¹³. Proof:
//! `proofs/posterior.md`.

use crate::pick::{pick_pair, uniform};
use crate::several::Sources;
use crate::splits::{Split, Splits};
use analyse::Demand;
use cascade::Half;
use draw::Law;
use exact::Entropy;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Standard deviations to either side, at first, and what is added to them.
const WINDOW: f64 = 8.0;
const MARGIN: i64 = 4;
/// A law may have so much of itself at an end of its window.
const TAIL: f64 = 1e-14;
/// Windows are widened so often.
const ROUNDS: usize = 40;
/// Bells are taken apart where windows are at most so many standard deviations wide: machine
/// numbers hold them.
const APART: f64 = 20.0;
/// The most numbers that are kept, and the most products of one passage.
const MOST_NUMBERS: f64 = 1.5e8;
const MOST_PRODUCTS: f64 = 4e10;
/// Parts with more pairs of sums have their splits interpolated, where these are wide.
const MANY_PAIRS: usize = 400_000;
const WIDE: f64 = 8.0;

/// How the sum of a part is split.
#[derive(Debug, Clone, Copy)]
struct Cut {
    split: Split,
    share: f64,
    left: usize,
    right: usize,
}

/// A part: cells whose sum is a number of the cascade.
#[derive(Debug, Default)]
struct CascadeNumber {
    above: Option<usize>,
    cut: Option<Cut>,
    /// Noise of its own on a sum that is not exact.
    top: Option<Split>,
    places: Range<usize>,
    /// The released sum.
    released: i64,
    /// What t can be at all.
    least: Option<i64>,
    most: Option<i64>,
    /// What it is looked at for.
    first: i64,
    last: i64,
    /// M, its largest number one, and what it was divided by.
    below: Vec<f64>,
    scale: f64,
    /// The weight of everything outside the part, given t.
    outside: Vec<f64>,
}

/// One exact total, or one sum with noise of its own, with all that is below it.
#[derive(Debug)]
pub(crate) struct Nest {
    /// Those above come before those below.
    parts: Vec<CascadeNumber>,
    /// Cells in the order in which they are split.
    pub(crate) cells: Vec<u32>,
    place_of: HashMap<u32, usize>,
    /// The part of every cell alone, by place.
    alone: Vec<usize>,
}

/// The posterior of a release by a cascade, total by total; `None` where totals cross, rules bind,
/// or it takes too long.
pub(crate) fn nests(sources: &Sources<'_>, splits: &Splits) -> Option<Vec<Nest>> {
    let release = &sources.releases[0];
    let (halves, cells) = release.plan.cascade()?.halves()?;
    let bounds = bounds(sources)?;
    let mut nests = planted(&halves, splits, &cells, &release.values)?;
    nests.iter_mut().for_each(|nest| nest.bound(&bounds, &release.values));
    if nests.iter().map(Nest::numbers).sum::<f64>() > MOST_NUMBERS {
        return None;
    }
    let found =
        nests.par_iter_mut().map(|nest| nest.find(&|cell, count| sources.prior.log_weight(cell as usize, count)));
    found.collect::<Option<Vec<()>>>()?;
    Some(nests)
}

/// What every true count is between; `None` where anything but totals and bounds of single cells is
/// known.
fn bounds(sources: &Sources<'_>) -> Option<Vec<(Option<i64>, Option<i64>)>> {
    let mut bounds = vec![(None, None); sources.conditions.cells];
    sources.fixed.iter().for_each(|(cell, value)| bounds[*cell] = (Some(*value), Some(*value)));
    for block in 0..sources.blocks.len() {
        let fibre = sources.fibre(block).ok()?;
        if fibre.rows.iter().any(|row| matches!(row.demand, Demand::AtLeast(_) | Demand::AtMost(_))) {
            return None;
        }
        fibre.cells.iter().zip(&fibre.bounds).for_each(|(cell, own)| bounds[*cell as usize] = *own);
    }
    Some(bounds)
}

/// The trees of splits, in the order in which a cascade tells them.
fn planted(halves: &[Half], splits: &Splits, cells: &[u32], values: &[i64]) -> Option<Vec<Nest>> {
    let mut nests: Vec<Nest> = Vec::new();
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let mut start = 0;
    let mut placed = 0;
    for (number, half) in halves.iter().enumerate() {
        let whole = half.left.start..half.right.end.max(half.left.end);
        if !known.contains_key(&(whole.start, whole.end)) {
            // The cells of totals that are not split stand alone, and are what they were released
            // as.
            alone(&mut nests, placed..whole.start, cells, values);
            (start, placed) = (whole.start, whole.end);
            known.clear();
            known.insert((whole.start, whole.end), 0);
            nests.push(Nest::new(&cells[whole.clone()], values));
        }
        let nest = nests.last_mut()?;
        let at = *known.get(&(whole.start, whole.end))?;
        let split = *splits.splits.get(number)?;
        if half.right.is_empty() {
            nest.parts[at].top = Some(split);
            continue;
        }
        let mut child = |places: &Range<usize>| {
            let own = places.start - start..places.end - start;
            known.insert((places.start, places.end), nest.parts.len());
            nest.add(Some(at), own, values)
        };
        let (left, right) = (child(&half.left), child(&half.right));
        nest.parts[at].cut = Some(Cut { split, share: half.share, left, right });
    }
    alone(&mut nests, placed..cells.len(), cells, values);
    let whole = |nest: &Nest| nest.alone.iter().all(|part| *part != usize::MAX);
    nests.iter().all(whole).then_some(nests)
}

/// Totals of one cell.
fn alone(nests: &mut Vec<Nest>, places: Range<usize>, cells: &[u32], values: &[i64]) {
    nests.extend(places.map(|place| Nest::new(&cells[place..=place], values)));
}

impl Nest {
    fn new(cells: &[u32], values: &[i64]) -> Nest {
        let place_of = cells.iter().enumerate().map(|(place, cell)| (*cell, place)).collect();
        let alone = vec![usize::MAX; cells.len()];
        let mut nest = Nest { parts: Vec::new(), cells: cells.to_vec(), place_of, alone };
        nest.add(None, 0..cells.len(), values);
        nest
    }

    fn add(&mut self, above: Option<usize>, places: Range<usize>, values: &[i64]) -> usize {
        let number = self.parts.len();
        if places.len() == 1 {
            self.alone[places.start] = number;
        }
        let released = self.cells[places.clone()].iter().map(|cell| values[*cell as usize]).sum();
        self.parts.push(CascadeNumber { above, places, released, ..CascadeNumber::default() });
        number
    }

    /// Puts down what t can be, and the windows to begin with.
    fn bound(&mut self, bounds: &[(Option<i64>, Option<i64>)], values: &[i64]) {
        for number in (0..self.parts.len()).rev() {
            let sum = |one: Option<i64>, two: Option<i64>| one.zip(two).map(|(one, two)| one + two);
            let (least, most) = match self.parts[number].cut {
                Some(Cut { left, right, .. }) => {
                    let (left, right) = (&self.parts[left], &self.parts[right]);
                    (sum(left.least, right.least), sum(left.most, right.most))
                }
                None => {
                    let cell = self.cells[self.parts[number].places.start] as usize;
                    let (low, high) = bounds[cell];
                    (low.map(|low| low - values[cell]), high.map(|high| high - values[cell]))
                }
            };
            (self.parts[number].least, self.parts[number].most) = (least, most);
        }
        let mut variances = vec![0.0; self.parts.len()];
        for number in 0..self.parts.len() {
            let part = &mut self.parts[number];
            if part.above.is_none() {
                variances[number] = part.top.map_or(0.0, |top| top.variance);
            }
            if !part.is_exact() {
                part.look((WINDOW * variances[number].sqrt()).ceil() as i64 + MARGIN);
            }
            if let Some(Cut { split, share, left, right }) = part.cut {
                let whole = variances[number];
                variances[left] = share * share * whole + split.variance;
                variances[right] = (1.0 - share).powi(2) * whole + split.variance;
            }
        }
    }

    /// Goes up and down until windows are wide enough; `None` where that takes too long.
    fn find(&mut self, log_prior: &(dyn Fn(u32, i64) -> f64 + Sync)) -> Option<()> {
        let possible =
            |part: &CascadeNumber| part.least.is_none_or(|least| least <= 0) && part.most.is_none_or(|most| most >= 0);
        if self.parts[0].is_exact() && !possible(&self.parts[0]) {
            return None;
        }
        for _ in 0..ROUNDS {
            let products = |part: &CascadeNumber| {
                part.cut.map_or(0.0, |cut| self.parts[cut.left].count() as f64 * part.count() as f64)
            };
            if self.numbers() > MOST_NUMBERS || self.parts.iter().map(products).sum::<f64>() > MOST_PRODUCTS {
                return None;
            }
            let narrow = match self.up(log_prior).and_then(|()| self.down()) {
                Some(()) => self.narrow(),
                // No table has all its sums within the windows.
                None => (0..self.parts.len()).flat_map(|part| [(part, false), (part, true)]).collect(),
            };
            let widened = narrow.into_iter().fold(false, |any, (part, upper)| self.parts[part].widen(upper) || any);
            if !widened {
                return self.parts.iter().all(|part| !part.outside.is_empty()).then_some(());
            }
        }
        None
    }

    /// How many numbers are kept of it.
    fn numbers(&self) -> f64 {
        self.parts.iter().map(|part| 2.0 * part.count() as f64).sum()
    }

    fn up(&mut self, log_prior: &(dyn Fn(u32, i64) -> f64 + Sync)) -> Option<()> {
        for number in (0..self.parts.len()).rev() {
            let part = &self.parts[number];
            let below = match &part.cut {
                None => {
                    let cell = self.cells[part.places.start];
                    let log = |t: i64| log_prior(cell, part.released + t);
                    let logs: Vec<f64> = (part.first..=part.last).map(log).collect();
                    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    logs.into_iter().map(|log| (log - largest).exp()).collect()
                }
                Some(cut) => gathered(cut, part, &self.parts[cut.left], &self.parts[cut.right]),
            };
            (self.parts[number].below, self.parts[number].scale) = scaled(below)?;
        }
        Some(())
    }

    fn down(&mut self) -> Option<()> {
        for number in 0..self.parts.len() {
            if self.parts[number].above.is_none() {
                let part = &mut self.parts[number];
                let weight = |t: i64| part.top.as_ref().map_or(1.0, |top| top.log(t as f64).exp());
                part.outside = (part.first..=part.last).map(weight).collect();
            }
            let part = &self.parts[number];
            let law: f64 = part.weights().sum();
            if !(law > 0.0 && law.is_finite()) {
                return None;
            }
            if let Some(cut) = part.cut {
                let (left, right) = handed_down(&cut, part, &self.parts[cut.left], &self.parts[cut.right]);
                (self.parts[cut.left].outside, _) = scaled(left)?;
                (self.parts[cut.right].outside, _) = scaled(right)?;
            }
        }
        Some(())
    }

    /// Ends of windows that laws reach.
    fn narrow(&self) -> Vec<(usize, bool)> {
        let mut narrow = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let law: Vec<f64> = part.weights().collect();
            let most = TAIL * law.iter().sum::<f64>();
            for (upper, end) in [(false, law.first()), (true, law.last())] {
                if end.is_some_and(|weight| *weight > most) {
                    narrow.push((number, upper));
                }
            }
        }
        narrow
    }

    /// The law of a sum of cells that are one part; `None` for other sums.
    pub(crate) fn law(&self, entries: &[(u32, i64)]) -> Option<Law> {
        let (cell, times) = entries.first()?;
        let mut number = self.alone[*self.place_of.get(cell)?];
        while self.parts[number].places.len() < entries.len() {
            number = self.parts[number].above?;
        }
        let part = &self.parts[number];
        let inside = |cell: &u32| self.place_of.get(cell).is_some_and(|place| part.places.contains(place));
        if part.places.len() != entries.len() || !entries.iter().all(|(cell, other)| other == times && inside(cell)) {
            return None;
        }
        let weights: Vec<f64> = part.weights().collect();
        crate::sums::scaled(&Law::from_weights(part.released + part.first, &weights)?, *times)
    }

    /// Draws its cells into a table.
    pub(crate) fn draw(&self, entropy: &mut impl Entropy, table: &mut [i64]) {
        let mut off = vec![0i64; self.parts.len()];
        let listed: Vec<(i64, f64)> = (self.parts[0].first..).zip(self.parts[0].weights()).collect();
        off[0] = *pick_pair(&listed, uniform(entropy));
        for (number, part) in self.parts.iter().enumerate() {
            match &part.cut {
                None => table[self.cells[part.places.start] as usize] = part.released + off[number],
                Some(cut) => {
                    let (left, right) = (&self.parts[cut.left], &self.parts[cut.right]);
                    off[cut.left] = drawn(cut, (part, off[number]), left, right, uniform(entropy));
                    off[cut.right] = off[number] - off[cut.left];
                }
            }
        }
    }
}

impl CascadeNumber {
    /// How many sums it is looked at for.
    fn count(&self) -> usize {
        (self.last - self.first + 1) as usize
    }

    fn is_exact(&self) -> bool {
        self.above.is_none() && self.top.is_none()
    }

    /// Looks so far around the possible that is nearest to the release.
    fn look(&mut self, reach: i64) {
        let (least, most) = (self.least.unwrap_or(-reach), self.most.unwrap_or(reach));
        let middle = 0.max(least).min(most);
        self.first = (middle - reach).max(self.least.unwrap_or(i64::MIN));
        self.last = (middle + reach).min(self.most.unwrap_or(i64::MAX));
    }

    /// Looks farther; whether there is anything.
    fn widen(&mut self, upper: bool) -> bool {
        if self.is_exact() {
            return false;
        }
        let more = ((self.last - self.first) / 3).max(MARGIN);
        let before = (self.first, self.last);
        match upper {
            true => self.last = self.most.map_or(self.last + more, |most| (self.last + more).min(most)),
            false => self.first = self.least.map_or(self.first - more, |least| (self.first - more).max(least)),
        }
        before != (self.first, self.last)
    }

    fn at(&self, t: i64) -> f64 {
        match t >= self.first && t <= self.last {
            true => self.below[(t - self.first) as usize],
            false => 0.0,
        }
    }

    /// The weights of t, whatever is below it.
    fn weights(&self) -> impl Iterator<Item = f64> {
        self.below.iter().zip(&self.outside).map(|(below, outside)| below * outside)
    }
}

/// t_L given t_W, looked for from its middle on outwards.
fn drawn(
    cut: &Cut,
    (part, t): (&CascadeNumber, i64),
    left: &CascadeNumber,
    right: &CascadeNumber,
    uniform: f64,
) -> i64 {
    let (first, last) = (left.first.max(t - right.last), left.last.min(t - right.first));
    let middle = cut.share * t as f64;
    let weight = |u: i64| left.at(u) * right.at(t - u) * cut.split.log(u as f64 - middle).exp();
    let mut rest = uniform * part.at(t) * part.scale;
    let mut low = (middle.round() as i64).clamp(first, last);
    let (mut high, mut likely) = (low + 1, (low, 0.0));
    while low >= first || high <= last {
        for (u, inside) in [(low, low >= first), (high, high <= last)] {
            if inside {
                let own = weight(u);
                rest -= own;
                if rest < 0.0 {
                    return u;
                }
                if own > likely.1 {
                    likely = (u, own);
                }
            }
        }
        (low, high) = (low - 1, high + 1);
    }
    // Rounding left a part of 10⁻¹⁵ of the whole.
    likely.0
}

/// Weights with a largest of one, and what they were divided by; `None` where machine numbers fail.
fn scaled(mut weights: Vec<f64>) -> Option<(Vec<f64>, f64)> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter_mut().for_each(|weight| *weight /= largest);
    (largest > 0.0 && largest.is_finite()).then_some((weights, largest))
}

/// The variances of the bells of t_L, t_R and t_W whose quotient a split is, where windows lie far
/// from its bounds.
fn apart(cut: &Cut, part: &CascadeNumber, left: &CascadeNumber, right: &CascadeNumber) -> Option<[f64; 3]> {
    let (share, variance) = (cut.share, cut.split.variance);
    let off = |t: i64| share * t as f64;
    let least = left.first as f64 - off(part.first).max(off(part.last));
    let most = left.last as f64 - off(part.first).min(off(part.last));
    let variances = [variance / (1.0 - share), variance / share, variance / share / (1.0 - share)];
    let near = |(part, variance): (&CascadeNumber, &f64)| {
        part.first.unsigned_abs().max(part.last.unsigned_abs()) as f64 <= APART * variance.sqrt()
    };
    (cut.split.is_bell(least, most) && [left, right, part].into_iter().zip(&variances).all(near)).then_some(variances)
}

/// The numbers of a window times a bell.
fn belled(first: i64, weights: &[f64], variance: f64) -> Vec<f64> {
    let bell = |t: i64| (-((t * t) as f64) / (2.0 * variance)).exp();
    (first..).zip(weights).map(|(t, weight)| weight * bell(t)).collect()
}

/// Σ a·b over what two windows share: one starts where the other's place `shift` is.
fn overlap(one: &[f64], two: &[f64], shift: i64) -> f64 {
    let (from_one, from_two) = ((-shift).max(0) as usize, shift.max(0) as usize);
    match (one.get(from_one..), two.get(from_two..)) {
        (Some(one), Some(two)) => crate::star::dot(&one[..one.len().min(two.len())], &two[..two.len().min(one.len())]),
        _ => 0.0,
    }
}

/// M of a part from those below it.
fn gathered(cut: &Cut, part: &CascadeNumber, left: &CascadeNumber, right: &CascadeNumber) -> Vec<f64> {
    if let Some([a, b, whole]) = apart(cut, part, left, right) {
        let one = belled(left.first, &left.below, a);
        let mut two = belled(right.first, &right.below, b);
        two.reverse();
        // The place of u in `one` and that of t − u in `two` add up: both go forward together.
        let sum = |t: i64| overlap(&one, &two, right.last - (t - left.first));
        let sums: Vec<f64> = (part.first..=part.last).map(sum).collect();
        let height = (std::f64::consts::TAU * cut.split.variance).sqrt().recip();
        let sums: Vec<f64> = belled(part.first, &sums, -whole);
        return sums.into_iter().map(|sum| sum * height).collect();
    }
    let mut sums = vec![0.0; part.count()];
    pairs(cut, part, left, right, |u, v, t, weight| sums[t] += left.below[u] * right.below[v] * weight);
    sums
}

/// What everything outside its two parts weighs, for each of them.
fn handed_down(cut: &Cut, part: &CascadeNumber, left: &CascadeNumber, right: &CascadeNumber) -> (Vec<f64>, Vec<f64>) {
    if let Some([a, b, whole]) = apart(cut, part, left, right) {
        let above = belled(part.first, &part.outside, -whole);
        let of = |own: &CascadeNumber, other: &CascadeNumber, own_variance: f64, variance: f64| {
            let beside = belled(other.first, &other.below, variance);
            let sum = |u: i64| overlap(&above, &beside, part.first - (u + other.first));
            let sums: Vec<f64> = (own.first..=own.last).map(sum).collect();
            belled(own.first, &sums, own_variance)
        };
        return (of(left, right, a, b), of(right, left, b, a));
    }
    let (mut one, mut two) = (vec![0.0; left.below.len()], vec![0.0; right.below.len()]);
    pairs(cut, part, left, right, |u, v, t, weight| {
        let above = part.outside[t] * weight;
        one[u] += above * right.below[v];
        two[v] += above * left.below[u];
    });
    (one, two)
}

/// All pairs of t_L and t_R, with the place of t_W and the probability of the split.
fn pairs(
    cut: &Cut,
    part: &CascadeNumber,
    left: &CascadeNumber,
    right: &CascadeNumber,
    mut visit: impl FnMut(usize, usize, usize, f64),
) {
    let many = left.count().saturating_mul(right.count()) > MANY_PAIRS && cut.split.variance > WIDE * WIDE;
    let curve = many.then(|| {
        let least = (1.0 - cut.share) * left.first as f64 - cut.share * right.last as f64;
        let most = (1.0 - cut.share) * left.last as f64 - cut.share * right.first as f64;
        Curve::new(&cut.split, least, most)
    });
    for (place, u) in (left.first..=left.last).enumerate() {
        let (first, last) = (right.first.max(part.first - u), right.last.min(part.last - u));
        for v in first..=last {
            let moved = (1.0 - cut.share) * u as f64 - cut.share * v as f64;
            let log = match &curve {
                Some(curve) => curve.at(moved),
                None => cut.split.log(moved),
            };
            visit(place, (v - right.first) as usize, (u + v - part.first) as usize, log.exp());
        }
    }
}

/// The logarithm of a wide split between points at every 64th of its standard deviation:
/// polynomials through eight of them, whose error is below 10⁻¹³.
struct Curve {
    first: f64,
    step: f64,
    logs: Vec<f64>,
}

const FINE: f64 = 64.0;
const POINTS: [f64; 8] = [-1.0, 7.0, -21.0, 35.0, -35.0, 21.0, -7.0, 1.0];

impl Curve {
    fn new(split: &Split, least: f64, most: f64) -> Curve {
        let step = split.variance.sqrt() / FINE;
        let first = least - 8.0 * step;
        let count = ((most - first) / step) as usize + 10;
        Curve { first, step, logs: (0..count).map(|place| split.log(first + place as f64 * step)).collect() }
    }

    fn at(&self, moved: f64) -> f64 {
        let place = (moved - self.first) / self.step;
        let start = (place as usize).saturating_sub(3).min(self.logs.len() - 8);
        let (mut above, mut below) = (0.0, 0.0);
        for (number, (times, log)) in POINTS.iter().zip(&self.logs[start..]).enumerate() {
            let away = place - (start + number) as f64;
            if away == 0.0 {
                return *log;
            }
            (above, below) = (above + times / away * log, below + times / away);
        }
        above / below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_splits_are_interpolated_to_twelve_digits() {
        for (low, high) in [(-60, 4000), (-3, 90), (-500, 500)] {
            let split = Split::between(900.0, low, high);
            let curve = Curve::new(&split, -240.0, 240.0);
            for place in 0..9600 {
                let moved = -240.0 + place as f64 * 0.05;
                let (found, told) = (curve.at(moved), split.log(moved));
                assert!((found - told).abs() < 1e-12 * told.abs().max(1.0), "{low} {moved}: {found} {told}");
            }
        }
    }
}

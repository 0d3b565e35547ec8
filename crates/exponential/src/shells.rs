//! `Shells`: attempts around the constrained optimum: boxes of the grid, one inside the other, and
//! outside each a proved bound of the weight.
//!
//! For any λ in [−1, 1]ᵖ the norm of the gradient is at least λ·(Mk − w), so for any slope q and
//! any coordinate u of the grid ‖Mk − w‖₁ ≥ q·u(k) − K on the ball, with a K that whole numbers
//! give. Linear programs in machine numbers guess good λ and q, and the coordinates; the bounds
//! hold whatever was guessed. Where u(k) is beyond (T + K)/q the norm is above T: that is a side of
//! the box of level T. A point is proposed uniformly in a box, thrown away where a smaller box
//! holds it, and accepted with its weight over the bound. Proof: `proofs/ridge.md`.

use crate::reduced::ReducedBasis;
use crate::rejection::Attempt;
use crate::ridge::{MOST_PREDICTORS, Ridge};
use crate::simplex::{Tangent, tangent};
use crate::target::Target;
use exact::lazy::{Bounds, coin};
use exact::{Enclosure, Entropy, Integer, Natural, Rational, integer};

/// Slopes are whole numbers of 2^−FINE.
const FINE: u32 = 30;
/// How often the ellipsoid is measured along other directions.
const ROUNDS: usize = 8;
/// The heaviest box weighs about 2^WEIGHT_BITS.
const WEIGHT_BITS: i64 = 100;
/// So many points are listed, where the boxes that hold them have one part in LEAST_LISTED of all
/// weight.
const MOST_LISTED: u64 = 1 << 18;
const LEAST_LISTED: f64 = 16.0;
/// Levels beyond so many e-folds are one: the whole space.
const DEEPEST: f64 = 1e12;
/// Coordinates of the ball stay below this.
const FARTHEST: i128 = 1 << 61;
/// The steepest bounds have so many e-folds per step.
const STEEPEST: f64 = 1e7;

/// A proved bound: the norm in units of 2^−FINE is at least `slope`·u − `rise`.
#[derive(Debug, Clone, Copy)]
struct SupportLine {
    slope: i128,
    rise: i128,
}

/// Points of the grid in the coordinates of a basis.
#[derive(Debug, Clone)]
struct Cuboid {
    low: Vec<i64>,
    high: Vec<i64>,
}

/// A box and a norm that no point has which is outside the box before.
#[derive(Debug, Clone)]
struct Shell {
    least: u64,
    body: Cuboid,
    /// What e^{−rate·(least − base)} stands for, as a part of the weight.
    share: Rational,
}

/// The points of a box, one by one: where steps of the grid are steep, most of the weight is on a
/// few of them.
#[derive(Debug)]
struct Core {
    body: Cuboid,
    /// The places of the points in the box, with their norms.
    points: Vec<(u32, u64)>,
    sums: Vec<u128>,
}

/// Attempts around the constrained optimum.
#[derive(Debug)]
pub struct Shells<'a> {
    ridge: &'a Ridge,
    basis: ReducedBasis,
    core: Option<Core>,
    shells: Vec<Shell>,
    /// The sums of the weights of the boxes, after those of the core.
    sums: Vec<u128>,
    /// Weights are relative to that of this norm, and whole numbers of 2^−shift.
    base: u64,
    shift: i64,
}

impl Cuboid {
    /// How many points.
    fn count(&self) -> Natural {
        let sizes = self.low.iter().zip(&self.high).map(|(low, high)| Natural::from(high.abs_diff(*low) + 1));
        sizes.fold(Natural::ONE, |product, size| product * size)
    }

    fn holds(&self, place: &[i64]) -> bool {
        place.iter().zip(self.low.iter().zip(&self.high)).all(|(value, (low, high))| (low..=high).contains(&value))
    }

    /// The point with this number, of a box with few.
    fn point(&self, mut number: u64) -> Vec<i64> {
        let mut coordinate = |(low, high): (&i64, &i64)| {
            let size = high.abs_diff(*low) + 1;
            let value = low + (number % size) as i64;
            number /= size;
            value
        };
        self.low.iter().zip(&self.high).map(&mut coordinate).collect()
    }
}

/// The law in machine numbers: the ball has radius 1, and weights are e^−‖Mx − w‖₁.
struct Rough {
    matrix: Vec<f64>,
    offset: Vec<f64>,
    rate: f64,
    radius: i64,
}

impl<'a> Shells<'a> {
    /// Chooses coordinates and levels, or `None` where there are too many predictors.
    pub fn new(ridge: &'a Ridge) -> Option<Self> {
        let p = ridge.offset.len();
        if p > MOST_PREDICTORS {
            return None;
        }
        let rough = Rough::new(ridge);
        let farthest = |row: &Vec<i64>| i128::from(rough.radius) * i128::from(steepest(row));
        let basis = Some(rough.basis(p)).filter(|basis| basis.rows.iter().all(|row| farthest(row) < FARTHEST));
        let basis = basis.unwrap_or_else(|| ReducedBasis::plain(p));
        let whole: Vec<i64> = basis.rows.iter().map(|row| farthest(row) as i64).collect();
        let lowest = rough.touching(&vec![0.0; p], 0.0).slopes;
        let base = rough.line(ridge, &vec![0; p], 0.0, &lowest).map_or(0, |line| least_units(-line.rise));
        let lines: Vec<[Vec<SupportLine>; 2]> =
            (0..p).map(|a| [1, -1].map(|sign| rough.lines(ridge, &signed(&basis.rows[a], sign)))).collect();
        let mut boxes: Vec<(u64, Cuboid)> = Vec::new();
        let mut level = 0.5;
        let mut least = base;
        loop {
            let units = base.saturating_add((level / rough.rate).ceil() as u64).min(i64::MAX as u64);
            let side = |a: usize, side: usize| {
                let reached = i128::from(units) << FINE;
                let ends = lines[a][side].iter().map(|line| (reached + line.rise).div_euclid(line.slope));
                let end = ends.min().unwrap_or(i128::MAX).clamp(-i128::from(whole[a]), i128::from(whole[a]));
                end as i64
            };
            let (low, high): (Vec<i64>, Vec<i64>) = (0..p).map(|a| (-side(a, 1), side(a, 0))).unzip();
            let is_whole = (0..p).all(|a| low[a] <= -whole[a] && high[a] >= whole[a]);
            // The last box is the whole space: nothing is outside.
            let last = is_whole || units == i64::MAX as u64 || level > DEEPEST;
            let (low, high) = if last { (whole.iter().map(|end| -end).collect(), whole.clone()) } else { (low, high) };
            // A level that the bounds prove to be empty has no box.
            if low.iter().zip(&high).all(|(low, high)| low <= high) {
                boxes.push((least, Cuboid { low, high }));
            }
            least = units.saturating_add(1);
            if last {
                break;
            }
            level = f64::max(level + 0.5, level * 1.125);
        }
        Some(Shells::weigh(ridge, basis, boxes))
    }

    /// Gives every box a whole-numbered weight that is no less than what it stands for.
    fn weigh(ridge: &'a Ridge, basis: ReducedBasis, mut boxes: Vec<(u64, Cuboid)>) -> Self {
        let mut shells = Shells { ridge, basis, core: None, shells: Vec::new(), sums: Vec::new(), base: 0, shift: 0 };
        shells.base = boxes.first().map_or(0, |(least, _)| *least);
        let rate = ridge.powers.rate().to_f64();
        // Logarithms of base 2, for choices alone.
        let bits = |body: &Cuboid| Rational::integer(body.count()).to_f64().log2();
        let depth = |least: u64, base: u64| (least as f64 - base as f64) * rate / std::f64::consts::LN_2;
        let weights: Vec<f64> =
            boxes.iter().map(|(least, body)| (bits(body) - depth(*least, shells.base)).exp2()).collect();
        let few = boxes.iter().take_while(|(_, body)| body.count() <= Natural::from(MOST_LISTED)).count();
        let matters = weights[..few].iter().sum::<f64>() * LEAST_LISTED > weights.iter().sum::<f64>();
        let listed = if matters { shells.listed(&boxes[few - 1].1) } else { Vec::new() };
        let mut heaviest = f64::MIN;
        if let Some(best) = listed.iter().map(|(_, units)| *units).min() {
            shells.base = best;
            heaviest = (listed.len() as f64).log2();
        }
        let listed = (!listed.is_empty()).then(|| (boxes.drain(..few).next_back(), listed));
        let weights = boxes.iter().map(|(least, body)| bits(body) - depth(*least, shells.base));
        shells.shift = WEIGHT_BITS - weights.fold(heaviest, f64::max).ceil() as i64;
        if let Some((Some((_, body)), points)) = listed {
            shells.list(body, points);
        }
        let widest = boxes.iter().map(|(_, body)| bits(body).ceil() as usize).max().unwrap_or(0);
        let mut sum = shells.core.as_ref().and_then(|core| core.sums.last().copied()).unwrap_or(0);
        for (least, body) in boxes {
            let points = &Rational::integer(body.count()) * &power_of_two(shells.shift);
            let height = shells.relative(least, 192 + widest).upper_rational();
            let weight = (&points * &height).ceil().max(Integer::ONE);
            let share = &points / &Rational::integer(weight.clone());
            sum += u128::try_from(weight).expect("weights were scaled");
            shells.sums.push(sum);
            shells.shells.push(Shell { least, body, share });
        }
        shells
    }

    /// e^{−rate·(units − base)}.
    fn relative(&self, units: u64, bits: usize) -> Enclosure {
        let above = Rational::integer(i128::from(units) - i128::from(self.base));
        Enclosure::exp_rational(&-(self.ridge.powers.rate() * &above), bits)
    }

    /// The points of the space in a box, by their numbers there, with their norms.
    fn listed(&self, body: &Cuboid) -> Vec<(u32, u64)> {
        let count = u32::try_from(body.count()).unwrap_or(0);
        let mut point = Vec::new();
        let mut within = |number: u32| {
            let there = self.put(&body.point(u64::from(number)), &mut point);
            there.then(|| (number, self.ridge.units(&point)))
        };
        (0..count).filter_map(&mut within).collect()
    }

    /// Gives every listed point a weight of its own.
    fn list(&mut self, body: Cuboid, points: Vec<(u32, u64)>) {
        let mut sum = 0;
        let weight = |(_, units): &(u32, u64)| {
            let above = u128::from(self.ridge.powers.bounds(units - self.base).last) + 1;
            sum += match u32::try_from(self.shift - 64) {
                Ok(more) => above << more,
                Err(_) => (above >> (64 - self.shift).min(127)) + 1,
            };
            sum
        };
        let sums = points.iter().map(weight).collect();
        self.core = Some(Core { body, points, sums });
    }

    /// Writes the point with these coordinates; says whether it is one of the space.
    fn put(&self, place: &[i64], point: &mut Vec<i64>) -> bool {
        point.clear();
        for j in 0..place.len() {
            let sum = self.basis.columns.iter().zip(place).map(|(column, x)| i128::from(column[j]) * i128::from(*x));
            let Ok(value) = i64::try_from(sum.sum::<i128>()) else { return false };
            point.push(value);
        }
        self.ridge.space().contains(point)
    }
}

/// 2^shift.
fn power_of_two(shift: i64) -> Rational {
    let power = Natural::ONE << shift.unsigned_abs() as usize;
    if shift >= 0 { Rational::integer(power) } else { Rational::new(1, power) }
}

/// The least whole number of units that is no less than so many units of 2^−FINE.
fn least_units(fine: i128) -> u64 {
    u64::try_from(-((-fine).div_euclid(1 << FINE))).unwrap_or(0)
}

fn signed(row: &[i64], sign: i64) -> Vec<i64> {
    row.iter().map(|entry| sign * entry).collect()
}

fn steepest(row: &[i64]) -> i64 {
    row.iter().map(|entry| entry.abs()).max().unwrap_or(0)
}

impl Rough {
    fn new(ridge: &Ridge) -> Rough {
        let (rate, radius) = (ridge.powers.rate().to_f64(), ridge.space().range().1);
        let p = ridge.offset.len();
        let entry = |value: i64, times: f64| value as f64 * rate * times;
        let matrix = (0..p).flat_map(|i| ridge.row(i)).map(|value| entry(*value, radius as f64)).collect();
        Rough { matrix, offset: ridge.offset.iter().map(|value| entry(*value, 1.0)).collect(), rate, radius }
    }

    /// The norm of the gradient at a point, in e-folds.
    fn value(&self, point: &[f64]) -> f64 {
        let p = self.offset.len();
        let residual = |i: usize| -> f64 { (0..p).map(|j| self.matrix[i * p + j] * point[j]).sum() };
        (0..p).map(|i| (residual(i) - self.offset[i]).abs()).sum()
    }

    /// The bound with so many e-folds per step of a coordinate and these slopes, proved in whole
    /// numbers; `None` where these would grow too large.
    fn line(&self, ridge: &Ridge, row: &[i64], folds: f64, slopes: &[f64]) -> Option<SupportLine> {
        let fine = f64::from(1 << FINE);
        let slopes: Vec<i128> = slopes.iter().map(|slope| (slope * fine).round() as i128).collect();
        let slope = Some(folds / self.rate * fine).filter(|slope| *slope < 1e36)?.round() as i128;
        let along = |j: usize| {
            let sum = slopes.iter().enumerate().map(|(i, part)| part * i128::from(ridge.row(i)[j])).sum::<i128>();
            slope.checked_mul(i128::from(row[j]))?.checked_sub(sum).map(i128::abs)
        };
        let steepest = (0..row.len()).map(along).collect::<Option<Vec<_>>>()?.into_iter().max()?;
        let at_offset: i128 = slopes.iter().zip(&ridge.offset).map(|(part, w)| part * i128::from(*w)).sum();
        let rise = steepest.checked_mul(i128::from(self.radius))?.checked_add(at_offset)?;
        (rise.abs() < 1 << 125).then_some(SupportLine { slope, rise })
    }

    /// Where the law, tilted by so many e-folds per step in a direction, is greatest.
    fn touching(&self, direction: &[f64], folds: f64) -> Tangent {
        let direction: Vec<f64> = direction.iter().map(|entry| folds * entry * self.radius as f64).collect();
        tangent(&self.matrix, &self.offset, &direction)
    }

    /// The bounds along a coordinate, of ever larger slopes.
    fn lines(&self, ridge: &Ridge, row: &[i64]) -> Vec<SupportLine> {
        let real: Vec<f64> = row.iter().map(|entry| *entry as f64).collect();
        let mut lines = Vec::new();
        for folds in self.ladder(&real) {
            let Tangent { point, slopes } = self.touching(&real, folds);
            lines.extend(self.line(ridge, row, folds, &slopes).filter(|line| line.slope > 0));
            // At the end of the space steeper ones bound nothing.
            let along: f64 = point.iter().zip(&real).map(|(x, entry)| x * entry).sum();
            if along >= steepest(row) as f64 * (1.0 - 1e-9) {
                break;
            }
        }
        lines
    }

    /// Slopes along a direction: from a part of one e-fold over the whole space to many per step.
    fn ladder(&self, direction: &[f64]) -> impl Iterator<Item = f64> + use<> {
        let steepest = direction.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let first = 1.0 / (4.0 * self.radius as f64 * steepest).max(1.0);
        std::iter::successors(Some(first), |folds| Some(2.0 * folds)).take_while(|folds| *folds <= STEEPEST)
    }

    /// The point that reaches farthest in a direction within p e-folds of the optimum.
    fn farthest(&self, direction: &[f64], best: &[f64]) -> Vec<f64> {
        let (least, wanted) = (self.value(best), self.offset.len() as f64);
        let along = |point: &[f64]| -> f64 { point.iter().zip(direction).map(|(x, entry)| x * entry).sum() };
        let (mut farthest, mut reach) = (best.to_vec(), 0.0);
        for folds in self.ladder(direction) {
            let point = self.touching(direction, folds).point;
            // The way to it is convex: a part of it stays within the level.
            let above = self.value(&point) - least;
            let part = if above > wanted { wanted / above } else { 1.0 };
            let there: Vec<f64> = best.iter().zip(&point).map(|(from, to)| from + part * (to - from)).collect();
            if along(&there) - along(best) > reach {
                (reach, farthest) = (along(&there) - along(best), there);
            }
            if above > 100.0 * wanted {
                break;
            }
        }
        farthest
    }

    /// Coordinates in which the points within p e-folds of the optimum fill a box as well as may
    /// be: the grid is reduced for the ellipsoid in which they lie.
    fn basis(&self, p: usize) -> ReducedBasis {
        let best = self.touching(&vec![0.0; p], 0.0).point;
        let unit = |i: usize| (0..p).map(|j| f64::from(u8::from(i == j))).collect();
        let mut directions: Vec<Vec<f64>> = (0..p).map(unit).collect();
        let mut whole = vec![0.0; p * p];
        for round in 0..ROUNDS {
            let faces =
                directions.iter().flat_map(|row| [1.0, -1.0].map(|sign| row.iter().map(|x| sign * x).collect()));
            let points: Vec<Vec<f64>> = faces.map(|row: Vec<f64>| self.farthest(&row, &best)).collect();
            let scatter = self.scatter(&points);
            if round >= ROUNDS / 2 {
                whole.iter_mut().zip(&scatter).for_each(|(sum, part)| *sum += part);
            }
            directions = across(&scatter, p);
            // Seen from other sides in every round.
            for j in 1..p {
                let (sine, cosine) = ((round + j) as f64).sin_cos();
                let (before, here) = directions.split_at_mut(j);
                for (one, other) in before[j - 1].iter_mut().zip(&mut here[0]) {
                    (*one, *other) = (cosine * *one - sine * *other, sine * *one + cosine * *other);
                }
            }
        }
        // What is finer than the grid does not count.
        whole.iter_mut().step_by(p + 1).for_each(|entry| *entry += 0.02);
        let mut basis = ReducedBasis::plain(p);
        basis.reduce(&inverse(&whole, p));
        basis
    }

    /// How points scatter, in steps of the grid.
    fn scatter(&self, points: &[Vec<f64>]) -> Vec<f64> {
        let (p, count) = (self.offset.len(), points.len() as f64);
        let middle: Vec<f64> = (0..p).map(|j| points.iter().map(|point| point[j]).sum::<f64>() / count).collect();
        let steps = |point: &[f64], j: usize| (point[j] - middle[j]) * self.radius as f64;
        let entry = |i: usize, j: usize| {
            let sum: f64 = points.iter().map(|point| steps(point, i) * steps(point, j)).sum();
            sum / count + if i == j { 1e-4 } else { 0.0 }
        };
        (0..p * p).map(|place| entry(place / p, place % p)).collect()
    }
}

/// Directions along which a scatter is one, each across those before it: the inverse of its
/// Cholesky factor, by rows.
fn across(scatter: &[f64], p: usize) -> Vec<Vec<f64>> {
    let mut factor = vec![vec![0.0; p]; p];
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for i in 0..p {
        for j in 0..=i {
            let rest = scatter[i * p + j] - (0..j).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
            factor[i][j] = if i == j { rest.max(1e-12).sqrt() } else { rest / factor[j][j] };
        }
        let below = |j: usize| (0..i).map(|k| factor[i][k] * rows[k][j]).sum::<f64>();
        let row = (0..p).map(|j| (f64::from(u8::from(i == j)) - below(j)) / factor[i][i]).collect();
        rows.push(row);
    }
    rows
}

/// The inverse of a positive definite matrix in machine numbers, by rows.
fn inverse(matrix: &[f64], p: usize) -> Vec<f64> {
    let beside = |i: usize, j: usize| if j < p { matrix[i * p + j] } else { f64::from(u8::from(j - p == i)) };
    let mut rows: Vec<Vec<f64>> = (0..p).map(|i| (0..2 * p).map(|j| beside(i, j)).collect()).collect();
    for pivot in 0..p {
        let lead = rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|value| *value /= lead);
        let above = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&above).for_each(|(value, above)| *value -= factor * above);
        }
    }
    rows.iter().flat_map(|row| row[p..].to_vec()).collect()
}

impl Attempt for Shells<'_> {
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool {
        let listed = self.core.as_ref().and_then(|core| core.sums.last().copied()).unwrap_or(0);
        let drawn = below(entropy, self.sums.last().copied().unwrap_or(listed));
        if let Some(core) = self.core.as_ref().filter(|_| drawn < listed) {
            let number = core.sums.partition_point(|sum| *sum <= drawn);
            let weight = core.sums[number] - if number > 0 { core.sums[number - 1] } else { 0 };
            let (place, units) = core.points[number];
            let share = &power_of_two(self.shift) / &Rational::integer(Integer::from(weight));
            return self.put(&core.body.point(u64::from(place)), point)
                && coin(entropy, Bounds::UNKNOWN, |bits| {
                    &self.relative(units, bits + 64) * &Enclosure::from_rational(&share, bits + 64)
                });
        }
        let number = self.sums.partition_point(|sum| *sum <= drawn);
        let shell = &self.shells[number];
        let ends = shell.body.low.iter().zip(&shell.body.high);
        let place: Vec<i64> =
            ends.map(|(low, high)| low + integer::below(entropy, high.abs_diff(*low) + 1) as i64).collect();
        let inner = match number.checked_sub(1) {
            Some(before) => Some(&self.shells[before].body),
            None => self.core.as_ref().map(|core| &core.body),
        };
        if inner.is_some_and(|inner| inner.holds(&place)) || !self.put(&place, point) {
            return false;
        }
        let units = self.ridge.units(point);
        assert!(units >= shell.least, "a bound that is proved does not hold");
        self.ridge.powers.coin(entropy, units - shell.least) && {
            // The weight was rounded up: what it is too much is taken away.
            coin(entropy, Bounds::UNKNOWN, |bits| {
                &self.relative(shell.least, bits + 64) * &Enclosure::from_rational(&shell.share, bits + 64)
            })
        }
    }
}

/// A uniform number below n, at least one.
fn below<E: Entropy>(entropy: &mut E, n: u128) -> u128 {
    let bits = 128 - (n - 1).leading_zeros();
    loop {
        let low = u128::from(entropy.bits(bits.min(64)));
        let candidate = low | u128::from(entropy.bits(bits.saturating_sub(64))) << bits.min(64);
        if candidate < n {
            return candidate;
        }
    }
}

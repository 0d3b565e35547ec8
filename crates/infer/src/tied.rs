//! Numbers that are independent but for their sum, drawn given it: in halves, and halves of halves.
//!
//! The weights of all sums go up a tree of halves; from above every sum is cut in two. Equal halves
//! are made once, so a hundred thousand cells far from their bounds cost no more than a few. In
//! machine numbers, for posteriors alone: nothing that is certified is drawn like this.

use crate::circle::Circle;
use crate::pick::pick_pair;
use std::collections::HashMap;
use std::sync::Arc;

/// Weights of consecutive numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) first: i64,
    pub(crate) weights: Vec<f64>,
}

/// Weights below this part of the largest are left out at both ends.
const NOTHING: f64 = 1e-17;
/// What rounding leaves of nothing after a transform.
const ROUNDED: f64 = 1e-15;
/// So many multiplications are made one by one; more by transforms.
const DIRECT: usize = 1 << 18;

impl Line {
    pub(crate) fn at(&self, value: i64) -> f64 {
        usize::try_from(value - self.first).ok().and_then(|place| self.weights.get(place)).copied().unwrap_or(0.0)
    }

    /// The largest number.
    pub(crate) fn last(&self) -> i64 {
        self.first + self.weights.len() as i64 - 1
    }

    /// The least and the largest of its numbers, so many times.
    pub(crate) fn ends(&self, times: i64) -> (i64, i64) {
        let (one, two) = (self.first * times, self.last() * times);
        (one.min(two), one.max(two))
    }

    /// The weights of its numbers, so many times.
    pub(crate) fn stretched(&self, times: i64) -> Line {
        let (first, last) = self.ends(times);
        let mut weights = vec![0.0; (last - first) as usize + 1];
        (self.first..).zip(&self.weights).for_each(|(value, own)| weights[(times * value - first) as usize] += own);
        Line { first, weights }
    }

    /// Weighs every number by all that a second one may be beside it, where
    /// `times.0·first + times.1·second ≤ left`: running sums of the second, added up once.
    pub(crate) fn allow(&mut self, second: &Line, times: (i64, i64), left: i64) {
        let mut upto = vec![0.0];
        second.weights.iter().for_each(|weight| upto.push(upto[upto.len() - 1] + weight));
        let whole = upto[upto.len() - 1];
        let count = |most: i64| upto[(most - second.first + 1).clamp(0, second.weights.len() as i64) as usize];
        for (value, weight) in (self.first..).zip(&mut self.weights) {
            let room = left - times.0 * value;
            *weight *= match times.1 > 0 {
                true => count(room.div_euclid(times.1)),
                false => whole - count(-room.div_euclid(-times.1) - 1),
            };
        }
    }

    /// One of its numbers, in proportion to its weight.
    pub(crate) fn pick(&self, uniform: f64) -> i64 {
        *pick_pair(&(self.first..).zip(self.weights.iter().copied()).collect::<Vec<_>>(), uniform)
    }

    /// The weights times e^{tilt·number}, the largest one.
    pub(crate) fn tilted(&self, tilt: f64) -> Line {
        let from = self.summit(tilt);
        let tilted = |(value, weight): (i64, &f64)| weight * (tilt * (value - from) as f64).exp();
        trimmed(self.first, (self.first..).zip(&self.weights).map(tilted).collect(), NOTHING)
    }

    /// The number from which a tilt is counted so that machine numbers hold it: zero where they do,
    /// else where the tilted weight is largest.
    pub(crate) fn summit(&self, tilt: f64) -> i64 {
        const HELD: f64 = 600.0;
        let far = self.first.unsigned_abs().max(self.last().unsigned_abs());
        if tilt.abs() * (far as f64) < HELD {
            return 0;
        }
        let log = |place: usize| self.weights[place].ln() + tilt * (self.first + place as i64) as f64;
        let top = (0..self.weights.len()).max_by(|one, two| log(*one).total_cmp(&log(*two)));
        self.first + top.unwrap_or(0) as i64
    }

    /// The mean and the variance under a tilt.
    pub(crate) fn moments(&self, tilt: f64) -> (f64, f64) {
        let (mut whole, mut sum, mut squares) = (0.0, 0.0, 0.0);
        let from = self.summit(tilt) as f64;
        for (value, weight) in (self.first..).zip(&self.weights) {
            let value = value as f64;
            let tilted = weight * (tilt * (value - from)).exp();
            (whole, sum, squares) = (whole + tilted, sum + tilted * value, squares + tilted * value * value);
        }
        (sum / whole, squares / whole - (sum / whole).powi(2))
    }

    /// The weights of sums of two independent numbers.
    pub(crate) fn plus(&self, other: &Line) -> Line {
        let first = self.first + other.first;
        let length = self.weights.len() + other.weights.len() - 1;
        if self.weights.len().saturating_mul(other.weights.len()) <= DIRECT {
            return trimmed(first, convolved(&self.weights, &other.weights), NOTHING);
        }
        let circle = Circle::new(length);
        let (one, two) = (circle.spectrum(&self.weights), circle.spectrum(&other.weights));
        let product: Vec<_> = one.into_iter().zip(two).map(|(one, two)| one.times(two)).collect();
        let mut sums = circle.values(&product);
        sums.truncate(length);
        trimmed(first, sums, ROUNDED)
    }

    /// Sums one by one, with every weight that machine numbers hold; `None` where there are more
    /// sums than this even without those below 10⁻²⁰⁰ of the largest.
    fn plus_deep(&self, other: &Line, most: usize) -> Option<Line> {
        const DEEP: f64 = 1e-200;
        let length = self.weights.len() + other.weights.len() - 1;
        if length > most || self.weights.len().saturating_mul(other.weights.len()) > 1 << 30 {
            return None;
        }
        Some(trimmed(self.first + other.first, convolved(&self.weights, &other.weights), DEEP))
    }

    /// The product of two weights, the second of the number turned around.
    pub(crate) fn times_turned(&self, other: &Line) -> Line {
        let weights = (self.first..).zip(&self.weights).map(|(value, weight)| weight * other.at(-value));
        trimmed(self.first, weights.collect(), NOTHING)
    }
}

/// What the weights of sums of two numbers take, about, by how many weights they have.
fn seconds_of_sum(one: usize, two: usize) -> f64 {
    let direct = one.saturating_mul(two);
    let length = (one + two) as f64;
    2e-7 + 2e-9 * length + if direct <= DIRECT { 5e-10 * direct as f64 } else { 3e-8 * length * length.log2() }
}

/// The weights of sums of two numbers, one by one.
pub(crate) fn convolved(one: &[f64], two: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + two.len() - 1];
    for (place, weight) in one.iter().enumerate() {
        sums[place..].iter_mut().zip(two).for_each(|(sum, own)| *sum += weight * own);
    }
    sums
}

/// Scaled to a largest of one; what is nothing is zero, and left out at the ends.
fn trimmed(first: i64, mut weights: Vec<f64>, nothing: f64) -> Line {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 || !largest.is_finite() {
        return Line { first, weights: vec![0.0] };
    }
    weights.iter_mut().for_each(|weight| *weight = if *weight > nothing * largest { *weight / largest } else { 0.0 });
    let start = weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
    let end = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
    weights.truncate(end + 1);
    weights.drain(..start);
    Line { first: first + start as i64, weights }
}

/// A number, or the sum of two halves.
#[derive(Debug)]
struct Half {
    line: Arc<Line>,
    of: Option<(usize, usize)>,
}

/// Numbers tied by their sum.
#[derive(Debug)]
pub(crate) struct Tied {
    halves: Vec<Half>,
    /// Which number every leaf is, from left to right.
    order: Vec<usize>,
    whole: usize,
    /// What making it took, about: counted, not measured.
    pub(crate) seconds: f64,
}

impl Tied {
    /// Numbers with these weights; those that share one line are alike. `None` where there is no
    /// number.
    pub(crate) fn new(lines: &[Arc<Line>]) -> Option<Tied> {
        Tied::joined(lines, &|one, two| Some(one.plus(two)))
    }

    /// Weights of sums far below the largest are as exact as the others; `None` where there are too
    /// many.
    pub(crate) fn deep(lines: &[Arc<Line>], most: usize) -> Option<Tied> {
        Tied::joined(lines, &|one, two| one.plus_deep(two, most))
    }

    fn joined(lines: &[Arc<Line>], plus: &dyn Fn(&Line, &Line) -> Option<Line>) -> Option<Tied> {
        let mut halves: Vec<Half> = Vec::new();
        let mut known: HashMap<*const Line, usize> = HashMap::new();
        let mut leaves: Vec<(usize, usize)> = Vec::with_capacity(lines.len());
        for (number, line) in lines.iter().enumerate() {
            let half = *known.entry(Arc::as_ptr(line)).or_insert_with(|| {
                halves.push(Half { line: line.clone(), of: None });
                halves.len() - 1
            });
            leaves.push((half, number));
        }
        leaves.sort_unstable();
        let order = leaves.iter().map(|(_, number)| *number).collect();
        let mut level: Vec<usize> = leaves.into_iter().map(|(half, _)| half).collect();
        let mut made: HashMap<(usize, usize), usize> = HashMap::new();
        let mut seconds = 0.0;
        while level.len() > 1 {
            let mut next = Vec::with_capacity(level.len().div_ceil(2));
            for pair in level.chunks(2) {
                next.push(match pair {
                    [one, two] => match made.get(&(*one, *two)) {
                        Some(known) => *known,
                        None => {
                            let (left, right) = (&halves[*one].line, &halves[*two].line);
                            seconds += seconds_of_sum(left.weights.len(), right.weights.len());
                            let line = Arc::new(plus(left, right)?);
                            halves.push(Half { line, of: Some((*one, *two)) });
                            made.insert((*one, *two), halves.len() - 1);
                            halves.len() - 1
                        }
                    },
                    _ => pair[0],
                });
            }
            level = next;
        }
        Some(Tied { whole: *level.first()?, halves, order, seconds })
    }

    /// The weights of the sum.
    pub(crate) fn sums(&self) -> &Line {
        &self.halves[self.whole].line
    }

    /// Draws the numbers given their sum; `false` where machine numbers leave that sum no weight.
    pub(crate) fn draw(&self, sum: i64, uniform: &mut dyn FnMut() -> f64, put: &mut dyn FnMut(usize, i64)) -> bool {
        let mut waiting = vec![(self.whole, sum)];
        let mut order = self.order.iter();
        let mut upto: Vec<f64> = Vec::new();
        while let Some((half, sum)) = waiting.pop() {
            let Some((one, two)) = self.halves[half].of else {
                let Some(number) = order.next() else { return false };
                put(*number, sum);
                continue;
            };
            let (left, right) = (&*self.halves[one].line, &*self.halves[two].line);
            let (low, high) = (left.first.max(sum - right.last()), left.last().min(sum - right.first));
            if low > high {
                return false;
            }
            let these = &left.weights[(low - left.first) as usize..=(high - left.first) as usize];
            let those = &right.weights[(sum - high - right.first) as usize..=(sum - low - right.first) as usize];
            upto.clear();
            let mut whole = 0.0;
            for (one, two) in these.iter().zip(those.iter().rev()) {
                whole += one * two;
                upto.push(whole);
            }
            if whole <= 0.0 {
                return false;
            }
            let wanted = uniform() * whole;
            let place = upto.partition_point(|upto| *upto <= wanted).min(upto.len() - 1);
            let taken = low + place as i64;
            waiting.push((two, sum - taken));
            waiting.push((one, taken));
        }
        true
    }
}

/// The tilt under which numbers with these weights, each so many times, have the sum zero on
/// average.
pub(crate) fn balanced<'a>(lines: impl Iterator<Item = (&'a Line, usize)> + Clone, limit: f64, steps: usize) -> f64 {
    let (mut low, mut high) = (-limit, limit);
    for _ in 0..steps {
        let middle = (low + high) / 2.0;
        let mean: f64 = lines.clone().map(|(line, count)| count as f64 * line.moments(middle).0).sum();
        if mean < 0.0 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(first: i64, weights: &[f64]) -> Arc<Line> {
        Arc::new(Line { first, weights: weights.to_vec() })
    }

    #[test]
    fn long_sums_are_those_of_short_ones() {
        let geometric = |size: i64| Line {
            first: -size,
            weights: (-size..=size).map(|v| (-0.02 * v.abs() as f64).exp()).collect(),
        };
        let (one, two) = (geometric(700), geometric(500));
        let by_circle = one.plus(&two);
        for sum in [-900i64, -3, 0, 411] {
            let direct: f64 = (-700..=700).map(|value| one.at(value) * two.at(sum - value)).sum();
            let whole: f64 = (-700..=700).map(|value| one.at(value) * two.at(-value)).sum();
            assert!((by_circle.at(sum) / by_circle.at(0) - direct / whole).abs() < 1e-13, "{sum}");
        }
    }

    #[test]
    fn draws_have_the_law_given_the_sum() {
        // Five numbers of two kinds with the sum 3: all shares of two of them, counted.
        let (die, coin) = (line(0, &[1.0, 2.0, 3.0]), line(-1, &[4.0, 1.0, 1.0]));
        let tied = Tied::new(&[die.clone(), coin.clone(), die.clone(), coin.clone(), die.clone()]).unwrap();
        let lines = [&die, &coin, &die, &coin, &die];
        let mut expected: HashMap<[i64; 5], f64> = HashMap::new();
        for code in 0..243usize {
            let mut rest = code;
            let values = [0, 1, 2, 3, 4].map(|number: usize| {
                let value = lines[number].first + (rest % 3) as i64;
                rest /= 3;
                value
            });
            if values.iter().sum::<i64>() == 3 {
                let weight: f64 = values.iter().zip(lines).map(|(value, line)| line.at(*value)).product();
                *expected.entry(values).or_default() += weight;
            }
        }
        let whole: f64 = expected.values().sum();
        let mut state = 7u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let rounds = 200_000;
        let mut counts: HashMap<[i64; 5], f64> = HashMap::new();
        for _ in 0..rounds {
            let mut values = [0; 5];
            assert!(tied.draw(3, &mut uniform, &mut |number, value| values[number] = value));
            *counts.entry(values).or_default() += 1.0;
        }
        assert!(counts.keys().all(|values| expected.contains_key(values)));
        for (values, weight) in expected {
            let (found, mass) = (counts.get(&values).copied().unwrap_or(0.0) / f64::from(rounds), weight / whole);
            assert!(
                (found - mass).abs() < testkit::deviations(200) * (mass / f64::from(rounds)).sqrt() + 1e-5,
                "{values:?} {found} {mass}"
            );
        }
        assert!(!tied.draw(40, &mut uniform, &mut |_, _| {}));
    }
}

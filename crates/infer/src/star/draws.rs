//! Draws of a block that one total holds together, in machine numbers: cells weighted one by one, the total kept.
//!
//! Weights of sums of the first parts go up, draws come down. For posteriors alone, where draws are weighted afterwards; nothing that is
//! certified is drawn like this.

use super::{Part, Star};
use crate::weighted::pick_pair;

/// The logarithm of a weight of a count in a cell, beside that of the noise.
pub(crate) type Beside<'a> = dyn Fn(u32, i64) -> f64 + Sync + 'a;

/// A block ready to be drawn from around a table.
#[derive(Debug)]
pub(crate) struct Draws<'s> {
    star: &'s Star,
    centre: Vec<i64>,
    parts: Vec<Weights>,
    /// For every part the weights of the offs of all parts before it and itself.
    upto: Vec<Line>,
}

/// Weights of consecutive numbers.
#[derive(Debug, Clone)]
struct Line {
    first: i64,
    weights: Vec<f64>,
}

impl Line {
    fn at(&self, value: i64) -> f64 {
        usize::try_from(value - self.first).ok().and_then(|place| self.weights.get(place)).copied().unwrap_or(0.0)
    }
}

/// The weights of one part.
#[derive(Debug)]
struct Weights {
    /// Of the moves of its first cell, those of the second added up.
    first: Line,
    /// Of the moves of the second cell, if there is one.
    second: Option<Line>,
}

/// The most multiplications.
const MOST_WORK: f64 = 4e9;
/// Standard deviations that sums of parts are looked at.
const FAR: f64 = 14.0;

impl<'s> Draws<'s> {
    /// Around a table; `None` where the total takes the second cell of a pair, or the block is too large.
    pub(crate) fn new(star: &'s Star, centre: &[i64], beside: &Beside<'_>) -> Option<Draws<'s>> {
        let parts: Vec<Weights> =
            star.parts.iter().map(|part| weights(star, part, centre, beside)).collect::<Option<_>>()?;
        let variance: f64 = parts
            .iter()
            .zip(&star.parts)
            .map(|(one, part)| spread(&one.first) * (part.first.taken as f64).powi(2))
            .sum();
        let window = star.reach() * 2 + (FAR * variance.sqrt()) as i64;
        let widths: usize = parts.iter().map(|one| one.first.weights.len()).sum();
        if widths as f64 * 2.0 * window as f64 > MOST_WORK {
            return None;
        }
        let mut upto: Vec<Line> = Vec::with_capacity(parts.len());
        for (one, part) in parts.iter().zip(&star.parts) {
            let before = upto.last().cloned().unwrap_or(Line { first: 0, weights: vec![1.0] });
            upto.push(joined(&before, &one.first, part.first.taken, window));
        }
        (upto.last()?.at(0) > 0.0).then(|| Draws { star, centre: centre.to_vec(), parts, upto })
    }

    /// Draws the cells of the block into a table.
    pub(crate) fn draw(&self, uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) {
        let mut rest = 0i64;
        for place in (0..self.parts.len()).rev() {
            let (part, own) = (&self.star.parts[place], &self.parts[place]);
            let before = place.checked_sub(1).map(|before| &self.upto[before]);
            let left = |off: i64| before.map_or(if off == 0 { 1.0 } else { 0.0 }, |before| before.at(off));
            let listed: Vec<(i64, f64)> = (own.first.first..)
                .zip(&own.first.weights)
                .map(|(away, weight)| (away, weight * left(rest - part.first.taken * away)))
                .collect();
            let away = *pick_pair(&listed, uniform());
            rest -= part.first.taken * away;
            table[part.first.number as usize] = self.centre[part.first.number as usize] + away;
            if let (Some(line), Some((second, times, bound))) = (&own.second, &part.second) {
                let value = |cell: u32| self.centre[cell as usize];
                let room = bound - times.0 * (value(part.first.number) + away) - times.1 * value(second.number);
                let allowed: Vec<(i64, f64)> = (line.first..)
                    .zip(line.weights.iter().copied())
                    .map(|(away, weight)| (away, if times.1 * away <= room { weight } else { 0.0 }))
                    .collect();
                table[second.number as usize] = value(second.number) + *pick_pair(&allowed, uniform());
            }
        }
    }
}

fn weights(star: &Star, part: &Part, centre: &[i64], beside: &Beside<'_>) -> Option<Weights> {
    let [below, above, second_below, second_above, left] = star.room(part, centre);
    let line = |cell: u32, below: i64, above: i64| Line {
        first: -below,
        weights: (-below..=above)
            .map(|away| star.falling[away.unsigned_abs() as usize] * beside(cell, centre[cell as usize] + away).exp())
            .collect(),
    };
    let mut first = line(part.first.number, below, above);
    let Some((second, times, _)) = &part.second else { return Some(Weights { first, second: None }) };
    if second.taken != 0 {
        return None;
    }
    let second = line(second.number, second_below, second_above);
    for (away, weight) in (-below..).zip(&mut first.weights) {
        let room = left - times.0 * away;
        let allowed = (second.first..).zip(&second.weights).filter(|(other, _)| times.1 * other <= room);
        *weight *= allowed.map(|(_, weight)| weight).sum::<f64>();
    }
    Some(Weights { first, second: Some(second) })
}

fn spread(line: &Line) -> f64 {
    let whole: f64 = line.weights.iter().sum();
    let moment = |power: i32| {
        (line.first..).zip(&line.weights).map(|(value, weight)| weight * (value as f64).powi(power)).sum::<f64>()
            / whole
    };
    (moment(2) - moment(1).powi(2)).max(0.0)
}

/// The weights of sums, as far as the window goes, the largest one.
fn joined(before: &Line, own: &Line, taken: i64, window: i64) -> Line {
    let ends = [own.first * taken, (own.first + own.weights.len() as i64 - 1) * taken];
    let first = (before.first + ends[0].min(ends[1])).max(-window);
    let last = (before.first + before.weights.len() as i64 - 1 + ends[0].max(ends[1])).min(window);
    let mut weights = vec![0.0; usize::try_from(last - first + 1).unwrap_or(1)];
    for (away, weight) in (own.first..).zip(&own.weights) {
        let shift = taken * away + before.first - first;
        let skip = (-shift).max(0) as usize;
        let Some(others) = before.weights.get(skip..) else { continue };
        let Some(sums) = weights.get_mut((shift + skip as i64) as usize..) else { continue };
        sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += weight * other);
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= largest);
    }
    Line { first, weights }
}

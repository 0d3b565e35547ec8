//! Draws of a block that one total holds together, in machine numbers: cells weighted one by one,
//! the total kept.
//!
//! For posteriors alone, where draws are weighted afterwards; nothing that is certified is drawn
//! like this.

use super::{Cell, Star, TiedCells};
use crate::tied::{Line, Tied, balanced};
use crate::weighted::list;
use std::collections::HashMap;
use std::sync::Arc;

/// Weights of true counts below e to minus this of the largest are left out.
const DEPTH: f64 = 37.0;

/// The logarithm of a weight of a count in a cell, beside that of the noise.
pub(crate) type Beside<'a> = dyn Fn(u32, i64) -> f64 + Sync + 'a;

/// A block ready to be drawn from around a table.
#[derive(Debug)]
pub(crate) struct Draws<'s> {
    star: &'s Star,
    centre: Vec<i64>,
    /// The weights of the moves of second cells.
    seconds: Vec<Option<Line>>,
    /// Of parts that are in no total, the weights of the moves of their first cells.
    loose: Vec<Option<Arc<Line>>>,
    /// The parts that the total ties, and their numbers.
    tied: Option<Tied>,
    numbers: Vec<usize>,
}

impl<'s> Draws<'s> {
    /// Around a table; `None` where the total takes the second cell of a pair. If `alike`, what
    /// stands beside is the same for cells that are as far from their bounds.
    pub(crate) fn new(star: &'s Star, centre: &[i64], beside: &Beside<'_>, alike: bool) -> Option<Draws<'s>> {
        let mut known: HashMap<super::Room, Arc<Line>> = HashMap::new();
        let (mut firsts, mut seconds) = (Vec::with_capacity(star.parts.len()), Vec::with_capacity(star.parts.len()));
        for (part, kind) in star.parts.iter().zip(&star.kinds) {
            // What stands beside depends on how far a count may fall toward its bound.
            let mut room = (*kind, star.room(part, centre));
            if let Some(low) = part.first.low.filter(|_| !part.is_weighted()) {
                room.1[0] = (centre[part.first.number as usize] - low).clamp(0, 2 * star.reach());
            }
            if alike
                && part.second.is_none()
                && let Some(line) = known.get(&room)
            {
                firsts.push(line.clone());
                seconds.push(None);
                continue;
            }
            let (first, second) = weights(star, part, centre, beside)?;
            let first = Arc::new(first);
            known.insert(room, first.clone());
            firsts.push(first);
            seconds.push(second);
        }
        // A tilt changes no weight of a sum of zero, and brings it to the middle of all sums.
        let is_tied = |part: &TiedCells| part.first.taken != 0;
        let numbers: Vec<usize> = (0..star.parts.len()).filter(|number| is_tied(&star.parts[*number])).collect();
        let loose = firsts.iter().zip(&star.parts).map(|(line, part)| (!is_tied(part)).then(|| line.clone())).collect();
        let firsts: Vec<Arc<Line>> = numbers.iter().map(|number| firsts[*number].clone()).collect();
        let mut counted: HashMap<*const Line, (&Line, usize)> = HashMap::new();
        let mut order = Vec::new();
        for line in &firsts {
            let entry = counted.entry(Arc::as_ptr(line)).or_insert_with(|| {
                order.push(Arc::as_ptr(line));
                (line, 0)
            });
            entry.1 += 1;
        }
        // Under a base measure counts may lie far to one side of the released ones.
        let times = if star.base.is_some() { 1.0 } else { 0.5 };
        let limit = -times * star.falling.get(1).copied().unwrap_or(1e-9).ln();
        let tilt = balanced(order.iter().map(|line| counted[line]), limit, 30);
        let mut made: HashMap<*const Line, Arc<Line>> = HashMap::new();
        let mut tilted =
            |line: &Arc<Line>| made.entry(Arc::as_ptr(line)).or_insert_with(|| Arc::new(line.tilted(tilt))).clone();
        let lines: Vec<Arc<Line>> = firsts.iter().map(&mut tilted).collect();
        let tied = Tied::new(&lines);
        let possible = tied.as_ref().is_none_or(|tied| tied.sums().at(0) > 0.0);
        possible.then(|| Draws { star, centre: centre.to_vec(), seconds, loose, tied, numbers })
    }

    /// Draws the cells of the block into a table; `false` where machine numbers fail.
    pub(crate) fn draw(&self, uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) -> bool {
        let mut moved = vec![0; self.star.parts.len()];
        let numbers = &self.numbers;
        let tied = self.tied.as_ref();
        if !tied.is_none_or(|tied| tied.draw(0, uniform, &mut |place, off| moved[numbers[place]] = off)) {
            return false;
        }
        for (number, (part, second)) in self.star.parts.iter().zip(&self.seconds).enumerate() {
            let away = match &self.loose[number] {
                Some(line) => line.pick(uniform()),
                None => moved[number] / part.first.taken,
            };
            table[part.first.number as usize] = self.centre[part.first.number as usize] + away;
            if let (Some(line), Some((cell, times, bound))) = (second, &part.second) {
                let value = |cell: u32| self.centre[cell as usize];
                let room = bound - times.0 * (value(part.first.number) + away) - times.1 * value(cell.number);
                let allowed = |(away, weight): (i64, &f64)| if times.1 * away <= room { *weight } else { 0.0 };
                let weights = (line.first..).zip(&line.weights).map(allowed).collect();
                let away = Line { first: line.first, weights }.pick(uniform());
                table[cell.number as usize] = value(cell.number) + away;
            }
        }
        true
    }
}

/// The weights of what a part adds to the total, and of the moves of its second cell.
fn weights(star: &Star, part: &TiedCells, centre: &[i64], beside: &Beside<'_>) -> Option<(Line, Option<Line>)> {
    let left = Star::left(part, centre);
    let line = |cell: &Cell| {
        let count = centre[cell.number as usize];
        if let (Some(_), Some(base)) = (cell.factor, &star.base) {
            // What stands beside holds 1/ζ of the cell, which may reach farther than the noise.
            let log = |truth: i64| base.noise(truth - count) + beside(cell.number, truth);
            let found = list(count, (Some(cell.low.unwrap_or(0)), star.most(cell)), DEPTH, &log).ok()?;
            return Some(Line { first: found.first - count, weights: found.weights });
        }
        let (below, above) = star.ends(cell, centre);
        let weight = |away: i64| star.falling[away.unsigned_abs() as usize] * beside(cell.number, count + away).exp();
        Some(Line { first: -below, weights: (-below..=above).map(weight).collect() })
    };
    let mut first = line(&part.first)?;
    let mut other = None;
    if let Some((second, times, _)) = &part.second {
        if second.taken != 0 {
            return None;
        }
        let second = line(second)?;
        first.allow(&second, *times, left);
        other = Some(second);
    }
    match part.first.taken {
        0 => Some((first, other)),
        taken => Some((first.stretched(taken), other)),
    }
}

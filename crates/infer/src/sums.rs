//! Laws of queries: cells of a block fall into classes by their coefficient, blocks are independent
//! and joined by convolution.
//!
//! Of cells in no total the classes are independent. Of cells whose total is kept, two classes with
//! coefficients a and b have the law of (a − b) times the sum of one of them, because the other
//! cancels it; more classes, totals that cross, rules and noisy sums need a row of their own in the
//! network of the block. Nothing is drawn: these are the laws themselves, to about twelve digits.

use crate::field::Field;
use crate::query::Query;
use draw::Law;
use plan::law_of_part;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The noise of `take` cells of a block of `of` whose total is kept (`None`: in no total), this
/// many times.
type NoiseOfSome = (usize, Option<usize>, i64);

/// NoiseOfSums with their numbers.
type NoiseOfSums = Vec<(NoiseOfSome, usize)>;

/// The laws of queries of a field, each computed once for all queries of its shape.
#[derive(Debug)]
pub struct Sums<'a> {
    field: &'a Field,
    /// The block of every cell; `u32::MAX` where a total determines it.
    block_of: Vec<u32>,
    fixed: HashMap<u32, i64>,
    parts: Mutex<HashMap<NoiseOfSums, Option<Arc<Law>>>>,
}

/// What a query is made of.
struct Pieces {
    constant: i128,
    parts: BTreeMap<NoiseOfSome, usize>,
    cells: Vec<(u32, i64)>,
    rows: Vec<(usize, Vec<(u32, i64)>)>,
}

/// The most multiplications spent on one query.
const BUDGET: u64 = 400_000_000;
/// The most pairs of values of a joint law.
const MOST_JOINT: usize = 1 << 22;
/// The longest law that is listed.
const LONGEST: usize = 1 << 22;

impl<'a> Sums<'a> {
    /// Of a field.
    pub fn new(field: &'a Field) -> Sums<'a> {
        let mut block_of = vec![u32::MAX; field.centre.len()];
        for (number, planned) in field.blocks.iter().enumerate() {
            planned.block.cells.iter().for_each(|cell| block_of[*cell as usize] = number as u32);
        }
        let fixed = field.fixed.iter().map(|(cell, value)| (*cell as u32, *value)).collect();
        Sums { field, block_of, fixed, parts: Mutex::new(HashMap::new()) }
    }

    /// The blocks in which a query has noise: one that takes all cells of a total alike has none
    /// there.
    pub(crate) fn moving(&self, query: &Query) -> BTreeSet<u32> {
        let mut taken: BTreeMap<u32, (i64, usize, bool)> = BTreeMap::new();
        for (cell, times) in &query.entries {
            let (first, count, alike) = taken.entry(self.block_of[*cell as usize]).or_insert((*times, 0, true));
            *count += 1;
            *alike &= first == times;
        }
        let moves = |(block, (_, count, alike)): (u32, (i64, usize, bool))| {
            let still = block == u32::MAX || (alike && self.field.plain(block as usize) == Some(Some(count)));
            (!still).then_some(block)
        };
        taken.into_iter().filter_map(moves).collect()
    }

    /// The law of a query in tables of the field; `None` where it is not listed.
    pub fn law(&self, query: &Query) -> Option<Law> {
        let pieces = self.pieces(query);
        let mut budget = BUDGET;
        let parts: NoiseOfSums = pieces.parts.into_iter().collect();
        let mut sum = match parts.as_slice() {
            [] => Law::point(0),
            _ => (*self.known(parts)?).clone(),
        };
        for (cell, times) in pieces.cells {
            let laws = self.field.cell_laws().ok()?;
            sum = joined(&sum, &scaled(laws.of(cell)?, times)?, &mut budget)?;
        }
        for (block, entries) in pieces.rows {
            sum = joined(&sum, &self.field.row_law(block, &entries)?, &mut budget)?;
        }
        Some(sum.shifted(i64::try_from(pieces.constant).ok()?))
    }

    /// The joint law of the noise of two sums of different cells of one block, each cell taken
    /// once: for every value of the first the least of the second, and running sums of
    /// probabilities from 0 on. `None` where it is something else or too large.
    pub(crate) fn joint(&self, one: &Query, two: &Query) -> Option<Vec<(i64, i64, Vec<f64>)>> {
        let moving = |query: &Query| self.moving(query).into_iter().collect::<Vec<u32>>();
        let (first, second) = (moving(one), moving(two));
        let ([block], true) = (first.as_slice(), first == second) else { return None };
        let inside = |query: &Query| -> Option<Vec<u32>> {
            let entries = query.entries.iter().filter(|(cell, _)| self.block_of[*cell as usize] == *block);
            entries.map(|(cell, times)| (*times == 1).then_some(*cell)).collect()
        };
        let (these, those) = (inside(one)?, inside(two)?);
        if these.iter().any(|cell| those.contains(cell)) {
            return None;
        }
        let of = self.field.plain(*block as usize)?;
        let part = |take: usize| match take {
            0 => Some(Law::point(0)),
            _ => law_of_part(&self.field.law, take, None).and_then(|half| mirrored(&half)),
        };
        let (a, b) = (part(these.len())?, part(those.len())?);
        let rest = match of {
            Some(size) => Some(part(size.checked_sub(these.len() + those.len())?)?),
            None => None,
        };
        if a.probabilities.len() * b.probabilities.len() > MOST_JOINT {
            return None;
        }
        let mut whole = 0.0;
        let mut pairs: Vec<(i64, i64, Vec<f64>)> = Vec::with_capacity(a.probabilities.len());
        for (x, mass) in a.listed() {
            let mut upto = vec![0.0];
            for (y, other) in b.listed() {
                let held = rest.as_ref().map_or(1.0, |rest| rest.probability(-x - y));
                upto.push(upto[upto.len() - 1] + mass * other * held);
            }
            whole += upto[upto.len() - 1];
            pairs.push((x, b.first, upto));
        }
        if whole <= 0.0 {
            return None;
        }
        pairs.iter_mut().for_each(|(_, _, upto)| upto.iter_mut().for_each(|sum| *sum /= whole));
        Some(pairs)
    }

    fn known(&self, parts: NoiseOfSums) -> Option<Arc<Law>> {
        if let Some(known) = self.parts.lock().unwrap_or_else(PoisonError::into_inner).get(&parts) {
            return known.clone();
        }
        let mut budget = BUDGET;
        let mut sum = Some(Law::point(0));
        for ((take, of, times), count) in &parts {
            let copies = law_of_part(&self.field.law, *take, *of)
                .and_then(|half| mirrored(&half))
                .and_then(|law| scaled(&law, *times))
                .and_then(|law| copies(&law, *count, &mut budget));
            sum = sum.zip(copies).and_then(|(sum, copies)| joined(&sum, &copies, &mut budget));
        }
        let sum = sum.map(Arc::new);
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(parts, sum.clone());
        sum
    }

    /// A query by blocks.
    fn pieces(&self, query: &Query) -> Pieces {
        let mut pieces = Pieces { constant: 0, parts: BTreeMap::new(), cells: Vec::new(), rows: Vec::new() };
        let mut by_block: BTreeMap<u32, Vec<(u32, i64)>> = BTreeMap::new();
        for (cell, times) in &query.entries {
            match self.block_of[*cell as usize] {
                u32::MAX => {
                    let value = self.fixed.get(cell).copied().unwrap_or(self.field.centre[*cell as usize]);
                    pieces.constant += i128::from(*times) * i128::from(value);
                }
                block => by_block.entry(block).or_default().push((*cell, *times)),
            }
        }
        for (block, entries) in by_block {
            self.add_block(block as usize, entries, &mut pieces);
        }
        pieces
    }

    fn add_block(&self, block: usize, entries: Vec<(u32, i64)>, pieces: &mut Pieces) {
        let Some(of) = self.field.plain(block) else {
            match entries.as_slice() {
                [(cell, times)] => pieces.cells.push((*cell, *times)),
                _ => pieces.rows.push((block, entries)),
            }
            return;
        };
        let mut classes: BTreeMap<i64, usize> = BTreeMap::new();
        entries.iter().for_each(|(_, times)| *classes.entry(*times).or_default() += 1);
        let centre = |(cell, times): &(u32, i64)| i128::from(*times) * i128::from(self.field.centre[*cell as usize]);
        let shift: i128 = entries.iter().map(centre).sum();
        if let Some(size) = of {
            if size > entries.len() {
                classes.insert(0, size - entries.len());
            }
            match classes.iter().collect::<Vec<_>>().as_slice() {
                [_] => {}
                [(low, take), (high, _)] => *pieces.parts.entry((**take, of, *high - *low)).or_default() += 1,
                // The row is around the centre itself.
                _ => return pieces.rows.push((block, entries)),
            }
        } else {
            for (times, take) in classes {
                *pieces.parts.entry((take, None, times.abs())).or_default() += 1;
            }
        }
        pieces.constant += shift;
    }
}

/// The symmetric law with these probabilities of 0, 1, ….
fn mirrored(half: &[f64]) -> Option<Law> {
    let all: Vec<f64> = half.iter().skip(1).rev().chain(half).copied().collect();
    Law::from_weights(1 - half.len() as i64, &all)
}

/// The law of a value times a factor other than zero.
pub(crate) fn scaled(law: &Law, times: i64) -> Option<Law> {
    if times == 1 {
        return Some(law.clone());
    }
    let step = usize::try_from(times.unsigned_abs()).ok()?;
    let length = (law.probabilities.len() - 1).checked_mul(step)?.checked_add(1).filter(|length| *length <= LONGEST)?;
    let mut spread = vec![0.0; length];
    for (place, mass) in law.probabilities.iter().enumerate() {
        spread[place * step] = *mass;
    }
    let last = law.first.checked_add(law.probabilities.len() as i64 - 1)?;
    let first = if times > 0 { law.first } else { last };
    if times < 0 {
        spread.reverse();
    }
    Law::from_weights(first.checked_mul(times)?, &spread)
}

/// The law of the sum of independent values, within the budget; pays from it.
pub(crate) fn joined(one: &Law, two: &Law, budget: &mut u64) -> Option<Law> {
    let (short, long) = match one.probabilities.len() <= two.probabilities.len() {
        true => (one, two),
        false => (two, one),
    };
    let first = short.first.checked_add(long.first)?;
    if short.probabilities.len() == 1 {
        return Some(Law { first, probabilities: long.probabilities.clone() });
    }
    // Laws of multiples have gaps: what is zero costs nothing.
    let present = short.probabilities.iter().filter(|mass| **mass > 0.0).count() as u64;
    *budget = budget.checked_sub(present * long.probabilities.len() as u64)?;
    let length = short.probabilities.len() + long.probabilities.len() - 1;
    if length > LONGEST {
        return None;
    }
    let mut sum = vec![0.0; length];
    for (place, mass) in short.probabilities.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
        sum[place..].iter_mut().zip(long.probabilities.iter()).for_each(|(sum, other)| *sum += mass * other);
    }
    Law::from_weights(first, &sum)
}

/// The law of the sum of so many independent copies.
fn copies(law: &Law, mut count: usize, budget: &mut u64) -> Option<Law> {
    let mut power = law.clone();
    let mut sum = Law::point(0);
    loop {
        if count % 2 == 1 {
            sum = joined(&sum, &power, budget)?;
        }
        count /= 2;
        if count == 0 {
            return Some(sum);
        }
        power = joined(&power, &power, budget)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_scaled_and_joined() {
        let die = Law::from_weights(1, &[1.0; 6]).unwrap();
        let mut budget = 1000;
        let two = joined(&die, &die, &mut budget).unwrap();
        assert!((two.probability(7) - 6.0 / 36.0).abs() < 1e-15);
        let minus = scaled(&die, -3).unwrap();
        assert_eq!(minus.first, -18);
        assert!((minus.probability(-3) - die.probability(1)).abs() < 1e-15);
        let difference = joined(&die, &scaled(&die, -1).unwrap(), &mut budget).unwrap();
        assert!((difference.probability(0) - 1.0 / 6.0).abs() < 1e-15);
        let three = copies(&die, 3, &mut budget).unwrap();
        assert!((three.probability(3) - 1.0 / 216.0).abs() < 1e-15);
        assert!((three.mean() - 10.5).abs() < 1e-12);
        assert_eq!(joined(&die, &die, &mut 5), None);
    }
}

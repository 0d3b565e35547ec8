//! Greedy reduction of vectors by each other, in pairs: for bases that are too large for LLL.
//!
//! A vector gets shorter when the nearest whole multiple of another is taken from it. Only vectors
//! that share cells matter, so inner products are found through the cells. Every step is kept, so
//! that a check can undo them.

use super::Vector;
use super::pivots::subtract;
use std::collections::BTreeSet;

/// The work at most, in entries of vectors that are looked at.
const MOST_WORK: usize = 100_000_000;
/// Vectors with larger entries are left as they are: squares would not fit.
const LARGEST: u64 = 1 << 30;

/// Makes vectors shorter where one other vector does; returns the steps.
pub(super) fn reduce(basis: &mut [Vector]) -> Vec<(u32, i64, u32)> {
    let mut steps = Vec::new();
    if basis.iter().flatten().any(|(_, value)| value.unsigned_abs() > LARGEST) {
        return steps;
    }
    let mut work = 0;
    loop {
        let before = steps.len();
        pass(basis, &mut steps, &mut work);
        if steps.len() == before || work > MOST_WORK {
            return steps;
        }
    }
}

/// Every vector once, and again after each step that shortened it.
fn pass(basis: &mut [Vector], steps: &mut Vec<(u32, i64, u32)>, work: &mut usize) {
    let mut squared: Vec<i128> = basis.iter().map(length).collect();
    let cells = basis.iter().flatten().map(|(cell, _)| *cell as usize + 1).max().unwrap_or(0);
    let mut vectors_at: Vec<Vec<(u32, i64)>> = vec![Vec::new(); cells];
    for (number, vector) in basis.iter().enumerate() {
        vector.iter().for_each(|(cell, value)| vectors_at[*cell as usize].push((number as u32, *value)));
    }
    let mut inner = vec![0i128; basis.len()];
    // The longest first: their shortening saves most.
    let mut open: BTreeSet<(i128, u32)> = (0..basis.len()).map(|number| (squared[number], number as u32)).collect();
    while let Some((_, number)) = open.pop_last() {
        let mut touched = Vec::new();
        for (cell, value) in &basis[number as usize] {
            let others = &vectors_at[*cell as usize];
            *work += others.len();
            for (other, other_value) in others.iter().filter(|(other, _)| *other != number) {
                touched.push(*other);
                inner[*other as usize] += i128::from(*value) * i128::from(*other_value);
            }
        }
        // Taking `times` the other vector from this one saves 2·times·inner − times²·squared of its
        // square.
        let mut best: Option<(i128, u32, i128)> = None;
        for other in touched {
            let inner = std::mem::take(&mut inner[other as usize]);
            let times = nearest(inner, squared[other as usize]);
            let gain = 2 * times * inner - times * times * squared[other as usize];
            if gain > 0 && best.is_none_or(|(most, first, _)| gain > most || (gain == most && other < first)) {
                best = Some((gain, other, times));
            }
        }
        if *work > MOST_WORK {
            return;
        }
        let Some((_, other, times)) = best else { continue };
        let Some((times, shorter)) = i64::try_from(times).ok().and_then(|times| {
            subtract(&basis[number as usize], times, &basis[other as usize]).map(|shorter| (times, shorter))
        }) else {
            continue;
        };
        for (cell, _) in &basis[number as usize] {
            vectors_at[*cell as usize].retain(|(known, _)| *known != number);
        }
        shorter.iter().for_each(|(cell, value)| vectors_at[*cell as usize].push((number, *value)));
        squared[number as usize] = length(&shorter);
        basis[number as usize] = shorter;
        steps.push((number, times, other));
        open.insert((squared[number as usize], number));
    }
}

fn length(vector: &Vector) -> i128 {
    vector.iter().map(|(_, value)| i128::from(*value) * i128::from(*value)).fold(0, i128::saturating_add)
}

fn nearest(above: i128, below: i128) -> i128 {
    (2 * above + below).div_euclid(2 * below)
}

//! From an integer solution into the bounds, by steps of the lattice that violate less and stay
//! near an inner point.

use super::aim::{SWEEPS, aim};
use super::cases::is_small;
use super::solve::System;
use crate::fibre::Fibre;
use crate::lattice::Lattice;
use crate::sums::Demand;

/// How many integer solutions to start from.
const STARTS: u64 = 4;
/// The most entries of vectors that are looked at from one start.
const MOST_WORK: usize = 40_000_000;
/// The most entries that are looked at for each entry of the basis: of fibres that exact search
/// decides, and of others.
const WORK_PER_ENTRY: (usize, usize) = (100, 5_000);
/// How often a step is taken that need not be the best.
const NOISE: f64 = 0.05;
/// What a unit of violation costs against the distance from the inner point.
const PENALTY: f64 = 20.0;

/// The most entries that are looked at from a table that is nearly there.
const WORK_NEARBY: usize = 200_000;
/// The sweeps towards an inner point from there.
const SWEEPS_NEARBY: usize = 150;
/// What is further away is not approached by single steps.
const FEW: u128 = 8;

/// A table within the bounds, if these steps lead to one. `solution` is an integer solution of the
/// equalities.
pub(super) fn descend(
    fibre: &Fibre,
    lattice: &Lattice,
    system: &System,
    solution: Option<Vec<i64>>,
) -> Option<Vec<i64>> {
    if let Some(solution) = solution.filter(|solution| fibre.contains(solution)) {
        return Some(solution);
    }
    let target = aim(fibre, SWEEPS);
    let mut random = FixedBits(0);
    let vectors_at = lattice.vectors_at();
    let entries: usize = lattice.basis().iter().map(Vec::len).sum();
    let per_entry = if is_small(fibre) { WORK_PER_ENTRY.0 } else { WORK_PER_ENTRY.1 };
    let most_work = entries.saturating_mul(per_entry).min(MOST_WORK);
    for start in 0..STARTS {
        let wanted: Vec<i64> = target
            .iter()
            .map(|value| if start == 0 { value.round() as i64 } else { (value + random.unit()).floor() as i64 })
            .collect();
        let Ok(Some(table)) = system.solve(&wanted) else { return None };
        let mut state = Descent::new(fibre, &target, table);
        let mut work = most_work;
        state.settle(lattice, &mut work);
        state.repair(lattice, &vectors_at, &mut random, &mut work);
        if state.violation == 0 {
            return Some(state.table);
        }
    }
    None
}

/// A table of a fibre, from a table of integers that keeps its equalities and misses little else,
/// if steps lead to one: first from where it is, then from near an inner point. `vectors_at` are
/// the vectors of the lattice at every cell.
pub(super) fn seek(fibre: &Fibre, lattice: &Lattice, vectors_at: &[Vec<u32>], start: &[i64]) -> Option<Vec<i64>> {
    let here: Vec<f64> = start.iter().map(|value| *value as f64).collect();
    let mut random = FixedBits(1);
    let mut state = Descent::new(fibre, &here, start.to_vec());
    if state.violation <= FEW {
        state.repair(lattice, vectors_at, &mut random, &mut WORK_NEARBY.clone());
        if state.violation == 0 {
            return Some(state.table);
        }
    }
    let target = aim(fibre, SWEEPS_NEARBY);
    let mut state = Descent::new(fibre, &target, start.to_vec());
    let mut work = 20 * WORK_NEARBY;
    state.settle(lattice, &mut work);
    state.repair(lattice, vectors_at, &mut random, &mut work);
    (state.violation == 0).then_some(state.table)
}

struct Descent<'a> {
    fibre: &'a Fibre,
    target: &'a [f64],
    table: Vec<i64>,
    /// Rows that are inequalities, and their sums.
    sums: Vec<i128>,
    /// For every cell the inequalities that take it.
    rows_of: Vec<Vec<(u32, i64)>>,
    /// How far bounds and inequalities are missed, in all.
    violation: u128,
}

impl Descent<'_> {
    fn new<'a>(fibre: &'a Fibre, target: &'a [f64], table: Vec<i64>) -> Descent<'a> {
        let mut rows_of = vec![Vec::new(); table.len()];
        let mut sums = vec![0; fibre.rows.len()];
        for (number, row) in fibre.rows.iter().enumerate() {
            if matches!(row.demand, Demand::AtLeast(_) | Demand::AtMost(_)) {
                for (cell, times) in &row.entries {
                    rows_of[*cell as usize].push((number as u32, *times));
                    sums[number] += i128::from(*times) * i128::from(table[*cell as usize]);
                }
            }
        }
        let mut state = Descent { fibre, target, table, sums, rows_of, violation: 0 };
        let cells = (0..state.table.len()).map(|cell| state.missed(cell, i128::from(state.table[cell])));
        let rows = (0..state.sums.len()).map(|row| state.missed_row(row, state.sums[row]));
        state.violation = cells.chain(rows).sum();
        state
    }

    fn missed(&self, cell: usize, value: i128) -> u128 {
        let (low, high) = self.fibre.bounds[cell];
        let below = low.map_or(0, |low| (i128::from(low) - value).max(0));
        let above = high.map_or(0, |high| (value - i128::from(high)).max(0));
        below.unsigned_abs() + above.unsigned_abs()
    }

    fn missed_row(&self, row: usize, sum: i128) -> u128 {
        match self.fibre.rows[row].demand {
            Demand::AtLeast(bound) => (i128::from(bound) - sum).max(0).unsigned_abs(),
            Demand::AtMost(bound) => (sum - i128::from(bound)).max(0).unsigned_abs(),
            _ => 0,
        }
    }

    fn distance(&self, cell: usize, value: i128) -> f64 {
        let target = self.target[cell];
        (value as f64 - target).powi(2) / (1.0 + target.abs())
    }

    /// What so many times the vector would change: the violation, and the cost.
    fn change(&self, vector: &[(u32, i64)], times: i64) -> (i128, f64) {
        let mut missed = 0i128;
        let mut distance = 0.0;
        let mut rows: Vec<(u32, i128)> = Vec::new();
        for (cell, value) in vector {
            let cell = *cell as usize;
            let (before, step) = (i128::from(self.table[cell]), i128::from(*value) * i128::from(times));
            missed += self.missed(cell, before + step) as i128 - self.missed(cell, before) as i128;
            distance += self.distance(cell, before + step) - self.distance(cell, before);
            for (row, taken) in &self.rows_of[cell] {
                match rows.iter_mut().find(|(known, _)| known == row) {
                    Some((_, sum)) => *sum += i128::from(*taken) * step,
                    None => rows.push((*row, i128::from(*taken) * step)),
                }
            }
        }
        for (row, step) in rows {
            let before = self.sums[row as usize];
            missed +=
                self.missed_row(row as usize, before + step) as i128 - self.missed_row(row as usize, before) as i128;
        }
        (missed, distance + PENALTY * missed as f64)
    }

    fn step(&mut self, vector: &[(u32, i64)], times: i64) -> bool {
        let stepped = |(cell, value): &(u32, i64)| {
            value.checked_mul(times).and_then(|step| self.table[*cell as usize].checked_add(step))
        };
        let Some(values) = vector.iter().map(stepped).collect::<Option<Vec<i64>>>() else {
            return false;
        };
        let (missed, _) = self.change(vector, times);
        self.violation = self.violation.saturating_add_signed(missed);
        for ((cell, value), stepped) in vector.iter().zip(values) {
            self.table[*cell as usize] = stepped;
            for (row, taken) in &self.rows_of[*cell as usize] {
                self.sums[*row as usize] += i128::from(*taken) * i128::from(*value) * i128::from(times);
            }
        }
        true
    }

    /// Steps until no vector of the basis lowers the cost.
    fn settle(&mut self, lattice: &Lattice, work: &mut usize) {
        loop {
            let mut stepped = false;
            for vector in lattice.basis() {
                let entries = 6 * vector.len();
                if *work < entries {
                    *work = 0;
                    return;
                }
                *work -= entries;
                let nearest = self.nearest(vector);
                let best = [nearest, 1, -1]
                    .into_iter()
                    .filter(|times| *times != 0)
                    .map(|times| (self.change(vector, times).1, times))
                    .min_by(|one, other| one.0.total_cmp(&other.0));
                if let Some((cost, times)) = best
                    && cost < -1e-6
                {
                    stepped |= self.step(vector, times);
                }
            }
            if !stepped || self.violation == 0 {
                return;
            }
        }
    }

    /// How many times the vector leads nearest to the inner point.
    fn nearest(&self, vector: &[(u32, i64)]) -> i64 {
        let (mut along, mut squared) = (0.0, 0.0);
        for (cell, value) in vector {
            let cell = *cell as usize;
            let (value, weight) = (*value as f64, 1.0 / (1.0 + self.target[cell].abs()));
            along += weight * value * (self.target[cell] - self.table[cell] as f64);
            squared += weight * value * value;
        }
        let times = (along / squared).round();
        if times.abs() < 1e15 { times as i64 } else { 0 }
    }

    /// Steps at violated cells, always the one that violates least, now and then any other: a
    /// violation wanders until it meets a cell that has room for it.
    fn repair(&mut self, lattice: &Lattice, vectors_at: &[Vec<u32>], random: &mut FixedBits, work: &mut usize) {
        let mut open: Vec<usize> = (0..self.table.len()).filter(|cell| self.wanted(*cell) != 0).collect();
        let mut is_open = vec![false; self.table.len()];
        open.iter().for_each(|cell| is_open[*cell] = true);
        while self.violation > 0 && !open.is_empty() {
            let place = random.below(open.len());
            let cell = open[place];
            let wanted = self.wanted(cell);
            if wanted == 0 || vectors_at[cell].is_empty() {
                is_open[cell] = false;
                open.swap_remove(place);
                continue;
            }
            let noisy = random.unit() < NOISE;
            let mut best: Option<(i128, f64, u32, i64)> = None;
            for number in &vectors_at[cell] {
                let vector = &lattice.basis()[*number as usize];
                if *work < vector.len() {
                    return;
                }
                *work -= vector.len();
                let at = vector.binary_search_by_key(&(cell as u32), |(cell, _)| *cell).map_or(1, |at| vector[at].1);
                let times = wanted * at.signum();
                let missed = if noisy { 0 } else { self.change(vector, times).0 };
                let tie = random.unit();
                if best.is_none_or(|(least, least_tie, ..)| (missed, tie) < (least, least_tie)) {
                    best = Some((missed, tie, *number, times));
                }
            }
            let Some((_, _, number, times)) = best else { continue };
            let vector = &lattice.basis()[number as usize];
            if !self.step(vector, times) {
                return;
            }
            for touched in self.affected(vector) {
                if self.wanted(touched) != 0 && !std::mem::replace(&mut is_open[touched], true) {
                    open.push(touched);
                }
            }
        }
    }

    /// Whether a cell should grow (1) or shrink (−1), by its own bounds or an inequality that takes
    /// it.
    fn wanted(&self, cell: usize) -> i64 {
        let value = self.table[cell];
        match self.fibre.bounds[cell] {
            (Some(low), _) if value < low => return 1,
            (_, Some(high)) if value > high => return -1,
            _ => {}
        }
        let missed = |row: usize| match self.fibre.rows[row].demand {
            Demand::AtLeast(bound) if self.sums[row] < i128::from(bound) => 1,
            Demand::AtMost(bound) if self.sums[row] > i128::from(bound) => -1,
            _ => 0,
        };
        self.rows_of[cell]
            .iter()
            .map(|(row, times)| missed(*row as usize) * times.signum())
            .find(|w| *w != 0)
            .unwrap_or(0)
    }

    /// The cells whose wishes a step by this vector may have changed.
    fn affected(&self, vector: &[(u32, i64)]) -> Vec<usize> {
        let mut cells: Vec<usize> = vector.iter().map(|(cell, _)| *cell as usize).collect();
        for (cell, _) in vector {
            for (row, _) in &self.rows_of[*cell as usize] {
                cells.extend(self.fibre.rows[*row as usize].entries.iter().map(|(cell, _)| *cell as usize));
            }
        }
        cells
    }
}

/// SplitMix64: the same steps in every run.
struct FixedBits(u64);

impl FixedBits {
    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

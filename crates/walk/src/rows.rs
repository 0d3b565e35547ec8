//! Exact transition rows of the lattice walk on a finite fibre, from its definition: what tests
//! compare the walk with.

use super::kernel::Kernel;
use super::lattice_kernel::{LatticeKernel, WHOLE_STEPS};
use super::line::Line;
use super::space::Step;

/// The probabilities of one step from a table to each of all tables of the fibre.
pub(super) fn lattice(kernel: &LatticeKernel<'_>, from: &[i64], states: &[Vec<i64>]) -> Vec<f64> {
    let moves = kernel.moves;
    let energy = |values: &[i64]| kernel.energy(&kernel.start(values.to_vec()));
    let here = energy(from);
    let ratio = |values: &[i64]| (here - energy(values)).exp().min(1.0);
    let [full, line, vector, circuit] = moves.chances();
    let mut row = vec![0.0; states.len()];
    let difference = |state: &[i64]| -> Vec<i64> { state.iter().zip(from).map(|(to, from)| to - from).collect() };
    for (probability, state) in row.iter_mut().zip(states).filter(|(_, state)| *state != from) {
        let difference = difference(state);
        if let Some(units) = coordinates(&moves.basis, &difference) {
            let product: f64 = units.iter().map(|units| double_geometric(moves.full_parameter(), *units)).product();
            *probability += full * product * ratio(state);
        }
        for (index, step) in moves.basis.iter().enumerate() {
            if let Some(units) = multiple(step, &difference) {
                let proposed = double_geometric(moves.parameter(index), units);
                *probability += vector / moves.basis.len() as f64 * proposed * ratio(state);
            }
        }
    }
    if let Some(circuits) = &moves.circuits {
        let (cycles, parameter) = circuits.law();
        for (cycle, chance) in cycles {
            let step = moves.space.step(cycle);
            for (probability, state) in row.iter_mut().zip(states).filter(|(_, state)| *state != from) {
                if let Some(units) = multiple(&step, &difference(state)) {
                    *probability += circuit * chance * double_geometric(parameter, units) * ratio(state);
                }
            }
        }
    }
    for member in &moves.lines {
        let is_along = |index: &usize| is_along(member, &difference(&states[*index]));
        let along: Vec<usize> = (0..states.len()).filter(is_along).collect();
        // Redrawn by the law itself, or by laws that stand in for it and are corrected.
        let count = kernel.stand_ins.len().max(1);
        let redraws = (0..count).map(|law| kernel.stand_ins.get(law).map(|stand_in| &stand_in.target));
        for target in redraws {
            let fall = |values: &[i64]| match target {
                Some(target) => {
                    let energy = |values: &[i64]| target.energy(&moves.space, &kernel.start(values.to_vec()));
                    energy(from) - energy(values)
                }
                None => here - energy(values),
            };
            let weights: Vec<f64> = along.iter().map(|index| fall(&states[*index]).exp()).collect();
            let sum: f64 = weights.iter().sum();
            for (index, weight) in along.iter().zip(weights) {
                let state = &states[*index];
                if state != from {
                    let accepted = (here - energy(state) - fall(state)).exp().min(1.0);
                    row[*index] += line / (moves.lines.len() * count) as f64 * weight / sum * accepted;
                }
            }
        }
    }
    if let Some(whole) = &kernel.whole {
        let chance = 1.0 / WHOLE_STEPS as f64;
        row.iter_mut().for_each(|probability| *probability *= 1.0 - chance);
        if let Some(present) = kernel.log_score(whole, from) {
            for (probability, state) in row.iter_mut().zip(states).filter(|(_, state)| *state != from) {
                if let Some(score) = kernel.log_score(whole, state) {
                    let proposed = (-energy(state) - score).exp();
                    *probability += chance * proposed * (score - present).exp().min(1.0);
                }
            }
        }
    }
    with_rest(row, from, states)
}

/// A row of probabilities to leave a table, and what is left of them to stay.
pub(super) fn with_rest(mut row: Vec<f64>, from: &[i64], states: &[Vec<i64>]) -> Vec<f64> {
    let left = 1.0 - row.iter().sum::<f64>();
    if let Some(stay) = states.iter().position(|state| state == from) {
        row[stay] = left;
    }
    row
}

pub(super) fn double_geometric(a: f64, units: i64) -> f64 {
    (1.0 - a) / (1.0 + a) * a.powi(units.unsigned_abs().min(100_000) as i32)
}

/// The number of units of a direction that make up a difference, if some do.
fn multiple(step: &Step, difference: &[i64]) -> Option<i64> {
    let (place, times) = step.cells.first()?;
    let units = difference[*place as usize] / times;
    let mut made = vec![0; difference.len()];
    step.cells.iter().for_each(|(place, times)| made[*place as usize] = units * times);
    (made == difference).then_some(units)
}

/// Whether a difference is made of the columns of a line, with units that add up to zero.
fn is_along(line: &Line, difference: &[i64]) -> bool {
    let mut made = vec![0; difference.len()];
    let mut sum = 0;
    for column in &line.columns {
        let Some((place, times)) = column.cells.first() else { return false };
        let units = difference[*place as usize] / times;
        sum += units;
        column.cells.iter().for_each(|(place, times)| made[*place as usize] = units * times);
    }
    sum == 0 && made == difference
}

/// The coordinates of a difference in a basis, if it is in its lattice: by normal equations and
/// rounding.
pub(super) fn coordinates(basis: &[Step], difference: &[i64]) -> Option<Vec<i64>> {
    let size = basis.len();
    let dense = |step: &Step| {
        let mut vector = vec![0.0; difference.len()];
        step.cells.iter().for_each(|(place, times)| vector[*place as usize] = *times as f64);
        vector
    };
    let vectors: Vec<Vec<f64>> = basis.iter().map(dense).collect();
    let product = |one: &[f64], two: &[f64]| one.iter().zip(two).map(|(one, two)| one * two).sum::<f64>();
    let target: Vec<f64> = difference.iter().map(|difference| *difference as f64).collect();
    let mut system: Vec<Vec<f64>> = vectors
        .iter()
        .map(|one| vectors.iter().map(|two| product(one, two)).chain([product(one, &target)]).collect())
        .collect();
    for pivot in 0..size {
        let best = (pivot..size).max_by(|one, two| system[*one][pivot].abs().total_cmp(&system[*two][pivot].abs()))?;
        system.swap(pivot, best);
        if system[pivot][pivot].abs() < 1e-9 {
            return None;
        }
        let leading = system[pivot].clone();
        for other in (0..size).filter(|other| *other != pivot) {
            let factor = system[other][pivot] / leading[pivot];
            system[other].iter_mut().zip(&leading).for_each(|(entry, leading)| *entry -= factor * leading);
        }
    }
    let units: Vec<i64> = (0..size).map(|index| (system[index][size] / system[index][index]).round() as i64).collect();
    let mut made = vec![0; difference.len()];
    for (step, units) in basis.iter().zip(&units) {
        step.cells.iter().for_each(|(place, times)| made[*place as usize] += units * times);
    }
    (made == difference).then_some(units)
}

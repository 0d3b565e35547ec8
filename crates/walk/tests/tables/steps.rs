//! Steps and couplings of any kernel against exact transition rows.

use super::blocks::TREE;
use analyse::Fibre;
use exact::{Seeded, Source};
use testkit::{deviations, goodness_of_fit, level};
use walk::{Kernel, meeting};

/// All tables of a fibre with cells in `0..=most`.
pub fn tables(fibre: &Fibre, most: i64) -> Vec<Vec<i64>> {
    let cells = fibre.cells.len();
    let count = (most as usize + 1).pow(cells as u32);
    let digit =
        |number: usize, cell: usize| (number / (most as usize + 1).pow(cell as u32) % (most as usize + 1)) as i64;
    let all = (0..count).map(|number| (0..cells).map(|cell| digit(number, cell)).collect::<Vec<i64>>());
    all.filter(|table| fibre.contains(table)).collect()
}

pub fn distance(one: &[i64], two: &[i64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| (one - two).abs() as f64).sum()
}

/// The weights of the tree's tables, from the definition.
pub fn tree_weight(table: &[i64]) -> f64 {
    let off = |cells: &[usize]| cells.iter().map(|cell| table[*cell] - TREE[*cell]).sum::<i64>().abs() as f64;
    (-(off(&[0, 1, 2]) / 3.0 + off(&[0, 1]) / 2.0 + 0.75 * (off(&[0]) + off(&[1]) + off(&[2])))).exp()
}

fn matrix<K: Kernel>(kernel: &K, states: &[Vec<i64>]) -> Vec<Vec<f64>> {
    states.iter().map(|from| kernel.row(from, states)).collect()
}

/// How far a matrix is from rows that sum to one and from detailed balance; infinite when a table
/// is not reached.
pub fn fault(matrix: &[Vec<f64>], law: &[f64]) -> f64 {
    let mut fault = 0.0f64;
    for (from, row) in matrix.iter().enumerate() {
        fault = fault.max((row.iter().sum::<f64>() - 1.0).abs());
        for (to, probability) in row.iter().enumerate() {
            let reached = *probability > 0.0 || from == to && *probability > -1e-12;
            fault = if reached { fault } else { f64::INFINITY };
            fault = fault.max((law[from] * probability - law[to] * matrix[to][from]).abs());
        }
    }
    fault
}

pub fn law_of(states: &[Vec<i64>], weight: impl Fn(&[i64]) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = states.iter().map(|state| weight(state)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// A chi-square p-value below this rejects: some hundred comparisons are made.
const LEVEL: f64 = level(100);

const TRIALS: u64 = 20_000;

/// The p-value of single steps against a claimed row.
fn steps_fit<K: Kernel>(kernel: &K, from: &[i64], states: &[Vec<i64>], claimed: &[f64], seed: u64) -> f64 {
    let mut entropy = Seeded::draw(seed, 0).stream(0).unwrap();
    let mut counts = vec![0u64; states.len()];
    for _ in 0..TRIALS {
        let mut state = kernel.start(from.to_vec());
        kernel.step(&mut state, &mut entropy);
        counts[position(states, kernel.values(&state))] += 1;
    }
    goodness_of_fit(&counts, claimed, TRIALS).p_value
}

fn position(states: &[Vec<i64>], values: &[i64]) -> usize {
    states.iter().position(|state| state == values).expect("a step stays in the fibre")
}

/// Everything that a kernel must be, on a small fibre.
pub fn check<K: Kernel>(kernel: &K, states: &[Vec<i64>], law: &[f64]) {
    let matrix = matrix(kernel, states);
    assert!(fault(&matrix, law) < 1e-12, "{}", fault(&matrix, law));
    let few = (0..states.len()).step_by(states.len() / 4);
    for (number, from) in few.enumerate() {
        let p_value = steps_fit(kernel, &states[from], states, &matrix[from], number as u64);
        assert!(p_value > LEVEL, "steps from {:?}: {p_value}", states[from]);
        let other = (from * 7 + 3) % states.len();
        let mut entropy = Seeded::draw(number as u64, 1).stream(0).unwrap();
        let mut counts = [vec![0u64; states.len()], vec![0u64; states.len()]];
        for _ in 0..TRIALS {
            let (mut one, mut two) = (kernel.start(states[from].clone()), kernel.start(states[other].clone()));
            kernel.couple(&mut one, &mut two, &mut entropy);
            counts[0][position(states, kernel.values(&one))] += 1;
            counts[1][position(states, kernel.values(&two))] += 1;
        }
        for (counts, from) in counts.iter().zip([from, other]) {
            let p_value = goodness_of_fit(counts, &matrix[from], TRIALS).p_value;
            assert!(p_value > LEVEL, "coupled steps from {:?}: {p_value}", states[from]);
        }
    }
    stays_together(kernel, states);
    bounds_the_distance(kernel, states, &matrix, law);
}

fn stays_together<K: Kernel>(kernel: &K, states: &[Vec<i64>]) {
    let mut entropy = Seeded::draw(9, 2).stream(0).unwrap();
    let (mut one, mut two) = (kernel.start(states[0].clone()), kernel.start(states[states.len() - 1].clone()));
    let mut met = None;
    for step in 0..5000 {
        kernel.couple(&mut one, &mut two, &mut entropy);
        let same = kernel.values(&one) == kernel.values(&two);
        assert!(same || met.is_none(), "they met after {met:?} steps and were apart after {step}");
        met = met.or(same.then_some(step));
    }
    assert!(met.is_some_and(|met| met < 4000), "{met:?}");
}

/// The true distance after t steps from a start is below what meeting times say of it.
fn bounds_the_distance<K: Kernel>(kernel: &K, states: &[Vec<i64>], matrix: &[Vec<f64>], law: &[f64]) {
    let (start, lag, pairs) = (states.len() / 2, 4u64, 2000);
    let source = Seeded::draw(11, 3);
    let times: Vec<u64> = (0..pairs)
        .map(|pair| meeting(kernel, &states[start], lag, 100_000, &mut source.stream(pair).unwrap()).unwrap())
        .collect();
    let mut present = vec![0.0; states.len()];
    present[start] = 1.0;
    for t in 0..20u64 {
        let true_distance: f64 = present.iter().zip(law).map(|(one, two)| (one - two).abs()).sum::<f64>() / 2.0;
        let terms = times.iter().map(|time| time.saturating_sub(t).div_ceil(lag) as f64);
        let (sum, squares) = terms.fold((0.0, 0.0), |(sum, squares), term| (sum + term, squares + term * term));
        let mean = sum / pairs as f64;
        let error = ((squares / pairs as f64 - mean * mean).max(0.0) / pairs as f64).sqrt();
        assert!(
            true_distance <= mean + deviations(120) * error + 1e-3,
            "after {t} steps {true_distance}, bound {mean}"
        );
        let next = |to: usize| present.iter().zip(matrix).map(|(here, row)| here * row[to]).sum();
        present = (0..states.len()).map(next).collect();
    }
}

pub fn independence_law(states: &[Vec<i64>], centre: &[i64]) -> Vec<f64> {
    law_of(states, |table| (-0.5 * distance(table, centre)).exp())
}

pub fn double_geometric(rate: f64, units: i64) -> f64 {
    (0.5 * rate).tanh() * (-rate * units.abs() as f64).exp()
}

/// The matrix of Metropolis and Hastings for a proposal and an acceptance ratio.
pub fn metropolis(
    states: &[Vec<i64>],
    proposed: impl Fn(&[i64], &[i64]) -> f64,
    ratio: impl Fn(&[i64], &[i64]) -> f64,
) -> Vec<Vec<f64>> {
    let row = |(place, from): (usize, &Vec<i64>)| {
        let mut row: Vec<f64> = states.iter().map(|to| proposed(from, to) * ratio(from, to).min(1.0)).collect();
        row[place] = 0.0;
        row[place] = 1.0 - row.iter().sum::<f64>();
        row
    };
    states.iter().enumerate().map(row).collect()
}

/// Whether steps from some table do not fit the rows of a matrix.
pub fn rejected<K: Kernel>(kernel: &K, states: &[Vec<i64>], matrix: &[Vec<f64>]) -> bool {
    let few = (0..states.len()).step_by(states.len() / 4);
    few.into_iter().any(|from| steps_fit(kernel, &states[from], states, &matrix[from], 20 + from as u64) < LEVEL)
}

//! The walks of the literature: their steps as exact matrices on small fibres, their couplings, and their published figures.

use analyse::{Demand, Fibre, FibreRow, Lattice};
use draw::{Kernel, NoiseLaw, Operator, Walk, Wanted, meeting};
use exact::{Rational, Seeded, Source};
use testkit::goodness_of_fit;

fn ratio(numerator: u64, denominator: u64) -> Rational {
    Rational::new(numerator, denominator)
}

fn row(entries: &[(u32, i64)], demand: Demand) -> FibreRow {
    FibreRow { entries: entries.to_vec(), demand }
}

fn ones(cells: impl IntoIterator<Item = u32>) -> Vec<(u32, i64)> {
    cells.into_iter().map(|cell| (cell, 1)).collect()
}

fn block(bounds: Vec<(Option<i64>, Option<i64>)>, rows: Vec<FibreRow>, noise_on_cells: bool) -> Fibre {
    Fibre { cells: (0..bounds.len() as u32).collect(), bounds, rows, noise_on_cells }
}

fn walk(operator: Operator, fibre: &Fibre, rates: &[Rational]) -> Result<Walk, String> {
    let lattice = Lattice::of_fibre(fibre).unwrap();
    let law = NoiseLaw::DoubleGeometric { epsilon: ratio(1, 2) };
    Walk::new(operator, fibre.clone(), lattice, &law, rates)
}

/// All tables of a fibre with cells in `0..=most`.
fn tables(fibre: &Fibre, most: i64) -> Vec<Vec<i64>> {
    let cells = fibre.cells.len();
    let count = (most as usize + 1).pow(cells as u32);
    let digit = |number: usize, cell: usize| (number / (most as usize + 1).pow(cell as u32) % (most as usize + 1)) as i64;
    let all = (0..count).map(|number| (0..cells).map(|cell| digit(number, cell)).collect::<Vec<i64>>());
    all.filter(|table| fibre.contains(table)).collect()
}

/// Both margins of a 2 × 3 table, one rule, no count below zero.
fn margins() -> Fibre {
    let rows = vec![
        row(&ones([0, 1, 2]), Demand::Equal(4)),
        row(&ones([3, 4, 5]), Demand::Equal(3)),
        row(&ones([0, 3]), Demand::Equal(2)),
        row(&ones([1, 4]), Demand::Equal(2)),
        row(&ones([2, 5]), Demand::Equal(3)),
        row(&[(0, 1), (4, -1)], Demand::AtLeast(-1)),
    ];
    block(vec![(Some(0), None); 6], rows, true)
}

/// A weighted total: with cells 0 and 1 free, cell 2 is not always whole.
fn weighted() -> Fibre {
    block(vec![(Some(0), None); 3], vec![row(&[(0, 1), (1, 2), (2, 3)], Demand::Equal(9))], true)
}

/// Noise on three leaves, on two of them together and on all, with a rule.
fn tree() -> Fibre {
    let noisy = |query, group| Demand::Noisy { query, group, fixed: 0 };
    let rows = vec![
        row(&ones([0, 1, 2]), noisy(0, 0)),
        row(&ones([0, 1]), noisy(1, 0)),
        row(&ones([0]), noisy(2, 0)),
        row(&ones([1]), noisy(2, 1)),
        row(&ones([2]), noisy(2, 2)),
        row(&ones([1, 2]), Demand::AtMost(5)),
    ];
    block(vec![(Some(0), Some(3)), (Some(0), Some(4)), (Some(0), Some(3))], rows, false)
}

fn tree_rates() -> Vec<Rational> {
    vec![ratio(1, 3), ratio(1, 2), ratio(3, 4)]
}

const MARGINS: [i64; 6] = [1, 2, 1, 1, 0, 2];
const WEIGHTED: [i64; 3] = [4, 1, 1];
const TREE: [i64; 3] = [1, 3, 0];

fn distance(one: &[i64], two: &[i64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| (one - two).abs() as f64).sum()
}

/// The weights of the tree's tables, from the definition.
fn tree_weight(table: &[i64]) -> f64 {
    let off = |cells: &[usize]| cells.iter().map(|cell| table[*cell] - TREE[*cell]).sum::<i64>().abs() as f64;
    (-(off(&[0, 1, 2]) / 3.0 + off(&[0, 1]) / 2.0 + 0.75 * (off(&[0]) + off(&[1]) + off(&[2])))).exp()
}

fn matrix<K: Kernel>(kernel: &K, states: &[Vec<i64>]) -> Vec<Vec<f64>> {
    states.iter().map(|from| kernel.row(from, states)).collect()
}

/// How far a matrix is from rows that sum to one and from detailed balance; infinite when a table is not reached.
fn fault(matrix: &[Vec<f64>], law: &[f64]) -> f64 {
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

fn law_of(states: &[Vec<i64>], weight: impl Fn(&[i64]) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = states.iter().map(|state| weight(state)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// A chi-square p-value below this rejects: some sixty tests are made.
const LEVEL: f64 = 1e-5;
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
fn check<K: Kernel>(kernel: &K, states: &[Vec<i64>], law: &[f64]) {
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
        assert!(true_distance <= mean + 5.0 * error + 1e-3, "after {t} steps {true_distance}, bound {mean}");
        let next = |to: usize| present.iter().zip(matrix).map(|(here, row)| here * row[to]).sum();
        present = (0..states.len()).map(next).collect();
    }
}

fn independence_law(states: &[Vec<i64>], centre: &[i64]) -> Vec<f64> {
    law_of(states, |table| (-0.5 * distance(table, centre)).exp())
}

#[test]
fn independence_walks_are_reversible_and_their_couplings_faithful() {
    for (fibre, centre, index_set, rate) in [
        (margins(), MARGINS.to_vec(), None, ratio(7, 10)),
        (margins(), MARGINS.to_vec(), Some(vec![2, 4]), ratio(2, 5)),
        (weighted(), WEIGHTED.to_vec(), Some(vec![0, 1]), ratio(3, 5)),
        (weighted(), WEIGHTED.to_vec(), Some(vec![1, 2]), ratio(1, 2)),
    ] {
        let mut walk = walk(Operator::IndependenceWalk, &fibre, &[]).unwrap();
        if let Some(index_set) = &index_set {
            walk = walk.with_index_set(index_set).unwrap();
            assert_eq!(walk.index_set().as_ref(), Some(index_set));
        }
        let states = tables(&fibre, 9);
        assert!(states.len() > 8, "{}", states.len());
        let moves = walk.with_proposal_rate(rate).independence().unwrap();
        check(&moves.kernel(centre.clone()), &states, &independence_law(&states, &centre));
    }
}

#[test]
fn hierarchy_walks_are_reversible_and_their_couplings_faithful() {
    let fibre = tree();
    let states = tables(&fibre, 4);
    for rate in [ratio(1, 2), ratio(3, 2)] {
        let walk = walk(Operator::HierarchyWalk, &fibre, &tree_rates()).unwrap().with_proposal_rate(rate);
        let moves = walk.hierarchy().unwrap();
        let kernel = moves.kernel(TREE.to_vec(), &walk.sums_of(&TREE));
        check(&kernel, &states, &law_of(&states, tree_weight));
    }
}

fn double_geometric(rate: f64, units: i64) -> f64 {
    (0.5 * rate).tanh() * (-rate * units.abs() as f64).exp()
}

/// The matrix of Metropolis and Hastings for a proposal and an acceptance ratio.
fn metropolis(
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

#[test]
fn mutants_of_the_independence_walk_are_rejected() {
    let fibre = margins();
    let states = tables(&fibre, 9);
    let walk = walk(Operator::IndependenceWalk, &fibre, &[]).unwrap().with_index_set(&[0, 1]).unwrap();
    let moves = walk.with_proposal_rate(ratio(9, 10)).independence().unwrap();
    let kernel = moves.kernel(MARGINS.to_vec());
    let law = independence_law(&states, &MARGINS);
    let q = |table: &[i64]| (0..2).map(|cell| double_geometric(0.9, table[cell] - MARGINS[cell])).product::<f64>();
    let p = |rate: f64| move |table: &[i64]| (-rate * distance(table, &MARGINS)).exp();
    let (right, swapped) = (p(0.5), p(0.9));
    let propose = |_: &[i64], to: &[i64]| q(to);
    let sound = metropolis(&states, propose, |from, to| right(to) * q(from) / (right(from) * q(to)));
    let no_ratio = metropolis(&states, propose, |from, to| right(to) / right(from));
    let wrong_rate = metropolis(&states, propose, |from, to| swapped(to) * q(from) / (swapped(from) * q(to)));
    let missing_cell = metropolis(&states, propose, |from, to| {
        let last = |table: &[i64]| (-0.5 * distance(&table[..5], &MARGINS[..5])).exp();
        last(to) * q(from) / (last(from) * q(to))
    });
    assert!(fault(&sound, &law) < 1e-12);
    for (name, mutant) in [("no q", &no_ratio), ("ε̃ for ε", &wrong_rate), ("a missing cell", &missing_cell)] {
        assert!(fault(mutant, &law) > 1e-3, "{name} passes for reversible");
        assert!(rejected(&kernel, &states, mutant), "{name} fits the steps");
    }
    assert!(!rejected(&kernel, &states, &sound));
}

#[test]
fn mutants_of_the_hierarchy_walk_are_rejected() {
    let fibre = tree();
    let states = tables(&fibre, 4);
    let walk = walk(Operator::HierarchyWalk, &fibre, &tree_rates()).unwrap().with_proposal_rate(ratio(1, 1));
    let moves = walk.hierarchy().unwrap();
    let kernel = moves.kernel(TREE.to_vec(), &walk.sums_of(&TREE));
    let law = law_of(&states, tree_weight);
    let step = |leaves: usize| {
        move |from: &[i64], to: &[i64]| {
            let moved = (0..leaves).map(|leaf| double_geometric(1.0, to[leaf] - from[leaf])).product::<f64>();
            if from[leaves..] == to[leaves..] { moved } else { 0.0 }
        }
    };
    let weigh = |from: &[i64], to: &[i64]| tree_weight(to) / tree_weight(from);
    let sound = metropolis(&states, step(3), weigh);
    let missing_leaf = metropolis(&states, step(2), weigh);
    let missing_node = metropolis(&states, step(3), |from, to| {
        let node = |table: &[i64]| (table.iter().zip(&TREE).map(|(one, two)| one - two).sum::<i64>().abs() as f64 / 3.0).exp();
        weigh(from, to) * node(to) / node(from)
    });
    assert!(fault(&sound, &law) < 1e-12);
    for (name, mutant) in [("a missing leaf", &missing_leaf), ("a missing node", &missing_node)] {
        assert!(fault(mutant, &law) > 1e-3, "{name} passes for reversible");
        assert!(rejected(&kernel, &states, mutant), "{name} fits the steps");
    }
    assert!(!rejected(&kernel, &states, &sound));
}

/// Whether steps from some table do not fit the rows of a matrix.
fn rejected<K: Kernel>(kernel: &K, states: &[Vec<i64>], matrix: &[Vec<f64>]) -> bool {
    let few = (0..states.len()).step_by(states.len() / 4);
    few.into_iter().any(|from| steps_fit(kernel, &states[from], states, &matrix[from], 20 + from as u64) < LEVEL)
}

#[test]
fn walks_that_cannot_walk_say_why() {
    let refused = |operator, fibre: &Fibre| walk(operator, fibre, &tree_rates()).unwrap_err();
    insta::assert_snapshot!(refused(Operator::IndependenceWalk, &tree()), @"");
    insta::assert_snapshot!(refused(Operator::HierarchyWalk, &margins()), @"");
    let mut fixed = tree();
    fixed.rows.push(row(&ones([0, 1, 2]), Demand::Equal(4)));
    insta::assert_snapshot!(refused(Operator::HierarchyWalk, &fixed), @"");
    let squares = NoiseLaw::DiscreteGaussian { variance: ratio(2, 1) };
    let lattice = Lattice::of_fibre(&margins()).unwrap();
    let other = Walk::new(Operator::IndependenceWalk, margins(), lattice, &squares, &[]);
    insta::assert_snapshot!(other.unwrap_err(), @"");
    let with = |cells: &[u32]| walk(Operator::IndependenceWalk, &margins(), &[]).unwrap().with_index_set(cells).unwrap_err();
    insta::assert_snapshot!(with(&[0]), @"");
    insta::assert_snapshot!(with(&[0, 3]), @"");
    insta::assert_snapshot!(with(&[0, 9]), @"");
}

#[test]
fn tuned_walks_gather_evidence_and_draw() {
    for (walk, centre) in [
        (walk(Operator::IndependenceWalk, &margins(), &[]).unwrap(), MARGINS.to_vec()),
        (walk(Operator::HierarchyWalk, &tree(), &tree_rates()).unwrap(), TREE.to_vec()),
    ] {
        let wanted = Wanted { pairs: 400, distance: ratio(1, 1000), lag: None };
        let evidence = walk.gather(&wanted, &|_| {}).unwrap();
        assert!(evidence.steps > 1 && evidence.distance() <= ratio(1, 1000), "{evidence:?}");
        let mut entropy = Seeded::draw(5, 0).stream(0).unwrap();
        let drawn = walk.draw(&centre, &walk.sums_of(&centre), evidence.steps, &mut entropy).unwrap();
        assert_eq!(drawn.len(), centre.len());
    }
}

/// Gong and Meng's table with its three totals and no count below zero.
fn gong_meng() -> (Fibre, Vec<i64>) {
    let data = include_str!("../../../data/gong_meng_table1.csv");
    let counts: Vec<i64> = data.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(counts.len(), 46);
    let total = |cells: Vec<u32>| {
        let sum = cells.iter().map(|cell| counts[*cell as usize]).sum();
        row(&ones(cells), Demand::Equal(sum))
    };
    let voting = (0..46).filter(|cell| cell % 23 >= 4).collect();
    let rows = vec![total((0..46).collect()), total((0..23).collect()), total(voting)];
    (block(vec![(Some(0), None); 46], rows, true), counts)
}

/// Gong and Meng's Figure 2: most proposals are accepted near ε̃ = 0.6, about 1.6 % of them.
#[test]
fn the_acceptance_curve_of_gong_and_meng() {
    let (fibre, counts) = gong_meng();
    // {2, …, 22, 24, …, 45}, counted from one: the youngest and oldest women and the oldest men are solved for.
    let index_set: Vec<u32> = (0..46).filter(|cell| ![0, 22, 45].contains(cell)).collect();
    let walk = walk(Operator::IndependenceWalk, &fibre, &[]).unwrap().with_index_set(&index_set).unwrap();
    let rates: Vec<Rational> = ["0.4", "0.5", "0.55", "0.65", "0.75", "0.9"].map(|rate| rate.parse().unwrap()).to_vec();
    let curve = walk.acceptance_curve(&counts, &rates, 120_000, 2020).unwrap();
    let (best, most) = curve.iter().max_by(|one, two| one.1.total_cmp(&two.1)).unwrap();
    println!("{curve:?}");
    assert!((0.55..=0.75).contains(&best.to_f64()), "{curve:?}");
    assert!((0.014..=0.018).contains(most), "{curve:?}");
    assert!(curve[0].1 < 0.012 && curve[5].1 < 0.012, "{curve:?}");
}

/// Liu's measure on a tree like New York's taxi zones, with noise on every node: by the walk, beside the exact law.
#[test]
fn errors_of_the_taxi_hierarchy_are_those_of_the_exact_law() {
    let boroughs = [43u32, 61, 69, 69, 20, 1];
    let noisy = |query, group: usize| Demand::Noisy { query, group: group as u32, fixed: 0 };
    let mut rows = vec![row(&ones(0..263), noisy(0, 0))];
    let mut first = 0;
    for (group, zones) in boroughs.into_iter().enumerate() {
        rows.push(row(&ones(first..first + zones), noisy(1, group)));
        first += zones;
    }
    rows.extend((0..263).map(|zone| row(&ones([zone]), noisy(2, zone as usize))));
    let fibre = block(vec![(None, None); 263], rows, false);
    let walk = walk(Operator::HierarchyWalk, &fibre, &[ratio(1, 2), ratio(1, 2), ratio(1, 2)]).unwrap();
    let errors = walk.hierarchy_errors(&[0; 263], 15_000, 60_000, 2023).unwrap();
    println!("{errors:?}");
    assert!((0.15..0.35).contains(&errors.acceptance), "{errors:?}");
    for (level, exact) in errors.levels.iter().zip([0.00586, 0.03189, 1.82789]) {
        assert!((level / exact - 1.0).abs() < 0.15, "{level} beside {exact}: {errors:?}");
    }
}

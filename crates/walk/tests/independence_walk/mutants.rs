//! Independence walks with a named fault are rejected.

use crate::tables::blocks::{MARGINS, margins, ratio, walk};
use crate::tables::steps::{distance, double_geometric, fault, independence_law, metropolis, rejected, tables};
use walk::Steps;

#[test]
fn mutants_of_the_independence_walk_are_rejected() {
    let fibre = margins();
    let states = tables(&fibre, 9);
    let walk = walk(Steps::Independence, &fibre, &[]).unwrap().with_index_set(&[0, 1]).unwrap();
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

//! Hierarchy walks with a named fault are rejected.

use crate::tables::blocks::{TREE, ratio, tree, tree_rates, walk};
use crate::tables::steps::{double_geometric, fault, law_of, metropolis, rejected, tables, tree_weight};
use walk::Steps;

#[test]
fn mutants_of_the_hierarchy_walk_are_rejected() {
    let fibre = tree();
    let states = tables(&fibre, 4);
    let walk = walk(Steps::Hierarchy, &fibre, &tree_rates()).unwrap().with_proposal_rate(ratio(1, 1));
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
        let node =
            |table: &[i64]| (table.iter().zip(&TREE).map(|(one, two)| one - two).sum::<i64>().abs() as f64 / 3.0).exp();
        weigh(from, to) * node(to) / node(from)
    });
    assert!(fault(&sound, &law) < 1e-12);
    for (name, mutant) in [("a missing leaf", &missing_leaf), ("a missing node", &missing_node)] {
        assert!(fault(mutant, &law) > 1e-3, "{name} passes for reversible");
        assert!(rejected(&kernel, &states, mutant), "{name} fits the steps");
    }
    assert!(!rejected(&kernel, &states, &sound));
}

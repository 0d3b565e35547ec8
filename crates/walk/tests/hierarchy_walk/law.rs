//! The hierarchy walk as an exact matrix on a small tree, and its couplings.

use crate::tables::blocks::{TREE, ratio, tree, tree_rates, walk};
use crate::tables::steps::{check, law_of, tables, tree_weight};
use walk::Steps;

#[test]
fn hierarchy_walks_are_reversible_and_their_couplings_faithful() {
    let fibre = tree();
    let states = tables(&fibre, 4);
    for rate in [ratio(1, 2), ratio(3, 2)] {
        let walk = walk(Steps::Hierarchy, &fibre, &tree_rates()).unwrap().with_proposal_rate(rate);
        let moves = walk.hierarchy().unwrap();
        let kernel = moves.kernel(TREE.to_vec(), &walk.sums_of(&TREE));
        check(&kernel, &states, &law_of(&states, tree_weight));
    }
}

//! The independence walk as an exact matrix on small fibres, and its couplings.

use crate::tables::blocks::{MARGINS, WEIGHTED, margins, ratio, walk, weighted};
use crate::tables::steps::{check, independence_law, tables};
use walk::Steps;

#[test]
fn independence_walks_are_reversible_and_their_couplings_faithful() {
    for (fibre, centre, index_set, rate) in [
        (margins(), MARGINS.to_vec(), None, ratio(7, 10)),
        (margins(), MARGINS.to_vec(), Some(vec![2, 4]), ratio(2, 5)),
        (weighted(), WEIGHTED.to_vec(), Some(vec![0, 1]), ratio(3, 5)),
        (weighted(), WEIGHTED.to_vec(), Some(vec![1, 2]), ratio(1, 2)),
    ] {
        let mut walk = walk(Steps::Independence, &fibre, &[]).unwrap();
        if let Some(index_set) = &index_set {
            walk = walk.with_index_set(index_set).unwrap();
            assert_eq!(walk.index_set().as_ref(), Some(index_set));
        }
        let states = tables(&fibre, 9);
        assert!(states.len() >= 8, "{}", states.len());
        let moves = walk.with_proposal_rate(rate).independence().unwrap();
        check(&moves.kernel(centre.clone()), &states, &independence_law(&states, &centre));
    }
}

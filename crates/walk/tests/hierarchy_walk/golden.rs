//! Golden seeds of the hierarchy walk.

use crate::tables::blocks::{TREE, ratio, tree, tree_rates, walk};
use exact::{Seeded, Source};
use walk::{Kernel, Steps};

#[test]
fn seeds_give_the_tables_they_gave() {
    let walk = walk(Steps::Hierarchy, &tree(), &tree_rates()).unwrap().with_proposal_rate(ratio(1, 2));
    let moves = walk.hierarchy().unwrap();
    let kernel = moves.kernel(TREE.to_vec(), &walk.sums_of(&TREE));
    let mut bits = Seeded::new(2024).stream(0).unwrap();
    let mut state = kernel.start(TREE.to_vec());
    let mut told = Vec::new();
    for steps in [10, 100, 1000] {
        (0..steps).for_each(|_| _ = kernel.step(&mut state, &mut bits));
        told.push(format!("after {steps} more steps: {:?}", kernel.values(&state)));
    }
    insta::assert_snapshot!(told.join("\n"));
}

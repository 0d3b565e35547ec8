//! Golden seeds of the independence walk.

use crate::tables::blocks::{MARGINS, WEIGHTED, margins, ratio, walk, weighted};
use exact::{Seeded, Source};
use walk::{Kernel, Steps};

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut told = Vec::new();
    for (name, fibre, centre) in [("margins", margins(), MARGINS.to_vec()), ("weighted", weighted(), WEIGHTED.to_vec())]
    {
        let walk = walk(Steps::Independence, &fibre, &[]).unwrap().with_proposal_rate(ratio(7, 10));
        let moves = walk.independence().unwrap();
        let kernel = moves.kernel(centre.clone());
        let mut bits = Seeded::new(2024).stream(0).unwrap();
        let mut state = kernel.start(centre);
        for steps in [10, 100, 1000] {
            (0..steps).for_each(|_| _ = kernel.step(&mut state, &mut bits));
            told.push(format!("{name} after {steps} more steps: {:?}", kernel.values(&state)));
        }
    }
    insta::assert_snapshot!(told.join("\n"));
}

//! Tuned walks of the literature gather evidence and draw.

use crate::tables::blocks::{MARGINS, TREE, margins, ratio, tree, tree_rates, walk};
use analyse::{Demand, Fibre};
use exact::{Seeded, Source};
use walk::{Steps, Wanted};

#[test]
fn tuned_walks_gather_evidence_and_draw() {
    let free = |mut fibre: Fibre| {
        fibre.bounds.iter_mut().for_each(|bounds| *bounds = (None, None));
        fibre.rows.retain(|row| !matches!(row.demand, Demand::AtLeast(_) | Demand::AtMost(_)));
        fibre
    };
    for (operator, fibre, rates, centre) in [
        (Steps::Independence, margins(), Vec::new(), MARGINS.to_vec()),
        (Steps::Hierarchy, tree(), tree_rates(), TREE.to_vec()),
    ] {
        let wanted = Wanted { pairs: 400, distance: ratio(1, 1000), lag: None };
        // With bounds nothing is proved about them, whatever pairs with a lag say.
        let bounded = walk(operator, &fibre, &rates).unwrap();
        assert!(bounded.lagged(None, &wanted, &|_| {}).unwrap().steps_for(1e-3) > 1);
        assert_eq!(bounded.gather(&wanted, &|_| {}).unwrap_err().kind, declare::Kind::Refused);
        let walk = walk(operator, &free(fibre), &rates).unwrap();
        let evidence = walk.gather(&wanted, &|_| {}).unwrap();
        assert!(evidence.steps > 1 && evidence.distance() <= ratio(1, 1000), "{evidence:?}");
        let mut entropy = Seeded::draw(5, 0).stream(0).unwrap();
        let drawn = walk.draw(&centre, &walk.sums_of(&centre), evidence.steps, &mut entropy).unwrap();
        assert_eq!(drawn.len(), centre.len());
    }
}

//! Vanishing acceptances and faults of a basis are said.

use crate::tables::margins::margins;
use crate::tables::numbers::rational;
use analyse::Lattice;
use draw::Klein;

#[test]
fn an_acceptance_that_vanishes_is_refused_with_its_number() {
    let fibre = margins(&[6, 6, 5]);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let refused = Klein::new(fibre.cells.len(), lattice.basis(), &rational("1/2")).unwrap_err().to_string();
    insta::assert_snapshot!(refused);
}

#[test]
fn faults_of_a_basis_are_said() {
    let twice = vec![vec![(0, 1), (1, -1)], vec![(0, 2), (1, -2)]];
    let dependent = Klein::new(2, &twice, &rational("1")).unwrap_err().to_string();
    assert!(dependent.contains("depend on each other"), "{dependent}");
    // All of 2,100 vectors share the last cell: their factors are more than are computed.
    let long: Vec<Vec<(u32, i64)>> = (0..2100u32).map(|vector| vec![(vector, 1), (2100, -1)]).collect();
    let long = Klein::new(2101, &long, &rational("1")).unwrap_err().to_string();
    assert!(long.contains("the 2100 steps between tables depend on each other too much"), "{long}");
    let nothing = Klein::new(2, &twice[..1], &rational("0")).unwrap_err().to_string();
    assert!(nothing.contains("above zero"), "{nothing}");
}

//! Lattices of too many circuits are refused.

use crate::tables::margins::margins;
use crate::tables::numbers::rational;
use analyse::Lattice;
use draw::Thin;

#[test]
fn a_lattice_of_many_circuits_is_refused() {
    let fibre = margins(&[6, 6]);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let refused = Thin::new(36, lattice.basis(), &rational("1/4")).map(|thin| thin.expected_acceptance());
    assert!(refused.as_ref().is_err_and(|refused| refused.to_string().contains("circuits")), "{refused:?}");
    let fibre = margins(&[16]);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let refused = Thin::new(16, lattice.basis(), &rational("1/100")).map(|thin| thin.expected_acceptance());
    assert!(refused.as_ref().is_err_and(|refused| refused.to_string().contains("of its attempts")), "{refused:?}");
}

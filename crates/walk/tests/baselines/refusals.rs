//! Walks of the literature that cannot walk say why.

use crate::tables::blocks::{margins, ones, ratio, row, tree, tree_rates, walk};
use analyse::{Demand, Fibre, Lattice};
use draw::NoiseLaw;
use walk::{Steps, Walk};

#[test]
fn walks_that_cannot_walk_say_why() {
    let refused = |operator, fibre: &Fibre| walk(operator, fibre, &tree_rates()).unwrap_err();
    let mut fixed = tree();
    fixed.rows.push(row(&ones([0, 1, 2]), Demand::Equal(4)));
    let squares = NoiseLaw::discrete_gaussian(ratio(2, 1));
    let lattice = Lattice::of_fibre(&margins()).unwrap();
    let other = Walk::new(Steps::Independence, margins(), lattice, &squares, &[]);
    let with = |cells: &[u32]| walk(Steps::Independence, &margins(), &[]).unwrap().with_index_set(cells).unwrap_err();
    let reasons = [
        refused(Steps::Independence, &tree()),
        other.unwrap_err(),
        refused(Steps::Hierarchy, &margins()),
        refused(Steps::Hierarchy, &fixed),
        with(&[0]),
        with(&[0, 3]),
        with(&[0, 9]),
    ];
    insta::assert_snapshot!(reasons.join("\n"));
}

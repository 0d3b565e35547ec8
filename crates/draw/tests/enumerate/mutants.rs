//! Lists and weights with a named fault are rejected.

use super::listed::{LIMITS, law_of, three};
use crate::tables::numbers::rational;
use analyse::{Demand, Fibre, FibreRow, Listed};
use draw::{Enumerate, NoiseLaw};
use exact::{Enclosure, Tape};
use testkit::tape_law;

#[test]
fn named_mutants_are_rejected() {
    let (fibre, centre) = (three(3, true), [2, 1, 0]);
    let listed = fibre.listed(&LIMITS).unwrap();
    let law = NoiseLaw::double_geometric(rational("1/2"));
    let claimed = law_of(&fibre, &listed, &law, &[], &centre);
    let verdict = |fibre: &Fibre, listed: &Listed, law: &NoiseLaw, centre: &[i64]| {
        let sampler = Enumerate::new(fibre, listed, law.into(), centre);
        let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape).to_vec());
        let zero = Enclosure::from_integer(0, 160);
        found.agrees_with(|table| claimed.get(table).cloned().unwrap_or_else(|| zero.clone()))
    };
    verdict(&fibre, &listed, &law, &centre).unwrap();
    for factor in ["0.95", "1.05"] {
        let other = NoiseLaw::double_geometric(&rational("1/2") * &rational(factor));
        assert!(verdict(&fibre, &listed, &other, &centre).is_err(), "scale times {factor}");
    }
    // A bound that is off by one on either side, so that a table is missing or one too many is
    // listed.
    for bounds in [(Some(0), Some(2)), (Some(-1), None)] {
        let mut other = fibre.clone();
        other.bounds[0] = bounds;
        assert!(verdict(&other, &other.listed(&LIMITS).unwrap(), &law, &centre).is_err(), "{bounds:?}");
    }
    // A sublattice of index two: the first cell keeps its parity.
    let mut even = fibre.clone();
    (even.cells, even.bounds) = (vec![0, 1, 2, 3], vec![(Some(0), None); 4]);
    even.rows.push(FibreRow { entries: vec![(0, 1), (3, -2)], demand: Demand::Equal(0) });
    let list = even.listed(&LIMITS).unwrap();
    let sampler = Enumerate::new(&even, &list, (&law).into(), &[2, 1, 0, 1]);
    let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape)[..3].to_vec());
    assert!(found.agrees_with(|table| claimed[table].clone()).is_err());
    // Around another table of the same fibre.
    assert!(verdict(&fibre, &listed, &law, &[1, 2, 0]).is_err());
}

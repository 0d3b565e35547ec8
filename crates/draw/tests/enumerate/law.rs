//! Listed tables over every bit tape against enclosed laws.

use super::listed::{LIMITS, every_law, law_of, sums, three};
use crate::tables::numbers::rational;
use analyse::Fibre;
use draw::{Enumerate, NoiseLaw, TableNoise};
use exact::Tape;
use testkit::tape_law;

#[test]
fn every_law_is_drawn_as_it_is() {
    for (law, rates) in every_law() {
        let fibre = three(3, rates.is_empty());
        let listed = fibre.listed(&LIMITS).unwrap();
        assert_eq!(listed.len(), 10);
        for centre in [[3, 0, 0], [1, 1, 1]] {
            let sums = sums(&fibre, &centre);
            let noise = TableNoise { law: &law, rates: &rates, sums: &sums };
            let sampler = Enumerate::new(&fibre, &listed, noise, &centre);
            let claimed = law_of(&fibre, &listed, &law, &rates, &centre);
            let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape).to_vec());
            found.agrees_with(|table| claimed[table].clone()).unwrap();
            assert!(found.unresolved_share() < 0.001 && found.finished.len() == 10);
        }
    }
}

#[test]
fn weights_that_differ_in_their_last_digits_are_told_apart() {
    // Two tables of nearly the same weight, and one that is almost never drawn: coarse enclosures
    // do not decide.
    let fibre = Fibre { cells: vec![0], bounds: vec![(Some(0), Some(400))], rows: Vec::new(), noise_on_cells: true };
    let listed = fibre.listed(&LIMITS).unwrap();
    let law = NoiseLaw::double_geometric(rational("2"));
    let claimed = law_of(&fibre, &listed, &law, &[], &[0]);
    let sampler = Enumerate::new(&fibre, &listed, (&law).into(), &[0]);
    let found = tape_law(24, |tape: &mut Tape| sampler.draw(tape).to_vec());
    found.agrees_with(|table| claimed[table].clone()).unwrap();
    // 401 tables, of which those beyond 2·k = 24·ln 2 are never seen by so many bits.
    assert!((6..14).contains(&found.finished.len()), "{}", found.finished.len());
}

#[test]
fn pinned_sums_move_the_centre_of_the_noise() {
    // The noisy sum of the confidential table is not that of the cells in the block: its own centre
    // counts.
    let fibre = three(3, false);
    let listed = fibre.listed(&LIMITS).unwrap();
    let (law, rates) = every_law().pop().unwrap();
    let sums = vec![vec![9], vec![9]];
    let sampler = Enumerate::new(&fibre, &listed, TableNoise { law: &law, rates: &rates, sums: &sums }, &[0, 0, 3]);
    let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape).to_vec());
    let claimed = law_of(&fibre, &listed, &law, &rates, &[9, 0, 0]);
    found.agrees_with(|table| claimed[table].clone()).unwrap();
}

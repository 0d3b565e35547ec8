//! Noise times a factor: the exact law of small classes and networks by every bit tape.

use super::small::{Small, agrees, conditions, geometric, listed, poisson, rising, tables};
use draw::{Ladder, NetworkSampler, TableNoise};

#[test]
fn every_table_has_its_probability() {
    for (number, (small, most)) in tables().into_iter().enumerate() {
        let claim = small.enumerated(most);
        for ladder in [Ladder::Standard, Ladder::Coarse] {
            let law = small.tapes(ladder, 17);
            agrees(&law, &claim).unwrap_or_else(|error| panic!("{number} {ladder:?}: {error}"));
            assert!(law.unresolved_share() < 0.03, "{number} {ladder:?}: {}", law.unresolved_share());
        }
    }
}

#[test]
fn free_cells_with_a_factor_have_their_law() {
    // No total: values are far from likely above 60, so that the claim is off by less than e^{−50}.
    let cells = [(3, Some(rising("1/200"))), (0, Some(poisson("2")))];
    let small = Small { noise: geometric("1"), cells: cells.to_vec(), conditions: conditions(2, vec![], vec![]) };
    let claim = small.enumerated(60);
    let law = small.tapes(Ladder::Standard, 16);
    agrees(&law, &claim).unwrap();
    let bounded = Small { cells: vec![cells[0].clone()], conditions: conditions(1, vec![], vec![]), ..small };
    agrees(&bounded.tapes(Ladder::Coarse, 14), &bounded.enumerated(60)).unwrap();
}

#[test]
fn weights_that_leave_no_table_are_found() {
    let odd = || Some(listed(&[(1, "0"), (3, "0"), (5, "0")]));
    let none = Small::one_total(geometric("1"), &[(3, odd()), (2, odd())]);
    let (network, law) = (none.network(), none.law());
    let around = |table: &[i64]| {
        NetworkSampler::new(&network, TableNoise::from(&law), table, Ladder::Standard).unwrap().has_table()
    };
    assert!(!around(&[3, 2]) && !around(&[0, 0]));
    let some = Small::one_total(geometric("1"), &[(3, odd()), (1, odd())]);
    let (network, law) = (some.network(), some.law());
    assert!(NetworkSampler::new(&network, TableNoise::from(&law), &[0, 0], Ladder::Standard).unwrap().has_table());
}

//! What a draw of the closed form is made of, over every bit tape.

use crate::tables::numbers::rational;
use draw::{ClosedForm, Sampler};
use exact::{Enclosure, Rational};
use std::collections::BTreeMap;
use testkit::tape_law;

/// All ways to spread k units over some cells.
fn compositions(cells: usize, k: i64) -> Vec<Vec<i64>> {
    if cells == 1 {
        return vec![vec![k]];
    }
    (0..=k)
        .flat_map(|first| compositions(cells - 1, k - first).into_iter().map(move |rest| [vec![first], rest].concat()))
        .collect()
}

#[test]
fn given_its_share_a_slice_is_the_difference_of_two_uniform_compositions() {
    // With the law of the share itself (tested attempt by attempt in `exact`) this is the whole closed form.
    let sampler = ClosedForm::new(&rational("1"));
    for (cells, share) in [(1, (3, 1)), (2, (1, 1)), (2, (3, 2)), (3, (1, 1)), (3, (2, 1)), (3, (2, 2)), (4, (1, 2))] {
        let (up, down) = (compositions(cells, share.0), compositions(cells, share.1));
        let mut ways: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
        for (g, h) in up.iter().flat_map(|g| down.iter().map(move |h| (g, h))) {
            *ways.entry(g.iter().zip(h).map(|(g, h)| g - h).collect()).or_default() += 1;
        }
        let all = (up.len() * down.len()) as u64;
        let law = tape_law(22, |tape| {
            let mut noise = vec![0; cells];
            sampler.fill(tape, &(share.0 as u64, share.1 as u64), &mut noise);
            noise
        });
        let claimed = |table: &Vec<i64>| Enclosure::from_rational(&Rational::new(ways[table], all), 128);
        law.agrees_with(claimed).unwrap();
        assert_eq!(law.finished.len(), ways.len(), "every table is reached");
        assert!(law.unresolved_share() <= 0.2, "{cells} cells, {share:?}: unresolved {}", law.unresolved_share());
    }
}

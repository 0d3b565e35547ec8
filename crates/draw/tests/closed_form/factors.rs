//! What a draw of the closed form is made of, over every bit tape.

use crate::tables::numbers::{RESOLVED, close, rational};
use draw::{ClosedForm, Sampler, Summary};
use exact::{Enclosure, Rational};
use std::collections::BTreeMap;
use testkit::{resolved_law, tape_law};

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
    // With the law of the share itself (tested attempt by attempt in `exact`) this is the whole
    // closed form.
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

/// How a share falls on two parts: two splits of uniform compositions, C(f + j − 1, j)·C(s + k − j
/// − 1, k − j) each.
#[test]
fn shares_are_split_as_compositions_are() {
    let sampler = ClosedForm::new(&rational("1"));
    let ways = |cells: u64, k: u64| compositions(cells as usize, k as i64).len() as u64;
    for (first, second, share, resolved) in [
        (1u64, 1u64, (3u64, 1u64), RESOLVED),
        (1, 1, (2, 2), RESOLVED),
        (2, 1, (1, 0), RESOLVED),
        (2, 1, (2, 1), 1e-3),
        (2, 2, (1, 1), 1e-3),
    ] {
        let summary = |cells| Summary { cells };
        let law = resolved_law(resolved, |tape| sampler.split(tape, &share, summary(first), summary(second)).0);
        assert!(law.unresolved_share() <= resolved);
        let agrees = |first: u64, second: u64, tilt: f64| {
            law.agrees_with(|(up, down)| {
                let weight = |j: u64, k: u64| (ways(first, j) * ways(second, k - j)) as f64 * tilt.powi(j as i32);
                let whole = |k: u64| (0..=k).map(|j| weight(j, k)).sum::<f64>();
                let of = |j: u64, k: u64| weight(j, k) / whole(k);
                close(of(*up, share.0) * of(*down, share.1))
            })
        };
        agrees(first, second, 1.0).unwrap();
        for tilt in [1.05, 0.95] {
            assert!(
                agrees(first, second, tilt).is_err(),
                "a quotient off by five per cent: {first} {second} {share:?}"
            );
        }
        assert!(agrees(first + 1, second, 1.0).is_err(), "one cell too many: {first} {second} {share:?}");
    }
}

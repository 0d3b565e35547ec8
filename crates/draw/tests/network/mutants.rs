//! Networks with a named fault are rejected.

use super::named::{deaths_and_cases, gaussian_deaths_and_cases, margins, tapes, tree, verdict};
use super::small::Small;
use std::collections::BTreeMap;

/// A rate, a small table for any rate, and the rate off by five per cent.
type Case = (&'static str, fn(&str) -> Small, [&'static str; 2]);

#[test]
fn named_mutants_are_rejected() {
    let cases: [Case; 4] = [
        // Off by five per cent of σ.
        ("2", gaussian_deaths_and_cases, ["2.205", "1.805"]),
        ("1", deaths_and_cases, ["1.05", "0.95"]),
        ("1", tree, ["1.05", "0.95"]),
        ("1/2", margins, ["0.525", "0.475"]),
    ];
    for (rate, make, scales) in cases {
        let truth = make(rate);
        let tapes = tapes(&truth, 18);
        assert!(tapes.unresolved_share() < 0.02, "{}", tapes.unresolved_share());
        let law = truth.enumerate(24);
        verdict(&tapes, &law).unwrap();
        for scale in scales {
            assert!(verdict(&tapes, &make(scale).enumerate(24)).is_err(), "scale {scale}");
        }
        // An off-by-one bound, either way: the first cell may not be zero, or may be one below.
        let above: BTreeMap<Vec<i64>, f64> =
            law.iter().filter(|(table, _)| table[0] > 0).map(|(t, w)| (t.clone(), *w)).collect();
        assert!(verdict(&tapes, &above).is_err(), "a bound one too high");
        let mut below = make(rate);
        below.conditions.nonnegative = false;
        let below: BTreeMap<Vec<i64>, f64> =
            below.enumerate(12).into_iter().filter(|(table, _)| table.iter().all(|value| *value >= -1)).collect();
        assert!(verdict(&tapes, &below).is_err(), "a bound one too low");
        // A sublattice of index two: only tables at an even distance in the first cell.
        let even = law.iter().filter(|(table, _)| (table[0] - truth.table[0]) % 2 == 0);
        let even: BTreeMap<Vec<i64>, f64> = even.map(|(table, weight)| (table.clone(), *weight)).collect();
        assert!(verdict(&tapes, &even).is_err(), "an index-2 sublattice");
    }
    // A missing rule, and a missing noisy sum.
    let with_rule = deaths_and_cases("1");
    let mut without = deaths_and_cases("1");
    without.conditions.rules.clear();
    assert!(verdict(&tapes(&with_rule, 18), &without.enumerate(14)).is_err());
    let mut without = tree("1");
    without.conditions.queries.pop();
    without.rates.pop();
    assert!(verdict(&tapes(&tree("1"), 18), &without.enumerate(24)).is_err());
}

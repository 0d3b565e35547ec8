//! What must not matter to a network, and what every draw keeps.

use super::named::{conditions, grouping, margins, small};
use super::small::Small;
use declare::{Relation, RuleRows};
use draw::Ladder;
use exact::{Seeded, Source};

#[test]
fn draws_keep_all_that_is_asked() {
    for seed in 0..1500 {
        let Some(small) = Small::random(seed) else { continue };
        let network = small.network();
        let sampler = small.sampler(&network, Ladder::Standard);
        let kept: Vec<Vec<i128>> = small.conditions.invariants.iter().map(|g| g.totals(&small.table)).collect();
        let mut entropy = Seeded::new(seed).stream(0).unwrap();
        for _ in 0..5 {
            let mut values = small.table.clone();
            sampler.draw(&mut entropy, &mut values).unwrap();
            let same = small.conditions.invariants.iter().zip(&kept).all(|(g, kept)| g.totals(&values) == *kept);
            assert!(same, "declaration {seed}: an invariant is broken");
            assert!(!small.conditions.nonnegative || values.iter().all(|value| *value >= 0), "declaration {seed}");
        }
    }
}

#[test]
fn identities() {
    let normaliser = |small: &Small| {
        let network = small.network();
        small.sampler(&network, Ladder::Standard).log_normaliser()
    };
    let same = |one: f64, two: f64| assert!((one - two).abs() < 1e-10, "{one} and {two}");
    // A redundant invariant, and a multiple of one, change nothing.
    let plain = margins("1/2");
    let mut redundant = margins("1/2");
    for more in [grouping(&[0; 4], None), grouping(&[0, 0, 1, 1], Some(&[2, 2, -3, -3]))] {
        redundant.conditions.invariants.push(more);
        redundant.conditions.pinned.push(None);
    }
    same(normaliser(&plain), normaliser(&redundant));
    // Relabelled cells: the margins turned round.
    let mut turned = margins("1/2");
    turned.conditions.invariants.reverse();
    turned.table.swap(1, 2);
    same(normaliser(&plain), normaliser(&turned));
    // Independent parts: the normaliser of two tables side by side is the product of theirs.
    let pair = |table: &[i64]| small(conditions(2, vec![grouping(&[0, 0], None)]), table, "1/2");
    let both = small(conditions(4, vec![grouping(&[0, 0, 1, 1], None)]), &[3, 0, 1, 1], "1/2");
    same(normaliser(&both), normaliser(&pair(&[3, 0])) + normaliser(&pair(&[1, 1])));
    // A shift of the table and of its bounds by the same amount: rules as bounds of single cells.
    let shifted = |by: i64| {
        let mut made = small(conditions(2, vec![grouping(&[0, 0], None)]), &[2 + by, 1 + by], "1/2");
        made.conditions.nonnegative = false;
        let rule = RuleRows { grouping: grouping(&[0, 1], None), relation: Relation::AtLeast, bound: by };
        made.conditions.rules.push(rule);
        made
    };
    same(normaliser(&shifted(0)), normaliser(&shifted(-7)));
    same(normaliser(&shifted(0)), normaliser(&pair(&[2, 1])));
    // Condition = reject: the weight of bounded tables is the weight of all that happen to keep the
    // bounds.
    let all = {
        let mut free = pair(&[2, 1]);
        free.conditions.nonnegative = false;
        free.enumerate(60)
    };
    let kept: f64 =
        all.iter().filter(|(table, _)| table.iter().all(|value| *value >= 0)).map(|(_, weight)| weight).sum();
    same(normaliser(&pair(&[2, 1])), kept.ln());
}

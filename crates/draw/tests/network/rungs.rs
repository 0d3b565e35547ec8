//! Named mutants, identities and golden seeds of networks.

use crate::enclosed;
use crate::small::Small;
use declare::{Conditions, Footprint, Grouping, NO_GROUP, QueryRows, Relation, RuleRows};
use draw::{CellNoise, ClassLaw, Ladder, NoiseLaw};
use exact::{Rational, Seeded, Source, Tape};
use std::collections::BTreeMap;
use testkit::{TapeLaw, goodness_of_fit, tape_law};

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn grouping(group_of: &[u32], times: Option<&[i64]>) -> Grouping {
    let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |group| group + 1);
    Grouping {
        label: "g".into(),
        names: (0..groups).map(|group| format!("g{group}")).collect(),
        group_of: group_of.to_vec(),
        times: times.map(<[i64]>::to_vec),
    }
}

fn conditions(cells: usize, invariants: Vec<Grouping>) -> Conditions {
    let pinned = vec![None; invariants.len()];
    let footprint = Footprint::OneCell;
    Conditions { cells, invariants, pinned, rules: Vec::new(), queries: Vec::new(), nonnegative: true, footprint }
}

fn small(conditions: Conditions, table: &[i64], epsilon: &str) -> Small {
    let rates = conditions.queries.iter().map(|query| query.strength.clone()).collect();
    let law = NoiseLaw::double_geometric(rational(epsilon));
    Small { conditions, table: table.to_vec(), law, rates }
}

/// Deaths at most cases in two places, and the cases of both exact: cases 0 and 1, deaths 2 and 3.
fn deaths_and_cases(epsilon: &str) -> Small {
    let mut conditions = conditions(4, vec![grouping(&[0, 0, NO_GROUP, NO_GROUP], None)]);
    let rule = grouping(&[0, 1, 0, 1], Some(&[-1, -1, 1, 1]));
    conditions.rules.push(RuleRows { grouping: rule, relation: Relation::AtMost, bound: 0 });
    small(conditions, &[1, 1, 1, 0], epsilon)
}

/// The same with discrete Gaussian noise of this σ².
fn gaussian_deaths_and_cases(variance: &str) -> Small {
    Small { law: NoiseLaw::discrete_gaussian(rational(variance)), ..deaths_and_cases("1") }
}

/// Two leaves under one node, noise on all three.
fn tree(rate: &str) -> Small {
    let mut conditions = conditions(2, Vec::new());
    for group_of in [[0, 1], [0, 0]] {
        conditions.queries.push(QueryRows { grouping: grouping(&group_of, None), strength: rational(rate) });
    }
    small(conditions, &[1, 0], "1")
}

/// A 2 × 2 table with both margins.
fn margins(epsilon: &str) -> Small {
    small(conditions(4, vec![grouping(&[0, 0, 1, 1], None), grouping(&[0, 1, 0, 1], None)]), &[2, 1, 1, 2], epsilon)
}

fn tapes(small: &Small, depth: u32) -> TapeLaw<Vec<i64>> {
    let network = small.network();
    let sampler = small.sampler(&network, Ladder::Standard);
    tape_law(depth, |tape: &mut Tape| {
        let mut values = small.table.clone();
        sampler.draw(tape, &mut values).unwrap();
        values
    })
}

fn verdict(tapes: &TapeLaw<Vec<i64>>, claimed: &BTreeMap<Vec<i64>, f64>) -> Result<(), String> {
    let total: f64 = claimed.values().sum();
    tapes.agrees_with(|table| enclosed(claimed.get(table).map_or(0.0, |weight| weight / total)))
}

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
    // Condition = reject: the weight of bounded tables is the weight of all that happen to keep the bounds.
    let all = {
        let mut free = pair(&[2, 1]);
        free.conditions.nonnegative = false;
        free.enumerate(60)
    };
    let kept: f64 =
        all.iter().filter(|(table, _)| table.iter().all(|value| *value >= 0)).map(|(_, weight)| weight).sum();
    same(normaliser(&pair(&[2, 1])), kept.ln());
}

#[test]
fn golden_seeds() {
    let mut drawn = String::new();
    for (name, small) in
        [("deaths and cases", deaths_and_cases("1/2")), ("tree", tree("1/3")), ("margins", margins("1/4"))]
    {
        let network = small.network();
        let sampler = small.sampler(&network, Ladder::Standard);
        let mut entropy = Seeded::new(2026).stream(0).unwrap();
        for _ in 0..4 {
            let mut values = small.table.clone();
            sampler.draw(&mut entropy, &mut values).unwrap();
            drawn.push_str(&format!("{name} {values:?}\n"));
        }
    }
    insta::assert_snapshot!(drawn);
}

/// Many zeros: without a tilt the wanted sums would lie hundreds of bits below the expected ones.
#[test]
fn sparse_classes_that_cross_follow_the_law_of_their_sums() {
    let each = 250usize;
    let cells = 4 * each;
    let class = |cell: usize| cell / each;
    let rows: Vec<u32> = (0..cells).map(|cell| (class(cell) / 2) as u32).collect();
    let columns: Vec<u32> = (0..cells).map(|cell| (class(cell) % 2) as u32).collect();
    let table: Vec<i64> = (0..cells).map(|cell| i64::from(cell % 100 == 7)).collect();
    let small = small(conditions(cells, vec![grouping(&rows, None), grouping(&columns, None)]), &table, "1/2");
    let laws: Vec<ClassLaw> = (0..4)
        .map(|number| {
            let centres = (0..cells).filter(|cell| class(*cell) == number).map(|cell| table[cell]).collect();
            let rate = || rational("1/2");
            ClassLaw::new(CellNoise::Geometric { up: rate(), down: rate() }, Some(0), None, centres, Ladder::Standard)
        })
        .collect();
    let sum = |values: &[i64], number: usize| -> i64 {
        (0..cells).filter(|cell| class(*cell) == number).map(|cell| values[cell]).sum()
    };
    let sums: Vec<i64> = (0..4).map(|number| sum(&table, number)).collect();
    // The sum of the first class decides the other three.
    let least = -(sums[0].min(sums[3]));
    let most = sums[1].min(sums[2]);
    let log = |k: i64| -> f64 {
        let at = [sums[0] + k, sums[1] - k, sums[2] - k, sums[3] + k];
        laws.iter().zip(at).map(|(law, sum)| law.log_weight(sum).unwrap()).sum()
    };
    let logs: Vec<f64> = (least..=most).map(log).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let network = small.network();
    let sampler = small.sampler(&network, Ladder::Standard);
    assert!((sampler.log_normaliser() - largest - total.ln()).abs() < 1e-8);
    // The laws of cells add up to the law of their class's sum.
    let told = sampler.quantities().unwrap();
    let mean: f64 = weights.iter().zip(least..).map(|(weight, k)| weight / total * (sums[0] + k) as f64).sum();
    let cells_mean: f64 =
        told.cells.iter().filter(|(cell, _)| class(*cell as usize) == 0).map(|(_, law)| law.mean()).sum();
    assert!((cells_mean - mean).abs() < 1e-8, "{cells_mean} instead of {mean}");
    let draws = 4000;
    let mut observed = vec![0u64; weights.len()];
    let mut entropy = Seeded::new(5).stream(0).unwrap();
    for _ in 0..draws {
        let mut values = table.clone();
        sampler.draw(&mut entropy, &mut values).unwrap();
        assert!(values.iter().all(|value| *value >= 0));
        observed[(sum(&values, 0) - sums[0] - least) as usize] += 1;
    }
    let claimed: Vec<f64> = weights.iter().map(|weight| weight / total * (1.0 - 1e-12)).collect();
    let fit = goodness_of_fit(&observed, &claimed, draws);
    assert!(fit.p_value > 1e-4, "{fit:?}");
}

/// Rules with coefficients so large that the values of all sums that meet in a join need more bits than a machine number has: the
/// law is that of the same rules anyway.
#[test]
fn sums_that_need_wide_keys_have_the_enumerated_law() {
    let table = [1i64, 1, 0, 2];
    for (rules, size) in [(2usize, 1i64 << 20), (4, 1 << 41), (10, 1 << 42)] {
        let mut conditions = conditions(4, Vec::new());
        for rule in 0..rules as i64 {
            let times: Vec<i64> = (0..4).map(|cell| size * (1 + (cell * 5 + rule * 3) % 4) + 7 * cell + rule).collect();
            let bound = times.iter().zip(&table).map(|(times, value)| times * value).sum::<i64>() + size / 2;
            let grouping = grouping(&[0; 4], Some(&times));
            conditions.rules.push(RuleRows { grouping, relation: Relation::AtMost, bound });
        }
        let small = small(conditions, &table, "1");
        let law = small.enumerate(9);
        let total: f64 = law.values().sum();
        let network = small.network();
        assert!(law.len() > 5 && network.joins.iter().any(|join| join.forms.len() >= rules), "{}", law.len());
        let sampler = small.sampler(&network, Ladder::Standard);
        assert!((sampler.log_normaliser() - total.ln()).abs() < 1e-6, "{rules}: {}", sampler.log_normaliser());
        let mut entropy = Seeded::new(17).stream(0).unwrap();
        let mut counted: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
        for _ in 0..4000 {
            let mut values = table.to_vec();
            sampler.draw(&mut entropy, &mut values).unwrap();
            *counted.entry(values).or_default() += 1;
        }
        let mut bins: Vec<(&Vec<i64>, f64)> = law.iter().map(|(table, weight)| (table, weight / total)).collect();
        bins.sort_by(|one, two| two.1.total_cmp(&one.1));
        let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
        let claimed: Vec<f64> = bins.iter().map(|(_, share)| share * (1.0 - 1e-9)).collect();
        assert!(goodness_of_fit(&observed, &claimed, 4000).p_value > 1e-3, "{rules} rules");
    }
}

//! From random bounds, rules, equalities and noisy sums to drawn tables: all is kept, and small
//! tables follow the exact law.

// Its networks are for the tests of `draw`.
#[allow(dead_code)]
#[path = "../../draw/tests/network/small.rs"]
mod small;

use declare::{Declaration, Noise, Strength};
use draw::{BlockDraw, Growth, TableNoise, TableSampler};
use exact::Seeded;
use plan::analysis_of;
use plan::{Case, Plan, PlannedBlock};
use small::Small;
use std::path::Path;
use testkit::goodness_of_fit;

/// The plan of a small declaration, and the same declaration with the noise that the plan gives it.
fn planned(mut small: Small) -> Option<(Small, Plan)> {
    let text = "title = \"x\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\na = [\"1\", \"2\"]\n\
                [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\n";
    let mut declaration = Declaration::parse(text, "small.toml", Path::new(".")).unwrap();
    let law = &small.law;
    match law.growth() {
        Growth::Square => {
            let variance = law.parameter();
            declaration.mechanism.noise = Noise::DISCRETE_GAUSSIAN;
            let two = exact::Rational::integer(2);
            declaration.mechanism.strength = Strength::Rho(&exact::Rational::integer(1) / &(&two * variance));
        }
        Growth::Absolute => declaration.mechanism.strength = Strength::Epsilon(law.parameter().clone()),
        _ => return None,
    }
    for (query, rate) in small.conditions.queries.iter_mut().zip(&small.rates) {
        query.strength = rate.clone();
    }
    let totals: Vec<Vec<i64>> = small
        .conditions
        .invariants
        .iter()
        .map(|g| g.totals(&small.table).iter().map(|total| *total as i64).collect())
        .collect();
    let analysis = analysis_of(&small.conditions, &totals).ok()?;
    let (domain, conditions) = (declaration.domain().ok()?, small.conditions.clone());
    let plan = Case { declaration, domain, conditions, fold: None }.plan(&analysis).ok()?;
    if small.conditions.queries.is_empty() {
        assert_eq!(plan.law, small.law);
    } else {
        assert!(plan.queries.iter().zip(&small.rates).all(|(query, rate)| query.rate == *rate));
    }
    Some((small, plan))
}

fn sampled(small: &Small, plan: &Plan, draws: u64, seed: u64, mut each: impl FnMut(Vec<i64>)) {
    let blocks: Vec<BlockDraw> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    let sums = small.sums();
    let noise = TableNoise { law: &plan.law, rates: &small.rates, sums: &sums };
    let sampler = TableSampler::new(noise, &blocks, &small.table).unwrap();
    for draw in 0..draws {
        each(sampler.draw(&Seeded::draw(seed, draw), &|_| {}).unwrap().into_values());
    }
}

#[test]
fn every_draw_keeps_every_condition() {
    let (mut tested, mut moved) = (0, 0);
    for seed in 0..4000 {
        let Some((small, plan)) = Small::random(seed).and_then(planned) else { continue };
        tested += 1;
        sampled(&small, &plan, 3, seed, |values| {
            for grouping in &small.conditions.invariants {
                assert_eq!(grouping.totals(&values), grouping.totals(&small.table), "declaration {seed}");
            }
            assert!(small.conditions.check_table(&values).is_ok(), "declaration {seed}");
            for (cell, value) in &plan.fixed {
                assert_eq!(values[*cell], *value, "declaration {seed}");
            }
            moved += usize::from(values != small.table);
        });
    }
    assert!(tested > 900 && moved > 500, "{tested} declarations, {moved} draws that moved");
}

#[test]
fn draws_follow_the_conditional_law() {
    let draws = 3000;
    let (mut tests, mut operators) = (0, std::collections::BTreeSet::new());
    // Fewer than six hundred comparisons.
    let level = testkit::level(600);
    for seed in (0..4000).step_by(7) {
        let Some((small, plan)) = Small::random(seed).and_then(planned) else { continue };
        let law = small.enumerate(8);
        let total: f64 = law.values().sum();
        if law.values().filter(|weight| **weight / total * draws as f64 > 12.0).count() < 3 {
            continue;
        }
        let mut observed: std::collections::BTreeMap<Vec<i64>, u64> =
            law.keys().map(|table| (table.clone(), 0)).collect();
        let mut outside = 0;
        sampled(&small, &plan, draws, seed, |values| match observed.get_mut(&values) {
            Some(count) => *count += 1,
            None => outside += 1,
        });
        assert!(outside < 4, "declaration {seed}: {outside} draws outside the enumeration");
        let observed: Vec<u64> = observed.into_values().collect();
        let claimed: Vec<f64> = law.values().map(|weight| weight / total * (1.0 - 1e-7)).collect();
        let fit = goodness_of_fit(&observed, &claimed, draws);
        assert!(fit.p_value > level, "declaration {seed}: p = {}", fit.p_value);
        tests += 1;
        operators.extend(plan.blocks.iter().map(|block| block.operator()));
    }
    assert!(tests > 80, "{tests} declarations");
    assert!(operators.contains("messages") && operators.contains("independent"), "{operators:?}");
}

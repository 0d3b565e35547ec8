//! From random invariants to a drawn table: every total is kept, fixed cells stay, and tiny tables
//! follow the exact law.

use crate::small::{Small, epsilon, list, rho, small};
use declare::{Noise, Per, Strength};
use draw::{BlockDraw, draw_table};
use exact::integer::below;
use exact::{Entropy, Rational, Seeded, Source};
use plan::{Plan, PlannedBlock};
use std::collections::BTreeMap;
use testkit::{Fibre, RandomStructure, goodness_of_fit, random_structure};

/// A declaration over one dimension with the random invariants and the totals of `counts`.
fn declared(structure: &RandomStructure, counts: &[i64], noise: Noise, strength: Strength) -> Small {
    let labels: Vec<String> = (0..structure.cells).map(|cell| format!("cell {cell}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut small = small("Random", vec![("cell", list(&labels))]);
    for grouping in &structure.groupings {
        let totals = grouping.totals(counts);
        small.totals.push(totals.into_iter().map(|total| total as i64).collect());
        small.groupings.push(grouping.clone());
    }
    small.mechanism(noise, strength, Per::Unit)
}

fn drawn(plan: &Plan, counts: &[i64], source: &Seeded) -> Vec<i64> {
    let blocks: Vec<BlockDraw> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    let drawn = draw_table(&plan.law, &blocks, counts, source, &|_| {}).unwrap();
    drawn.into_values()
}

fn random_counts<E: Entropy>(entropy: &mut E, cells: usize) -> Vec<i64> {
    (0..cells).map(|_| below(entropy, 50) as i64).collect()
}

#[test]
fn every_draw_keeps_every_total() {
    let mut entropy = Seeded::new(1).stream(0).unwrap();
    let (mut planned, mut moved, mut fixed) = (0, 0, 0);
    for round in 0..3_000u64 {
        // Mostly nested; one in sixteen may cross, which takes longer.
        let structure = random_structure(&mut entropy, 12, round % 16 != 0);
        let counts = random_counts(&mut entropy, structure.cells);
        let (noise, strength) = if round % 5 == 0 {
            (Noise::DISCRETE_GAUSSIAN, rho("1/7"))
        } else {
            (Noise::DOUBLE_GEOMETRIC, epsilon("1/3"))
        };
        let Ok(plan) = declared(&structure, &counts, noise, strength).plan() else {
            continue;
        };
        planned += 1;
        let values = drawn(&plan, &counts, &Seeded::draw(2, round));
        for grouping in &structure.groupings {
            assert_eq!(grouping.totals(&values), grouping.totals(&counts), "{structure:?}");
        }
        for (cell, value) in &plan.fixed {
            assert_eq!((counts[*cell], values[*cell]), (*value, *value));
            fixed += 1;
        }
        moved += usize::from(values != counts);
    }
    // Refusals: one table only, or totals that cross. All the rest must be drawn, and noise must
    // show.
    assert!(planned > 2_000, "{planned} were planned");
    assert!(moved * 10 > planned * 9, "{moved} of {planned} moved");
    assert!(fixed > 100, "{fixed} cells were fixed");
}

#[test]
fn tiny_tables_follow_the_enumerated_law() {
    let level = testkit::level(60);
    let mut entropy = Seeded::new(3).stream(0).unwrap();
    let mut tested = 0;
    for round in 0..60 {
        let structure = random_structure(&mut entropy, 4, true);
        let counts = random_counts(&mut entropy, structure.cells);
        let (noise, strength) = if round % 6 == 0 {
            (Noise::DISCRETE_GAUSSIAN, rho("1"))
        } else {
            (Noise::DOUBLE_GEOMETRIC, epsilon("3/2"))
        };
        let Ok(plan) = declared(&structure, &counts, noise, strength).plan() else {
            continue;
        };
        let radius = 5;
        let fibre = Fibre::enumerate(structure.cells, &structure.groupings, radius);
        // Weights in floating point: the enumeration leaves out some 10⁻³ of the mass, tested as
        // given the radius.
        let weights: Vec<f64> = fibre
            .tables
            .iter()
            .map(|table| {
                let energy = table.iter().fold(Rational::integer(0), |sum, z| &sum + &plan.law.energy(*z));
                (-energy.to_f64()).exp()
            })
            .collect();
        let total: f64 = weights.iter().sum();
        let claimed: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let index: BTreeMap<&Vec<i64>, usize> = fibre.tables.iter().zip(0..).collect();
        let mut observed = vec![0u64; claimed.len()];
        for draw in 0..1_500 {
            let values = drawn(&plan, &counts, &Seeded::draw(100 + round, draw));
            let noise: Vec<i64> = values.iter().zip(&counts).map(|(y, x)| y - x).collect();
            if noise.iter().all(|z| z.abs() <= radius) {
                observed[index[&noise]] += 1;
            }
        }
        let seen = observed.iter().sum();
        let p = goodness_of_fit(&observed, &claimed, seen).p_value;
        assert!(p > level, "{structure:?}, {:?}: p = {p}", plan.law);
        tested += 1;
    }
    assert!(tested > 40, "{tested} structures were tested");
}

//! Strides and blocks of one table: other bits, the same laws.

use super::drawn::{drawn, laws};
use crate::tables::numbers::rational;
use draw::{ClosedForm, Growth, Messages, NoiseLaw, PlannedNoise, Sampler};
use exact::{Seeded, Source};
use testkit::{goodness_of_fit, level};

/// The exact law of one of n cells with total zero, on ±radius.
fn one_cell(law: &NoiseLaw, cells: usize, radius: i64) -> Vec<f64> {
    let weight = |z: i64| (-law.energy(z).to_f64()).exp();
    let mut others: Vec<f64> = (-radius..=radius).map(|z| f64::from(u8::from(z == 0))).collect();
    for _ in 1..cells {
        others = (-radius..=radius)
            .map(|c| {
                (-radius..=radius)
                    .filter(|z| (c - z).abs() <= radius)
                    .map(|z| weight(z) * others[(c - z + radius) as usize])
                    .sum()
            })
            .collect();
    }
    let joint: Vec<f64> = (-radius..=radius).map(|z| weight(z) * others[(radius - z) as usize]).collect();
    let total: f64 = joint.iter().sum();
    joint.iter().map(|p| p / total).collect()
}

#[test]
fn the_stride_changes_bits_but_not_the_law() {
    let radius = 60;
    for (law, _) in laws() {
        let claimed = one_cell(&law, 3, radius);
        for stride in [1, 7, 64] {
            let mut entropy = Seeded::new(10).stream(0).unwrap().with_stride(stride);
            let draws = 10_000;
            let mut observed = vec![0u64; claimed.len()];
            let (closed, messages) = (ClosedForm::new(&rational("1/3")), Messages::new(&rational("5/2")).completing(1));
            for _ in 0..draws {
                let mut noise = [0i64; 3];
                match law.growth() {
                    Growth::Absolute => closed.draw_block(&mut entropy, 0, &mut noise),
                    _ => messages.draw_block(&mut entropy, 0, &mut noise),
                }
                observed[(noise[2] + radius) as usize] += 1;
            }
            let p = goodness_of_fit(&observed, &claimed, draws).p_value;
            assert!(p > level(6), "{} with stride {stride}: p = {p}", law.name());
        }
    }
}

#[test]
fn the_blocks_of_a_table_are_independent() {
    let radius = 4i64;
    for (law, kept) in laws() {
        let (one, two) = (one_cell(&law, 2, 60), one_cell(&law, 3, 60));
        let side = (2 * radius + 1) as usize;
        let at = |law: &[f64], bin: usize| law[(60 - radius) as usize + bin];
        let claimed: Vec<f64> = (0..side * side).map(|pair| at(&one, pair / side) * at(&two, pair % side)).collect();
        let mut observed = vec![0u64; side * side];
        // Many pairs of a block of two and a block of three cells, all in one table.
        let cells: Vec<u32> = (0..50_000).collect();
        let mut blocks: Vec<(&[u32], &'static PlannedNoise)> = Vec::new();
        for pair in cells.chunks(5) {
            blocks.extend([(&pair[..2], kept), (&pair[2..], kept)]);
        }
        let values = drawn(&law, &blocks, &[0; 50_000], &Seeded::new(11));
        for pair in values.chunks(5) {
            if pair[0].abs() <= radius && pair[2].abs() <= radius {
                observed[(pair[0] + radius) as usize * side + (pair[2] + radius) as usize] += 1;
            }
        }
        let p = goodness_of_fit(&observed, &claimed, 10_000).p_value;
        assert!(p > level(2), "{}: p = {p}", law.name());
    }
}

//! Blocks with one total: their enumerated law, draws of them whole and in slices, and the fit of
//! their marginals.

use declare::Grouping;
use draw::{NoiseLaw, Sampler, Summary};
use exact::{Enclosure, Seeded, Source, Tape};
use std::collections::BTreeMap;
use testkit::{Fibre, TapeLaw, goodness_of_fit};

/// The exact law of noise on `cells` cells with the given total, by enumeration far beyond what
/// tapes can see.
pub fn enumerated(cells: usize, total: i64, law: &NoiseLaw) -> BTreeMap<Vec<i64>, Enclosure> {
    let radius = if cells <= 2 { 40 } else { 14 };
    // Enumerate tables that sum to zero with one more cell that holds the total.
    let grouping =
        Grouping { times: None, label: "total".into(), names: vec!["total".into()], group_of: vec![0; cells] };
    let fibre = if total == 0 {
        Fibre::enumerate(cells, &[grouping], radius)
    } else {
        let mut free = Fibre::enumerate(cells, &[], radius);
        free.tables.retain(|table| table.iter().sum::<i64>() == total);
        free
    };
    let weights = fibre.law(128, |z| law.energy(z));
    (0..fibre.tables.len()).map(|index| (fibre.tables[index].clone(), weights.probability(index))).collect()
}

pub fn draw(sampler: &impl Sampler, tape: &mut Tape, cells: usize, total: i64) -> Vec<i64> {
    let mut noise = vec![0; cells];
    sampler.draw_block(tape, total, &mut noise);
    noise
}

pub fn sliced(sampler: &impl Sampler, tape: &mut Tape, slices: &[usize], total: i64) -> Vec<i64> {
    let summaries: Vec<Summary> = slices.iter().map(|cells| Summary { cells: *cells as u64 }).collect();
    let shares = sampler.divide(tape, &summaries, total);
    let mut noise = Vec::new();
    for (cells, share) in slices.iter().zip(&shares) {
        let mut part = vec![0; *cells];
        sampler.fill(tape, share, &mut part);
        noise.extend(part);
    }
    noise
}

pub fn assert_law(law: &TapeLaw<Vec<i64>>, unresolved: f64, claimed: &BTreeMap<Vec<i64>, Enclosure>) {
    law.agrees_with(|table| claimed.get(table).cloned().expect("a table of the fibre")).unwrap();
    assert!(law.unresolved_share() <= unresolved, "unresolved {}", law.unresolved_share());
}

/// The m-fold convolution of normalised weights, with everything beyond ±radius left out (and
/// negligible).
pub fn convolution(law: &NoiseLaw, cells: usize, radius: i64, bits: usize) -> Vec<Enclosure> {
    let weights: Vec<Enclosure> = (-radius..=radius).map(|z| Enclosure::exp_rational(&-law.energy(z), bits)).collect();
    let zero = Enclosure::from_integer(0, bits);
    let total = weights.iter().fold(zero.clone(), |sum, weight| &sum + weight);
    let one: Vec<Enclosure> = weights.iter().map(|weight| weight.checked_div(&total).unwrap()).collect();
    let mut sum = one.clone();
    for _ in 1..cells {
        sum = (-radius..=radius)
            .map(|c| {
                (-radius..=radius).filter(|z| (c - z).abs() <= radius).fold(zero.clone(), |total, z| {
                    &total + &(&one[(z + radius) as usize] * &sum[(c - z + radius) as usize])
                })
            })
            .collect();
    }
    sum
}

/// Draws many blocks and tests the law of the first cell and of the first half against the exact
/// ones.
pub fn fit(sampler: &impl Sampler, law: &NoiseLaw, cells: usize, half: usize, seed: u64, slices: &[usize]) -> [f64; 2] {
    let (draws, radius) = (20_000u64, 60i64);
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    let mut observed = [vec![0u64; 2 * radius as usize + 1], vec![0u64; 2 * radius as usize + 1]];
    for _ in 0..draws {
        let mut noise = vec![0i64; cells];
        let summaries: Vec<Summary> = slices.iter().map(|cells| Summary { cells: *cells as u64 }).collect();
        let shares = sampler.divide(&mut entropy, &summaries, 0);
        let mut rest = &mut noise[..];
        for (length, share) in slices.iter().zip(&shares) {
            let (part, others) = rest.split_at_mut(*length);
            sampler.fill(&mut entropy, share, part);
            rest = others;
        }
        assert_eq!(noise.iter().sum::<i64>(), 0);
        for (index, part) in [(0, 1), (1, half)] {
            let sum: i64 = noise[..part].iter().sum();
            if sum.abs() <= radius {
                observed[index][(sum + radius) as usize] += 1;
            }
        }
    }
    [(0usize, 1usize), (1, half)].map(|(index, part)| {
        let (one, other) = (convolution(law, part, radius, 64), convolution(law, cells - part, radius, 64));
        let weights: Vec<f64> = (0..one.len()).map(|j| one[j].to_f64() * other[one.len() - 1 - j].to_f64()).collect();
        let total: f64 = weights.iter().sum();
        let claimed: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        goodness_of_fit(&observed[index], &claimed, draws).p_value
    })
}

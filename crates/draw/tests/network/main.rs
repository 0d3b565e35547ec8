//! Networks against enumeration: normalisers, exact laws over every bit tape, and draws.

mod quantities;
mod rungs;
mod small;
mod tilted;

use draw::Ladder;
use exact::{Enclosure, Seeded, Source};
use small::Small;
use testkit::tape_law;

#[test]
fn the_normaliser_is_the_weight_of_the_fibre() {
    let mut tested = 0;
    for seed in 0..1500 {
        let Some(small) = Small::random(seed) else { continue };
        let network = small.network();
        let sampler = small.sampler(&network, Ladder::Standard);
        let weight: f64 = small.enumerate(9).values().sum();
        let found = sampler.log_normaliser();
        assert!((found - weight.ln()).abs() < 2e-5, "declaration {seed}: {found} instead of {}", weight.ln());
        tested += 1;
    }
    assert!(tested > 500, "{tested} declarations");
}

/// The enumerated law, with room for the tables that were not enumerated.
pub fn enclosed(probability: f64) -> Enclosure {
    let bits = 60;
    let scaled = |value: f64| exact::Integer::from((value.max(0.0) * 2f64.powi(bits)) as u64);
    Enclosure::from_bounds(
        scaled(probability * (1.0 - 1e-5) - 1e-9),
        scaled(probability * (1.0 + 1e-5) + 1e-9),
        bits as usize,
    )
}

#[test]
fn every_bit_tape_gives_the_conditional_law() {
    for ladder in [Ladder::Standard, Ladder::Coarse] {
        let mut tested = 0;
        for seed in (0..400).step_by(3) {
            let Some(small) = Small::random(seed) else { continue };
            let law = small.enumerate(9);
            if law.len() < 2 {
                continue;
            }
            let total: f64 = law.values().sum();
            let network = small.network();
            let sampler = small.sampler(&network, ladder);
            let tapes = tape_law(9, |tape| {
                let mut values = small.table.clone();
                sampler.draw(tape, &mut values).unwrap();
                values
            });
            let claimed = |table: &Vec<i64>| enclosed(law.get(table).map_or(0.0, |weight| weight / total));
            if let Err(message) = tapes.agrees_with(claimed) {
                panic!("declaration {seed}, {ladder:?}: {message}");
            }
            tested += 1;
        }
        assert!(tested > 30, "{tested} declarations");
    }
}

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

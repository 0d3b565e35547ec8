//! What weighted classes and networks state, against closed forms and enumeration.

use super::small::{geometric, tables};
use crate::tables::numbers::rational;
use draw::{ClassLaw, Factor, Ladder, NetworkSampler, TableNoise};
use exact::Rational;
use std::sync::Arc;

#[test]
fn almost_without_noise_it_is_the_dirichlet_multinomial_itself() {
    let public = [0i64, 7, 2, 30];
    let shapes: Vec<Rational> =
        public.iter().map(|x| &(&Rational::integer(*x) + &rational("1/2")) * &rational("1/10")).collect();
    let factors: Vec<Factor> = shapes.iter().cloned().map(Factor::Rising).collect();
    let sum = 12;
    let cells = [9i64, 1, 0, 2].into_iter().zip((0..4).map(Some)).collect();
    let noise = geometric("1/1000000");
    let law = ClassLaw::weighted(noise, (Some(0), None), cells, Arc::from(factors.clone()), Ladder::Standard);
    // A single cell is Pólya–Eggenberger: C(n, y)·a^(y)·(A − a)^(n − y)/A^(n), rising factorials.
    let whole = shapes.iter().fold(Rational::integer(0), |sum, shape| &sum + shape);
    for (cell, factor) in factors.iter().enumerate() {
        let others = Factor::Rising(&whole - &shapes[cell]);
        let normaliser = Factor::Rising(whole.clone()).weight(sum);
        let marginal = law.marginal(sum, cell);
        assert_eq!(marginal.len(), sum as usize + 1);
        for (y, found) in marginal {
            let truth = &(&factor.weight(y) * &others.weight(sum - y)) / &normaliser;
            let error = (found - truth.to_f64()).abs() / truth.to_f64();
            assert!(error < 1e-4, "{cell} {y}: {found} {truth}");
        }
    }
    // With noise it is another law.
    let cells = [9i64, 1, 0, 2].into_iter().zip((0..4).map(Some)).collect();
    let noisy = ClassLaw::weighted(geometric("1"), (Some(0), None), cells, factors.into(), Ladder::Standard);
    assert!(noisy.marginal(sum, 0)[9].1 > 2.0 * law.marginal(sum, 0)[9].1);
}

#[test]
fn readings_agree_with_enumeration() {
    for (number, (small, most)) in tables().into_iter().enumerate() {
        let claim = small.enumerated(most);
        let (network, law) = (small.network(), small.law());
        let sampler = NetworkSampler::new(&network, TableNoise::from(&law), &small.table(), Ladder::Standard).unwrap();
        let quantities = sampler.quantities().unwrap();
        let whole: f64 = claim.keys().map(|values| small.weight(values).to_f64()).sum();
        let found = quantities.log_normaliser;
        assert!((found - whole.ln()).abs() < 1e-9, "{number}: {found} {}", whole.ln());
        for (cell, found) in &quantities.cells {
            for value in 0..=most {
                let of_value = claim.iter().filter(|(values, _)| values[*cell as usize] == value);
                let truth: f64 = of_value.map(|(_, share)| share.to_f64()).sum();
                assert!((found.probability(value) - truth).abs() < 1e-11, "{cell} {value}");
            }
        }
        assert!(sampler.has_table());
    }
}

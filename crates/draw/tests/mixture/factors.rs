//! What an attempt of `mixture` is made of, over every bit tape: which Gaussian, and the coin that
//! accepts what it proposed.

use super::mixed::mixture;
use crate::tables::numbers::{RESOLVED, close, rational};
use exact::Entropy;
use std::f64::consts::PI;
use testkit::resolved_law;

/// The step of the coarse grid, for r of at least 0.27.
const STEP: f64 = 0.5;

/// Bits that begin with a word; zeros follow.
struct FirstWord(Option<u64>);

impl Entropy for FirstWord {
    fn bits(&mut self, count: u32) -> u64 {
        self.0.take().map_or(0, |word| word >> (64 - count))
    }

    fn stride(&self) -> u32 {
        64
    }
}

/// `Σ_k e^{−tk²}`.
fn theta(t: f64) -> f64 {
    1.0 + 2.0 * (1..200).map(|k| (-t * f64::from(k * k)).exp()).sum::<f64>()
}

#[test]
fn widths_are_drawn_by_their_weights() {
    for rate in ["1", "2", "1/2"] {
        let mixture = mixture(1, 2, rate);
        let number = rational(rate).to_f64();
        let law = resolved_law(RESOLVED, |tape| mixture.draw_width(tape));
        // The steps between tables are (u, −u): ‖b̃‖² = 2.
        let agrees = |zero: f64, tilt: f64| {
            let weight = |j: u64| match j {
                0 => zero,
                j => {
                    let v = STEP * j as f64;
                    (-v * v / 4.0).exp() * theta(2.0 * number * number / (v * v)) * tilt.powi(j as i32)
                }
            };
            let whole: f64 = (0..60).map(weight).sum();
            law.agrees_with(|j| close(weight(*j) / whole))
        };
        agrees(0.5, 1.0).unwrap();
        for (zero, tilt) in [(0.525, 1.0), (0.475, 1.0), (0.5, 1.05), (0.5, 0.95)] {
            assert!(agrees(zero, tilt).is_err(), "rate {rate}: zero {zero}, tilt {tilt}");
        }
    }
}

#[test]
fn what_is_proposed_is_accepted_by_how_far_the_grid_is_off() {
    // No S(r)·e^r of the coarse grid is smaller.
    const LEAST: f64 = 0.9931;
    let mixture = mixture(1, 2, "1/2");
    for u in [0i64, 1, 2, 5] {
        let r = 0.5 * 2f64.sqrt() * u as f64;
        let terms = (1..200).map(|j| STEP * f64::from(j)).map(|v| (-(v / 2.0 - r / v).powi(2)).exp());
        let zero = if u == 0 { 0.5 } else { 0.0 };
        let share = LEAST * PI.sqrt() / (STEP * (zero + terms.sum::<f64>()));
        assert!(share > 0.97 && share < 1.0, "{share}");
        // Tapes leave open what lies above the least share until 64 bits are read, but a coin falls
        // with the word that it reads first: where it turns is its probability.
        let (mut accepted, mut refused) = (0, u64::MAX);
        while refused - accepted > 1 {
            let word = accepted + (refused - accepted) / 2;
            match mixture.accepts(&mut FirstWord(Some(word)), &[u, -u]) {
                true => accepted = word,
                false => refused = word,
            }
        }
        let turns = refused as f64 / 2f64.powi(64);
        assert!((turns - share).abs() < 1e-12, "{u}: {turns} and not {share}");
        for off in [1.05, 0.95] {
            assert!((turns - (1.0 - (1.0 - share) * off)).abs() > 1e-4, "{u}: refused {off} times as often");
        }
    }
}

//! Golden seeds of every path of a split.

use super::splits::{noise, split};
use crate::tables::numbers::digest;
use draw::{CellNoise, ClassLaw, Ladder};
use exact::Rational;

#[test]
fn golden_seeds() {
    let geometric = || noise(0, 5);
    let law = |noise, low, high, centres: Vec<i64>| ClassLaw::new(noise, low, high, centres, Ladder::Standard);
    let small = law(geometric(), Some(0), None, vec![12, 0, 3, 40, 0, 7]);
    // As expected, far below (slopes turned), far above.
    assert_eq!(split(&small, 62, 1), NEAR);
    assert_eq!(split(&small, 9, 1), FEW);
    assert_eq!(split(&small, 400, 1), MANY);
    let mixed: Vec<i64> = (0..3_000).map(|cell| (cell * cell) % 97).collect();
    let expected = mixed.iter().sum();
    let wide = CellNoise::Geometric { up: Rational::new(1, 1_000_000u32), down: Rational::new(1, 1_000_000u32) };
    // Completions: slopes, bells, flat, and cells so wide that one cell completes.
    let digests = [
        digest(&split(&law(geometric(), Some(0), None, mixed.clone()), expected, 2)),
        digest(&split(&law(geometric(), Some(0), Some(60), mixed.clone()), expected / 3, 2)),
        digest(&split(&law(noise(2, 30), Some(0), None, mixed.clone()), expected, 2)),
        digest(&split(&law(CellNoise::Flat, Some(0), Some(9), mixed.clone()), 9_000, 2)),
        digest(&split(&law(wide, Some(0), None, vec![1_000_000; 20]), 20_000_000, 2)),
    ];
    assert_eq!(digests, LARGE);
}

const NEAR: [i64; 6] = [1, 1, 4, 47, 2, 7];

const FEW: [i64; 6] = [3, 1, 0, 4, 1, 0];

const MANY: [i64; 6] = [63, 84, 24, 148, 70, 11];

const LARGE: [u64; 5] =
    [5812708960300839335, 3321336724680497604, 13133282428578960027, 4179957286457342625, 16739277448370388158];

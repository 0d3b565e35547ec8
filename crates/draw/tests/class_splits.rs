//! Splits keep their sum and bounds whatever the class; golden seeds of every path.

use draw::{CellNoise, ClassLaw, Ladder};
use exact::{Rational, Seeded, Source};
use proptest::prelude::*;

fn noise(kind: u8, rate: u32) -> CellNoise {
    match kind {
        0 => CellNoise::Geometric { up: Rational::new(1, rate), down: Rational::new(1, rate) },
        1 => CellNoise::Geometric { up: Rational::new(2, rate), down: Rational::new(1, rate) },
        2 => CellNoise::Gaussian { variance: Rational::integer(rate) },
        _ => CellNoise::Flat,
    }
}

fn split(law: &ClassLaw, sum: i64, seed: u64) -> Vec<i64> {
    let mut cells = vec![0; law.cells()];
    law.split(&mut Seeded::new(seed).stream(0).unwrap(), sum, &mut cells);
    cells
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_and_bounds_are_kept(
        kind in 0u8..4,
        rate in 1u32..30,
        low in proptest::option::of(-20i64..10),
        width in proptest::option::of(0i64..40),
        centres in proptest::collection::vec(-30i64..60, 0..14),
        place in -1.0f64..2.0,
        seed in 0u64..1000,
    ) {
        let flat = kind == 3;
        let low = if flat { Some(low.unwrap_or(0)) } else { low };
        let width = if flat { Some(width.unwrap_or(7)) } else { width };
        let high = width.map(|width| low.unwrap_or(0) + width);
        let cells = centres.len() as i64;
        let law = ClassLaw::new(noise(kind, rate), low, high, centres.clone(), Ladder::Standard);
        // Anywhere, the ends of the range included, far from what is expected.
        let (least, most) = law.range();
        let expected: i64 = centres.iter().sum();
        let (from, to) = (least.unwrap_or(expected - 50 * cells), most.unwrap_or(expected.max(least.unwrap_or(0)) + 50 * cells));
        let sum = (from + (place * (to - from) as f64) as i64).clamp(from.min(to), to.max(from));
        prop_assume!(law.feasible(sum));
        let drawn = split(&law, sum, seed);
        prop_assert_eq!(drawn.iter().sum::<i64>(), sum);
        for value in &drawn {
            prop_assert!(low.is_none_or(|low| low <= *value) && high.is_none_or(|high| *value <= high));
        }
        // What was drawn before changes nothing.
        prop_assert_eq!(split(&law, sum, seed), drawn);
    }
}

#[test]
fn infeasible_sums_are_known() {
    let law = ClassLaw::new(CellNoise::Flat, Some(1), Some(3), vec![0; 4], Ladder::Standard);
    assert_eq!((law.feasible(3), law.feasible(4), law.feasible(12), law.feasible(13)), (false, true, true, false));
    let none = ClassLaw::new(CellNoise::Flat, Some(1), Some(3), Vec::new(), Ladder::Standard);
    assert_eq!((none.feasible(0), none.feasible(1)), (true, false));
}

/// FNV-1a over the bytes of the values.
fn digest(values: &[i64]) -> u64 {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

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

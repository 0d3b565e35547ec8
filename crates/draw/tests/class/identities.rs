//! Splits keep their sum and bounds whatever the class.

use super::splits::{noise, split};
use draw::{CellNoise, ClassLaw, Ladder};
use proptest::prelude::*;

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

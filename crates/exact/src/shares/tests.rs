//! The law of k by products of machine words against the same law by Stirling's series.

use super::*;
use crate::Seeded;
use crate::entropy::Source;
use crate::integer::below;
use crate::lazy::Bounds;
use crate::unimodal::UnimodalLaw;
use dashu_int::IBig;

fn weights(n: u64, epsilon: &str, total: u64) -> Weights {
    let epsilon: Rational = epsilon.parse().unwrap();
    Weights::new(n, &epsilon + &epsilon, Some(total))
}

fn offsets(weights: &Weights, seed: u64) -> Vec<i64> {
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    let exponent = Unimodal::new(weights.clone()).width_exponent();
    let mut offsets: Vec<i64> = vec![0, 1, -1, 2, -2, 3, 4095, 4096, 4097, -4096, -4097];
    // Up to eight widths of a block away, where draws fall, and on its ends.
    let reach = 8u64 << exponent;
    for _ in 0..20 {
        let distance = below(&mut entropy, reach) as i64;
        offsets.extend([distance, -distance]);
    }
    offsets.extend([1 << exponent, -(1 << exponent), -(weights.mode as i64)]);
    offsets
}

#[test]
fn quick_bounds_contain_the_ratio_and_are_narrow() {
    let (mut quick, mut slow) = (0, 0);
    for n in [1u64, 2, 5, 1000, 5000, 1_000_000] {
        for epsilon in ["0.001", "0.192", "5"] {
            for total in [0u64, 7, 10_000] {
                let weights = weights(n, epsilon, total);
                for offset in offsets(&weights, n + total) {
                    let (bounds, fine) = (weights.bounds(offset), weights.ratio(offset, 160));
                    let what = format!("n = {n}, ε = {epsilon}, t = {total}, offset {offset}");
                    let one = IBig::ONE << 160;
                    assert!(*fine.lower() <= one, "{what}: the mode is exceeded");
                    // The same ratio, more coarsely.
                    let coarse = weights.ratio(offset, 64);
                    assert!(coarse.certainly_less(&fine) != Some(true) && fine.certainly_less(&coarse) != Some(true));
                    if bounds == Bounds::UNKNOWN {
                        slow += 1;
                        continue;
                    }
                    quick += 1;
                    assert!((IBig::from(bounds.floor) << 96usize) <= *fine.upper(), "{what}: floor too high");
                    assert!(
                        ((IBig::from(bounds.last) + IBig::ONE) << 96usize) >= *fine.lower(),
                        "{what}: last too low"
                    );
                    assert!(bounds.last - bounds.floor < 1 << 28, "{what}: too wide, {bounds:?}");
                }
            }
        }
    }
    assert!(quick > 1500 && slow > 100, "both ways are taken: {quick} and {slow}");
}

#[test]
fn the_mode_is_where_the_weights_stop_rising() {
    for (n, epsilon, total) in [(1u64, "1/7", 0u64), (2, "0.001", 5), (5000, "0.192", 0), (1 << 30, "1/1000", 12)] {
        let weights = weights(n, epsilon, total);
        assert!(!weights.rises(weights.mode));
        assert!(weights.mode == 0 || weights.rises(weights.mode - 1));
        for offset in [1, -1] {
            assert!(*weights.ratio(offset, 128).upper() <= IBig::ONE << 128);
        }
    }
}

#[test]
#[should_panic(expected = "62-bit")]
fn a_law_that_leaves_machine_integers_is_refused() {
    Shares::new(1 << 40, &Rational::new(1, 1u64 << 40), 0);
}

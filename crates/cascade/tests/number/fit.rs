//! Draws of one number at every scale, and with every stride of the bits.

use super::laws::{Law, fit, laws};
use cascade::{NO_HIGH, NO_LOW};
use exact::{Rational, Seeded, Source};
use testkit::{goodness_of_fit, level};

#[test]
fn draws_fit_the_law_at_every_scale() {
    let variances = ["2/5", "1/2", "9/10", "1", "7/3", "4", "15", "17", "64", "1000", "123456/7"];
    let mut tests = 0;
    let mut least: f64 = 1.0;
    for (index, variance) in variances.iter().enumerate() {
        let s = variance.parse::<Rational>().unwrap().to_f64().sqrt();
        for (place, (low, high)) in
            [(NO_LOW, NO_HIGH), (0, NO_HIGH), (NO_LOW, 3), (0, 3), (0, (3.0 * s) as i64 + 1), (-2, (0.6 * s) as i64)]
                .into_iter()
                .enumerate()
        {
            for centre in [-6.0 * s, -1.4 * s, -0.3 * s, 0.0, 0.41, 0.7 * s + 0.5, 2.0 * s + 3.3, 9.0 * s + 4.0] {
                let law = Law {
                    numerator: (centre * 60.0) as i128,
                    unit: 60,
                    variance: variance.parse().unwrap(),
                    low,
                    high,
                };
                least = least.min(fit(&law, &law, (index * 100 + place) as u64, 4000));
                tests += 1;
            }
        }
    }
    assert!(least > level(tests), "{least} of {tests}");
}

#[test]
fn the_stride_of_the_bits_does_not_matter_for_the_law() {
    for law in laws() {
        let mut entropy = Seeded::new(9).stream(1).unwrap().with_stride(3);
        let mut observed = [0u64; 80];
        for _ in 0..4000 {
            let value = law.draw(&mut entropy);
            observed[(value + 40) as usize] += 1;
        }
        let claimed: Vec<f64> = (-40..40).map(|value| law.step(value).log_probability().exp()).collect();
        assert!(goodness_of_fit(&observed, &claimed, 4000).p_value > level(laws().len()), "{law:?}");
    }
}

//! One number: its law by bit tapes, by draws, and what happens far out; mutants are rejected.

use cascade::{Bell, Centre, NO_HIGH, NO_LOW, Step};
use exact::{Enclosure, Entropy, Rational, Seeded, Source};
use testkit::{goodness_of_fit, tape_law};

/// A law to test: centre `numerator/unit`, s², bounds.
#[derive(Debug, Clone)]
struct Law {
    numerator: i128,
    unit: u128,
    variance: Rational,
    low: i64,
    high: i64,
}

impl Law {
    fn new(numerator: i128, unit: u128, variance: &str, low: i64, high: i64) -> Self {
        Law { numerator, unit, variance: variance.parse().unwrap(), low, high }
    }

    fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        let centre = Centre::new(0, self.numerator, self.unit).unwrap();
        let bell = Bell::new(self.variance.to_f64());
        bell.draw(entropy, &centre, self.low, self.high, &|| self.variance.clone())
    }

    fn step(&self, value: i64) -> Step {
        let centre = Centre::new(0, self.numerator, self.unit).unwrap().to_rational();
        Step { centre, variance: self.variance.clone(), low: self.low, high: self.high, value }
    }

    fn probability(&self, value: i64) -> Enclosure {
        self.step(value).probability(128)
    }
}

/// Every way to propose: wide and narrow intervals, both ends, none, near and far, thirds and halves.
fn laws() -> Vec<Law> {
    vec![
        Law::new(0, 1, "1", NO_LOW, NO_HIGH),
        Law::new(1, 3, "1/2", NO_LOW, NO_HIGH),
        Law::new(7, 2, "9/4", 0, NO_HIGH),
        Law::new(-1, 4, "2", 0, NO_HIGH),
        Law::new(5, 7, "3", NO_LOW, 1),
        Law::new(2, 1, "4", 0, 5),
        Law::new(5, 2, "100", 0, 4),
        Law::new(-9, 2, "3", 0, NO_HIGH),
        Law::new(-30, 7, "1", 0, 3),
        Law::new(101, 3, "5", NO_LOW, 30),
        Law::new(-50, 1, "40", 0, NO_HIGH),
        Law::new(-3, 1, "64", 0, 2),
        Law::new(31, 1, "50", NO_LOW, 30),
        Law::new(1, 2, "30", NO_LOW, NO_HIGH),
    ]
}

#[test]
fn the_law_over_every_tape() {
    for law in laws() {
        let tapes = tape_law(18, |tape| law.draw(tape));
        tapes.agrees_with(|value| law.probability(*value)).unwrap_or_else(|fault| panic!("{law:?}: {fault}"));
        assert!(tapes.unresolved_share() < 0.2, "{law:?}: {}", tapes.unresolved_share());
    }
}

#[test]
fn tapes_reject_a_variance_off_by_five_percent_and_a_shifted_interval() {
    let mut caught = 0;
    for law in laws() {
        let tapes = tape_law(18, |tape| law.draw(tape));
        for factor in ["19/20", "21/20"] {
            let mutant = Law { variance: &law.variance * &factor.parse().unwrap(), ..law.clone() };
            caught += usize::from(tapes.agrees_with(|value| mutant.probability(*value)).is_err());
        }
        if law.low != NO_LOW {
            let mutant = Law { low: law.low + 1, ..law.clone() };
            assert!(tapes.agrees_with(|value| mutant.probability(*value)).is_err(), "{law:?}");
        }
        let mutant = Law { numerator: law.numerator * 12 + law.unit as i128, unit: law.unit * 12, ..law.clone() };
        caught += usize::from(tapes.agrees_with(|value| mutant.probability(*value)).is_err());
    }
    assert!(caught >= 14, "{caught}");
}

/// p-values of draws against the formula.
fn fit(law: &Law, claimed: &Law, seed: u64, draws: u64) -> f64 {
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    let drawn: Vec<i64> = (0..draws).map(|_| law.draw(&mut entropy)).collect();
    let (low, high) = (*drawn.iter().min().unwrap(), *drawn.iter().max().unwrap());
    let mut observed = vec![0u64; (high - low + 1) as usize];
    drawn.iter().for_each(|value| observed[(value - low) as usize] += 1);
    let probabilities: Vec<f64> = (low..=high).map(|value| claimed.step(value).log_probability().exp()).collect();
    let seen: Vec<f64> = probabilities.iter().map(|p| p.min(1.0)).collect();
    if seen.iter().filter(|p| **p * draws as f64 >= 10.0).count() < 2 {
        return 1.0;
    }
    goodness_of_fit(&observed, &seen, draws).p_value
}

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
    // One false alarm in a thousand over all tests together.
    assert!(least * f64::from(tests) > 1e-3, "{least} of {tests}");
}

#[test]
fn wrong_variances_are_seen_in_draws() {
    for variance in ["1", "30", "5000"] {
        let law = Law::new(1, 3, variance, NO_LOW, NO_HIGH);
        for factor in ["19/20", "21/20"] {
            let mutant = Law { variance: &law.variance * &factor.parse().unwrap(), ..law.clone() };
            assert!(fit(&law, &mutant, 5, 200_000) < 1e-6, "{variance}");
        }
    }
}

#[test]
fn numbers_far_from_everything_stay_in_their_interval() {
    let mut entropy = Seeded::new(3).stream(0).unwrap();
    for (centre, variance, low, high) in [
        (-1_000_000_000_000i128, "1", 0, NO_HIGH),
        (-1_000_000_000_000, "1", 0, 1),
        (1_000_000_000_000, "3/2", NO_LOW, -7),
        (-1_000_000_000_000, "1000000000000000", 0, 100),
        (4_000_000_000_000_000, "1", 0, 4_000_000_000_000_000),
        (0, "1000000000000000000", NO_LOW, NO_HIGH),
        (-5_000_000_000_000_000, "1000000000000000000", 5, NO_HIGH),
    ] {
        let law = Law::new(centre, 1, variance, low, high);
        for _ in 0..200 {
            let value = law.draw(&mut entropy);
            assert!(value >= low && value <= high);
        }
    }
    let single = Law::new(5, 2, "1", 3, 3);
    assert_eq!(single.draw(&mut entropy), 3);
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
        assert!(goodness_of_fit(&observed, &claimed, 4000).p_value > 1e-5, "{law:?}");
    }
}

#[test]
fn machine_logarithms_agree_with_enclosures() {
    for law in laws() {
        let from = if law.low == NO_LOW { -10 } else { law.low };
        for value in from..from + 12 {
            let exactly = law.probability(value).to_f64();
            let machine = law.step(value).log_probability().exp();
            assert!((exactly - machine).abs() < 1e-11, "{law:?} {value}: {exactly} {machine}");
        }
    }
}

#[test]
fn golden_draws() {
    let mut entropy = Seeded::new(2024).stream(7).unwrap();
    let drawn: Vec<i64> = laws().iter().map(|law| law.draw(&mut entropy)).collect();
    assert_eq!(drawn, [-1, 0, 4, 0, -3, 1, 3, 0, 0, 28, 0, 0, 21, -8]);
}

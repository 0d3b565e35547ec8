//! An integer around any centre, or nothing: exact laws over every bit tape.

use exact::shifted::{Near, Rate, attempt};
use exact::{Enclosure, Rational, Seeded, Source, theta, theta_share};
use testkit::{TapeLaw, goodness_of_fit, level, tape_law};

const BITS: usize = 128;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn law(rate: &str, centre: &str, depth: u32, error: f64) -> TapeLaw<Option<i64>> {
    let (rate, centre) = (rational(rate), rational(centre));
    let near = Near { fraction: centre.to_f64(), error };
    tape_law(depth, |tape| attempt(tape, &Rate::near(rate.to_f64()), near, || (rate.clone(), centre.clone())))
}

fn claimed(rate: &str, centre: &str) -> impl Fn(&Option<i64>) -> Enclosure {
    let (rate, centre) = (rational(rate), rational(centre));
    let whole = theta(&rate, &Rational::integer(0), BITS);
    move |outcome| match outcome {
        Some(x) => {
            let distance = &Rational::integer(*x) - &centre;
            Enclosure::exp_rational(&-(&rate * &(&distance * &distance)), BITS).checked_div(&whole).unwrap()
        }
        None => &Enclosure::from_integer(1, BITS) - &theta_share(&rate, &centre, BITS),
    }
}

#[test]
fn integers_come_with_their_probability_and_the_rest_is_nothing() {
    for rate in ["1/60", "1/2", "3", "20", "200"] {
        for centre in ["0", "-1/2", "1/3", "0.4999999"] {
            // Known well, badly, and not at all: machine numbers decide, or enclosures.
            for error in [1e-15, 1e-4, f64::NAN] {
                let tapes = law(rate, centre, 14, error);
                tapes.agrees_with(claimed(rate, centre)).unwrap();
                assert!(tapes.unresolved_share() < 0.02, "t = {rate}, c = {centre}: {}", tapes.unresolved_share());
            }
        }
    }
}

#[test]
fn small_rates_are_drawn_by_blocks() {
    // Blocks are drawn again until one is accepted, which wants more bits than tapes have: draws
    // are fitted, too.
    for (rate, depth, unresolved) in [("1/65", 16, 0.7), ("1/100", 16, 0.7)] {
        for centre in ["0", "-1/3", "1/2"] {
            let tapes = law(rate, centre, depth, 1e-15);
            tapes.agrees_with(claimed(rate, centre)).unwrap();
            assert!(tapes.unresolved_share() < unresolved, "{}", tapes.unresolved_share());
        }
    }
}

#[test]
fn draws_by_blocks_fit() {
    for (rate, centre) in [("1/65", "1/3"), ("1/300", "-1/2"), ("1/1000", "1/10")] {
        let (exact_rate, exact_centre) = (rational(rate), rational(centre));
        let mut entropy = Seeded::new(7).stream(0).unwrap();
        let near = Near { fraction: exact_centre.to_f64(), error: 1e-15 };
        let draws = 200_000u64;
        let mut counted = vec![0u64; 801];
        for _ in 0..draws {
            let x = attempt(&mut entropy, &Rate::near(exact_rate.to_f64()), near, || {
                (exact_rate.clone(), exact_centre.clone())
            });
            counted[(x.unwrap() + 400).clamp(0, 800) as usize] += 1;
        }
        let fit = |rate: f64, centre: f64| {
            let weights: Vec<f64> = (-400..=400).map(|x| (-rate * (f64::from(x) - centre).powi(2)).exp()).collect();
            let whole: f64 = weights.iter().sum();
            let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole * (1.0 - 1e-12)).collect();
            goodness_of_fit(&counted, &claimed, draws).p_value
        };
        let (rate, centre) = (exact_rate.to_f64(), exact_centre.to_f64());
        assert!(fit(rate, centre) > level(3), "{rate} {centre}");
        assert!(fit(rate * 1.05, centre) < 1e-6, "{rate} {centre}");
        assert!(fit(rate, centre + 0.05 / rate.sqrt()) < 1e-6, "{rate} {centre}");
    }
}

#[test]
fn wrong_centres_wrong_rates_and_forgotten_refusals_are_seen() {
    let tapes = law("1", "1/3", 18, 1e-15);
    assert!(tapes.agrees_with(claimed("1", "0.35")).is_err());
    assert!(tapes.agrees_with(claimed("1.05", "1/3")).is_err());
    assert!(tapes.agrees_with(claimed("1", "-1/3")).is_err());
    let kept = law("3", "1/2", 18, 1e-15);
    let share = theta_share(&rational("3"), &rational("1/2"), BITS);
    let forgotten = |outcome: &Option<i64>| claimed("3", "1/2")(outcome).checked_div(&share).unwrap();
    assert!(kept.agrees_with(forgotten).is_err());
}

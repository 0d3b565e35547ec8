//! Whole draws over every bit tape, acceptances, mutants, and goodness of fit against enumeration.

use crate::lattices::{BITS, Lattice, a2, a3, rational, skewed, square, total, two_by_three};
use draw::Klein;
use exact::shifted::{Near, Rate, attempt};
use exact::{Enclosure, Entropy, Integer, Rational, Seeded, Source, theta};
use testkit::{TapeLaw, goodness_of_fit, tape_law};

fn klein(lattice: &Lattice, variance: &str) -> Klein {
    Klein::new(lattice.cells, &lattice.basis, &rational(variance)).unwrap()
}

fn attempts(lattice: &Lattice, variance: &str, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    let klein = klein(lattice, variance);
    tape_law(depth, |tape| {
        let mut noise = vec![0; lattice.cells];
        klein.attempt(tape, &mut noise).unwrap().then_some(noise)
    })
}

/// e^{−‖z‖²/2σ²}.
fn weight(table: &[i64], variance: &str) -> Enclosure {
    let scale = &Rational::new(1, 2u8) / &rational(variance);
    Enclosure::exp_rational(&-(&scale * &Rational::integer(square(table))), BITS)
}

fn verdict(tapes: &TapeLaw<Option<Vec<i64>>>, variance: &str) -> Result<(), String> {
    tapes.proportional_to(|table| weight(table, variance))
}

/// ∏θ(t_i, 0) of a lattice of two dimensions.
fn product(lattice: &Lattice, variance: &str) -> Enclosure {
    let inner = |one: usize, other: usize| {
        let (one, other) = (lattice.table(&unit(one)), lattice.table(&unit(other)));
        one.iter().zip(other).map(|(one, other)| one * other).sum::<i64>()
    };
    let first = Rational::integer(inner(0, 0));
    let cross = Rational::integer(inner(0, 1));
    let second = &Rational::integer(inner(1, 1)) - &(&(&cross * &cross) / &first);
    let scale = &Rational::new(1, 2u8) / &rational(variance);
    let theta_of = |square: &Rational| theta(&(square * &scale), &Rational::integer(0), BITS);
    &theta_of(&first) * &theta_of(&second)
}

fn unit(place: usize) -> [i64; 2] {
    [i64::from(place == 0), i64::from(place == 1)]
}

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    for (lattice, unresolved) in [(a2(), 0.01), (two_by_three(), 0.01), (skewed(), 0.01), (a3(), 0.15)] {
        for variance in ["1/10", "3/10", "1", "8"] {
            let tapes = attempts(&lattice, variance, 18);
            verdict(&tapes, variance).unwrap();
            let share = tapes.unresolved_share();
            assert!(share < unresolved, "{} σ² = {variance}: {share}", lattice.name);
        }
    }
}

#[test]
fn every_table_of_every_tape_has_its_probability_and_the_rest_is_refused() {
    for lattice in [a2(), two_by_three(), skewed()] {
        for variance in ["1/10", "3/10", "1", "8"] {
            let whole = product(&lattice, variance);
            let tapes = attempts(&lattice, variance, 18);
            let mut accepted = Enclosure::from_integer(0, BITS);
            for weight in lattice.weights(&rational(variance), 160 * if variance == "8" { 6 } else { 1 }, 40).values() {
                accepted = &accepted + weight;
            }
            let acceptance = accepted.checked_div(&whole).unwrap();
            let claimed = |outcome: &Option<Vec<i64>>| match outcome {
                Some(table) => weight(table, variance).checked_div(&whole).unwrap(),
                None => &Enclosure::from_integer(1, BITS) - &acceptance,
            };
            tapes.agrees_with(claimed).unwrap();
        }
    }
}

#[test]
fn acceptances_are_those_computed_by_hand() {
    let known = [
        (a2(), "1/10", 0.999_076),
        (a2(), "3/10", 0.973_539),
        (a2(), "1", 0.999_904),
        (a2(), "8", 1.0),
        (skewed(), "8", 0.886_621),
        (two_by_three(), "1", 0.991_279),
    ];
    for (lattice, variance, known) in known {
        let weights = lattice.weights(&rational(variance), 160 * if variance == "8" { 6 } else { 1 }, 40);
        let acceptance = total(&weights).checked_div(&product(&lattice, variance)).unwrap().to_f64();
        assert!((acceptance - known).abs() < 6e-7, "{} σ² = {variance}: {acceptance}", lattice.name);
        // Predictions are proved bounds or estimates.
        let predicted = klein(&lattice, variance).expected_acceptance();
        assert!((predicted - acceptance).abs() < 0.01, "{} σ² = {variance}: {predicted}", lattice.name);
        let mut noise = vec![0; lattice.cells];
        let mut entropy = Seeded::new(3).stream(0).unwrap();
        let sampler = klein(&lattice, variance);
        let accepted = (0..20_000).filter(|_| sampler.attempt(&mut entropy, &mut noise).unwrap()).count() as f64;
        let deviation = (acceptance * (1.0 - acceptance) * 20_000.0).sqrt() + 1.0;
        assert!((accepted - acceptance * 20_000.0).abs() < 4.5 * deviation, "{} {accepted}", lattice.name);
    }
}

/// Klein's sampler on two dimensions as a test knows it, with a fault.
fn with_fault<E: Entropy>(lattice: &Lattice, variance: f64, fault: &str, entropy: &mut E) -> Option<Vec<i64>> {
    let (one, other) = (lattice.table(&unit(0)), lattice.table(&unit(1)));
    let inner = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
    let (first, cross, second) = (inner(&one, &one), inner(&one, &other), inner(&other, &other));
    let first_rate = first as f64 / (2.0 * variance);
    let second_rate = (second as f64 - (cross * cross) as f64 / first as f64) / (2.0 * variance);
    let exact = |rate: f64, centre: Rational| move || (rational(&format!("{rate:.12}")), centre.clone());
    let mut draw = |rate: f64, centre: Rational| loop {
        let near = Near { fraction: centre.to_f64(), error: 1e-15 };
        let value = attempt(entropy, &Rate::near(rate), near, exact(rate, centre.clone()));
        // Acceptance left out, or θ(t, 0) in the place of θ(t, c): every coefficient is accepted.
        if value.is_some() || fault != "no acceptance" {
            break value;
        }
    };
    let v = draw(second_rate, Rational::integer(0))?;
    let centre = &Rational::integer(-cross * v) / &Rational::integer(first);
    let nearest = (&centre + &Rational::new(1, 2u8)).floor();
    let u = draw(first_rate, &centre - &Rational::integer(nearest.clone()))? + i64::try_from(nearest).unwrap();
    Some(lattice.table(&[u, v]))
}

#[test]
fn named_mutants_are_rejected() {
    for (lattice, variance) in [(two_by_three(), "3/10"), (a2(), "3/10"), (skewed(), "8")] {
        let number = rational(variance).to_f64();
        let law = |fault: &str| tape_law(18, |tape| with_fault(&lattice, number, fault, tape));
        verdict(&law("none"), variance).unwrap();
        assert!(verdict(&law("no acceptance"), variance).is_err(), "{}", lattice.name);
        // A sublattice of index two has the right weights, but not all tables.
        let whole = product(&lattice, variance);
        let claimed = |outcome: &Option<Vec<i64>>| match outcome {
            Some(table) => weight(table, variance).checked_div(&whole).unwrap(),
            None => Enclosure::from_bounds(Integer::ZERO, Integer::ONE << BITS, BITS),
        };
        attempts(&lattice, variance, 18).agrees_with(claimed).unwrap();
        let mut sublattice = lattice.clone();
        sublattice.basis[0].iter_mut().for_each(|(_, value)| *value *= 2);
        assert!(attempts(&sublattice, variance, 18).agrees_with(claimed).is_err(), "{}", lattice.name);
    }
    for (lattice, variance, off) in [(a2(), "1", ["1.05", "0.95"]), (two_by_three(), "1", ["1.05", "0.95"])] {
        let tapes = attempts(&lattice, variance, 18);
        off.iter().for_each(|off| assert!(verdict(&tapes, off).is_err(), "{off}"));
    }
}

#[test]
fn draws_fit_the_enumerated_law() {
    for (lattice, variance, most, reach) in
        [(a3(), "1", 60, 20), (two_by_three(), "8", 900, 40), (skewed(), "8", 900, 40)]
    {
        let weights = lattice.weights(&rational(variance), most, reach);
        let whole = total(&weights).to_f64();
        let sampler = klein(&lattice, variance);
        let mut entropy = Seeded::new(11).stream(1).unwrap();
        let draws = 40_000u64;
        let mut counted: std::collections::BTreeMap<Vec<i64>, u64> = std::collections::BTreeMap::new();
        let mut noise = vec![0; lattice.cells];
        for _ in 0..draws {
            sampler.draw(&mut entropy, &mut noise).unwrap();
            *counted.entry(noise.clone()).or_default() += 1;
        }
        let fit = |law: &dyn Fn(&Vec<i64>, f64) -> f64| {
            let mut bins: Vec<(&Vec<i64>, f64)> =
                weights.iter().map(|(table, weight)| (table, law(table, weight.to_f64()))).collect();
            let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
            bins.sort_by(|one, two| two.1.total_cmp(&one.1));
            let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
            let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
            goodness_of_fit(&observed, &claimed, draws).p_value
        };
        assert!(whole > 0.0);
        let right = fit(&|_, weight| weight);
        assert!(right > 1e-3, "{}: {right}", lattice.name);
        let wider = fit(&|_, weight| weight.powf(0.95));
        assert!(wider < 1e-6, "{}: {wider}", lattice.name);
    }
}

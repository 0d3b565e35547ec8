//! Variances given a total: against the law of k, enumeration, draws and each other.

use crate::projected::agrees;
use audit::conditional::{
    conjecture_holds_for_double_geometric, conjecture_holds_for_laplace, double_geometric, double_geometric_rational,
    double_geometric_variance, gaussian, laplace,
};
use audit::measure::Summary;
use audit::theory::{Method, variance};
use audit::zhu::exact_variance;
use draw::{ClosedForm, NoiseLaw, Sampler};
use exact::{Rational, Seeded, Source};

#[test]
fn laplace_by_the_closed_form() {
    let one = Rational::integer(1);
    assert_eq!(laplace(&one, 2), Rational::new(1, 2u8));
    // Liu, section 4: 5λ²/6 against 4λ²/3.
    assert_eq!(laplace(&one, 3), Rational::new(5, 6u8));
    assert_eq!(exact_variance(&Rational::integer(2), 3), Rational::new(4, 3u8));
    assert_eq!(laplace(&Rational::integer(3), 3), Rational::new(15, 2u8));
    assert!((laplace(&one, 10).to_f64() - 1.5545).abs() < 5e-5 && (laplace(&one, 100).to_f64() - 1.9506).abs() < 5e-5);
    assert!(laplace(&one, 1).is_zero() && laplace(&one, 0).is_zero());
}

#[test]
fn laplace_by_simulation() {
    let mut entropy = Seeded::new(3).stream(0).unwrap();
    for cells in [2usize, 3, 10] {
        let found: Summary = (0..40_000).map(|_| draw::laplace(&mut entropy, 1.0, cells, true)[0]).collect();
        let expected = laplace(&Rational::integer(1), cells as u64).to_f64();
        assert!(agrees(found.variance(), found.variance_error(), expected), "{cells}");
        assert!(agrees(found.mean(), found.mean_error(), 0.0));
    }
}

/// Bounds of the variance from the law of k, `P(k) ∝ C(n+k−1, k)² a^{2k}`, summed up to `last`,
/// with the rest bounded by a geometric series: ratios of terms fall.
fn from_the_law_of_k(a: &Rational, cells: u64, last: u64) -> (Rational, Rational) {
    let n = Rational::integer(cells);
    let square = a * a;
    let one = Rational::integer(1);
    let (mut weight, mut mass, mut moment) = (one.clone(), Rational::integer(0), Rational::integer(0));
    let product = |k: u64| Rational::integer(k * (k + cells));
    let step = |k: u64| {
        let quotient = Rational::new(cells + k, k + 1);
        &square * &(&quotient * &quotient)
    };
    for k in 0..=last {
        mass = &mass + &weight;
        moment = &moment + &(&weight * &product(k));
        weight = &weight * &step(k);
    }
    let next = last + 1;
    let growth = &product(next + 1) / &product(next);
    let rest = |first: Rational, ratio: Rational| &first / &(&one - &ratio);
    let more_mass = rest(weight.clone(), step(next));
    let more_moment = rest(&weight * &product(next), &step(next) * &growth);
    let factor = &Rational::integer(2 * (cells - 1)) / &(&(&n * &n) * &(&n + &one));
    (&factor * &(&moment / &(&mass + &more_mass)), &factor * &(&(&moment + &more_moment) / &mass))
}

#[test]
fn the_discrete_formula_is_that_of_the_law_of_k() {
    for a in [Rational::new(1, 2u8), Rational::new(1, 5u8), Rational::new(9, 10u8)] {
        for kept in double_geometric_rational(&a).unwrap().take(11) {
            let (least, most) = from_the_law_of_k(&a, kept.cells, 600);
            assert!(least <= kept.conditioning && kept.conditioning <= most, "{a} {}", kept.cells);
            assert!((&most - &least).to_f64() < 1e-12, "{a} {}", kept.cells);
        }
    }
    assert!(double_geometric_rational(&Rational::integer(1)).is_none());
    assert!(double_geometric_rational(&Rational::integer(0)).is_none());
}

#[test]
fn the_discrete_formula_is_that_of_enumerated_noise() {
    let a = 0.4f64;
    let (mut mass, mut moment) = (0.0, 0.0);
    for one in -60i32..=60 {
        for two in -60i32..=60 {
            let weight = a.powi(one.abs() + two.abs() + (one + two).abs());
            mass += weight;
            moment += weight * f64::from(one * one);
        }
    }
    let kept = double_geometric_rational(&Rational::new(2, 5u8)).unwrap().nth(1).unwrap();
    assert_eq!(kept.cells, 3);
    assert!((kept.conditioning.to_f64() - moment / mass).abs() < 1e-12);
}

#[test]
fn enclosures_are_narrow_and_agree_with_fractions() {
    // A rational parameter close to e^{−1/2}, from both sides.
    let epsilon = Rational::new(1, 2u8);
    let (low, high): (Rational, Rational) = ("0.606530659712".parse().unwrap(), "0.606530659713".parse().unwrap());
    let fractions = double_geometric_rational(&low).unwrap().zip(double_geometric_rational(&high).unwrap());
    for (kept, (less, more)) in double_geometric(&epsilon, 128).unwrap().zip(fractions).take(200) {
        assert!(less.conditioning < kept.conditioning.lower_rational(), "{}", kept.cells);
        assert!(more.conditioning > kept.conditioning.upper_rational(), "{}", kept.cells);
        assert!(
            less.projection < kept.projection.lower_rational() && more.projection > kept.projection.upper_rational()
        );
    }
    for kept in double_geometric(&epsilon, 128).unwrap().take(999) {
        assert!((&kept.conditioning.upper_rational() - &kept.conditioning.lower_rational()).to_f64() < 1e-30);
    }
}

#[test]
fn lius_conjecture_up_to_a_thousand() {
    assert!(conjecture_holds_for_laplace(1_000));
    for epsilon in ["0.01", "0.25", "1", "3", "10"] {
        let epsilon = epsilon.parse().unwrap();
        assert_eq!(conjecture_holds_for_double_geometric(&epsilon, 1_000, 192), Some(true), "{epsilon}");
    }
    let fractions = double_geometric_rational(&Rational::new(1, 2u8)).unwrap().take(199);
    assert!(fractions.into_iter().all(|kept| kept.conditioning < kept.projection));
    // Gaussian noise: equal, not less.
    assert_eq!(gaussian(&Rational::integer(4), 5), Rational::new(16, 5u8));
    // Too few bits do not decide, and say so.
    assert_eq!(conjecture_holds_for_double_geometric(&Rational::integer(40), 3, 32), None);
}

#[test]
fn machine_numbers_reach_every_scale() {
    let one = Rational::integer(1);
    for cells in [2u64, 3, 40, 1_000] {
        // Small ε': Laplace noise of scale 1/ε'.
        let epsilon: Rational = "1e-6".parse().unwrap();
        let found = double_geometric_variance(&epsilon, cells) * 1e-12;
        assert!((found / laplace(&one, cells).to_f64() - 1.0).abs() < 1e-9, "{cells}");
        // Large ε': at most one unit moves, from one cell to another, with n(n−1) choices of weight
        // e^{−2ε'}.
        let found = double_geometric_variance(&Rational::integer(60), cells);
        let expected = 2.0 * (cells as f64 - 1.0) * (-120.0f64).exp();
        assert!((found / expected - 1.0).abs() < 1e-9, "{cells}: {found} {expected}");
    }
    assert_eq!(double_geometric_variance(&one, 1), 0.0);
    assert_eq!(double_geometric_variance(&Rational::integer(1_000), 5), 0.0);
}

#[test]
fn draws_have_the_variance_of_theory() {
    let epsilon = Rational::new(1, 2u8);
    let sampler = ClosedForm::new(&epsilon);
    let law = NoiseLaw::double_geometric(epsilon.clone());
    let mut entropy = Seeded::new(9).stream(0).unwrap();
    for cells in [2usize, 5, 20] {
        let mut found = Summary::default();
        for _ in 0..40_000 {
            let mut noise = vec![0i64; cells];
            sampler.draw_block(&mut entropy, 0, &mut noise);
            found.push(noise[0] as f64);
        }
        let expected = variance(Method::Conditioning, &law, cells as u64).unwrap();
        assert!(agrees(found.variance(), found.variance_error(), expected), "{cells}");
        // The test has power: a tenth more would be seen.
        assert!(!agrees(found.variance(), found.variance_error(), 1.1 * expected), "{cells}");
        let projection = variance(Method::Projection, &law, cells as u64).unwrap();
        assert!(expected < projection && projection < law.variance().unwrap());
    }
    let a = (-0.5f64).exp();
    assert!((law.variance().unwrap() - 2.0 * a / (1.0 - a).powi(2)).abs() < 1e-12);
    let wide = NoiseLaw::discrete_gaussian(Rational::integer(9));
    assert!((wide.variance().unwrap() - 9.0).abs() < 1e-9);
    assert!(variance(Method::Conditioning, &wide, 3).is_none());
}

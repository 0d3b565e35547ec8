//! Zhu's theorems: published figures, enumeration, simulation.

use crate::projected::{agrees, onto_nonnegative_total, onto_total};
use audit::measure::{Errors, Summary, wasserstein_by_chance, wasserstein_to_noise};
use audit::views::gaussian::{apply, projection};
use audit::zhu::{BIAS_WITH_EQUALITIES, ball, bias_bound, covariance, farthest, variance, wasserstein_bound};
use draw::NoiseLaw;
use exact::{Enclosure, Geometric, Rational, Seeded, Source};

fn seeded(seed: u64) -> impl exact::Entropy {
    Seeded::new(seed).stream(0).expect("seeded bits never fail")
}

fn two_decimals(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[test]
fn published_figures() {
    assert_eq!(two_decimals(variance(200.0, 15)), 186.67);
    assert_eq!(two_decimals(variance(200.0, 254)), 199.21);
    // By the formula; the paper prints 0.29.
    assert_eq!(two_decimals(bias_bound(7_289_112.0, ball::laplace(348.0, 33, 5.0))), 2.74);
}

#[test]
fn the_laplace_ball_is_a_poisson_sum() {
    for (radius, cells, scale) in [(0u64, 1u64, 1u64), (3, 1, 2), (10, 4, 1), (348, 33, 5), (40, 60, 1), (500, 300, 1)]
    {
        let rate = Rational::new(radius, scale);
        let mut term = Rational::integer(1);
        let mut sum = Rational::integer(0);
        for i in 0..cells {
            sum = &sum + &term;
            term = &term * &(&rate / &Rational::integer(i + 1));
        }
        let exact = &Enclosure::exp_rational(&-&rate, 1200) * &Enclosure::from_rational(&sum, 1200);
        let found = ball::laplace(radius as f64, cells, scale as f64);
        let outside = exact.to_f64();
        assert!((found.outside - outside).abs() <= 1e-11 * outside, "{radius} {cells}: {found:?} {outside}");
        let inside = (&Enclosure::from_integer(1, 1200) - &exact).to_f64();
        assert!((found.inside - inside).abs() <= 1e-11 * inside, "{radius} {cells}: {found:?} {inside}");
    }
}

#[test]
fn thousands_of_cells_do_not_overflow() {
    let far = ball::laplace(10_000.0, 3_000, 1.0);
    let near = ball::laplace(100.0, 3_000, 1.0);
    assert!(far.outside > 0.0 && far.outside < 1e-300 || far.outside == 0.0);
    assert_eq!((far.inside, near.outside), (1.0, 1.0));
    let middle = ball::laplace(3_000.0, 3_000, 1.0);
    assert!((middle.inside - 0.5).abs() < 0.01, "{middle:?}");
    // ‖η‖₁ of 3,000 double geometric cells has mean 3000·2a/(1 − a²) and a nearly normal law.
    let a = (-1.0f64).exp();
    let mean = 3_000.0 * 2.0 * a / (1.0 - a * a);
    let middle = ball::double_geometric(mean as u64, 3_000, 1.0);
    assert!((middle.inside - 0.5).abs() < 0.02, "{middle:?}");
    assert!(ball::double_geometric(100_000, 3_000, 0.01).inside < 1e-300);
    assert_eq!(ball::double_geometric(2_000_000, 3_000, 0.01).inside, 1.0);
}

#[test]
fn the_double_geometric_ball_counts_points() {
    fn count(dimension: usize, radius: i64) -> u64 {
        if dimension == 0 { 1 } else { (-radius..=radius).map(|v| count(dimension - 1, radius - v.abs())).sum() }
    }
    for radius in 0..6u64 {
        for (dimension, points) in ball::points_of_balls(radius).take(5).enumerate() {
            assert_eq!(u64::try_from(points).ok(), Some(count(dimension, radius as i64)), "{dimension} {radius}");
        }
    }
    // P(‖η‖₁ ≤ r) as the sum over all points of the ball, in fractions.
    fn inside(cells: usize, radius: i64, a: &Rational) -> Rational {
        let one = Rational::integer(1);
        let share = &(&one - a) / &(&one + a);
        if cells == 0 {
            return one;
        }
        (-radius..=radius).fold(Rational::integer(0), |sum, v| {
            let weight = &share * &a.pow(v.unsigned_abs() as u32);
            &sum + &(&weight * &inside(cells - 1, radius - v.abs(), a))
        })
    }
    for a in [Rational::new(1, 2u8), Rational::new(4, 5u8)] {
        for (cells, radius) in [(1, 0), (1, 4), (2, 3), (3, 5), (4, 2)] {
            let outside = ball::double_geometric_outside(radius as u64, cells as u64, &a);
            assert_eq!(&outside + &inside(cells, radius, &a), Rational::integer(1), "{cells} {radius}");
        }
    }
}

#[test]
fn machine_numbers_agree_with_fractions() {
    let a = Rational::new(1, 2u8);
    for (radius, cells) in [(0u64, 1u64), (5, 3), (50, 20), (50, 40), (50, 200), (200, 120)] {
        let outside = ball::double_geometric_outside(radius, cells, &a);
        let found = ball::double_geometric(radius, cells, std::f64::consts::LN_2);
        let inside = (&Rational::integer(1) - &outside).to_f64();
        let outside = outside.to_f64();
        assert!((found.outside - outside).abs() <= 1e-10 * outside, "{radius} {cells}: {found:?} {outside}");
        assert!((found.inside - inside).abs() <= 1e-10 * inside, "{radius} {cells}: {found:?} {inside}");
    }
}

#[test]
fn equalities_leave_no_bias() {
    // Two totals that overlap.
    let rows: Vec<Vec<Rational>> = [[1, 1, 1, 0], [0, 1, 1, 1]]
        .iter()
        .map(|row| row.iter().map(|entry| Rational::from(*entry)).collect())
        .collect();
    let matrix = projection(&rows, 4).unwrap();
    let noise = Geometric::new(Rational::new(1, 4u8));
    let mut entropy = seeded(7);
    let mut errors = [Summary::default(); 4];
    for draw in 0..20_000 {
        let drawn: Vec<Rational> = (0..4).map(|_| Rational::from(noise.draw_double(&mut entropy))).collect();
        let moved = apply(&matrix, &drawn);
        if draw < 20 {
            // Corollary 6: a draw and its reflection have opposite errors; and the totals are kept.
            let reflected: Vec<Rational> = drawn.iter().map(|value| -value).collect();
            let sums = moved.iter().zip(apply(&matrix, &reflected)).map(|(one, other)| one + &other);
            assert!(sums.into_iter().all(|sum| sum.is_zero()));
            assert!(apply(&rows, &moved).iter().all(Rational::is_zero));
        }
        errors.iter_mut().zip(&moved).for_each(|(errors, error)| errors.push(error.to_f64()));
    }
    assert!(errors.iter().all(|found| agrees(found.mean(), found.mean_error(), BIAS_WITH_EQUALITIES)));
}

#[test]
fn variance_and_covariance_after_one_total() {
    for (cells, seed) in [(2u64, 1u64), (3, 2), (15, 3)] {
        let mut entropy = seeded(seed);
        let (mut one, mut both) = (Summary::default(), Summary::default());
        for _ in 0..40_000 {
            let noise = draw::laplace(&mut entropy, 10.0, cells as usize, false);
            let moved = onto_total(&noise, 0.0);
            one.push(moved[0]);
            both.push(moved[0] * moved[1]);
        }
        assert!(agrees(one.variance(), one.variance_error(), variance(200.0, cells)), "{cells}");
        assert!(agrees(both.mean(), both.mean_error(), covariance(200.0, cells)), "{cells}");
    }
    // Theorem 13: increasing, to that of the noise.
    let variances: Vec<f64> = (1..2_000).map(|cells| variance(2.0, cells)).collect();
    assert!(variances.windows(2).all(|pair| pair[0] < pair[1]) && 2.0 - variances[1_998] < 2e-3);
    // The variance of the total is zero.
    assert!((15.0 * variance(2.0, 15) + 15.0 * 14.0 * covariance(2.0, 15)).abs() < 1e-12);
}

#[test]
fn the_bias_of_nonnegative_projections_is_within_its_bound() {
    // A small smallest count has a visible bias; a large one none, and a bound that says so.
    for (truth, visible) in [([2i64, 30, 60], true), ([60, 90, 120], false)] {
        let (scale, total) = (4.0, truth.iter().sum::<i64>() as f64);
        let mut entropy = seeded(11);
        let mut errors = Errors::new(&truth, &[]);
        for _ in 0..30_000 {
            let noise = draw::laplace(&mut entropy, scale, 3, false);
            let noisy: Vec<f64> = truth.iter().zip(noise).map(|(count, noise)| *count as f64 + noise).collect();
            errors.add(&onto_nonnegative_total(&noisy, total), 0);
        }
        let bound = bias_bound(farthest(&truth), ball::laplace(truth[0] as f64, 3, scale));
        for cell in errors.cells() {
            assert!(cell.mean().abs() <= bound + testkit::deviations(6) * cell.mean_error(), "{bound}");
        }
        let (_, quotient) = errors.most_biased().unwrap();
        assert_eq!(quotient > 20.0, visible, "{quotient}");
        assert_eq!(bound < 0.01, !visible, "{bound}");
        assert_eq!(errors.forced_to_zero().mean() > 0.01, visible);
    }
    assert_eq!(farthest(&[2, 30, 60]), 90.0);
    assert_eq!(farthest(&[5]), 0.0);
}

#[test]
fn the_integer_law_has_its_own_bound() {
    let truth = [6i64, 20];
    let noise = Geometric::new(Rational::integer(1));
    let mut entropy = seeded(5);
    let mut errors = Errors::new(&truth, &[]);
    for _ in 0..20_000 {
        let noisy: Vec<f64> = truth.iter().map(|count| (*count + noise.draw_double(&mut entropy)) as f64).collect();
        errors.add(&onto_nonnegative_total(&noisy, 26.0), 0);
    }
    let bound = bias_bound(farthest(&truth), ball::double_geometric(6, 2, 1.0));
    assert!(bound < 0.3, "{bound}");
    assert!(errors.cells().iter().all(|cell| cell.mean().abs() <= bound + testkit::deviations(2) * cell.mean_error()));
}

#[test]
fn errors_approach_the_noise() {
    let law = NoiseLaw::laplace(Rational::new(1, 10u8));
    let draws = 20_000u64;
    let chance = wasserstein_by_chance(draws, &law).unwrap();
    let distance = |cells: usize| {
        let mut entropy = seeded(cells as u64);
        let error = |_| onto_total(&draw::laplace(&mut entropy, 10.0, cells, false), 0.0)[0];
        let errors: Vec<f64> = (0..draws).map(error).collect();
        wasserstein_to_noise(&errors, &law).unwrap()
    };
    let distances: Vec<f64> = [2usize, 8, 64].into_iter().map(distance).collect();
    for (cells, distance) in [2u64, 8, 64].into_iter().zip(&distances) {
        assert!(*distance <= wasserstein_bound(10.0, cells) + 2.0 * chance, "{cells}: {distance}");
    }
    assert!(distances[0] > 5.0 * chance && distances[0] > distances[1] && distances[1] > distances[2]);
}

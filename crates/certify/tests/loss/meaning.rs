//! What a loss means: on enumerated laws no test and no bet does better than the bounds say.

use crate::reference;
use exact::Rational;
use loss::Amount;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

fn pure(epsilon: f64) -> Amount {
    // Losses of enumerated laws, a little above what machine numbers say.
    let epsilon = Rational::new((epsilon * 1e12).ceil() as i64 + 1, 1_000_000_000_000u64);
    Amount::Approximate { epsilon, delta: number("0") }
}

fn normalised(weights: Vec<f64>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The smallest type II error of a test at this level between two laws: Neyman and Pearson's, with
/// a coin at the edge.
fn best_test(null: &[f64], other: &[f64], level: f64) -> f64 {
    let mut outcomes: Vec<usize> = (0..null.len()).collect();
    let ratio = |outcome: usize| other[outcome].ln() - null[outcome].ln();
    outcomes.sort_by(|one, two| ratio(*two).total_cmp(&ratio(*one)));
    let (mut spent, mut noticed) = (0.0, 0.0);
    for outcome in outcomes {
        let share = ((level - spent) / null[outcome]).clamp(0.0, 1.0);
        spent += share * null[outcome];
        noticed += share * other[outcome];
    }
    1.0 - noticed
}

/// Two cells with a fixed total, released with rate ε' in each: from every table with counts of
/// zero to `total`.
fn two_cells(rate: f64, total: i64, bounded: bool) -> Vec<Vec<f64>> {
    let window = if bounded { 0..=total } else { -60..=total + 60 };
    let law = |x: i64| {
        normalised(window.clone().map(|y| (-2.0 * rate * (y - x).unsigned_abs() as f64).exp()).collect::<Vec<_>>())
    };
    (0..=total).map(law).collect()
}

#[test]
fn no_test_and_no_bet_beats_the_bounds_of_pure_loss() {
    for (rate, bounded) in [(0.05, false), (0.5, false), (0.5, true), (1.5, true), (0.1, true)] {
        let laws = two_cells(rate, 12, bounded);
        let mut nearest = 1.0f64;
        for (one, other) in (0..laws.len()).flat_map(|one| (0..laws.len()).map(move |other| (one, other))) {
            let (null, alternative) = (&laws[one], &laws[other]);
            let ratios = null.iter().zip(alternative).map(|(p, q)| (p / q).ln().abs());
            let pair = pure(ratios.fold(0.0, f64::max));
            for level in ["1/100", "1/20", "1/2", "9/10"] {
                let bound = pair.type_two_error(&number(level)).to_f64();
                let truth = best_test(null, alternative, number(level).to_f64());
                assert!(truth >= bound - 1e-9, "a test at {level} errs {truth}, at least {bound} was claimed");
                nearest = nearest.min(truth - bound);
            }
            for prior in ["1/2", "1/1000", "9/10"] {
                let p = number(prior).to_f64();
                let led =
                    null.iter().zip(alternative).map(|(x, y)| p * x / (p * x + (1.0 - p) * y)).fold(0.0, f64::max);
                let bound = pair.posterior(&number(prior));
                assert!(led <= bound.at_most.to_f64() + 1e-9 && bound.except.is_zero(), "{prior} led to {led}");
            }
        }
        assert!(nearest < 1e-6, "the bound is reached: {nearest}");
    }
}

#[test]
fn no_test_and_no_bet_beats_the_bounds_of_concentrated_loss() {
    for (rho, variance) in [("1/8", 4.0), ("2", 0.25), ("1/50", 25.0)] {
        // Fourteen standard deviations, within what machine numbers hold.
        let window = (14.0 * f64::sqrt(variance)) as i64;
        let law = |x: i64| {
            let weight = |y: i64| (-((y - x) * (y - x)) as f64 / (2.0 * variance)).exp();
            normalised((-window..=window + 1).map(weight).collect())
        };
        let (null, other) = (law(0), law(1));
        // Whole orders say less than all of them, and no more than is true.
        for pair in [Amount::ZeroConcentrated { rho: number(rho) }, Amount::IntegerOrder { rho: number(rho) }] {
            for level in ["1/100", "1/20", "1/2"] {
                let bound = pair.type_two_error(&number(level)).to_f64();
                let truth = best_test(&null, &other, number(level).to_f64());
                assert!(bound <= truth, "ρ = {rho}: {truth}, at least {bound} was claimed");
            }
            let half = number("1/2");
            let bound = pair.posterior(&half);
            let beyond = |x: &f64, y: &f64| x / (x + y) > bound.at_most.to_f64() + 1e-9;
            let chance: f64 = null.iter().zip(&other).filter(|(x, y)| beyond(x, y)).map(|(x, y)| (x + y) / 2.0).sum();
            assert!(chance <= bound.except.to_f64(), "ρ = {rho}: beyond {} with {chance}", bound.at_most);
        }
    }
}

/// A pure law moved by α: the exceptional releases are no likelier than stated.
#[test]
fn bets_on_a_walk_fail_no_more_often_than_is_said() {
    let (epsilon, alpha) = (0.5f64, 1e-3);
    let laws = two_cells(epsilon / 2.0, 8, false);
    let (mut one, mut other) = (laws[3].clone(), laws[4].clone());
    // An outcome that only one of the two tables can have.
    one.iter_mut().for_each(|p| *p *= 1.0 - alpha);
    other.iter_mut().for_each(|p| *p *= 1.0 - alpha);
    one.extend([alpha, 0.0]);
    other.extend([0.0, alpha]);
    let delta = Rational::new((alpha * (1.0 + epsilon.exp()) * 1e9).ceil() as i64, 1_000_000_000u32);
    let bound = Amount::Approximate { epsilon: number("1/2"), delta }.posterior(&number("1/2"));
    let beyond = |x: &f64, y: &f64| x / (x + y) > bound.at_most.to_f64() + 1e-9;
    let chance: f64 = one.iter().zip(&other).filter(|(x, y)| beyond(x, y)).map(|(x, y)| (x + y) / 2.0).sum();
    assert!(chance > 0.0 && chance <= bound.except.to_f64(), "{chance}");
}

/// Laws that reach the exception of (ε, δ): a release may lead too far towards either table,
/// whichever it is.
#[test]
fn exceptions_are_counted_for_either_table() {
    let (epsilon, delta) = (0.5f64, 1e-3);
    // Outcomes with odds a little above 10/9·e^ε, one for either table, and one that says nothing.
    let likely = 10.0 * delta;
    let unlikely = likely / ((10.0 / 9.0) * epsilon.exp()) * (1.0 - 1e-7);
    let (one, other) = ([likely, unlikely, 1.0 - likely - unlikely], [unlikely, likely, 1.0 - likely - unlikely]);
    let told: f64 = one.iter().zip(&other).map(|(x, y)| (x - epsilon.exp() * y).max(0.0)).sum();
    assert!(told <= delta * (1.0 + 1e-5));
    let bound = Amount::Approximate { epsilon: number("1/2"), delta: number("1.00001e-3") }.posterior(&number("1/2"));
    let beyond = |x: f64, y: f64| x.max(y) / (x + y) > bound.at_most.to_f64();
    let chance: f64 = one.iter().zip(&other).filter(|(x, y)| beyond(**x, **y)).map(|(x, _)| x).sum();
    let except = bound.except.to_f64();
    assert!(chance > 10.4 * delta && chance <= except && except < chance * 1.0001, "{chance} of {except}");
}

#[test]
fn bounds_are_rounded_so_that_they_stay_bounds() {
    let (half, level) = (number("1/2"), number("1/20"));
    for epsilon in ["1e-9", "1/7", "1", "2.5", "7", "40"] {
        let exact = number(epsilon);
        let pair = Amount::Approximate { epsilon: exact.clone(), delta: number("0") };
        // 1 + e^ε by another library.
        let (low, high) = reference::geometric(&exact, 2);
        let one = number("1");
        let led = pair.posterior(&half).at_most;
        assert!(led >= &one - &(&one / &high), "ε = {epsilon}: {led}");
        assert!(led <= &(&one - &(&one / &low)) + &number("1e-8"), "ε = {epsilon}: {led}");
        let (power_low, power_high) = (&low - &one, &high - &one);
        let [forward, backward] = [&one - &(&level * &power_low), &(&one - &level) / &power_low];
        let error = pair.type_two_error(&level);
        let truth = if forward > backward { forward } else { backward };
        assert!(error <= truth && error >= number("0"), "ε = {epsilon}: {error}");
        let reached = &(&one - &(&level * &power_high)) - &number("1e-8");
        assert!(error >= reached, "ε = {epsilon}: {error}");
    }
}

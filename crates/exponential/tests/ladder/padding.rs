//! Padding: the law of the padded number of tries, as a power series and in draws; a mutant that pads with infima.

use crate::{number, truncated};
use exact::{Rational, Seeded, Source};
use exponential::{Padding, Target, Uniform, draw};
use testkit::goodness_of_fit;

/// Coefficients of Geometric(p) on 1, 2, …: Σ p(1 − p)^{n−1} x^n, up to x^50.
fn geometric(p: &Rational) -> Vec<Rational> {
    let fails = &Rational::integer(1) - p;
    let mut series = vec![Rational::integer(0), p.clone()];
    while series.len() <= 50 {
        series.push(&series[series.len() - 1] * &fails);
    }
    series
}

fn product(one: &[Rational], other: &[Rational]) -> Vec<Rational> {
    let coefficient = |n: usize| (0..=n).map(|i| &one[i] * &other[n - i]).fold(Rational::integer(0), |a, b| a + b);
    (0..one.len()).map(coefficient).collect()
}

/// The padded count: Geometric(p), and a further Geometric(q) unless a coin of `stops` falls heads.
fn padded(p: &Rational, q: &Rational, stops: &Rational) -> Vec<Rational> {
    let first = geometric(p);
    let both = product(&first, &geometric(q));
    let waits = &Rational::integer(1) - stops;
    first.iter().zip(&both).map(|(alone, longer)| &(alone * stops) + &(longer * &waits)).collect()
}

#[test]
fn generating_functions_are_equal() {
    for (p, q) in [("1/3", "1/7"), ("9/10", "1/50"), ("1/2", "1/2"), ("0.03", "0.001")] {
        let (p, q) = (number(p), number(q));
        assert_eq!(padded(&p, &q, &(&q / &p)), geometric(&q));
        // The mutant divides by an infimum over states that lies below p: another law.
        if p != q {
            let infimum = &(&p + &q) * &number("1/2");
            assert_ne!(padded(&p, &q, &(&q / &infimum)), geometric(&q));
        }
    }
}

#[test]
fn the_acceptance_is_the_mean_weight() {
    let target = truncated(21, 10, "1/2");
    let padding = Padding::new(&target, number("1/21")).unwrap();
    assert!((1.0 / padding.acceptance(80).to_f64() - 5.17).abs() < 0.005);
    assert!(Padding::new(&target, number("0")).is_none());
}

#[test]
fn padded_counts_have_one_law_for_two_far_tables() {
    let q = number("1/12");
    let bins: Vec<f64> = geometric(&q)[1..=40].iter().map(Rational::to_f64).collect();
    let tables = [truncated(12, 0, "3"), truncated(12, 6, "1/20")];
    let rounds = 4000;
    for (table, target) in tables.iter().enumerate() {
        let padding = Padding::new(target, q.clone()).unwrap();
        let (mut with, mut without) = (vec![0u64; 40], vec![0u64; 40]);
        let mut stream = Seeded::new(13).stream(table as u64).unwrap();
        let count = |bins: &mut [u64], tries: u64| {
            if let Some(bin) = bins.get_mut(tries as usize - 1) {
                *bin += 1;
            }
        };
        for _ in 0..rounds {
            count(&mut with, padding.draw(&mut stream).tries);
            count(&mut without, draw(&mut stream, &mut Uniform(target)).tries);
        }
        let fit = goodness_of_fit(&with, &bins, rounds);
        assert!(fit.p_value > 1e-4, "table {table}: {}", fit.p_value);
        if table == 1 {
            assert!(goodness_of_fit(&without, &bins, rounds).p_value < 1e-12, "the control: tries tell the table");
        }
        assert!(target.lower().is_some());
    }
}

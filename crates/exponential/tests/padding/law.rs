//! Padded tries: generating functions of both sides are equal.

use crate::tables::targets::number;
use exact::Rational;

/// Coefficients of Geometric(p) on 1, 2, …: Σ p(1 − p)^{n−1} x^n, up to x^50.
pub fn geometric(p: &Rational) -> Vec<Rational> {
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

//! Student's t: quantiles for intervals of figures that are combined from imputations.

use crate::knowledge::log_gamma;

/// Beyond so many degrees of freedom it is the normal law, to eight digits.
const NORMAL: f64 = 1e8;

/// The quantile of Student's t with any positive number of degrees of freedom, to about twelve
/// digits; infinite ones are the normal law.
pub(crate) fn quantile(probability: f64, freedom: f64) -> f64 {
    if probability < 0.5 {
        return -quantile(1.0 - probability, freedom);
    }
    let freedom = freedom.min(NORMAL);
    let (mut low, mut high) = (0.0, 2.0);
    while upto(high, freedom) < probability && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if upto(middle, freedom) < probability { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// P(T ≤ t) for t ≥ 0.
fn upto(t: f64, freedom: f64) -> f64 {
    let square = t * t;
    1.0 - 0.5 * beta(freedom / (freedom + square), square / (freedom + square), freedom / 2.0, 0.5)
}

/// The regularised incomplete beta function I_x(a, b), `y` being 1 − x.
fn beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * y.ln()).exp();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front * fraction(x, a, b) / a,
        false => 1.0 - front * fraction(y, b, a) / b,
    }
}

/// Its continued fraction, by Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const MOST: usize = 100_000;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut found = d;
    for step in 1..MOST {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            found *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, freedom, expected) in
            [(0.95, 19.0, 1.729132811521), (0.975, 30.0, 2.042272456301), (0.975, f64::INFINITY, 1.959963984540)]
        {
            let found = quantile(probability, freedom);
            assert!((found - expected).abs() < 1e-7, "{probability} {freedom}: {found} {expected}");
        }
        // One and two degrees of freedom have formulas.
        for percent in 51..100 {
            let p = f64::from(percent) / 100.0;
            let cauchy = (std::f64::consts::PI * (p - 0.5)).tan();
            let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
            assert!((quantile(p, 1.0) - cauchy).abs() < 1e-10 * cauchy.max(1.0), "{p}");
            assert!((quantile(p, 2.0) - two).abs() < 1e-10 * two.max(1.0), "{p}");
            assert!((quantile(1.0 - p, 2.0) + two).abs() < 1e-10 * two.max(1.0), "{p}");
        }
        assert!(quantile(0.5, 3.0).abs() < 1e-12);
    }
}

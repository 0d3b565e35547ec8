//! The usual chi-square law, for the p-value that is printed beside ours: it takes the noise for
//! data.

use crate::knowledge::log_gamma;

/// The probability of a larger value under a chi-square law: the upper incomplete gamma function,
/// by its series or its continued fraction, to about twelve digits.
pub fn above(value: f64, freedom: f64) -> f64 {
    if value <= 0.0 || freedom <= 0.0 {
        return 1.0;
    }
    let (shape, x) = (freedom / 2.0, value / 2.0);
    let scale = (shape * x.ln() - x - log_gamma(shape)).exp();
    if x < shape + 1.0 {
        let (mut term, mut sum, mut step) = (1.0 / shape, 1.0 / shape, shape);
        while term > sum * 1e-16 {
            step += 1.0;
            term *= x / step;
            sum += term;
        }
        return (1.0 - scale * sum).clamp(0.0, 1.0);
    }
    // Lentz's method.
    let mut b = x + 1.0 - shape;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut fraction = d;
    for step in 1..10_000 {
        let a = -f64::from(step) * (f64::from(step) - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        let change = c * d;
        fraction *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    (scale * fraction).clamp(0.0, 1.0)
}

/// The value that is exceeded with this probability.
pub fn critical(probability: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while above(high, freedom) > probability && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        match above(middle, freedom) > probability {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::{above, critical};

    #[test]
    fn known_quantiles() {
        for (value, freedom, probability) in [
            (3.841_458_820_694_124, 1.0, 0.05),
            (16.918_977_604_620_45, 9.0, 0.05),
            (138.289_8, 9.0, 2.325_332_770e-25),
        ] {
            let found = above(value, freedom);
            assert!((found / probability - 1.0).abs() < 1e-9, "{value}: {found}");
        }
        assert!((critical(0.05, 9.0) - 16.918_977_604_620_45).abs() < 1e-9);
        assert_eq!(above(0.0, 3.0), 1.0);
    }
}

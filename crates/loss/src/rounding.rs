//! Numbers of a loss with few digits: rounded so that what is stated is never below what is true.

use exact::{Integer, Natural, Rational};

/// Decimals of numbers that are not exact; small numbers have as many digits.
const DECIMALS: usize = 12;

/// The number itself when it has few decimals or is a short fraction, else rounded up to twelve
/// decimals, or to twelve digits when it is small.
pub fn rounded_up(value: &Rational) -> Rational {
    let short = |number: &Rational| number.denominator() < &(Natural::ONE << 64);
    if short(value) {
        return value.clone();
    }
    decimals_up(value, DECIMALS + zeros(value))
}

/// The least number with so many decimals that is not below.
pub fn decimals_up(value: &Rational, decimals: usize) -> Rational {
    let scale = Rational::integer(Integer::from(10).pow(decimals));
    &Rational::integer((value * &scale).ceil()) / &scale
}

/// The least number with about so many digits that is not below; for numbers between zero and one.
pub fn digits_up(value: &Rational, digits: usize) -> Rational {
    decimals_up(value, digits + zeros(value))
}

/// The largest number with about so many digits that is not above; for numbers between zero and
/// one.
pub fn digits_down(value: &Rational, digits: usize) -> Rational {
    let scale = Rational::integer(Integer::from(10).pow(digits + zeros(value)));
    &Rational::integer((value * &scale).floor()) / &scale
}

/// `value · √squared`, rounded up to twelve decimals or digits; exact when the root is whole.
pub fn times_root_up(value: &Rational, squared: u64) -> Rational {
    let root = squared.isqrt();
    if root * root == squared {
        return rounded_up(&(value * &Rational::integer(root)));
    }
    let scale = Natural::from(10u8).pow(DECIMALS + zeros(value));
    let square = &(&(value * value) * &Rational::integer(squared)) * &square_of(&scale);
    Rational::new(root_below(&square) + Natural::ONE, scale)
}

/// `value / √squared`, rounded down to twelve decimals or digits; exact when the root is whole.
pub fn over_root_down(value: &Rational, squared: u64) -> Rational {
    let root = squared.isqrt();
    if root * root == squared {
        return value / &Rational::integer(root);
    }
    let scale = Natural::from(10u8).pow(DECIMALS + zeros(value));
    let square = &(&(value * value) / &Rational::integer(squared)) * &square_of(&scale);
    Rational::new(root_below(&square), scale)
}

fn square_of(scale: &Natural) -> Rational {
    Rational::integer(Integer::from(scale * scale))
}

/// The largest whole number whose square is not above a positive number.
fn root_below(square: &Rational) -> Natural {
    let (_, whole) = square.floor().into_parts();
    whole.nth_root(2)
}

/// How many zeros follow the point before the first digit.
fn zeros(value: &Rational) -> usize {
    let size = value.to_f64().abs();
    if size > 0.0 { (-size.log10()).ceil().clamp(0.0, 300.0) as usize } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn roots_enclose_and_are_close() {
        for value in ["1/4", "1", "7/3", "1e-9", "20000.5"] {
            let value = number(value);
            for squared in [2u64, 3, 6, 8, 1000] {
                let root = Rational::integer(squared);
                let up = times_root_up(&value, squared);
                let exact = &(&value * &value) * &root;
                assert!(&up * &up >= exact);
                assert!((up.to_f64() / exact.to_f64().sqrt() - 1.0).abs() < 1e-9);
                let down = over_root_down(&value, squared);
                let exact = &(&value * &value) / &root;
                assert!(&down * &down <= exact);
                assert!((down.to_f64() / exact.to_f64().sqrt() - 1.0).abs() < 1e-9);
            }
        }
        assert_eq!(times_root_up(&number("1/4"), 4), number("1/2"));
        assert_eq!(over_root_down(&number("1/3"), 9), number("1/9"));
    }

    #[test]
    fn digits_round_outwards() {
        let value = number("0.000123456789");
        assert_eq!(digits_up(&value, 3), number("0.0001235"));
        assert_eq!(digits_down(&value, 3), number("0.0001234"));
        assert_eq!(digits_up(&number("1/8"), 6), number("1/8"));
    }
}

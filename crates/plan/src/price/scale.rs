//! The noise that a declared loss per record buys: the largest scale whose certified loss is at
//! most that.

use exact::{Integer, Rational};
use loss::rounded_up;

/// The scale is found to so many decimals, rounded down.
const DECIMALS: usize = 12;

/// The largest multiples of `rates`, all by the same factor of at most 1, whose loss is at most
/// `most`, and the loss to state.
pub(super) fn fitting(
    rates: &[Rational],
    most: &Rational,
    loss: impl Fn(&[Rational]) -> Rational,
) -> (Vec<Rational>, Rational) {
    let scaled = |factor: &Rational| rates.iter().map(|rate| rate * factor).collect::<Vec<_>>();
    let loss = |factor: &Rational| loss(&scaled(factor));
    let one = Rational::integer(1);
    let whole = loss(&one);
    if whole <= *most {
        return (rates.to_vec(), rounded_up(&whole));
    }
    let parts = Integer::from(10).pow(DECIMALS);
    let factor = |part: &Integer| &Rational::integer(part.clone()) / &Rational::integer(parts.clone());
    // The loss grows with the scale, and half of it is enough unless a margin takes cells several
    // times.
    let half = &parts / Integer::from(2);
    let (mut low, mut high) = if loss(&factor(&half)) <= *most { (half, parts.clone()) } else { (Integer::ZERO, half) };
    while &high - &low > Integer::ONE {
        let middle: Integer = (&low + &high) / Integer::from(2);
        if loss(&factor(&middle)) <= *most { low = middle } else { high = middle }
    }
    (scaled(&factor(&low)), most.clone())
}

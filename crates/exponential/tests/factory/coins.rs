//! Coins that a factory is made of.

use crate::tables::targets::number;
use exact::Rational;

/// p = 1 − Π and C = 1/(1 − β) with β = Π/2.
pub fn coins(to_atom: &str) -> (Rational, Rational) {
    let one = Rational::integer(1);
    let to_atom = number(to_atom);
    let beta = &to_atom * &Rational::new(1, 2u8);
    (&one - &to_atom, &one / &(&one - &beta))
}

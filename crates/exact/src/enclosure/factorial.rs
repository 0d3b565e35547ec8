//! `ln n!`: the exact product for small `n`, Stirling's enveloping series for the others.

use super::Enclosure;
use super::logarithm::ln_bounds;
use super::rounding::{ceiling_shift, floor_quotient};
use crate::Rational;
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};
use std::cell::RefCell;

/// Bits of working precision beyond those of the result.
const GUARD: usize = 8;

thread_local! {
    static COEFFICIENTS: RefCell<Vec<Rational>> = const { RefCell::new(Vec::new()) };
}

impl Enclosure {
    /// The natural logarithm of `n!`, of width at most 2 ulps.
    pub fn ln_factorial(n: u64, bits: usize) -> Self {
        // Below this the series could not reach the precision; above it, it does with few terms.
        let reach = (bits + GUARD) as u64 / 2 + 16;
        let (lower, upper) = if n < reach { ln_bounds(&factorial(n), 0, bits) } else { stirling(n, bits) };
        Enclosure { lower, upper, bits }
    }
}

/// `n!`, by products of machine words first.
fn factorial(n: u64) -> UBig {
    let mut product = UBig::ONE;
    let mut word = 1u64;
    for factor in 2..=n {
        match word.checked_mul(factor) {
            Some(longer) => word = longer,
            None => {
                product *= word;
                word = factor;
            }
        }
    }
    product * word
}

/// `(n + 1/2) ln n - n + ln(2 pi)/2 + sum of B_2k / (2k (2k-1) n^(2k-1))`, in units of `2^-bits`;
/// the error of the sum has the sign of the first omitted term and is smaller.
fn stirling(n: u64, bits: usize) -> (IBig, IBig) {
    let working = bits + GUARD;
    let size = n.bit_len();
    let fine = working + size + 1;
    let (low, high) = ln_bounds(&UBig::from(n), 0, fine);
    // Everything but the sum is doubled until the end, which keeps the halves exact.
    let weight = IBig::from(n) * 2 + 1;
    let main = Enclosure { lower: low * &weight, upper: high * &weight, bits: fine };
    let linear = Enclosure::from_integer(IBig::from(n) * 2, working);
    let doubled = &(&main.with_bits(working) - &linear) + &Enclosure::ln_tau(working);
    let main = doubled.mul_power_of_two(-1);
    let (low, high) = correction(n, working);
    let (lower, upper) = (main.lower + low, main.upper + high);
    (lower >> GUARD, ceiling_shift(&upper, GUARD))
}

/// Bounds of Stirling's sum and its remainder, in units of `2^-bits`, 6 apart.
pub(super) fn correction(n: u64, bits: usize) -> (IBig, IBig) {
    let square = IBig::from(n) * n;
    let powers_of_two = n.bit_len() - 1;
    let mut count = 16;
    loop {
        let found = with_coefficients(count, |coefficients| {
            let omitted = coefficients.iter().enumerate().position(|(index, coefficient)| {
                let size = coefficient.numerator().bit_len() + 1;
                let shrink = coefficient.denominator().bit_len() + (2 * index + 1) * powers_of_two;
                shrink >= size + bits
            })?;
            // Horner: sum = (c_1 + (c_2 + ...)/n^2)/n, every step rounded down.
            let mut sum = IBig::ZERO;
            for coefficient in coefficients[..omitted].iter().rev() {
                let scaled = coefficient.numerator() << bits;
                let rounded = floor_quotient(&scaled, coefficient.denominator().as_ibig());
                sum = rounded + floor_quotient(&sum, &square);
            }
            Some(floor_quotient(&sum, &IBig::from(n)))
        });
        match found {
            Some(sum) => return (&sum - IBig::ONE, sum + 5),
            None => count *= 2,
        }
    }
}

/// The coefficients `B_2k / (2k (2k-1))` for `k = 1, ..., count`, computed once per thread.
fn with_coefficients<T>(count: usize, body: impl FnOnce(&[Rational]) -> T) -> T {
    COEFFICIENTS.with_borrow_mut(|known| {
        if known.len() < count {
            *known = stirling_coefficients(count);
        }
        body(&known[..count])
    })
}

/// From the tangent numbers: `B_2k = (-1)^(k-1) 2k T_k / (4^k (4^k - 1))`.
fn stirling_coefficients(count: usize) -> Vec<Rational> {
    let mut coefficients = Vec::with_capacity(count);
    for (index, tangent) in tangent_numbers(count).into_iter().enumerate() {
        let four = UBig::ONE << (2 * index + 2);
        let denominator = (&four - UBig::ONE) * four * (2 * index + 1);
        let numerator = IBig::from(tangent);
        let signed = if index % 2 == 0 { numerator } else { -numerator };
        coefficients.push(Rational::new(signed, denominator));
    }
    coefficients
}

/// The Taylor coefficients of `tan x = sum of T_k x^(2k-1) / (2k-1)!`, by additions and products
/// with small integers (Brent and Harvey, "Fast computation of Bernoulli, Tangent and Secant
/// numbers", 2011).
fn tangent_numbers(count: usize) -> Vec<UBig> {
    let mut numbers = Vec::with_capacity(count);
    let mut factorial = UBig::ONE;
    for index in 0..count {
        if index > 0 {
            factorial *= index;
        }
        numbers.push(factorial.clone());
    }
    for start in 1..count {
        for index in start..count {
            let before = &numbers[index - 1] * (index - start);
            let kept = &numbers[index] * (index - start + 2);
            numbers[index] = before + kept;
        }
    }
    numbers
}

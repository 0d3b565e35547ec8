//! ln n! against the logarithm of the exact factorial.

use crate::reference::{NEAREST, Reference, check};
use dashu_int::{IBig, UBig};
use exact::{Enclosure, Rational};

fn factorial(n: u64) -> UBig {
    (1..=n).fold(UBig::ONE, |product, factor| product * factor)
}

#[test]
fn against_exact_factorials() {
    let mut reference = Reference::new();
    let mut exact = UBig::ONE;
    for n in 0..400u64 {
        exact *= n.max(1);
        for bits in [8, 32, 128, 200] {
            let value = reference.at(&Rational::integer(exact.clone()), bits + 128, |x, p, c| x.ln(p, NEAREST, c));
            let what = format!("ln {n}! at {bits} bits");
            check(&Enclosure::ln_factorial(n, bits), &value, 2, &what);
        }
    }
}

#[test]
fn at_high_precision_on_both_sides_of_the_switch() {
    let mut reference = Reference::new();
    for bits in [600, 1024, 4096] {
        let switch = (bits as u64 + 8) / 2 + 16;
        for n in [switch - 1, switch, switch + 1, 3 * switch] {
            let exact = Rational::integer(factorial(n));
            let value = reference.at(&exact, bits + 128, |x, p, c| x.ln(p, NEAREST, c));
            let what = format!("ln {n}! at {bits} bits");
            check(&Enclosure::ln_factorial(n, bits), &value, 2, &what);
        }
    }
}

#[test]
fn steps_between_huge_factorials_are_logarithms() {
    for bits in [64, 128, 256] {
        for n in [100_000u64, 1 << 32, (1 << 53) + 1, u64::MAX] {
            let step = &Enclosure::ln_factorial(n, bits) - &Enclosure::ln_factorial(n - 1, bits);
            let logarithm = Enclosure::ln_rational(&Rational::integer(n), bits).unwrap();
            assert_eq!(step.certainly_less(&logarithm), None, "ln {n}! at {bits} bits");
            assert_eq!(logarithm.certainly_less(&step), None, "ln {n}! at {bits} bits");
            assert!(step.width() <= IBig::from(4));
        }
    }
}

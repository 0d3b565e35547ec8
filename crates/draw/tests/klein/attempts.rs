//! Attempts of Klein's sampler on small lattices, and what they are held against.

use super::lattices::{BITS, Lattice, square};
use crate::tables::numbers::rational;
use draw::Klein;
use exact::{Enclosure, Rational, theta};
use testkit::{TapeLaw, tape_law};

pub fn klein(lattice: &Lattice, variance: &str) -> Klein {
    Klein::new(lattice.cells, &lattice.basis, &rational(variance)).unwrap()
}

pub fn attempts(lattice: &Lattice, variance: &str, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    let klein = klein(lattice, variance);
    tape_law(depth, |tape| {
        let mut noise = vec![0; lattice.cells];
        klein.attempt(tape, &mut noise).unwrap().then_some(noise)
    })
}

/// e^{−‖z‖²/2σ²}.
pub fn weight(table: &[i64], variance: &str) -> Enclosure {
    let scale = &Rational::new(1, 2u8) / &rational(variance);
    Enclosure::exp_rational(&-(&scale * &Rational::integer(square(table))), BITS)
}

pub fn verdict(tapes: &TapeLaw<Option<Vec<i64>>>, variance: &str) -> Result<(), String> {
    tapes.proportional_to(|table| weight(table, variance))
}

/// ∏θ(t_i, 0) of a lattice of two dimensions.
pub fn product(lattice: &Lattice, variance: &str) -> Enclosure {
    let inner = |one: usize, other: usize| {
        let (one, other) = (lattice.table(&unit(one)), lattice.table(&unit(other)));
        one.iter().zip(other).map(|(one, other)| one * other).sum::<i64>()
    };
    let first = Rational::integer(inner(0, 0));
    let cross = Rational::integer(inner(0, 1));
    let second = &Rational::integer(inner(1, 1)) - &(&(&cross * &cross) / &first);
    let scale = &Rational::new(1, 2u8) / &rational(variance);
    let theta_of = |square: &Rational| theta(&(square * &scale), &Rational::integer(0), BITS);
    &theta_of(&first) * &theta_of(&second)
}

pub fn unit(place: usize) -> [i64; 2] {
    [i64::from(place == 0), i64::from(place == 1)]
}

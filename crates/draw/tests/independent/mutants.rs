//! One cell of independent noise, with nearly all of its mass resolved, against laws with a named
//! fault.

use crate::tables::numbers::{RESOLVED, rational};
use crate::tables::one_total::draw;
use draw::{Independent, NoiseLaw};
use exact::{Enclosure, Rational};
use testkit::{TapeLaw, resolved_law};

type Family = fn(Rational) -> NoiseLaw;

/// The law of one cell, by summing far beyond any mass that tapes see.
fn claim(law: &NoiseLaw) -> impl Fn(&i64) -> Enclosure {
    let weight = |law: &NoiseLaw, z: i64| Enclosure::exp_rational(&-law.energy(z), 128);
    let whole = (-80..=80).fold(Enclosure::from_integer(0, 128), |sum, z| &sum + &weight(law, z));
    let law = law.clone();
    move |z| weight(&law, *z).checked_div(&whole).unwrap()
}

#[test]
fn named_mutants_are_rejected() {
    let families: [(Family, &str); 3] =
        [(NoiseLaw::double_geometric, "1"), (NoiseLaw::discrete_gaussian, "2"), (NoiseLaw::discrete_gaussian, "1/4")];
    for (family, parameter) in families {
        let parameter = rational(parameter);
        let law = family(parameter.clone());
        let sampler = Independent::of(&law).unwrap();
        let cell: TapeLaw<i64> = resolved_law(RESOLVED, |tape| draw(&sampler, tape, 1, 0)[0]);
        assert!(cell.unresolved_share() <= RESOLVED);
        cell.agrees_with(claim(&law)).unwrap();
        for factor in ["1.05", "0.95"] {
            let wrong = family(&parameter * &rational(factor));
            assert!(cell.agrees_with(claim(&wrong)).is_err(), "{law:?} for {wrong:?}");
        }
        // A sublattice of index two, and noise that is off by one.
        for change in [|z: i64| 2 * z, |z: i64| z + 1] {
            let finished = cell.finished.iter().map(|(z, mass)| (change(*z), *mass)).collect();
            assert!(TapeLaw { finished, ..cell.clone() }.agrees_with(claim(&law)).is_err(), "{law:?}");
        }
    }
}

//! Closed forms with a named fault are told apart.

use crate::tables::numbers::rational;
use crate::tables::one_total::{draw, enumerated, fit};
use draw::{ClosedForm, NoiseLaw};
use exact::{Enclosure, Rational};
use testkit::{TapeLaw, tape_law};

#[test]
fn named_mutants_are_rejected() {
    let epsilon = rational("2");
    let sampler = ClosedForm::new(&epsilon);
    let honest = tape_law(22, |tape| draw(&sampler, tape, 2, 0));
    let verdict = |law: &TapeLaw<Vec<i64>>, epsilon: &Rational| {
        let claimed = enumerated(2, 0, &NoiseLaw::double_geometric(epsilon.clone()));
        law.agrees_with(|table| claimed.get(table).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 128)))
    };
    verdict(&honest, &epsilon).unwrap();
    // A wrong scale, seen from the claim. Runs that want more bits hide five per cent here; the law
    // of k alone shows it by tape and the whole block by goodness of fit.
    assert!(verdict(&honest, &(&epsilon * &rational("1.5"))).is_err());
    assert!(verdict(&honest, &(&epsilon * &rational("0.4"))).is_err());
    // A sublattice of index two: only even noise.
    let even = tape_law(20, |tape| draw(&sampler, tape, 2, 0).iter().map(|z| 2 * z).collect::<Vec<i64>>());
    assert!(verdict(&even, &epsilon).is_err());
    // A missing move: the second cell never goes up, but down instead.
    let stuck = tape_law(20, |tape| {
        let noise = draw(&sampler, tape, 2, 0);
        if noise[1] > 0 { vec![noise[1], noise[0]] } else { noise }
    });
    assert!(verdict(&stuck, &epsilon).is_err());
    // An off-by-one bound: one unit too many goes up.
    let shifted = tape_law(20, |tape| draw(&sampler, tape, 2, 1));
    assert!(verdict(&shifted, &epsilon).is_err());
}

#[test]
fn the_goodness_of_fit_sees_a_scale_off_by_five_percent() {
    let wrong = NoiseLaw::double_geometric(rational("0.525"));
    let p = fit(&ClosedForm::new(&rational("1/2")), &wrong, 7, 3, 1, &[7]);
    assert!(p[0] < 1e-4 && p[1] < 1e-4, "{p:?}");
}

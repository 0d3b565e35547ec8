//! Other factors, scales and windows are rejected.

use super::small::{Small, agrees, geometric};
use crate::tables::numbers::rational;
use draw::{Factor, Ladder};
use exact::{Enclosure, Rational};

#[test]
fn mutants_are_rejected() {
    let (x, public) = ([4i64, 2], ["0", "3"]);
    let shape = |public: &str, add: &str| &(&rational(public) + &rational(add)) * &rational("1/10");
    let of = |add: &str| {
        let cells: Vec<(i64, Option<Factor>)> =
            x.iter().zip(public).map(|(x, public)| (*x, Some(Factor::Rising(shape(public, add))))).collect();
        Small::one_total(geometric("1/2"), &cells)
    };
    let small = of("1/2");
    let law = small.tapes(Ladder::Standard, 18);
    let truth = small.enumerated(6);
    agrees(&law, &truth).unwrap();
    // α·X without `add`, and another `add`.
    assert!(agrees(&law, &of("0").enumerated(6)).is_err());
    assert!(agrees(&law, &of("3/5").enumerated(6)).is_err());
    // Γ(y) for Γ(y + 1): the printed (41), which gives every zero no weight.
    let printed = |values: &Vec<i64>| {
        let gamma = values.iter().fold(Rational::integer(1), |product, y| &product * &Rational::integer(*y));
        &small.weight(values) * &Enclosure::from_rational(&gamma, 200)
    };
    let whole = truth.keys().fold(Enclosure::from_integer(0, 200), |sum, values| &sum + &printed(values));
    let claim = truth.keys().map(|values| (values.clone(), printed(values).checked_div(&whole).unwrap())).collect();
    assert!(agrees(&law, &claim).is_err());
    // A window around one peak: from the valley down, nothing.
    let kept = truth.iter().filter(|(values, _)| values[0] >= 1);
    let whole = kept.clone().fold(Enclosure::from_integer(0, 200), |sum, (_, share)| &sum + share);
    let claim = kept.map(|(values, share)| (values.clone(), share.checked_div(&whole).unwrap())).collect();
    assert!(agrees(&law, &claim).is_err());
    // Another scale.
    let scaled = Small { noise: geometric("21/40"), ..small.clone() };
    assert!(agrees(&law, &scaled.enumerated(6)).is_err());
}

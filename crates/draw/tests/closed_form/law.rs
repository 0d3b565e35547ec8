//! The closed form over every bit tape, whole and in slices, against enumerated fibres.

use crate::tables::numbers::rational;
use crate::tables::one_total::{assert_law, draw, enumerated, sliced};
use draw::{ClosedForm, NoiseLaw};
use testkit::tape_law;

#[test]
fn closed_form_is_the_conditional_law() {
    let law = NoiseLaw::double_geometric(rational("2"));
    let sampler = ClosedForm::new(&rational("2"));
    for (cells, total, depth) in [(2, 0, 19), (2, 1, 20), (2, -2, 20), (3, 0, 20), (3, 1, 20)] {
        let claimed = enumerated(cells, total, &law);
        assert_law(&tape_law(depth, |tape| draw(&sampler, tape, cells, total)), 0.41, &claimed);
    }
}

#[test]
fn closed_form_by_slices_is_the_same_law() {
    let law = NoiseLaw::double_geometric(rational("2"));
    let sampler = ClosedForm::new(&rational("2"));
    for (slices, total) in [(&[1usize, 1][..], 0), (&[1, 1], 1), (&[2, 1], 0), (&[1, 1, 1], 0)] {
        let claimed = enumerated(slices.iter().sum(), total, &law);
        assert_law(&tape_law(20, |tape| sliced(&sampler, tape, slices, total)), 0.37, &claimed);
    }
}

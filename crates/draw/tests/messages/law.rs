//! Gaussian noise given its total over every bit tape, whole and in slices, against enumerated
//! fibres.

use crate::tables::numbers::rational;
use crate::tables::one_total::{assert_law, draw, enumerated, sliced};
use draw::{Messages, NoiseLaw};
use testkit::tape_law;

#[test]
fn messages_is_the_conditional_law() {
    let variance = rational("1/2");
    let law = NoiseLaw::discrete_gaussian(variance.clone());
    // Completing directly, and through the law of sums.
    for (small, cells, total) in [(128, 2, 0), (128, 2, 1), (128, 3, 0), (1, 2, 0), (1, 3, 0), (1, 3, 1), (2, 3, -1)] {
        let sampler = Messages::new(&variance).completing(small);
        let claimed = enumerated(cells, total, &law);
        assert_law(&tape_law(18, |tape| draw(&sampler, tape, cells, total)), 0.46, &claimed);
    }
}

#[test]
fn messages_by_slices_is_the_same_law() {
    let variance = rational("1/2");
    let law = NoiseLaw::discrete_gaussian(variance.clone());
    let sampler = Messages::new(&variance);
    for (slices, total) in [(&[1usize, 1][..], 0), (&[1, 1], 1), (&[2, 1], 0)] {
        let claimed = enumerated(slices.iter().sum(), total, &law);
        assert_law(&tape_law(15, |tape| sliced(&sampler, tape, slices, total)), 0.6, &claimed);
    }
}

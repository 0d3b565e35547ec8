//! Draws of a selection have its law, padded or not.

use crate::tables::targets::{law, number};
use exact::Seeded;
use exponential::Selection;
use testkit::{goodness_of_fit, level};

#[test]
fn draws_of_a_selection_have_its_law_padded_or_not() {
    let losses = ["3", "1", "0", "2.5"].map(number);
    for is_padded in [false, true] {
        let plain = Selection::new(&losses, &number("1"), &number("1"));
        let selection = if is_padded { plain.padded() } else { plain };
        let expected: Vec<f64> = law(selection.law()).into_iter().map(|(_, share)| share).collect();
        let mut counts = [0u64; 4];
        for draw in 0..8000 {
            let chosen = selection.draw(&Seeded::draw(9, draw)).unwrap();
            counts[chosen.point()[0] as usize] += 1;
        }
        let fit = goodness_of_fit(&counts, &expected, 8000);
        assert!(fit.p_value > level(2), "{is_padded}: {}", fit.p_value);
    }
}

//! Finer totals and rules are seen from above.

use super::country::row;
use analyse::{Demand, Fibre};
use project::TopDown;

#[test]
fn finer_totals_and_rules_are_seen_from_above() {
    // Two states of two counties; county totals, and a rule inside the second state, imply totals
    // and a bound of the states.
    let fibre = Fibre {
        cells: (0..6).collect(),
        bounds: vec![(Some(0), None); 6],
        rows: vec![
            row(&[0, 1, 2, 3, 4, 5], Demand::Equal(60)),
            row(&[0], Demand::Equal(10)),
            row(&[1], Demand::Equal(7)),
            row(&[4, 5], Demand::AtLeast(30)),
        ],
        noise_on_cells: true,
    };
    let topdown = TopDown::new(&fibre, &[], &[vec![0, 0, 1, 1, 2, 2]]).unwrap();
    // The noise would put almost everything into the second state.
    let table = topdown.integer(&[50, 50, 40, 40, -20, -20]).unwrap();
    // Which of two equal cells is rounded up, the numbers decide.
    assert!(table == [10, 7, 7, 6, 15, 15] || table == [10, 7, 6, 7, 15, 15], "{table:?}");
}

//! Levels that do not fit, or leave nothing below, are refused.

use analyse::{Demand, Fibre, FibreRow};
use project::TopDown;

#[test]
fn what_a_level_fixes_may_leave_nothing_below() {
    // Odd groups of cells that must all be equal: only integers of the whole see it.
    let fibre = Fibre {
        cells: (0..2).collect(),
        bounds: vec![(Some(0), None); 2],
        rows: vec![FibreRow { entries: vec![(0, 1), (1, -1)], demand: Demand::Equal(0) }],
        noise_on_cells: true,
    };
    let topdown = TopDown::new(&fibre, &[], &[vec![0, 0]]).unwrap().named(vec!["differ by".into()]);
    assert_eq!(topdown.integer(&[3, 3]).unwrap(), [3, 3]);
    // Then all levels are projected together.
    let table = topdown.integer(&[3, 4]).unwrap();
    assert!(table == [3, 3] || table == [4, 4], "{table:?}");
}

#[test]
fn levels_must_fit() {
    let fibre =
        Fibre { cells: (0..3).collect(), bounds: vec![(None, None); 3], rows: Vec::new(), noise_on_cells: true };
    let short = TopDown::new(&fibre, &[], &[vec![0, 0]]).unwrap_err();
    assert_eq!(short.message, "level 1 has groups for 2 cells, but there are 3");
    let crossing = TopDown::new(&fibre, &[], &[vec![0, 0, 1], vec![0, 1, 1]]).unwrap_err();
    assert_eq!(crossing.message, "a group of level 2 has cells in two groups of level 1");
}

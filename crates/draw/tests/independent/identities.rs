//! Cuts of free cells that change nothing.

use crate::whole_tables::drawn::{INDEPENDENT, drawn, laws};
use exact::Seeded;

#[test]
fn a_redundant_cut_of_free_cells_changes_nothing() {
    let cells: Vec<u32> = (0..4_000).collect();
    for (law, _) in laws() {
        let whole = [(&cells[..], &INDEPENDENT)];
        let cut = [(&cells[..1], &INDEPENDENT), (&cells[1..777], &INDEPENDENT), (&cells[777..], &INDEPENDENT)];
        let centre = [0; 4_000];
        assert_eq!(drawn(&law, &whole, &centre, &Seeded::new(6)), drawn(&law, &cut, &centre, &Seeded::new(6)));
    }
}

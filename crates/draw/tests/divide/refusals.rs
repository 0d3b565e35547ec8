//! What cannot be drawn is refused in words.

use super::grids::{Grid, full, geometric, grid};
use crate::tables::numbers::rational;
use draw::{Divide, Ladder, NoiseLaw};

#[test]
fn what_cannot_be_drawn_is_refused_in_words() {
    let refused = |grid: &Grid, law: &NoiseLaw| {
        Divide::new(grid.columns, &grid.positions, law, Ladder::Standard).unwrap_err().to_string()
    };
    assert!(refused(&full(20, 20), &geometric("1")).contains("attempts a draw on 20 × 20 totals that cross"));
    assert!(refused(&full(3, 3), &geometric("1/100000")).contains("units from zero there are too many"));
    assert!(refused(&full(2, 100_000), &geometric("1/4")).contains("with 100000 columns"));
    assert!(refused(&grid(&[&[4000, 4000], &[4000, 4000]]), &geometric("1/20")).contains("units from zero"));
    let wide = grid(&[&[500, 500, 500], &[500, 500, 500], &[1, 1, 1]]);
    assert!(refused(&wide, &geometric("1/10")).contains("multiplications for every attempt on 3 × 3"));
    assert!(refused(&full(3, 3), &NoiseLaw::laplace(rational("1"))).contains("integer noise only"));
    let gap = Grid { columns: 2, positions: vec![vec![0], vec![1], vec![2], vec![4]] };
    assert!(refused(&gap, &geometric("1")).contains("share out the cells"));
}

//! Golden seeds of independent noise, one per code path.

use crate::tables::golden_seeds::{draw, gaussian, geometric};
use draw::{PlannedNoise, Prospect, operators};

static INDEPENDENT: PlannedNoise = operators::Independent::noise(Prospect::exact("independent"));

#[test]
fn independent_cells() {
    let draw = |law| draw(&law, &INDEPENDENT, 8);
    // By table; low bits apart; Gaussian by table; Gaussian by blocks.
    assert_eq!(draw(geometric("1/2")), GEOMETRIC_TABLE);
    assert_eq!(draw(geometric("1/1000")), GEOMETRIC_PARTS);
    assert_eq!(draw(gaussian("10")), GAUSSIAN_TABLE);
    assert_eq!(draw(gaussian("1000000")), GAUSSIAN_BLOCKS);
}

const GEOMETRIC_TABLE: [i64; 8] = [1, -3, 0, 5, -3, 4, 3, 5];

const GEOMETRIC_PARTS: [i64; 8] = [-2875, -789, 1832, -2858, 597, -132, -235, 1057];

const GAUSSIAN_TABLE: [i64; 8] = [-2, 0, 7, -1, 1, 2, 3, 5];

const GAUSSIAN_BLOCKS: [i64; 8] = [244, 1874, 454, -407, -1407, 607, -634, -423];

//! Golden seeds of `divide`, one per code path.

use super::drawn::drawn;
use super::grids::{Grid, full, gaussian, geometric, grid};
use draw::NoiseLaw;

#[test]
fn golden_seeds() {
    let draw = |grid: &Grid, law: &NoiseLaw| drawn(grid, law, 2024);
    // No rejection; double geometric by recurrences; Gaussian by convolution; classes and
    // structural zeros.
    assert_eq!(draw(&full(2, 3), &geometric("1/4")), PAIR);
    assert_eq!(draw(&full(4, 4), &geometric("1/4")), GEOMETRIC);
    assert_eq!(draw(&full(4, 4), &gaussian("32")), GAUSSIAN);
    assert_eq!(draw(&grid(&[&[1, 2, 0], &[3, 1, 1], &[1, 0, 2]]), &geometric("1/2")), CLASSES);
}

const PAIR: [i64; 6] = [-4, 4, 0, 4, -4, 0];

const GEOMETRIC: [i64; 16] = [3, -2, -4, 3, 2, 3, -4, -1, 0, 1, 3, -4, -5, -2, 5, 2];

const GAUSSIAN: [i64; 16] = [-1, 11, -3, -7, 1, -7, 1, 5, -3, -2, 6, -1, 3, -2, -4, 3];

const CLASSES: [i64; 11] = [-1, 0, 1, 0, 0, 0, -1, 1, 1, -3, 2];

//! What bounded division does not draw is refused.

use super::counts::Counts;
use crate::divide::grids::{full, geometric};
use draw::{BoundedDivide, Ladder, NoiseLaw};
use exact::Rational;

#[test]
fn what_it_does_not_draw_is_refused() {
    let counts = Counts::new(2, &[1, 2, 3, 4]);
    let (rows, columns) = counts.totals();
    let grid = full(2, 2);
    let shapes = BoundedDivide::shapes(2, &grid.positions, [&rows, &columns]).unwrap();
    let gaussian = NoiseLaw::discrete_gaussian(Rational::integer(1));
    assert!(BoundedDivide::new(&shapes[0], &gaussian, &counts.values, Ladder::Standard).is_err());
    assert!(BoundedDivide::new(&shapes[0], &geometric("1"), &[1, -2, 3, 4], Ladder::Standard).is_err());
    let twice = vec![vec![0, 4], vec![1], vec![2], vec![3]];
    assert!(BoundedDivide::shapes(2, &twice, [&rows, &columns]).is_err());
    assert!(BoundedDivide::shapes(2, &grid.positions, [&rows[..1], &columns]).is_err());
}

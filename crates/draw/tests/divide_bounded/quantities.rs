//! Published tables are accepted as often as predicted.

use super::counts::Counts;
use crate::divide::grids::full;
use draw::{BoundedDivide, BoundedShape, Ladder};

#[test]
fn hair_and_eyes_are_accepted_as_often_as_predicted() {
    // Snee's table, eyes by hair; and the delinquent children.
    let hair = Counts::new(4, &[20, 94, 84, 17, 68, 7, 119, 26, 5, 16, 29, 14, 15, 10, 54, 14]);
    let children = Counts::new(4, &[15, 1, 3, 1, 20, 10, 10, 15, 3, 10, 10, 2, 12, 14, 7, 2]);
    for (counts, known) in [(hair, 0.27), (children, 0.30)] {
        let least =
            counts.samplers("1/4", Ladder::Standard).iter().map(BoundedDivide::expected_attempts).fold(99.0, f64::min);
        assert!((1.0 / least - known).abs() < 0.06, "{}", 1.0 / least);
        // And on a table made of the totals alone.
        let (rows, columns) = counts.totals();
        let grid = full(4, 4);
        let stand_in = BoundedShape::stand_in(4, &grid.positions, [&rows, &columns]).unwrap();
        let public = Counts::new(4, &stand_in);
        assert_eq!(public.totals(), (rows, columns));
        assert!(public.samplers("1/4", Ladder::Standard)[0].expected_attempts() < 10.0);
    }
}

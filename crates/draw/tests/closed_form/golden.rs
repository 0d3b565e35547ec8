//! Golden seeds of the closed form, one per code path.

use crate::tables::golden_seeds::{draw, geometric};
use crate::tables::numbers::digest;
use draw::{PlannedNoise, Prospect, operators};

static CLOSED_FORM: PlannedNoise = operators::ClosedForm::noise(Prospect::exact("closed-form"));

#[test]
fn closed_form() {
    let draw = |epsilon, cells| draw(&geometric(epsilon), &CLOSED_FORM, cells);
    assert_eq!(draw("1/2", 8), CLOSED_SMALL);
    // Few units, many units; above the size of a leaf; above the size of a slice, and Stirling's
    // series.
    let digests = [("4", 500), ("1/100", 500), ("1/2", 3_000), ("1/2", 40_000), ("1/2000", 40_000)]
        .map(|(epsilon, cells)| digest(&draw(epsilon, cells)));
    assert_eq!(digests, CLOSED_LARGE);
}

const CLOSED_SMALL: [i64; 8] = [-4, -3, 1, 2, 1, -1, 3, 1];

const CLOSED_LARGE: [u64; 5] =
    [17612891977560767708, 2171673754744063792, 2524833878500149351, 13061064270333112592, 17560716190205898060];

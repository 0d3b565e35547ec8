//! Golden seeds of `messages`, one per code path.

use crate::tables::golden_seeds::{draw, gaussian};
use crate::tables::numbers::digest;
use draw::{PlannedNoise, Prospect, operators};

static MESSAGES: PlannedNoise = operators::Messages::noise(Prospect::exact("messages"));

#[test]
fn messages() {
    let draw = |variance, cells| draw(&gaussian(variance), &MESSAGES, cells);
    assert_eq!(draw("10", 8), MESSAGES_SMALL);
    // Above the size that completes directly; by blocks; above the size of a slice.
    let digests = [("3", 200), ("20000", 300), ("1/2", 40_000)].map(|(variance, cells)| digest(&draw(variance, cells)));
    assert_eq!(digests, MESSAGES_LARGE);
}

const MESSAGES_SMALL: [i64; 8] = [0, -1, 2, -1, -2, 3, 0, -1];

const MESSAGES_LARGE: [u64; 3] = [7197097730356683045, 2218260577841742522, 4050261843614663205];

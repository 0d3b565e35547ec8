//! What cannot be relaxed is said.

use super::relaxed::{around, cases_and_deaths, geometric, relaxed, two_way};
use declare::{Conditions, NO_GROUP};

#[test]
fn what_cannot_be_relaxed_is_said() {
    let (counts, law) = (around(20, 9), geometric("1"));
    let free = Conditions { nonnegative: false, ..two_way(3, 3) };
    assert!(relaxed(&free, &counts, &law).unwrap_err().contains("no bound or rule holds"));
    // Deaths in no total: nothing says how large they are.
    let mut unknown = cases_and_deaths(3);
    unknown.invariants[0].group_of[3..].fill(NO_GROUP);
    unknown.invariants[0].names.truncate(1);
    let (relaxed, _) = relaxed(&unknown, &[20, 30, 40, 1, 2, 3], &law).unwrap();
    assert!(relaxed.log_attempts(&law).unwrap_err().contains("no total says"));
}

//! The exact law of a class given its sum, by replaying every bit tape.

use super::small::{agrees, classes};
use draw::Ladder;

#[test]
fn every_split_has_its_probability() {
    for class in classes() {
        let claim = class.enumerated(20);
        for (ladder, depth) in [(Ladder::Standard, 18), (Ladder::Coarse, 18)] {
            let law = class.tapes(ladder, depth);
            agrees(&law, &claim).unwrap_or_else(|error| panic!("{:?} {ladder:?}: {error}", class.centres));
            assert!(law.unresolved_share() < 0.02, "{:?} {ladder:?}: {}", class.centres, law.unresolved_share());
        }
    }
}

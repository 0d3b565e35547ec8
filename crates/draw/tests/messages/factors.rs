//! What a draw of `messages` is made of, over every bit tape: one attempt, completed directly or
//! through the law of a sum.

use super::attempts::{Attempts, attempts};
use crate::tables::numbers::{RESOLVED, rational};

#[test]
fn attempts_of_messages_are_proportional_to_the_law() {
    let variance = rational("1/2");
    for (cells, total) in [(2usize, 0i64), (2, 1), (3, 0), (3, -1)] {
        let Attempts { whole, first } = attempts(&variance, cells, total);
        assert!(
            whole.unresolved_share() <= RESOLVED && first.unresolved_share() <= RESOLVED,
            "few runs want more bits"
        );
        let tried = Attempts { whole, first };
        tried.verdicts(&variance, cells, total).into_iter().for_each(|verdict| verdict.unwrap());
    }
}

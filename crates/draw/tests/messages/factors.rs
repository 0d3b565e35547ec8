//! One attempt of `messages` over every bit tape, with nearly all of its mass resolved.

use crate::tables::numbers::rational;
use crate::tables::one_total::enumerated;
use draw::{Messages, NoiseLaw};
use exact::{Enclosure, Rational};
use testkit::tape_law;

#[test]
fn attempts_of_messages_are_proportional_to_the_law() {
    let variance = rational("1/2");
    let sampler = Messages::new(&variance);
    let law = |variance: &Rational| NoiseLaw::discrete_gaussian(variance.clone());
    for (cells, total) in [(2usize, 0i64), (2, 1), (3, 0), (3, -1)] {
        // Completing directly; and the first cell before one or two others, accepted through the law of their sum.
        let whole = tape_law(22, |tape| {
            let mut noise = vec![0; cells];
            sampler.attempt_all(tape, total, &mut noise).then_some(noise)
        });
        let first = tape_law(22, |tape| {
            let mut free = [0];
            sampler.attempt_free(tape, total, &mut free, cells as u64 - 1).map(|_| free[0])
        });
        assert!(whole.unresolved_share() < 0.01 && first.unresolved_share() < 0.01, "few runs want more bits");
        let agrees = |variance: &Rational| {
            let claimed = enumerated(cells, total, &law(variance));
            let marginal = |value: &i64| {
                let with = claimed.iter().filter(|(table, _)| table[0] == *value);
                with.fold(Enclosure::from_integer(0, 128), |sum, (_, probability)| &sum + probability)
            };
            [whole.proportional_to(|table| claimed[table].clone()), first.proportional_to(marginal)]
        };
        agrees(&variance).into_iter().for_each(|verdict| verdict.unwrap());
        for factor in ["1.05", "0.95"] {
            let [whole, first] = agrees(&(&variance * &rational(factor)));
            assert!(
                whole.is_err() && first.is_err(),
                "{cells} cells, total {total}: σ² off by five per cent goes unseen"
            );
        }
    }
}

//! One attempt of `messages` on tiny blocks over every bit tape, and what it is held against.

use crate::tables::numbers::RESOLVED;
use crate::tables::one_total::enumerated;
use draw::{Messages, NoiseLaw};
use exact::{Enclosure, Rational};
use testkit::{TapeLaw, resolved_law};

pub struct Attempts {
    /// Completing directly.
    pub whole: TapeLaw<Option<Vec<i64>>>,
    /// The first cell before one or two others, accepted through the law of their sum.
    pub first: TapeLaw<Option<i64>>,
}

pub fn attempts(variance: &Rational, cells: usize, total: i64) -> Attempts {
    let sampler = Messages::new(variance);
    let whole = resolved_law(RESOLVED, |tape| {
        let mut noise = vec![0; cells];
        sampler.attempt_all(tape, total, &mut noise).then_some(noise)
    });
    let first = resolved_law(RESOLVED, |tape| {
        let mut free = [0];
        sampler.attempt_free(tape, total, &mut free, cells as u64 - 1).map(|_| free[0])
    });
    Attempts { whole, first }
}

impl Attempts {
    /// Whether both are proportional to the law with this σ².
    pub fn verdicts(&self, variance: &Rational, cells: usize, total: i64) -> [Result<(), String>; 2] {
        let claimed = enumerated(cells, total, &NoiseLaw::discrete_gaussian(variance.clone()));
        let marginal = |value: &i64| {
            let with = claimed.iter().filter(|(table, _)| table[0] == *value);
            with.fold(Enclosure::from_integer(0, 128), |sum, (_, probability)| &sum + probability)
        };
        let zero = || Enclosure::from_integer(0, 128);
        let of_table = |table: &Vec<i64>| claimed.get(table).cloned().unwrap_or_else(zero);
        [self.whole.proportional_to(of_table), self.first.proportional_to(marginal)]
    }
}

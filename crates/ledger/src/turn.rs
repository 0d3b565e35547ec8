//! Turns: where several want to pay from one dataset at the same time, one after the other looks at
//! what was released and pays.
//!
//! Else whoever pays makes all others look again. Nothing depends on it that must be true: who pays
//! without a turn, or between a look and a payment, is found by [`Answer::Newer`](crate::Answer).
//! The end of a process ends its turn, and nobody waits for ever for one that stands still.

use crate::ledger::Ledger;
use crate::store::Value::Text;
use declare::Problem;
use std::time::{Duration, Instant};

/// How long a turn is waited for while nothing is entered for the dataset, and in all.
const PATIENCE: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(600)];

/// How often it is looked whether it is one's turn: first, and at last.
const PAUSE: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(100)];

/// How often it is looked whether somebody else has paid.
const GLANCE: Duration = Duration::from_secs(1);

impl Ledger {
    /// Takes the turn of a dataset, if nobody else has it; says whether the caller may go on. Where
    /// no turns can be kept, everybody may.
    pub fn take_turn(&mut self, dataset: &str) -> Result<bool, Problem> {
        let digits = self.key.seal("turn", &[dataset]);
        let of = u64::from_str_radix(digits.get(..16).unwrap_or_default(), 16).unwrap_or_default();
        self.store.take_turn(of)
    }

    /// Waits until the caller has the turn of a dataset, or until it is in vain to wait for whoever
    /// has it; calls a function meanwhile, again and again.
    pub fn wait_for_turn(&mut self, dataset: &str, waiting: &mut dyn FnMut()) -> Result<(), Problem> {
        let (began, mut seen, mut moved, mut glanced) = (Instant::now(), None, Instant::now(), None);
        let mut pause = PAUSE[0];
        while !self.take_turn(dataset)? {
            waiting();
            if glanced.is_none_or(|glanced: Instant| glanced.elapsed() >= GLANCE) {
                glanced = Some(Instant::now());
                let last = self.last_of(dataset)?;
                if seen.replace(last) != Some(last) {
                    moved = Instant::now();
                }
            }
            if moved.elapsed() >= PATIENCE[0] || began.elapsed() >= PATIENCE[1] {
                break;
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(PAUSE[1]);
        }
        Ok(())
    }

    /// Gives the turn to others; without one, nothing happens.
    pub fn end_turn(&mut self) {
        self.store.end_turn();
    }

    /// The last entry about a dataset; 0 where there is none.
    fn last_of(&mut self, dataset: &str) -> Result<i64, Problem> {
        let statement = "SELECT number FROM congenial_history WHERE dataset = $1 ORDER BY number DESC LIMIT 1";
        self.store.query(statement, &[Text(dataset)])?.first().map_or(Ok(0), |row| row.number(0))
    }
}

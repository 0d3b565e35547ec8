//! Pairs that come no nearer are given up; pairs that may meet are left to the evidence.

use exact::Entropy;
use walk::{Kernel, Kinds, Moved, pilot};

/// Two numbers that move together, and come nearer by one every so many steps (0: never), or are
/// one from a moment that comes with probability `2^-bits` at every step (64: never).
struct Pair {
    every: u64,
    bits: u32,
}

#[derive(Clone)]
struct Number {
    value: [i64; 1],
    steps: u64,
}

impl Kernel for Pair {
    type State = Number;

    fn kinds(&self) -> Kinds {
        &["step"]
    }

    fn start(&self, values: Vec<i64>) -> Number {
        Number { value: [values[0]], steps: 0 }
    }

    fn values<'s>(&self, state: &'s Number) -> &'s [i64] {
        &state.value
    }

    fn energy(&self, state: &Number) -> f64 {
        state.value[0].abs() as f64
    }

    fn step<E: Entropy>(&self, state: &mut Number, entropy: &mut E) -> Moved {
        state.value[0] += if entropy.bits(1) == 1 { 1 } else { -1 };
        state.steps += 1;
        Moved { kind: 0, accepted: true }
    }

    fn couple<E: Entropy>(&self, one: &mut Number, two: &mut Number, entropy: &mut E) {
        let before = one.value[0];
        self.step(one, entropy);
        two.value[0] += one.value[0] - before;
        if self.every > 0 && one.steps.is_multiple_of(self.every) {
            two.value[0] -= (two.value[0] - one.value[0]).signum();
        }
        if self.bits < 64 && entropy.bits(self.bits) == 0 {
            two.value = one.value;
        }
    }

    fn row(&self, _from: &[i64], _states: &[Vec<i64>]) -> Vec<f64> {
        Vec::new()
    }
}

/// The patience of all pairs here.
const MOST: u64 = 1 << 16;

fn judged(every: u64, bits: u32, apart: i64) -> Result<(), String> {
    let kernel = Pair { every, bits };
    pilot(&[(&kernel, &[0][..], &[apart][..])], MOST).map_err(|problem| problem.message)
}

#[test]
fn pairs_that_do_not_come_nearer_are_given_up() {
    let message = judged(0, 64, 1_000_000).unwrap_err();
    for words in ["none of 64 coupled pairs", "in 4096 steps", "of the 65536 that pairs are given", "1000000.0"] {
        assert!(message.contains(words), "{words}: {message}");
    }
    // The same is said again: bits have a fixed seed.
    assert_eq!(judged(0, 64, 1_000_000), Err(message));
    // Twice as far as they come in all their patience.
    assert!(judged(16, 64, 2 * (MOST as i64) / 16).is_err());
}

#[test]
fn pairs_that_may_meet_are_left_to_the_evidence() {
    // Nine tenths of what they come nearer in their patience: at that speed they meet, though none
    // does in the pilot.
    assert_eq!(judged(16, 64, 9 * (MOST as i64) / 160), Ok(()));
    // By chance alone, once in an eighth of the patience: some of the pairs meet in the pilot.
    assert_eq!(judged(0, 13, 1_000_000), Ok(()));
    // One family of two is enough to go on.
    let (never, soon) = (Pair { every: 0, bits: 64 }, Pair { every: 1, bits: 64 });
    assert!(pilot(&[(&never, &[0][..], &[1000][..]), (&soon, &[0][..], &[5][..])], MOST).is_ok());
    // A patience that is too short to look at a part of it.
    assert!(pilot(&[(&never, &[0][..], &[1000][..])], 255).is_ok());
}

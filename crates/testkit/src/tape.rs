//! The exact law of a sampler by replaying it over every bit tape: no p-value.
//!
//! A run that finishes after k bits has probability 2^−k. Runs that need more bits than the depth
//! are unresolved: their mass could belong to any outcome. So the true probability of an outcome
//! lies between its finished mass and its finished mass plus the unresolved mass, and so must the
//! probability the sampler claims.

use exact::{Enclosure, Rational, Tape};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// The exact law of a sampler, up to the unresolved mass. Masses are in units of 2^−depth.
#[derive(Debug, Clone)]
pub struct TapeLaw<T> {
    /// The finished mass of every outcome.
    pub finished: BTreeMap<T, u64>,
    /// The mass of the runs that wanted more bits.
    pub unresolved: u64,
    /// The number of bits of a tape.
    pub depth: u32,
}

/// Replays `run` over every tape of `depth` bits, skipping tapes that differ only in bits never
/// read.
pub fn tape_law<T: Ord>(depth: u32, run: impl Fn(&mut Tape) -> T) -> TapeLaw<T> {
    assert!((1..=40).contains(&depth), "a tape of 1 to 40 bits");
    let mut law = TapeLaw { finished: BTreeMap::new(), unresolved: 0, depth };
    let mut tape_bits = 0u64;
    while tape_bits < 1 << depth {
        let mut tape = Tape::new(tape_bits, depth);
        let outcome = run(&mut tape);
        if tape.exhausted() {
            law.unresolved += 1;
            tape_bits += 1;
        } else {
            let unread = depth - tape.used();
            *law.finished.entry(outcome).or_default() += 1 << unread;
            tape_bits = ((tape_bits >> unread) + 1) << unread;
        }
    }
    law
}

/// The finest unit of masses that [`resolved_law`] reaches.
const FINEST: u32 = 60;

/// By how many bits unresolved tapes are made longer at once.
const LONGER: u32 = 6;

/// Replays `run` over longer and longer tapes, those alone that wanted more bits, until at most
/// `share` is unresolved.
///
/// Whole blocks want many coins and leave much of their mass unresolved at any depth that ends; the
/// factors that they are made of want few, and are resolved far below any fault that matters.
pub fn resolved_law<T: Ord>(share: f64, run: impl Fn(&mut Tape) -> T) -> TapeLaw<T> {
    let mut law = TapeLaw { finished: BTreeMap::new(), unresolved: 0, depth: FINEST };
    let (mut open, mut depth, mut runs) = (vec![0u64], 0, 0u64);
    while open.len() as f64 > share * (1u64 << depth) as f64 {
        let longer = (depth + LONGER).min(FINEST);
        assert!(longer > depth && runs < 1 << 26, "{} of 2^{depth} tapes are unresolved after {runs} runs", open.len());
        let mut still = Vec::new();
        for start in open {
            let (mut tape_bits, end) = (start << (longer - depth), (start + 1) << (longer - depth));
            while tape_bits < end {
                let mut tape = Tape::new(tape_bits, longer);
                let outcome = run(&mut tape);
                runs += 1;
                if tape.exhausted() {
                    still.push(tape_bits);
                    tape_bits += 1;
                } else {
                    *law.finished.entry(outcome).or_default() += 1 << (FINEST - tape.used());
                    let unread = longer - tape.used();
                    tape_bits = ((tape_bits >> unread) + 1) << unread;
                }
            }
        }
        (open, depth) = (still, longer);
    }
    law.unresolved = (open.len() as u64) << (FINEST - depth);
    law
}

impl<T: Ord + Debug> TapeLaw<T> {
    /// The unresolved mass as a fraction of one, for the record.
    pub fn unresolved_share(&self) -> f64 {
        self.unresolved as f64 / (1u64 << self.depth) as f64
    }

    /// Checks the law against claimed probabilities: every outcome's bracket must meet the claimed
    /// enclosure.
    ///
    /// `Err` names the first outcome that disagrees. The claim must cover every outcome seen.
    pub fn agrees_with(&self, claimed: impl Fn(&T) -> Enclosure) -> Result<(), String> {
        let unit = 1u64 << self.depth;
        for (outcome, finished) in &self.finished {
            let claim = claimed(outcome);
            let at_least = Rational::new(*finished, unit);
            let at_most = Rational::new(finished + self.unresolved, unit);
            if claim.upper_rational() < at_least || claim.lower_rational() > at_most {
                return Err(format!(
                    "outcome {outcome:?}: claimed {:.9}, but the tapes give between {:.9} and {:.9}",
                    claim.to_f64(),
                    at_least.to_f64(),
                    at_most.to_f64()
                ));
            }
        }
        Ok(())
    }
}

impl<T: Ord + Debug> TapeLaw<Option<T>> {
    /// Checks one attempt of a rejection sampler: the probability of every value must be one common
    /// constant times its claimed weight. `Err` says which two values disagree about the constant.
    pub fn proportional_to(&self, claimed: impl Fn(&T) -> Enclosure) -> Result<(), String> {
        let mut at_least: Option<(Rational, &T)> = None;
        let mut at_most: Option<(Rational, &T)> = None;
        for (outcome, finished) in &self.finished {
            let Some(value) = outcome else { continue };
            let claim = claimed(value);
            if !claim.is_positive() {
                return Err(format!("{value:?} has weight zero, but was drawn"));
            }
            let low = &Rational::integer(*finished) / &claim.upper_rational();
            let high = &Rational::integer(finished + self.unresolved) / &claim.lower_rational();
            if at_least.as_ref().is_none_or(|(most, _)| low > *most) {
                at_least = Some((low, value));
            }
            if at_most.as_ref().is_none_or(|(least, _)| high < *least) {
                at_most = Some((high, value));
            }
        }
        match (at_least, at_most) {
            (Some((low, one)), Some((high, two))) if low > high => {
                Err(format!("{one:?} is too likely compared with {two:?}"))
            }
            (Some(_), _) => Ok(()),
            _ => Err("no attempt succeeded".to_string()),
        }
    }
}

//! `Evidence`: what coupled chains say about how close a walk is to its law, how sure that is, and
//! when it is enough.
//!
//! Pairs of chains move together, a *block* of s steps at a time: pairs that began far apart, and
//! pairs of which one chain began s steps earlier. In the first block a share of each *family* of
//! pairs does not meet; those that did not are continued, several times each, into a second block,
//! those that did not meet there into a third, and so on: *rounds*. If in every block a pair that
//! has not met yet fails to meet with probability at most q, the distance in total variation after
//! k blocks is at most `q^k / (1 − q)`. q is the largest of the upper Clopper–Pearson limits of all
//! families and rounds, and a release makes no more blocks than rounds were seen. So no rate is
//! carried on to times that were not looked at. Derivation, and what is still assumed:
//! `proofs/couplings.md`.

use super::limits::upper_limit;
use exact::Rational;

/// The confidence of every bound, in percent.
pub const CONFIDENCE_PERCENT: u32 = 99;

/// The most rounds after the first block: what all limits share the error with.
pub const MOST_ROUNDS: usize = 64;

/// The most blocks of twice the length that are tried after the first.
pub const MOST_ATTEMPTS: u32 = 6;

/// The fewest pairs of a family or of a round.
pub const FEWEST_TRIED: u64 = 100;

/// The energies of single chains must be worth so many independent ones, and agree from all starts
/// as well as this.
pub const LEAST_EFFECTIVE: f64 = 100.0;
/// The largest split-R̂ of energies of chains that began far apart.
pub const LARGEST_R_HAT: f64 = 1.05;

/// What coupled chains say about a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// How many steps the chain of a release makes: whole blocks.
    pub steps: u64,
    /// s: the steps of a block, and how many steps one chain is ahead in families that begin
    /// together.
    pub block: u64,
    /// How many shorter blocks were given up before; each time half of the error that is left is
    /// used.
    pub attempt: u32,
    /// The pairs of the first block.
    pub families: Vec<Family>,
    /// The pairs of the later blocks, continued from those that had not met.
    pub rounds: Vec<Tried>,
    /// When pairs met in the first block, increasing.
    pub meetings: Vec<u64>,
    /// How many different tables were walked around: one where the noise does not depend on the
    /// table.
    pub starts: u64,
    /// How well single chains move.
    pub diagnostics: Diagnostics,
}

/// Pairs in a block, and how many of them did not meet in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// The pairs.
    pub pairs: u64,
    /// Those that did not meet.
    pub unmet: u64,
}

/// Pairs of chains that begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Whether the chains begin at different tables; otherwise one of them is a block ahead.
    pub apart: bool,
    /// How they did.
    pub tried: Tried,
}

/// How well single chains move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagnostics {
    /// How often each kind of move was proposed and accepted.
    pub moves: Vec<MoveCount>,
    /// The energy (minus the logarithm of the weight) of one chain at equally spaced steps.
    pub trace: Vec<f64>,
    /// The steps between two points of the trace.
    pub every: u64,
    /// The number of chains that the next two are from; they began at different tables.
    pub chains: u64,
    /// The effective number of independent energies among all points of all traces.
    pub effective: f64,
    /// Split-R̂ of the energy.
    pub r_hat: f64,
}

/// How often a kind of move was proposed and accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveCount {
    /// The kind, in words.
    pub kind: String,
    /// How often it was proposed.
    pub proposed: u64,
    /// How often it was accepted; block moves always are.
    pub accepted: u64,
}

impl Evidence {
    /// q: the largest upper limit of the probability that a pair which has not met yet does not
    /// meet in a block.
    pub fn unmet(&self) -> f64 {
        let level = error_level() * 0.5f64.powi(self.attempt.min(1000) as i32 + 1);
        let level = level / (self.families.len() + MOST_ROUNDS) as f64;
        self.tried().map(|tried| upper_limit(tried.unmet, tried.pairs, level)).fold(0.0, f64::max)
    }

    /// The upper confidence limit of the distance after `steps` steps: `q^k / (1 − q)` after k
    /// whole blocks.
    pub fn bound(&self, steps: u64) -> f64 {
        let unmet = self.unmet();
        if unmet >= 1.0 {
            return 1.0;
        }
        let blocks = (steps / self.block.max(1)) as f64;
        ((blocks * unmet.ln()).exp() / (1.0 - unmet)).min(1.0)
    }

    /// The bound for the steps of a release, rounded up to six digits.
    pub fn distance(&self) -> Rational {
        rounded_up(self.bound(self.steps))
    }

    /// The share of pairs that have not met after so many steps; after the first block the product
    /// of the shares of blocks.
    pub fn share(&self, steps: u64) -> f64 {
        let pairs: u64 = self.families.iter().map(|family| family.tried.pairs).sum();
        let early = self.meetings.partition_point(|meeting| *meeting <= steps.min(self.block));
        let first = (pairs - early as u64) as f64 / pairs.max(1) as f64;
        let rounds = self.rounds.iter().take((steps / self.block.max(1)).saturating_sub(1) as usize);
        rounds.fold(first, |share, round| share * round.unmet as f64 / round.pairs.max(1) as f64)
    }

    /// The fewest blocks after which the bound is at most `distance`; none where that is out of
    /// reach.
    pub(super) fn blocks_for(&self, distance: f64) -> Option<usize> {
        (1..=MOST_ROUNDS + 1).find(|blocks| self.bound(*blocks as u64 * self.block) <= distance)
    }

    /// How many pairs were tried in all.
    pub fn pairs(&self) -> u64 {
        self.tried().map(|tried| tried.pairs).sum()
    }

    /// All pairs that were tried, family by family and round by round.
    fn tried(&self) -> impl Iterator<Item = &Tried> {
        self.families.iter().map(|family| &family.tried).chain(&self.rounds)
    }

    /// Why blocks of this length are too short, if they are: shorter blocks say too little.
    pub(super) fn few_met(&self) -> Option<String> {
        let tried = self.tried().find(|tried| 2 * tried.unmet > tried.pairs)?;
        Some(format!(
            "{} of {} pairs of chains that began far apart, or had not met before, did not meet in {} steps",
            tried.unmet, tried.pairs, self.block
        ))
    }

    /// The blocks that were looked at, and whether no pair was left to continue after them.
    pub fn seen(&self) -> (u64, bool) {
        let last = self.rounds.last().copied();
        let left = last.map_or_else(|| self.families.iter().map(|family| family.tried.unmet).sum(), |last| last.unmet);
        (self.rounds.len() as u64 + 1, left == 0)
    }

    /// Why the evidence is not enough for a release, if it is not: a function of its numbers alone.
    pub fn objection(&self) -> Option<String> {
        let first: u64 = self.families.iter().map(|family| family.tried.pairs).sum();
        let met = first - self.families.iter().map(|family| family.tried.unmet.min(family.tried.pairs)).sum::<u64>();
        let in_order = self.block > 0
            && self.steps > 0
            && self.steps.is_multiple_of(self.block)
            && self.attempt <= MOST_ATTEMPTS
            && self.rounds.len() <= MOST_ROUNDS
            && self.tried().all(|tried| tried.unmet <= tried.pairs && tried.pairs >= FEWEST_TRIED)
            && self.families.iter().any(|family| family.apart)
            && self.families.iter().any(|family| !family.apart)
            && self.meetings.is_sorted()
            && self.meetings.len() as u64 == met
            && self.meetings.first().is_none_or(|first| *first > 0)
            && self.meetings.last().is_none_or(|last| *last <= self.block);
        if !in_order {
            return Some("the evidence of coupled chains is not in order".to_owned());
        }
        if let Some(why) = self.few_met() {
            return Some(why);
        }
        let (seen, none_left) = self.seen();
        if self.steps / self.block > seen && !none_left {
            return Some(format!(
                "the walk would go on for longer than the {seen} blocks of steps that were looked at"
            ));
        }
        let Diagnostics { effective, r_hat, chains, .. } = &self.diagnostics;
        // Numbers that are none fail too.
        let moves = *effective >= LEAST_EFFECTIVE && *r_hat <= LARGEST_R_HAT && *chains >= 2;
        (!moves).then(|| {
            format!(
                "chains that began at different tables do not agree, or hardly move: their energies are worth {effective:.1} independent \
                 ones, of which {LEAST_EFFECTIVE:.0} are needed, and split-R̂ is {r_hat:.4}, which may be {LARGEST_R_HAT}"
            )
        })
    }
}

/// The chance that a bound does not hold.
pub(super) fn error_level() -> f64 {
    f64::from(100 - CONFIDENCE_PERCENT) / 100.0
}

/// A probability rounded up to six digits, and a little more than the error of machine numbers.
fn rounded_up(value: f64) -> Rational {
    if value >= 1.0 || value.is_nan() {
        return Rational::integer(1);
    }
    let mut digits = 0u32;
    let mut scaled = value * (1.0 + 1e-9);
    while scaled < 1e5 && digits < 300 {
        scaled *= 10.0;
        digits += 1;
    }
    Rational::new(scaled.ceil() as u64, exact::Natural::from(10u8).pow(digits as usize))
}

//! Gathers the evidence of a walk: pairs in a first block, those that did not meet in further
//! blocks, and single chains.

use super::Wanted;
use super::diagnose::{effective_size, split_r_hat};
use super::evidence::{Diagnostics, Evidence, FEWEST_TRIED, Family, MOST_ATTEMPTS, MOST_ROUNDS, MoveCount, Tried};
use super::kernel::Kernel;
use super::lag::{in_parallel, together};
use super::pilot::{Apart, pilot};
use declare::Problem;
use exact::{Seeded, integer};

/// The seed of all evidence: anyone can make it again.
pub(super) const SEED: u64 = 0x636f_6e67_656e_6961;
/// Pairs of each family that choose the length of a block: the worst family decides, by the time
/// that a fifth of it exceeds.
const PILOT_PAIRS: usize = 20;
const PILOT_UNMET: usize = 4;
/// Pairs of a round.
const ROUND_PAIRS: u64 = 200;
/// Chains, and points of each, for diagnostics; points are a tenth of a block apart and come after
/// some blocks.
const CHAINS: usize = 4;
const POINTS: usize = 1000;
const POINTS_OF_BLOCK: u64 = 10;
const BLOCKS_BEFORE: u64 = 4;
/// The trace of one chain that is kept for reading has at most so many points.
const KEPT_POINTS: usize = 250;
/// Draws of the seed: the first are those of pairs with a lag; every attempt and round has its own.
const FIRST_DRAW: u64 = 16;

/// A walk around one of the tables that evidence starts from.
pub(super) struct Around<K> {
    pub(super) kernel: K,
    pub(super) start: Vec<i64>,
    /// Tables far from it.
    pub(super) far: Vec<Vec<i64>>,
}

/// How long pairs may run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// A lag to begin with: about as many steps as reach every cell.
    pub(super) lag: u64,
    /// The most steps of a pair.
    pub(super) most: u64,
}

/// The problem of pairs that did not meet.
pub(super) fn never_met(unmet: u64, pairs: u64, steps: u64) -> Problem {
    Problem::refused(format!(
        "{unmet} of {pairs} coupled pairs of chains did not meet in {steps} steps: nothing is known about how near the walk \
         is to its law"
    ))
    .hint(NOT_MET_HINT)
}

/// What helps where pairs do not meet.
pub(super) const NOT_MET_HINT: &str =
    "declare fewer or coarser totals, or a larger epsilon; or totals that an exact operator can draw";

/// Where the pairs of a family begin: around which start, and which of the tables far from it;
/// `None`: at the start itself, one chain a block ahead.
type Begin = (usize, Option<usize>);

/// Two chains that have not met.
type Pair<S> = (usize, S, S);

/// Couples chains around all starts.
pub(super) fn gather<K: Kernel>(
    around: &[Around<K>],
    wanted: &Wanted,
    most: u64,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evidence, Problem> {
    let apart =
        around.iter().enumerate().flat_map(|(place, around)| (0..around.far.len()).map(move |far| (place, Some(far))));
    let apart: Vec<Begin> = apart.collect();
    if apart.is_empty() {
        return Err(Problem::refused(
            "no two tables that are far apart were found to gather the evidence of a walk from",
        ));
    }
    let families: Vec<Begin> = (0..around.len()).map(|place| (place, None)).chain(apart.iter().copied()).collect();
    let tables = |(place, far): &Begin| -> Option<Apart<'_, K>> {
        let Around { kernel, start, far: tables } = &around[*place];
        Some((kernel, start.as_slice(), tables.get((*far)?)?.as_slice()))
    };
    pilot(&apart.iter().filter_map(tables).collect::<Vec<_>>(), most)?;
    let mut block = first_block(around, &apart, most)?;
    let mut objection = String::new();
    for attempt in 0..=MOST_ATTEMPTS {
        if block > most {
            break;
        }
        match attempted(around, &families, wanted, (attempt, block), progress)? {
            Ok(evidence) => {
                return match evidence.objection() {
                    None => Ok(evidence),
                    Some(objection) => Err(Problem::refused(objection).hint(HINT)),
                };
            }
            Err(why) => objection = why,
        }
        block *= 2;
    }
    Err(Problem::refused(format!("nothing is known about how near the walk is to its law: {objection}")).hint(HINT))
}

const HINT: &str =
    "declare fewer or coarser totals, ask for a smaller epsilon or rho, or for totals that an exact operator can draw";

/// One pair of a family, in its first block; returns when they met, or the chains.
fn first<K: Kernel>(
    around: &[Around<K>],
    (place, far): Begin,
    (block, most): (u64, u64),
    entropy: &mut impl exact::Entropy,
) -> Result<u64, (K::State, K::State)> {
    let Around { kernel, start, far: tables } = &around[place];
    let mut one = kernel.start(start.clone());
    let mut two = kernel.start(far.map_or(start, |far| &tables[far]).clone());
    if far.is_none() {
        (0..block).for_each(|_| {
            kernel.step(&mut one, entropy);
        });
    }
    together(kernel, &mut one, &mut two, most, entropy).ok_or((one, two))
}

/// The steps in which all but a fifth of a few pairs meet that begin apart, in every family.
fn first_block<K: Kernel>(around: &[Around<K>], apart: &[Begin], most: u64) -> Result<u64, Problem> {
    let times = in_parallel(&Seeded::draw(SEED, FIRST_DRAW), apart.len() * PILOT_PAIRS, |number, entropy| {
        first(around, apart[number / PILOT_PAIRS], (0, most), entropy).unwrap_or(u64::MAX)
    })?;
    let unmet = times.iter().filter(|time| **time == u64::MAX).count();
    let late = times.chunks(PILOT_PAIRS).map(|family| {
        let mut family = family.to_vec();
        family.sort_unstable();
        family[PILOT_PAIRS - PILOT_UNMET - 1]
    });
    match late.max() {
        Some(late) if late != u64::MAX => Ok(late.max(1)),
        _ => Err(never_met(unmet as u64, times.len() as u64, most)),
    }
}

/// Evidence with blocks of this length, or why they are too short.
fn attempted<K: Kernel>(
    around: &[Around<K>],
    families: &[Begin],
    wanted: &Wanted,
    (attempt, block): (u32, u64),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Result<Evidence, String>, Problem> {
    let each = (wanted.pairs / families.len() as u64).max(FEWEST_TRIED);
    let draw = |round: usize| {
        Seeded::draw(SEED, FIRST_DRAW + 1 + u64::from(attempt) * (MOST_ROUNDS as u64 + 2) + round as u64)
    };
    let outcomes = in_parallel(&draw(0), families.len() * each as usize, |number, entropy| {
        let family = families[number / each as usize];
        let met = first(around, family, (block, block), entropy);
        progress(1);
        met.map_err(|(one, two)| (family.0, one, two))
    })?;
    let tried = families.iter().zip(outcomes.chunks(each as usize)).map(|((_, far), family)| Family {
        apart: far.is_some(),
        tried: Tried { pairs: each, unmet: family.iter().filter(|outcome| outcome.is_err()).count() as u64 },
    });
    let tried: Vec<Family> = tried.collect();
    let mut meetings: Vec<u64> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok().copied()).collect();
    meetings.sort_unstable();
    let mut left: Vec<Pair<K::State>> = outcomes.into_iter().filter_map(Result::err).collect();
    let starts = around.len() as u64;
    let diagnostics = Diagnostics::default();
    let mut evidence =
        Evidence { steps: 0, block, attempt, families: tried, rounds: Vec::new(), meetings, starts, diagnostics };
    let distance = wanted.distance.to_f64() * (1.0 - 1e-6);
    loop {
        if let Some(why) = evidence.few_met() {
            return Ok(Err(why));
        }
        let Some(blocks) = evidence.blocks_for(distance) else {
            return Ok(Err(format!(
                "a pair that has not met fails to meet in {block} steps with a probability of up to {:.3}, too often for \
                 a distance of {distance:.3e}",
                evidence.unmet()
            )));
        };
        // A round more than a release needs, as long as pairs are left to look at.
        if evidence.rounds.len() >= blocks.min(MOST_ROUNDS) || left.is_empty() {
            evidence.steps = blocks as u64 * block;
            break;
        }
        let outcomes = in_parallel(&draw(evidence.rounds.len() + 1), ROUND_PAIRS as usize, |_, entropy| {
            let (place, mut one, mut two) = left[integer::below(entropy, left.len() as u64) as usize].clone();
            let met = together(&around[place].kernel, &mut one, &mut two, block, entropy);
            met.is_none().then_some((place, one, two))
        })?;
        left = outcomes.into_iter().flatten().collect();
        evidence.rounds.push(Tried { pairs: ROUND_PAIRS, unmet: left.len() as u64 });
    }
    evidence.diagnostics = diagnostics_of(around, block)?;
    Ok(Ok(evidence))
}

/// Single chains from tables that are far apart, traced: all around the first table, so that they
/// have one law.
fn diagnostics_of<K: Kernel>(around: &[Around<K>], block: u64) -> Result<Diagnostics, Problem> {
    let Around { kernel, start, far } = &around[0];
    let kinds = kernel.kinds();
    let starts: Vec<&Vec<i64>> =
        [start].into_iter().chain(far).chain(around[1..].iter().map(|around| &around.start)).collect();
    let every = (block / POINTS_OF_BLOCK).max(1);
    let chains = in_parallel(&Seeded::draw(SEED, 2), CHAINS, |number, entropy| {
        let mut state = kernel.start(starts[number % starts.len()].clone());
        let mut counts = vec![(0u64, 0u64); kinds.len()];
        let mut trace = Vec::with_capacity(POINTS);
        for _ in 0..BLOCKS_BEFORE * block {
            kernel.step(&mut state, entropy);
        }
        for _ in 0..POINTS {
            for _ in 0..every {
                let moved = kernel.step(&mut state, entropy);
                counts[moved.kind].0 += 1;
                counts[moved.kind].1 += u64::from(moved.accepted);
            }
            trace.push(kernel.energy(&state));
        }
        (counts, trace)
    })?;
    let (counts, traces): (Vec<_>, Vec<_>) = chains.into_iter().unzip();
    let count = |(kind, name): (usize, &&str)| MoveCount {
        kind: (*name).to_owned(),
        proposed: counts.iter().map(|counts| counts[kind].0).sum(),
        accepted: counts.iter().map(|counts| counts[kind].1).sum(),
    };
    let moves = kinds.iter().enumerate().map(count).filter(|count| count.proposed > 0).collect();
    Ok(Diagnostics {
        moves,
        effective: effective_size(&traces),
        r_hat: split_r_hat(&traces),
        trace: traces[0].iter().copied().take(KEPT_POINTS).collect(),
        every,
        chains: CHAINS as u64,
    })
}

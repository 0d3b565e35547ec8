//! Gathers the evidence of a walk: a few pairs to choose the lag, then all pairs, and single chains for diagnostics.

use super::Wanted;
use super::diagnose::{effective_size, split_r_hat};
use super::evidence::{Diagnostics, Evidence, FEWEST_PAIRS, MoveCount};
use super::kernel::Kernel;
use super::lag::meeting;
use declare::Problem;
use exact::{Seeded, Source};
use rayon::prelude::*;

/// The seed of all evidence: anyone can make it again.
pub(super) const SEED: u64 = 0x636f_6e67_656e_6961;
/// Pairs that choose the lag.
const PILOT_PAIRS: u64 = 24;
/// Chains, and points of each, for diagnostics.
const CHAINS: u64 = 4;
const POINTS: usize = 1000;
/// The trace of one chain that is kept for reading has at most so many points.
const KEPT_POINTS: usize = 250;

/// A walk around one of the tables that evidence starts from.
pub(super) struct Around<K> {
    pub(super) kernel: K,
    pub(super) start: Vec<i64>,
}

/// How long pairs may run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// A lag to begin with: about as many steps as reach every cell.
    pub(super) lag: u64,
    /// The most steps of a pair.
    pub(super) most: u64,
}

/// Couples chains around every start in turn.
pub(super) fn gather<K: Kernel>(
    around: &[Around<K>],
    wanted: &Wanted,
    patience: Patience,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evidence, Problem> {
    let lag = match wanted.lag {
        Some(lag) => lag.max(1),
        None => {
            // With a short lag the chain ahead has hardly left the start, and most pairs meet by standing still: longer, until
            // nearly all pairs meet within two of it.
            let mut lag = moving(&around[0], patience)?;
            loop {
                let mut pilot = pairs(around, PILOT_PAIRS, 0, Patience { lag, ..patience }, &|_| {})?;
                pilot.sort_unstable();
                let late = pilot[pilot.len() * 9 / 10];
                if late <= 2 * lag {
                    break lag;
                }
                lag = late;
            }
        }
    };
    let count = wanted.pairs.max(FEWEST_PAIRS as u64);
    let mut meetings = pairs(around, count, 1, Patience { lag, ..patience }, progress)?;
    meetings.sort_unstable();
    let diagnostics = diagnostics(around, (lag / 50).max(1))?;
    let mut evidence = Evidence { steps: 0, lag, meetings, starts: around.len() as u64, diagnostics };
    evidence.steps = evidence.steps_for(wanted.distance.to_f64() * (1.0 - 1e-6));
    Ok(evidence)
}

/// How many steps a chain needs to change as often as the first lag says: short lags would leave it where it began.
fn moving<K: Kernel>(around: &Around<K>, patience: Patience) -> Result<u64, Problem> {
    let mut entropy = Seeded::draw(SEED, 3).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    let mut state = around.kernel.start(around.start.clone());
    let (mut steps, mut changes) = (0, 0);
    while changes < patience.lag && steps < patience.most / 16 {
        let before = around.kernel.energy(&state);
        around.kernel.step(&mut state, &mut entropy);
        changes += u64::from(around.kernel.energy(&state) != before);
        steps += 1;
    }
    Ok(steps.max(1))
}

/// The meeting times of so many pairs.
fn pairs<K: Kernel>(
    around: &[Around<K>],
    count: u64,
    draw: u64,
    patience: Patience,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<u64>, Problem> {
    let source = Seeded::draw(SEED, draw);
    let pair = |number: usize| {
        let Around { kernel, start } = &around[number % around.len()];
        let mut entropy = source.stream(number as u64).map_err(|error| Problem::system(error.to_string()))?;
        let met = meeting(kernel, start, patience.lag, patience.most, &mut entropy);
        progress(1);
        Ok(met)
    };
    let meetings: Vec<Option<u64>> =
        (0..count as usize).into_par_iter().with_max_len(1).map(pair).collect::<Result<_, Problem>>()?;
    let unmet = meetings.iter().filter(|meeting| meeting.is_none()).count();
    if unmet > 0 {
        return Err(Problem::refused(format!(
            "{unmet} of {count} coupled pairs of chains did not meet in {} steps: nothing is known about how near the walk \
             is to its law",
            patience.most
        ))
        .hint("declare fewer or coarser totals, or a larger epsilon; or totals that an exact operator can draw"));
    }
    Ok(meetings.into_iter().flatten().collect())
}

/// How often each kind of move was proposed and accepted, and the energies.
type Traced = (Vec<(u64, u64)>, Vec<f64>);

/// Single chains, traced.
fn diagnostics<K: Kernel>(around: &[Around<K>], every: u64) -> Result<Diagnostics, Problem> {
    let source = Seeded::draw(SEED, 2);
    let kinds = around[0].kernel.kinds();
    let chain = |number: u64| {
        // All chains have one law: that around the first table.
        let Around { kernel, start } = &around[0];
        let mut entropy = source.stream(number).map_err(|error| Problem::system(error.to_string()))?;
        let mut state = kernel.start(start.clone());
        let mut counts = vec![(0u64, 0u64); kinds.len()];
        let mut trace = Vec::with_capacity(POINTS);
        for _ in 0..POINTS {
            for _ in 0..every {
                let moved = kernel.step(&mut state, &mut entropy);
                counts[moved.kind].0 += 1;
                counts[moved.kind].1 += u64::from(moved.accepted);
            }
            trace.push(kernel.energy(&state));
        }
        Ok((counts, trace))
    };
    let chains: Vec<Traced> = (0..CHAINS).into_par_iter().map(chain).collect::<Result<_, Problem>>()?;
    let count = |(kind, name): (usize, &&str)| MoveCount {
        kind: (*name).to_owned(),
        proposed: chains.iter().map(|(counts, _)| counts[kind].0).sum(),
        accepted: chains.iter().map(|(counts, _)| counts[kind].1).sum(),
    };
    let moves = kinds.iter().enumerate().map(count).filter(|count| count.proposed > 0).collect();
    let traces: Vec<Vec<f64>> = chains.iter().map(|(_, trace)| trace.clone()).collect();
    Ok(Diagnostics {
        moves,
        effective: effective_size(&traces),
        r_hat: split_r_hat(&traces),
        trace: traces.into_iter().next().unwrap_or_default().into_iter().take(KEPT_POINTS).collect(),
        every,
        chains: CHAINS,
    })
}

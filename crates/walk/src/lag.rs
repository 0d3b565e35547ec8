//! L-lag couplings: two chains of the same walk, one L steps ahead, until they meet.

use super::Wanted;
use super::gather::{Around, Patience, SEED};
use super::kernel::Kernel;
use super::lagged::{FEWEST_PAIRS, Lagged};
use declare::Problem;
use exact::{Entropy, Seeded, Source, Stream};
use rayon::prelude::*;

/// Pairs that choose the lag.
const PILOT_PAIRS: u64 = 24;

/// Runs a pair from one start; returns the steps τ − L of the later chain until both are equal, at
/// least one. `None` when they did not meet in `most` steps.
pub fn meeting<K: Kernel, E: Entropy>(kernel: &K, start: &[i64], lag: u64, most: u64, entropy: &mut E) -> Option<u64> {
    let mut ahead = kernel.start(start.to_vec());
    let mut behind = kernel.start(start.to_vec());
    for _ in 0..lag {
        kernel.step(&mut ahead, entropy);
    }
    together(kernel, &mut ahead, &mut behind, most, entropy)
}

/// Moves two chains together; returns the steps until they were equal, at least one, if there were
/// at most so many.
pub(super) fn together<K: Kernel, E: Entropy>(
    kernel: &K,
    one: &mut K::State,
    two: &mut K::State,
    most: u64,
    entropy: &mut E,
) -> Option<u64> {
    // A cell in which they differ, where that is so: most comparisons look no further.
    let mut differs = 0;
    for steps in 1..=most {
        kernel.couple(one, two, entropy);
        let (one, two) = (kernel.values(one), kernel.values(two));
        if one.get(differs) == two.get(differs) {
            match one.iter().zip(two).position(|(one, two)| one != two) {
                Some(place) => differs = place,
                None => return Some(steps),
            }
        }
    }
    None
}

/// The bits of one number of a seed's draw.
pub(super) fn stream(source: &Seeded, number: u64) -> Result<Stream, Problem> {
    source.stream(number).map_err(|error| Problem::system(error.to_string()))
}

/// Runs so many chains or pairs, each with bits of its own: the same whatever the threads.
pub(super) fn in_parallel<R: Send>(
    source: &Seeded,
    count: usize,
    run: impl Fn(usize, &mut Stream) -> R + Sync,
) -> Result<Vec<R>, Problem> {
    let one = |number: usize| Ok(run(number, &mut stream(source, number as u64)?));
    (0..count).into_par_iter().with_max_len(1).map(one).collect()
}

/// Couples chains around every start in turn, each pair with a lag, until all have met.
pub(super) fn lagged<K: Kernel>(
    around: &[Around<K>],
    wanted: &Wanted,
    patience: Patience,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Lagged, Problem> {
    let lag = match wanted.lag {
        Some(lag) => lag.max(1),
        None => {
            // With a short lag the chain ahead has hardly left the start, and most pairs meet by
            // standing still: longer, until nearly all pairs meet within two of it.
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
    Ok(Lagged { lag, meetings, starts: around.len() as u64 })
}

/// How many steps a chain needs to change as often as the first lag says: short lags would leave it
/// where it began.
fn moving<K: Kernel>(around: &Around<K>, patience: Patience) -> Result<u64, Problem> {
    let mut entropy = stream(&Seeded::draw(SEED, 3), 0)?;
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
    let meetings = in_parallel(&Seeded::draw(SEED, draw), count as usize, |number, entropy| {
        let Around { kernel, start, .. } = &around[number % around.len()];
        let met = meeting(kernel, start, patience.lag, patience.most, entropy);
        progress(1);
        met
    })?;
    let unmet = meetings.iter().filter(|meeting| meeting.is_none()).count();
    if unmet > 0 {
        return Err(super::gather::never_met(unmet as u64, count, patience.most));
    }
    Ok(meetings.into_iter().flatten().collect())
}

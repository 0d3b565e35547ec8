//! A lower confidence limit of ε from repeated runs of a mechanism on two neighbouring tables.
//!
//! The first half of the runs chooses a few events that seem to tell the tables apart; the second
//! half, which had no part in the choice, tests them. If the mechanism is (ε, δ)-private, then
//! `P(E) ≤ e^ε P'(E) + δ` for every event in both directions, so `ε ≥ ln((P(E) − δ)/P'(E))`. With
//! Clopper–Pearson limits for the two probabilities of each event, all limits hold together with
//! the stated confidence: `proofs/runs.md`.

use super::Side;
use super::event::{Event, Statistic};
use std::fmt;
use walk::limits::{least_rate, upper_limit};

/// How to audit by runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Runs {
    /// Runs on each table; half of them choose, half test.
    pub runs: u64,
    /// The confidence of the limit, below one: 0.99, say.
    pub confidence: f64,
    /// The δ that the mechanism is allowed.
    pub delta: f64,
    /// How many events are tested: more events share the same confidence.
    pub events: usize,
    /// Cells that are looked at one by one, those where the tables differ first.
    pub most_cells: usize,
}

impl Default for Runs {
    fn default() -> Self {
        Runs { runs: 10_000, confidence: 0.99, delta: 0.0, events: 3, most_cells: 16 }
    }
}

/// Why there is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFinding<E> {
    /// The settings or the tables cannot be audited; the text says why, and what to do.
    Refused(String),
    /// The mechanism itself failed.
    Mechanism(E),
}

impl<E: fmt::Display> fmt::Display for NoFinding<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFinding::Refused(why) => f.write_str(why),
            NoFinding::Mechanism(error) => write!(f, "the mechanism failed: {error}"),
        }
    }
}

/// An event that was tested.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The event.
    pub event: Event,
    /// The side on which it seemed more likely when it was chosen.
    pub more_likely: Side,
    /// How often it happened on that side, in the second half of the runs.
    pub often: u64,
    /// How often it happened on the other side, in the second half of the runs.
    pub seldom: u64,
    /// The lower limit of ε that it gives; negative infinity when it gives none.
    pub epsilon: f64,
}

/// What repeated runs show.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// With the stated confidence the mechanism is not (ε, δ)-private for any smaller ε; at least
    /// zero.
    pub epsilon: f64,
    /// The confidence, which holds for all events together.
    pub confidence: f64,
    /// The δ that was allowed.
    pub delta: f64,
    /// The runs on each table that tested.
    pub tested: u64,
    /// The events that were tested, the best first.
    pub events: Vec<Chosen>,
}

impl Finding {
    /// Whether the runs contradict a claimed loss.
    pub fn contradicts(&self, claimed: f64) -> bool {
        self.epsilon > claimed
    }
}

/// Runs the mechanism on both tables, and returns a lower limit of ε for this pair.
///
/// Contract: `mechanism(side, run)` releases the table of that side with random bits that are
/// independent of those of all other calls, and `tables` are the two tables; both are called with
/// runs `0..runs`.
pub fn lower_limit<E>(
    tables: [&[i64]; 2],
    settings: &Runs,
    mut mechanism: impl FnMut(Side, u64) -> Result<Vec<i64>, E>,
) -> Result<Finding, NoFinding<E>> {
    check(tables, settings).map_err(NoFinding::Refused)?;
    let [first, second] = tables;
    let half = settings.runs / 2;
    let statistics = Statistic::of_pair(first, second, settings.most_cells);
    let mut values = vec![[Vec::new(), Vec::new()]; statistics.len()];
    for run in 0..half {
        for (place, side) in [Side::First, Side::Second].into_iter().enumerate() {
            let released = mechanism(side, run).map_err(NoFinding::Mechanism)?;
            for (statistic, values) in statistics.iter().zip(&mut values) {
                values[place].push(statistic.of(first, second, &released));
            }
        }
    }
    let mut chosen = choose(&statistics, values, settings);
    for run in half..settings.runs {
        for side in [Side::First, Side::Second] {
            let released = mechanism(side, run).map_err(NoFinding::Mechanism)?;
            for tested in &mut chosen {
                if tested.event.holds(tested.event.statistic.of(first, second, &released)) {
                    *(if side == tested.more_likely { &mut tested.often } else { &mut tested.seldom }) += 1;
                }
            }
        }
    }
    let trials = settings.runs - half;
    // Two limits for each event.
    let level = (1.0 - settings.confidence) / (2 * chosen.len().max(1)) as f64;
    for tested in &mut chosen {
        tested.epsilon = limit(tested.often, tested.seldom, trials, level, settings.delta);
    }
    chosen.sort_by(|one, other| other.epsilon.total_cmp(&one.epsilon));
    let epsilon = chosen.first().map_or(0.0, |best| best.epsilon.max(0.0));
    let (confidence, delta) = (settings.confidence, settings.delta);
    Ok(Finding { epsilon, confidence, delta, tested: trials, events: chosen })
}

/// The largest ε that so many runs on each table can show, with one event: it happens on one side
/// always, on the other never. A claimed loss above it cannot be contradicted.
pub fn largest_visible(runs: u64, confidence: f64, delta: f64) -> f64 {
    let trials = runs - runs / 2;
    limit(trials, 0, trials, (1.0 - confidence) / 2.0, delta).max(0.0)
}

/// `ln((p − δ)/q)` with p and q at their limits, each wrong with probability at most `level`.
fn limit(often: u64, seldom: u64, trials: u64, level: f64, delta: f64) -> f64 {
    let above = least_rate(often, trials, level) - delta;
    if above <= 0.0 { f64::NEG_INFINITY } else { (above / upper_limit(seldom, trials, level)).ln() }
}

fn check(tables: [&[i64]; 2], settings: &Runs) -> Result<(), String> {
    if tables[0].len() != tables[1].len() {
        let sizes = format!("{} and {} cells", tables[0].len(), tables[1].len());
        return Err(format!("the two tables have {sizes}; hint: neighbours have the same cells"));
    }
    if tables[0] == tables[1] {
        return Err("the two tables are equal, so every release has the same law; hint: move a record".into());
    }
    if settings.runs < 4 || settings.events == 0 {
        return Err("an audit needs at least 4 runs on each table and one event".into());
    }
    let within = settings.confidence > 0.0 && settings.confidence < 1.0 && (0.0..1.0).contains(&settings.delta);
    if !within {
        return Err("confidence must be above 0 and below 1, delta at least 0 and below 1".into());
    }
    Ok(())
}

/// The most promising events, at most one per statistic.
fn choose(statistics: &[Statistic], values: Vec<[Vec<i128>; 2]>, settings: &Runs) -> Vec<Chosen> {
    let best = |(statistic, values): (&Statistic, [Vec<i128>; 2])| best_event(statistic, values, settings.delta);
    let mut scored: Vec<(f64, Chosen)> = statistics.iter().zip(values).filter_map(best).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Events that promise much less than the best would only take confidence from it.
    let least = scored.first().map_or(0.0, |(score, _)| 0.5 * score);
    let promising = scored.into_iter().filter(|(score, _)| *score >= least);
    promising.map(|(_, chosen)| chosen).take(settings.events).collect()
}

/// The threshold of a statistic whose log ratio is largest, less three of its standard errors.
fn best_event(statistic: &Statistic, mut values: [Vec<i128>; 2], delta: f64) -> Option<(f64, Chosen)> {
    values.iter_mut().for_each(|values| values.sort_unstable());
    let trials = values[0].len() as f64;
    let mut thresholds: Vec<i128> = values.concat();
    thresholds.sort_unstable();
    thresholds.dedup();
    let mut best: Option<(f64, Chosen)> = None;
    for threshold in thresholds {
        for above in [false, true] {
            let counts = [0, 1].map(|side| {
                let values: &Vec<i128> = &values[side];
                match above {
                    true => values.len() - values.partition_point(|value| *value < threshold),
                    false => values.partition_point(|value| *value <= threshold),
                }
            });
            for (more_likely, often, seldom) in
                [(Side::First, counts[0], counts[1]), (Side::Second, counts[1], counts[0])]
            {
                let score = promise(often as f64, seldom as f64, trials, delta);
                if best.as_ref().is_none_or(|(most, _)| score > *most) {
                    let event = Event { statistic: statistic.clone(), threshold, above };
                    let chosen = Chosen { event, more_likely, often: 0, seldom: 0, epsilon: f64::NEG_INFINITY };
                    best = Some((score, chosen));
                }
            }
        }
    }
    best
}

/// A guess of the limit that an event will give: the log ratio less three standard errors of it.
fn promise(often: f64, seldom: f64, trials: f64, delta: f64) -> f64 {
    let (often, seldom) = (often + 0.5 - delta * trials, seldom + 0.5);
    if often <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let spread = (often + delta * trials) / (often * often) * (1.0 - (often / trials).min(1.0)) + 1.0 / seldom;
    (often / seldom).ln() - 3.0 * spread.max(0.0).sqrt()
}

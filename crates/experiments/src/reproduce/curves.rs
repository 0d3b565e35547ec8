//! Coupled chains of a walk, and the curves of how far from its law it still is.

use super::Rehearsal;
use super::findings::{Findings, duration, number};
use declare::{Kind, Problem};
use exact::{Rational, Seeded, Source};
use rayon::prelude::*;
use report::chart::{Axis, Chart, Series, Shape};
use std::fmt::Write as _;
use std::time::Instant;
use walk::{Kernel, Lagged, Walk, Wanted, meeting};

/// A walk whose chains are coupled.
pub struct Curve<'a> {
    /// Ends the names of its files.
    pub key: &'a str,
    /// What it is called in tables and figures.
    pub title: String,
    /// What was published about it.
    pub published: &'a str,
    pub walk: &'a Walk,
    /// Several lags: half and twice that of the median pair too.
    pub several: bool,
}

/// A curve has so many points.
const POINTS: u64 = 80;
/// The distance that counts as arrived in the tables, as in the figures of the papers.
const ARRIVED: f64 = 0.01;
/// Pairs that predict how long all will take.
const PILOT_PAIRS: u64 = 50;
/// The lag of pairs that are few.
const FEW_LAG: u64 = 100;

/// How pairs are tried where few are expected to meet.
#[derive(Debug, Clone, Copy)]
pub struct Tried {
    /// How many steps one chain is ahead.
    pub lag: u64,
    /// The steps after which a pair is given up.
    pub most: u64,
}
/// Pairs and rounds that choose a lag, and the predicted seconds after which one of them is given
/// up.
const LAG_PAIRS: u64 = 24;
const LAG_ROUNDS: u32 = 6;
const LAG_SECONDS: f64 = 5.0;
/// Steps by which the time of one is measured, at most.
const TIMED_STEPS: u32 = 20_000;

/// Couples chains, and adds the curves, a figure and rows to the findings. Nothing comes back where
/// pairs do not meet; the findings say so.
pub fn measure(run: &Rehearsal<'_>, findings: &mut Findings, case: &Curve<'_>) -> Result<Option<Lagged>, Problem> {
    let gather = |lag: Option<u64>| {
        let which = lag.map_or(String::new(), |lag| format!(", lag {lag}"));
        run.stage(&format!("{}, {}{which}", findings.name, case.title), run.pairs);
        let wanted = Wanted { pairs: run.pairs, distance: Rational::new(1, 1000u32), lag };
        case.walk.lagged(None, &wanted, &|pairs| run.done(pairs))
    };
    let middle = match settled_lag(run, case.walk).and_then(gather) {
        Err(problem) if problem.kind == Kind::Refused => {
            findings.row(format!("{}: steps", case.title), case.published, problem.message);
            return Ok(None);
        }
        gathered => gathered?,
    };
    let lag = middle.lag;
    let mut all = vec![middle];
    if case.several {
        all.insert(0, gather(Some((lag / 2).max(1)))?);
        all.push(gather(Some(lag * 2))?);
    }
    add(findings, case, &all)?;
    Ok(all.into_iter().find(|evidence| evidence.lag == lag))
}

fn add(findings: &mut Findings, case: &Curve<'_>, all: &[Lagged]) -> Result<(), Problem> {
    let lagged = |text: &dyn Fn(&Lagged) -> u64| {
        let one = |evidence: &Lagged| match all.len() {
            1 => number(text(evidence)),
            _ => format!("{} (L = {})", number(text(evidence)), number(evidence.lag)),
        };
        all.iter().map(one).collect::<Vec<String>>().join(", ")
    };
    let title = &case.title;
    findings.row(
        format!("{title}: steps until the estimate is below 1 %"),
        case.published,
        lagged(&|evidence| steps_until(evidence, ARRIVED)),
    );
    findings.measured(
        format!("{title}: steps until the 99 % limit is below 1 %"),
        lagged(&|evidence| evidence.steps_for(ARRIVED)),
    );
    let evidence = &all[all.len() / 2];
    let median = evidence.meetings[evidence.meetings.len() / 2];
    let latest = evidence.meetings[evidence.meetings.len() - 1];
    findings.measured(
        format!("{title}: meeting times"),
        format!(
            "median {}, latest {} of {} pairs (L = {})",
            number(median),
            number(latest),
            number(evidence.meetings.len() as u64),
            number(evidence.lag)
        ),
    );
    findings.measured(format!("{title}: a step"), step(case.walk)?);
    findings.file(&format!("-{}.csv", case.key), csv(all));
    findings.file(&format!("-{}.svg", case.key), figure(findings.name, case, all));
    Ok(())
}

/// The time of a step, and how far proposals along single vectors reach.
fn step(walk: &Walk) -> Result<String, Problem> {
    let seconds = step_seconds(walk)?;
    let range = walk.proposals().map_or(String::new(), |(least, most)| {
        let (least, most) = (least.to_f64(), most.to_f64());
        let rates = if most - least < 0.005 { format!("{least:.2}") } else { format!("{least:.2} to {most:.2}") };
        format!("; proposals along a vector a = e^−{rates}")
    });
    Ok(format!("{}{range}", duration(seconds)))
}

/// A lag that is not short beside the meeting times of pairs with that lag: chains that begin
/// nearly together meet sooner than others, so that a single round of pairs would choose too short
/// a lag for slow walks. Nothing where pairs do not meet soon: the walk then chooses, or refuses.
fn settled_lag(run: &Rehearsal<'_>, walk: &Walk) -> Result<Option<u64>, Problem> {
    let most = (LAG_SECONDS / walk.step_seconds()) as u64;
    let mut lag = FEW_LAG;
    for _ in 0..LAG_ROUNDS {
        run.stage("choosing the lag", LAG_PAIRS);
        let met = meetings(run, walk, LAG_PAIRS, lag, most)?;
        let mut met: Vec<u64> = met.into_iter().flatten().collect();
        if met.len() < LAG_PAIRS as usize {
            return Ok(None);
        }
        met.sort_unstable();
        // Half of it is a lag too.
        let median = met[met.len() / 2].max(2);
        let settled = median <= lag * 3 / 2;
        lag = median;
        if settled {
            break;
        }
    }
    Ok(Some(lag))
}

/// Says how long all pairs will take, from a few of them.
pub fn predict(run: &Rehearsal<'_>, walk: &Walk, name: &str) -> Result<(), Problem> {
    let pairs = PILOT_PAIRS.min(run.pairs);
    run.stage(&format!("{name}, a few pairs first"), pairs);
    let begun = Instant::now();
    let met = meetings(run, walk, pairs, FEW_LAG, u64::MAX)?;
    let seconds = begun.elapsed().as_secs_f64();
    let all = duration(seconds / pairs as f64 * run.pairs as f64);
    let latest = met.iter().flatten().max().copied().unwrap_or(0);
    run.note(&format!(
        "{name}: {pairs} pairs met within {} steps in {}: {} pairs will take about {all}",
        number(latest),
        duration(seconds),
        number(run.pairs)
    ));
    Ok(())
}

/// Couples a few pairs for so many steps at most, and adds a row that says how many met.
pub fn attempt(
    run: &Rehearsal<'_>,
    findings: &mut Findings,
    title: &str,
    walk: &Walk,
    Tried { lag, most }: Tried,
) -> Result<(), Problem> {
    let pairs = (run.pairs / 25).clamp(4, 20);
    run.stage(&format!("{}, {title}", findings.name), pairs);
    let met = meetings(run, walk, pairs, lag, most)?;
    let mut steps: Vec<u64> = met.into_iter().flatten().collect();
    steps.sort_unstable();
    let times = match steps.as_slice() {
        [] => String::new(),
        steps => {
            format!(", the earliest after {}, the latest after {}", number(steps[0]), number(steps[steps.len() - 1]))
        }
    };
    findings.measured(
        format!("{title}: pairs that met within {} steps", number(most)),
        format!(
            "{} of {pairs}{times} (L = {}); a step takes {}",
            steps.len(),
            number(lag),
            duration(step_seconds(walk)?)
        ),
    );
    Ok(())
}

/// The meeting times of a few pairs.
fn meetings(run: &Rehearsal<'_>, walk: &Walk, pairs: u64, lag: u64, most: u64) -> Result<Vec<Option<u64>>, Problem> {
    let ready = walk.ready();
    let starts = walk.starts()?;
    let kernel = |start: &Vec<i64>| walk.kernel(&ready, start.clone(), &walk.sums_of(start));
    let kernels: Vec<_> = starts.iter().map(kernel).collect();
    let pair = |pair: usize| {
        let (kernel, start) = (&kernels[pair % starts.len()], &starts[pair % starts.len()]);
        let mut bits = Seeded::new(23).stream(pair as u64).map_err(|error| Problem::system(error.to_string()))?;
        let met = meeting(kernel, start, lag, most, &mut bits);
        run.done(1);
        Ok(met)
    };
    (0..pairs as usize).into_par_iter().with_max_len(1).map(pair).collect()
}

/// The seconds of one step on one core, from tables like those of the law.
pub fn step_seconds(walk: &Walk) -> Result<f64, Problem> {
    let ready = walk.ready();
    let start = walk.starts()?.swap_remove(0);
    let kernel = walk.kernel(&ready, start.clone(), &walk.sums_of(&start));
    let mut state = kernel.start(start);
    let mut bits = Seeded::new(1).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    let mut pass = || {
        let (begun, mut steps) = (Instant::now(), 0);
        while steps < TIMED_STEPS && begun.elapsed().as_millis() < 500 {
            kernel.step(&mut state, &mut bits);
            steps += 1;
        }
        begun.elapsed().as_secs_f64() / f64::from(steps)
    };
    // The first steps fill what later ones find ready.
    pass();
    Ok(pass())
}

/// The fewest steps after which the estimate is at most this distance.
fn steps_until(evidence: &Lagged, distance: f64) -> u64 {
    let (mut low, mut high) = (0, evidence.meetings.last().copied().unwrap_or(0));
    while low < high {
        let middle = low + (high - low) / 2;
        if evidence.estimate(middle) <= distance { high = middle } else { low = middle + 1 }
    }
    high
}

/// The last step of curves: beyond the latest meeting, where the upper limit is small.
fn end(all: &[Lagged]) -> u64 {
    let latest = all.iter().filter_map(|evidence| evidence.meetings.last()).max();
    let small = all.iter().map(|evidence| evidence.steps_for(ARRIVED / 20.0)).max();
    small.max(latest.copied()).unwrap_or(1).max(1)
}

fn steps_of(all: &[Lagged]) -> Vec<u64> {
    let end = end(all);
    let mut steps: Vec<u64> = (0..=POINTS).map(|point| end * point / POINTS).collect();
    steps.dedup();
    steps
}

fn csv(all: &[Lagged]) -> String {
    let mut text = "lag,steps,estimate,lower,upper\n".to_owned();
    for evidence in all {
        for steps in steps_of(all) {
            let (estimate, lower, upper) = (evidence.estimate(steps), evidence.at_least(steps), evidence.bound(steps));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{},{steps},{estimate:.6e},{lower:.6e},{upper:.6e}", evidence.lag);
        }
    }
    text
}

fn figure(name: &str, case: &Curve<'_>, all: &[Lagged]) -> String {
    let pairs = all.iter().map(|evidence| evidence.meetings.len()).max().unwrap_or(0);
    let steps = steps_of(all);
    let title = format!("{name}: {}, {} pairs", case.title, number(pairs as u64));
    let last = steps.last().copied().unwrap_or(1) as f64;
    let at = |value: &dyn Fn(u64) -> f64| steps.iter().map(|at| (*at as f64, value(*at))).collect::<Vec<_>>();
    let series = all.iter().zip(["c0", "c1", "c2", "c3"].into_iter().cycle()).flat_map(|(evidence, colour)| {
        let between = steps.iter().map(|at| (*at as f64, evidence.at_least(*at), evidence.bound(*at)));
        let lag = number(evidence.lag);
        [
            Series::new(format!("band {colour}"), Shape::Band(between.collect())),
            Series::named(
                format!("limit {colour}"),
                format!("L = {lag}, upper limit, 99 %"),
                Shape::Line(at(&|steps| evidence.bound(steps))),
            ),
            Series::named(colour, format!("L = {lag}"), Shape::Line(at(&|steps| evidence.estimate(steps)))),
        ]
    });
    let chart = Chart {
        label: &title,
        size: (640.0, 300.0),
        across: Axis::linear("steps of the walk", 0.0, last),
        up: Axis::logarithmic("distance from the law", -4, 0),
        series: series.collect(),
    };
    chart.file()
}

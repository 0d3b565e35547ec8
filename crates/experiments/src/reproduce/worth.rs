//! How many independent draws a second of walking is worth: two walks in the same fibre, side by
//! side.

use super::Rehearsal;
use super::curves::{Curve, measure, predict, step_seconds};
use super::findings::{Findings, duration, number};
use declare::Problem;
use exact::{Seeded, Source, Stream};
use rayon::prelude::*;
use std::time::Instant;
use walk::{Kernel, LatticeKernel, State, Walk, effective_size, split_r_hat};

/// Chains of each walk, and points of every trace.
const CHAINS: u64 = 4;
const POINTS: u64 = 10_000;
/// The seconds that each chain of each walk gets, where at least so many pairs are asked for; fewer
/// pairs, less time.
const SECONDS: f64 = 50.0;
const PAIRS: u64 = 1000;
/// Cells whose values are traced, besides the energy.
const CELLS: usize = 24;
/// Above this split-R̂ chains have not forgotten their starts.
const AGREE: f64 = 1.05;
/// Steps of the first walk that are made before traces begin, for both.
const FORGET: u64 = 300;

/// The traces of one chain of each walk, number by number, and the seconds that each took.
struct Chain {
    traces: [Vec<Vec<f64>>; 2],
    seconds: [f64; 2],
}

/// A chain that is being traced.
struct Traced<'a> {
    kernel: LatticeKernel<'a>,
    state: State,
    bits: Stream,
    traces: Vec<Vec<f64>>,
    seconds: f64,
}

impl Traced<'_> {
    /// Makes so many steps, then notes the numbers.
    fn advance(&mut self, steps: u64) {
        let begun = Instant::now();
        for _ in 0..steps {
            self.kernel.step(&mut self.state, &mut self.bits);
        }
        self.seconds += begun.elapsed().as_secs_f64();
        let values = self.kernel.values(&self.state);
        let apart = (values.len() / CELLS).max(1);
        let traced = values.iter().step_by(apart).take(CELLS).map(|value| *value as f64);
        for (trace, number) in self.traces.iter_mut().zip(traced.chain([self.kernel.energy(&self.state)])) {
            trace.push(number);
        }
    }
}

/// Runs both walks for the same time in alternating portions, so that a busy machine slows both
/// alike, and adds rows.
fn compare(
    run: &Rehearsal<'_>,
    findings: &mut Findings,
    title: &str,
    first: &str,
    walks: [&Walk; 2],
) -> Result<(), Problem> {
    run.stage(&format!("{}, {title}, effective draws per second", findings.name), CHAINS * POINTS);
    let seconds = SECONDS * run.pairs.min(PAIRS) as f64 / PAIRS as f64;
    let rates = [step_seconds(walks[0])?, step_seconds(walks[1])?];
    let [apart_first, apart_second] = rates.map(|rate| (seconds / POINTS as f64 / rate).round().max(1.0));
    // Where the first walk makes a step between points at least, the second gets as much time.
    let steps = [apart_first as u64, apart_second.max((rates[0] / rates[1]).round()) as u64];
    let chains: Vec<Chain> =
        (0..CHAINS).into_par_iter().map(|chain| both(run, walks, chain, steps)).collect::<Result<_, Problem>>()?;
    let traced = chains[0].traces[0].len();
    let traces = |walk: usize, number: usize| -> Vec<Vec<f64>> {
        chains.iter().map(|chain| chain.traces[walk][number].clone()).collect()
    };
    let worth = |walk: usize| -> Vec<f64> {
        let seconds: f64 = chains.iter().map(|chain| chain.seconds[walk]).sum();
        (0..traced).map(|number| effective_size(&traces(walk, number)) / seconds).collect()
    };
    let apart = |walk: usize| (0..traced).map(|number| split_r_hat(&traces(walk, number))).fold(1.0, f64::max);
    let (blocks, vectors) = (worth(0), worth(1));
    let seconds = |walk: usize| duration(chains.iter().map(|chain| chain.seconds[walk]).sum());
    let made = |steps: u64| number(CHAINS * POINTS * steps);
    for (name, walk, worth, steps) in [(first, 0, &blocks, steps[0]), ("single vectors", 1, &vectors, steps[1])] {
        let (energy, cells) = (worth[traced - 1], &worth[..traced - 1]);
        findings.measured(
            format!("{title}: effective draws per second, {name}"),
            format!(
                "cells: median {:.3}, worst {:.3}; energy {energy:.3} ({CHAINS} chains, {} steps, {}; largest split-R̂ {:.2})",
                median(cells),
                least(cells),
                made(steps),
                seconds(walk),
                apart(walk)
            ));
    }
    let ratios: Vec<f64> = blocks.iter().zip(&vectors).map(|(one, two)| one / two).collect();
    if apart(1) > AGREE {
        findings.notes.push(format!(
            "{title}: chains by single vectors have not forgotten their starts in this time (split-R̂ above {AGREE}), so their effective draws are \
             overestimated, and the ratio is an underestimate."
        ));
    }
    findings.measured(
        format!("{title}: {first} against single vectors, effective draws per second"),
        format!(
            "{:.0} times (median over {traced} traced numbers); worst number of each {:.0} times; least ratio of one number {:.0} times",
            median(&blocks) / median(&vectors),
            least(&blocks) / least(&vectors),
            least(&ratios)
        ));
    Ok(())
}

/// Distance curves of a walk by all moves, and what it and its lines are worth against single
/// vectors.
pub fn measured(run: &Rehearsal<'_>, findings: &mut Findings, title: &str, all: &Walk) -> Result<(), Problem> {
    predict(run, all, findings.name)?;
    let curve = Curve { key: "all", title: format!("{title}, all moves"), published: "", walk: all, several: false };
    measure(run, findings, &curve)?;
    let (lines, single) = (all.clone().without_whole_tables(), all.clone().without_lines());
    compare(run, findings, title, "all moves", [all, &single])?;
    compare(run, findings, title, "lines and vectors", [&lines, &single])
}

/// One chain of each walk from the same table, which the first walk has reached.
fn both(run: &Rehearsal<'_>, walks: [&Walk; 2], chain: u64, steps: [u64; 2]) -> Result<Chain, Problem> {
    // One centre for all chains: with bounds another would have another law.
    let start = walks[0].starts()?.swap_remove(0);
    let ready = [walks[0].ready(), walks[1].ready()];
    let mut traced = Vec::new();
    let mut begin = start.clone();
    for (place, (walk, ready)) in walks.iter().zip(&ready).enumerate() {
        let kernel = walk.kernel(ready, start.clone(), &walk.sums_of(&start));
        let source = Seeded::draw(22, place as u64);
        let mut bits = source.stream(chain).map_err(|error| Problem::system(error.to_string()))?;
        if place == 0 {
            let mut state = kernel.start(begin);
            (0..FORGET).for_each(|_| {
                kernel.step(&mut state, &mut bits);
            });
            begin = state.values;
        }
        let state = kernel.start(begin.clone());
        traced.push(Traced { kernel, state, bits, traces: vec![Vec::new(); CELLS.min(start.len()) + 1], seconds: 0.0 });
    }
    for _ in 0..POINTS {
        traced[0].advance(steps[0]);
        traced[1].advance(steps[1]);
        run.done(1);
    }
    let [one, two] = [traced.remove(0), traced.remove(0)];
    Ok(Chain { traces: [one.traces, two.traces], seconds: [one.seconds, two.seconds] })
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

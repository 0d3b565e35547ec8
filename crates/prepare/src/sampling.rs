//! How a prepared table is drawn: given what must hold, or freely and then projected.

use analyse::Fibre;
use certify::totals_of;
use declare::{Cell, Conditions, Grouping, Problem};
use draw::{
    BlockDraw, Drawn, Exactness, KeepingKey, Measured, NoiseLaw, TableNoise, TableSampler, draw_reals, measure,
    measure_reals,
};
use exact::{Rational, Source, SystemEntropy};
use plan::{Plan, PlannedBlock, Projection};
use publish::no_draw;
use rayon::prelude::*;
use std::fmt;
use zeroize::Zeroize;

/// The noise on sums of cells. Confidential.
pub struct NoisySums {
    /// The rate of every query.
    pub rates: Vec<Rational>,
    /// Its sums in the table.
    pub sums: Vec<Vec<i64>>,
}

impl NoisySums {
    /// What a sampler must know of the noise on sums of cells: the rate of every query, and its
    /// sums in a table.
    pub fn of(plan: &Plan, conditions: &Conditions, counts: &[i64]) -> Result<NoisySums, Problem> {
        let rates = plan.queries.iter().map(|query| query.rate.clone()).collect();
        let queries: Vec<Grouping> = conditions.queries.iter().map(|query| query.grouping.clone()).collect();
        Ok(NoisySums { rates, sums: totals_of(&queries, counts)? })
    }
}

impl fmt::Debug for NoisySums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoisySums({} queries, redacted)", self.rates.len())
    }
}

impl Drop for NoisySums {
    fn drop(&mut self) {
        self.sums.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// A prepared table, ready to be drawn as often as wanted. Confidential: it holds the counts.
#[derive(Debug)]
pub enum Sampling<'a> {
    /// Noise given what must hold.
    Given(Box<TableSampler<'a>>),
    /// Real-valued noise, for research.
    Reals(&'a NoiseLaw, Vec<BlockDraw<'a>>, &'a [i64]),
    /// Noise drawn freely; what is released is computed from the noisy measurements.
    Projected(Measurements<'a>, Projections<'a>),
}

/// What is measured. Confidential: it holds the counts.
#[derive(Debug)]
pub struct Measurements<'a> {
    noise: TableNoise<'a>,
    fibres: Vec<&'a Fibre>,
    counts: &'a [i64],
}

/// The solvers of all blocks. They are made of the plan alone and so are public: theorem G7 rests
/// on that.
#[derive(Debug)]
pub struct Projections<'a> {
    blocks: Vec<Box<dyn Projection>>,
    fixed: &'a [(Cell, i64)],
    cells: usize,
}

/// One draw.
#[derive(Debug)]
pub enum Sample<S> {
    /// Integers.
    Counts(Drawn<S>),
    /// Real numbers, never certified.
    Reals(Vec<f64>),
}

impl<'a> Projections<'a> {
    /// The solvers of a plan.
    ///
    /// # Errors
    /// When no table keeps what must hold, or when a solver does not take a block.
    pub fn new(plan: &'a Plan) -> Result<Projections<'a>, Problem> {
        let blocks: Vec<Option<Box<dyn Projection>>> =
            plan.blocks.par_iter().map(PlannedBlock::projection).collect::<Result<_, _>>()?;
        match blocks.into_iter().collect() {
            Some(blocks) => Ok(Projections { blocks, fixed: &plan.fixed, cells: plan.cells }),
            None => Err(Problem::refused("some blocks are projected and others are not")),
        }
    }

    /// Searches tell so many cases apart before they are given up.
    pub fn limited_to(mut self, most_cases: u64) -> Projections<'a> {
        self.blocks = self.blocks.into_iter().map(|block| block.limited_to(most_cases)).collect();
        self
    }

    /// The table that measurements become.
    pub fn of<S: Source>(&self, measured: Measured<'_, S>) -> Result<Drawn<S>, Problem> {
        let nearest = |block: usize, measured: &[i64]| self.blocks[block].integer(measured);
        measured.project(self.cells, self.fixed, nearest)
    }

    fn reals(&self, fibres: &[&Fibre], measured: &[Vec<f64>]) -> Result<Vec<f64>, Problem> {
        let projected = self.blocks.par_iter().zip(measured).map(|(block, measured)| block.real(measured));
        let projected: Vec<Vec<f64>> = projected.collect::<Result<_, _>>()?;
        let mut values = vec![0.0; self.cells];
        self.fixed.iter().for_each(|(cell, value)| values[*cell] = *value as f64);
        for (fibre, counts) in fibres.iter().zip(projected) {
            fibre.cells.iter().zip(counts).for_each(|(cell, count)| values[*cell as usize] = count);
        }
        Ok(values)
    }
}

impl Sampling<'_> {
    /// Draws the table, integers or reals as its noise is.
    pub fn sample<S: Source>(&self, source: &S, progress: &(dyn Fn(u64) + Sync)) -> Result<Sample<S>, Problem> {
        match self {
            Sampling::Given(sampler) => sampler.draw(source, progress).map(Sample::Counts),
            Sampling::Reals(law, blocks, counts) => draw_reals(law, blocks, counts, source).map(Sample::Reals),
            Sampling::Projected(Measurements { noise, fibres, counts }, projections) if noise.law.is_integer() => {
                let measured = measure(*noise, fibres, counts, source, progress)?;
                projections.of(measured).map(Sample::Counts)
            }
            Sampling::Projected(Measurements { noise, fibres, counts }, projections) => {
                let measured = measure_reals(noise.law, fibres, counts, source)?;
                projections.reals(fibres, &measured).map(Sample::Reals)
            }
        }
    }

    /// Draws the table of a release. What is drawn is handed to `keep` first, as bytes that the key
    /// opens: the counts, or the measurements of which they will be made.
    ///
    /// # Errors
    /// Also refused when the noise is real-valued.
    pub fn draw_kept(
        &self,
        source: &SystemEntropy,
        progress: &(dyn Fn(u64) + Sync),
        key: &KeepingKey,
        keep: &mut dyn FnMut(&[u8]),
    ) -> Result<Drawn<SystemEntropy>, Problem> {
        match self {
            Sampling::Given(sampler) => {
                let drawn = sampler.draw(source, progress)?;
                keep(&drawn.keep(key)?);
                Ok(drawn)
            }
            Sampling::Projected(Measurements { noise, fibres, counts }, projections) if noise.law.is_integer() => {
                let measured = measure(*noise, fibres, counts, source, progress)?;
                keep(&measured.keep(key)?);
                projections.of(measured)
            }
            _ => self.draw(source, progress),
        }
    }

    /// Draws a table of integers.
    ///
    /// # Errors
    /// Also refused when the noise is real-valued.
    pub fn draw<S: Source>(&self, source: &S, progress: &(dyn Fn(u64) + Sync)) -> Result<Drawn<S>, Problem> {
        match self.sample(source, progress)? {
            Sample::Counts(drawn) => Ok(drawn),
            Sample::Reals(_) => Err(Problem::refused("real-valued noise makes no table of counts")),
        }
    }
}

/// The measurements that were kept of a plan that projects.
pub fn kept_measurements<'a>(
    plan: &'a Plan,
    exactness: &Exactness,
    bytes: &[u8],
    key: &KeepingKey,
) -> Result<Measured<'a, SystemEntropy>, Problem> {
    Measured::kept(bytes, key, &fibres_of(plan), exactness.clone())
}

/// The fibres onto which a plan projects.
fn fibres_of(plan: &Plan) -> Vec<&Fibre> {
    plan.blocks.iter().filter_map(PlannedBlock::planned_projection).map(|planned| &planned.fibre).collect()
}

/// The table that was kept, or that measurements which were kept become. Searches tell so many
/// cases apart before they are given up.
pub fn kept_draw(
    plan: &Plan,
    exactness: &Exactness,
    bytes: &[u8],
    key: &KeepingKey,
    most_cases: u64,
) -> Result<Drawn<SystemEntropy>, Problem> {
    match plan.is_projected() {
        true => {
            let projections = Projections::new(plan)?.limited_to(most_cases);
            projections.of(kept_measurements(plan, exactness, bytes, key)?)
        }
        false => Drawn::kept(bytes, key, plan.cells, exactness.clone()),
    }
}

/// A planned table, ready to be drawn as often as wanted.
pub fn sampling<'a>(plan: &'a Plan, counts: &'a [i64], noisy: &'a NoisySums) -> Result<Sampling<'a>, Problem> {
    sampling_by(TableSampler::new, plan, counts, noisy)
}

/// A planned table, ready to be drawn once: blocks drop what they need with their draw.
pub(crate) fn sampling_once<'a>(
    plan: &'a Plan,
    counts: &'a [i64],
    noisy: &'a NoisySums,
) -> Result<Sampling<'a>, Problem> {
    sampling_by(TableSampler::once, plan, counts, noisy)
}

/// How the blocks of a table are made ready.
type MakeReady<'a> = fn(TableNoise<'a>, &[BlockDraw<'a>], &'a [i64]) -> Result<TableSampler<'a>, Problem>;

fn sampling_by<'a>(
    ready: MakeReady<'a>,
    plan: &'a Plan,
    counts: &'a [i64],
    noisy: &'a NoisySums,
) -> Result<Sampling<'a>, Problem> {
    // No block would be drawn, so the confidential counts would stand as they are.
    if plan.is_suppressed() {
        return Err(no_draw());
    }
    let noise = TableNoise { law: &plan.law, rates: &noisy.rates, sums: &noisy.sums };
    if plan.is_projected() {
        let measurements = Measurements { noise, fibres: fibres_of(plan), counts };
        return Ok(Sampling::Projected(measurements, Projections::new(plan)?));
    }
    let blocks: Vec<BlockDraw<'a>> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    if !plan.law.is_integer() {
        return Ok(Sampling::Reals(&plan.law, blocks, counts));
    }
    let sampler = ready(noise, &blocks, counts)?.keeping(&plan.fixed);
    Ok(Sampling::Given(Box::new(sampler)))
}

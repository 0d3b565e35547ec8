//! Projected releases of small public tables, for comparison: likelihood-free rejection with the
//! projection itself.
//!
//! The law of a projection is not known, but it can be drawn from: a table of the prior is measured
//! with fresh noise, projected as the release was, and kept if the result is the released table.
//! Tables that are kept are independent and have the posterior as their law, with nothing
//! approximated; it takes as many tries as the release is improbable, so only small tables are
//! taken. Nothing here makes a claim about confidential tables: it shows what projecting costs on
//! data that are public.

use crate::basis::{Basis, Diagnosis, Wanted};
use crate::belief::Belief;
use crate::field::noisy_sums;
use crate::knowledge::{Knowledge, Prior};
use crate::posterior::Posterior;
use crate::release::{Known, Release};
use crate::several::Sources;
use analyse::{Fibre, ListLimits};
use declare::Problem;
use draw::{TableNoise, measure};
use exact::{Rational, Seeded};
use plan::{PlannedBlock, Projection};
use rayon::prelude::*;

/// Tables that are tried are all listed first.
const SMALL: ListLimits = ListLimits { cells: 64, tables: 20_000, values: 1 << 20, work: 20_000_000 };
/// Tries of one part, at most, and at once.
const MOST_TRIES: u64 = 2_000_000;
const WAVE: u64 = 1 << 13;
/// Fewer tables tell too little.
const FEWEST: usize = 50;

impl<'a> Posterior<'a> {
    /// The posterior of a projection of a small public table, under the flat prior.
    ///
    /// # Errors
    /// Refused for confidential data, for other releases, and where too many tables are possible or
    /// too few are kept.
    pub fn projected(
        release: &'a [Release],
        knowledge: &'a Knowledge,
        wanted: Wanted,
    ) -> Result<Posterior<'a>, Problem> {
        let [one] = release else {
            return Err(Problem::bad("a projection is compared by itself").hint("give one folder"));
        };
        check(one, knowledge)?;
        let sources = Sources::new(release, knowledge)?;
        let found = (0..sources.blocks.len()).map(|block| kept(&sources, one, block, wanted));
        let (beliefs, diagnoses) = found.collect::<Result<Vec<_>, Problem>>()?.into_iter().unzip();
        let fact = "likelihood-free rejection, for comparison on public data: tables of the flat prior are measured and projected again, and kept \
                    where the released table comes out"
            .to_string();
        let basis = Basis { prior: sources.prior.name(), fact, exact: false, diagnoses, distance: None };
        Ok(Posterior::of_blocks(sources, beliefs, basis))
    }
}

fn check(release: &Release, knowledge: &Knowledge) -> Result<(), Problem> {
    if release.known != Known::Projected {
        return Err(Problem::bad(format!("the release in `{}` is no projection: its law is known", release.name))
            .hint("leave out --projected"));
    }
    if !release.declaration.data.public {
        return Err(Problem::refused(format!(
            "the release in `{}` is a projection of confidential data: the law of its errors is not known, no exact figure follows from it, and \
             rejection is for comparing methods on public data",
            release.name
        ))
        .hint("release with method = \"condition\" and nonnegative = false: posteriors under any bounds are then exact"));
    }
    if knowledge.prior != Prior::Flat || !release.plan.law.is_integer() {
        return Err(Problem::refused("rejection takes the flat prior and whole numbers"));
    }
    Ok(())
}

/// Tables of one block that were kept.
fn kept(
    sources: &Sources<'_>,
    release: &Release,
    block: usize,
    wanted: Wanted,
) -> Result<(Belief, Diagnosis), Problem> {
    let fibre = sources.fibre_of_truths(block)?;
    let cells = fibre.cells.clone();
    let planned = release.plan.blocks.iter().find(|planned| planned.block.cells == cells);
    let planned =
        planned.ok_or_else(|| Problem::refused("what is known ties parts together that were projected apart"))?;
    let again = Again::new(release, planned)?;
    let listed = fibre.listed(&SMALL).map_err(|_| {
        Problem::refused(format!(
            "a part of {} cells has too many possible tables for rejection: at most {} are tried",
            cells.len(),
            SMALL.tables
        ))
        .hint("rejection is for small tables whose totals are exact; say --nonnegative")
    })?;
    let tables: Vec<Vec<i64>> = listed.tables().map(<[i64]>::to_vec).collect();
    let seed = wanted.seed.wrapping_add(0x9e37 * (block as u64 + 1));
    let (mut found, mut tried): (Vec<Vec<i64>>, u64) = (Vec::new(), 0);
    while found.len() < wanted.draws as usize && tried < MOST_TRIES {
        let one = |number: u64| {
            // Which table is tried is decided by bits of its own.
            let place = (mixed(seed ^ number) % tables.len() as u64) as usize;
            Ok(again.gives(&tables[place], seed, number)?.then(|| tables[place].clone()))
        };
        let wave = (tried..tried + WAVE).into_par_iter().map(one).collect::<Result<Vec<_>, Problem>>()?;
        found.extend(wave.into_iter().flatten());
        tried += WAVE;
    }
    found.truncate(wanted.draws as usize);
    if found.len() < FEWEST {
        return Err(Problem::refused(format!(
            "of {tried} tables that were measured and projected again {} became the released one, and at least {FEWEST} are needed",
            found.len()
        ))
        .hint("rejection is for small tables; a release with method = \"condition\" has a likelihood"));
    }
    let draws = found.len();
    let accepted = draws as f64 / tried as f64;
    let diagnosis = Diagnosis::Rejection { tried, draws, accepted };
    Ok((Belief::Tables { cells, weights: vec![1.0; draws], tables: found }, diagnosis))
}

/// A well-mixed number of another (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A block that is measured and projected again.
struct Again<'a> {
    release: &'a Release,
    fibre: &'a Fibre,
    projection: Box<dyn Projection>,
    rates: Vec<Rational>,
    released: Vec<i64>,
}

impl<'a> Again<'a> {
    fn new(release: &'a Release, planned: &'a PlannedBlock) -> Result<Again<'a>, Problem> {
        let unknown = || Problem::refused("how a part of the release was projected is not known");
        let projection = planned.projection()?.ok_or_else(unknown)?;
        let fibre = &planned.planned_projection().ok_or_else(unknown)?.fibre;
        let rates = release.plan.queries.iter().map(|query| query.rate.clone()).collect();
        let released = fibre.cells.iter().map(|cell| release.values[*cell as usize]).collect();
        Ok(Again { release, fibre, projection, rates, released })
    }

    /// Whether these counts, measured with fresh noise and projected, become the released ones.
    fn gives(&self, counts: &[i64], seed: u64, number: u64) -> Result<bool, Problem> {
        let mut table = self.release.values.clone();
        self.fibre.cells.iter().zip(counts).for_each(|(cell, count)| table[*cell as usize] = *count);
        let sums = noisy_sums(&self.release.conditions, &table)?;
        let noise = TableNoise { law: &self.release.plan.law, rates: &self.rates, sums: &sums };
        let measured = measure(noise, &[self.fibre], &table, &Seeded::draw(seed, number), &|_| {})?;
        let cells = &self.fibre.cells;
        let others = (0..table.len()).filter(|cell| !cells.contains(&(*cell as u32))).map(|cell| (cell, table[cell]));
        let others: Vec<(usize, i64)> = others.collect();
        let drawn = measured.project(table.len(), &others, |_, measured| self.projection.integer(measured))?;
        Ok(cells.iter().zip(&self.released).all(|(cell, own)| drawn.values()[*cell as usize] == *own))
    }
}

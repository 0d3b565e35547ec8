//! `Posterior`: what may be believed of the true table, given releases and what a reader knows.
//!
//! Under the flat prior and equalities alone it is the release minus noise, and its intervals cover
//! as often as they say (fact 2 of `proofs/location.md`). Bounds, rules and totals that a reader
//! adds are the engine of releases run around the released table (`proofs/posterior.md`). Other
//! priors and several releases need weights of their own (`weighted.rs`), bounds in a release
//! 1/Z(x) (`bounded.rs`).

use crate::base::{SingleCells, check_end};
use crate::basis::{Basis, Diagnosis, Wanted};
use crate::belief::{Belief, relative};
use crate::believed::{Believed, BelievedRate, of_draws, quantile};
use crate::bounded::{self, InTurn, Normalisers, Proposal, Run};
use crate::cascaded;
use crate::field::{Field, row_of};
use crate::knowledge::{Knowledge, Prior, check_posterior};
use crate::norm::SHORT;
use crate::pick::{stream, uniform};
use crate::query::Query;
use crate::release::{Release, check_different, distance};
use crate::several::{Sources, is_alone};
use crate::sums::{Sums, joined};
use crate::walked;
use crate::widths::Mixture;
use declare::{Cell, Conditions, Kind, Problem};
use draw::{Law, TableSampler};
use exact::Seeded;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// What tables are handed to, with their number.
type Visitor<'a> = dyn FnMut(u64, &[i64]) -> Result<(), Problem> + 'a;

/// What may be believed of the true table.
#[derive(Debug)]
pub struct Posterior<'a> {
    /// What the reader's tables satisfy, where that is more than the release says.
    pub(crate) sources: Option<Sources<'a>>,
    engine: Engine,
    /// Whether tables are drawn again until they satisfy what the reader knows.
    is_checked: bool,
    fixed: HashMap<u32, i64>,
    cells: usize,
    /// What it stands on.
    pub basis: Basis,
}

#[derive(Debug)]
enum Engine {
    /// The law of a release around its own table: exact draws, exact laws.
    Field(Box<Field>),
    /// Block by block.
    Blocks { beliefs: Vec<Belief>, block_of: HashMap<u32, usize> },
}

/// What normalisers of all draws together may be predicted to take.
const MOST_SECONDS: f64 = 60.0;
/// Counts of draws that are kept together, and draws that are kept of the largest tables.
const MOST_NUMBERS: usize = 60_000_000;
const FEWEST_KEPT: usize = 200;
/// Draws that break what a reader knows are drawn again; so many for one that does not.
const MOST_TRIES: u64 = 2000;

/// A block of an exact engine as a proposal.
struct FromField<'f> {
    sampler: TableSampler<'f>,
    cells: &'f [u32],
    /// What tables are drawn again for until they satisfy it.
    checked: Option<&'f Conditions>,
}

impl<'f> FromField<'f> {
    fn new(field: &'f Field, block: usize, checked: Option<&'f Conditions>) -> Result<FromField<'f>, Problem> {
        Ok(FromField { sampler: field.block_sampler(block)?, cells: &field.blocks[block].block.cells, checked })
    }
}

impl Proposal for FromField<'_> {
    fn propose(&self, seed: u64, draw: u64, table: &mut [i64]) -> Result<(), Problem> {
        for attempt in 0..MOST_TRIES {
            let number = if self.checked.is_some() { draw * MOST_TRIES + attempt } else { draw };
            let drawn = self.sampler.draw(&Seeded::draw(seed, number), &|_| {})?;
            self.cells.iter().for_each(|cell| table[*cell as usize] = drawn.values()[*cell as usize]);
            if self.checked.is_none_or(|conditions| conditions.check_table(table).is_ok()) {
                return Ok(());
            }
        }
        Err(Problem::refused("tables that satisfy what is known are too rare around the release to be drawn"))
    }
}

/// A block with weights as a proposal; those of base measures on single cells are part of them.
struct FromWeights<'a> {
    ready: Mixture,
    cells: Vec<u32>,
    alone: &'a SingleCells,
}

impl Proposal for FromWeights<'_> {
    fn propose(&self, seed: u64, draw: u64, table: &mut [i64]) -> Result<(), Problem> {
        let mut bits = stream(seed, draw)?;
        self.ready.draw(&mut || uniform(&mut bits), table);
        Ok(())
    }

    fn log_over(&self, table: &[i64]) -> f64 {
        self.cells.iter().map(|cell| self.alone.log(*cell, table[*cell as usize])).sum()
    }
}

impl<'a> Posterior<'a> {
    /// The posterior of one or several releases of the same table.
    ///
    /// # Errors
    /// Refused when the law of a release is not known; bad when releases or knowledge do not fit;
    /// infeasible when nothing satisfies what is known.
    pub fn new(releases: &'a [Release], knowledge: &'a Knowledge, wanted: Wanted) -> Result<Posterior<'a>, Problem> {
        check_different(releases)?;
        releases.iter().try_for_each(|release| check_posterior(release, releases.len() == 1))?;
        let [release] = releases else { return Posterior::weighted(releases, knowledge, wanted) };
        if release.plan.cascade.is_some() && !(release.is_free() && knowledge.is_nothing()) {
            return Posterior::cascaded(releases, knowledge, wanted);
        }
        if knowledge.prior != Prior::Flat || release.plan.law.base().is_some() {
            return Posterior::weighted(releases, knowledge, wanted);
        }
        let distance = distance(releases);
        if release.is_free() && knowledge.is_nothing() {
            let fact = "equalities alone and the flat prior: the posterior is the release minus its noise, and its intervals cover as often \
                        as they say, whatever the true table";
            return Ok(Posterior::of_field(Field::of_release(release)?, Basis::flat(fact, distance), None));
        }
        let one_norm = !release.plan.law.is_product();
        if one_norm && release.is_free() {
            match Posterior::weighted(releases, knowledge, wanted) {
                // Too many sums for the messages of every width: there are other ways.
                Err(problem) if problem.kind == Kind::Refused => {}
                found => return found,
            }
        }
        let sources = Sources::new(releases, knowledge)?;
        // Fields weigh the cells of blocks alone, and one norm takes in those that are fixed.
        let beside = one_norm && sources.squares_of_fixed() > 0.0;
        let around = || match beside {
            true => Err(not_around(release)),
            false => Field::around(release, &sources.conditions, &sources.totals),
        };
        let alone = SingleCells::of(releases);
        if !release.is_free() && one_norm && !sources.asks_as(release) {
            let proposal = |sources: &Sources<'a>, block: usize| -> Result<Box<dyn Proposal + '_>, Problem> {
                let (ready, _) = sources.weighted(block, None)?;
                Ok(Box::new(FromWeights { ready, cells: sources.blocks[block].cells.clone(), alone: &alone }))
            };
            match Posterior::with_normalisers(sources.clone(), wanted, proposal) {
                Err(problem) if problem.kind == Kind::Refused && !beside => {}
                found => return found,
            }
        }
        if !release.is_free() && (sources.asks_as(release) || knowledge.totals.is_empty()) {
            let own = Field::of_release(release)?;
            let blocks = sources.blocks.iter().map(|block| own.block_of(&block.cells)).collect::<Option<Vec<usize>>>();
            let checked = (!sources.asks_as(release)).then(|| sources.conditions.clone());
            // What the release itself is drawn by draws around its own counts; what the reader adds
            // is checked, if it is one block.
            if let Some(blocks) = blocks.filter(|blocks| checked.is_none() || blocks.len() == 1)
                && (checked.is_none() || around().is_err())
            {
                let proposal = |_: &Sources<'a>, block: usize| -> Result<Box<dyn Proposal + '_>, Problem> {
                    Ok(Box::new(FromField::new(&own, blocks[block], checked.as_ref())?))
                };
                return Posterior::with_normalisers(sources, wanted, proposal);
            }
        }
        if beside && let Some(belief) = listed(&sources)? {
            let basis = Basis::flat(FACT_OF_LIST, distance);
            return Ok(Posterior::of_blocks(sources, vec![belief], basis));
        }
        let field = match around() {
            Ok(field) => field,
            Err(problem) if problem.kind == Kind::Refused && release.is_free() && knowledge.totals.is_empty() => {
                return Posterior::rejected(sources, distance)
                    .or_else(|_| Posterior::chained(Sources::new(releases, knowledge)?, wanted))
                    .map_err(|found| if found.kind == Kind::Refused { problem } else { found });
            }
            Err(problem) => return Err(problem),
        };
        if release.is_free() {
            let fact = "release with equalities, infer with bounds: the law of the release run around the released table, on all tables that \
                        the reader knows to be possible";
            return Ok(Posterior::of_field(field, Basis::flat(fact, distance), Some(sources)));
        }
        let proposal = |_: &Sources<'a>, block: usize| -> Result<Box<dyn Proposal + '_>, Problem> {
            Ok(Box::new(FromField::new(&field, block, None)?))
        };
        Posterior::with_normalisers(sources, wanted, proposal)
    }

    /// A release by a cascade, under bounds or a prior.
    fn cascaded(releases: &'a [Release], knowledge: &'a Knowledge, wanted: Wanted) -> Result<Posterior<'a>, Problem> {
        if !knowledge.totals.is_empty() {
            return Err(Problem::refused("a cascade is not drawn around totals that are not its own")
                .hint("leave out --total; bounds, rules and priors are taken"));
        }
        let sources = Sources::new(releases, knowledge)?;
        let (beliefs, diagnoses) = cascaded::beliefs(&sources, wanted, MOST_SECONDS)?;
        let exact = diagnoses.is_empty();
        let fact = match exact {
            true => {
                "a cascade whose totals nest: its probability is a product of splits, which is summed over all tables from split to split"
            }
            false => {
                "a cascade: its probability is a product of splits that are all known, and draws are weighted by it exactly"
            }
        };
        let basis = Basis { prior: sources.prior.name(), fact: fact.into(), exact, diagnoses, distance: None };
        Ok(Posterior::of_blocks(sources, beliefs, basis))
    }

    /// Where no operator draws under what the reader knows: the release minus noise, until it fits.
    fn rejected(sources: Sources<'a>, distance: Option<f64>) -> Result<Posterior<'a>, Problem> {
        let fact = "release with equalities, infer with bounds: the release minus fresh noise, drawn again until it is a table that the reader \
                    knows to be possible; laws are those of draws";
        let field = Field::of_release(&sources.releases[0])?;
        let found = Posterior::of_field(field, Basis::flat(fact, distance), Some(sources));
        let posterior = Posterior { is_checked: true, ..found };
        posterior.draw(1, 0, &mut |_, _| Ok(()))?;
        Ok(posterior)
    }

    /// Where such tables are too rare to be met by chance: chains of short steps.
    fn chained(sources: Sources<'a>, wanted: Wanted) -> Result<Posterior<'a>, Problem> {
        let (beliefs, diagnoses) = walked::beliefs(&sources, wanted, MOST_SECONDS)?;
        let fact = "release with equalities, infer with bounds: the law of the release around the released table, on all tables that the \
                    reader knows to be possible, walked through by chains because no operator draws from it";
        let distance = distance(sources.releases);
        let basis = Basis { prior: "flat", fact: fact.into(), exact: false, diagnoses, distance };
        Ok(Posterior::of_blocks(sources, beliefs, basis))
    }

    fn of_field(field: Field, basis: Basis, sources: Option<Sources<'a>>) -> Posterior<'a> {
        let (fixed, cells) = (by_cell(&field.fixed), field.centre.len());
        Posterior { sources, cells, fixed, engine: Engine::Field(Box::new(field)), is_checked: false, basis }
    }

    /// Priors other than the flat one, and several releases.
    fn weighted(releases: &'a [Release], knowledge: &'a Knowledge, wanted: Wanted) -> Result<Posterior<'a>, Problem> {
        let mut norms = releases.iter().filter(|release| !release.plan.law.is_product());
        if let (Some(release), other) = (norms.next(), norms.next()) {
            if let Some(other) = other {
                return Err(Problem::refused(format!(
                    "the noise of `{}` and of `{}` is one norm over all cells each, and two of them are not put together",
                    release.name, other.name
                )));
            }
            if let Some(bounded) = releases.iter().find(|release| !release.is_free()) {
                return Err(Problem::refused(format!(
                    "the noise of `{}` is one norm over all cells, and the law of `{}` depends on the true table: it cannot be put \
                     together with a prior or another release",
                    release.name, bounded.name
                )));
            }
        }
        let sources = Sources::new(releases, knowledge)?;
        if releases.iter().any(|release| !release.is_free()) {
            let alone = SingleCells::of(releases);
            let proposal = |sources: &Sources<'a>, block: usize| -> Result<Box<dyn Proposal + '_>, Problem> {
                let ready = sources.weighted_by(sources.network(block)?, &|cell, count| -alone.log(cell, count))?;
                let ready = Mixture::one(ready);
                Ok(Box::new(FromWeights { ready, cells: sources.blocks[block].cells.clone(), alone: &alone }))
            };
            return Posterior::with_normalisers(sources, wanted, proposal);
        }
        let made = (0..sources.blocks.len()).into_par_iter().map(|block| {
            let (ready, _) = sources.weighted(block, None)?;
            let laws = ready.laws().ok_or_else(|| Problem::refused("the weights of a block leave machine numbers"))?;
            Ok(Belief::Weighted { ready: Box::new(ready), laws, block })
        });
        let beliefs: Vec<Belief> = made.collect::<Result<_, Problem>>()?;
        let fact = match (releases.len(), &knowledge.prior) {
            (1, Prior::Flat) => {
                "release with equalities, infer with bounds: the law of the release around the released table, on all tables that the \
                 reader knows to be possible, as a sum over widths of its noise"
                    .to_string()
            }
            (1, prior) => format!(
                "the prior `{}` times the probability of the release, on all tables that are possible",
                prior.name()
            ),
            (number, Prior::Flat) => format!(
                "{number} releases of one table: the product of their probabilities; with equalities alone and the flat prior its intervals \
                 cover as often as they say"
            ),
            (number, prior) => {
                format!("the prior `{}` times the probabilities of {number} releases of one table", prior.name())
            }
        };
        let basis = Basis { prior: sources.prior.name(), ..Basis::flat(&fact, distance(releases)) };
        Ok(Posterior::of_blocks(sources, beliefs, basis))
    }

    /// Releases with bounds: every block gets its 1/Z(x).
    fn with_normalisers<'p>(
        sources: Sources<'a>,
        wanted: Wanted,
        proposal: impl Fn(&Sources<'a>, usize) -> Result<Box<dyn Proposal + 'p>, Problem>,
    ) -> Result<Posterior<'a>, Problem> {
        let normalisers = Normalisers::new(sources.releases)?;
        debug_assert!(sources.releases.iter().any(|release| !release.is_free()));
        let seconds = MOST_SECONDS / sources.blocks.len().max(1) as f64;
        // All draws of all blocks are kept.
        let most = (MOST_NUMBERS / sources.conditions.cells.max(1)).max(FEWEST_KEPT);
        let run = Run { cancel: wanted.cancel, draws: most.min(wanted.draws as usize), seed: wanted.seed, seconds };
        let mut base = sources.releases[0].values.clone();
        sources.fixed.iter().for_each(|(cell, value)| base[*cell] = *value);
        let mut found = Vec::new();
        let together = normalisers.together(&sources);
        let cut = (together.len() < sources.blocks.len()).then(|| sources.clone());
        let sources = if cut.is_some() { sources.joined(&together) } else { sources };
        let cut = cut.as_ref().unwrap_or(&sources);
        for (block, parts) in together.iter().enumerate() {
            let proposed = || -> Result<Box<dyn Proposal + 'p>, Problem> {
                match parts.as_slice() {
                    [one] => proposal(cut, *one),
                    _ => {
                        let each = parts.iter().map(|part| proposal(cut, *part));
                        Ok(Box::new(InTurn(each.collect::<Result<_, Problem>>()?)))
                    }
                }
            };
            // The laws of cells, where each is by itself in the one release and in truth.
            let alone = match sources.releases {
                [release] if is_alone(&sources, block) => {
                    bounded::alone(&sources, &sources.blocks[block].cells, release)?
                }
                _ => None,
            };
            found.extend(match alone {
                Some(laws) => {
                    let cells = laws.len();
                    vec![(Belief::Cells(laws), Diagnosis::Alone { cells })]
                }
                None if *sources.prior == Prior::Flat => {
                    check_end(&sources, block)?;
                    bounded::block(&sources, &normalisers, block, &base, &proposed, run)?
                }
                None => bounded::block(&sources, &normalisers, block, &base, &proposed, run)?,
            });
        }
        let (beliefs, diagnoses): (Vec<Belief>, Vec<Diagnosis>) = found.into_iter().unzip();
        let exact = diagnoses.iter().all(|found| matches!(found, Diagnosis::Listed { .. } | Diagnosis::Alone { .. }));
        let weighted = sources.releases.iter().any(|release| release.plan.law.base().is_some());
        let fact = match weighted {
            true => {
                "a base measure in the release: its probability is b(y)·w(y − x)/Z(x) with Z(x) the sum of b(y')·w(y' − x) over all \
                 tables y', so b(y) tells nothing and the posterior carries 1/Z(x)"
            }
            false => "bounds in the release: its probability is w(y − x)/Z(x), and the posterior carries 1/Z(x)",
        };
        let fact = fact.to_string();
        let basis = Basis { prior: sources.prior.name(), fact, exact, diagnoses, distance: distance(sources.releases) };
        Ok(Posterior::of_blocks(sources, beliefs, basis))
    }

    pub(crate) fn of_blocks(sources: Sources<'a>, beliefs: Vec<Belief>, basis: Basis) -> Posterior<'a> {
        let mut block_of = HashMap::new();
        for (number, belief) in beliefs.iter().enumerate() {
            block_of.extend(belief.cells().into_iter().map(|cell| (cell, number)));
        }
        let (fixed, cells, engine) =
            (by_cell(&sources.fixed), sources.conditions.cells, Engine::Blocks { beliefs, block_of });
        Posterior { sources: Some(sources), engine, is_checked: false, fixed, cells, basis }
    }

    /// The laws of queries; `None` where one is not listed.
    pub fn laws(&self, queries: &[Query]) -> Vec<Option<Law>> {
        match &self.engine {
            _ if self.is_checked => vec![None; queries.len()],
            Engine::Field(field) => {
                let sums = Sums::new(field);
                queries.par_iter().map(|query| sums.law(query)).collect()
            }
            Engine::Blocks { beliefs, block_of } => {
                queries.par_iter().map(|query| self.law_by_blocks(query, beliefs, block_of)).collect()
            }
        }
    }

    fn law_by_blocks(&self, query: &Query, beliefs: &[Belief], block_of: &HashMap<u32, usize>) -> Option<Law> {
        const BUDGET: u64 = 400_000_000;
        let (mut constant, mut budget) = (0i64, BUDGET);
        let mut by_block: BTreeMap<usize, Vec<(u32, i64)>> = BTreeMap::new();
        for (cell, times) in &query.entries {
            match block_of.get(cell) {
                Some(block) => by_block.entry(*block).or_default().push((*cell, *times)),
                None => constant = constant.checked_add(times.checked_mul(*self.fixed.get(cell)?)?)?,
            }
        }
        let mut sum = Law::point(constant);
        for (block, entries) in by_block {
            let law = match (beliefs[block].law(&entries, &mut budget), &beliefs[block], &self.sources) {
                (Some(law), ..) => law,
                (None, Belief::Weighted { block, .. }, Some(sources)) => {
                    let (ready, row) = sources.weighted(*block, Some(row_of(&entries, self.cells))).ok()?;
                    ready.row(row?)?
                }
                _ => return None,
            };
            sum = joined(&sum, &law, &mut budget)?;
        }
        Some(sum)
    }

    /// Tables drawn from it, handed on one by one. The same seed gives the same tables, whatever
    /// the number of threads.
    ///
    /// # Errors
    /// Those of the visitor, and refused when a cell has no law.
    pub fn draw(&self, draws: u64, seed: u64, visit: &mut Visitor<'_>) -> Result<(), Problem> {
        match &self.engine {
            Engine::Field(field) => {
                let sampler = field.sampler()?;
                let one = |number: u64| Ok(sampler.draw(&Seeded::draw(seed, number), &|_| {})?.into_values());
                let Some(sources) = self.sources.as_ref().filter(|_| self.is_checked) else {
                    return in_waves(draws, |draw| Ok((draw, one(draw)?)), visit);
                };
                for draw in 0..draws {
                    let mut tried = (0..MOST_TRIES).map(|attempt| one(draw * MOST_TRIES + attempt));
                    let good = |table: &Result<Vec<i64>, Problem>| match table {
                        Ok(table) => sources.conditions.check_table(table).is_ok(),
                        Err(_) => true,
                    };
                    let found = tried.find(good).ok_or_else(|| {
                        Problem::refused(
                            "tables that satisfy what is known are too rare among releases minus noise to be drawn",
                        )
                    })??;
                    visit(draw, &found)?;
                }
                Ok(())
            }
            Engine::Blocks { beliefs, .. } => {
                let mut fixed = vec![0; self.cells];
                self.fixed.iter().for_each(|(cell, value)| fixed[*cell as usize] = *value);
                let drawn = |draw: u64| {
                    let mut table = fixed.clone();
                    let mut bits = stream(seed, draw)?;
                    beliefs.iter().for_each(|belief| belief.draw(&mut bits, &mut table));
                    Ok((draw, table))
                };
                in_waves(draws, drawn, visit)
            }
        }
    }

    /// What is believed of queries: from their laws, and where these are not listed from draws.
    ///
    /// # Errors
    /// As [`Posterior::draw`].
    pub fn believed(&self, queries: &[Query], level: f64, wanted: Wanted) -> Result<Vec<Believed>, Problem> {
        let laws = self.laws(queries);
        let missing = queries.iter().zip(&laws).filter(|(_, law)| law.is_none()).map(|(query, _)| query.clone());
        let mut drawn = self.values(&missing.collect::<Vec<Query>>(), wanted)?.into_iter();
        let one = |(query, law): (&Query, Option<Law>)| match law {
            Some(law) => Believed::of(&query.name, &law, level, (!self.basis.exact).then_some(wanted.draws)),
            None => of_draws(&query.name, drawn.next().unwrap_or_default(), level),
        };
        Ok(queries.iter().zip(laws).map(one).collect())
    }

    /// The values of queries in draws of whole tables.
    pub(crate) fn values(&self, queries: &[Query], wanted: Wanted) -> Result<Vec<Vec<i128>>, Problem> {
        let mut values: Vec<Vec<i128>> = vec![Vec::with_capacity(wanted.draws as usize); queries.len()];
        if !queries.is_empty() {
            self.draw(wanted.draws, wanted.seed, &mut |_, table| {
                queries.iter().zip(&mut values).for_each(|(query, values)| values.push(query.value(table)));
                Ok(())
            })?;
        }
        Ok(values)
    }

    /// What is believed of rates: name, numerator and denominator of each.
    ///
    /// # Errors
    /// As [`Posterior::draw`]; refused when no draw has a denominator above zero.
    pub fn rates(
        &self,
        rates: &[(String, Query, Query)],
        level: f64,
        wanted: Wanted,
    ) -> Result<Vec<BelievedRate>, Problem> {
        let mut drawn: Vec<Vec<f64>> = vec![Vec::new(); rates.len()];
        self.draw(wanted.draws, wanted.seed, &mut |_, table| {
            for ((_, above, below), values) in rates.iter().zip(&mut drawn) {
                let below = below.value(table);
                if below > 0 {
                    values.push(above.value(table) as f64 / below as f64);
                }
            }
            Ok(())
        })?;
        let one = |((name, ..), mut values): (&(String, Query, Query), Vec<f64>)| {
            if values.is_empty() {
                return Err(Problem::refused(format!("no drawn table has a denominator of `{name}` above zero")));
            }
            values.sort_unstable_by(f64::total_cmp);
            let tail = (1.0 - level) / 2.0;
            Ok(BelievedRate {
                name: name.clone(),
                median: quantile(&values, 0.5),
                interval: [tail, 1.0 - tail].map(|probability| quantile(&values, probability)),
                without: 1.0 - values.len() as f64 / wanted.draws.max(1) as f64,
                draws: wanted.draws,
            })
        };
        rates.iter().zip(drawn).map(one).collect()
    }
}

/// Draws so many at once: all threads have work, and few tables wait.
fn in_waves(
    draws: u64,
    drawn: impl Fn(u64) -> Result<(u64, Vec<i64>), Problem> + Sync,
    visit: &mut Visitor<'_>,
) -> Result<(), Problem> {
    const WAVE: u64 = 16;
    for first in (0..draws).step_by(WAVE as usize) {
        let wave = (first..draws.min(first + WAVE)).into_par_iter().map(&drawn);
        for (draw, table) in wave.collect::<Result<Vec<_>, Problem>>()? {
            visit(draw, &table)?;
        }
    }
    Ok(())
}

/// What is said of a posterior whose tables are listed.
const FACT_OF_LIST: &str = "release with equalities, infer with bounds: the law of the release around the released table, on a list of all \
                            tables that the reader knows to be possible";

/// All tables that are possible, with their weights, where they are few. Noise by one norm makes
/// them one block.
fn listed(sources: &Sources<'_>) -> Result<Option<Belief>, Problem> {
    let [_] = sources.blocks.as_slice() else { return Ok(None) };
    let fibre = sources.fibre_of_truths(0)?;
    let Ok(listed) = fibre.listed(&SHORT) else { return Ok(None) };
    let mut table = sources.releases[0].values.clone();
    sources.fixed.iter().for_each(|(cell, value)| table[*cell] = *value);
    let tables: Vec<Vec<i64>> = listed.tables().map(<[i64]>::to_vec).collect();
    let weigh = |values: &Vec<i64>| {
        fibre.cells.iter().zip(values).for_each(|(cell, value)| table[*cell as usize] = *value);
        sources.log_weight(&table)
    };
    let logs: Vec<f64> = tables.iter().map(weigh).collect();
    Ok(Some(Belief::Tables { weights: relative(&logs)?, cells: fibre.cells, tables }))
}

fn not_around(release: &Release) -> Problem {
    Problem::refused(format!(
        "the noise of `{}` is one norm over all cells, what is known here gives some of them away, and the tables that are left are \
         too many to be listed and their sums too many for messages",
        release.name
    ))
    .hint("leave out --total, or equalities of --rule, that give single cells")
}

fn by_cell(fixed: &[(Cell, i64)]) -> HashMap<u32, i64> {
    fixed.iter().map(|(cell, value)| (*cell as u32, *value)).collect()
}

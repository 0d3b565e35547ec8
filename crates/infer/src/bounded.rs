//! Releases with bounds: the probability of a release is w(y − x)/Z(x), so the posterior carries
//! 1/Z(x).
//!
//! Block by block: where all true tables can be listed, each gets its weight and nothing is random;
//! elsewhere tables are drawn from the posterior without Z and weighted by 1/Z(x) (importance):
//! computed by a sum over a circle or by messages, or for two-way tables estimated without bias. Or
//! a chain is run whose every step draws a fresh release of the table it proposes, which cancels Z
//! (exchange). Leaving Z out is wrong; so is a supremum over releases, which is 1/Z(x) once more.
//! Proof: `proofs/posterior.md`.

use crate::base::BaseWeights;
use crate::basis::{Cancel, Diagnosis};
use crate::belief::{Belief, check_effective, relative, weigh};
use crate::counted::Counted;
use crate::energy::{energy, log_base, log_of_sum};
use crate::field::Field;
use crate::held::{Alone, Held};
use crate::knowledge::Prior;
use crate::norm::OneNorm;
use crate::pick::{stream, uniform};
use crate::release::Release;
use crate::several::Sources;
use crate::star::{self, Star, stars_of};
use crate::tree::{self, Tree};
use analyse::{ListLimits, Structure, Union};
use declare::Problem;
use draw::Law;
use exact::Seeded;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;
use walk::effective_size;

/// Lists that are short enough for a normaliser around every table.
const SHORT: ListLimits = ListLimits { cells: 64, tables: 2000, values: 1 << 17, work: 4_000_000 };
/// Fewer draws tell too little.
const FEWEST: usize = 100;
/// The normalisers of the fewest draws may be predicted to take so long.
const LONGEST_SECONDS: f64 = 120.0;
/// Steps of a chain that are left out at its beginning, one for so many.
const BURNED: usize = 10;

/// How the normaliser of a block is found.
#[derive(Debug)]
enum Way {
    /// By a sum over a circle.
    Stars(Vec<Star>),
    /// By sums over circles, from total to total.
    Tree(Box<Tree>),
    /// By a list of all tables.
    Listed(Box<OneNorm>),
    /// Its operator tells it.
    Told,
    /// Estimated without bias, up to a number that is the same for every table.
    Counted(Box<Counted>),
    /// Not at all.
    Unknown,
}

/// The normalisers of the releases that have bounds.
pub(crate) struct Normalisers<'a> {
    releases: Vec<(&'a Release, Field, Vec<OnceLock<Way>>)>,
}

impl<'a> Normalisers<'a> {
    pub(crate) fn new(releases: &'a [Release]) -> Result<Normalisers<'a>, Problem> {
        let bounded = releases.iter().filter(|release| !release.is_free());
        let releases = bounded.map(|release| {
            let field = Field::of_release(release)?;
            let ways = field.blocks.iter().map(|_| OnceLock::new()).collect();
            Ok((release, field, ways))
        });
        Ok(Normalisers { releases: releases.collect::<Result<_, Problem>>()? })
    }

    fn way(&self, (release, block): (usize, usize)) -> &Way {
        let (_, field, ways) = &self.releases[release];
        ways[block].get_or_init(|| {
            let tree = || Tree::of(field, block).map(|tree| Way::Tree(Box::new(tree)));
            let counted = || Counted::new(field, block).map(|counted| Way::Counted(Box::new(counted)));
            let told = || match field.log_normaliser_around(block, &field.centre) {
                Ok(Some(_)) => Way::Told,
                _ => Way::Unknown,
            };
            let listed = || OneNorm::of(field, block).map(|listed| Way::Listed(Box::new(listed)));
            stars_of(field, block).map(Way::Stars).or_else(listed).or_else(tree).or_else(counted).unwrap_or_else(told)
        })
    }

    /// Whether 1/Z of these blocks can be had, computed or estimated.
    fn are_told(&self, inside: &[(usize, usize)]) -> bool {
        inside.iter().all(|place| !matches!(self.way(*place), Way::Unknown))
    }

    /// Whether it is computed.
    pub(crate) fn are_computed(&self, inside: &[(usize, usize)]) -> bool {
        inside.iter().all(|place| matches!(self.way(*place), Way::Stars(_) | Way::Tree(_) | Way::Listed(_) | Way::Told))
    }

    /// The blocks of every release that lie among some cells and whose normaliser depends on the
    /// table.
    pub(crate) fn inside(&self, cells: &HashSet<u32>) -> Vec<(usize, usize)> {
        let of = |(number, (_, field, _)): (usize, &(&Release, Field, Vec<OnceLock<Way>>))| {
            let touches = |block: &usize| {
                field.plain(*block).is_none()
                    && field.blocks[*block].block.cells.iter().any(|cell| cells.contains(cell))
            };
            (0..field.blocks.len()).filter(touches).map(|block| (number, block)).collect::<Vec<_>>()
        };
        self.releases.iter().enumerate().flat_map(of).collect()
    }

    /// Which blocks of the true table belong together because the normaliser of one block of a
    /// release depends on all of them: a reader who knows totals cuts the table finer than the
    /// release does.
    pub(crate) fn together(&self, sources: &Sources<'_>) -> Vec<Vec<usize>> {
        let mut ties = Union::new(sources.blocks.len());
        let mut block_of: HashMap<u32, u32> = HashMap::new();
        for (number, block) in sources.blocks.iter().enumerate() {
            block_of.extend(block.cells.iter().map(|cell| (*cell, number as u32)));
        }
        for (_, field, _) in &self.releases {
            for (block, planned) in field.blocks.iter().enumerate() {
                // Cells that nothing ties have normalisers of their own.
                if field.plain(block).is_some() || matches!(planned.block.structure, Structure::Free) {
                    continue;
                }
                let mut touched = planned.block.cells.iter().filter_map(|cell| block_of.get(cell));
                let Some(first) = touched.next() else { continue };
                for other in touched {
                    ties.join(*first, *other);
                }
            }
        }
        let mut found: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        (0..sources.blocks.len()).for_each(|block| found.entry(ties.top(block as u32)).or_default().push(block));
        found.into_values().collect()
    }

    /// The release, where it is the only one, a block of it has these very cells and the reader
    /// knows no more than it says: then its releases are the true tables that are possible.
    fn own(&self, sources: &Sources<'_>, inside: &[(usize, usize)], cells: &[u32]) -> Option<&'a Release> {
        let ([(release, field, _)], [(0, block)], [_]) = (self.releases.as_slice(), inside, sources.releases) else {
            return None;
        };
        (sources.asks_as(release) && field.blocks[*block].block.cells == cells).then_some(*release)
    }

    /// The predicted seconds of ln Z of these blocks, asked for again and again around tables
    /// near each other.
    pub(crate) fn seconds_again(&self, inside: &[(usize, usize)]) -> f64 {
        let of = |place: &(usize, usize)| match self.way(*place) {
            Way::Tree(tree) => tree.seconds(),
            _ => self.seconds(&[*place]),
        };
        inside.iter().map(of).sum()
    }

    /// The predicted seconds of fresh releases of these blocks.
    pub(crate) fn seconds_of_releases(&self, inside: &[(usize, usize)]) -> f64 {
        inside.iter().map(|place| self.releases[place.0].1.blocks[place.1].work.prospect().seconds).sum()
    }

    /// The predicted seconds of ln Z of these blocks.
    fn seconds(&self, inside: &[(usize, usize)]) -> f64 {
        let of = |place: &(usize, usize)| match self.way(*place) {
            Way::Stars(stars) => stars.iter().map(Star::seconds).sum(),
            Way::Tree(_) => 5e-3,
            Way::Listed(listed) => listed.seconds(),
            _ => self.releases[place.0].1.blocks[place.1].work.prospect().seconds,
        };
        inside.iter().map(of).sum()
    }

    /// −ln Z of these blocks around a table: computed, or the logarithm of an estimate of 1/Z that
    /// is right on average.
    pub(crate) fn log_inverse(
        &self,
        inside: &[(usize, usize)],
        table: &[i64],
        seed: u64,
        draw: u64,
    ) -> Result<f64, Problem> {
        inside.iter().try_fold(0.0, |sum, (release, block)| {
            let field = &self.releases[*release].1;
            let way = self.way((*release, *block));
            let computed = match way {
                Way::Counted(counted) => return Ok(sum + counted.log_inverse(field, table, seed, draw)?),
                Way::Stars(stars) => stars.iter().map(|star| star.log_normaliser(table)).sum::<Option<f64>>(),
                Way::Tree(tree) => tree.log_normaliser(table),
                Way::Listed(listed) => Some(listed.log_normaliser(table)),
                Way::Told | Way::Unknown => None,
            };
            let log = match computed {
                None if !matches!(way, Way::Unknown) => field.log_normaliser_around(*block, table)?,
                computed => computed,
            };
            log.map(|log| sum - log).ok_or_else(|| {
                Problem::refused("the operator that drew the release does not tell Z(x)")
                    .hint("--cancel exchange runs a chain in which it cancels")
            })
        })
    }

    /// ln of w(u − x)/w(u − x') for fresh releases u of x', one of every block: what decides a step
    /// of the chain.
    pub(crate) fn exchange(
        &self,
        inside: &[(usize, usize)],
        x: &[i64],
        proposed: &[i64],
        seed: u64,
        step: u64,
    ) -> Result<f64, Problem> {
        let mut log = 0.0;
        for (place, (number, block)) in inside.iter().enumerate() {
            let (release, field, _) = &self.releases[*number];
            let source = Seeded::draw(seed ^ 0x5eed ^ ((place as u64 + 1) << 32), step);
            let fresh = field.drawn_around(&field.blocks[*block..=*block], &[], proposed, &source)?;
            // Outside the block the fresh table is the proposed one: what differs there is not part
            // of this release.
            let mut own = proposed.to_vec();
            field.blocks[*block].block.cells.iter().for_each(|cell| own[*cell as usize] = x[*cell as usize]);
            log += energy(release, &fresh, proposed) - energy(release, &fresh, &own);
        }
        Ok(log)
    }
}

/// What draws a block from the posterior without Z.
pub(crate) trait Proposal: Sync {
    /// A table whose cells outside the block are those of the given one.
    fn propose(&self, seed: u64, draw: u64, table: &mut [i64]) -> Result<(), Problem>;

    /// The logarithm of the posterior without Z over the law that is proposed from, up to a
    /// constant: zero where they are the same.
    fn log_over(&self, _table: &[i64]) -> f64 {
        0.0
    }
}

/// Several blocks, one after the other.
pub(crate) struct InTurn<'p>(pub(crate) Vec<Box<dyn Proposal + 'p>>);

impl Proposal for InTurn<'_> {
    fn propose(&self, seed: u64, draw: u64, table: &mut [i64]) -> Result<(), Problem> {
        let own = |number: usize| seed ^ ((number as u64) << 48);
        self.0.iter().enumerate().try_for_each(|(number, part)| part.propose(own(number), draw, table))
    }

    fn log_over(&self, table: &[i64]) -> f64 {
        self.0.iter().map(|part| part.log_over(table)).sum()
    }
}

/// What makes a proposal, where one is needed: that may take long.
pub(crate) type Proposed<'f, 'p> = dyn Fn() -> Result<Box<dyn Proposal + 'p>, Problem> + 'f;

/// How it is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) cancel: Cancel,
    pub(crate) draws: usize,
    pub(crate) seed: u64,
    /// What all draws of one block may be predicted to take.
    pub(crate) seconds: f64,
}

/// What may be believed of one block, with 1/Z(x), and how well it was found; in parts where
/// nothing ties them together.
pub(crate) fn block(
    sources: &Sources<'_>,
    normalisers: &Normalisers<'_>,
    number: usize,
    base: &[i64],
    proposal: &Proposed<'_, '_>,
    run: Run,
) -> Result<Vec<(Belief, Diagnosis)>, Problem> {
    let cells = sources.blocks[number].cells.clone();
    let inside = normalisers.inside(&cells.iter().copied().collect());
    let put = |values: &[i64]| {
        let mut table = base.to_vec();
        cells.iter().zip(values).for_each(|(cell, value)| table[*cell as usize] = *value);
        table
    };
    let held_by = normalisers.own(sources, &inside, &cells);
    // Where noise sits on sums all releases of a table are not weighed cell by cell.
    let own = held_by.filter(|release| release.conditions.queries.is_empty());
    if run.cancel == Cancel::Automatic
        && (own.is_some() || normalisers.are_computed(&inside))
        && let Ok(listed) = sources.fibre(number)?.listed(&SHORT)
        && !listed.is_empty()
    {
        let tables: Vec<Vec<i64>> = listed.tables().map(<[i64]>::to_vec).collect();
        // The base measure of all releases, where there is one.
        let bases = own.filter(|release| release.plan.law.base().is_some()).map(|release| {
            let of = |table: &Vec<i64>| log_base(&release.plan.law, cells.iter().copied().zip(table.iter().copied()));
            tables.iter().map(of).collect::<Vec<f64>>()
        });
        let weigh = |values: &Vec<i64>| {
            let table = put(values);
            let log = match own {
                // All releases of a table are the tables of the same list.
                Some(release) => match &bases {
                    None => -tables.iter().map(|other| (-between(release, other, values)).exp()).sum::<f64>().ln(),
                    Some(bases) => {
                        let own = tables.iter().zip(bases).map(|(other, base)| base - between(release, other, values));
                        -log_of_sum(&own.collect::<Vec<f64>>())
                    }
                },
                None => normalisers.log_inverse(&inside, &table, 0, 0)?,
            };
            Ok(sources.log_weight(&table) + log)
        };
        let logs: Vec<f64> = tables.par_iter().map(weigh).collect::<Result<_, Problem>>()?;
        let count = tables.len();
        let belief = Belief::Tables { cells, tables, weights: relative(&logs)? };
        return Ok(vec![(belief, Diagnosis::Listed { tables: count })]);
    }
    let each = normalisers.seconds(&inside);
    if each * FEWEST as f64 > LONGEST_SECONDS {
        return Err(Problem::refused(format!(
            "a part of {} cells has bounds in the release, and its normaliser Z(x) takes about {each:.1} s for every table",
            cells.len()
        ))
        .hint("release with nonnegative = false and without rules: posteriors under bounds are then exact and quick"));
    }
    // Normalisers that take long are computed for fewer draws; how many is told.
    let most = (run.seconds / each.max(1e-9)) as usize;
    let run = Run { draws: run.draws.min(most.max(FEWEST)), ..run };
    let untold = run.cancel == Cancel::Automatic && !normalisers.are_told(&inside);
    let run = Run { cancel: if untold { Cancel::Exchange } else { run.cancel }, ..run };
    let seed = run.seed.wrapping_add(number as u64);
    let read = |table: &[i64]| -> Vec<i64> { cells.iter().map(|cell| table[*cell as usize]).collect() };
    if run.cancel == Cancel::Exchange {
        let proposal = proposal()?;
        let mut now = base.to_vec();
        proposal.propose(seed, 0, &mut now)?;
        let mut bits = stream(seed ^ 0xacce, 0)?;
        let (mut tables, mut trace, mut accepted) = (Vec::new(), Vec::new(), 0usize);
        let burned = run.draws / BURNED;
        for step in 1..=(run.draws + burned) as u64 {
            let mut next = base.to_vec();
            proposal.propose(seed, step, &mut next)?;
            let over = proposal.log_over(&next) - proposal.log_over(&now);
            let log = normalisers.exchange(&inside, &now, &next, seed, step)? + over;
            if uniform(&mut bits).ln() < log {
                (now, accepted) = (next, accepted + 1);
            }
            if step > burned as u64 {
                trace.push(sources.log_weight(&now));
                tables.push(read(&now));
            }
        }
        let steps = tables.len();
        let effective = effective_size(&[trace]).min(steps as f64);
        check_effective(effective, &format!("the chain of {steps} steps mixes so slowly that it tells"))?;
        let diagnosis =
            Diagnosis::Exchange { steps, accepted: accepted as f64 / (run.draws + burned) as f64, effective };
        return Ok(vec![(Belief::Tables { cells, weights: vec![1.0; steps], tables }, diagnosis)]);
    }
    if let (Some(release), [place]) = (held_by, inside.as_slice())
        && let Some(found) = held(sources, normalisers.way(*place), release, base, run, seed)?
    {
        return found.into_iter().map(|(cells, (tables, logs))| weigh(cells, tables, &logs)).collect();
    }
    let proposal = proposal()?;
    let drawn = (0..run.draws as u64).into_par_iter().map(|draw| {
        let mut table = base.to_vec();
        proposal.propose(seed, draw, &mut table)?;
        Ok((read(&table), normalisers.log_inverse(&inside, &table, seed, draw)? + proposal.log_over(&table)))
    });
    let (tables, logs): (Vec<Vec<i64>>, Vec<f64>) = drawn.collect::<Result<Vec<_>, Problem>>()?.into_iter().unzip();
    Ok(vec![weigh(cells, tables, &logs)?])
}

/// Tables with the logarithms of their weights.
type Drawn = (Vec<Vec<i64>>, Vec<f64>);

/// Some cells and their draws.
type DrawnCells = (Vec<u32>, Drawn);

/// Draws again where machine numbers fail, so often.
const MOST_FAILED: usize = 100;

/// Draws whose weights already hold what bounds of single cells add to 1/Z(x): the rest of it
/// hardly varies.
fn held(
    sources: &Sources<'_>,
    way: &Way,
    release: &Release,
    base: &[i64],
    run: Run,
    seed: u64,
) -> Result<Option<Vec<DrawnCells>>, Problem> {
    let flat = *sources.prior == Prior::Flat;
    match way {
        Way::Stars(stars) => {
            let one = |(number, star): (usize, &Star)| {
                let tuned =
                    star.tuned(&release.values, |cell, count| sources.prior.log_weight(cell as usize, count))?;
                let star = tuned.as_ref().unwrap_or(star);
                let alone = Alone::new(star);
                let beside =
                    |cell: u32, count: i64| sources.prior.log_weight(cell as usize, count) - alone.log(cell, count);
                let Some(draws) = star::Draws::new(star, &release.values, &beside, flat) else { return Ok(None) };
                let draw = |uniform: &mut dyn FnMut() -> f64, table: &mut [i64]| draws.draw(uniform, table);
                drawn_and_weighed(star, &alone, &draw, base, run, seed.wrapping_add((number as u64) << 32))
            };
            stars.iter().enumerate().map(one).collect()
        }
        Way::Tree(tree) => {
            let alone = Alone::new(&**tree);
            let beside =
                |cell: u32, count: i64| sources.prior.log_weight(cell as usize, count) - alone.log(cell, count);
            let Some(draws) = tree::Draws::new(tree, &release.values, &beside) else { return Ok(None) };
            let draw = |uniform: &mut dyn FnMut() -> f64, table: &mut [i64]| draws.draw(uniform, table);
            Ok(drawn_and_weighed(&**tree, &alone, &draw, base, run, seed)?.map(|found| vec![found]))
        }
        Way::Listed(_) | Way::Told | Way::Counted(_) | Way::Unknown => Ok(None),
    }
}

/// What draws a block into a table, with uniform numbers; `false` where machine numbers fail.
type DrawInto<'a> = dyn Fn(&mut dyn FnMut() -> f64, &mut [i64]) -> bool + Sync + 'a;

fn drawn_and_weighed(
    held: &dyn Held,
    alone: &Alone<'_>,
    draw: &DrawInto<'_>,
    base: &[i64],
    run: Run,
    seed: u64,
) -> Result<Option<(Vec<u32>, Drawn)>, Problem> {
    // Every draw puts all cells of the block anew, and no other.
    let one = |table: &mut Vec<i64>, number: u64| {
        let mut bits = stream(seed, number)?;
        if !(0..MOST_FAILED).any(|_| draw(&mut || uniform(&mut bits), table)) {
            return Ok(None);
        }
        let within = alone.of_table(table);
        let own: Vec<i64> = alone.lows.keys().map(|cell| table[*cell as usize]).collect();
        Ok(held.log_normaliser(table).map(|log| (own, within - log)))
    };
    let found: Vec<Option<(Vec<i64>, f64)>> =
        (0..run.draws as u64).into_par_iter().map_init(|| base.to_vec(), one).collect::<Result<_, Problem>>()?;
    let cells = alone.lows.keys().copied().collect();
    Ok(found.into_iter().collect::<Option<Vec<_>>>().map(|drawn| (cells, drawn.into_iter().unzip())))
}

/// The energy of the difference of two tables of a block whose noise depends on no other.
fn between(release: &Release, one: &[i64], two: &[i64]) -> f64 {
    release.plan.law.energy_of(one.iter().zip(two).map(|(one, two)| one - two))
}

/// Cells by themselves, each kept at or above zero in the release and in truth: π(x)·w(y − x)/Z(x),
/// cell by cell.
///
/// # Errors
/// Refused when a base measure leaves the counts of a cell without an end.
pub(crate) fn alone(
    sources: &Sources<'_>,
    cells: &[u32],
    release: &Release,
) -> Result<Option<Vec<(u32, Law)>>, Problem> {
    let law = &release.plan.law;
    if let Some(base) = BaseWeights::of(law) {
        let one = |cell: &u32| {
            let beside = |x: i64| sources.prior.log_weight(*cell as usize, x);
            let line = base.truths(*cell, release.values[*cell as usize], (0, None), &beside)?;
            Ok(Law::from_weights(line.first, &line.weights).map(|law| (*cell, law)))
        };
        return cells.par_iter().map(one).collect();
    }
    let rate = law.rate().to_f64();
    let weight = |away: i64| (-rate * law.units(away) as f64).exp();
    let Some(reach) = (1..).find(|away| weight(*away) < 1e-19).filter(|reach| *reach < 1 << 20) else {
        return Ok(None);
    };
    // Z(x): all noise that leaves the count at or above zero.
    let side: f64 = (1..=reach).map(weight).sum();
    let below = |x: i64| (1..=x.min(reach)).map(weight).sum::<f64>();
    let one = |cell: &u32| {
        let y = release.values[*cell as usize];
        let (first, last) = (0.max(y - reach), y.max(0) + reach);
        let mut z = 1.0 + side + below(first);
        let mut weights = Vec::with_capacity((last - first + 1) as usize);
        for x in first..=last {
            weights.push(sources.prior.log_weight(*cell as usize, x).exp() * weight(y - x) / z);
            z += if x < reach { weight(x + 1) } else { 0.0 };
        }
        Some((*cell, Law::from_weights(first, &weights)?))
    };
    Ok(cells.iter().map(one).collect())
}

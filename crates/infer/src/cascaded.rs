//! Releases by a cascade: their probability is a product of splits, each of which is known, so
//! draws can be weighted exactly.
//!
//! A table x is drawn as the cascade releases the table y, with probability q(x) = P(y → x); its
//! posterior is prior(x)·P(x → y). Both are products of splits that are computed, so the weight is
//! their quotient: near one far from bounds, where the noise is the same both ways. Totals that are
//! exact cut the table into parts whose splits do not meet: each part has weights of its own, or
//! their product would leave no draw of a large table any weight. Which part a split belongs to is
//! found out by moving the parts one by one. Proof: `proofs/posterior.md`.

use crate::basis::{Cancel, Diagnosis, Wanted};
use crate::belief::{Belief, FEWEST_EFFECTIVE, effective_of, weigh};
use crate::knowledge::Prior;
use crate::nested::nests;
use crate::release::Release;
use crate::several::Sources;
use crate::splits::{BySplits, Splits, steps};
use crate::walked::by_chains;
use analyse::{Fibre, Union};
use declare::{Conditions, NO_GROUP, Problem};
use exact::Seeded;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The most numbers that are kept.
const MOST_NUMBERS: usize = 60_000_000;
/// Parts that are told apart; a table of more is one.
const MOST_PARTS: usize = 400;
/// A number of a draw and its weight take about this long.
const SECONDS_PER_NUMBER: f64 = 2e-6;
/// Draws by which splits are assigned to parts (each moves nearly all of them), and the fewest
/// draws that are weighted.
const TRIED: u64 = 6;
const FEWEST: u64 = 60;
/// Draws that are looked at before all are made, and the effective number that is enough.
const PILOT: u64 = 100;
const ENOUGH: f64 = 100.0;
/// Moving the cells of every part one by one may be predicted to take so long.
const LONGEST_PROBES: f64 = 20.0;

/// What may be believed of a table that a cascade released, part by part: exactly, if there is no
/// diagnosis.
pub(crate) fn beliefs(
    sources: &Sources<'_>,
    wanted: Wanted,
    seconds: f64,
) -> Result<(Vec<Belief>, Vec<Diagnosis>), Problem> {
    let release = &sources.releases[0];
    let same_rules = sources.conditions.rules.len() == release.conditions.rules.len();
    let mut parts = match same_rules {
        true => parts(&release.conditions),
        false => vec![(0..release.values.len() as u32).collect()],
    };
    let weigher = Weigher::new(release)?;
    let tried: Vec<Vec<i64>> =
        (0..TRIED).map(|draw| weigher.draw(wanted.seed ^ 0x7a1, draw)).collect::<Result<_, _>>()?;
    // Where totals nest there is the posterior itself.
    let nested = || Splits::nested(release, &tried).and_then(|splits| nests(sources, &splits));
    if wanted.cancel == Cancel::Automatic
        && same_rules
        && let Some(nests) = nested()
    {
        return Ok((nests.into_iter().map(|nest| Belief::Nested(Box::new(nest))).collect(), Vec::new()));
    }
    // A chain is asked for, or found to be needed.
    let wants_chain = wanted.cancel == Cancel::Exchange;
    let owners = weigher.owners(&parts, &tried)?;
    if owners.is_none() {
        parts = vec![(0..release.values.len() as u32).collect()];
    }
    // Predicted, not measured: a seed gives the same draws on every machine.
    let each = SECONDS_PER_NUMBER * weigher.cascade.numbers() as f64;
    let affordable = (seconds / each.max(1e-9)) as u64;
    let kept = (MOST_NUMBERS / release.values.len().max(1)) as u64;
    let draws = wanted.draws.min(affordable.max(FEWEST)).min(kept.max(FEWEST));
    let some = |numbers: std::ops::Range<u64>| -> Result<Vec<Weighed>, Problem> {
        let one = |draw: u64| {
            let table = weigher.draw(wanted.seed, draw)?;
            let mut logs = weigher.log_weights(&table, owners.as_ref(), parts.len())?;
            for (log, cells) in logs.iter_mut().zip(&parts) {
                *log += known(sources, cells, &table);
            }
            if !same_rules && sources.conditions.check_table(&table).is_err() {
                logs[0] = f64::NEG_INFINITY;
            }
            Ok((table, logs))
        };
        numbers.into_par_iter().map(one).collect()
    };
    // A few draws tell whether so many will do; where they will not, chains of short steps are run
    // instead.
    let first = draws.min(PILOT);
    let mut drawn = some(0..first)?;
    let share = (0..parts.len()).map(|part| effective_share(&drawn, part)).fold(1.0, f64::min);
    let one = Owners { there: vec![0; weigher.cascade.numbers() as usize], back: Vec::new() };
    let there = owners.as_ref().unwrap_or(&one);
    let probed = || {
        let probes = parts.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let splits = || Splits::new(release, &parts, &there.there, &tried);
        (probes * each < LONGEST_PROBES).then(splits).flatten()
    };
    if (wants_chain || (wanted.cancel == Cancel::Automatic && share * (draws as f64) < ENOUGH))
        && let Some(splits) = Splits::nested(release, &tried).or_else(probed)
    {
        let wanted = Wanted { draws: wanted.draws.min(kept.max(FEWEST)), ..wanted };
        let all: usize = sources.blocks.iter().map(|block| block.cells.len()).sum();
        let share = |fibre: &Fibre| seconds * (fibre.cells.len() as f64 / all as f64);
        let target = |fibre: &Fibre| BySplits::new(&splits, sources, fibre.cells.clone());
        return by_chains(sources, wanted, &share, &target);
    }
    // Seen in time: all of them would tell too little.
    if share * (draws as f64) < FEWEST_EFFECTIVE && first < draws {
        return Err(Problem::refused(format!(
            "{draws} draws of this cascade would tell as much as about {:.0} independent ones, as the first {first} show: too many counts are \
             near their bounds",
            share * draws as f64
        ))
        .hint(
            "--likelihood compares whole tables exactly; a release with nonnegative = false, or with method = \"condition\", has posteriors under \
             any bounds",
        ));
    }
    drawn.extend(some(first..draws)?);
    let of_part = |(number, cells): (usize, Vec<u32>)| {
        let logs: Vec<f64> = drawn.iter().map(|(_, logs)| logs[number]).collect();
        let read = |(table, _): &(Vec<i64>, Vec<f64>)| cells.iter().map(|cell| table[*cell as usize]).collect();
        let tables = drawn.iter().map(read).collect();
        weigh(cells.clone(), tables, &logs)
    };
    let found: Vec<(Belief, Diagnosis)> = parts.into_iter().enumerate().map(of_part).collect::<Result<_, _>>()?;
    Ok(found.into_iter().unzip())
}

/// A table, and the logarithms of its weights part by part.
type Weighed = (Vec<i64>, Vec<f64>);

/// Kish's effective share of draws of one part.
fn effective_share(drawn: &[Weighed], part: usize) -> f64 {
    let largest = drawn.iter().map(|(_, logs)| logs[part]).fold(f64::NEG_INFINITY, f64::max);
    let effective = effective_of(drawn.iter().map(|(_, logs)| (logs[part] - largest).exp()));
    if effective.is_nan() { 0.0 } else { effective / drawn.len() as f64 }
}

/// The logarithm of what prior and bounds say of some cells.
fn known(sources: &Sources<'_>, cells: &[u32], table: &[i64]) -> f64 {
    let count = |cell: &u32| table[*cell as usize];
    if sources.conditions.nonnegative && cells.iter().any(|cell| count(cell) < 0) {
        return f64::NEG_INFINITY;
    }
    match sources.prior {
        Prior::Flat => 0.0,
        prior => cells.iter().map(|cell| prior.log_weight(*cell as usize, count(cell))).sum(),
    }
}

/// Cells that totals and rules tie together.
fn parts(conditions: &Conditions) -> Vec<Vec<u32>> {
    let mut ties = Union::new(conditions.cells);
    for grouping in conditions.invariants.iter().chain(conditions.rules.iter().map(|rule| &rule.grouping)) {
        let mut first = vec![None; grouping.groups()];
        for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            ties.join(*first[*group as usize].get_or_insert(cell as u32), cell as u32);
        }
    }
    let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    (0..conditions.cells as u32).for_each(|cell| parts.entry(ties.top(cell)).or_default().push(cell));
    match parts.len() <= MOST_PARTS {
        true => parts.into_values().collect(),
        false => vec![(0..conditions.cells as u32).collect()],
    }
}

/// The part that every split of a cascade belongs to, from the table to the release and back;
/// `u32::MAX`: it depends on none.
struct Owners {
    there: Vec<u32>,
    back: Vec<u32>,
}

/// Splits that happened not to move, between two of one part, belong to it: parts are split one
/// after the other.
fn filled(mut owners: Vec<u32>) -> Vec<u32> {
    let known: Vec<usize> = (0..owners.len()).filter(|at| owners[*at] != u32::MAX).collect();
    for pair in known.windows(2) {
        let owner = owners[pair[0]];
        if owner == owners[pair[1]] {
            owners[pair[0]..pair[1]].fill(owner);
        }
    }
    owners
}

/// Draws and weighs tables around a release by a cascade.
struct Weigher<'a> {
    release: &'a Release,
    cascade: &'a cascade::Cascade,
}

impl<'a> Weigher<'a> {
    fn new(release: &'a Release) -> Result<Weigher<'a>, Problem> {
        let cascade = release.plan.cascade().ok_or_else(|| Problem::refused("no cascade drew the release"))?;
        Ok(Weigher { release, cascade })
    }

    fn draw(&self, seed: u64, draw: u64) -> Result<Vec<i64>, Problem> {
        self.cascade.draw(&self.release.values, &Seeded::draw(seed, draw))
    }

    /// Assigns splits to parts by moving each part as in some draws; `None` where a split depends
    /// on several parts.
    fn owners(&self, parts: &[Vec<u32>], tried: &[Vec<i64>]) -> Result<Option<Owners>, Problem> {
        if parts.len() < 2 {
            return Ok(None);
        }
        let y = &self.release.values;
        let still = steps(self.cascade, y, y)?;
        let mut owners = [vec![u32::MAX; still.len()], vec![u32::MAX; still.len()]];
        for table in tried {
            // All parts whose number has a bit, and all others, moved at once: the bits of a
            // split's owner.
            let bits = usize::BITS - (parts.len() - 1).leading_zeros();
            let moved = |(bit, set): (u32, usize)| {
                let mut moved = y.clone();
                let chosen = parts.iter().enumerate().filter(|(number, _)| (number >> bit) & 1 == set);
                chosen.flat_map(|(_, part)| part).for_each(|cell| moved[*cell as usize] = table[*cell as usize]);
                let changed = |steps: Vec<cascade::Step>| {
                    (steps.len() == still.len())
                        .then(|| steps.iter().zip(&still).map(|(one, two)| one != two).collect::<Vec<bool>>())
                };
                Ok([changed(steps(self.cascade, &moved, y)?), changed(steps(self.cascade, y, &moved)?)])
            };
            let sides: Vec<(u32, usize)> = (0..bits).flat_map(|bit| [(bit, 0), (bit, 1)]).collect();
            let found: Vec<[Option<Vec<bool>>; 2]> =
                sides.par_iter().copied().map(moved).collect::<Result<_, Problem>>()?;
            for (way, owners) in owners.iter_mut().enumerate() {
                let Some(changes) = found.iter().map(|ways| ways[way].as_ref()).collect::<Option<Vec<_>>>() else {
                    return Ok(None);
                };
                for (at, owner) in owners.iter_mut().enumerate() {
                    // Moved by a part, a split changes with one side of every bit; by several
                    // parts, with both sides of some.
                    let sides: Vec<(bool, bool)> = changes.chunks(2).map(|pair| (pair[0][at], pair[1][at])).collect();
                    if sides.iter().all(|sides| *sides == (false, false)) {
                        continue;
                    }
                    if sides.iter().any(|(zero, one)| zero == one) {
                        return Ok(None);
                    }
                    let part: u32 = sides.iter().enumerate().map(|(bit, (_, one))| u32::from(*one) << bit).sum();
                    match *owner {
                        u32::MAX => *owner = part,
                        known if known == part => {}
                        _ => return Ok(None),
                    }
                }
            }
        }
        let [there, back] = owners.map(filled);
        Ok(Some(Owners { there, back }))
    }

    /// ln P(x → y) − ln P(y → x), part by part.
    fn log_weights(&self, table: &[i64], owners: Option<&Owners>, parts: usize) -> Result<Vec<f64>, Problem> {
        let y = &self.release.values;
        let Some(owners) = owners else {
            return Ok(vec![self.cascade.log_likelihood(table, y)? - self.cascade.log_likelihood(y, table)?]);
        };
        let mut logs = vec![0.0; parts];
        let mut unknown = false;
        for (from, to, owners, sign) in [(table, &y[..], &owners.there, 1.0), (&y[..], table, &owners.back, -1.0)] {
            let mut at = 0;
            self.cascade.steps(from, to, |step| {
                match owners.get(at).copied() {
                    Some(u32::MAX) | None => unknown |= step.low < step.high,
                    Some(owner) => logs[owner as usize] += sign * step.log_probability(),
                }
                at += 1;
            })?;
        }
        // A split that no part was seen to move has the same probability both ways only where
        // nothing near it moved either.
        if unknown && !self.unassigned_are_still(table, owners)? {
            return Err(Problem::refused("the splits of the cascade could not be assigned to the parts of the table")
                .hint("ask with another --seed"));
        }
        Ok(logs)
    }

    /// Whether splits that belong to no part are those of the release itself.
    fn unassigned_are_still(&self, table: &[i64], owners: &Owners) -> Result<bool, Problem> {
        let y = &self.release.values;
        let still = steps(self.cascade, y, y)?;
        let ways = [(steps(self.cascade, table, y)?, &owners.there), (steps(self.cascade, y, table)?, &owners.back)];
        Ok(ways.into_iter().all(|(steps, owners)| {
            steps.len() == still.len() && (0..steps.len()).all(|at| owners[at] != u32::MAX || steps[at] == still[at])
        }))
    }
}

//! The table given the parameters: one exact, independent draw of all its cells, block by block,
//! with everything but the weights that a model gives to sums made once.
//!
//! Blocks that one total holds together, and cells that nothing ties, are drawn by bundles
//! (`bundle.rs`): the sums of bundles first, given the total, then the cells of each. Other blocks
//! go through messages with weights of cells. Where a release has bounds, what was drawn is a
//! proposal: accepted by 1/Z(x), computed, or by a fresh release of the proposed table in which Z
//! cancels (exchange). Proofs: `proofs/augmentation.md`, `proofs/exchange.md`.

use super::bundle::{Bundle, Cell, Told};
use crate::base::SingleCells;
use crate::basis::Cancel;
use crate::bounded::Normalisers;
use crate::held::logs_alone;
use crate::knowledge::log_gamma;
use crate::pick::uniform;
use crate::release::Release;
use crate::several::{Sources, is_alone};
use crate::tied::{Line, Tied};
use analyse::{Demand, Network};
use declare::Problem;
use exact::Stream;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The logarithms of what a model says of sums of a group, from the first on.
pub(crate) type GroupFactor<'a> = dyn Fn(usize, i64, &mut [f64]) + Sync + 'a;

/// All blocks, ready to be drawn from.
#[derive(Clone)]
pub(crate) struct Tables<'a> {
    sources: &'a Sources<'a>,
    normalisers: &'a Normalisers<'a>,
    setting: Arc<Setting>,
    blocks: Vec<Planned>,
}

/// What cells share, and what they have of their own.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The rate of every cell.
    pub(crate) group_of: Vec<u32>,
    /// How much every cell is exposed.
    pub(crate) exposures: Vec<f64>,
    /// What cells with determined counts add to the sum of every group.
    held: Vec<i64>,
    /// For single releases with bounds: what they add to ln Z(x) of single cells.
    alone: Option<Alone>,
}

#[derive(Debug, Clone)]
struct Planned {
    kind: Kind,
    /// The queries whose noise sits on cells themselves.
    own: Arc<HashMap<u32, Vec<u32>>>,
    cells: Arc<Vec<u32>>,
    correction: Correction,
}

#[derive(Debug, Clone)]
enum Kind {
    Bundles { bundles: Vec<Bundle>, total: Option<i64>, tilt: f64, ready: Option<Ready> },
    Messages(Arc<Network>),
}

/// Bundles whose weights stay the same.
#[derive(Debug, Clone)]
enum Ready {
    Each(Arc<Vec<Line>>),
    Tied(Arc<Tied>),
}

/// What is done about 1/Z(x).
#[derive(Debug, Clone)]
enum Correction {
    /// The release has no bounds here.
    None,
    /// Cells by themselves: part of their weights.
    Within,
    /// What is drawn is accepted by 1/Z(x), which is computed …
    Computed(Vec<(usize, usize)>),
    /// … or cancels.
    Exchange(Vec<(usize, usize)>),
}

/// How proposals fared.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Accepted {
    pub(crate) proposed: u64,
    pub(crate) accepted: u64,
    /// What all steps take, about: counted, not measured.
    pub(crate) seconds: f64,
}

/// What the weight of a sum of a bundle takes in every step, and what a cell that is drawn does.
const SECONDS_PER_SUM: f64 = 2e-8;
const SECONDS_PER_CELL: f64 = 1e-7;
/// Newton steps to a tilt, at most.
const STEPS: usize = 60;
/// A table that machine numbers do not draw is tried so often.
const TRIES: usize = 100;

impl<'a> Tables<'a> {
    /// Plans all blocks.
    ///
    /// # Errors
    /// Refused when a block is too large.
    pub(crate) fn new(
        sources: &'a Sources<'a>,
        normalisers: &'a Normalisers<'a>,
        (group_of, exposures): (Vec<u32>, Vec<f64>),
        cancel: Cancel,
    ) -> Result<Tables<'a>, Problem> {
        let groups = group_of.iter().map(|group| *group as usize + 1).max().unwrap_or(0);
        let mut held = vec![0; groups];
        sources.fixed.iter().for_each(|(cell, value)| held[group_of[*cell] as usize] += value);
        let setting = Setting { group_of, exposures, held, alone: alone(sources.releases) };
        let of = |block| planned(sources, normalisers, &setting, block, cancel);
        let blocks = (0..sources.blocks.len()).map(of).collect::<Result<Vec<Planned>, Problem>>()?;
        Ok(Tables { sources, normalisers, setting: Arc::new(setting), blocks })
    }

    /// Whether every group lies in one block of bundles: then rates need not be kept while tables
    /// are drawn.
    pub(crate) fn are_collapsible(&self) -> bool {
        let mut blocks_of: BTreeMap<u32, usize> = BTreeMap::new();
        self.blocks.iter().enumerate().all(|(number, block)| {
            let groups: BTreeSet<u32> = block.cells.iter().map(|cell| self.setting.group_of[*cell as usize]).collect();
            matches!(block.kind, Kind::Bundles { .. })
                && groups.into_iter().all(|group| *blocks_of.entry(group).or_insert(number) == number)
        })
    }

    /// Whether no block needs a step of acceptance.
    pub(crate) fn are_independent(&self) -> bool {
        self.blocks.iter().all(|block| matches!(block.correction, Correction::None | Correction::Within))
    }

    /// Whether the sum of every block is known.
    pub(crate) fn have_totals(&self) -> bool {
        self.blocks.iter().all(|block| match &block.kind {
            Kind::Bundles { total, .. } => total.is_some(),
            Kind::Messages(network) => {
                let plain = network.rows.iter().filter(|row| {
                    matches!(row.demand, Demand::Equal(_)) && row.entries.iter().all(|(_, times)| *times == 1)
                });
                let taken: BTreeSet<u32> = plain.flat_map(|row| row.entries.iter().map(|(class, _)| *class)).collect();
                taken.len() == network.classes.len()
            }
        })
    }

    /// The sums of all groups in a table.
    pub(crate) fn sums(&self, table: &[i64]) -> Vec<i64> {
        let mut sums = vec![0; self.setting.held.len()];
        table.iter().zip(&self.setting.group_of).for_each(|(count, group)| sums[*group as usize] += count);
        sums
    }

    /// A first table: the released one where cells are determined, drawn elsewhere, with nothing
    /// accepted or refused.
    ///
    /// # Errors
    /// As [`Tables::step`].
    pub(crate) fn first(&mut self, factor: &GroupFactor<'_>, bits: &mut Stream) -> Result<Vec<i64>, Problem> {
        let mut table = self.sources.releases[0].values.clone();
        self.sources.fixed.iter().for_each(|(cell, value)| table[*cell] = *value);
        for number in 0..self.blocks.len() {
            self.propose(number, factor, true, bits, &mut table, &mut 0.0)?;
        }
        Ok(table)
    }

    /// One step from a table to the next: an independent draw given what the model says of sums, or
    /// where the release has bounds one that may be refused. `changes` tells whether the model may
    /// have changed since the step before.
    ///
    /// # Errors
    /// Infeasible when no table has weight; refused when the release cannot be drawn again.
    pub(crate) fn step(
        &mut self,
        factor: &GroupFactor<'_>,
        changes: bool,
        (seed, step): (u64, u64),
        bits: &mut Stream,
        table: &mut Vec<i64>,
        fared: &mut Accepted,
    ) -> Result<(), Problem> {
        for number in 0..self.blocks.len() {
            let inside = match &self.blocks[number].correction {
                Correction::None | Correction::Within => {
                    self.propose(number, factor, changes, bits, table, &mut fared.seconds)?;
                    continue;
                }
                Correction::Computed(inside) | Correction::Exchange(inside) => inside.clone(),
            };
            let mut proposed = table.clone();
            self.propose(number, factor, changes, bits, &mut proposed, &mut fared.seconds)?;
            let within = self.within(number, &proposed) - self.within(number, table);
            let log = match self.blocks[number].correction {
                Correction::Computed(_) => {
                    fared.seconds += 2.0 * self.normalisers.seconds_again(&inside);
                    self.normalisers.log_inverse(&inside, &proposed, 0, 0)?
                        - self.normalisers.log_inverse(&inside, table, 0, 0)?
                }
                _ => {
                    fared.seconds += self.normalisers.seconds_of_releases(&inside);
                    self.normalisers.exchange(&inside, table, &proposed, seed ^ (number as u64) << 40, step)?
                }
            };
            fared.proposed += 1;
            if uniform(bits).ln() < within + log {
                fared.accepted += 1;
                *table = proposed;
            }
        }
        Ok(())
    }

    /// What the weights of single cells hold of ln Z(x) already.
    fn within(&self, number: usize, table: &[i64]) -> f64 {
        let block = &self.blocks[number];
        match (&self.setting.alone, &block.kind) {
            (Some(alone), Kind::Bundles { .. }) => {
                block.cells.iter().map(|cell| alone.log(*cell, table[*cell as usize])).sum()
            }
            _ => 0.0,
        }
    }

    /// Draws a block into a table, from the posterior without Z.
    fn propose(
        &mut self,
        number: usize,
        factor: &GroupFactor<'_>,
        changes: bool,
        bits: &mut Stream,
        table: &mut [i64],
        seconds: &mut f64,
    ) -> Result<(), Problem> {
        *seconds += SECONDS_PER_CELL * self.blocks[number].cells.len() as f64;
        let (sources, setting) = (self.sources, self.setting.clone());
        let block = &mut self.blocks[number];
        let alone = !matches!(block.correction, Correction::None);
        let noise = noise(sources, &setting, block.own.clone(), alone);
        match &mut block.kind {
            Kind::Messages(network) => {
                let more = |cell: u32, count: i64| {
                    let (place, n) = (cell as usize, count as f64);
                    if count < 0 {
                        return f64::NEG_INFINITY;
                    }
                    let mut own = [0.0];
                    factor(setting.group_of[place] as usize, count, &mut own);
                    n * setting.exposures[place].ln() - log_gamma(n + 1.0) + own[0]
                };
                let ready = sources.weighted_by((**network).clone(), &more).map_err(|problem| {
                    let plain = |_: u32, count: i64| match count {
                        0.. => -log_gamma(count as f64 + 1.0),
                        _ => f64::NEG_INFINITY,
                    };
                    let has_tables = || sources.weighted_by((**network).clone(), &plain).is_ok();
                    let told = problem.kind == declare::Kind::Infeasible && has_tables();
                    if told { out_of_numbers() } else { problem }
                })?;
                *seconds += ready.seconds;
                ready.draw(&mut || uniform(bits), table);
                Ok(())
            }
            Kind::Bundles { bundles, total, tilt, ready } => {
                // What is found of tables whatever the model says of them.
                let weightless = |bundles: &[Bundle], problem: Problem| {
                    let (mut bundles, plain) = (bundles.to_vec(), |_: usize, _: i64, to: &mut [f64]| to.fill(0.0));
                    let found = made_ready(&mut bundles, *total, &mut 0.0, &plain, &noise);
                    let told = problem.kind == declare::Kind::Infeasible && found.is_ok();
                    if told { out_of_numbers() } else { problem }
                };
                if changes || ready.is_none() {
                    let of = |group: usize, first: i64, factors: &mut [f64]| {
                        factor(group, first + setting.held[group], factors);
                    };
                    let made = made_ready(bundles, *total, tilt, &of, &noise);
                    let made = made.map_err(|problem| weightless(bundles, problem))?;
                    *seconds += seconds_of(bundles, &made);
                    *ready = Some(made);
                }
                for _ in 0..TRIES {
                    let drawn = match (&ready, &total) {
                        (Some(Ready::Tied(tied)), Some(total)) => drawn_together(bundles, tied, *total, bits, table),
                        (Some(Ready::Each(lines)), _) => drawn_each(bundles, lines, bits, table),
                        _ => false,
                    };
                    if drawn {
                        return Ok(());
                    }
                }
                Err(weightless(bundles, impossible()))
            }
        }
    }
}

fn drawn_together(bundles: &[Bundle], tied: &Tied, total: i64, bits: &mut Stream, table: &mut [i64]) -> bool {
    let mut sums = vec![0; bundles.len()];
    tied.draw(total, &mut || uniform(bits), &mut |place, sum| sums[place] = sum)
        && bundles.iter().zip(&sums).all(|(bundle, sum)| bundle.split(*sum, &mut || uniform(bits), table))
}

fn drawn_each(bundles: &[Bundle], lines: &[Line], bits: &mut Stream, table: &mut [i64]) -> bool {
    bundles.iter().zip(lines).all(|(bundle, line)| {
        let sum = line.pick(uniform(bits));
        bundle.split(sum, &mut || uniform(bits), table)
    })
}

/// What making the weights of the sums of bundles takes, about.
fn seconds_of(bundles: &[Bundle], ready: &Ready) -> f64 {
    let length = |bundle: &Bundle| (bundle.sums.range().1 - bundle.sums.range().0 + 1) as f64;
    let told = SECONDS_PER_SUM * bundles.iter().map(length).sum::<f64>();
    match ready {
        Ready::Each(_) => told,
        Ready::Tied(tied) => told + tied.seconds,
    }
}

fn impossible() -> Problem {
    Problem::new(
        declare::Kind::Infeasible,
        "no table with these totals, bounds and rules has any weight under the model",
    )
    .hint("a model that gives every true table the weight zero says that the releases are impossible")
}

/// Tables have weight, and none has any that machine numbers hold where a prior leads a chain.
fn out_of_numbers() -> Problem {
    Problem::refused(
        "the prior of the model leads a chain to where machine numbers hold no weight of any table: the prior is too wide, or too far from the \
         releases, to be learnt from by these chains",
    )
    .hint("give a narrower prior: --prior-deviation, or --prior-shape and --prior-rate")
}

/// The weights of the sums of bundles, tied by their total.
fn made_ready(
    bundles: &mut [Bundle],
    total: Option<i64>,
    tilt: &mut f64,
    factor: &dyn Fn(usize, i64, &mut [f64]),
    noise: &dyn Fn(u32, i64) -> f64,
) -> Result<Ready, Problem> {
    let mut factors = Vec::new();
    let mut told = |bundle: &Bundle, tilt: Option<f64>| {
        let (first, last) = bundle.sums.range();
        factors.resize((last - first + 1) as usize, 0.0);
        factor(bundle.group, first, &mut factors);
        bundle.told(&factors, tilt)
    };
    let near = if total.is_some() { *tilt } else { 0.0 };
    let mut found: Vec<Told> = bundles.iter().map(|bundle| told(bundle, Some(near))).collect();
    let mut whole = vec![false; bundles.len()];
    loop {
        if let Some(total) = total {
            *tilt = balanced(&found, total, *tilt, bundles)?;
        }
        let tilt = if total.is_some() { *tilt } else { 0.0 };
        let mut lines = Vec::with_capacity(bundles.len());
        for (number, bundle) in bundles.iter_mut().enumerate() {
            match found[number].line(tilt) {
                Some(line) => lines.push(line),
                // First all that is listed is looked at, then more is listed.
                None => {
                    if whole[number] {
                        bundle.widen(noise)?;
                    }
                    whole[number] = true;
                    found[number] = told(bundle, None);
                }
            }
        }
        if lines.len() < bundles.len() {
            continue;
        }
        if lines.iter().any(|line| line.weights.iter().all(|weight| *weight <= 0.0)) {
            return Err(impossible());
        }
        let Some(total) = total else { return Ok(Ready::Each(Arc::new(lines))) };
        let lines: Vec<Arc<Line>> = lines.into_iter().map(Arc::new).collect();
        let tied = Tied::new(&lines).filter(|tied| tied.sums().at(total) > 0.0).ok_or_else(impossible)?;
        return Ok(Ready::Tied(Arc::new(tied)));
    }
}

/// The tilt under which bundles have the total on average, nearly.
fn balanced(found: &[Told], total: i64, from: f64, bundles: &[Bundle]) -> Result<f64, Problem> {
    let (least, most) =
        bundles.iter().map(|bundle| bundle.sums.range()).fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    if bundles.is_empty() {
        return Err(impossible());
    }
    // At an end of what is listed no tilt is large enough, and any that is large will do.
    let target = (total as f64).clamp(least as f64 + 0.05, (most as f64 - 0.05).max(least as f64 + 0.05));
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut tilt = from;
    for _ in 0..STEPS {
        let (mut mean, mut variance) = (0.0, 0.0);
        for own in found {
            let own = own.moments(tilt);
            (mean, variance) = (mean + own.0, variance + own.1);
        }
        if (mean - target).abs() <= (0.5 * variance.sqrt()).max(0.25) {
            break;
        }
        if mean < target {
            low = tilt
        } else {
            high = tilt
        }
        tilt += ((target - mean) / variance.max(1e-9)).clamp(-2.0, 2.0);
        if tilt <= low || tilt >= high {
            tilt = (low + high) / 2.0;
        }
    }
    Ok(tilt)
}

/// The logarithm of the weight of a count in a cell by its noise, and what bounds of the cell alone
/// make of it.
fn noise<'n>(
    sources: &'n Sources<'_>,
    setting: &'n Setting,
    own: Arc<HashMap<u32, Vec<u32>>>,
    bounded: bool,
) -> impl Fn(u32, i64) -> f64 + 'n {
    let held = sources.held();
    move |cell, count| {
        let log = sources.cell_weight(cell, count, &own[&cell], &held);
        match &setting.alone {
            Some(alone) if bounded => log - alone.log(cell, count),
            _ => log,
        }
    }
}

/// ln Σ of the weights of all releases of a cell by itself that leave it at or above zero.
#[derive(Debug)]
enum Alone {
    /// By the count.
    Bounded(Vec<f64>),
    /// Under a base measure.
    Weighted(SingleCells),
}

impl Alone {
    fn log(&self, cell: u32, count: i64) -> f64 {
        match self {
            Alone::Bounded(logs) => logs[usize::try_from(count).unwrap_or(0).min(logs.len() - 1)],
            Alone::Weighted(cells) => cells.log(cell, count),
        }
    }
}

/// For a single release that keeps cells at or above zero.
fn alone(releases: &[Release]) -> Option<Alone> {
    let [release] = releases else { return None };
    if release.is_free() || !release.conditions.nonnegative || !release.conditions.queries.is_empty() {
        return None;
    }
    if release.plan.law.base().is_some() {
        return Some(Alone::Weighted(SingleCells::of(releases)));
    }
    let weight = |away: i64| (-release.plan.law.energy_of(std::iter::once(away))).exp();
    let reach = (1..1i64 << 20).find(|away| weight(*away) < 1e-19)?;
    Some(Alone::Bounded(logs_alone(&(0..=reach).map(weight).collect::<Vec<f64>>())))
}

fn planned(
    sources: &Sources<'_>,
    normalisers: &Normalisers<'_>,
    setting: &Setting,
    block: usize,
    cancel: Cancel,
) -> Result<Planned, Problem> {
    let network = sources.network(block)?;
    let own = Arc::new(sources.own_queries(&network));
    let cells = Arc::new(sources.blocks[block].cells.clone());
    let total = bundled(&network);
    let inside = normalisers.inside(&cells.iter().copied().collect());
    let correction = if inside.is_empty() {
        Correction::None
    } else if is_alone(sources, block) && total == Some(None) && setting.alone.is_some() {
        Correction::Within
    } else if cancel != Cancel::Exchange && normalisers.are_computed(&inside) {
        Correction::Computed(inside)
    } else {
        Correction::Exchange(inside)
    };
    let kind = match total {
        None => Kind::Messages(Arc::new(network)),
        Some(total) => {
            let mut of_group: BTreeMap<u32, Vec<Cell>> = BTreeMap::new();
            for class in &network.classes {
                for cell in &class.cells {
                    of_group.entry(setting.group_of[*cell as usize]).or_default().push(Cell {
                        number: *cell,
                        low: class.low.unwrap_or(0).max(0),
                        high: class.high,
                        exposure: setting.exposures[*cell as usize],
                        centre: sources.releases[0].values[*cell as usize],
                    });
                }
            }
            let bounded = !matches!(correction, Correction::None);
            let noise = noise(sources, setting, own.clone(), bounded);
            let bundle = |(group, cells): (u32, Vec<Cell>)| Bundle::new(group as usize, cells, &noise);
            let bundles = of_group.into_iter().map(bundle).collect::<Result<_, _>>()?;
            Kind::Bundles { bundles, total, tilt: 0.0, ready: None }
        }
    };
    Ok(Planned { kind, own, cells, correction })
}

/// Whether nothing ties the cells of a block but perhaps one total: that total.
fn bundled(network: &Network) -> Option<Option<i64>> {
    let mut total = None;
    for row in &network.rows {
        let whole = row.entries.len() == network.classes.len() && row.entries.iter().all(|(_, times)| *times == 1);
        match row.demand {
            Demand::Equal(value) if whole && total.is_none_or(|known| known == value) => total = Some(value),
            _ => return None,
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Knowledge;
    use crate::pick::stream;
    use declare::Declaration;
    use plan::Case;

    #[test]
    fn a_model_that_leaves_machine_numbers_is_refused_and_not_impossible() {
        for (totals, is_bundled) in [("", true), ("[[invariant]]\nby = []\n", true), (MARGINS, false)] {
            let text = format!(
                "title = \"t\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nrow = [\"0\", \"1\"]\n\
                 column = [\"0\", \"1\"]\n{totals}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\n\
                 epsilon = \"1\"\nper = \"unit\"\n"
            );
            let case = Case::of(Declaration::parse(&text, "spec", std::path::Path::new(".")).unwrap()).unwrap();
            let values = vec![1, 2, 0, 3];
            let plan = case.plan(&case.analyse(&case.totals(&values).unwrap()).unwrap()).unwrap();
            let releases = [Release::new("r", case, plan, values).unwrap()];
            let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
            let sources = Sources::new(&releases, &knowledge).unwrap();
            let normalisers = Normalisers::new(&releases).unwrap();
            let of = ((0..4).collect(), vec![1.0; 4]);
            let mut tables = Tables::new(&sources, &normalisers, of, Cancel::Automatic).unwrap();
            assert_eq!(tables.blocks.iter().all(|block| matches!(block.kind, Kind::Bundles { .. })), is_bundled);
            let mut bits = stream(1, 0).unwrap();
            for nothing in [f64::NEG_INFINITY, f64::NAN] {
                let factor = |_: usize, _: i64, factors: &mut [f64]| factors.fill(nothing);
                let problem = tables.clone().first(&factor, &mut bits).unwrap_err();
                assert!(problem.kind == declare::Kind::Refused && problem.message.contains("prior"), "{problem:?}");
            }
            tables.first(&|_, _, factors: &mut [f64]| factors.fill(0.0), &mut bits).unwrap();
        }
    }

    const MARGINS: &str = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";
}

//! `Field`: a law on tables around a centre, the one place that knows which operator draws or lists
//! what.
//!
//! The weight of a table is that of its distance from the centre under the noise of a release, on
//! all tables that keep some totals, bounds and rules. Around the released table of a release
//! without bounds it is at once the law of fresh releases of it and, mirrored, what may be believed
//! of the true one (`proofs/location.md`); with what a reader knows it is the posterior under the
//! flat prior (`proofs/posterior.md`).

use crate::release::Release;
use analyse::{Analysis, Block, Demand, Fibre, Grid, Ground, ListLimits, Listed, Network, Structure, analyse, grid};
use certify::totals_of;
use declare::{Cell, Conditions, Grouping, Limits, Problem, Relation, RuleRows};
use draw::operators::{ClosedForm, Divide, Enumerate, Independent, Messages};
use draw::{
    BlockDraw, Ladder, Law, NetworkSampler, NoiseLaw, ONE_NORM, Operator, Quantities, TableNoise, TableSampler, Task,
    listed, quantities,
};
use exact::{Rational, Seeded};
use plan::{Plan, PlannedBlock, joined};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A law on tables around a centre.
#[derive(Debug)]
pub struct Field {
    pub(crate) blocks: Vec<PlannedBlock>,
    pub(crate) conditions: Conditions,
    particular: Vec<(Cell, Rational)>,
    /// Cells that totals determine, with their values.
    pub(crate) fixed: Vec<(Cell, i64)>,
    pub(crate) law: NoiseLaw,
    pub(crate) rates: Vec<Rational>,
    sums: Vec<Vec<i64>>,
    pub(crate) centre: Vec<i64>,
    /// Whether the law is that of noise added to the centre, the same around every table.
    pub(crate) shifts: bool,
    /// Whether its blocks are drawn by a cascade, whose law is not the conditional one.
    cascades: bool,
    cells: OnceLock<Result<Arc<CellLaws>, Problem>>,
    /// The networks of blocks, made where they are asked for.
    networks: Vec<OnceLock<Network>>,
}

/// The laws of cells, where they are known, and the logarithm of the normaliser.
#[derive(Debug)]
pub struct CellLaws {
    pub(crate) laws: HashMap<u32, Law>,
    /// The logarithm of the sum of all weights, where an operator tells it.
    pub log_normaliser: Option<f64>,
}

impl CellLaws {
    /// The law of a cell.
    pub fn of(&self, cell: u32) -> Option<&Law> {
        self.laws.get(&cell)
    }
}

/// The operator whose blocks are networks.
const MESSAGES: &str = "messages";

impl Field {
    /// The release drawn again around its own table, by the operators of its plan.
    ///
    /// # Errors
    /// Refused when the law of the release is not known.
    pub fn of_release(release: &Release) -> Result<Field, Problem> {
        release.check_law()?;
        let Release { conditions, plan, values, .. } = release;
        Ok(Field {
            blocks: plan.blocks.clone(),
            particular: match release.is_free() {
                true => Vec::new(),
                false => analyse(conditions, &conditions.totals(values)?)?.particular,
            },
            fixed: plan.fixed.clone(),
            law: plan.law.clone(),
            rates: plan.queries.iter().map(|query| query.rate.clone()).collect(),
            sums: noisy_sums(conditions, values)?,
            centre: values.clone(),
            shifts: release.is_free(),
            conditions: conditions.clone(),
            cascades: plan.cascade.is_some(),
            cells: OnceLock::new(),
            networks: plan.blocks.iter().map(|_| OnceLock::new()).collect(),
        })
    }

    /// The noise of a plan without bounds by itself: a table of zeros, all whose totals are zero.
    ///
    /// # Errors
    /// When a block has no table of zeros.
    pub(crate) fn of_noise(plan: &Plan, conditions: &Conditions) -> Result<Field, Problem> {
        let mut conditions = conditions.clone();
        conditions.rules.iter_mut().for_each(|rule| rule.bound = 0);
        let zeroed = |planned: &PlannedBlock| {
            let work = planned.work.under(&conditions, &planned.block.cells)?.unwrap_or_else(|| planned.work.clone());
            Ok(PlannedBlock { work, block: planned.block.clone() })
        };
        Ok(Field {
            blocks: plan.blocks.iter().map(zeroed).collect::<Result<_, Problem>>()?,
            particular: Vec::new(),
            fixed: plan.fixed.iter().map(|(cell, _)| (*cell, 0)).collect(),
            law: plan.law.clone(),
            rates: plan.queries.iter().map(|query| query.rate.clone()).collect(),
            sums: plan.queries.iter().map(|query| vec![0; query.sums]).collect(),
            centre: vec![0; plan.cells],
            shifts: true,
            conditions,
            cascades: plan.cascade.is_some(),
            cells: OnceLock::new(),
            networks: plan.blocks.iter().map(|_| OnceLock::new()).collect(),
        })
    }

    /// The noise of a release around its counts, under other conditions, which these need not
    /// satisfy.
    pub(crate) fn around(release: &Release, conditions: &Conditions, totals: &[Vec<i64>]) -> Result<Field, Problem> {
        let (law, centre) = (&release.plan.law, &release.values);
        let rates: Vec<Rational> = release.plan.queries.iter().map(|query| query.rate.clone()).collect();
        let sums = noisy_sums(&release.conditions, centre)?;
        let Analysis { blocks, fixed, particular, .. } = analyse(conditions, totals)?;
        let blocks = under(law, blocks);
        let own = totals_of(&conditions.invariants, centre)?;
        let rules_hold = conditions.check_table(centre).is_ok();
        let shifts = !conditions.has_inequalities() && own == totals && rules_hold;
        let ground = Ground::new(conditions, &particular, &fixed);
        let limits = release.declaration.limits.or_larger(Limits::default());
        let chosen = |block: Block| choose(conditions, &ground, block, law, &rates, shifts, limits);
        let blocks: Vec<PlannedBlock> = blocks.into_iter().map(chosen).collect::<Result<_, Problem>>()?;
        Ok(Field {
            cascades: false,
            networks: blocks.iter().map(|_| OnceLock::new()).collect(),
            blocks,
            particular,
            fixed,
            law: law.clone(),
            rates,
            sums,
            centre: centre.clone(),
            shifts,
            conditions: conditions.clone(),
            cells: OnceLock::new(),
        })
    }

    /// The noise around these sums.
    fn noise<'n>(&'n self, sums: &'n [Vec<i64>]) -> TableNoise<'n> {
        TableNoise { law: &self.law, rates: &self.rates, sums }
    }

    /// What draws tables of it, made ready once.
    ///
    /// # Errors
    /// Refused when a cell has no law.
    pub fn sampler(&self) -> Result<TableSampler<'_>, Problem> {
        let blocks: Vec<BlockDraw<'_>> = self.blocks.iter().map(PlannedBlock::to_draw).collect();
        Ok(TableSampler::new(self.noise(&self.sums), &blocks, &self.centre)?.keeping(&self.fixed))
    }

    /// What draws one block of it, made ready once; other cells keep the values of the centre.
    pub(crate) fn block_sampler(&self, block: usize) -> Result<TableSampler<'_>, Problem> {
        TableSampler::new(self.noise(&self.sums), &[self.blocks[block].to_draw()], &self.centre)
    }

    /// The laws of all cells that are known, computed once.
    ///
    /// # Errors
    /// Refused for real-valued noise.
    pub fn cell_laws(&self) -> Result<Arc<CellLaws>, Problem> {
        let found = self.cells.get_or_init(|| {
            let blocks: Vec<BlockDraw<'_>> = self.blocks.iter().map(PlannedBlock::to_draw).collect();
            let Quantities { cells, log_normaliser, .. } = quantities(self.noise(&self.sums), &blocks, &self.centre)?;
            let mut laws: HashMap<u32, Law> = cells.into_iter().collect();
            laws.extend(self.fixed.iter().map(|(cell, value)| (*cell as u32, Law::point(*value))));
            Ok(Arc::new(CellLaws { laws, log_normaliser }))
        });
        found.clone()
    }

    /// The logarithm of the sum of the weights of all tables around this centre in one block;
    /// `None` where its operator does not tell it. The centre has the totals of the block.
    pub(crate) fn log_normaliser_around(&self, block: usize, centre: &[i64]) -> Result<Option<f64>, Problem> {
        let planned = &self.blocks[block];
        let sums = noisy_sums(&self.conditions, centre)?;
        let noise = self.noise(&sums);
        if planned.operator() == MESSAGES && !planned.is_noise() {
            let sampler = NetworkSampler::new(self.network(block)?, noise, centre, Ladder::Standard)?;
            return Ok(Some(sampler.log_normaliser()));
        }
        Ok(quantities(noise, &[planned.to_draw()], centre)?.log_normaliser)
    }

    /// The block with these very cells.
    pub(crate) fn block_of(&self, cells: &[u32]) -> Option<usize> {
        self.blocks.iter().position(|planned| planned.block.cells == cells)
    }

    /// The network of a block.
    pub(crate) fn network(&self, block: usize) -> Result<&Network, Problem> {
        if let Some(known) = self.networks[block].get() {
            return Ok(known);
        }
        let ground = Ground::new(&self.conditions, &self.particular, &self.fixed);
        let made = Network::new(&self.conditions, &ground, &self.blocks[block].block.cells)?;
        Ok(self.networks[block].get_or_init(|| made))
    }

    /// All tables of a block, in the order of its cells, where they are few.
    pub(crate) fn listed(&self, block: usize, limits: &ListLimits) -> Option<Listed> {
        let ground = Ground::new(&self.conditions, &self.particular, &self.fixed);
        let fibre = Fibre::new(&self.conditions, &ground, &self.blocks[block].block.cells).ok()?;
        fibre.listed(limits).ok().filter(|listed| !listed.is_empty())
    }

    /// The predicted seconds of a draw.
    pub(crate) fn seconds(&self) -> f64 {
        self.blocks.iter().map(|planned| planned.work.prospect().seconds).sum()
    }

    /// One draw of some blocks around another centre, which has the same exact totals; other cells
    /// keep the values of the centre, but for those that are fixed.
    pub(crate) fn drawn_around(
        &self,
        blocks: &[PlannedBlock],
        fixed: &[(Cell, i64)],
        centre: &[i64],
        source: &Seeded,
    ) -> Result<Vec<i64>, Problem> {
        let sums = noisy_sums(&self.conditions, centre)?;
        let blocks: Vec<BlockDraw<'_>> = blocks.iter().map(PlannedBlock::to_draw).collect();
        let sampler = TableSampler::once(self.noise(&sums), &blocks, centre)?.keeping(fixed);
        Ok(sampler.draw(source, &|_| {})?.into_values())
    }

    /// Whether a block is drawn by noise alone: free cells (`None`), or cells whose total is kept
    /// (their number).
    pub(crate) fn plain(&self, block: usize) -> Option<Option<usize>> {
        let planned = &self.blocks[block];
        match &planned.block.structure {
            Structure::Free if planned.is_noise() => Some(None),
            Structure::OneTotal { .. } if planned.is_noise() => Some(Some(planned.block.size)),
            _ => None,
        }
    }

    /// The law of a sum over cells of one block, by a row of its own in the network of the block;
    /// around the centre, or of the noise alone where that is the same around every table.
    pub(crate) fn row_law(&self, block: usize, entries: &[(u32, i64)]) -> Option<Law> {
        if self.cascades || !self.law.is_product() || !self.law.is_integer() || entries.len() < 2 {
            return None;
        }
        let mut conditions = self.conditions.clone();
        let (mut centre, mut sums) = (self.centre.clone(), self.sums.clone());
        let (mut particular, mut fixed) = (self.particular.as_slice(), self.fixed.as_slice());
        if self.shifts {
            conditions.rules.iter_mut().for_each(|rule| rule.bound = 0);
            sums.iter_mut().chain([&mut centre]).for_each(|values| values.fill(0));
            (particular, fixed) = (&[], &[]);
        }
        conditions.rules.push(row_of(entries, self.conditions.cells));
        let ground = Ground::new(&conditions, particular, fixed);
        let network = Arc::new(Network::new(&conditions, &ground, &self.blocks[block].block.cells).ok()?);
        let limits = Limits::default();
        let task =
            task(&conditions, &ground, &self.blocks[block].block, &self.law, &self.rates, true, &network, None, limits);
        let cost = Messages.attempt(&task).ok()?;
        let is_listed = listed([cost.as_ref()]).0.iter().all(|fits| *fits);
        if !(is_listed && cost.prospect().seconds < ROW_SECONDS && cost.prospect().bytes < ROW_BYTES) {
            return None;
        }
        let found = NetworkSampler::new(&network, self.noise(&sums), &centre, Ladder::Standard).ok()?.quantities()?;
        let place = network.rows.iter().position(|row| row.demand == Demand::AtMost(BEYOND))?;
        let (_, law) = found.rows.into_iter().find(|(row, _)| *row as usize == place)?;
        if !self.shifts {
            return Some(law);
        }
        let value: i128 =
            entries.iter().map(|(cell, times)| i128::from(*times) * i128::from(self.centre[*cell as usize])).sum();
        Some(law.shifted(i64::try_from(value).ok()?))
    }
}

/// The blocks of tables as a law ties them: noise by one norm over all cells makes them one.
pub(crate) fn under(law: &NoiseLaw, blocks: Vec<Block>) -> Vec<Block> {
    let whole = if law.is_product() { None } else { joined(&blocks, ONE_NORM) };
    whole.map_or(blocks, |whole| vec![whole])
}

/// A bound that no sum reaches: it asks nothing, and gives the sum a row.
pub(crate) const BEYOND: i64 = 1 << 60;
/// A row that costs more is found by draws instead.
const ROW_SECONDS: f64 = 5.0;
const ROW_BYTES: f64 = 2e9;

/// A row of its own for a sum, which asks nothing.
pub(crate) fn row_of(entries: &[(u32, i64)], cells: usize) -> RuleRows {
    let mut group_of = vec![declare::NO_GROUP; cells];
    let mut times = vec![0; cells];
    for (cell, taken) in entries {
        group_of[*cell as usize] = 0;
        times[*cell as usize] = *taken;
    }
    let grouping = Grouping { label: "query".into(), names: vec!["query".into()], group_of, times: Some(times) };
    RuleRows { grouping, relation: Relation::AtMost, bound: BEYOND }
}

/// The sums of the queries that carry noise.
pub(crate) fn noisy_sums(conditions: &Conditions, table: &[i64]) -> Result<Vec<Vec<i64>>, Problem> {
    let groupings: Vec<Grouping> = conditions.queries.iter().map(|query| query.grouping.clone()).collect();
    totals_of(&groupings, table)
}

/// A block as operators judge it. Work that is the same whatever the table is attempted where
/// nothing binds it.
#[expect(clippy::too_many_arguments, reason = "all that an operator may know")]
fn task<'a>(
    conditions: &'a Conditions,
    ground: &'a Ground,
    block: &'a Block,
    law: &'a NoiseLaw,
    rates: &'a [Rational],
    binds: bool,
    network: &'a Arc<Network>,
    grid: Option<&'a Grid>,
    limits: Limits,
) -> Task<'a> {
    Task {
        block,
        law,
        rates,
        nonnegative: conditions.nonnegative,
        pinned: binds,
        network: Some(network),
        grid,
        list: None,
        accepts_estimated: false,
        limits,
        levels: &[],
        conditions,
        ground,
    }
}

/// The operator of a block: noise where that is all, else messages, a grid or a list.
fn choose(
    conditions: &Conditions,
    ground: &Ground,
    block: Block,
    law: &NoiseLaw,
    rates: &[Rational],
    shifts: bool,
    limits: Limits,
) -> Result<PlannedBlock, Problem> {
    let network = Arc::new(Network::new(conditions, ground, &block.cells)?);
    let plain = shifts && conditions.queries.is_empty();
    let grid = grid(&block, &conditions.invariants).filter(|_| plain);
    let task = task(conditions, ground, &block, law, rates, !plain, &network, grid.as_ref(), limits);
    // Cells by themselves at or above zero are drawn until they are: around a count far below zero
    // that has no end.
    let operators: &[&dyn Operator] = match plain {
        true => &[&Independent, &ClosedForm, &Messages, &Divide],
        false => &[&Messages, &Enumerate],
    };
    let mut reasons = Vec::new();
    for operator in operators {
        match operator.attempt(&task) {
            Ok(work) => return Ok(PlannedBlock { block, work }),
            Err(reason) => reasons.push(format!("`{}`: {reason}", operator.name())),
        }
    }
    Err(Problem::refused(format!(
        "a part of {} cells cannot be drawn from exactly under what is known here: {}",
        block.cells.len(),
        reasons.join("; ")
    ))
    .hint("ask for less: without --nonnegative, --rule or --total, or for fewer totals that cross"))
}

//! `Field`: a law on tables around a centre, the one place that knows which operator draws or lists what.
//!
//! The weight of a table is that of its distance from the centre under the noise of a release, on all tables that keep some totals,
//! bounds and rules. Around the released table of a release without bounds it is at once the law of fresh releases of it and, mirrored,
//! what may be believed of the true one (`proofs/location.md`); with what a reader knows it is the posterior under the flat prior
//! (`proofs/posterior.md`).

use crate::release::Release;
use analyse::{Analysis, Block, Demand, Fibre, Ground, ListLimits, Network, Structure, analyse, grid};
use certify::totals_of;
use declare::{Cell, Conditions, Grouping, Problem};
use draw::{
    BlockDraw, Exactness, Ladder, Law, MOST_KEY_BITS, NetworkSampler, NoiseLaw, Operator, Quantities, TableNoise,
    TableSampler, quantities,
};
use exact::Rational;
use plan::{Plan, PlannedBlock, PlannedList, PlannedWork, message_cost};
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
    cells: OnceLock<Result<Arc<CellLaws>, Problem>>,
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

/// Beyond these a block is refused instead of running for hours or out of memory.
const MOST_SECONDS: f64 = 600.0;
const MOST_BYTES: f64 = 6e9;
/// So much is listed where messages are not possible.
const LISTED: ListLimits = ListLimits { cells: 512, tables: 100_000, values: 1 << 22, work: 100_000_000 };

/// What is believed, before it is made ready: conditions with the values of their sums, and the noise around a centre.
pub(crate) struct Around<'a> {
    pub(crate) conditions: Conditions,
    pub(crate) totals: Vec<Vec<i64>>,
    pub(crate) law: &'a NoiseLaw,
    pub(crate) rates: Vec<Rational>,
    /// The centres of noisy sums.
    pub(crate) sums: Vec<Vec<i64>>,
    pub(crate) centre: Vec<i64>,
}

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
            cells: OnceLock::new(),
        })
    }

    /// The noise of a plan without bounds by itself: a table of zeros, all whose totals are zero.
    pub(crate) fn of_noise(plan: &Plan) -> Field {
        let zeroed = |planned: &PlannedBlock| {
            let work = match &planned.work {
                PlannedWork::Network(network) => PlannedWork::Network(of_zeros(network)),
                work => work.clone(),
            };
            PlannedBlock { work, ..planned.clone() }
        };
        Field {
            blocks: plan.blocks.iter().map(zeroed).collect(),
            particular: Vec::new(),
            fixed: plan.fixed.iter().map(|(cell, _)| (*cell, 0)).collect(),
            law: plan.law.clone(),
            rates: plan.queries.iter().map(|query| query.rate.clone()).collect(),
            sums: plan.queries.iter().map(|query| vec![0; query.sums]).collect(),
            centre: vec![0; plan.cells],
            shifts: true,
            conditions: Conditions::of_totals(plan.cells, Vec::new()),
            cells: OnceLock::new(),
        }
    }

    /// Other conditions around a centre that need not satisfy them.
    pub(crate) fn around(around: Around<'_>) -> Result<Field, Problem> {
        let Around { conditions, totals, law, rates, sums, centre } = around;
        // Pins say whose values totals have; which tables there are does not depend on that.
        let unpinned = Conditions { pinned: vec![None; conditions.pinned.len()], ..conditions.clone() };
        let Analysis { blocks, fixed, particular, .. } = analyse(&unpinned, &totals)?;
        let own = totals_of(&conditions.invariants, &centre)?;
        let rules_hold = conditions.check_table(&centre).is_ok();
        let shifts = !conditions.has_inequalities() && own == totals && rules_hold;
        let ground = Ground::new(&conditions, &particular, &fixed);
        let chosen = |block: Block| choose(&conditions, &ground, block, law, &rates, shifts);
        Ok(Field {
            blocks: blocks.into_iter().map(chosen).collect::<Result<_, Problem>>()?,
            particular,
            fixed,
            law: law.clone(),
            rates,
            sums,
            centre,
            shifts,
            conditions,
            cells: OnceLock::new(),
        })
    }

    /// The number of cells that are drawn or fixed.
    pub fn len(&self) -> usize {
        self.centre.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.centre.is_empty()
    }

    pub(crate) fn noise(&self) -> TableNoise<'_> {
        TableNoise { law: &self.law, rates: &self.rates, sums: &self.sums }
    }

    /// What draws tables of it, made ready once.
    ///
    /// # Errors
    /// Refused when a cell has no law.
    pub fn sampler(&self) -> Result<TableSampler<'_>, Problem> {
        let blocks: Vec<BlockDraw<'_>> = self.blocks.iter().map(PlannedBlock::to_draw).collect();
        Ok(TableSampler::new(self.noise(), &blocks, &self.centre)?.keeping(&self.fixed))
    }

    /// What draws one block of it, made ready once; other cells keep the values of the centre.
    pub(crate) fn block_sampler(&self, block: usize) -> Result<TableSampler<'_>, Problem> {
        TableSampler::new(self.noise(), &[self.blocks[block].to_draw()], &self.centre)
    }

    /// The laws of all cells that are known, computed once.
    ///
    /// # Errors
    /// Refused for real-valued noise.
    pub fn cell_laws(&self) -> Result<Arc<CellLaws>, Problem> {
        let found = self.cells.get_or_init(|| {
            let blocks: Vec<BlockDraw<'_>> = self.blocks.iter().map(PlannedBlock::to_draw).collect();
            let Quantities { cells, log_normaliser, .. } = quantities(self.noise(), &blocks, &self.centre)?;
            let mut laws: HashMap<u32, Law> = cells.into_iter().collect();
            laws.extend(self.fixed.iter().map(|(cell, value)| (*cell as u32, Law::point(*value))));
            Ok(Arc::new(CellLaws { laws, log_normaliser }))
        });
        found.clone()
    }

    /// The logarithm of the sum of the weights of all tables around this centre in one block; `None` where its operator does not
    /// tell it. The centre has the totals of the block.
    pub(crate) fn log_normaliser_around(&self, block: usize, centre: &[i64]) -> Result<Option<f64>, Problem> {
        let planned = &self.blocks[block];
        let sums = noisy_sums(&self.conditions, centre)?;
        let noise = TableNoise { law: &self.law, rates: &self.rates, sums: &sums };
        if let PlannedWork::Network(network) = &planned.work {
            let sampler = NetworkSampler::new(network, noise, centre, Ladder::Standard)?;
            return Ok(Some(sampler.log_normaliser()));
        }
        Ok(quantities(noise, &[planned.to_draw()], centre)?.log_normaliser)
    }

    /// A sampler of one block around another centre, for one draw.
    pub(crate) fn block_around<T>(
        &self,
        block: usize,
        centre: &[i64],
        with: impl FnOnce(&TableSampler<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let sums = noisy_sums(&self.conditions, centre)?;
        let noise = TableNoise { law: &self.law, rates: &self.rates, sums: &sums };
        let draw = [self.blocks[block].to_draw()];
        with(&TableSampler::new(noise, &draw, centre)?)
    }

    /// Whether a block is drawn by noise alone: free cells (`None`), or cells whose total is kept (their number).
    pub(crate) fn plain(&self, block: usize) -> Option<Option<usize>> {
        let planned = &self.blocks[block];
        match (&planned.work, &planned.block.structure) {
            (PlannedWork::Noise, Structure::Free) => Some(None),
            (PlannedWork::Noise, Structure::OneTotal { .. }) => Some(Some(planned.block.size)),
            _ => None,
        }
    }

    /// The law of a sum over cells of one block, by a row of its own in the network of the block; around the centre, or of the noise
    /// alone where that is the same around every table.
    pub(crate) fn row_law(&self, block: usize, entries: &[(u32, i64)]) -> Option<Law> {
        if !self.law.is_product() || !self.law.is_integer() || entries.len() < 2 {
            return None;
        }
        let row = declare::RuleRows {
            grouping: grouping_of(entries, self.conditions.cells),
            relation: declare::Relation::AtMost,
            bound: BEYOND,
        };
        let mut conditions = self.conditions.clone();
        let (ground, centre, sums);
        if self.shifts {
            conditions.rules.iter_mut().for_each(|rule| rule.bound = 0);
            conditions.rules.push(row);
            ground = Ground::new(&conditions, &[], &[]);
            centre = vec![0; self.centre.len()];
            sums = self.sums.iter().map(|sums| vec![0; sums.len()]).collect();
        } else {
            conditions.rules.push(row);
            ground = Ground::new(&conditions, &self.particular, &self.fixed);
            centre = self.centre.clone();
            sums = self.sums.clone();
        }
        let network = Network::new(&conditions, &ground, &self.blocks[block].block.cells).ok()?;
        let cost = message_cost(&network, &self.law, &self.rates);
        if !(cost.seconds < ROW_SECONDS && cost.bytes < ROW_BYTES && cost.key_bits < f64::from(MOST_KEY_BITS)) {
            return None;
        }
        let noise = TableNoise { law: &self.law, rates: &self.rates, sums: &sums };
        let found = NetworkSampler::new(&network, noise, &centre, Ladder::Standard).ok()?.quantities()?;
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

/// The same sums, each with the value zero; without bounds nothing limits them.
fn of_zeros(network: &Network) -> Network {
    let mut network = network.clone();
    for row in &mut network.rows {
        row.demand = match row.demand {
            Demand::Equal(_) => Demand::Equal(0),
            Demand::Noisy { query, group, .. } => Demand::Noisy { query, group, fixed: 0 },
            bound => bound,
        };
    }
    network.joins.iter_mut().flat_map(|join| &mut join.limits).for_each(|limits| *limits = (None, None));
    network
}

/// A bound that no sum reaches: it asks nothing, and gives the sum a row.
const BEYOND: i64 = 1 << 60;
/// A row that costs more is found by draws instead.
const ROW_SECONDS: f64 = 5.0;
const ROW_BYTES: f64 = 2e9;

fn grouping_of(entries: &[(u32, i64)], cells: usize) -> Grouping {
    let mut group_of = vec![declare::NO_GROUP; cells];
    let mut times = vec![0; cells];
    for (cell, taken) in entries {
        group_of[*cell as usize] = 0;
        times[*cell as usize] = *taken;
    }
    Grouping { label: "query".into(), names: vec!["query".into()], group_of, times: Some(times) }
}

/// The sums of the queries that carry noise.
pub(crate) fn noisy_sums(conditions: &Conditions, table: &[i64]) -> Result<Vec<Vec<i64>>, Problem> {
    let groupings: Vec<Grouping> = conditions.queries.iter().map(|query| query.grouping.clone()).collect();
    totals_of(&groupings, table)
}

/// The operator of a block: noise where that is all, else messages, a grid or a list.
fn choose(
    conditions: &Conditions,
    ground: &Ground,
    block: Block,
    law: &NoiseLaw,
    rates: &[Rational],
    shifts: bool,
) -> Result<PlannedBlock, Problem> {
    let planned = |block: Block, operator: Operator, work: PlannedWork| PlannedBlock {
        block,
        operator,
        exactness: Exactness::Exact,
        seconds: 0.0,
        bytes: 0.0,
        work,
        because: "what a reader knows",
    };
    if !law.is_product() || !law.is_integer() {
        return Err(Problem::refused(format!(
            "{} noise is no product over cells: under what a reader adds, its law cannot be drawn from",
            law.name()
        )));
    }
    let plain = shifts && conditions.queries.is_empty();
    match &block.structure {
        Structure::Free if plain => return Ok(planned(block, Operator::Independent, PlannedWork::Noise)),
        Structure::OneTotal { .. } if plain => {
            let operator = match law {
                NoiseLaw::DoubleGeometric { .. } => Operator::ClosedForm,
                _ => Operator::Messages,
            };
            return Ok(planned(block, operator, PlannedWork::Noise));
        }
        _ => {}
    }
    let network = Network::new(conditions, ground, &block.cells)?;
    let cost = message_cost(&network, law, rates);
    let why = match () {
        () if !(cost.bytes < MOST_BYTES) => "its weights of sums would need more memory than there is",
        () if !(cost.seconds < MOST_SECONDS) => "its weights of sums would take hours",
        () if !(cost.key_bits < f64::from(MOST_KEY_BITS)) => "too many sums meet at once",
        () => return Ok(planned(block, Operator::Messages, PlannedWork::Network(network))),
    };
    if let Some(grid) = grid(&block, &conditions.invariants).filter(|_| plain) {
        return Ok(planned(block, Operator::Divide, PlannedWork::Grid(grid)));
    }
    let fibre = Fibre::new(conditions, ground, &block.cells)?;
    match fibre.listed(&LISTED) {
        Ok(listed) if !listed.is_empty() => {
            let list = PlannedList { fibre, listed };
            Ok(planned(block, Operator::Enumerate, PlannedWork::Listed(Arc::new(list))))
        }
        _ => Err(Problem::refused(format!(
            "a part of {} cells whose totals cross cannot be drawn from exactly under what is known here: {why}, and its tables are too \
             many to be listed",
            block.cells.len()
        ))
        .hint("ask for less: without --nonnegative, --rule or --total, or for fewer totals that cross")),
    }
}

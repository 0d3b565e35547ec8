//! `Plan`: which operator draws each block, at what cost and loss; a function of public information alone.

use crate::cascade::{Cascaded, cascaded};
use crate::choose::{asked_for, block_in_words, choose, not_used};
use crate::integer_order::is_at_integer_orders;
use crate::listed;
use crate::noise::check_magnitude;
use crate::price::{Priced, concentrated_listed, nearest_listed, price, sharpened};
use crate::registry::registry;
use analyse::{Analysis, Block, Disclosed, Grid, Ground, Kept, Moves, Network, Redundant, Structure, grid};
use declare::{BaseFactor, Cell, Conditions, Declaration, Kind, Method, Problem, QueryRows, RunTime};
use draw::operators::Messages;
use draw::{
    Base, BlockDraw, Exactness, Factor, LEVELS, Ladder, NetworkSampler, NoiseLaw, ONE_NORM, Operator, PlannedWork,
    TableNoise, Task,
};
use exact::Rational;
use loss::{Attained, Loss};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a release will be drawn.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The live cells.
    pub cells: usize,
    /// The totals that the release keeps.
    pub invariants: usize,
    /// Their rank.
    pub rank: usize,
    /// The invariants that the release keeps, in declared order.
    pub kept: Vec<Kept>,
    /// The totals that follow from others.
    pub redundant: Vec<Redundant>,
    /// The cells whose released value the invariants alone determine, with that value.
    pub fixed: Vec<(Cell, i64)>,
    /// The cells of the confidential table that totals, bounds and rules disclose, with their values.
    pub disclosed: Disclosed,
    /// Whether every released count is at least zero.
    pub nonnegative: bool,
    /// Whether some totals are pinned to values that are not the table's own.
    pub pinned: bool,
    /// The rules that the release satisfies, by label.
    pub rules: Vec<String>,
    /// The noise in every cell, before conditioning; with queries that of the first of them, and cells have none.
    pub law: NoiseLaw,
    /// The sums that carry noise; none: every cell does.
    pub queries: Vec<PlannedQuery>,
    /// How noise and invariants meet.
    pub method: Method,
    /// The independent parts, each with its operator.
    pub blocks: Vec<PlannedBlock>,
    /// What the release costs.
    pub loss: Loss,
    /// The operators that draw nothing, with the reason.
    pub refused: Vec<Refused>,
    /// The noise of a cascade, if that is how the table is drawn.
    pub cascade: Option<Cascaded>,
}

/// A block and how it is drawn.
#[derive(Debug, Clone)]
pub struct PlannedBlock {
    /// The block.
    pub block: Block,
    /// How it is drawn.
    pub work: Arc<dyn PlannedWork>,
}

impl PlannedBlock {
    /// The operator that draws it, by name.
    pub fn operator(&self) -> &'static str {
        self.work.prospect().operator
    }

    /// How exactly it is drawn.
    pub fn exactness(&self) -> &Exactness {
        &self.work.prospect().exactness
    }

    /// What the run time of its draw tells about the table.
    pub fn run_time(&self) -> RunTime {
        self.work.run_time()
    }

    /// Whether its noise is the same whatever the table.
    pub fn is_noise(&self) -> bool {
        self.work.noise().is_some()
    }

    /// The block as the samplers take it.
    pub fn to_draw(&self) -> BlockDraw<'_> {
        BlockDraw { cells: &self.block.cells, work: self.work.as_ref() }
    }
}

/// A family of sums that carry noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedQuery {
    /// How messages call it.
    pub label: String,
    /// The number of its sums.
    pub sums: usize,
    /// The rate of its noise: `P(u) ∝ e^{−rate·|u|}` before conditioning.
    pub rate: Rational,
}

/// An operator that draws nothing in this plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name.
    pub operator: &'static str,
    /// Why.
    pub reason: String,
}

impl Plan {
    /// What an analysis says, with this noise at this loss: a plan that draws nothing yet.
    pub(crate) fn bare(
        conditions: &Conditions,
        analysis: &Analysis,
        method: Method,
        law: NoiseLaw,
        loss: Loss,
    ) -> Plan {
        Plan {
            cells: analysis.cells,
            invariants: analysis.invariants,
            rank: analysis.rank,
            kept: analysis.kept.clone(),
            redundant: analysis.redundant.clone(),
            fixed: analysis.fixed.clone(),
            disclosed: analysis.disclosed.clone(),
            nonnegative: conditions.nonnegative,
            pinned: analysis.moves.pinned,
            rules: conditions.rules.iter().map(|rule| rule.grouping.label.clone()).collect(),
            law,
            queries: Vec::new(),
            method,
            blocks: Vec::new(),
            loss,
            refused: Vec::new(),
            cascade: None,
        }
    }

    /// The dimension of the fibre: how many cells may move freely once the totals are kept.
    pub fn free_dimension(&self) -> usize {
        self.cells - self.rank
    }

    /// Cells that totals, bounds and rules disclose, with their values.
    pub fn disclosed(&self) -> impl Iterator<Item = (Cell, i64)> {
        self.disclosed.iter()
    }

    /// What every released table satisfies besides its totals, in words.
    pub fn conditions_in_words(&self) -> Vec<String> {
        let nonnegative = self.nonnegative.then(|| "every count is at least 0".to_owned());
        nonnegative.into_iter().chain(self.rules.iter().cloned()).collect()
    }

    /// The predicted memory of what is prepared for a draw, in bytes.
    pub fn bytes(&self) -> f64 {
        self.blocks.iter().map(|block| block.work.prospect().bytes).sum()
    }

    /// Whether the release keeps a total exactly.
    pub fn keeps_totals(&self) -> bool {
        self.invariants > 0
    }

    /// The predicted time of one draw, on one core.
    pub fn seconds(&self) -> f64 {
        self.blocks.iter().map(|block| block.work.prospect().seconds).sum()
    }

    /// The first block whose operator proves nothing about its law: such a plan must not be certified.
    pub fn unproven(&self) -> Option<&PlannedBlock> {
        self.blocks.iter().find(|block| *block.exactness() == Exactness::Unproven)
    }
}

/// Chooses an operator for every block.
///
/// # Errors
/// Refused when no operator of this version can draw a block, when the operator asked for cannot, or when the noise
/// would leave machine integers; bad when noise and strength do not fit each other; infeasible when no table satisfies the
/// conditions.
pub fn plan(declaration: &Declaration, conditions: &Conditions, analysis: &Analysis) -> Result<Plan, Problem> {
    let mechanism = &declaration.mechanism;
    check_supported(declaration)?;
    if mechanism.method == Method::Cascade {
        return cascaded(declaration, conditions, analysis);
    }
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let is_product = mechanism.noise.is_product;
    let one_block = match mechanism.method {
        Method::TopDown => joined(&analysis.blocks, LEVELS),
        _ if !is_product => joined(&analysis.blocks, ONE_NORM),
        _ => None,
    };
    let blocks = one_block.as_ref().map_or(analysis.blocks.as_slice(), std::slice::from_ref);
    let base = base_measure(declaration, conditions)?;
    // The loss of a pair under a base measure depends on the weights of the base: no list prices it.
    let listed = mechanism.method == Method::Condition && !analysis.moves.pinned && base.is_none();
    let lists = match listed {
        true => listed::of_all(conditions, &ground, blocks),
        false => None,
    };
    listed::check_several(lists.as_deref())?;
    let moves = lists.as_ref().map(|lists| nearest_listed(lists, &analysis.moves));
    let moves = moves.as_ref().unwrap_or(&analysis.moves);
    // Where theorem G13 holds, inequalities add nothing: the price is that of the equalities, held at integer orders.
    let (integer_orders, not_by_theorem) = match is_at_integer_orders(mechanism, conditions, analysis) {
        Ok(integer_orders) => (integer_orders, None),
        // Where all tables are listed their divergences are computed.
        Err(problem) if lists.is_some() => (false, Some(problem)),
        Err(problem) => return Err(problem),
    };
    let equalities = integer_orders || not_by_theorem.is_some();
    let moves = &Moves { inequalities: moves.inequalities && !equalities, ..moves.clone() };
    let priced = price(moves, mechanism, base.is_some())?;
    let Priced { law, query_rates, loss } = match (&lists, not_by_theorem) {
        (Some(lists), Some(problem)) => concentrated_listed(&priced, lists, moves, mechanism)
            .ok_or_else(|| listed::too_many_for_orders(lists, problem))?,
        (Some(lists), None) => sharpened(priced, lists, moves, mechanism),
        (None, _) => priced,
    };
    let loss = if integer_orders { loss.at_integer_orders(crate::integer_order::BECAUSE) } else { loss };
    let law = match (law, query_rates.first()) {
        (Some(law), _) => law,
        (None, Some(rate)) => NoiseLaw::double_geometric(rate.clone()),
        (None, None) => return Err(Problem::bad("there is no noise: neither cells nor queries have any")),
    };
    let law = match base {
        Some(base) => law.weighted_by(base),
        None => law,
    };
    // Where weights forbid counts, the two tables of the lower bound may have none.
    let loss = match law.base().is_some_and(Base::has_zeros) {
        true => Loss { attained: Attained::Unknown, ..loss },
        false => loss,
    };
    let loss = match &declaration.data.unit {
        Some(column) => loss.owned(column, declaration.data.rows_per_unit, mechanism.per),
        None => loss,
    };
    let registry = registry();
    let asked_for = asked_for(registry, mechanism.sampler.as_deref(), mechanism.method)?;
    check_magnitude(&law, &analysis.blocks)?;
    let levels = match mechanism.method {
        Method::TopDown => declaration.levels(&declaration.domain()?),
        _ => Vec::new(),
    };
    let mut planned = Vec::with_capacity(blocks.len());
    let mut reasons: BTreeMap<&'static str, String> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate() {
        let shapes = match law.is_product() && !mechanism.method.projects() {
            true => {
                let always = law.base().is_some() || mechanism.sampler.as_deref() == Some(Messages.name());
                Shapes::new(conditions, &ground, block, always)?
            }
            false => Shapes { network: None, grid: None },
        };
        let task = Task {
            block,
            law: &law,
            rates: &query_rates,
            nonnegative: conditions.nonnegative,
            pinned: analysis.moves.pinned,
            network: shapes.network.as_ref(),
            grid: shapes.grid.as_ref(),
            list: lists.as_ref().map(|lists| &lists[number]),
            accepts_estimated: mechanism.max_delta.is_some(),
            method: mechanism.method,
            limits: declaration.limits,
            levels: &levels,
            conditions,
            ground: &ground,
        };
        let work = choose(registry, asked_for, &task, &mut reasons)?;
        check_weights(&task)?;
        planned.push(PlannedBlock { block: block.clone(), work });
    }
    if analysis.disclosed.len() == analysis.cells && mechanism.method != Method::Unconstrained {
        return Err(only_one_table());
    }
    let walked = planned.iter().any(|block| walk::PlannedWalk::of(&*block.work).is_some());
    let loss = if walked { crate::estimated::not_yet_estimated(loss) } else { loss };
    let queries = conditions.queries.iter().zip(&query_rates);
    let query = |(query, rate): (&QueryRows, &Rational)| PlannedQuery {
        label: query.grouping.label.clone(),
        sums: query.grouping.groups(),
        rate: rate.clone(),
    };
    Ok(Plan {
        refused: not_used(registry, &planned, reasons, asked_for, mechanism.method),
        queries: queries.map(query).collect(),
        blocks: planned,
        ..Plan::bare(conditions, analysis, mechanism.method, law, loss)
    })
}

/// The problem of totals that only one table has.
pub fn only_one_table() -> Problem {
    Problem::refused(
        "totals, bounds and rules alone give every cell: counts are not negative, so only one table has them",
    )
    .hint("such a release protects nothing; keep fewer or coarser totals")
}

/// The forms of a block that some operators work on.
struct Shapes {
    network: Option<Arc<Network>>,
    grid: Option<Grid>,
}

impl Shapes {
    /// A network where noise alone may not do; a grid where totals cross and nothing else is asked.
    fn new(conditions: &Conditions, ground: &Ground, block: &Block, always: bool) -> Result<Shapes, Problem> {
        let pinned = conditions.pinned.iter().any(Option::is_some);
        let plain = !conditions.nonnegative && conditions.queries.is_empty() && !pinned;
        let needed = match block.structure {
            _ if always => true,
            Structure::Free => !conditions.queries.is_empty(),
            Structure::OneTotal { .. } => !plain,
            Structure::Crossing { .. } | Structure::Linked { .. } => true,
        };
        let network = match needed.then(|| Network::new(conditions, ground, &block.cells)) {
            Some(Ok(network)) => Some(Arc::new(network)),
            // Far too many sums meet: `messages` says so, and others may draw the block.
            Some(Err(problem)) if problem.kind == Kind::Refused => None,
            Some(Err(problem)) => return Err(problem),
            None => None,
        };
        let grid = if conditions.queries.is_empty() && !pinned { grid(block, &conditions.invariants) } else { None };
        Ok(Shapes { network, grid })
    }
}

/// What this version cannot draw is refused, never drawn as something else.
fn check_supported(declaration: &Declaration) -> Result<(), Problem> {
    let mechanism = &declaration.mechanism;
    if mechanism.base.is_some() && mechanism.method != Method::Condition {
        let method = mechanism.method.name();
        return Err(Problem::bad(format!("method = \"{method}\" does not weigh tables: it takes no base measure"))
            .hint("write method = \"condition\", or leave [mechanism.base] out"));
    }
    if mechanism.method.projects() && !mechanism.noise.is_product {
        let method = mechanism.method.name();
        return Err(Problem::refused(format!(
            "method = \"{method}\" needs noise that is drawn freely in every cell, and `{}` noise is one norm over all cells",
            mechanism.noise.name
        ))
        .hint("write noise = \"double-geometric\" or \"discrete-gaussian\", or method = \"condition\""));
    }
    match mechanism.method {
        Method::Suppress => Err(Problem::refused("method = \"suppress\" publishes the exact totals and draws nothing")
            .hint("only `check`, `explain`, `release` and `verify` take it; choose method = \"condition\" for draws")),
        Method::Condition | Method::Cascade | Method::Unconstrained | Method::Project | Method::TopDown => Ok(()),
    }
}

/// The base measure of a spec, as the laws of noise take it.
fn base_measure(declaration: &Declaration, conditions: &Conditions) -> Result<Option<Base>, Problem> {
    let Some(base) = &declaration.mechanism.base else { return Ok(None) };
    if !conditions.nonnegative {
        return Err(Problem::bad("a base measure weighs counts at or above zero, and counts may be negative")
            .hint("leave `nonnegative` out, or [mechanism.base]"));
    }
    let cells = base.of_cells(&declaration.domain()?)?;
    let factor = |factor: BaseFactor| match factor {
        BaseFactor::Rising(a) => Factor::Rising(a),
        BaseFactor::Poisson(mean) => Factor::Poisson(mean),
        BaseFactor::Listed(weights) => Factor::Listed(weights),
    };
    let factors = cells.factors.into_iter().map(factor).collect();
    Ok(Some(Base::new(factors, cells.of_cell, base.in_words())))
}

/// Refuses weights that leave no table of a block: a function of public values, found around the table of zeros.
fn check_weights(task: &Task) -> Result<(), Problem> {
    let (Some(network), true) = (task.network, task.law.base().is_some_and(Base::has_zeros)) else { return Ok(()) };
    let cells = task.conditions.cells;
    let sums: Vec<Vec<i64>> = task.conditions.queries.iter().map(|query| vec![0; query.grouping.groups()]).collect();
    let noise = TableNoise { law: task.law, rates: task.rates, sums: &sums };
    match NetworkSampler::new(network, noise, &vec![0; cells], Ladder::Standard)?.has_table() {
        true => Ok(()),
        false => Err(Problem::new(
            Kind::Infeasible,
            format!("the base measure gives weight zero to every table of {}", block_in_words(task.block)),
        )
        .hint("give more counts a weight above zero under [mechanism.base], or a larger `add`")),
    }
}

/// All cells as one block, where something ties them together whatever the totals do.
pub(crate) fn joined(blocks: &[Block], by: &str) -> Option<Block> {
    if blocks.len() < 2 {
        return None;
    }
    let mut cells: Vec<u32> = blocks.iter().flat_map(|block| block.cells.iter().copied()).collect();
    cells.sort_unstable();
    let classes = blocks.iter().map(|block| block.classes).sum();
    let size = blocks.iter().map(|block| block.size).sum();
    Some(Block { cells, size, classes, structure: Structure::Linked { by: vec![by.to_owned()] } })
}

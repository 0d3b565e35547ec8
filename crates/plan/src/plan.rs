//! Chooses which operator draws each block, at what cost and loss: a function of public information
//! alone.

use crate::blocks::{block_in_words, joined, only_one_table};
use crate::cascaded::cascaded;
use crate::choose::{asked_for, choose, not_used};
use crate::estimated::not_yet_estimated;
use crate::integer_order::is_at_integer_orders;
use crate::listed;
use crate::noise::check_magnitude;
use crate::planned::{Plan, PlannedBlock, PlannedQuery};
use crate::price::{INTEGER_ORDERS, Priced, concentrated_listed, nearest_listed, price, sharpened};
use crate::registry::registry;
use analyse::{Analysis, Block, Grid, Ground, Moves, Network, Structure, grid};
use declare::{BaseFactor, Conditions, Declaration, Kind, Method, Problem, QueryRows};
use draw::operators::Messages;
use draw::{Base, Factor, LEVELS, Ladder, NetworkSampler, NoiseLaw, ONE_NORM, Operator, TableNoise, Task};
use exact::Rational;
use loss::{Attained, Loss};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Plans a release that draws, by its method.
///
/// # Errors
/// Refused when no operator of this version can draw a block, when the operator asked for cannot,
/// or when the noise would leave machine integers; bad when noise and strength do not fit each
/// other; infeasible when no table satisfies the conditions.
pub fn plan(declaration: &Declaration, conditions: &Conditions, analysis: &Analysis) -> Result<Plan, Problem> {
    match declaration.mechanism.method {
        Method::Suppress => Err(Problem::refused("method = \"suppress\" publishes the exact totals and draws nothing")
            .hint("only `check`, `explain`, `release` and `verify` take it; choose method = \"condition\" for draws")),
        Method::Cascade => {
            check_supported(declaration)?;
            cascaded(declaration, conditions, analysis)
        }
        Method::Condition | Method::Unconstrained | Method::Project | Method::TopDown => {
            check_supported(declaration)?;
            by_blocks(declaration, conditions, analysis)
        }
    }
}

/// Chooses an operator for every block.
fn by_blocks(declaration: &Declaration, conditions: &Conditions, analysis: &Analysis) -> Result<Plan, Problem> {
    let mechanism = &declaration.mechanism;
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let is_product = mechanism.noise.is_product;
    let one_block = match mechanism.method {
        Method::TopDown => joined(&analysis.blocks, LEVELS),
        _ if !is_product => joined(&analysis.blocks, ONE_NORM),
        _ => None,
    };
    let blocks = one_block.as_ref().map_or(analysis.blocks.as_slice(), std::slice::from_ref);
    let base = base_measure(declaration, conditions)?;
    // The loss of a pair under a base measure depends on the weights of the base: no list prices
    // it.
    let listed = mechanism.method == Method::Condition && !analysis.moves.pinned && base.is_none();
    let lists = match listed {
        true => listed::of_all(conditions, &ground, blocks),
        false => None,
    };
    listed::check_several(lists.as_deref())?;
    let moves = lists.as_ref().map(|lists| nearest_listed(lists, &analysis.moves));
    let moves = moves.as_ref().unwrap_or(&analysis.moves);
    // Where theorem G13 holds, inequalities add nothing: the price is that of the equalities, held
    // at integer orders.
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
    let loss = if integer_orders { loss.at_integer_orders(INTEGER_ORDERS) } else { loss };
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
    let loss = if walked { not_yet_estimated(loss) } else { loss };
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
    Ok(())
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

/// Refuses weights that leave no table of a block: a function of public values, found around the
/// table of zeros.
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

//! Chooses which operator draws each block, at what cost and loss: a function of public information
//! alone.

use crate::blocks::{block_in_words, joined, only_one_table};
use crate::case::Case;
use crate::choose::{asked_for, choose, not_used};
use crate::estimated::not_yet_estimated;
use crate::integer_order::is_at_integer_orders;
use crate::listed;
use crate::noise::check_magnitude;
use crate::planned::{Plan, PlannedBlock, PlannedQuery, ReleaseMethod};
use crate::price::{Priced, by, concentrated_listed, nearest_listed, price, sharpened};
use crate::registry::registry;
use analyse::{Analysis, Block, Grid, Ground, Moves, Network, Structure, grid};
use declare::{BaseFactor, Conditions, Kind, Problem};
use draw::operators::Messages;
use draw::{Base, Factor, LEVELS, Ladder, NetworkSampler, ONE_NORM, Operator, TableNoise, Task};
use loss::{Attained, Loss, Theorem};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Chooses an operator for every block.
pub(super) fn by_blocks(method: &'static ReleaseMethod, case: &Case, analysis: &Analysis) -> Result<Plan, Problem> {
    let Case { declaration, domain, conditions, .. } = case;
    let mechanism = &declaration.mechanism;
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let one_block = match mechanism.noise.is_product {
        _ if method.by_levels => joined(&analysis.blocks, LEVELS),
        false => joined(&analysis.blocks, ONE_NORM),
        true => None,
    };
    let blocks = one_block.as_ref().map_or(analysis.blocks.as_slice(), std::slice::from_ref);
    let base = base_measure(case)?;
    // The loss of a pair under a base measure depends on the weights of the base: no list prices
    // it.
    let listed = method.conditions && !analysis.moves.pinned && base.is_none();
    let lists = listed.then(|| listed::of_all(conditions, &ground, blocks)).flatten();
    if lists.as_ref().is_some_and(|lists| lists.iter().all(|list| list.listed.len() == 1)) {
        return Err(only_one_table());
    }
    let moves = lists.as_ref().map(|lists| nearest_listed(lists, &analysis.moves));
    let moves = moves.as_ref().unwrap_or(&analysis.moves);
    // Where theorem G13 holds, inequalities add nothing: the price is that of the equalities, held
    // at integer orders.
    let (integer_orders, not_by_theorem) = match is_at_integer_orders(method, mechanism, conditions, analysis) {
        Ok(integer_orders) => (integer_orders, None),
        // Where all tables are listed their divergences are computed.
        Err(problem) if lists.is_some() => (false, Some(problem)),
        Err(problem) => return Err(problem),
    };
    let equalities = integer_orders || not_by_theorem.is_some();
    let moves = &Moves { inequalities: moves.inequalities && !equalities, ..moves.clone() };
    let priced = price(method, moves, mechanism, base.is_some())?;
    let Priced { law, query_rates, loss } = match (&lists, not_by_theorem) {
        (Some(lists), Some(problem)) => concentrated_listed(&priced, lists, moves, mechanism)
            .ok_or_else(|| listed::too_many_for_orders(lists, problem))?,
        (Some(lists), None) => sharpened(priced, lists, moves, mechanism),
        (None, _) => priced,
    };
    let loss = if integer_orders { by(Theorem::G13, loss.at_integer_orders()) } else { loss };
    let law = match base {
        Some(base) => law.weighted_by(base),
        None => law,
    };
    // Where weights forbid counts, the two tables of the lower bound may have none.
    let attained = if law.base().is_some_and(Base::has_zeros) { Attained::Unknown } else { loss.attained.clone() };
    let loss = Loss { attained, ..loss };
    let registry = registry();
    let asked_for = asked_for(registry, mechanism.sampler.as_deref(), method.word)?;
    check_magnitude(&law, &analysis.blocks)?;
    let levels = if method.by_levels { declaration.levels(domain) } else { Vec::new() };
    let always = law.base().is_some() || mechanism.sampler.as_deref() == Some(Messages.name());
    let mut planned = Vec::with_capacity(blocks.len());
    let mut reasons: BTreeMap<&'static str, String> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate() {
        let (network, grid) = match law.is_product() && !method.projects {
            true => shapes(conditions, &ground, block, always)?,
            false => (None, None),
        };
        let task = Task {
            block,
            law: &law,
            rates: &query_rates,
            nonnegative: conditions.nonnegative,
            pinned: analysis.moves.pinned,
            network: network.as_ref(),
            grid: grid.as_ref(),
            list: lists.as_ref().map(|lists| &lists[number]),
            accepts_estimated: mechanism.max_delta.is_some(),
            limits: declaration.limits,
            levels: &levels,
            conditions,
            ground: &ground,
        };
        let work = choose(registry, method, asked_for, &task, &mut reasons)?;
        check_weights(&task)?;
        planned.push(PlannedBlock { block: block.clone(), work });
    }
    let walked = planned.iter().any(|block| walk::PlannedWalk::of(&*block.work).is_some());
    let loss = if walked { not_yet_estimated(loss) } else { loss };
    let queries = conditions.queries.iter().zip(&query_rates).map(|(query, rate)| PlannedQuery {
        label: query.grouping.label.clone(),
        sums: query.grouping.groups(),
        rate: rate.clone(),
    });
    Ok(Plan {
        refused: not_used(registry, &planned, reasons, asked_for, method.word),
        queries: queries.collect(),
        blocks: planned,
        ..Plan::bare(method, conditions, analysis, law, loss)
    })
}

/// The forms of a block that some operators work on: a network where noise alone may not do; a grid
/// where totals cross and nothing else is asked.
fn shapes(
    conditions: &Conditions,
    ground: &Ground,
    block: &Block,
    always: bool,
) -> Result<(Option<Arc<Network>>, Option<Grid>), Problem> {
    let unpinned = conditions.pinned.iter().all(Option::is_none);
    let plain = !conditions.nonnegative && conditions.queries.is_empty() && unpinned;
    let needed = match block.structure {
        _ if always => true,
        Structure::Free => !conditions.queries.is_empty(),
        Structure::OneTotal { .. } => !plain,
        Structure::Crossing { .. } | Structure::Linked { .. } => true,
    };
    let network = match needed.then(|| Network::new(conditions, ground, &block.cells)).transpose() {
        // Far too many sums meet: `messages` says so, and others may draw the block.
        Err(problem) if problem.kind == Kind::Refused => None,
        network => network?.map(Arc::new),
    };
    let grid = if conditions.queries.is_empty() && unpinned { grid(block, &conditions.invariants) } else { None };
    Ok((network, grid))
}

/// The base measure of a spec, as the laws of noise take it.
fn base_measure(case: &Case) -> Result<Option<Base>, Problem> {
    let Some(base) = &case.declaration.mechanism.base else { return Ok(None) };
    if !case.conditions.nonnegative {
        return Err(Problem::bad("a base measure weighs counts at or above zero, and counts may be negative")
            .hint("leave `nonnegative` out, or [mechanism.base]"));
    }
    let cells = base.of_cells(&case.domain)?;
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

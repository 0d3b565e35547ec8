//! `Plan`: which operator draws each block, at what cost and loss; a function of public information alone.

use crate::integer_order::is_at_integer_orders;
use crate::listed::{self, PlannedList};
use crate::loss::Loss;
use crate::noise::check_magnitude;
use crate::price::{Priced, nearest_listed, price, sharpened};
use crate::projection::PlannedProjection;
use crate::rules::{BASELINES, Choice, LEVELS, LIST, NOT_ACCEPTED, ONE_NORM, PlanRule, RULES, Task, WALK, WorksOn};
use crate::rules::{PROJECT_L1, all, crossing, every_rule, is_of, is_walk, later, rules_of, tied};
use analyse::{Analysis, Block, Disclosed, Grid, Ground, Kept, Moves, Network, Redundant, Structure, grid};
use declare::{Cell, Conditions, Declaration, Method, Noise, Problem, QueryRows};
use draw::{BlockDraw, Evidence, Exactness, NoiseLaw, Operator, PROVED_WALKS, UNPROVED, Walk, Work};
use exact::Rational;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a release will be drawn.
#[derive(Debug, Clone, PartialEq)]
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
}

/// A block and how it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedBlock {
    /// The block.
    pub block: Block,
    /// The operator that draws it.
    pub operator: Operator,
    /// How exactly.
    pub exactness: Exactness,
    /// The predicted time on one core.
    pub seconds: f64,
    /// The predicted memory of what the operator prepares.
    pub bytes: f64,
    /// What the operator works on.
    pub work: PlannedWork,
    /// Why this operator, in words.
    pub because: &'static str,
}

/// What an operator works on.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedWork {
    /// Noise that does not depend on the table.
    Noise,
    /// Cells by themselves, each at least zero.
    AtLeastZero,
    /// A network.
    Network(Network),
    /// A two-way table.
    Grid(Grid),
    /// All tables of the block.
    Listed(Arc<PlannedList>),
    /// A walk, and how close it comes to its law.
    Walk(Box<PlannedWalk>),
    /// A projection of noisy measurements.
    Projection(Box<PlannedProjection>),
}

/// A walk, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedWalk {
    /// The walk.
    pub walk: Walk,
    /// What coupled chains say about it, once they ran.
    pub evidence: Option<Evidence>,
}

impl PlannedBlock {
    /// The block as the samplers take it.
    pub fn to_draw(&self) -> BlockDraw<'_> {
        let work = match &self.work {
            PlannedWork::Noise => Work::Noise,
            PlannedWork::AtLeastZero => Work::AtLeastZero,
            PlannedWork::Network(network) => Work::Network(network),
            PlannedWork::Grid(grid) => Work::Grid(grid),
            PlannedWork::Listed(list) => Work::Listed(&list.fibre, &list.listed),
            PlannedWork::Walk(planned) => Work::Walk(&planned.walk, planned.evidence.as_ref()),
            PlannedWork::Projection(planned) => Work::Projection(&planned.fibre),
        };
        BlockDraw { cells: &self.block.cells, operator: self.operator, work }
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
        self.blocks.iter().map(|block| block.bytes).sum()
    }

    /// Whether the release keeps a total exactly.
    pub fn keeps_totals(&self) -> bool {
        self.invariants > 0
    }

    /// The predicted time of one draw, on one core.
    pub fn seconds(&self) -> f64 {
        self.blocks.iter().map(|block| block.seconds).sum()
    }

    /// The first block whose operator proves nothing about its law: such a plan must not be certified.
    pub fn unproven(&self) -> Option<&PlannedBlock> {
        self.blocks.iter().find(|block| block.exactness == Exactness::Unproven)
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
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let is_product = mechanism.noise != Noise::LatticeLaplace;
    let one_block = match mechanism.method {
        Method::TopDown => joined(&analysis.blocks, LEVELS),
        _ if !is_product => joined(&analysis.blocks, ONE_NORM),
        _ => None,
    };
    let blocks = one_block.as_ref().map_or(analysis.blocks.as_slice(), std::slice::from_ref);
    let lists = match mechanism.method == Method::Condition && !analysis.moves.pinned {
        true => listed::of_all(conditions, &ground, blocks),
        false => None,
    };
    listed::check_several(lists.as_deref())?;
    let moves = lists.as_ref().map(|lists| nearest_listed(lists, &analysis.moves));
    let moves = moves.as_ref().unwrap_or(&analysis.moves);
    // Where theorem G13 holds, inequalities add nothing: the price is that of the equalities, held at integer orders.
    let integer_orders = is_at_integer_orders(mechanism, conditions, analysis)?;
    let moves = &Moves { inequalities: moves.inequalities && !integer_orders, ..moves.clone() };
    let priced = price(moves, mechanism, false)?;
    let Priced { law, query_rates, loss } = match &lists {
        Some(lists) => sharpened(priced, lists, moves, mechanism),
        None => priced,
    };
    let loss = if integer_orders { loss.at_integer_orders() } else { loss };
    let law = match (law, query_rates.first()) {
        (Some(law), _) => law,
        (None, Some(rate)) => NoiseLaw::DoubleGeometric { epsilon: rate.clone() },
        (None, None) => return Err(Problem::bad("there is no noise: neither cells nor queries have any")),
    };
    let loss = match &declaration.data.unit {
        Some(column) => loss.owned(column, declaration.data.rows_per_unit, mechanism.per),
        None => loss,
    };
    let asked_for = operator_asked_for(mechanism.sampler.as_deref(), mechanism.method)?;
    check_magnitude(&law, &analysis.blocks)?;
    let levels = match mechanism.method {
        Method::TopDown => declaration.levels(&declaration.domain()?),
        _ => Vec::new(),
    };
    let mut planned = Vec::with_capacity(blocks.len());
    let mut reasons: BTreeMap<&'static str, String> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate() {
        let shapes = match law.is_product() && !mechanism.method.projects() {
            true => Shapes::new(conditions, &ground, block, mechanism.sampler.as_deref())?,
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
            levels: &levels,
            conditions,
            ground: &ground,
        };
        let choice = choose(asked_for, &task, &mut reasons)?;
        let Choice { operator, exactness, seconds, bytes, on, because } = choice;
        let work = match (on, shapes) {
            (WorksOn::Noise, _) => PlannedWork::Noise,
            (WorksOn::AtLeastZero, _) => PlannedWork::AtLeastZero,
            (WorksOn::Network, Shapes { network: Some(network), .. }) => PlannedWork::Network(network),
            (WorksOn::Grid, Shapes { grid: Some(grid), .. }) => PlannedWork::Grid(grid),
            (WorksOn::Listed(list), _) => PlannedWork::Listed(list),
            (WorksOn::Walk(walk), _) => PlannedWork::Walk(Box::new(PlannedWalk { walk: *walk, evidence: None })),
            (WorksOn::Projection(planned), _) => PlannedWork::Projection(planned),
            _ => return Err(Problem::refused(format!("`{}` has nothing to work on", operator.name()))),
        };
        planned.push(PlannedBlock { block: block.clone(), operator, exactness, seconds, bytes, work, because });
    }
    if analysis.disclosed.len() == analysis.cells && mechanism.method != Method::Unconstrained {
        return Err(only_one_table());
    }
    let walked = planned.iter().any(|block| matches!(block.work, PlannedWork::Walk(_)));
    let loss = if walked { loss.not_yet_estimated() } else { loss };
    let queries = conditions.queries.iter().zip(&query_rates);
    let query = |(query, rate): (&QueryRows, &Rational)| PlannedQuery {
        label: query.grouping.label.clone(),
        sums: query.grouping.groups(),
        rate: rate.clone(),
    };
    Ok(Plan {
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
        loss,
        refused: not_used(&planned, reasons, asked_for, mechanism.method),
        law,
        queries: queries.map(query).collect(),
        method: mechanism.method,
        blocks: planned,
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
    network: Option<Network>,
    grid: Option<Grid>,
}

impl Shapes {
    /// A network where noise alone may not do; a grid where totals cross and nothing else is asked.
    fn new(
        conditions: &Conditions,
        ground: &Ground,
        block: &Block,
        asked_for: Option<&str>,
    ) -> Result<Shapes, Problem> {
        let pinned = conditions.pinned.iter().any(Option::is_some);
        let plain = !conditions.nonnegative && conditions.queries.is_empty() && !pinned;
        let needed = match block.structure {
            _ if asked_for == Some(Operator::Messages.name()) => true,
            Structure::Free => !conditions.queries.is_empty(),
            Structure::OneTotal { .. } => !plain,
            Structure::Crossing { .. } | Structure::Linked { .. } => true,
        };
        let network = if needed { Some(Network::new(conditions, ground, &block.cells)?) } else { None };
        let grid = if plain { grid(block, &conditions.invariants) } else { None };
        Ok(Shapes { network, grid })
    }
}

/// What this version cannot draw is refused, never drawn as something else.
fn check_supported(declaration: &Declaration) -> Result<(), Problem> {
    let mechanism = &declaration.mechanism;
    if mechanism.method.projects() && mechanism.noise == Noise::LatticeLaplace {
        let method = mechanism.method.name();
        return Err(Problem::refused(format!(
            "method = \"{method}\" needs noise that is drawn freely in every cell, and `lattice-laplace` noise is one norm over all \
             cells"
        ))
        .hint("write noise = \"double-geometric\" or \"discrete-gaussian\", or method = \"condition\""));
    }
    match mechanism.method {
        Method::Suppress => Err(Problem::refused("method = \"suppress\" publishes the exact totals and draws nothing")
            .hint("only `check`, `explain`, `release` and `verify` take it; choose method = \"condition\" for draws")),
        Method::Condition | Method::Unconstrained | Method::Project | Method::TopDown => Ok(()),
    }
}

fn operator_asked_for(sampler: Option<&str>, method: Method) -> Result<Option<Operator>, Problem> {
    let Some(name) = sampler else {
        return Ok(None);
    };
    let known = || rules_of(method).iter().map(|rule| rule.operator().name()).collect::<Vec<_>>().join(", ");
    match every_rule().find(|rule| rule.operator().name() == name) {
        Some(_) if !is_of(method, name) => {
            Err(Problem::bad(format!("method = \"{}\" does not use the sampler `{name}`", method.name()))
                .hint(format!("write sampler = \"auto\", or one of {}", known())))
        }
        Some(rule) => Ok(Some(rule.operator())),
        None if later().any(|known| known == name) => Err(Problem::not_yet(format!("sampler = \"{name}\""))
            .hint(format!("write sampler = \"auto\", or one of {}", known()))),
        None => Err(Problem::bad(format!("no operator is called `{name}`"))
            .hint(format!("write sampler = \"auto\", or one of {}", known()))),
    }
}

/// An operator that needs longer gives way to a list: one that is there already, one that has to be made.
const SLOW_SECONDS: (f64, f64) = (1.0, 60.0);

/// The operator of a block: the fastest that draws from the law itself, else the walk; or the one asked for.
fn choose(
    asked_for: Option<Operator>,
    task: &Task,
    reasons: &mut BTreeMap<&'static str, String>,
) -> Result<Choice, Problem> {
    let mut refusals = Vec::new();
    let mut attempt = |rule: &dyn PlanRule| {
        let name = rule.operator().name();
        match rule.attempt(task) {
            Ok(choice) => Some(choice),
            Err(why) => {
                reasons.entry(name).or_insert_with(|| why.clone());
                if asked_for.is_none_or(|operator| operator == rule.operator()) {
                    refusals.push((name, why));
                }
                None
            }
        }
    };
    if task.method.projects() {
        let chosen = rules_of(task.method).into_iter().filter(|rule| match asked_for {
            Some(operator) => operator == rule.operator(),
            None => rule.operator() != PROJECT_L1.operator(),
        });
        let first = chosen.filter_map(&mut attempt).next();
        return first.ok_or_else(|| no_operator(asked_for, task, &refusals));
    }
    let wanted = |choice: &Choice| asked_for.is_none_or(|operator| operator == choice.operator);
    let exact = RULES.iter().filter_map(|rule| attempt(*rule)).filter(wanted);
    let mut best = exact.min_by(|one, other| one.seconds.total_cmp(&other.seconds));
    // Tables are only listed where nothing else draws within a short time, or where that is asked for.
    let slow = |choice: &Choice| choice.seconds > if task.list.is_some() { SLOW_SECONDS.0 } else { SLOW_SECONDS.1 };
    if asked_for.is_none_or(|operator| operator == LIST.operator()) && best.as_ref().is_none_or(slow) {
        let list = attempt(LIST);
        best = best.into_iter().chain(list).min_by(|one, other| one.seconds.total_cmp(&other.seconds));
    }
    // A lattice is only made where nothing else draws, or where it is asked for.
    let walks = [WALK].into_iter().chain(BASELINES);
    let walk = walks.filter(|rule| match asked_for {
        Some(operator) => operator == rule.operator(),
        None => rule.operator() == WALK.operator(),
    });
    if best.is_none() {
        best = walk.filter_map(&mut attempt).next();
    }
    best.ok_or_else(|| no_operator(asked_for, task, &refusals))
}

fn no_operator(asked_for: Option<Operator>, task: &Task, refusals: &[(&'static str, String)]) -> Problem {
    let block = block_in_words(task.block);
    if let (true, Some((operator, reason))) = (task.method.projects(), refusals.last()) {
        let hint = match asked_for {
            Some(Operator::ProjectL2) => {
                "write nonnegative = false and no rule under [constraints], or sampler = \"project-nonnegative\""
            }
            _ => "declare fewer or coarser totals and rules, or use method = \"condition\"",
        };
        return Problem::refused(format!("`{operator}` cannot project onto {block}: {reason}")).hint(hint);
    }
    let accept = "write accept = \"estimated\" and max_delta = \"1e-6\" under [mechanism] to let a walk draw it";
    let acceptable = refusals.iter().any(|(_, reason)| reason == NOT_ACCEPTED);
    let unproved = refusals.iter().any(|(_, reason)| reason.starts_with(UNPROVED));
    if let (Some(_), Some((operator, reason))) = (asked_for, refusals.first()) {
        let hint = match acceptable {
            true => format!("{accept}, or sampler = \"auto\""),
            false if unproved => format!("write sampler = \"auto\"; {PROVED_WALKS}"),
            false => "write sampler = \"auto\"".into(),
        };
        return Problem::refused(format!("sampler = \"{operator}\" cannot draw {block}: {reason}")).hint(hint);
    }
    let reasons: Vec<String> = refusals.iter().map(|(operator, reason)| format!("\n  {operator}: {reason}")).collect();
    let other = match &task.block.structure {
        _ if !task.law.is_product() => {
            "use noise = \"double-geometric\" or \"discrete-gaussian\", which other operators draw".to_owned()
        }
        Structure::Crossing { invariants, .. } if invariants.len() > 1 => format!(
            "drop one of the invariants {}, or choose ones that nest: every group of one inside one group of the other",
            all(invariants)
        ),
        _ => "declare fewer or coarser totals and rules, or a larger epsilon".to_owned(),
    };
    let hint = match acceptable {
        true => format!("{accept}; or {other}"),
        false if unproved => format!("{PROVED_WALKS}; or {other}"),
        false => other,
    };
    Problem::refused(format!("no operator of this version draws {block}:{}", reasons.join(""))).hint(hint)
}

/// All cells as one block, where something ties them together whatever the totals do.
fn joined(blocks: &[Block], by: &str) -> Option<Block> {
    if blocks.len() < 2 {
        return None;
    }
    let mut cells: Vec<u32> = blocks.iter().flat_map(|block| block.cells.iter().copied()).collect();
    cells.sort_unstable();
    let classes = blocks.iter().map(|block| block.classes).sum();
    let size = blocks.iter().map(|block| block.size).sum();
    Some(Block { cells, size, classes, structure: Structure::Linked { by: vec![by.to_owned()] } })
}

pub(crate) fn block_in_words(block: &Block) -> String {
    let cells = block.size;
    match &block.structure {
        Structure::Free => format!("the {cells} free cells"),
        Structure::OneTotal { name, .. } => format!("the {cells} cells of `{name}`"),
        Structure::Crossing { .. } => format!("the {cells} cells in which {}", crossing(&block.structure)),
        Structure::Linked { by } => format!("the {cells} cells tied together by {}", tied(by)),
    }
}

/// Why an operator that is only tried where others draw nothing was not tried.
pub(crate) const OTHERS_DRAW: &str = "other operators draw every block";

/// Every operator that draws nothing, with the first reason it gave.
fn not_used(
    used: &[PlannedBlock],
    mut reasons: BTreeMap<&'static str, String>,
    asked_for: Option<Operator>,
    method: Method,
) -> Vec<Refused> {
    let mut refused = Vec::new();
    for rule in every_rule() {
        let operator = rule.operator();
        if used.iter().any(|block| block.operator == operator) {
            continue;
        }
        let reason = reasons.remove(operator.name());
        let reason = reason.unwrap_or_else(|| match asked_for {
            _ if !is_of(method, operator.name()) => format!("method = \"{}\" does not use it", method.name()),
            _ if operator == PROJECT_L1.operator() => "used only when sampler = \"project-l1\"".to_owned(),
            None if method.projects() => "no bound or rule needs it".to_owned(),
            _ if operator == WALK.operator() || operator == LIST.operator() => OTHERS_DRAW.to_owned(),
            _ if is_walk(operator) => format!("for comparison: used only when sampler = \"{}\"", operator.name()),
            Some(asked_for) => format!("the spec asks for `{}`", asked_for.name()),
            None => "another operator draws every block faster".to_owned(),
        });
        refused.push(Refused { operator: operator.name(), reason });
    }
    refused.extend(later().map(|operator| Refused { operator, reason: "not yet supported".to_owned() }));
    refused
}

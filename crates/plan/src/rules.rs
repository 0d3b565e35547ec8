//! `PlanRule`: when an operator can draw a block, and why not otherwise. One rule per file.

mod closed_form;
mod divide;
mod enumerate;
mod hierarchy_walk;
mod independence_walk;
mod independent;
mod lattice_walk;
mod messages;
mod project;
mod project_l1;
mod project_l2;
mod project_nonnegative;
mod topdown;
mod walk;

pub(crate) use walk::NOT_ACCEPTED;

use crate::cost;
use crate::listed::PlannedList;
use crate::noise::law_in_words;
use crate::projection::PlannedProjection;
use analyse::{Block, Grid, Ground, Network, Structure};
use declare::{Conditions, Method};
use draw::{Exactness, NoiseLaw, Operator, Walk};
use exact::Rational;
use std::sync::Arc;

/// A block, and what a rule may know to judge it. All of it is public.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The block.
    pub block: &'a Block,
    /// The noise on every cell; with queries, that of the first of them.
    pub law: &'a NoiseLaw,
    /// The rate of the noise of every query; none: every cell has noise.
    pub rates: &'a [Rational],
    /// Whether every cell must be at least zero.
    pub nonnegative: bool,
    /// Whether totals are pinned to values that are not the table's own.
    pub pinned: bool,
    /// The block as a network, if noise alone cannot draw it.
    pub network: Option<&'a Network>,
    /// The block as a two-way table, if it is one.
    pub grid: Option<&'a Grid>,
    /// All tables of the block, if they are few and already listed.
    pub list: Option<&'a Arc<PlannedList>>,
    /// Whether a sampler is accepted whose law is only estimated to be close.
    pub accepts_estimated: bool,
    /// How noise and invariants meet.
    pub method: Method,
    /// The levels of the table above its cells, coarse to fine: the group of every cell; for `topdown` alone.
    pub levels: &'a [Vec<u32>],
    /// What every released table satisfies.
    pub conditions: &'a Conditions,
    /// What the totals say of the cells around the block.
    pub ground: &'a Ground,
}

/// When an operator can draw a block.
pub trait PlanRule {
    /// The operator this rule speaks for.
    fn operator(&self) -> Operator;

    /// How the operator would draw the block, or why it cannot, in words that follow `because`.
    ///
    /// # Errors
    /// The reason, when the operator cannot draw the block under this law.
    fn attempt(&self, task: &Task) -> Result<Choice, String>;
}

/// How an operator would draw a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The operator.
    pub operator: Operator,
    /// How exactly it draws.
    pub exactness: Exactness,
    /// The predicted time.
    pub seconds: f64,
    /// The predicted memory beyond the table itself.
    pub bytes: f64,
    /// What it works on.
    pub on: WorksOn,
    /// Why it fits, in words.
    pub because: &'static str,
}

/// What an operator works on.
#[derive(Debug, Clone, PartialEq)]
pub enum WorksOn {
    /// Noise that does not depend on the table.
    Noise,
    /// Cells by themselves, each at least zero.
    AtLeastZero,
    /// The block's network.
    Network,
    /// The block's two-way table.
    Grid,
    /// All tables of the block.
    Listed(Arc<PlannedList>),
    /// This walk in the block's fibre.
    Walk(Box<Walk>),
    /// This projection of the block's measurements.
    Projection(Box<PlannedProjection>),
}

/// The rules of operators that draw from the law itself. Of those that accept a block the one with the least predicted time
/// draws it.
pub(crate) const RULES: [&dyn PlanRule; 4] =
    [&independent::Independent, &closed_form::ClosedForm, &messages::Messages, &divide::DivideRule];

/// What draws a block of few tables, where no rule above draws it or all would take long: tables are listed only then.
pub(crate) const LIST: &dyn PlanRule = &enumerate::Enumerate;

/// The walk that draws what no operator above draws.
pub(crate) const WALK: &dyn PlanRule = &lattice_walk::LatticeWalk;

/// The walks of published papers, for comparison: they draw only when the spec asks for them by name.
pub(crate) const BASELINES: [&dyn PlanRule; 2] = [&independence_walk::IndependenceWalk, &hierarchy_walk::HierarchyWalk];

/// The projections that `method = "project"` chooses from by itself: the first that takes a block.
pub(crate) const PROJECTIONS: [&dyn PlanRule; 2] = [&project_l2::ProjectL2, &project_nonnegative::ProjectNonnegative];

/// The projection that `method = "project"` makes only when the spec asks for it by name.
pub(crate) const PROJECT_L1: &dyn PlanRule = &project_l1::ProjectL1;

/// The projection of `method = "topdown"`.
pub(crate) const TOP_DOWN: &dyn PlanRule = &topdown::TopDown;

/// All rules of this version.
pub(crate) fn every_rule() -> impl Iterator<Item = &'static dyn PlanRule> {
    RULES.into_iter().chain([LIST, WALK]).chain(BASELINES).chain(PROJECTIONS).chain([PROJECT_L1, TOP_DOWN])
}

/// The rules that a method uses.
pub(crate) fn rules_of(method: Method) -> Vec<&'static dyn PlanRule> {
    match method {
        Method::Project => PROJECTIONS.into_iter().chain([PROJECT_L1]).collect(),
        Method::TopDown => vec![TOP_DOWN],
        Method::Condition | Method::Unconstrained | Method::Suppress => {
            RULES.into_iter().chain([LIST, WALK]).chain(BASELINES).collect()
        }
    }
}

/// Whether a method uses an operator.
pub(crate) fn is_of(method: Method, operator: &str) -> bool {
    rules_of(method).iter().any(|rule| rule.operator().name() == operator)
}

/// Whether an operator is a walk.
pub(crate) fn is_walk(operator: Operator) -> bool {
    matches!(operator, Operator::LatticeWalk | Operator::IndependenceWalk | Operator::HierarchyWalk)
}

/// The operators that specs may name and a later version will have.
pub(crate) fn later() -> impl Iterator<Item = &'static str> {
    declare::OPERATORS.into_iter().filter(|name| every_rule().all(|rule| rule.operator().name() != *name))
}

/// Why an exact operator cannot draw noise that is not a product over cells, if that is so.
fn not_product(task: &Task) -> Option<String> {
    (!task.law.is_product())
        .then(|| format!("{} is one norm over all cells: no part of it is drawn alone", law_in_words(task.law)))
}

fn choice(operator: Operator, task: &Task, because: &'static str) -> Choice {
    // Real numbers are rounded to machine numbers without a bound: nothing is proved about that law.
    let exactness = if task.law.is_integer() { Exactness::Exact } else { Exactness::Unproven };
    let seconds = cost::seconds(operator, task.block.size);
    Choice { operator, exactness, seconds, bytes: 0.0, on: WorksOn::Noise, because }
}

/// Why an operator whose noise does not depend on the table cannot draw the block, if that is so.
fn depends_on_table(task: &Task) -> Option<&'static str> {
    match () {
        () if task.nonnegative => {
            Some("its noise is the same whatever the table, so released counts could fall below zero")
        }
        () if !task.rates.is_empty() => Some("noise sits on sums of cells, not on every cell alone"),
        () if task.pinned => Some("totals are pinned to values that are not the table's own"),
        () => None,
    }
}

/// Why an operator for blocks with one total does not take a block of another structure.
fn not_one_total(block: &Block) -> String {
    match &block.structure {
        Structure::Free => "the cells are in no total: there is nothing to condition on".to_owned(),
        Structure::OneTotal { name, .. } => format!("`{name}` is one total"),
        Structure::Crossing { .. } => {
            format!("{}, and it draws one total per block", crossing(&block.structure))
        }
        Structure::Linked { by } => format!("the cells are tied together by {}", tied(by)),
    }
}

/// What crosses in a block, in words.
pub(crate) fn crossing(structure: &Structure) -> String {
    match structure {
        Structure::Crossing { invariants, .. } if invariants.is_empty() => {
            "one equality takes cells unequally".to_owned()
        }
        Structure::Crossing { invariants, .. } => format!("the totals {} cross", all(invariants)),
        _ => "no totals cross".to_owned(),
    }
}

/// What ties all cells together under a law that is no product.
pub(crate) const ONE_NORM: &str = "one norm over all cells";

/// What ties all cells together under `topdown`.
pub(crate) const LEVELS: &str = "the levels of the table";

/// What ties cells together, in words: the first few of many.
pub(crate) fn tied(by: &[String]) -> String {
    match by {
        [all] if all == ONE_NORM || all == LEVELS => all.clone(),
        [one, two, rest @ ..] if rest.len() > 1 => format!("`{one}`, `{two}` and {} more", rest.len()),
        some => all(&some.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>()),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn all(labels: &[String]) -> String {
    match labels {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

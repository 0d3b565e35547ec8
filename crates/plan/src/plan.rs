//! `Plan`: which operator draws each block, at what cost and loss; a function of public information alone.

use crate::loss::Loss;
use crate::noise::check_magnitude;
use crate::price::{Priced, price};
use crate::rules::{Choice, PlanRule, RULES, all, later};
use analyse::{Analysis, Block, Kept, Redundant, Structure};
use declare::{Cell, Declaration, Method, Problem};
use draw::{Exactness, NoiseLaw, Operator};

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
    /// The cells that the invariants alone disclose, with their values.
    pub fixed: Vec<(Cell, i64)>,
    /// The noise in every cell, before conditioning.
    pub law: NoiseLaw,
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
    /// Why this operator, in words.
    pub because: &'static str,
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

    /// Cells that the totals disclose, with their values.
    pub fn disclosed(&self) -> impl Iterator<Item = (Cell, i64)> {
        analyse::disclosed(&self.fixed, self.blocks.iter().map(|planned| &planned.block))
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
/// would leave machine integers; bad when noise and strength do not fit each other.
pub fn plan(declaration: &Declaration, analysis: &Analysis) -> Result<Plan, Problem> {
    let mechanism = &declaration.mechanism;
    check_supported(declaration)?;
    let Priced { law, loss, .. } = price(&analysis.moves, mechanism, false)?;
    let law = law.ok_or_else(|| Problem::not_yet("[[mechanism.query]]").hint("leave the queries out"))?;
    let rules = rules_asked_for(mechanism.sampler.as_deref())?;
    let unconstrained = mechanism.method == Method::Unconstrained;
    let blocks = if unconstrained { vec![everything(analysis.cells)] } else { analysis.blocks.clone() };
    check_magnitude(&law, &blocks)?;
    let refused = |used: &[PlannedBlock]| not_used(&blocks, used, &law);
    let mut planned = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let choice = choose(&rules, block, &law, mechanism.sampler.is_some())?;
        let Choice { operator, exactness, seconds, because } = choice;
        planned.push(PlannedBlock { block: block.clone(), operator, exactness, seconds, because });
    }
    let disclosed = analyse::disclosed(&analysis.fixed, blocks.iter()).count();
    if !unconstrained && disclosed == analysis.cells {
        return Err(Problem::refused(
            "the totals alone give every cell: counts are not negative, so only one table has them",
        )
        .hint("such a release protects nothing; keep fewer or coarser totals"));
    }
    let keeps = |value: usize| if unconstrained { 0 } else { value };
    Ok(Plan {
        cells: analysis.cells,
        invariants: keeps(analysis.invariants),
        rank: keeps(analysis.rank),
        kept: if unconstrained { Vec::new() } else { analysis.kept.clone() },
        redundant: if unconstrained { Vec::new() } else { analysis.redundant.clone() },
        fixed: if unconstrained { Vec::new() } else { analysis.fixed.clone() },
        loss,
        refused: refused(&planned),
        law,
        method: mechanism.method,
        blocks: planned,
    })
}

/// What this version cannot draw is refused, never drawn as something else.
fn check_supported(declaration: &Declaration) -> Result<(), Problem> {
    let later = match declaration.mechanism.method {
        Method::Condition => None,
        Method::Unconstrained => return Ok(()),
        Method::Project => Some("method = \"project\""),
        Method::TopDown => Some("method = \"topdown\""),
        Method::Suppress => Some("method = \"suppress\""),
    };
    if let Some(later) = later {
        return Err(Problem::not_yet(later).hint("use method = \"condition\", or \"unconstrained\" for comparison"));
    }
    if declaration.constraints.nonnegative {
        return Err(Problem::not_yet("nonnegative = true")
            .hint("write nonnegative = false under [constraints]; released counts may then be below zero"));
    }
    if !declaration.constraints.rules.is_empty() {
        return Err(Problem::not_yet("[[constraints.rule]]").hint("leave the rules out"));
    }
    Ok(())
}

fn rules_asked_for(sampler: Option<&str>) -> Result<Vec<&'static dyn PlanRule>, Problem> {
    let Some(name) = sampler else {
        return Ok(RULES.to_vec());
    };
    let known = || RULES.map(|rule| rule.operator().name()).join(", ");
    match RULES.iter().find(|rule| rule.operator().name() == name) {
        Some(rule) => Ok(vec![*rule]),
        None if later().any(|known| known == name) => Err(Problem::not_yet(format!("sampler = \"{name}\""))
            .hint(format!("write sampler = \"auto\", or one of {}", known()))),
        None => Err(Problem::bad(format!("no operator is called `{name}`"))
            .hint(format!("write sampler = \"auto\", or one of {}", known()))),
    }
}

/// All cells as one block without totals: what `unconstrained` draws.
fn everything(cells: usize) -> Block {
    Block { cells: (0..cells as u32).collect(), classes: 1, structure: Structure::Free }
}

fn choose(rules: &[&'static dyn PlanRule], block: &Block, law: &NoiseLaw, forced: bool) -> Result<Choice, Problem> {
    let mut reason = String::new();
    let mut operator = "";
    for rule in rules {
        match rule.attempt(block, law) {
            Ok(choice) => return Ok(choice),
            Err(why) => (operator, reason) = (rule.operator().name(), why),
        }
    }
    if forced {
        return Err(Problem::refused(format!(
            "sampler = \"{operator}\" cannot draw {}: {reason}",
            block_in_words(block)
        ))
        .hint("write sampler = \"auto\""));
    }
    Err(match &block.structure {
        Structure::Crossing { invariants, .. } => Problem::refused(format!(
            "the totals {} overlap without nesting in {} cells, and no operator of this version draws a table that \
             keeps them all",
            all(invariants),
            block.cells.len()
        ))
        .hint(format!(
            "drop one of the invariants {}, or choose ones that nest: every group of one inside one group of the other",
            all(invariants)
        )),
        _ => Problem::refused(format!("no operator draws {}: {reason}", block_in_words(block))),
    })
}

fn block_in_words(block: &Block) -> String {
    let cells = block.cells.len();
    match &block.structure {
        Structure::Free => format!("the {cells} free cells"),
        Structure::OneTotal { name, .. } => format!("the {cells} cells of `{name}`"),
        Structure::Crossing { invariants, .. } => {
            format!("the {cells} cells in which the totals {} cross", all(invariants))
        }
    }
}

/// Every operator that draws nothing, with the reason given for the first block.
fn not_used(blocks: &[Block], used: &[PlannedBlock], law: &NoiseLaw) -> Vec<Refused> {
    let mut refused = Vec::new();
    for rule in RULES {
        let operator = rule.operator();
        if used.iter().any(|block| block.operator == operator) {
            continue;
        }
        let why = blocks.iter().find_map(|block| rule.attempt(block, law).err());
        let reason = why.unwrap_or_else(|| "another operator draws every block faster".to_owned());
        refused.push(Refused { operator: operator.name(), reason });
    }
    refused.extend(later().map(|operator| Refused { operator, reason: "not yet supported".to_owned() }));
    refused
}

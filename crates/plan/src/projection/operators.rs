//! The projections that specs may ask for: when each takes a block, and at what cost.

use super::{PlannedProjection, weights};
use analyse::{Demand, Fibre};
use declare::Method;
use draw::{Independent, Operator, PlannedWork, Prospect, Role, Task, Turn};
use project::Norm;
use std::collections::HashMap;
use std::sync::Arc;

/// A projection holds the table and its solver in memory.
const MOST_CELLS: usize = 1 << 24;

/// A cell, and a coefficient of a row, in a solver that takes one total by sorting.
const SORT_SECONDS: f64 = 1e-6;
/// A cell for every further row, in a solver of many rows and in the rounding that keeps them: on a
/// table of 10⁵ cells with 1,100 totals that cross both take ten seconds together.
const SOLVER_SECONDS: f64 = 9e-8;
/// Bytes that a solver holds for a cell and for a coefficient.
const SOLVER_CELL_BYTES: f64 = 800.0;
const SOLVER_ENTRY_BYTES: f64 = 200.0;

/// A projection that is tried where it is the first in the registry that takes the block.
const fn role(name: &'static str, in_words: &'static str) -> Role {
    Role { methods: &[Method::Project], turn: Turn::WhereNothing, ..Role::new(name, in_words) }
}

/// Independent noise, then the nearest table by the ℓ₂ norm that keeps the totals.
#[derive(Debug)]
pub struct ProjectL2;

static L2: Role =
    role("project-l2", "noise in every cell, then the nearest table by the ℓ₂ norm that keeps the totals");

impl Operator for ProjectL2 {
    fn role(&self) -> &Role {
        &L2
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        if has_inequalities(&fibre(task)?) {
            return Err("least squares ignore bounds and rules, which the spec has".to_owned());
        }
        let because =
            "totals alone: the nearest table is a weighted least-squares solution, rounded to integers that keep them";
        project(self.name(), Some(Norm::L2), task, because)
    }
}

/// Independent noise, then the nearest table by the ℓ₂ norm under totals, bounds and rules.
#[derive(Debug)]
pub struct ProjectNonnegative;

static NONNEGATIVE: Role = role(
    "project-nonnegative",
    "noise in every cell, then the nearest table by the ℓ₂ norm under totals, bounds and rules",
);

impl Operator for ProjectNonnegative {
    fn role(&self) -> &Role {
        &NONNEGATIVE
    }

    fn untried(&self, asked_for: Option<&str>) -> Option<&'static str> {
        asked_for.is_none().then_some("no bound or rule needs it")
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        let because =
            "bounds or rules hold: the nearest table solves a quadratic program, rounded to integers that keep them";
        project(self.name(), Some(Norm::Nonnegative), task, because)
    }
}

/// Independent noise, then the nearest table by the ℓ₁ norm.
#[derive(Debug)]
pub struct ProjectL1;

static L1: Role = Role {
    turn: Turn::ByName,
    untried: Some("used only when sampler = \"project-l1\""),
    ..role("project-l1", "noise in every cell, then the nearest table by the ℓ₁ norm")
};

impl Operator for ProjectL1 {
    fn role(&self) -> &Role {
        &L1
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        let because = "asked for by name: the nearest table by the ℓ₁ norm solves a linear program";
        project(self.name(), Some(Norm::L1), task, because)
    }
}

/// Independent noise, then nearest tables level by level, from the coarsest to the cells.
#[derive(Debug)]
pub struct TopDown;

static TOPDOWN: Role = Role {
    methods: &[Method::TopDown],
    ..role("topdown", "noise in every cell, then nearest tables level by level, from the coarsest to the cells")
};

impl Operator for TopDown {
    fn role(&self) -> &Role {
        &TOPDOWN
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        if !task.law.is_integer() {
            return Err(format!("it makes tables of integers, not of {}", task.law.in_words()));
        }
        let because = match task.levels {
            [] => "no dimension has levels: the cells are projected at once and rounded to integers",
            _ => {
                "level by level, coarse to fine: every level is projected and rounded to integers under the one above it"
            }
        };
        project(self.name(), None, task, because)
    }
}

/// The projection of the block's measurements by this norm, or level by level.
fn project(
    operator: &'static str,
    norm: Option<Norm>,
    task: &Task,
    because: &'static str,
) -> Result<Arc<dyn PlannedWork>, String> {
    let fibre = fibre(task)?;
    let levels: Vec<Vec<u32>> = match norm {
        None => task.levels.iter().map(|level| groups(level, &fibre.cells)).collect(),
        Some(_) => Vec::new(),
    };
    let names = fibre.row_names(task.conditions);
    // Names of other rows than these would mislead.
    let names = if names.len() == fibre.rows.len() { names } else { Vec::new() };
    let cells = fibre.cells.len() as f64;
    let entries = fibre.rows.iter().map(|row| row.entries.len()).sum::<usize>() as f64;
    let rows = fibre.rows.iter().filter(|row| row.entries.len() > 1).count();
    let noise = 0.5e-3 + 30e-9 * cells;
    let sorted = SORT_SECONDS * (cells + entries) * (levels.len() + 1) as f64;
    let seconds = noise + sorted + SOLVER_SECONDS * cells * rows.saturating_sub(1) as f64;
    let bytes = SOLVER_CELL_BYTES * cells + SOLVER_ENTRY_BYTES * entries;
    let prospect = Prospect { bytes, ..task.prospect(operator, seconds, because) };
    Ok(Arc::new(PlannedProjection { prospect, norm, fibre, weights: weights(task.rates), levels, names }))
}

/// The block, if it can be projected.
fn fibre(task: &Task) -> Result<Fibre, String> {
    if task.block.size > MOST_CELLS || task.block.size != task.block.cells.len() {
        return Err(format!("a projection is in memory whole: at most {MOST_CELLS} cells, not {}", task.block.size));
    }
    if task.law.is_integer() && Independent::of(task.law).is_none() {
        return Err(format!("{} is not drawn freely in every cell", task.law.in_words()));
    }
    Fibre::new(task.conditions, task.ground, &task.block.cells).map_err(|problem| problem.message)
}

/// Whether bounds or comparisons hold in the block.
fn has_inequalities(fibre: &Fibre) -> bool {
    fibre.bounds.iter().any(|(low, high)| low.is_some() || high.is_some())
        || fibre.rows.iter().any(|row| matches!(row.demand, Demand::AtLeast(_) | Demand::AtMost(_)))
}

/// The groups of some cells, numbered from 0 without gaps.
fn groups(level: &[u32], cells: &[u32]) -> Vec<u32> {
    let mut numbers = HashMap::new();
    let number = |cell: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(level[*cell as usize]).or_insert(next)
    };
    cells.iter().map(number).collect()
}

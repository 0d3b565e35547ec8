//! The projections that specs may ask for: when each takes a block, and at what cost.

use super::{PlannedProjection, Projection, Solve, weights};
use analyse::{Demand, Fibre};
use declare::{Kind, Method, Problem};
use draw::{Independent, Operator, PlannedWork, Prospect, Role, Task, Turn};
use project::{Norm, Projector, TopDown};
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

/// Independent noise, then a projection onto what must hold.
pub(crate) struct Projecting {
    role: Role,
    /// Why it takes a block, or why not.
    takes: fn(&Task, &Fibre) -> Result<&'static str, String>,
    solve: Solve,
}

/// A projection that is tried where it is the first in the registry that takes the block.
const fn role(name: &'static str, in_words: &'static str) -> Role {
    Role { methods: &[Method::Project], turn: Turn::WhereNothing, ..Role::new(name, in_words) }
}

/// The solver that finds the nearest table by a norm.
fn nearest(planned: &PlannedProjection, norm: Norm) -> Result<Box<dyn Projection>, Problem> {
    Ok(Box::new(Projector::new(&planned.fibre, &planned.weights, norm)?.named(planned.names.clone())))
}

/// The nearest table by the ℓ₂ norm that keeps the totals.
pub(crate) static PROJECT_L2: Projecting = Projecting {
    role: role("project-l2", "noise in every cell, then the nearest table by the ℓ₂ norm that keeps the totals"),
    takes: |_, fibre| match has_inequalities(fibre) {
        true => Err("least squares ignore bounds and rules, which the spec has".to_owned()),
        false => Ok(
            "totals alone: the nearest table is a weighted least-squares solution, rounded to integers that keep them",
        ),
    },
    solve: |planned| nearest(planned, Norm::L2),
};

/// The nearest table by the ℓ₂ norm under totals, bounds and rules.
pub(crate) static PROJECT_NONNEGATIVE: Projecting = Projecting {
    role: Role {
        untried: Some("no bound or rule needs it"),
        ..role(
            "project-nonnegative",
            "noise in every cell, then the nearest table by the ℓ₂ norm under totals, bounds and rules",
        )
    },
    takes: |_, _| {
        Ok("bounds or rules hold: the nearest table solves a quadratic program, rounded to integers that keep them")
    },
    solve: |planned| nearest(planned, Norm::Nonnegative),
};

/// The nearest table by the ℓ₁ norm.
pub(crate) static PROJECT_L1: Projecting = Projecting {
    role: Role {
        turn: Turn::ByName,
        untried: Some("used only when sampler = \"project-l1\""),
        ..role("project-l1", "noise in every cell, then the nearest table by the ℓ₁ norm")
    },
    takes: |_, _| Ok("asked for by name: the nearest table by the ℓ₁ norm solves a linear program"),
    solve: |planned| nearest(planned, Norm::L1),
};

/// Nearest tables level by level, from the coarsest to the cells.
pub(crate) static TOPDOWN: Projecting = Projecting {
    role: Role {
        methods: &[Method::TopDown],
        ..role("topdown", "noise in every cell, then nearest tables level by level, from the coarsest to the cells")
    },
    takes: |task, _| match task.levels {
        _ if !task.law.is_integer() => Err(format!("it makes tables of integers, not of {}", task.law.in_words())),
        [] => Ok("no dimension has levels: the cells are projected at once and rounded to integers"),
        _ => Ok(
            "level by level, coarse to fine: every level is projected and rounded to integers under the one above it",
        ),
    },
    solve: |planned| {
        let PlannedProjection { fibre, weights, levels, names, .. } = planned;
        Ok(Box::new(TopDown::new(fibre, weights, levels)?.named(names.clone())))
    },
};

impl Operator for Projecting {
    fn role(&self) -> &Role {
        &self.role
    }

    fn untried(&self, asked_for: Option<&str>) -> Option<&'static str> {
        self.role.untried.filter(|_| asked_for.is_none() || self.role.turn == Turn::ByName)
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        let fibre = fibre(task)?;
        let because = (self.takes)(task, &fibre)?;
        let levels: Vec<Vec<u32>> = task.levels.iter().map(|level| groups(level, &fibre.cells)).collect();
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
        let prospect = Prospect { bytes, draw_bytes: bytes, ..task.prospect(self.name(), seconds, because) };
        let weights = weights(task.rates);
        Ok(Arc::new(PlannedProjection { prospect, solve: self.solve, fibre, weights, levels, names }))
    }
}

impl Projection for Projector {
    fn limited_to(self: Box<Self>, most_cases: u64) -> Box<dyn Projection> {
        Box::new(Projector::limited_to(*self, most_cases))
    }

    fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        Projector::integer(self, measured).map_err(by_chance)
    }

    fn real(&self, measured: &[f64]) -> Result<Vec<f64>, Problem> {
        Projector::real(self, measured).map_err(by_chance)
    }
}

impl Projection for TopDown {
    fn limited_to(self: Box<Self>, most_cases: u64) -> Box<dyn Projection> {
        Box::new(TopDown::limited_to(*self, most_cases))
    }

    fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        TopDown::integer(self, measured).map_err(by_chance)
    }

    fn real(&self, _measured: &[f64]) -> Result<Vec<f64>, Problem> {
        Err(Problem::refused("`topdown` makes tables of integers"))
    }
}

/// A failure of these measurements. That no table keeps what must hold is a statement about public
/// values, and this is none.
fn by_chance(problem: Problem) -> Problem {
    match problem.kind {
        Kind::Infeasible => Problem { kind: Kind::Refused, ..problem },
        _ => problem,
    }
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

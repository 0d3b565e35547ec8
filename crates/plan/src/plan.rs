//! From a `Case` to its `Plan`, by the method that its spec names: one file for every method.

mod by_blocks;
mod cascade;
mod condition;
mod project;
mod suppress;
mod topdown;
mod unconstrained;

pub use cascade::free_cascade;

use crate::blocks::only_one_table;
use crate::case::Case;
use crate::planned::{Plan, ReleaseMethod};
use analyse::Analysis;
use declare::{Declaration, Method, Problem};

impl ReleaseMethod {
    /// The method that specs call so.
    pub fn of(word: Method) -> &'static ReleaseMethod {
        match word {
            Method::Condition => &condition::CONDITION,
            Method::Cascade => &cascade::CASCADE,
            Method::Project => &project::PROJECT,
            Method::TopDown => &topdown::TOPDOWN,
            Method::Unconstrained => &unconstrained::UNCONSTRAINED,
            Method::Suppress => &suppress::SUPPRESS,
        }
    }
}

impl Case {
    /// How noise and what must hold meet.
    pub fn method(&self) -> &'static ReleaseMethod {
        ReleaseMethod::of(self.declaration.mechanism.method)
    }

    /// How tables with these totals are released, and at what loss.
    ///
    /// # Errors
    /// Refused when no operator of this version can draw a block, when the operator asked for
    /// cannot, when no theorem prices it, when only one table has the totals, or when the noise
    /// would leave machine integers; bad when noise and strength do not fit each other; infeasible
    /// when no table satisfies the conditions.
    pub fn plan(&self, analysis: &Analysis) -> Result<Plan, Problem> {
        let (method, Declaration { data, mechanism, .. }) = (self.method(), &self.declaration);
        if mechanism.base.is_some() && !method.conditions {
            let method = method.word.name();
            return Err(Problem::bad(format!("method = \"{method}\" does not weigh tables: it takes no base measure"))
                .hint("write method = \"condition\", or leave [mechanism.base] out"));
        }
        let plan = (method.plan)(method, self, analysis)?;
        if method.keeps && analysis.disclosed.len() == analysis.cells {
            return Err(only_one_table());
        }
        let loss = match &data.unit {
            Some(column) => plan.loss.owned(column, data.rows_per_unit, mechanism.per),
            None => plan.loss,
        };
        Ok(Plan { loss, ..plan })
    }
}

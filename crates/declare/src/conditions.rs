//! `Conditions`: all that a declaration demands of the released table, as linear forms over the live cells.

use crate::declaration::{Declaration, Method};
use crate::domain::Domain;
use crate::grouping::Grouping;
use crate::problem::Problem;
use exact::Rational;

/// What the release must satisfy, and where its noise sits.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// The live cells.
    pub cells: usize,
    /// Sums that are exact in the release, in declared order.
    pub invariants: Vec<Grouping>,
    /// For every invariant its public values, when they do not come from the table (theorem G10).
    pub pinned: Vec<Option<Vec<i64>>>,
    /// Comparisons that every table satisfies, the confidential one included.
    pub rules: Vec<RuleRows>,
    /// The sums that get noise; none: every cell does.
    pub queries: Vec<QueryRows>,
    /// Whether every cell must be at least zero.
    pub nonnegative: bool,
    /// What one record may change.
    pub footprint: Footprint,
}

/// One comparison for every group: the sum of the group against a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleRows {
    /// Left minus right, per group.
    pub grouping: Grouping,
    /// How the sum compares with the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: i64,
}

/// How a sum compares with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// At most the bound.
    AtMost,
    /// At least the bound.
    AtLeast,
    /// Equal to the bound.
    Equal,
}

/// Noise on the sum of every group.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRows {
    /// The sums.
    pub grouping: Grouping,
    /// Its part of the strength: the query's own ε, or its share of the mechanism's.
    pub strength: Rational,
}

/// What one record may change in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Footprint {
    /// It is counted in one cell.
    OneCell,
    /// It may be counted once in every measure: cells that agree on `place` and differ in the measure alone.
    EveryMeasure {
        /// How many measures there are.
        measures: usize,
        /// For every live cell the combination of the other dimensions it lies in.
        place: Vec<u32>,
    },
}

impl Conditions {
    /// Totals that come from the table and nothing else, with noise in every cell.
    pub fn of_totals(cells: usize, invariants: Vec<Grouping>) -> Conditions {
        Conditions {
            cells,
            pinned: vec![None; invariants.len()],
            invariants,
            rules: Vec::new(),
            queries: Vec::new(),
            nonnegative: false,
            footprint: Footprint::OneCell,
        }
    }

    /// Whether the release must satisfy an inequality, so that the normaliser depends on the table.
    pub fn has_inequalities(&self) -> bool {
        self.nonnegative || self.rules.iter().any(|rule| rule.relation != Relation::Equal)
    }
}

impl Declaration {
    /// What the release must satisfy; nothing when the method is `unconstrained`.
    ///
    /// # Errors
    /// Bad when a rule or a pinned value cannot be written over the live cells.
    pub fn conditions(&self, domain: &Domain) -> Result<Conditions, Problem> {
        let invariants = self.groupings(domain);
        Ok(Conditions {
            cells: domain.len(),
            pinned: vec![None; invariants.len()],
            invariants,
            rules: Vec::new(),
            queries: Vec::new(),
            nonnegative: self.constraints.nonnegative && self.mechanism.method != Method::Unconstrained,
            footprint: Footprint::OneCell,
        })
    }
}

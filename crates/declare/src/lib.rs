//! Schema, hierarchy, invariants, constraints and mechanism: from a spec file to a validated `Declaration`.
//!
//! Everything in this room is public: it never sees the interior of the table, so its errors may be published.

mod declaration;
mod domain;
mod grouping;
mod predicate;
mod problem;
mod schema;

pub use declaration::{
    BaseMeasure, Budget, Constraints, Data, Declaration, Disclosure, Duplicates, Invariant, Mechanism, Method, Noise,
    Per, Policy, Query, Rule, Strength,
};
pub use domain::{Cell, Domain};
pub use grouping::{Grouping, NO_GROUP};
pub use predicate::{Comparison, Expression, Literal};
pub use problem::{Kind, Place, Problem};
pub use schema::{Dimension, Levels, Schema, Values};

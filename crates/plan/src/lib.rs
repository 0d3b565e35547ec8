//! From an `Analysis` to a `Plan`: the registry of operators, choice, refusals, EXPLAIN.
//!
//! A plan is a function of the declaration and the public totals alone: it never sees the interior
//! of the table, so the plan, its explanation and its refusals can be published.

mod blocks;
mod cascade;
mod case;
mod choose;
mod error;
mod estimated;
mod explain;
mod integer_order;
mod listed;
mod noise;
mod numbers;
mod plan;
mod planned;
mod price;
mod projection;
mod ranges;
mod ranked;
mod registry;

pub use ::cascade::Cascade;
pub use blocks::{joined, only_one_table};
pub use cascade::{CascadeLevel, Cascaded};
pub use case::{Case, analysis_of};
pub use error::{
    CellKind, ErrorProfile, Margin, MarginValues, NoReach, Spread, cell_reach, error_profile, group_reach, law_of_part,
};
pub use estimated::PAIRS;
pub use explain::assumption_in_words;
pub use numbers::{count, decimal, decimals};
pub use plan::free_cascade;
pub use planned::{Plan, PlannedBlock, PlannedQuery, Refused, ReleaseMethod};
pub use price::{Priced, price};
pub use projection::{PlannedProjection, Projection};
pub use ranked::{IntervalWork, MOST_KEPT_VALUES};
pub use registry::{Registry, registry};

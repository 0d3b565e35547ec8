//! The plan on small declarations: decisions, golden explanations, and error profiles against enumeration.

mod decisions;
mod errors;
mod golden;
mod small;

//! The plan on small declarations: decisions, golden explanations, and error profiles against
//! enumeration.

mod decisions;
mod draws;
mod enumerated;
mod errors;
mod estimated;
mod golden;
mod lattices;
mod memory;
mod projections;
mod rejected;
mod run_time;
mod small;
mod unknown;

//! Comparisons of methods, audits, benchmarks, and what papers published, reproduced.

mod auditing;
mod bench;
mod beside;
mod compare;
mod reproduce;
mod timed;

pub use auditing::{AuditOptions, Audited, ExactLoss, Observed, Privacy, audit, audit_json, audit_text};
pub use bench::{Measurement, bench, synthetic_populations};
pub use compare::{
    CompareOptions, Strengths, Sweep, compare, compare_at, comparison_json, comparison_text, sweep_json, sweep_page,
    sweep_text,
};
pub use reproduce::{Experiment, Findings, Listener, Row, Told, experiments, reproduce};
pub use timed::{Timed, timed};

pub use ::audit::comparison::{Compared, Comparison, Coverage, Outcome};
pub use report::comparison_html;

use declare::Problem;

/// Refuses draws whose spread would say nothing.
fn check_draws(draws: u64) -> Result<(), Problem> {
    let refused =
        || Problem::bad("fewer than two draws tell nothing about their spread").hint("give --draws at least 2");
    (draws >= 2).then_some(()).ok_or_else(refused)
}

/// The operators of a plan, each once.
fn operators(plan: &plan::Plan) -> Vec<&'static str> {
    let names: std::collections::BTreeSet<&str> = plan.blocks.iter().map(|block| block.operator()).collect();
    names.into_iter().collect()
}

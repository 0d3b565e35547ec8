//! Comparisons of methods, audits, benchmarks, and what papers published, reproduced.

mod auditing;
mod bench;
mod compare;
mod reproduce;
mod timed;

pub use auditing::{AuditOptions, Audited, ExactLoss, Observed, Privacy, audit, audit_json, audit_text};
pub use bench::{Measurement, bench, synthetic_populations};
pub use compare::{
    CompareOptions, Strengths, Sweep, compare, compare_at, comparison_json, comparison_text, sweep_json, sweep_page,
    sweep_text,
};
pub use reproduce::{Experiment, Findings, Row, Told, experiments, reproduce};
pub use timed::{Timed, timed};

pub use ::audit::comparison::{Compared, Comparison, Coverage, Outcome};
pub use report::comparison_html;

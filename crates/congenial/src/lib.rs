//! The whole path from spec to certified release as one short function.
//!
//! ```text
//! declare ──▶ analyse ──▶ plan ──▶ draw ──▶ certify ──▶ release
//! ```
//!
//! [`release`] is that path. [`Opened`] is its public half (spec, domain, invariants), [`Analysed`] holds the
//! confidential table and its public totals, [`Prepared`] adds the plan.

mod against;
mod answer;
mod auditing;
mod bench;
mod books;
mod bug;
mod buying;
mod compare;
mod confirm;
mod contents;
mod copied;
mod dataset;
mod demo;
mod describe;
mod draft;
mod entries;
mod files;
mod finish;
mod frames;
mod gathered;
mod given;
mod inference;
mod intervals;
mod keeping;
mod known;
mod making;
mod mechanism;
mod memory;
mod named;
mod open;
mod options;
mod page;
mod payment;
mod perfect;
mod present;
mod quantities;
mod recognise;
mod release;
mod remembered;
mod reproduce;
mod sampling;
mod secrets;
mod seed;
mod signature;
mod simulate;
mod spent;
mod stand_in;
mod starter;
mod statement;
mod steps;
mod stream;
mod suggest;
mod suppressed;
mod timed;
mod together;
mod trial;
mod verify;
mod watching;
mod work;

pub use against::{adopt, payments_in, verify_against};
pub use answer::{check_json, checks_json, explain_json, narrowest_cells, released_json, verified_json};
pub use auditing::{AuditOptions, Audited, ExactLoss, Observed, Privacy, audit, audit_json, audit_text};
pub use bench::{Measurement, bench, synthetic_populations};
pub use books::{Asked, Offer, approve_signed, ask, look_up, note_data, offer, recover_release, shown, together};
pub use bug::{Bug, caught, silence_panics};
pub use compare::{
    CompareOptions, Strengths, Sweep, compare, compare_at, comparison_json, comparison_text, sweep_json, sweep_page,
    sweep_text,
};
pub use confirm::{Confirmed, confirm};
pub use dataset::{DatasetWords, open_dataset, person};
pub use demo::demo;
pub use draft::{Drafted, draft};
pub use entries::{entries_json, entries_text, status_json};
pub use files::{
    FileWriter, Format, Layout, Portion, TableWriter, Tables, Values, read_counts, read_table, write_table,
};
pub use finish::{
    Finishing, KeptState, Recoverable, ReleasedMeasurements, finish_release, give_up, recoverable, release_measurements,
};
pub use frames::{released_frame, simulated_frame};
pub use given::{Given, StandIn};
pub use inference::{
    APPROXIMATIONS, Figures, InferOptions, Inferred, STATISTICS, TESTS, TestOptions, infer, open_release,
};
pub use intervals::Intervals;
pub use known::report_of;
pub use named::ledger_of_spec;
pub use open::{Analysed, Opened, Prepared, STREAM_ABOVE};
pub use options::{Options, Wide};
pub use page::{check_new, write_page};
pub use payment::{Paying, SAFEGUARDS};
pub use perfect::{
    PerfectCertificate, PerfectReleased, PerfectVerified, explain_perfect, is_perfect, regress, select,
    simulate_regression, verify_perfect,
};
pub use present::{Changes, present_as};
pub use quantities::{ErrorLaws, ExpectedError, LevelProfile, LevelSpread, QueryErrors};
pub use recognise::LEDGER_VARIABLE;
pub use release::{Released, release, release_streaming, release_watched};
pub use remembered::remember_evidence_in;
pub use reproduce::{Experiment, Findings, Row, Told, experiments, reproduce};
pub use secrets::InflationCurve;
pub use signature::{new_keys, public_key};
pub use simulate::{Simulated, simulate};
pub use spent::{Spent, spent_now};
pub use stand_in::{MarginErrors, Measured, StandInErrors, errors_on};
pub use starter::start;
#[doc(hidden)]
pub use steps::{AFTER_PAYING, BEFORE_PAYING, Hook, WAITING};
pub use suggest::{Suggestion, suggestions};
pub use timed::{Timed, timed};
pub use verify::{Verified, verify, verify_signed, verify_streaming};
pub use watching::{Watching, going_on};
pub use work::HandedBack;

pub use ::audit as audits;
pub use ::audit::comparison::{Compared, Comparison, Coverage, Outcome};
pub use ::infer as inferences;
pub use ::ledger as ledgers;
pub use ::ledger::Override;
pub use certify::{
    Certificate, CertifiedInterval, CertifiedSecrets, Check, Confined, Spending, WidthCount, in_words, interval, sha256,
};
pub use declare::{Declaration, Kind, Method, Place, Problem, is_unseen};
pub use draw::{Law, NotAvailable};
pub use exact::Rational as Number;
pub use exact::attention;
pub use plan::PAIRS;
pub use plan::{ErrorProfile, Plan, Registry};
pub use report::{Card, card_html, comparison_html};
pub use tabulate::{Became, Frame, FrameColumn, Survey, panic_is_expected};

/// The JSON schema of specs, for editors, with the words of the standard vocabulary.
pub const SPEC_SCHEMA: &str = include_str!("../../../docs/congenial.schema.json");

/// The JSON schema of specs with every word that is registered in this process.
pub fn spec_schema() -> String {
    let (words, standard) = (declare::vocabulary(), declare::Vocabulary::standard());
    let noises = words.noises.iter().filter(|noise| !standard.noises.contains(noise)).map(|noise| noise.name);
    let samplers = words.samplers.iter().filter(|word| !standard.samplers.contains(word)).map(|word| word.name);
    let with_noises = with_words(SPEC_SCHEMA, "\"noise\": {", noises);
    with_words(&with_noises, "\"sampler\": {", samplers)
}

/// The schema with more words for a key: the list of its words ends at the next bracket.
fn with_words(schema: &str, key: &str, more: impl Iterator<Item = &'static str>) -> String {
    let more: String = more.map(|word| format!(", \"{word}\"")).collect();
    match schema.split_once(key).map(|(before, after)| (before, after.split_once(']'))) {
        Some((before, Some((words, after)))) => format!("{before}{key}{words}{more}]{after}"),
        _ => schema.to_owned(),
    }
}

/// The version of this program.
pub const VERSION: &str = certify::VERSION;

/// The commit this program was built from, if known.
pub const COMMIT: Option<&str> = option_env!("CONGENIAL_COMMIT");

//! The whole path from spec to certified release as one short function.
//!
//! ```text
//! declare ──▶ analyse ──▶ plan ──▶ draw ──▶ certify ──▶ release
//! ```
//!
//! [`release`] is that path. [`Opened`] is its public half (spec, domain, invariants), [`Analysed`]
//! holds the confidential table and its public totals, [`Prepared`] adds the plan. Rows come from
//! files, from frames of Arrow batches (`Given::with_frame`) or, where the data are public, as a
//! slice of counts:
//!
//! ```
//! use congenial::{Format, Given, Prepared, Quiet, VerifyOptions, release, verify};
//!
//! # fn main() -> Result<(), congenial::Problem> {
//! # let spec = r#"
//! #     title = "Two by two"
//! #     [data]
//! #     path = "rows.csv"
//! #     count = "n"
//! #     public = true
//! #     [dimensions]
//! #     county = ["Alpha", "Beta"]
//! #     sex = ["F", "M"]
//! #     [[invariant]]
//! #     by = ["county"]
//! #     [constraints]
//! #     nonnegative = false
//! #     [mechanism]
//! #     noise = "double-geometric"
//! #     epsilon = "1/4"
//! # "#;
//! # let scratch = tempfile::tempdir().unwrap();
//! # let folder = scratch.path().join("release");
//! let given = Given::text(spec, "spec.toml", ".").with_counts([5, 3, 8, 1]);
//! let prepared = Prepared::open(given.clone(), &Quiet)?;
//! assert!(prepared.plan.explain_text("Two by two").contains("closed-form"));
//! let released = release(given, &folder, Format::CSV, &Quiet)?;
//! let verified = verify(&released.folder, &VerifyOptions::default())?;
//! assert_eq!(verified.certificate.invariants[0].totals[0].value, 8);
//! # Ok(())
//! # }
//! ```

mod answer;
mod bug;
mod buying;
mod confirm;

mod finish;
mod frames;
mod hand_back;
mod options;
mod present;
mod release;
mod released;
mod simulate;
mod stand_in;
mod watched;

pub use answer::{check_json, checks_json, explain_json, explain_text, narrowest_cells, released_json, verified_json};
pub use bug::{Bug, caught, silence_panics};
pub use confirm::{Confirmed, confirm};

pub use finish::{
    Finishing, KeptState, Recoverable, ReleasedMeasurements, finish_release, give_up, recoverable, release_measurements,
};
pub use frames::{released_frame, simulated_frame};
pub use options::{Options, Wide};
pub use present::{Changes, present_as};
pub use release::{demo, release};
pub use released::{HandedBack, Released};
pub use simulate::{Simulated, simulate};
pub use stand_in::{MarginErrors, Measured, StandInErrors, errors_on};

pub use draft::{Drafted, draft, start};
pub use interpret::{
    APPROXIMATIONS, Figures, InferOptions, Inferred, ModelOptions, Modelled, STATISTICS, TESTS, TestOptions, infer,
    open_release,
};
pub use pay::{
    Asked, DatasetWords, Offer, PaidRelease, Paying, SAFEGUARDS, Spent, adopt, approve_signed, ask, entry_json,
    entry_text, ledger_of_spec, look_up, look_up_release, note_data, offer, open_dataset, payments_in, person,
    read_table_release, recover_release, shown, spent_now, status_json, together, verify_against,
};
pub use prepare::{
    Analysed, ErrorLaws, ExpectedError, Given, InflationCurve, LEDGER_VARIABLE, LevelProfile, LevelSpread, Opened,
    Prepared, Progress, QueryErrors, Quiet, Stage, StandIn, Suggestion, suggestions,
};
#[doc(hidden)]
pub use publish::steps::{AFTER_PAYING, BEFORE_PAYING, Hook, LOOKED, WAITING};
pub use publish::{
    FileWriter, Format, Intervals, Layout, Portion, STREAM_ABOVE, TableWriter, Tables, Values, Verified, VerifyOptions,
    check_new, new_keys, public_key, read_counts, read_table, report_of, verify, write_page, write_table,
};

pub use ::infer as inferences;
pub use ::ledger as ledgers;
pub use ::ledger::Override;
pub use certify::{
    Certificate, CertifiedInterval, CertifiedSecrets, Check, Confined, Spending, WidthCount, in_words, interval, sha256,
};
pub use declare::{Declaration, Kind, Place, Problem, is_unseen};
pub use draw::{Law, NotAvailable};
pub use exact::Rational as Number;
pub use exact::attention;
pub use plan::{ErrorProfile, PAIRS, Plan, Registry};
pub use report::{Card, card_html};
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

/// This program, as certificates name it.
pub fn program() -> certify::Program {
    certify::Program {
        name: certify::PROGRAM.to_string(),
        version: VERSION.to_string(),
        commit: COMMIT.map(str::to_string),
    }
}

/// Keeps evidence of walks in this folder from now on: what one command waited for, the next need
/// not. A library that is not told keeps none, and only the first call counts.
pub fn remember_evidence_in(folder: std::path::PathBuf) {
    prepare::remember_evidence_in(folder, COMMIT);
}

//! `congenial regress` and `congenial select`: exponential mechanisms, drawn perfectly.

use crate::commands::ledger::Person;
use crate::output::{answer, checks_text, note, print, print_json, shell};
use clap::Args;
use congenial::{Override, Paying, Problem};
use perfect::PerfectReleased;
use serde_json::json;
use std::path::PathBuf;

/// Draw the coefficients of a ridge regression with pure differential privacy
#[derive(Args)]
#[command(after_help = "\
Writes to DIR coefficients.csv, certificate.json and report.html, or nothing at all. Columns are
declared with bounds and scaled to [-1, 1]; coefficients are those of the scaled columns.
Confidential data are paid for from the ledger that [budget] names, before anything is drawn, and once.

Examples:
  congenial regress examples/wages/spec.toml --explain
  congenial regress examples/wages/spec.toml --simulate 100 --seed 1
  congenial regress examples/wages/spec.toml --out wages")]
pub struct Regress {
    #[command(flatten)]
    drawing: Drawing,
    /// Print so many seeded draws of public data as CSV, after the ordinary ridge estimate; writes
    /// and certifies nothing
    #[arg(long, value_name = "N", conflicts_with_all = ["out", "explain"])]
    simulate: Option<u64>,
    /// The seed of these draws
    #[arg(long, value_name = "S", default_value_t = 1, requires = "simulate")]
    seed: u64,
}

/// Select one of several declared candidates by their losses, with pure differential privacy
#[derive(Args)]
#[command(after_help = "\
Writes to DIR selected.csv, certificate.json and report.html, or nothing at all. The losses are in a
file with one row per declared candidate; how far one record moves a loss is declared.

Examples:
  congenial select models.toml --explain
  congenial select models.toml --out selected")]
pub struct Select {
    #[command(flatten)]
    drawing: Drawing,
}

/// What both commands take.
#[derive(Args)]
struct Drawing {
    /// The spec, a TOML file
    spec: PathBuf,
    /// The folder to write; it must be new or empty
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Say what would be drawn, how, and what its run time tells; draws, writes and spends nothing
    #[arg(long, conflicts_with = "out")]
    explain: bool,
    /// Draw once more although the same release exists or was paid for: it pays its whole loss
    /// again
    #[arg(long)]
    again: bool,
    /// Override a safeguard (answers); an entry of the ledger, and named on the certificate
    #[arg(long = "override", value_name = "SAFEGUARD", requires = "because")]
    overridden: Vec<String>,
    /// Why the safeguard is overridden
    #[arg(long, value_name = "TEXT", requires = "overridden")]
    because: Option<String>,
    /// Sign the certificate with this secret key (`congenial key new` makes one)
    #[arg(long, value_name = "FILE")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    person: Person,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Regress {
    /// Draws, and says what was written.
    pub fn run(self) -> Result<(), Problem> {
        match self.simulate {
            Some(draws) => print(&perfect::simulate_regression(&self.drawing.spec, draws, self.seed)?),
            None => self.drawing.run(true),
        }
    }
}

impl Select {
    /// Selects, and says what was written.
    pub fn run(self) -> Result<(), Problem> {
        self.drawing.run(false)
    }
}

impl Drawing {
    fn run(self, is_regression: bool) -> Result<(), Problem> {
        let reason = self.because.clone().unwrap_or_default();
        let overridden = self.overridden.iter().cloned();
        let overrides = overridden.map(|safeguard| Override { safeguard, reason: reason.clone() }).collect();
        let paying = Paying { by: self.person.name().ok(), again: self.again, overrides };
        if self.explain {
            let explained = perfect::explain_perfect(&self.spec, is_regression, &paying)?;
            return answer(self.json, || json!(explained), || explained.text());
        }
        let Some(out) = &self.out else {
            return Err(
                Problem::bad("no folder is named to write to").hint("--out DIR, or --explain, which writes nothing")
            );
        };
        let released = perfect::release_perfect(&self.spec, is_regression, out, &paying, self.sign.as_deref())?;
        if let Some(earlier) = &released.handed_back {
            note(&format!(
                "this is the release of entry {}, made {} and written to `{}`: handed back; nothing was drawn or spent",
                earlier.entry, earlier.time, earlier.folder
            ));
        }
        if self.json {
            return print_json(&as_json(&released));
        }
        let certificate = &released.certificate;
        let file = |name: &str| shell(&released.folder.join(name));
        let files: String =
            certificate.files.iter().map(|listed| format!("  {}  {}\n", file(&listed.file), listed.what)).collect();
        let paid = certificate.ledger.as_ref().map_or(String::new(), |paid| {
            format!(
                "\nPaid\n  entry {}: {}; spent so far {} of {}\n",
                paid.entry, paid.charged, paid.spent, paid.budget
            )
        });
        print(&format!(
            "{}\n\nReleased\n{files}  {}  the guarantee, and all that is needed to check it\n\nGuaranteed\n  {}\n  Run time: {}\n{paid}\nVerified by reading it back\n{}",
            certificate.title,
            file("certificate.json"),
            certificate.guarantee.statement,
            certificate.guarantee.run_time,
            checks_text(&released.checks)
        ))
    }
}

fn as_json(released: &PerfectReleased) -> serde_json::Value {
    let certificate = &released.certificate;
    json!({
        "folder": released.folder.display().to_string(),
        "files": certificate.files.iter().map(|listed| &listed.file).collect::<Vec<_>>(),
        "title": certificate.title,
        "guarantee": certificate.guarantee,
        "ledger": certificate.ledger,
        "handed_back": released.handed_back.is_some(),
        "verified": congenial::checks_json(&released.checks),
    })
}

//! `congenial release`: the main job.

use crate::commands::ledger::Person;
use crate::output::{
    answer, checks_text, counted, exact_text, guarantee_text, note, note_left_out, paid_text, print, shell,
};
use crate::progress::Progress;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use congenial::{Format, Options, Override, Paying, Problem, Released, Wide};
use std::path::PathBuf;

/// Draw a release, write it with its certificate and report, and verify what was written
#[derive(Args)]
#[command(after_help = "\
Writes to DIR the table (table.parquet, .csv or .xlsx), the derived tables of the spec,
DATA-README.txt, codebook.csv, certificate.json and report.html, or nothing at all.

Confidential data are paid for from the ledger that [budget] names, before anything is drawn, and
once. A release of the same data and law that exists is handed back, with the title, the derived
tables and the format that are asked for; one that another process makes is waited for; one that
was interrupted is gone on with. --again draws anew, and pays again.
What was paid for is never deleted: `congenial ledger recover` says where it is kept.

Examples:
  congenial release congenial.toml --out release
  congenial release congenial.toml --out release --format xlsx --wide=education")]
pub struct Release {
    /// The spec, a TOML file
    spec: PathBuf,
    /// The folder to write; it must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The format of the released tables
    #[arg(long, value_parser = formats(), default_value = Format::PARQUET.extension())]
    format: Format,
    /// Write a wide table too, with one column for every value of a dimension: the measures, or
    /// else the last one
    #[arg(long, value_name = "DIM", num_args = 0..=1, require_equals = true)]
    wide: Option<Option<String>>,
    /// Draw once more although the same release exists or was paid for: it pays its whole loss
    /// again
    #[arg(long)]
    again: bool,
    /// Override a safeguard (disclosure, partition, answers); an entry of the ledger, and named on
    /// the certificate
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

/// Takes the names of formats.
pub fn formats() -> impl TypedValueParser<Value = Format> {
    let names: Vec<&str> = Format::all().map(|format| format.extension()).collect();
    PossibleValuesParser::new(names).try_map(|name| Format::named(&name).ok_or("no such format"))
}

impl Release {
    /// Releases, and says what was written, guaranteed and verified.
    pub fn run(self) -> Result<(), Problem> {
        let wide = self.wide.map(|name| name.map_or(Wide::Automatic, Wide::Dimension));
        let reason = self.because.unwrap_or_default();
        let overridden = self.overridden.into_iter();
        let overrides = overridden.map(|safeguard| Override { safeguard, reason: reason.clone() }).collect();
        let again = self.again;
        let paying = Paying { by: self.person.name().ok(), again: self.again, overrides };
        let options = Options { wide, paying, sign: self.sign, ..self.format.into() };
        let progress = Progress::new().with_steps(steps());
        let released = congenial::release(&self.spec, &self.out, options, &progress)?;
        drop(progress);
        note_left_out(&released.left_out);
        if let Some(earlier) = &released.handed_back {
            let how = if earlier.presented { "its counts, written as asked" } else { "as it was made" };
            note(&format!(
                "this is the release of entry {}, made {} and written to `{}`: handed back, {how}; nothing was drawn or spent",
                earlier.entry, earlier.time, earlier.folder
            ));
        }
        if let (true, Some(paid)) = (again, &released.certificate.ledger) {
            note(&format!(
                "a new draw: entry {} paid {} once more; spent so far: {}",
                paid.entry, paid.charged, paid.spent
            ));
        }
        answer(self.json, || congenial::released_json(&released), || released_text(&released))
    }
}

/// A release in words: what was written, is exact, guaranteed, paid and verified.
pub fn released_text(released: &Released) -> String {
    let certificate = &released.certificate;
    format!(
        "{}\nExactly true, and public\n{}\nGuaranteed\n{}{}\nVerified by reading it back\n{}",
        written_text(released),
        exact_text(certificate),
        guarantee_text(certificate),
        paid_text(certificate),
        checks_text(&released.checks)
    )
}

/// Says what was written, and verified by reading it back.
pub fn print_written(released: &Released) -> Result<(), Problem> {
    print(&format!("{}\nVerified by reading it back\n{}", written_text(released), checks_text(&released.checks)))
}

/// Says once that another process is waited for.
fn steps() -> congenial::Hook {
    let told = std::sync::Once::new();
    std::sync::Arc::new(move |step| {
        if step == congenial::WAITING {
            told.call_once(|| note("another process has paid for this very release and makes it: waiting for it"));
        }
    })
}

/// The files of a release, with what they are for.
pub fn written_text(released: &Released) -> String {
    let file = |name: &str| shell(&released.folder.join(name));
    let table = &released.certificate.table;
    let row = if released.certificate.is_suppressed() { "total" } else { "cell" };
    let listed = released.certificate.files.iter().map(|listed| match listed.file == table.file {
        true => (file(&listed.file), format!("{}: {}", listed.what, counted(table.cells, row))),
        false => (file(&listed.file), listed.what.clone()),
    });
    let mut files: Vec<(String, String)> = listed.collect();
    files.push((file("certificate.json"), "the guarantee, and all that is needed to check it".to_string()));
    if released.certificate.signed_by.is_some() {
        files.push((file("certificate.sig"), "its Ed25519 signature".to_string()));
    }
    files.push((file("report.html"), "the same for readers".to_string()));
    let width = files.iter().map(|(path, _)| path.chars().count()).max().unwrap_or(0);
    let lines = files.iter().map(|(path, what)| format!("  {path:width$}  {what}\n"));
    format!("{}\n\nReleased\n{}", released.certificate.title, lines.collect::<String>())
}

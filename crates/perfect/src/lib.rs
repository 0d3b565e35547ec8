//! Releases of exponential mechanisms: `congenial regress` and `congenial select`, from a spec to a
//! folder that verifies.
//!
//! The path is that of tables: the spec is read, the data become what the mechanism needs of them,
//! the loss is paid, one point is drawn perfectly, written with its certificate and report, read
//! back and verified, and the folder gets its name.
//!
//! ```text
//! declared.rs      what the two kinds of specs have in common, and what follows from them
//! records.rs       data files → moments or losses
//! certificate.rs   what a reader needs to rely on a release, and how it is derived again
//! page.rs          the report
//! paying.rs        confidential data are paid for, once
//! folder.rs        written, read back, verified
//! ```

mod certificate;
mod declared;
mod folder;
mod page;
mod paying;
mod records;

pub use certificate::PerfectCertificate;
use certify::Check;
use congenial::HandedBack;
use declare::{Choice, Problem, Regression};
use declared::Declared;
pub use declared::Derived;
use exact::Rational;
pub use folder::{PerfectVerified, is_perfect, read_release, verify_perfect};
use pay::{Asked, Paying, Right};
use paying::Account;
use prepare::check_public_files;
use publish::{Signing, Workshop, check_folder, occupied, plain_name};
use records::{Ready, Unread};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What a release of an exponential mechanism wrote.
#[derive(Debug)]
pub struct PerfectReleased {
    /// The folder.
    pub folder: PathBuf,
    /// The certificate.
    pub certificate: PerfectCertificate,
    /// What was checked after writing.
    pub checks: Vec<Check>,
    /// The release is an earlier one of the same spec and data, handed back: nothing was drawn or
    /// spent.
    pub handed_back: Option<HandedBack>,
}

/// Reads a spec of a regression, or else of a selection, and says where it lies.
fn load(spec: &Path, is_regression: bool) -> Result<(Declared, &Path), Problem> {
    let declared = match is_regression {
        true => Declared::Regression(Regression::load(spec)?),
        false => Declared::Choice(Choice::load(spec)?),
    };
    Ok((declared, spec.parent().unwrap_or(Path::new(""))))
}

/// Draws the coefficients of a regression, or else selects one of several candidates, and writes
/// what was drawn to a folder.
pub fn release_perfect(
    spec: &Path,
    is_regression: bool,
    folder: &Path,
    paying: &Paying,
    sign: Option<&Path>,
) -> Result<PerfectReleased, Problem> {
    let signing = sign.map(Signing::read).transpose()?;
    let (declared, beside) = load(spec, is_regression)?;
    let folder = &plain_name(folder);
    let taken = check_folder(folder)?;
    if !declared.is_public() {
        return paying::release(&declared, beside, folder, taken, paying, signing.as_ref());
    }
    if taken {
        return Err(occupied(folder));
    }
    let ready = read_public(&declared, beside)?;
    let work = Workshop::new(folder)?;
    let chosen = ready.draw(&Right::public(declared.is_public())?.entropy())?;
    let (certificate, checks) = folder::write(&declared, &ready, chosen, None, signing.as_ref(), &work.finished)?;
    work.publish(folder)?;
    Ok(PerfectReleased { folder: folder.clone(), certificate, checks, handed_back: None })
}

/// Whether a spec is one of a regression or of a selection: it has their sections.
pub fn is_perfect_spec(spec: &Path) -> bool {
    let text = std::fs::read_to_string(spec).unwrap_or_default();
    text.lines().any(|line| matches!(line.trim(), "[response]" | "[[predictor]]" | "[candidates]"))
}

/// Asks a second person to approve a regression or a selection. Reads the data, draws and spends
/// nothing.
pub fn ask_perfect(spec: &Path, paying: &Paying) -> Result<Asked, Problem> {
    let text = std::fs::read_to_string(spec).unwrap_or_default();
    let (declared, beside) = load(spec, text.lines().all(|line| line.trim() != "[candidates]"))?;
    if declared.is_public() {
        return Err(Problem::bad("the data are declared public: their release needs no approval"));
    }
    paying::ask(&declared, beside, paying)
}

/// Reads data that are declared public, after the ledgers were asked whether they are.
fn read_public(declared: &Declared, beside: &Path) -> Result<Ready, Problem> {
    check_public_files(declared.path(), declared.budget(), beside)?;
    Ready::read(declared, beside).map_err(|unread| match unread {
        Unread::Told(problem) | Unread::Answer(problem) => problem,
    })
}

/// What `regress` or `select` would do, from the spec and the number of records alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// What would be guaranteed.
    #[serde(flatten)]
    pub guarantee: Derived,
    /// How many tries a draw is predicted to take on average, at most, where it takes tries.
    pub predicted_tries: Option<f64>,
}

impl Explained {
    /// All of it, line by line.
    pub fn text(&self) -> String {
        let tries = self.predicted_tries.map_or(String::new(), |tries| {
            format!("  tries        about {tries:.0} on average at most, of each kind, is predicted\n")
        });
        self.guarantee.explanation() + &tries
    }
}

/// Explains a spec for `--explain`. The number of records is read from the data; of confidential
/// ones their ledger is asked before.
pub fn explain_perfect(spec: &Path, is_regression: bool, paying: &Paying) -> Result<Explained, Problem> {
    let (declared, beside) = load(spec, is_regression)?;
    let records = match &declared {
        Declared::Choice(choice) => choice.candidates.len() as u64,
        Declared::Regression(_) if declared.is_public() => read_public(&declared, beside)?.records(),
        Declared::Regression(_) => Account::open(&declared, beside, paying, None)?.read()?.records(),
    };
    let predicted_tries = match &declared {
        Declared::Regression(regression) => Some(declared::settings(regression, records).predicted_tries()),
        Declared::Choice(_) => None,
    };
    Ok(Explained { guarantee: declared.derive(records)?, predicted_tries })
}

/// Seeded draws of a regression of public data as CSV, one row each; the first row is the ordinary
/// ridge estimate, without the ball.
pub fn simulate_regression(spec: &Path, draws: u64, seed: u64) -> Result<String, Problem> {
    let regression = Regression::load(spec)?;
    if !regression.public {
        return Err(Problem::refused("seeded draws are for public data: every draw of confidential data is paid for")
            .hint("write `public = true` under [data] if the data are already public or synthetic"));
    }
    let (declared, beside) = (Declared::Regression(regression.clone()), spec.parent().unwrap_or(Path::new("")));
    let ready = read_public(&declared, beside)?;
    let (estimate, points) = ready.simulated(draws, seed)?;
    let grid = Rational::integer(regression.grid);
    let names: Vec<String> =
        regression.predictors.iter().map(|predictor| declared::quoted(&predictor.name())).collect();
    let line = |name: &str, values: Vec<f64>| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.6}")).collect();
        format!("{name},{}\n", values.join(","))
    };
    let mut text = format!("draw,{}\n", names.join(","));
    text += &line("ridge", estimate.iter().map(|steps| (steps / &grid).to_f64()).collect());
    for (draw, point) in points.iter().enumerate() {
        let values = point.iter().map(|steps| (&Rational::integer(*steps) / &grid).to_f64()).collect();
        text += &line(&draw.to_string(), values);
    }
    Ok(text)
}

//! `congenial explain`: the plan, its cost and its errors, from public information alone.

use crate::output::{note, note_left_out, print, print_json};
use crate::progress::Progress;
use clap::Args;
use congenial::{ExpectedError, Offer, Prepared, Problem, StandIn};
use std::path::{Path, PathBuf};

/// Explain how a release would be drawn, what it would cost and how noisy it would be
#[derive(Args)]
#[command(after_help = "\
Uses the invariant values only, never the interior of a confidential table: what it prints to stdout may be published.
A projection of confidential data is tried on public stand-ins, as `congenial release` will try it.
Where a walk draws, coupled chains are run first to tell how close it comes to its law; that may take minutes, and
`congenial release` uses what they told (CONGENIAL_CACHE names the folder it is kept in; empty: nowhere).
Where the error depends on the table (counts at or above zero, rules), --error tells its law for public data only; errors and biases of
cells and of one- and two-way sums are then measured on a stand-in: a public FILE, or a table made of the exact totals.

Examples:
  congenial explain congenial.toml --error
  congenial explain congenial.toml --on last_year.csv
  congenial explain survey.toml --inflation=curves")]
pub struct Explain {
    /// The spec, a TOML file
    spec: PathBuf,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
    /// Also how large the error will be, exactly: quantiles of the noise, or expected errors
    #[arg(long)]
    error: bool,
    /// Measure errors and biases, also of sums, around a public file that stands in for the data
    #[arg(long, value_name = "FILE")]
    on: Option<PathBuf>,
    /// Write inflation.csv and inflation.svg into a folder that exists, this one by default: how
    /// the loss about a secret grows with what [secrets] assumes
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    inflation: Option<PathBuf>,
    /// The draws around a stand-in
    #[arg(long, value_name = "N", default_value_t = 500)]
    draws: u64,
}

impl Explain {
    /// Plans and prints.
    pub fn run(self) -> Result<(), Problem> {
        let progress = Progress::new();
        let prepared = Prepared::open_streaming(&self.spec, &progress)?;
        progress.end();
        if self.error && prepared.plan.is_suppressed() {
            return Err(Problem::refused(
                "method = \"suppress\" publishes exact totals alone: there is no error to tell",
            )
            .hint("leave out --error, or choose method = \"condition\""));
        }
        let prepared = prepared.with_disclosed(&progress)?.supported(&progress)?;
        progress.end();
        note_left_out(&prepared.analysed.left_out());
        if !prepared.opened().declaration.data.public
            && let Err(problem) = prepared.try_projection()
        {
            note(&format!("`congenial release` will refuse this: {}", problem.message));
        }
        let told = self.error.then(|| prepared.expected_error());
        let secrets = prepared.secrets()?;
        if let Some(folder) = &self.inflation {
            write_inflation(&prepared, folder)?;
        }
        let depends = matches!(&told, Some(ExpectedError::NotTold { .. }));
        let on = self.on.map(StandIn::File);
        let measured = || congenial::errors_on(&prepared, &self.spec, on.as_ref(), self.draws);
        // A file that was named must do; that nothing could be made of totals is told beside the
        // rest.
        let stand_in = match (on.is_some() || depends).then(measured).transpose() {
            Err(problem) if on.is_none() => {
                note(&with_hint(problem));
                None
            }
            measured => measured?,
        };
        if self.json {
            let value = congenial::explain_json(&prepared, told.as_ref(), secrets.as_ref(), stand_in.as_ref());
            return print_json(&value);
        }
        let mut text = prepared.too_large().map_or(String::new(), |why| format!("{why}\n\n"));
        text += &congenial::explain_text(&prepared);
        if let Some(told) = &told {
            text += &format!("\n{}", told.text(&prepared.opened().domain));
        }
        if let Some(errors) = &stand_in {
            text += &format!("\n{}", errors.text());
        }
        if let Some(secrets) = &secrets {
            text.push_str("\nWhat it tells of a secret, beside the guarantee\n");
            secrets.lines().iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        text.push_str(&budget_text(&prepared));
        print(&text)
    }
}

/// Writes the curve of the declared family, and says where.
fn write_inflation(prepared: &Prepared, folder: &Path) -> Result<(), Problem> {
    let (table, picture) = (folder.join("inflation.csv"), folder.join("inflation.svg"));
    if !folder.is_dir() {
        return Err(Problem::bad(format!("`{}` is not a folder", folder.display()))
            .hint("name one that exists: --inflation=FOLDER"));
    }
    for file in [&table, &picture] {
        let another = "name another folder, --inflation=FOLDER, or remove the file";
        congenial::check_new(file).map_err(|problem| problem.hint(another))?;
    }
    let curve = prepared.inflation()?;
    congenial::write_page(&table, &curve.csv())?;
    congenial::write_page(&picture, &curve.svg("What a secret loses, by what is assumed"))?;
    note(&format!("the curve is in `{}` and `{}`", table.display(), picture.display()));
    Ok(())
}

/// What the ledger of confidential data would say. A plan can be explained before there is a
/// ledger.
fn budget_text(prepared: &Prepared) -> String {
    let said = match congenial::offer(prepared) {
        Ok(None) => return String::new(),
        Ok(Some(Offer { dataset, costs, affordable })) => format!(
            "dataset {} has {} left of {}; this release costs {costs}{}",
            dataset.name,
            dataset.left,
            dataset.budget,
            if affordable { "" } else { ": more than is left" }
        ),
        Err(problem) => with_hint(problem),
    };
    format!("\nBudget\n  {said}\n")
}

/// A problem and its hint in one line.
fn with_hint(problem: Problem) -> String {
    match problem.hint {
        Some(hint) => format!("{} ({hint})", problem.message),
        None => problem.message,
    }
}

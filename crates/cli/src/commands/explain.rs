//! `congenial explain`: the plan, its cost and its errors, from public information alone.

use crate::output::{note, note_left_out, print, print_json};
use crate::progress::Progress;
use clap::Args;
use congenial::{Offer, Prepared, Problem};
use serde_json::json;
use std::path::PathBuf;

/// Explain how a release would be drawn, what it would cost and how noisy it would be
#[derive(Args)]
#[command(after_help = "\
Uses the invariant values only, never the interior of a confidential table: what it prints to stdout may be published.
A projection of confidential data is tried on public stand-ins, as `congenial release` will try it.
Where a walk draws, coupled chains are run first to tell how close it comes to its law; that may take minutes.
Where the error depends on the table (counts at or above zero, rules), --error tells it for public data only.

Example:
  congenial explain congenial.toml --error")]
pub struct Explain {
    /// The spec, a TOML file
    spec: PathBuf,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
    /// Also how large the error will be, exactly: quantiles of the noise, or expected errors
    #[arg(long)]
    error: bool,
}

impl Explain {
    /// Plans and prints.
    pub fn run(self) -> Result<(), Problem> {
        let reading = Progress::reading();
        let prepared = Prepared::open_streaming(&self.spec, &mut |bytes| reading.reached(bytes))?;
        drop(reading);
        if self.error && prepared.plan.is_suppressed() {
            return Err(Problem::refused(
                "method = \"suppress\" publishes exact totals alone: there is no error to tell",
            )
            .hint("leave out --error, or choose method = \"condition\""));
        }
        let gathering = Progress::gathering();
        let prepared = prepared.supported(&|pairs| gathering.advance(pairs))?;
        drop(gathering);
        note_left_out(&prepared.analysed.left_out());
        if !prepared.opened().declaration.data.public
            && let Err(problem) = prepared.try_projection()
        {
            note(&format!("`congenial release` will refuse this: {}", problem.message));
        }
        if self.json {
            let mut value = prepared.plan.explain_json();
            if self.error {
                value["error"] = prepared.expected_error().json(&prepared.opened().domain);
            }
            if let Ok(Some(offer)) = congenial::offer(&prepared) {
                value["budget"] = json!({
                    "dataset": offer.dataset.name,
                    "costs": offer.costs.to_string(),
                    "left": offer.dataset.left.to_string(),
                    "affordable": offer.affordable,
                });
            }
            return print_json(&value);
        }
        let mut text = prepared.plan.explain_text(&prepared.opened().declaration.title);
        if self.error {
            text.push('\n');
            text.push_str(&prepared.expected_error().text(&prepared.opened().domain));
        }
        text.push_str(&budget_text(&prepared));
        print(&text)
    }
}

/// What the ledger of confidential data would say. A plan can be explained before there is a ledger.
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
        Err(problem) => match problem.hint {
            Some(hint) => format!("{} ({hint})", problem.message),
            None => problem.message,
        },
    };
    format!("\nBudget\n  {said}\n")
}

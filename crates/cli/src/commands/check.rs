//! `congenial check`: what the invariants say, before anything is drawn.

mod confinement;
mod surveyed;

use crate::commands::ledger::Person;
use crate::output::{answer, counted, note_left_out, print};
use crate::progress::Progress;
use clap::Args;
use congenial::{Analysed, Confined, Opened, Prepared, Problem, STREAM_ABOVE};
use serde_json::json;
use std::fmt::{self, Write};
use std::path::PathBuf;

/// The most disclosed cells, and the most redundant totals, that are printed by name.
const MOST_LISTED: usize = 12;

/// Read a spec and its data, and say what the invariants fix and disclose
#[derive(Args)]
#[command(after_help = "\
Reads the data, but prints nothing of the table except what follows from the invariants. For the curator.
Whether confidential data are as the spec declares them is trusted. --data tells you: what stands in the columns that is
recoded, unknown or left out, by value and with counts, and the first row that breaks what is declared. That is for your
screen alone; the answer is an entry of the ledger, and of one dataset there are few.

Examples:
  congenial check congenial.toml
  congenial check congenial.toml --data")]
pub struct Check {
    /// The spec, a TOML file
    spec: PathBuf,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
    /// Tell whether the data are as the spec declares them, and nothing else; for the curator's
    /// eyes
    #[arg(long, conflicts_with = "json")]
    data: bool,
    #[command(flatten)]
    person: Person,
}

impl Check {
    /// Reads, analyses and prints.
    pub fn run(self) -> Result<(), Problem> {
        let progress = Progress::new();
        if self.data {
            let by = self.person.name()?;
            let mut printed = Ok(());
            let confirmed = congenial::confirm(&self.spec, &by, &progress, &mut |survey, left| {
                printed = print(&surveyed::text(survey, left.is_some()))
            });
            progress.end();
            printed?;
            let confirmed = confirmed?;
            note_left_out(&confirmed.left_out);
            let left = confirmed.left.map_or(String::new(), |left| format!("; {left} more such answers can be had"));
            return print(&format!("The data are as declared{left}.\n"));
        }
        let analysed = Opened::open_streaming(&self.spec, STREAM_ABOVE)?.analyse(&progress)?;
        progress.end();
        note_left_out(&analysed.left_out());
        let confined = analysed.confined(&progress)?;
        let together = congenial::together(&analysed, &progress);
        progress.end();
        let refused = analysed.enforce(&confined);
        let (mut value, mut text) = (congenial::check_json(&analysed, &confined), as_text(&analysed, &confined));
        if let Ok(Some(together)) = &together {
            value["together"] = json!(together);
            text.push_str(&format!("all releases      {}\n", together.in_words()));
        }
        let prepared = analysed.plan();
        let pairs = prepared.as_ref().map_or(0, Prepared::pairs_of_chains);
        if pairs > 0 {
            value["pairs_of_chains"] = json!(pairs);
            text.push_str(&format!(
                "evidence          a walk draws it: {pairs} pairs of coupled chains would tell how close it comes to its law\n"
            ));
        }
        if let Some(why) = prepared.as_ref().ok().and_then(Prepared::too_large) {
            value["too_large"] = json!(why);
            text.insert_str(0, &format!("{why}\n\n"));
        }
        answer(self.json, || value, || text)?;
        // What holds is printed first; then why it cannot be released, if so.
        refused?;
        together?;
        // A family of laws that does not fit the table would be refused by `release`.
        prepared.and_then(|prepared| prepared.certifiable().and(prepared.secrets())).map(|_| ())
    }
}

fn as_text(analysed: &Analysed, confined: &Confined) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_text(&mut text, analysed, confined);
    text
}

fn write_text(text: &mut String, analysed: &Analysed, confined: &Confined) -> fmt::Result {
    let analysis = &analysed.analysis;
    writeln!(text, "{}\n", analysed.opened.declaration.title)?;
    writeln!(text, "cells             {}", analysis.cells)?;
    let kept: Vec<String> =
        analysis.kept.iter().map(|kept| format!("{} ({})", kept.label, counted(kept.totals, "total"))).collect();
    let kept = if kept.is_empty() { "none are kept".to_string() } else { kept.join(", ") };
    writeln!(text, "invariants        {kept}")?;
    writeln!(text, "rank              {} of {}", analysis.rank, counted(analysis.invariants, "total"))?;
    let left = if analysed.opened.method().draws { "left to the noise" } else { "of which nothing is told" };
    writeln!(text, "free dimension    {} {left}", analysis.free_dimension())?;
    let conditions = &analysed.opened.conditions;
    if conditions.nonnegative {
        writeln!(text, "bounds            every count is at least 0")?;
    }
    for rule in &conditions.rules {
        writeln!(text, "rule              {}", rule.grouping.label)?;
    }
    let all = if conditions.rules.is_empty() { "the totals" } else { "totals, bounds and rules" };
    writeln!(text, "feasible          yes: {all} are consistent")?;
    match analysis.redundant.as_slice() {
        [] => writeln!(text, "redundant totals  none")?,
        redundant => {
            writeln!(text, "redundant totals  {}", redundant.iter().map(|entry| entry.totals).sum::<usize>())?;
            let shown = redundant.len().min(MOST_LISTED);
            redundant[..shown].iter().try_for_each(|entry| writeln!(text, "  {}: {}", entry.name, entry.because))?;
            if redundant.len() > shown {
                writeln!(text, "  … {} more", redundant[shown..].iter().map(|entry| entry.totals).sum::<usize>())?;
            }
        }
    }
    write_disclosed(text, analysed, confined)?;
    confinement::write(text, analysed, confined)?;
    let nearest = analysis.moves.pair;
    match (nearest.found.map(|found| found.l1), nearest.at_least) {
        (Some(1), _) => writeln!(text, "nearest tables    at l1 distance 1: one record more or less in one cell"),
        (Some(2), 2) => writeln!(text, "nearest tables    at l1 distance 2: one record moved from one cell to another"),
        (Some(distance), least) if distance == least => writeln!(text, "nearest tables    at l1 distance {distance}"),
        (Some(distance), least) => {
            writeln!(text, "nearest tables    two are known at l1 distance {distance}, none are nearer than {least}")
        }
        (None, least) => {
            writeln!(
                text,
                "nearest tables    none are nearer than l1 distance {least}; whether two are as near is not known"
            )
        }
    }
}

fn write_disclosed(text: &mut String, analysed: &Analysed, confined: &Confined) -> fmt::Result {
    let (disclosed, cells) = (&confined.disclosed, confined.disclosed_cells);
    let rules = !analysed.opened.conditions.rules.is_empty();
    if cells == 0 {
        let from = if rules { "totals and rules" } else { "the totals" };
        return writeln!(text, "disclosed cells   none: no cell follows from {from}");
    }
    let from = match (rules, confined.emptied.is_some()) {
        (false, false) => "totals",
        (true, false) => "totals and rules",
        (false, true) => "totals and the filter of [data]",
        (true, true) => "totals, rules and the filter of [data]",
    };
    writeln!(
        text,
        "disclosed cells   {cells} of {}: the {from} alone give their value, whatever the noise",
        analysed.analysis.cells
    )?;
    let shown = disclosed.len().min(MOST_LISTED);
    disclosed[..shown].iter().try_for_each(|disclosed| writeln!(text, "  {}: {}", disclosed.cell, disclosed.value))?;
    if cells > shown {
        writeln!(text, "  … {} more", cells - shown)?;
    }
    Ok(())
}

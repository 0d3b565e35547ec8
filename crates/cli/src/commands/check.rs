//! `congenial check`: what the invariants say, before anything is drawn.

use crate::output::{counted, note_left_out, print, print_json};
use crate::progress::Progress;
use clap::Args;
use congenial::{Prepared, Problem};
use serde_json::json;
use std::fmt::{self, Write};
use std::path::PathBuf;

/// The most disclosed cells that are printed by name.
const MOST_LISTED: usize = 12;

/// Read a spec and its data, and say what the invariants fix and disclose
#[derive(Args)]
#[command(after_help = "\
Reads the data, but prints nothing of the table but what follows from the invariants.

Example:
  congenial check congenial.toml")]
pub struct Check {
    /// The spec, a TOML file
    spec: PathBuf,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Reads, analyses and prints.
    pub fn run(self) -> Result<(), Problem> {
        let reading = Progress::reading();
        let prepared = Prepared::open(&self.spec, &mut |bytes| reading.reached(bytes))?;
        drop(reading);
        note_left_out(&prepared.left_out());
        if self.json { print_json(&as_json(&prepared)) } else { print(&as_text(&prepared)) }
    }
}

fn as_json(prepared: &Prepared) -> serde_json::Value {
    let plan = &prepared.plan;
    let (disclosed, disclosed_cells) = prepared.disclosed();
    let kept = plan.kept.iter().map(|kept| json!({"label": kept.label, "totals": kept.totals}));
    let redundant = plan
        .redundant
        .iter()
        .map(|redundant| json!({"name": redundant.name, "because": redundant.because, "totals": redundant.totals}));
    json!({
        "title": prepared.opened.declaration.title,
        "cells": plan.cells,
        "invariants": plan.invariants,
        "kept": kept.collect::<Vec<_>>(),
        "rank": plan.rank,
        "free_dimension": plan.free_dimension(),
        "feasible": true,
        "redundant": redundant.collect::<Vec<_>>(),
        "disclosed_cells": disclosed_cells,
        "disclosed": disclosed.iter().map(|d| json!({"cell": d.cell, "value": d.value})).collect::<Vec<_>>(),
        "nearest": {"distance": plan.loss.nearest.distance},
    })
}

fn as_text(prepared: &Prepared) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_text(&mut text, prepared);
    text
}

fn write_text(text: &mut String, prepared: &Prepared) -> fmt::Result {
    let plan = &prepared.plan;
    writeln!(text, "{}\n", prepared.opened.declaration.title)?;
    writeln!(text, "cells             {}", plan.cells)?;
    let kept: Vec<String> =
        plan.kept.iter().map(|kept| format!("{} ({})", kept.label, counted(kept.totals, "total"))).collect();
    let kept = if kept.is_empty() { "none are kept".to_string() } else { kept.join(", ") };
    writeln!(text, "invariants        {kept}")?;
    writeln!(text, "rank              {} of {}", plan.rank, counted(plan.invariants, "total"))?;
    writeln!(text, "free dimension    {} left to the noise", plan.free_dimension())?;
    writeln!(text, "feasible          yes: the totals are consistent")?;
    match plan.redundant.as_slice() {
        [] => writeln!(text, "redundant totals  none")?,
        redundant => {
            writeln!(text, "redundant totals  {}", redundant.iter().map(|entry| entry.totals).sum::<usize>())?;
            redundant.iter().try_for_each(|entry| writeln!(text, "  {}: {}", entry.name, entry.because))?;
        }
    }
    write_disclosed(text, prepared)?;
    let distance = plan.loss.nearest.distance;
    let step = match distance {
        1 => ": one record more or less in one cell",
        2 => ": one record moved from one cell to another",
        _ => "",
    };
    writeln!(text, "nearest tables    at l1 distance {distance}{step}")
}

fn write_disclosed(text: &mut String, prepared: &Prepared) -> fmt::Result {
    let (disclosed, cells) = prepared.disclosed();
    if cells == 0 {
        return writeln!(text, "disclosed cells   none: no cell follows from the totals");
    }
    writeln!(
        text,
        "disclosed cells   {cells} of {}: the totals alone give their value, whatever the noise",
        prepared.plan.cells
    )?;
    let shown = disclosed.len().min(MOST_LISTED);
    disclosed[..shown].iter().try_for_each(|disclosed| writeln!(text, "  {}: {}", disclosed.cell, disclosed.value))?;
    if cells > shown {
        writeln!(text, "  … {} more", cells - shown)?;
    }
    Ok(())
}

//! `congenial bench`: how fast this machine draws, against stated limits.

use crate::output::print;
use clap::Args;
use congenial::Problem;
use experiments::Measurement;
use serde_json::json;

/// Measure how fast tables are drawn on this machine
#[derive(Args)]
#[command(after_help = "\
Samplers run on one core; rows with a time to the first draw are whole paths (analyse, plan, prepare, draw) on all cores. Each row is compared with its limit and with a named peer measured in the same run. A missed limit is reported, and the exit code stays 0: a benchmark is not a test. With --json every row is one line of JSON.

Example:
  congenial bench --quick")]
pub struct Bench {
    /// Leave out the largest tables
    #[arg(long)]
    quick: bool,
    /// Print JSON lines, for scripts
    #[arg(long)]
    json: bool,
}

impl Bench {
    /// Measures, and prints each row as it comes.
    pub fn run(self) -> Result<(), Problem> {
        let mut printed = Ok(());
        let mut heading = String::new();
        let mut missed = 0;
        experiments::bench(self.quick, &mut |row| {
            missed += usize::from(!row.holds);
            let text = if self.json { row_json(row) } else { row_text(row, &mut heading) };
            if printed.is_ok() {
                printed = print(&text);
            }
        })?;
        printed?;
        let peak = peak_memory();
        if self.json {
            return print(&format!("{}\n", json!({"peak_memory_bytes": peak, "limits_missed": missed})));
        }
        let peak = peak.map_or(String::new(), |bytes| format!("peak memory {:.1} MB\n", bytes as f64 / 1e6));
        let limits = match missed {
            0 => "every limit holds".to_string(),
            _ => format!("LIMITS MISSED: {missed} (is the machine busy, or this a debug build?)"),
        };
        print(&format!("\n{peak}{limits}\n"))
    }
}

fn row_json(row: &Measurement) -> String {
    let row = json!({
        "what": row.what,
        "cells": row.cells,
        "nanoseconds_per_cell": row.per_cell,
        "microseconds_per_draw": row.per_draw,
        "microseconds_to_first_draw": row.first_draw,
        "peer": row.peer.map(|(name, time)| json!({"name": name, "nanoseconds_per_cell": time, "ratio": row.per_cell / time})),
        "limit": row.limit,
        "holds": row.holds,
    });
    format!("{row}\n")
}

fn row_text(row: &Measurement, heading: &mut String) -> String {
    let mut text = String::new();
    if *heading != row.what {
        let peer = row.peer.map_or(String::new(), |(name, time)| format!("; peer: {name}, {time:.1} ns per cell"));
        text = format!("{}{}{peer}\n", if heading.is_empty() { "" } else { "\n" }, row.what);
        text += &format!(
            "{:>12} {:>12} {:>14} {:>14} {:>9}  limit\n",
            "cells", "ns per cell", "µs per draw", "µs to first", "to peer"
        );
        heading.clone_from(&row.what);
    }
    let ratio = row.peer.map_or("-".to_string(), |(_, time)| format!("{:.2}", row.per_cell / time));
    let limit = match (row.limit, row.holds) {
        (None, _) => "-".to_string(),
        (Some(limit), true) => format!("{limit}: holds"),
        (Some(limit), false) => format!("{limit}: MISSED"),
    };
    let first = row.first_draw.map_or("-".to_string(), |first| format!("{first:.1}"));
    text + &format!("{:>12} {:>12.1} {:>14.1} {first:>14} {ratio:>9}  {limit}\n", row.cells, row.per_cell, row.per_draw)
}

/// The most memory this process ever held, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::{peak_memory, row_json, row_text};
    use experiments::Measurement;

    fn row(cells: usize, holds: bool) -> Measurement {
        let (what, peer) = ("one total".to_string(), Some(("free noise", 25.0)));
        let limit = Some("at most 100 ns per cell");
        Measurement {
            what,
            cells,
            per_cell: 50.0,
            per_draw: 50.0 * cells as f64 / 1e3,
            first_draw: (!holds).then_some(80_000.0),
            peer,
            limit,
            holds,
        }
    }

    #[test]
    fn rows_stand_under_one_heading_and_a_missed_limit_stands_out() {
        let mut heading = String::new();
        let text = row_text(&row(1000, true), &mut heading) + &row_text(&row(1_000_000, false), &mut heading);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_row_for_scripts_is_one_line() {
        insta::assert_snapshot!(row_json(&row(1000, true)));
    }

    #[test]
    fn peak_memory_is_plausible_where_the_system_tells() {
        assert!(peak_memory().is_none_or(|bytes| bytes > 100_000));
    }
}

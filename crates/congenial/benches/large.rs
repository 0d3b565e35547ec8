//! A certified release of a table that is never in memory: made, verified and thrown away.
//!
//! `cargo bench -p congenial --bench large -- 200000000` says how long it takes and how much memory
//! at the most. Run it under `ulimit -v` to see that the table, eight bytes a cell, is never held.
#![allow(clippy::print_stdout)]

use congenial::{Format, Quiet, VerifyOptions, release, verify};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// Cells of one group with an exact total, and how many of them come to one row of the data.
const GROUP: u64 = 1_000_000;
const CELLS_PER_ROW: u64 = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = std::env::args().filter_map(|argument| argument.parse::<u64>().ok()).next();
    let groups = (asked.unwrap_or(20_000_000) / GROUP).max(1);
    let work = tempfile::tempdir()?;
    let spec = write_data(work.path(), groups)?;
    let folder = work.path().join("release");
    let start = Instant::now();
    release(&spec, &folder, Format::PARQUET, &Quiet).map_err(|problem| problem.message)?;
    let released = start.elapsed();
    let start = Instant::now();
    let verified = verify(&folder, &VerifyOptions::default()).map_err(|problem| problem.message)?;
    let size = fs::metadata(folder.join("table.parquet"))?.len();
    println!(
        "{} cells: released in {:.1} s, verified in {:.1} s, a file of {} MB, peak memory {}",
        verified.certificate.table.cells,
        released.as_secs_f64(),
        start.elapsed().as_secs_f64(),
        size / 1_000_000,
        peak()
    );
    Ok(())
}

/// Sparse counts in cell order, and their spec.
fn write_data(folder: &Path, groups: u64) -> std::io::Result<std::path::PathBuf> {
    let mut data = BufWriter::new(File::create(folder.join("large.csv"))?);
    writeln!(data, "area,cell,count")?;
    let mut state = 1u64;
    for area in 0..groups {
        let mut cell = 0;
        loop {
            // Knuth's generator: what the data are does not matter here.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            cell += 1 + (state >> 33) % (2 * CELLS_PER_ROW - 1);
            if cell >= GROUP {
                break;
            }
            writeln!(data, "{area},{cell},{}", (state >> 40) % 50)?;
        }
    }
    data.flush()?;
    let spec = folder.join("congenial.toml");
    fs::write(
        &spec,
        format!(
            "title = \"A large table\"\n[data]\npath = \"large.csv\"\ncount = \"count\"\npublic = true\n[dimensions]\n\
             area = {{ integers = [0, {}] }}\ncell = {{ integers = [0, {}] }}\n[[invariant]]\nby = [\"area\"]\n\
             [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\n",
            groups - 1,
            GROUP - 1
        ),
    )?;
    Ok(spec)
}

/// The most memory this process has held, where the system tells.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

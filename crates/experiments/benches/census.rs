//! Whole census geographies against stated limits:
//! `cargo bench -p congenial --bench census [-- CASE…]`.
//!
//! Every case runs in a process of its own, so that its peak memory is its own. Times are of one
//! run, on as many cores as the machine gives; reading the files is not counted. Populations are
//! those of the 2010 Census, 50 states and DC.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use congenial::Declaration;
use experiments::{Timed, timed};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const CASES: [&str; 12] = [
    "block-groups-smallest",
    "block-groups-all",
    "tracts-nonnegative",
    "tracts-free",
    "cells-1000",
    "cells-10000",
    "cells-100000",
    "cells-1000000",
    "tree-1000",
    "tree-10000",
    "tree-100000",
    "tree-1000000",
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flag, case] = arguments.as_slice()
        && flag == "--alone"
    {
        return alone(case);
    }
    println!(
        "{:<24}{:>9}{:>10}{:>12}{:>12}{:>12}{:>9}{:>11}{:>14}",
        "case", "cells", "plan s", "first s", "later s", "predicted s", "limit s", "of limit", "peak memory MB"
    );
    for case in CASES.iter().filter(|case| arguments.is_empty() || arguments.iter().any(|asked| asked == *case)) {
        Command::new(std::env::current_exe()?).args(["--alone", case]).status()?;
    }
    Ok(())
}

/// Runs one case and prints its row.
fn alone(case: &str) -> Result<(), Box<dyn Error>> {
    let size = case.rsplit_once('-').and_then(|(_, size)| size.parse::<usize>().ok());
    let (times, limit): (Timed, Option<f64>) = match (case, size) {
        ("block-groups-smallest", _) => (block_groups(Some(100_000))?, Some(20.0)),
        ("block-groups-all", _) => (block_groups(None)?, Some(120.0)),
        ("tracts-nonnegative", _) => (tracts(true)?, Some(30.0)),
        ("tracts-free", _) => (tracts(false)?, Some(30.0)),
        (_, Some(size)) if case.starts_with("cells") => (cells(size)?, (size == 1_000_000).then_some(300.0)),
        (_, Some(size)) => (tree(size)?, None),
        _ => return Err(format!("no case is called `{case}`").into()),
    };
    let Timed { cells, plan, first, later, predicted, .. } = times;
    let ratio = limit.map_or("-".to_string(), |limit| format!("{:.3}", (plan + first) / limit));
    let limit = limit.map_or("-".to_string(), |limit| format!("{limit}"));
    let peak = peak_memory().map_or("-".to_string(), |bytes| format!("{:.0}", bytes / 1e6));
    println!(
        "{case:<24}{cells:>9}{plan:>10.3}{first:>12.4}{later:>12.5}{predicted:>12.3}{limit:>9}{ratio:>11}{peak:>14}"
    );
    Ok(())
}

/// The most memory this process ever held, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}

/// A file of the repository's data.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
}

/// GEOIDs of the 50 states and DC with their population; the state codes above 56 are territories.
fn populations(name: &str) -> Result<Vec<(String, i32)>, Box<dyn Error>> {
    let reader = SerializedFileReader::new(std::fs::File::open(data(name))?)?;
    let mut populations = Vec::new();
    for row in reader.get_row_iter(None)? {
        let row = row?;
        let geoid = row.get_string(0)?;
        if geoid.as_str() < "57" {
            populations.push((geoid.clone(), row.get_int(1)?));
        }
    }
    Ok(populations)
}

/// One total over block groups: all of them, or the smallest.
fn block_groups(smallest: Option<usize>) -> Result<Timed, Box<dyn Error>> {
    let mut populations = populations("blockgroup_pop_2010.parquet")?;
    if populations.len() != 217_740 {
        return Err(format!("{} block groups instead of 217,740", populations.len()).into());
    }
    if let Some(smallest) = smallest {
        populations.sort_by(|one, two| (one.1, &one.0).cmp(&(two.1, &two.0)));
        populations.truncate(smallest);
        populations.sort();
    }
    let mut geoids = String::from("geoid\n");
    populations.iter().for_each(|(geoid, _)| geoids += &format!("{geoid}\n"));
    read_and_time(include_str!("specs/block-groups.toml"), &geoids)
}

/// Noise on every state, county and tract; there is no root above the states.
fn tracts(nonnegative: bool) -> Result<Timed, Box<dyn Error>> {
    let mut tree = String::from("state,county,tract\n");
    for (geoid, _) in populations("tract_pop_2010.parquet")? {
        writeln!(tree, "{},{},{geoid}", &geoid[..2], &geoid[..5])?;
    }
    let spec = include_str!("specs/tracts.toml");
    let spec = if nonnegative { spec.to_string() } else { spec.replace("nonnegative = true", "nonnegative = false") };
    read_and_time(&spec, &tree)
}

/// Reads a file of data over the domain in `places`, and times the path from there.
fn read_and_time(spec: &str, places: &str) -> Result<Timed, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("places.csv"), places)?;
    let declaration = parse(spec, folder.path())?;
    let domain = declaration.domain().map_err(|problem| problem.message)?;
    let tabulated = tabulate::tabulate(&declaration, &domain, &data(""), &mut |_| {});
    let tabulated = tabulated.map_err(|problem| problem.message)?;
    Ok(timed(&declaration, tabulated.table.counts()).map_err(|problem| problem.message)?)
}

/// One total over synthetic cells, as populations of block groups spread.
fn cells(cells: usize) -> Result<Timed, Box<dyn Error>> {
    let spec = include_str!("specs/cells.toml").replace("CELLS", &cells.to_string());
    synthetic(&spec, cells)
}

/// Noise on every node of a synthetic tree.
fn tree(cells: usize) -> Result<Timed, Box<dyn Error>> {
    let (states, counties) = match cells {
        1_000 => (10, 10),
        10_000 => (10, 20),
        100_000 => (50, 40),
        _ => (50, 200),
    };
    let tracts = cells / (states * counties);
    let spec = include_str!("specs/tree.toml");
    let spec = spec.replace("STATES", &states.to_string()).replace("COUNTIES", &counties.to_string());
    synthetic(&spec.replace("TRACTS", &tracts.to_string()), cells)
}

fn synthetic(spec: &str, cells: usize) -> Result<Timed, Box<dyn Error>> {
    let declaration = parse(spec, Path::new("."))?;
    let counts = experiments::synthetic_populations(cells);
    Ok(timed(&declaration, &counts).map_err(|problem| problem.message)?)
}

fn parse(spec: &str, folder: &Path) -> Result<Declaration, Box<dyn Error>> {
    Ok(Declaration::parse(spec, "spec.toml", folder).map_err(|problem| problem.message)?)
}

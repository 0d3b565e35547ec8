//! `new`: a commented spec and a small public table to start from; `demo`: one of the examples.

use declare::Problem;
use publish::{cannot, parent_of};
use std::fs;
use std::path::{Path, PathBuf};

/// The spec of the built-in example.
pub const SPEC: &str = include_str!("../starter/congenial.toml");
/// The table of the built-in example.
pub const TABLE: &str = include_str!("../starter/delinquent.csv");

/// Writes the built-in example into a folder, which is made if need be; never overwrites. Returns
/// the spec's path.
pub fn start(folder: &Path) -> Result<PathBuf, Problem> {
    write(folder, ("congenial.toml", SPEC), ("delinquent.csv", TABLE))
}

/// Writes what `demo` releases into a folder, as it stands among the examples: a table with totals
/// that cross and no count below zero. Returns the spec's path.
pub fn demonstration(folder: &Path) -> Result<PathBuf, Problem> {
    let spec = include_str!("../../../examples/lung-cancer/margins.toml");
    let table = include_str!("../../../data/pa_county_lung_cancer_2002_by_race_sex_age.csv");
    let file = "data/pa_county_lung_cancer_2002_by_race_sex_age.csv";
    write(folder, ("examples/lung-cancer/margins.toml", spec), (file, table))
}

fn write(folder: &Path, spec: (&str, &str), table: (&str, &str)) -> Result<PathBuf, Problem> {
    let files = [spec, table].map(|(name, text)| (folder.join(name), text));
    for (path, _) in &files {
        if path.exists() {
            return Err(Problem::bad(format!("`{}` exists; nothing is overwritten", path.display()))
                .hint("choose another folder"));
        }
    }
    for (path, text) in &files {
        let within = parent_of(path);
        fs::create_dir_all(within).map_err(|error| cannot("create", within, error))?;
        fs::write(path, text).map_err(|error| cannot("write", path, error))?;
    }
    Ok(folder.join(spec.0))
}

//! `new`: a commented spec and a small public table to start from.

use declare::Problem;
use publish::cannot;
use std::fs;
use std::path::{Path, PathBuf};

/// The spec of the built-in example.
pub const SPEC: &str = include_str!("../starter/congenial.toml");
/// The table of the built-in example.
pub const TABLE: &str = include_str!("../starter/delinquent.csv");

/// Writes the built-in example into a folder, which is made if need be; never overwrites. Returns
/// the spec's path.
pub fn start(folder: &Path) -> Result<PathBuf, Problem> {
    fs::create_dir_all(folder).map_err(|error| cannot("create", folder, error))?;
    let files = [("congenial.toml", SPEC), ("delinquent.csv", TABLE)];
    for (name, _) in files {
        let path = folder.join(name);
        if path.exists() {
            return Err(Problem::bad(format!("`{}` exists; nothing is overwritten", path.display()))
                .hint("choose another folder"));
        }
    }
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| cannot("write", &path, error))?;
    }
    Ok(folder.join("congenial.toml"))
}

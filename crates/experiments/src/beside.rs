//! A `Declaration` with data files that are part of the program.

use declare::{Declaration, Problem};
use tempfile::TempDir;

/// Puts files into a folder of their own, and reads a spec that names them.
pub(crate) fn declared(spec: &str, files: &[(&str, &str)]) -> Result<(Declaration, TempDir), Problem> {
    let folder = publish::private_folder("congenial-", &std::env::temp_dir())?;
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).map_err(|error| Problem::system(error.to_string()))?;
    }
    Ok((Declaration::parse(spec, "spec.toml", folder.path())?, folder))
}

/// A spec with its counts, which are in the last of the files.
pub(crate) fn counted(spec: &str, files: &[(&str, &str)]) -> Result<(Declaration, Vec<i64>), Problem> {
    let (mut declaration, folder) = declared(spec, files)?;
    declaration.data.path = files.last().map_or(String::new(), |(name, _)| (*name).to_string());
    let tabulated = tabulate::tabulate(&declaration, &declaration.domain()?, folder.path(), &mut |_| {})?;
    Ok((declaration, tabulated.table.counts().to_vec()))
}

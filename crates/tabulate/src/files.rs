//! Which files the `path` of `[data]` names.

use crate::formats::format_of;
use declare::Problem;
use glob::{MatchOptions, Pattern, glob_with};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files that a path or pattern of `[data]` names, relative to `folder`, in sorted order.
///
/// A file of exactly this name is meant before any pattern. `*` and `?` do not match a separator or
/// a leading dot; `**` matches folders of any depth. Nothing names no file.
pub fn data_files(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, Problem> {
    // Rows in memory are in no file.
    if pattern.is_empty() {
        return Ok(Vec::new());
    }
    let literal = folder.join(pattern);
    if !pattern.contains(['*', '?', '[']) || literal.exists() {
        return Ok(vec![literal]);
    }
    let whole = match folder.to_str() {
        Some("") => pattern.to_owned(),
        Some(_) if Path::new(pattern).is_absolute() => pattern.to_owned(),
        Some(folder) => format!("{}/{pattern}", Pattern::escape(folder)),
        None => {
            return Err(Problem::bad("the folder of the spec has a name that is not UTF-8")
                .hint("name the data file itself in `path`, or move the spec"));
        }
    };
    let options =
        MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };
    let found = glob_with(&whole, options).map_err(|error| {
        Problem::bad(format!("`{pattern}` is no pattern of file names: {}", error.msg))
            .hint("`*` stands for any letters, `?` for one, `[ab]` for one of these, `**` for any folders")
    })?;
    let mut files = Vec::new();
    for path in found {
        let path = path.map_err(|error| Problem::system(format!("cannot look for `{pattern}`: {error}")))?;
        if !path.is_dir() {
            files.push(path);
        } else if format_of(&path, "").is_ok() {
            let name = shown_name(folder, &path, pattern);
            return Err(Problem::bad(format!("`{name}` matches `{pattern}` and is a folder"))
                .hint("match the files in it, as in `data/*/*.parquet`, or rename it: what a pattern matches is not left out silently"));
        }
    }
    files.sort();
    files.dedup();
    check_distinct(&files, |path| shown_name(folder, path, pattern))?;
    if files.is_empty() {
        return Err(Problem::system(format!("no data file matches `{pattern}`"))
            .hint("the pattern is relative to the folder of the spec; `*` does not match a `/`"));
    }
    Ok(files)
}

/// Refuses a file that a pattern matches under two names: its rows would be counted twice.
fn check_distinct(files: &[PathBuf], name: impl Fn(&Path) -> String) -> Result<(), Problem> {
    let mut seen: HashMap<PathBuf, &PathBuf> = HashMap::with_capacity(files.len());
    for path in files {
        // A file that cannot be found is told about when it is opened.
        let Ok(real) = path.canonicalize() else { continue };
        if let Some(first) = seen.insert(real, path) {
            let message =
                format!("`{}` and `{}` are the same file, which would be counted twice", name(first), name(path));
            return Err(Problem::bad(message).hint("remove the link, or write a pattern that matches one of them"));
        }
    }
    Ok(())
}

/// How messages call a file: as the spec names it, or by its path from the folder of the spec.
pub(crate) fn shown_name(folder: &Path, path: &Path, pattern: &str) -> String {
    if folder.join(pattern) == path {
        return pattern.to_owned();
    }
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned()
}

//! The files of the tree, and what checks need to read them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("a crate is two folders below the root").to_path_buf()
}

/// All files below a folder, relative to the root, without build output and version control.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("a readable entry").path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() {
            if !matches!(name, "target" | ".git" | "demo-release") {
                walk(&path, found);
            }
        } else if name != ".git" {
            found.push(path.strip_prefix(root()).expect("a path below the root").to_path_buf());
        }
    }
}

/// The tracked files, or, in a tree without version control, all files.
pub fn files() -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    if let Ok(output) = listed
        && output.status.success()
        && !output.stdout.is_empty()
    {
        let text = String::from_utf8(output.stdout).expect("file names in UTF-8");
        return text.split('\0').map(PathBuf::from).filter(|path| root().join(path).is_file()).collect();
    }
    let mut found = Vec::new();
    walk(&root(), &mut found);
    found
}

pub fn with_extension(extension: &str) -> Vec<(PathBuf, String)> {
    let chosen = files().into_iter().filter(|path| path.extension().is_some_and(|found| found == extension));
    chosen
        .map(|path| {
            let text =
                fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path, text)
        })
        .collect()
}

pub fn assert_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The words of a text that look like a path with this ending.
pub fn cited<'a>(text: &'a str, ending: &str) -> Vec<&'a str> {
    let in_path = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    let words = text.split(|letter: char| !in_path(letter)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| word.ends_with(ending)).collect()
}

/// The crate a path belongs to: `crates/<name>`.
pub fn crate_folder(path: &Path) -> Option<PathBuf> {
    let mut parts = path.components();
    (parts.next()?.as_os_str() == "crates").then(|| Path::new("crates").join(parts.next().expect("a crate has a name")))
}

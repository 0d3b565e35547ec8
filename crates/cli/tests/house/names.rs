//! One name for one type: none is defined in more than two places of the workspace.

use super::tree::{assert_none, code, is_source, with_extension};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// In how many places a name may be defined.
const MOST: usize = 2;

/// Names that still are defined in more places. A name that leaves this list does not come back.
const MORE: &[(&str, usize)] = &[
    ("Answer", 3),
    ("Axis", 4),
    ("Block", 3),
    ("Bound", 4),
    ("Bounds", 3),
    ("Cell", 5),
    ("Chain", 4),
    ("Choice", 3),
    ("Class", 4),
    ("Column", 4),
    ("Comparison", 3),
    ("Counts", 3),
    ("Drawing", 3),
    ("Enumerate", 3),
    ("Errors", 3),
    ("Family", 4),
    ("Fault", 3),
    ("Field", 4),
    ("Form", 3),
    ("Given", 3),
    ("Grid", 4),
    ("Group", 4),
    ("Header", 3),
    ("Held", 3),
    ("How", 3),
    ("Key", 3),
    ("Kind", 7),
    ("Known", 3),
    ("Level", 6),
    ("Line", 6),
    ("Listed", 4),
    ("Lookup", 3),
    ("Margin", 4),
    ("Measured", 3),
    ("Messages", 4),
    ("Method", 5),
    ("Network", 4),
    ("Node", 3),
    ("Noise", 6),
    ("Pairs", 4),
    ("Piece", 4),
    ("Place", 6),
    ("Program", 3),
    ("Proposal", 4),
    ("Ready", 6),
    ("Release", 3),
    ("Row", 4),
    ("Rows", 6),
    ("Run", 6),
    ("Series", 4),
    ("Shared", 3),
    ("Side", 4),
    ("Source", 4),
    ("Space", 3),
    ("Spread", 3),
    ("State", 3),
    ("Step", 4),
    ("Sum", 4),
    ("Summary", 3),
    ("Sums", 6),
    ("Table", 4),
    ("Target", 3),
    ("Term", 3),
    ("Told", 3),
    ("Tree", 4),
    ("Values", 3),
    ("Weights", 6),
    ("Work", 3),
];

/// The types that a file defines.
fn types(text: &str) -> Vec<String> {
    let kinds = ["struct ", "enum ", "trait ", "union "];
    let mut found = Vec::new();
    for line in code(text).lines() {
        let line = line.trim_start();
        let plain =
            ["pub(crate) ", "pub(super) ", "pub "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
        let Some(rest) = kinds.iter().find_map(|kind| plain.strip_prefix(kind)) else { continue };
        found.push(rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect());
    }
    found
}

#[test]
fn no_type_is_called_like_two_others() {
    assert_eq!(
        types("pub(crate) struct Part<'a> {\n}\nenum Shape { A }\n#[cfg(test)]\nstruct Small;"),
        ["Part", "Shape"]
    );
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for (path, text) in with_extension("rs").into_iter().filter(|(path, _)| is_source(path)) {
        types(&text).into_iter().for_each(|name| places.entry(name).or_default().push(path.clone()));
    }
    assert!(places.len() > 500, "only {} types found", places.len());
    let listed: BTreeMap<&str, usize> = MORE.iter().copied().collect();
    let mut faults = Vec::new();
    for (name, files) in &places {
        let allowed = listed.get(name.as_str()).copied().unwrap_or(MOST);
        if files.len() > allowed {
            faults.push(format!("`{name}` is defined in {} places: {files:?}", files.len()));
        }
    }
    for (name, count) in listed {
        let now = places.get(name).map_or(0, Vec::len);
        if now < count {
            faults.push(format!("`{name}` is defined in {now} places: the list says {count}"));
        }
    }
    assert_none(faults);
}

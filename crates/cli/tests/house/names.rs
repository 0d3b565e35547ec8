//! One name for one type: none is defined in more than two places of the workspace.

use super::tree::{assert_none, code, is_source, with_extension};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// In how many places a name may be defined.
const MOST: usize = 2;

/// Names that still are defined in more places. A name that leaves this list does not come back.
const MORE: [(&str, usize); 0] = [];

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
    let listed: BTreeMap<&str, usize> = MORE.into_iter().collect();
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

//! Tests that draw from the system are known: `.ci/draws.txt` has them, and `.ci/repeat` runs them.

use super::tree::{assert_none, files, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Where tests can draw: the crates above the right to draw, and Python.
const PLACES: [&str; 5] = [
    "crates/cli/tests/cli",
    "crates/congenial/tests",
    "crates/experiments/tests",
    "crates/perfect/tests",
    "python/tests",
];

/// Calls of a function, and commands of the program, which begin a text or end at a bar.
const CALLS: [&str; 6] = ["release", "releasing", "releasing_with", "demo", "regress", "select"];

/// Whether a test draws from the system: by what its text calls.
fn draws(text: &str, is_python: bool) -> bool {
    let code = |line: &str| line.split(if is_python { "#" } else { "//" }).next().unwrap_or_default().to_string();
    let text: String = text.lines().map(|line| code(line) + "\n").collect();
    let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    CALLS.iter().any(|call| {
        text.match_indices(call).any(|(place, _)| {
            let (before, after) = (text[..place].chars().next_back(), text[place + call.len()..].chars().next());
            match is_python {
                // Columns of a frame are selected, too.
                true => before == Some('.') && after == Some('(') && *call != "select",
                false => {
                    let command = before == Some('"') && matches!(after, Some(' ' | '|'));
                    command || after == Some('(') && !before.is_some_and(|letter| in_word(letter) || letter == '.')
                }
            }
        })
    })
}

#[test]
fn tests_that_draw_from_the_system_are_listed() {
    let text = fs::read_to_string(root().join(".ci/draws.txt")).expect(".ci/draws.txt");
    let mut faults = Vec::new();
    let mut listed = BTreeSet::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["repeated" | "every-draw", file] if root().join(file).is_file() && listed.insert(file) => {}
            _ => faults.push(format!(".ci/draws.txt: `{line}` is no list, no file, or twice there")),
        }
    }
    for path in files().iter().filter(|path| PLACES.iter().any(|place| path.starts_with(place))) {
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        if !is_python && path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(root().join(path)).expect("text");
        let name = path.to_str().expect("a name");
        if draws(&text, is_python) && !listed.contains(name) {
            faults.push(format!("{name} draws from the system and is on no list of .ci/draws.txt"));
        }
    }
    assert!(listed.iter().any(|file| Path::new(file).starts_with("python")), "{listed:?}");
    assert_none(faults);
}

#[test]
fn calls_and_commands_are_seen() {
    for text in ["release(&spec, out)", "run(\"release a --out b\")", "ask(&f, \"select|a\")", "x(demo(out))"] {
        assert!(draws(text, false), "{text}");
    }
    for text in ["open_release(out)", "// release(x)", "run(\"released\")", "finish_release(a)", "\"release: kept\""] {
        assert!(!draws(text, false), "{text}");
    }
    assert!(draws("spec.release(rows)", true) && !draws("frame.select(1)", true) && !draws("# a.release(b)", true));
}

//! What is said in prose: headers name what exists, nothing is "the same", comments are narrow, the
//! vocabulary has every word once.

use super::tree::{assert_none, root, with_extension};
use std::collections::BTreeSet;
use std::fs;

/// The vocabulary is a table, and has every word once.
#[test]
fn words_are_defined_once() {
    let text = fs::read_to_string(root().join("docs/vocabulary.md")).expect("docs/vocabulary.md");
    let words: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| **")?.split_once("**"))
        .map(|(word, _)| word.to_lowercase())
        .collect();
    assert!(words.len() > 40, "only {} words found", words.len());
    let mut seen = BTreeSet::new();
    assert_none(
        words.iter().filter(|word| !seen.insert(*word)).map(|word| format!("`{word}` is there twice")).collect(),
    );
}

/// Every name that some Rust file defines: items, modules, fields and variants.
fn defined() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "macro_rules!", "union"];
    for (path, text) in with_extension("rs") {
        names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(String::from));
        names.extend(path.iter().filter_map(|part| part.to_str()).map(String::from));
        for line in text.lines() {
            let words: Vec<&str> =
                line.split(|letter: char| !letter.is_alphanumeric() && !"_!".contains(letter)).collect();
            let of_items = words.windows(2).filter(|pair| kinds.contains(&pair[0]));
            names.extend(of_items.map(|pair| pair[1].to_string()));
            // Variants and fields: a name at the start of an indented line.
            let start = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            let name: String = start.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            if line.starts_with(' ') && start[name.len()..].starts_with([',', '(', ' ', ':']) {
                names.insert(name);
            }
        }
    }
    names
}

/// The parts of a header in code marks that are names of items: `Type`, `module::item`,
/// `function()`.
fn named(header: &str) -> Vec<&str> {
    let in_marks = header.split('`').skip(1).step_by(2);
    let is_path = |text: &&str| {
        let plain = text.strip_suffix("()").unwrap_or(text);
        let letters = plain.chars().all(|letter| letter.is_ascii_alphanumeric() || "_:".contains(letter));
        let like_a_type =
            text.starts_with(|first: char| first.is_ascii_uppercase()) && text.contains(char::is_lowercase);
        letters && text.len() > 2 && (like_a_type || text.contains("::") || text.ends_with("()"))
    };
    in_marks.filter(is_path).collect()
}

#[test]
fn headers_name_what_exists() {
    assert_eq!(named("`Sampler` draws from `draw::law()`, not `e^x`, `src/lib.rs` or `ε`"), ["Sampler", "draw::law()"]);
    let names = defined();
    let mut faults = Vec::new();
    for (path, text) in with_extension("rs") {
        let header: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
        for name in named(&header.join("\n")) {
            let last = name.trim_end_matches("()").rsplit("::").find(|part| !part.is_empty()).unwrap_or_default();
            if !names.contains(last) && !FOREIGN.contains(&last) {
                faults.push(format!("{} names `{name}`, which is nowhere defined", path.display()));
            }
        }
    }
    assert_none(faults);
}

/// Names of the language that headers may use, and a county of an example.
const FOREIGN: [&str; 7] = ["Arc", "HashMap", "Option", "Result", "String", "Vec", "Washington"];

/// How wide comments are at most: prose is read in lines.
const COLUMNS: usize = 100;

/// Comments are wrapped, but for what a wrap would break: code fences, tables, long words.
#[test]
fn comments_are_narrow() {
    let mut faults = Vec::new();
    for (path, text) in with_extension("rs") {
        let mut fenced = false;
        for (number, line) in text.lines().enumerate() {
            let trimmed = line.trim_start();
            let Some(comment) = trimmed.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim_start())
            else {
                fenced = false;
                continue;
            };
            if comment.starts_with("```") {
                fenced = !fenced;
            }
            let breakable = comment.chars().take(COLUMNS).any(char::is_whitespace);
            let kept = fenced || comment.starts_with(['|', '[']) || !breakable;
            if line.chars().count() > COLUMNS && !kept {
                faults.push(format!("{}:{} is wider than {COLUMNS} columns", path.display(), number + 1));
            }
        }
    }
    assert_none(faults);
}

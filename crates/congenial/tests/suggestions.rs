//! Every shape that users tried gets an exact answer, or a refusal with a spec to paste that then
//! works.

use congenial::{Analysed, Opened, Prepared, Quiet, Suggestion, suggestions};
use std::fmt::Write as _;
use std::path::Path;
use toml_edit::{DocumentMut, Item};

struct Shape {
    name: &'static str,
    sizes: &'static [(&'static str, usize)],
    exact: &'static [&'static [&'static str]],
}

const DIAMONDS: &[(&str, usize)] = &[("cut", 5), ("color", 7), ("clarity", 8)];

const SHAPES: [Shape; 8] = [
    Shape { name: "4 x 6", sizes: &[("row", 4), ("column", 6)], exact: &[&["row"], &["column"]] },
    Shape { name: "5 x 7", sizes: &[("row", 5), ("column", 7)], exact: &[&["row"], &["column"]] },
    Shape { name: "3 x 12", sizes: &[("row", 3), ("column", 12)], exact: &[&["row"], &["column"]] },
    Shape { name: "16 x 12", sizes: &[("row", 16), ("column", 12)], exact: &[&["row"], &["column"]] },
    Shape { name: "diamonds, cut color and clarity", sizes: DIAMONDS, exact: &[&["cut", "color"], &["clarity"]] },
    Shape { name: "diamonds, one-way", sizes: DIAMONDS, exact: &[&["cut"], &["color"], &["clarity"]] },
    Shape {
        name: "diamonds, two-way",
        sizes: DIAMONDS,
        exact: &[&["cut", "color"], &["cut", "clarity"], &["color", "clarity"]],
    },
    Shape {
        name: "counties",
        sizes: &[("county", 36), ("age", 5), ("sex", 2), ("diagnosis", 8)],
        exact: &[&["county"], &["age", "sex"]],
    },
];

/// Counts that differ, many of them small.
fn count(cell: u64) -> u64 {
    let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40;
    let part = mixed % 100;
    part * part * part / 20_000
}

/// Writes the table of a shape and returns its spec.
fn spec(folder: &Path, shape: &Shape, nonnegative: bool) -> String {
    let names: Vec<&str> = shape.sizes.iter().map(|(name, _)| *name).collect();
    let mut rows = format!("{},n\n", names.join(","));
    let cells: usize = shape.sizes.iter().map(|(_, size)| size).product();
    for cell in 0..cells {
        let mut rest = cell;
        let mut labels: Vec<String> = Vec::new();
        for (name, size) in shape.sizes.iter().rev() {
            labels.push(format!("{name} {}", rest % size));
            rest /= size;
        }
        labels.reverse();
        writeln!(rows, "{},{}", labels.join(","), count(cell as u64)).expect("a string");
    }
    std::fs::write(folder.join("table.csv"), rows).expect("a table");
    let quoted = |texts: Vec<String>| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
    let mut spec =
        "title = \"A table\"\n[data]\npath = \"table.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\n".to_owned();
    for (name, size) in shape.sizes {
        let values = (0..*size).map(|value| format!("{name} {value}")).collect();
        writeln!(spec, "{name} = [{}]", quoted(values)).expect("a string");
    }
    for by in shape.exact {
        let by = by.iter().map(|name| (*name).to_owned()).collect();
        writeln!(spec, "[[invariant]]\nby = [{}]", quoted(by)).expect("a string");
    }
    spec + &format!(
        "[constraints]\nnonnegative = {nonnegative}\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n"
    )
}

fn analysed(folder: &Path, spec: &str) -> Analysed {
    let path = folder.join("spec.toml");
    std::fs::write(&path, spec).expect("a spec");
    let opened = Opened::open(&path).expect("a spec that is right");
    opened.analyse(&Quiet).expect("a table that is right")
}

/// The spec with lines pasted over it, as a user would: a key replaces the one of its section,
/// invariants replace all of them; a strength in one unit replaces that in the other.
fn pasted(spec: &str, paste: &str) -> String {
    let mut document: DocumentMut = spec.parse().expect("a spec is TOML");
    let lines: DocumentMut = paste.parse().expect("what is suggested is TOML");
    for (section, item) in lines.iter() {
        match item {
            Item::Table(table) => {
                for (key, value) in table.iter() {
                    let target = document.entry(section).or_insert_with(toml_edit::table);
                    let target = target.as_table_mut().expect("a section");
                    if key == "rho" {
                        target.remove("epsilon");
                    }
                    target.insert(key, value.clone());
                }
            }
            other => document[section] = other.clone(),
        }
    }
    document.to_string()
}

/// The lines to paste that a message shows, suggestion by suggestion.
fn shown(hint: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in hint.lines().skip(1) {
        match line.strip_prefix("       ") {
            Some(pasted) => {
                if let Some(last) = found.last_mut() {
                    last.push_str(pasted);
                    last.push('\n');
                }
            }
            None if line.trim_start().starts_with(|first: char| first.is_ascii_digit()) => found.push(String::new()),
            None => {}
        }
    }
    found
}

#[test]
fn every_shape_is_drawn_exactly_or_led_on() {
    for shape in &SHAPES {
        for nonnegative in [true, false] {
            let name = format!("{}, {}", shape.name, if nonnegative { "non-negative" } else { "free" });
            let folder = tempfile::tempdir().expect("a folder");
            let spec = spec(folder.path(), shape, nonnegative);
            match analysed(folder.path(), &spec).plan() {
                Ok(Prepared { plan, .. }) => {
                    assert!(plan.walks().next().is_none(), "{name} is not drawn exactly");
                }
                Err(problem) => {
                    assert_eq!(problem.kind, congenial::Kind::Refused, "{name}: {}", problem.message);
                    let hint = problem.hint.unwrap_or_default();
                    let lines = shown(&hint);
                    assert!(!lines.is_empty(), "{name} is refused and led nowhere: {hint}");
                    for paste in lines {
                        let spec = pasted(&spec, &paste);
                        let planned = analysed(folder.path(), &spec).plan();
                        let plan =
                            planned.unwrap_or_else(|problem| panic!("{name}, {paste}: {}", problem.message)).plan;
                        assert!(plan.walks().next().is_none(), "{name}, {paste} is a walk");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_suggested_says_what_it_gives_up_and_names_the_methods_that_keep_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = spec(folder.path(), &SHAPES[3], true);
    let found: Vec<Suggestion> = suggestions(&analysed(folder.path(), &spec));
    assert!(found.iter().all(|suggestion| !suggestion.gives_up.is_empty() && suggestion.seconds.is_finite()));
    let seconds: Vec<f64> = found.iter().map(|suggestion| suggestion.seconds.max(1.0)).collect();
    assert!(seconds.is_sorted(), "cheapest first: {seconds:?}");
    let pastes: Vec<&str> = found.iter().map(|suggestion| suggestion.paste.as_str()).collect();
    for wanted in ["nonnegative = false", "method = \"cascade\""] {
        assert!(pastes.iter().any(|paste| paste.contains(wanted)), "{wanted} in {pastes:?}");
    }
}

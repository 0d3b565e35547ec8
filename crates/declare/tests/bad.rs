//! Bad specs: one snapshot of the message for each file of `tests/bad`.

use declare::{Declaration, Problem};
use std::path::Path;

/// The message as a reader sees it: what, where, the line with a caret, and the hint.
fn render(problem: &Problem) -> String {
    let mut text = format!("{:?}: {}\n", problem.kind, problem.message);
    if let Some(place) = &problem.place {
        let line: String = place.line_text().chars().take(160).collect();
        let column = place.column();
        let covered = place.text.get(place.span.clone()).unwrap_or("");
        let width = covered.lines().next().unwrap_or("").chars().count().clamp(1, 80);
        text.push_str(&format!("  at {}:{}:{}\n", place.file, place.line(), column));
        text.push_str(&format!("  | {line}\n"));
        let carets = "^".repeat(width);
        text.push_str(&format!("  | {}{carets} {}\n", " ".repeat(column - 1), place.label));
    }
    if let Some(hint) = &problem.hint {
        text.push_str(&format!("  hint: {hint}\n"));
    }
    text
}

#[test]
fn every_bad_spec_has_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() >= 40);
    for name in names {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let message = match Declaration::parse(&text, &name, &folder) {
            Ok(_) => panic!("{name} is accepted"),
            Err(problem) => render(&problem),
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("bad");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            insta::assert_snapshot!(name.trim_end_matches(".toml"), message);
        });
    }
}

#[test]
fn a_spec_that_cannot_be_read_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Declaration::load(&folder.path().join("missing.toml")).unwrap_err();
    assert_eq!(missing.kind, declare::Kind::System);
    assert!(missing.message.ends_with("there is no such file"), "{}", missing.message);
    let path = folder.path().join("latin.toml");
    std::fs::write(&path, b"title = 'a'\n# caf\xe9\n").unwrap();
    let latin = Declaration::load(&path).unwrap_err();
    assert!(latin.message.ends_with("is not UTF-8 text: line 2"), "{}", latin.message);
}

/// A spec with this many dimensions of one value and this many grand totals.
fn large(dimensions: usize, invariants: usize) -> String {
    let dimensions: String = (0..dimensions).map(|number| format!("d{number} = [\"x\"]\n")).collect();
    format!(
        "[data]\npath = \"x.csv\"\npublic = true\n[dimensions]\n{dimensions}last = [\"a\", \"b\"]\n{}\
         [constraints]\nnonnegative = false\nzero = [\"last = 'a'\"]\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = 1\n",
        "[[invariant]]\nby = []\n".repeat(invariants)
    )
}

#[test]
fn specs_without_measure_are_refused_before_they_cost_anything() {
    let parse = |text: &str| Declaration::parse(text, "large.toml", Path::new("."));
    assert!(parse(&large(255, 1000)).unwrap().domain().is_ok());
    let dimensions = parse(&large(256, 0)).unwrap_err();
    assert_eq!(dimensions.message, "more than 256 dimensions are declared");
    let invariants = parse(&large(0, 1001)).unwrap_err();
    assert_eq!(invariants.message, "more than 1000 invariants are declared");
}

#[test]
fn more_sums_than_memory_are_refused_before_they_are_made() {
    let mut spec = String::from(
        "[data]\npath = \"t.csv\"\npublic = true\n[dimensions]\na = { integers = [1, 10000] }\nb = { integers = [1, 10000] }\n",
    );
    for edge in 1..=30 {
        spec.push_str(&format!("[[invariant]]\nby = [\"a\"]\nwhere = \"b > {edge}\"\n"));
    }
    spec.push_str("[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n");
    let declaration = Declaration::parse_alone(&spec, "spec.toml").unwrap();
    let problem = declaration.conditions(&declaration.domain().unwrap()).unwrap_err();
    insta::assert_snapshot!(render(&problem), @r"
    Refused: 30 invariants, rules and queries over 100000000 cells need more memory than a machine has
      hint: their product is limited to 2147483648: leave out totals that follow from others, or use coarser values
    ");
}

/// A spec whose invariant has this predicate.
fn with_predicate(predicate: &str) -> String {
    large(0, 0).replace("[constraints]", &format!("[[invariant]]\nby = []\nwhere = \"{predicate}\"\n[constraints]"))
}

#[test]
fn nesting_without_end_is_an_error_and_no_crash() {
    const DEEP: usize = 100_000;
    let parse = |text: &str| Declaration::parse(text, "deep.toml", Path::new(".")).unwrap_err().message;
    let too_deep = "the predicate is nested more than 64 deep";
    assert_eq!(parse(&with_predicate(&format!("{}last = 'b'{}", "(".repeat(DEEP), ")".repeat(DEEP)))), too_deep);
    assert_eq!(parse(&with_predicate(&"(".repeat(DEEP))), too_deep);
    assert_eq!(parse(&with_predicate(&format!("{}last = 'b'", "not ".repeat(DEEP)))), too_deep);
    assert_eq!(parse(&with_predicate(&format!("{}last = 'b'", "not (".repeat(DEEP)))), too_deep);
    let chain = vec!["last = 'b'"; DEEP].join(" and ");
    assert_eq!(parse(&with_predicate(&chain)), "the predicate has more than 500 comparisons");
    let invalid = "the spec is not valid TOML: ";
    let nested = [
        format!("x = {}{}", "[".repeat(DEEP), "]".repeat(DEEP)),
        format!("x = {}", "[".repeat(DEEP)),
        format!("x = {}1{}", "{ a = ".repeat(DEEP), " }".repeat(DEEP)),
        format!("x = {}", "[{ a = ".repeat(DEEP)),
        format!("{}x = 1", "a.".repeat(DEEP)),
        format!("[{}x]", "a.".repeat(DEEP)),
        format!("[[{}x]]", "a.".repeat(DEEP)),
        "[".repeat(DEEP),
    ];
    for text in nested {
        let message = parse(&text);
        assert!(message.starts_with(invalid) || message.starts_with("unknown key"), "{message}");
    }
}

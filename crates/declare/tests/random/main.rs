//! Random declarations, predicates and broken specs: round trips, brute force, and no panic.

mod brute;
mod conditions;
mod generate;

use declare::Declaration;
use generate::{Choices, declaration};
use proptest::prelude::*;
use std::path::Path;

fn choices() -> impl Strategy<Value = Choices> {
    proptest::collection::vec(any::<u32>(), 0..500).prop_map(Choices::new)
}

fn parse(text: &str) -> Result<Declaration, declare::Problem> {
    Declaration::parse_alone(text, "random.toml")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_canonical_text_parses_to_the_same_declaration(mut choices in choices()) {
        let declared = declaration(&mut choices);
        let text = declared.to_toml();
        match parse(&text) {
            Ok(parsed) => {
                prop_assert_eq!(&parsed, &declared);
                prop_assert_eq!(parsed.to_toml(), text);
            }
            Err(problem) => prop_assert!(false, "{problem}\n{text}"),
        }
    }

    #[test]
    fn live_cells_are_those_that_brute_force_finds(mut choices in choices()) {
        let declared = declaration(&mut choices);
        let live = brute::live(&declared);
        match declared.domain() {
            Ok(domain) => {
                prop_assert_eq!(domain.len(), live.len());
                for (cell, codes) in live.iter().enumerate() {
                    prop_assert_eq!(domain.cell(codes), Some(cell));
                    prop_assert_eq!(&domain.codes(cell), codes);
                }
            }
            Err(_) => prop_assert!(live.is_empty()),
        }
    }

    #[test]
    fn readers_find_the_value_that_a_label_names(mut choices in choices()) {
        let declared = declaration(&mut choices);
        for dimension in &declared.schema.dimensions {
            let reader = dimension.values.reader();
            for code in 0..dimension.values.len() {
                let field = brute::field(&dimension.values, code);
                prop_assert_eq!(reader.code_of(&field), Some(code));
            }
        }
    }

    #[test]
    fn a_mutated_spec_never_panics(
        good in 0usize..3,
        mut choices in choices(),
        edits in proptest::collection::vec((any::<u32>(), 0u8..4, any::<char>()), 1..6),
    ) {
        let texts = [
            include_str!("../good/everything.toml").to_string(),
            include_str!("../bad/base-missing-cell.toml").to_string(),
            declaration(&mut choices).to_toml(),
        ];
        let mut letters: Vec<char> = texts[good].chars().collect();
        for (place, kind, letter) in edits {
            let at = place as usize % letters.len().max(1);
            let syntax = ['"', '\'', '[', ']', '{', '}', '=', ',', '(', '-', '0', '\n', '\\'];
            match kind {
                0 => letters.insert(at, letter),
                1 => letters.insert(at, syntax[letter as usize % syntax.len()]),
                2 if !letters.is_empty() => { letters.remove(at); }
                _ => letters.truncate(at.max(40)),
            }
        }
        let text: String = letters.into_iter().collect();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good");
        if let Err(problem) = Declaration::parse(&text, "mutated.toml", &folder) {
            let place = problem.place.as_ref();
            prop_assert!(place.is_none_or(|place| place.line() >= 1 && place.column() >= 1));
            prop_assert!(!problem.to_string().is_empty());
        }
    }

    #[test]
    fn a_random_predicate_never_panics(
        text in "[a-z0-9 ='\"`()!<>,.\\-\n\\\\é]{0,40}",
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "and", "or", "not", "in", "(", ")", ",", "=", "<", ">=", "!=", "age", "county", "18",
                "'Alpha'", "state", "band", "-1", "'",
            ]),
            0..12,
        ),
    ) {
        for predicate in [text, words.join(" ")] {
            let quoted = predicate.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let spec = include_str!("../bad/by-missing.toml")
                .replace("[[invariant]]", &format!("[[invariant]]\nby = []\nwhere = \"{quoted}\""));
            match parse(&spec) {
                Ok(declared) => prop_assert_eq!(parse(&declared.to_toml()), Ok(declared)),
                Err(problem) => prop_assert_eq!(problem.kind, declare::Kind::Bad),
            }
        }
    }

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        prop_assert!(parse(&text).is_err());
    }
}

#[test]
fn a_million_cells_are_grouped() {
    let text = r#"
[data]
path = "people.csv"
public = true

[dimensions]
region = { integers = [1, 50] }
sex = ["f", "m"]
age = { integers = [0, 99] }
income = { integers = [0, 99] }

[[invariant]]
by = ["region", "age"]

[[invariant]]
by = []
where = "age >= 18 and sex = 'f'"

[constraints]
nonnegative = false
zero = ["age < 10 and income > 0"]

[mechanism]
noise = "double-geometric"
epsilon = 1
"#;
    let declared = parse(text).unwrap();
    let domain = declared.domain().unwrap();
    assert_eq!(domain.len(), 50 * 2 * (90 * 100 + 10));
    let groupings = declared.conditions(&domain).unwrap().invariants;
    assert_eq!(groupings[0].groups(), 50 * 100);
    let ones = vec![1; domain.len()];
    let totals = groupings[0].totals(&ones);
    assert_eq!(totals[0], 2);
    assert_eq!(totals[10], 200);
    assert_eq!(groupings[0].names[110], "region = 2, age = 10");
    assert_eq!(groupings[1].totals(&ones), [50 * 82 * 100]);
    assert_eq!(groupings[1].label, "total where age >= 18 and sex = 'f'");
}

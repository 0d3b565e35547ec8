//! A small declaration, a file to read with it, and errors as a terminal shows them.

use declare::{
    Comparison, Constraints, Data, DateFormat, Declaration, Dimension, Disclosure, Domain, Duplicates, Encoding,
    Expression, Levels, Limits, Literal, Mechanism, Method, Negative, Noise, Per, Policy, Problem, Schema, Strength,
    Values,
};
use std::fmt::Write;
use std::fs;
use tabulate::Tabulated;

/// County by age, of records, from `data.csv`.
pub fn declaration() -> Declaration {
    let counties = ["Alpha", "Beta", "Gamma"].map(String::from).to_vec();
    with_dimensions(vec![
        ("county", "county", Values::List(counties)),
        ("age", "age", Values::Integers { first: 0, last: 3 }),
    ])
}

/// A declaration with a column of counts.
pub fn counted() -> Declaration {
    let mut declaration = declaration();
    declaration.data.count = Some("children".into());
    declaration
}

pub fn with_dimensions(dimensions: Vec<(&str, &str, Values)>) -> Declaration {
    let dimensions = dimensions
        .into_iter()
        .map(|(name, column, values)| Dimension {
            name: name.into(),
            column: column.into(),
            values,
            cleaning: Default::default(),
        })
        .collect();
    Declaration {
        title: "A test".into(),
        data: Data {
            path: "data.csv".into(),
            frame: None,
            count: None,
            public: true,
            filter: None,
            outside: Policy::Error,
            missing: Policy::Error,
            duplicates: Duplicates::Error,
            negative: Negative::Error,
            unit: None,
            rows_per_unit: 1,
            beyond: Policy::Error,
            encoding: Encoding::Utf8,
            date_formats: vec![DateFormat::iso()],
        },
        schema: Schema { dimensions },
        invariants: Vec::new(),
        constraints: Constraints { nonnegative: false, zero: Vec::new(), rules: Vec::new() },
        mechanism: Mechanism {
            noise: Noise::DOUBLE_GEOMETRIC,
            method: Method::Condition,
            strength: Strength::Epsilon(1.into()),
            per: Per::Unit,
            sampler: None,
            max_delta: None,
            queries: Vec::new(),
            order: None,
            base: None,
        },
        limits: Limits::default(),
        disclosure: Disclosure::default(),
        secrets: None,
        budget: None,
        outputs: Vec::new(),
    }
}

/// Boroughs and zones, matched by a key.
pub fn zones() -> Values {
    Values::Hierarchy(Levels {
        key: "geoid".to_string(),
        names: vec!["Borough".into(), "Zone".into()],
        keys: vec!["10".into(), "20".into(), "30".into()],
        labels: vec![
            vec!["Bronx".into(), "Queens".into()],
            vec!["Allerton".into(), "Astoria".into(), "Baisley".into()],
        ],
        codes: vec![vec![0, 1, 1], vec![0, 1, 2]],
    })
}

pub fn text(name: &str, op: Comparison, value: &str) -> Expression {
    Expression::Compare { name: name.into(), op, value: Literal::Text(value.into()) }
}

pub fn integer(name: &str, op: Comparison, value: i64) -> Expression {
    Expression::Compare { name: name.into(), op, value: Literal::Integer(value) }
}

pub fn and(left: Expression, right: Expression) -> Expression {
    Expression::And(Box::new(left), Box::new(right))
}

/// The domain with these combinations (in cell order) as structural zeros.
pub fn domain(declaration: &Declaration, zeros: &[usize]) -> Domain {
    let combinations = declaration.schema.combinations().expect("small");
    let zero = (!zeros.is_empty()).then(|| (0..combinations).map(|cell| zeros.contains(&cell)).collect());
    Domain::new(declaration.schema.clone(), combinations, zero)
}

/// Tabulates this content with structural zeros.
pub fn read_with_zeros(declaration: &Declaration, content: &[u8], zeros: &[usize]) -> Result<Tabulated, Problem> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(&declaration.data.path);
    fs::write(&path, content).expect("a file");
    tabulate::tabulate(declaration, &domain(declaration, zeros), directory.path(), &mut |_| {})
}

/// Tabulates this content.
pub fn read(declaration: &Declaration, content: impl AsRef<[u8]>) -> Result<Tabulated, Problem> {
    read_with_zeros(declaration, content.as_ref(), &[])
}

/// The counts of this content.
pub fn counts(declaration: &Declaration, content: impl AsRef<[u8]>) -> Vec<i64> {
    let tabulated = read(declaration, content).unwrap_or_else(|problem| panic!("{}", shown(&problem)));
    tabulated.table.counts().to_vec()
}

/// The problem of this content, as a terminal shows it.
pub fn problem(declaration: &Declaration, content: impl AsRef<[u8]>) -> String {
    shown(&read(declaration, content).expect_err("the file is malformed"))
}

/// A problem as a terminal shows it: message, place, line with caret and label, hint.
pub fn shown(problem: &Problem) -> String {
    let mut out = format!("{:?}: {}\n", problem.kind, problem.message);
    if let Some(place) = &problem.place {
        let before = &place.text[..place.span.start];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = place.text[line_start..place.span.start].chars().count();
        let line = place.text[line_start..].lines().next().unwrap_or_default();
        let width = place.text[place.span.clone()].chars().count().max(1);
        let line = line.replace('\t', " ");
        writeln!(out, "  --> {}:{}:{}", place.file, place.line(), column + 1).expect("text");
        writeln!(out, "   | {line}").expect("text");
        writeln!(out, "   | {}{} {}", " ".repeat(column), "^".repeat(width), place.label).expect("text");
    }
    if let Some(hint) = &problem.hint {
        writeln!(out, "hint: {hint}").expect("text");
    }
    out
}

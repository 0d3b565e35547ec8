//! Good specs: what they mean, their canonical form, their domain and their groupings.

use declare::{Declaration, Values};
use std::path::Path;

fn load(name: &str) -> Declaration {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good").join(name);
    match Declaration::load(&path) {
        Ok(declaration) => declaration,
        Err(problem) => panic!("{problem}"),
    }
}

fn reparsed(declaration: &Declaration) -> Declaration {
    let text = declaration.to_toml();
    Declaration::parse(&text, "canonical", Path::new("nowhere")).unwrap()
}

#[test]
fn canonical_form_of_the_first_example() {
    let declaration = load("delinquent.toml");
    assert_eq!(reparsed(&declaration), declaration);
    insta::assert_snapshot!(declaration.to_toml());
}

#[test]
fn canonical_form_of_everything_needs_no_file() {
    let declaration = load("everything.toml");
    assert_eq!(reparsed(&declaration), declaration);
    insta::assert_snapshot!(declaration.to_toml());
}

#[test]
fn groups_and_cells_are_named_like_the_columns_of_the_release() {
    let declaration = load("everything.toml");
    let domain = declaration.domain().unwrap();
    let mut text = String::new();
    let names: Vec<&str> = domain.columns().iter().map(|column| column.name).collect();
    text.push_str(&format!("cells: {}\ncolumns: {}\n", domain.len(), names.join(", ")));
    text.push_str(&format!("first cell: {}\n", domain.describe(0)));
    for grouping in declaration.conditions(&domain).unwrap().invariants {
        text.push_str(&format!("\n{}\n", grouping.label));
        for (group, name) in grouping.names.iter().enumerate() {
            let cells = grouping.group_of.iter().filter(|g| **g == group as u32).count();
            text.push_str(&format!("  {name}: {cells} cells\n"));
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn columns_give_the_labels_that_describe_gives() {
    let declaration = load("everything.toml");
    let domain = declaration.domain().unwrap();
    let columns = domain.columns();
    let integers: Vec<&str> = columns.iter().filter(|column| column.is_integer()).map(|column| column.name).collect();
    assert_eq!(integers, ["year"]);
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        let row: Vec<String> = columns
            .iter()
            .map(|column| format!("{} = {}", column.name, column.text(codes[column.dimension])))
            .collect();
        assert_eq!(row.join(", "), domain.describe(cell));
        assert_eq!(domain.cell(codes), Some(cell));
        assert_eq!(domain.codes(cell), codes);
    }
}

#[test]
fn keys_of_a_hierarchy_are_read_from_the_data() {
    let declaration = load("everything.toml");
    let place = &declaration.schema.dimensions[0];
    assert_eq!(place.column, "county_code");
    assert!(matches!(&place.values, Values::Hierarchy(levels) if levels.leaves() == 3));
    assert_eq!(place.values.reader().code_of("23029"), Some(2));
    assert_eq!(place.values.reader().code_of("72001"), None);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good/delinquent.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let parsed = Declaration::parse(&windows, "windows", Path::new("")).unwrap();
    assert_eq!(parsed, load("delinquent.toml"));
}

const SMALL: &str = r#"
[data]
path = "t.csv"
public = true
[dimensions]
a = { integers = [0, 99] }
b = { integers = [0, 99] }
[[invariant]]
by = ["b", "a"]
[[invariant]]
by = ["a"]
where = "a in (0, 5)"
[constraints]
nonnegative = false
zero = ["a > 0"]
[mechanism]
noise = "double-geometric"
epsilon = 1
"#;

fn parse(text: &str) -> Result<Declaration, declare::Problem> {
    Declaration::parse(text, "small.toml", Path::new(""))
}

#[test]
fn groups_without_a_live_cell_are_left_out() {
    let declaration = parse(SMALL).unwrap();
    let domain = declaration.domain().unwrap();
    assert_eq!(domain.len(), 100);
    let groupings = declaration.conditions(&domain).unwrap().invariants;
    assert_eq!(groupings[0].group_of, (0..100).collect::<Vec<u32>>());
    assert_eq!(groupings[0].names[7], "b = 7, a = 0");
    assert_eq!(groupings[1].names, ["a = 0 where a in (0, 5)"]);
}

#[test]
fn a_table_without_a_live_cell_is_an_error() {
    let declaration = parse(&SMALL.replace("\"a > 0\"]", "\"a >= 0\"]")).unwrap();
    let problem = declaration.domain().unwrap_err();
    assert_eq!(problem.message, "every cell is a structural zero: the table is empty");
}

#[test]
fn sections_may_be_written_with_dots_headers_or_inline() {
    let dotted = r#"
data.path = "t.csv"
data.public = true
dimensions.a.integers = [0, 99]
dimensions.b = { integers = [0, 99] }
invariant = [{ by = ["b", "a"] }, { by = ["a"], where = "a in (0, 5)" }]
constraints = { nonnegative = false, zero = ["a > 0"] }
mechanism = { noise = "double-geometric", epsilon = 1.0 }
"#;
    assert_eq!(parse(dotted), parse(SMALL));
    let headers = SMALL.replace("b = { integers = [0, 99] }", "[dimensions.b]\nintegers = [0, 99]");
    assert_eq!(parse(&headers), parse(SMALL));
    let misspelt = parse(&dotted.replace("data.public", "data.pubic")).unwrap_err();
    assert_eq!(misspelt.place.map(|place| (place.line(), place.column())), Some((3, 6)));
}

#[test]
fn a_dimension_may_have_the_name_of_its_key() {
    let text = SMALL.replace(
        "b = { integers = [0, 99] }",
        "b = { levels = [\"region\", \"b\"], rows = [[\"x\", 1], [\"x\", 2], [\"y\", 3]] }",
    );
    let declaration = parse(&text).unwrap();
    let domain = declaration.domain().unwrap();
    let names: Vec<&str> = domain.columns().iter().map(|column| column.name).collect();
    assert_eq!(names, ["a", "region", "b"]);
    let groupings = declaration.conditions(&domain).unwrap().invariants;
    assert_eq!(groupings[0].names[2], "region = y, b = 3, a = 0");
}

#[test]
fn a_spec_has_a_largest_size() {
    let text = "#".repeat(declare::LARGEST_FILE as usize + 1);
    assert_eq!(parse(&text).unwrap_err().message, "`small.toml` is larger than 64 MB");
}

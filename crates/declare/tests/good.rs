//! Good specs: what they mean, their canonical form, their domain and their groupings.

use declare::{Declaration, Field, Outside, PublicTable, Values};
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
fn families_of_laws_are_written_out() {
    let listed = load("secrets.toml");
    assert_eq!(reparsed(&listed), listed);
    let canonical = |declaration: &Declaration| declaration.to_toml().split_once("[secrets]").unwrap().1.to_owned();
    let text = listed.to_toml();
    let mut said = canonical(&listed);
    let before = text.split_once("[secrets]").unwrap().0;
    for family in [
        "",
        "mistaken = 1",
        "family = \"binary\"\nn = 10\nz0 = 0.4\nz1 = \"1/2\"",
        "family = \"binary\"\nn = 10\nz0 = 0\nz1 = 1\ndependence = \"any\"",
        "family = \"normal\"\nn = 10\nwidth = 2.5\ncorrelation = \"-1/10\"\npublic_noise = 0.01",
    ] {
        let text = format!("{before}[secrets]\n{family}\n");
        let declaration = Declaration::parse_alone(&text, "spec").unwrap();
        assert_eq!(reparsed(&declaration), declaration);
        assert_eq!(declaration.law(), listed.law(), "a family of laws is no part of the law of the release");
        said += &canonical(&declaration);
    }
    insta::assert_snapshot!(said);
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

const CODES: &str = "b = { levels = [{ name = \"state\", prefix = 2 }, { name = \"county\", prefix = 5 }, \"geoid\"], rows = \
                     [\"230290\", \"230291\", \"410670\"] }";

#[test]
fn levels_may_be_prefixes_of_the_key_and_are_written_so() {
    let prefixed = SMALL.replace("b = { integers = [0, 99] }", CODES);
    let declaration = parse(&prefixed).unwrap();
    let columns = SMALL.replace(
        "b = { integers = [0, 99] }",
        "b = { levels = [\"state\", \"county\", \"geoid\"], rows = [[\"23\", \"23029\", \"230290\"], [\"23\", \"23029\", \
         \"230291\"], [\"41\", \"41067\", \"410670\"]] }",
    );
    assert_eq!(parse(&columns).unwrap(), declaration);
    let text = declaration.to_toml();
    assert!(
        text.contains("{ name = \"county\", prefix = 5 }, \"geoid\"], key = \"geoid\", rows = [\"230290\", "),
        "{text}"
    );
    assert_eq!(reparsed(&declaration), declaration);
    let Values::Hierarchy(levels) = &declaration.schema.dimensions[1].values else { panic!("a hierarchy") };
    assert_eq!(levels.labels[1], ["23029", "41067"]);
    let mixed = prefixed.replace(
        "rows = [\"230290\", \"230291\", \"410670\"]",
        "rows = [[\"York\", \"230290\"], [\"Knox\", \"230291\"]]",
    );
    let mixed = mixed.replace("\"geoid\"]", "\"town\"], key = \"geoid\"");
    let mixed = parse(&mixed).unwrap();
    let Values::Hierarchy(levels) = &mixed.schema.dimensions[1].values else { panic!("a hierarchy") };
    assert_eq!(levels.row(1), ["23", "23029", "Knox", "230291"]);
    assert_eq!(reparsed(&mixed), mixed);
}

#[test]
fn a_quarter_of_a_million_codes_are_written_and_read() {
    let codes: Vec<String> = (0..250_000).map(|code| format!("{:012}", code * 7)).collect();
    let text = SMALL
        .replace(
            "b = { integers = [0, 99] }",
            &CODES.replace("\"230290\", \"230291\", \"410670\"", &format!("\"{}\"", codes.join("\", \""))),
        )
        .replace("a = { integers = [0, 99] }", "a = { integers = [0, 9] }");
    let declaration = parse(&text).unwrap();
    let canonical = declaration.to_toml();
    assert!(canonical.len() < 17 * codes.len(), "{}", canonical.len());
    assert_eq!(Declaration::parse_alone(&canonical, "canonical"), Ok(declaration));
}

/// A reader of public tables that knows one file.
fn tables(path: &Path, name: &str) -> Result<PublicTable, declare::Problem> {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("codes.parquet") => Ok(PublicTable {
            columns: vec!["geoid".into(), "state".into()],
            rows: [["23029", "Maine"], ["", "Guam"], ["41067", "Oregon"], ["6037", "California"], ["23029", "Maine"]]
                .map(|row| row.map(String::from).to_vec())
                .to_vec(),
        }),
        _ => Err(declare::Problem::system(format!("cannot read `{name}`"))),
    }
}

fn parse_with(dimension: &str) -> Result<Declaration, declare::Problem> {
    let text = SMALL.replace("b = { integers = [0, 99] }", dimension);
    let earlier = |_: &Path| Err(declare::Problem::bad("no release"));
    Declaration::parse_with(
        &text,
        "small.toml",
        Path::new("."),
        Outside { earlier: &earlier, tables: &tables, check_public: &declare::believe },
    )
}

#[test]
fn public_files_in_other_formats_come_from_whoever_reads_them() {
    let list = parse_with(
        "b = { path = \"codes.parquet\", key = \"geoid\", where = \"state = 'Oregon' or state = 'California'\" }",
    );
    assert_eq!(list.unwrap().schema.dimensions[1].values, Values::List(vec!["41067".into(), "6037".into()]));
    let message = |dimension: &str| parse_with(dimension).unwrap_err().message;
    assert_eq!(
        message("b = { path = \"codes.parquet\", key = \"geoid\" }"),
        "`geoid` is empty: row 2 of `codes.parquet`"
    );
    assert_eq!(
        message("b = { path = \"codes.parquet\", key = \"geoid\", where = \"state != 'Guam'\" }"),
        "the value `23029` of `geoid` appears twice: row 5 of `codes.parquet`"
    );
    assert_eq!(
        message(
            "b = { path = \"codes.parquet\", levels = [{ name = \"tract\", prefix = 5 }, \"geoid\"], where = \"state != 'Guam'\" }"
        ),
        "the level `tract` is the first 5 characters of `geoid`, and a key is shorter: row 4 of `codes.parquet`"
    );
    let unknown = parse_with("b = { path = \"other.csv.gz\", key = \"geoid\" }").unwrap_err();
    assert_eq!(unknown.message, "cannot read `other.csv.gz`");
    assert!(unknown.place.is_some_and(|place| place.label == "named here"));
    let column = parse_with("b = { path = \"codes.parquet\", key = \"geoids\" }").unwrap_err();
    assert_eq!(column.hint.as_deref(), Some("did you mean `geoid`? Columns: geoid, state"));
}

#[test]
fn derived_tables_have_a_row_for_every_combination_with_a_cell() {
    let text = SMALL.replace("zero = [\"a > 0\"]", "zero = [\"a > 1 or b > 2\"]")
        + "[[output]]\nname = \"by-b\"\nby = [\"b\"]\nwhere = \"a = 1\"\n\
           [[output]]\nname = \"rate\"\nby = []\nrate = { numerator = \"a = 0 and b = 0\", denominator = \"a = 0\", times = 1000 }\n\
           [[output]]\nname = \"some\"\nby = [\"b\"]\nrate = { numerator = \"b = 2\", denominator = \"a = 0 and b > 0\" }\n";
    let declaration = parse(&text).unwrap();
    assert_eq!(reparsed(&declaration), declaration);
    let rows = declaration.output_rows(&declaration.domain().unwrap()).unwrap();
    let counts: Vec<i64> = (1..=6).collect();
    assert_eq!(rows[0].labels, [["0"], ["1"], ["2"]]);
    assert_eq!((rows[0].sum.totals(&counts), rows[0].below.as_ref(), rows[0].times), (vec![4, 5, 6], None, 1));
    assert_eq!((rows[1].labels.len(), rows[1].columns.len(), rows[1].times), (1, 0, 1000));
    assert_eq!(rows[1].sum.totals(&counts), [1]);
    assert_eq!(rows[1].below.as_ref().map(|below| below.totals(&counts)), Some(vec![6]));
    assert_eq!(rows[2].labels, [["1"], ["2"]]);
    assert_eq!(rows[2].sum.totals(&counts), [0, 9]);
    assert_eq!(rows[2].below.as_ref().map(|below| below.totals(&counts)), Some(vec![2, 3]));
    let nothing = parse(&text.replace("where = \"a = 1\"", "where = \"a = 7\"")).unwrap();
    let problem = nothing.output_rows(&nothing.domain().unwrap()).unwrap_err();
    assert_eq!(problem.message, "the derived table `by-b` sums no cell");
}

#[test]
fn a_spec_has_a_largest_size() {
    let text = "#".repeat(declare::LARGEST_FILE as usize + 1);
    assert_eq!(parse(&text).unwrap_err().message, "`small.toml` is larger than 64 MB");
}

#[test]
fn suppression_has_neither_noise_nor_loss() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good/delinquent.toml")).unwrap();
    let (before, after) = text.split_once("[mechanism]").unwrap();
    let rest = after.find("\n[").map_or("", |place| &after[place..]);
    for epsilon in ["", "epsilon = 0", "epsilon = \"0\""] {
        let spec = format!("{before}[mechanism]\nmethod = \"suppress\"\n{epsilon}\n{rest}");
        let declaration = Declaration::parse(&spec, "suppressed", Path::new("nowhere")).unwrap();
        assert_eq!(reparsed(&declaration), declaration);
        assert!(
            declaration.to_toml().contains("[mechanism]\nmethod = \"suppress\"\nepsilon = \"0\"\n\n"),
            "{}",
            declaration.to_toml()
        );
    }
}

#[test]
fn messy_data_are_declared_in_a_spec_that_needs_no_file() {
    let declaration = load("messy.toml");
    assert_eq!(reparsed(&declaration), declaration);
    insta::assert_snapshot!(declaration.to_toml());
    let read = |dimension: usize, field: &str| {
        let dimension = &declaration.schema.dimensions[dimension];
        match dimension.reader().explain(field) {
            (Field::Code(code), change) => format!("{} ({change:?})", dimension.values.label(code)),
            (other, _) => format!("{other:?}"),
        }
    };
    for (dimension, field, expected) in [
        (0, "Lane", "Lane (None)"),
        (0, "\u{a0}LANE ", "Lane (Written)"),
        (0, "mult", "Multnomah (Recoded)"),
        (0, "N/A", "Unknown (Recoded)"),
        (0, " ", "Unknown (Recoded)"),
        (0, "Multnomah County", "Unknown (Unknown)"),
        (1, "0", "[0,18) (None)"),
        (1, "85.5", "85+ (None)"),
        (1, "114.9", "85+ (None)"),
        (1, "115", "not known (Unknown)"),
        (1, "999.0", "not known (Recoded)"),
        (1, "Newborn", "[0,18) (Recoded)"),
        (1, "", "not known (Unknown)"),
        (2, "1900", "1900 (None)"),
        (2, "1899", "? (Unknown)"),
        (3, "4/1/2024", "2024-Q2 (None)"),
        (3, "2025-03-31 23:59:59", "2025-Q1 (None)"),
        (3, "2025-04-01", "Outside"),
        (3, "", "Missing"),
        (4, "f", "f (None)"),
        (4, "F", "Outside"),
        (4, " f", "Outside"),
    ] {
        assert_eq!(read(dimension, field), expected, "{field:?}");
    }
    // The unknown value is on no side of a comparison.
    let domain = declaration.domain().unwrap();
    let grouping = &declaration.conditions(&domain).unwrap().invariants[0];
    let summed = grouping.group_of.iter().filter(|group| **group != declare::NO_GROUP).count();
    assert_eq!(summed, 3 * 3 * 126 * 3 * 2);
}

#[test]
fn limits_are_written_where_they_are_not_the_default() {
    let declaration = load("limits.toml");
    assert_eq!((declaration.limits.bytes, declaration.limits.seconds), (500_000_000_000, 5400));
    assert_eq!(reparsed(&declaration), declaration);
    let lines = "\n[limits]\nmemory = \"500 GB\"\ntime = \"90 minutes\"\n";
    assert!(declaration.to_toml().contains(lines), "{}", declaration.to_toml());
    // Another limit may leave a block to another operator, so what an entry fixed is another draw.
    assert!(declaration.law().contains(lines));
    let plain = Declaration { limits: Default::default(), ..declaration.clone() };
    assert!(!plain.to_toml().contains("[limits]") && !plain.law().contains("[limits]"));
    assert_eq!((plain.limits.memory().as_str(), plain.limits.time().as_str()), ("6 GB", "20 minutes"));
    for (written, time) in
        [("1 day", 86_400), ("1 hour", 3600), ("2 minutes", 120), ("1second", 1), ("0.5 minutes", 30)]
    {
        let text = declaration.to_toml().replace("90 minutes", written);
        assert_eq!(
            Declaration::parse(&text, "limits", Path::new("nowhere")).unwrap().limits.seconds,
            time,
            "{written}"
        );
    }
}

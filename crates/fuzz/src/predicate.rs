//! Predicates: over cells and over rows of a file they say the same about the same values.

use declare::{Declaration, Invariant, Resolved, Sums};

const LABELS: [&str; 3] = ["red", "it's", "1"];
const FIRST: i64 = -2;
const LAST: i64 = 3;

/// Reads a predicate as the `where` of an invariant and as that of `[data]`.
pub(crate) fn predicate(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let cells = Declaration::parse_alone(&spec("", text), "spec.toml");
    let rows = Declaration::parse_alone(&spec(text, "number >= 0"), "spec.toml");
    let (Ok(cells), Ok(rows)) = (cells, rows) else { return };
    let [Invariant { sums: Sums::Cells(Some(over_cells)), .. }] = cells.invariants.as_slice() else {
        panic!("the predicate of the invariant is lost")
    };
    let Some(over_rows) = &rows.data.filter else { panic!("the predicate of the rows is lost") };
    assert_eq!(over_cells, over_rows);
    let Ok(over_rows) = over_rows.bind(&["colour", "number"]) else { return };
    let resolved = Resolved::new(over_cells, &cells.schema)
        .unwrap_or_else(|problem| panic!("accepted in a spec, then refused: {problem}"));
    for (code, colour) in LABELS.iter().enumerate() {
        for number in FIRST..=LAST {
            let written = number.to_string();
            let field = |column| if column == 0 { *colour } else { written.as_str() };
            // A colour compared with a number is a question that cells do not have, so rows may
            // refuse to answer.
            if let Ok(holds) = over_rows.holds(&field) {
                let codes = [code, (number - FIRST) as usize];
                assert_eq!(resolved.holds(&codes), holds, "{over_cells} at {colour}, {number}");
            }
        }
    }
}

fn spec(rows: &str, cells: &str) -> String {
    let rows = if rows.is_empty() { String::new() } else { format!("where = {}\n", quoted(rows)) };
    let cells = quoted(cells);
    format!(
        "[data]\npath = \"t.csv\"\npublic = true\n{rows}[dimensions]\ncolour = [\"red\", \"it's\", \"1\"]\n\
         number = {{ integers = [{FIRST}, {LAST}] }}\n[[invariant]]\nby = []\nwhere = {cells}\n[mechanism]\n\
         noise = \"double-geometric\"\nepsilon = \"1\"\n"
    )
}

/// A TOML string of any text.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        _ if letter.is_control() => format!("\\u{:04X}", letter as u32),
        _ => letter.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

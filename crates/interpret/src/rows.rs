//! Rows of derived tables that a release does not declare: what is asked of it.

use ::infer::Release;
use declare::{Declaration, OutputRows, Problem, toml_string};

/// The rows of a derived table that the release does not declare.
pub(super) fn asked(release: &Release, by: &[String], section: &str) -> Result<OutputRows, Problem> {
    let names: Vec<String> = by.iter().map(|name| toml_string(name)).collect();
    let mut plain = release.declaration.clone();
    plain.outputs.clear();
    let text = format!("{}\n[[output]]\nname = \"asked\"\nby = [{}]\n{section}", plain.to_toml(), names.join(", "));
    let declaration = Declaration::parse_alone(&text, "the spec with what is asked")?;
    let mut rows = declaration.output_rows(&release.domain)?;
    rows.pop().ok_or_else(|| Problem::bad("nothing is asked"))
}

/// Only some cells, as a derived table keeps them.
pub(super) fn only(filter: Option<&str>) -> String {
    filter.map_or(String::new(), |filter| format!("where = {}\n", toml_string(filter)))
}

/// Two sums as numerator and denominator of a derived table, within the cells that are asked about.
pub(super) fn pair_of((above, below): &(String, String), filter: Option<&str>) -> String {
    let [above, below] = [above, below].map(|side| toml_string(&within(side, filter)));
    format!("rate = {{ numerator = {above}, denominator = {below}, times = 1 }}\n")
}

/// A predicate within the cells that are asked about.
pub(super) fn within(predicate: &str, filter: Option<&str>) -> String {
    filter.map_or(format!("({predicate})"), |filter| format!("({filter}) and ({predicate})"))
}

/// How results call a row.
pub(super) fn name_of(rows: &OutputRows, row: usize) -> String {
    let named = rows.columns.iter().zip(&rows.labels[row]).map(|(name, label)| format!("{name} = {label}"));
    match rows.columns.is_empty() {
        true => "rate".to_string(),
        false => named.collect::<Vec<_>>().join(", "),
    }
}

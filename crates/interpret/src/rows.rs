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

/// How results call a row.
pub(super) fn name_of(rows: &OutputRows, row: usize) -> String {
    match rows.columns.is_empty() {
        true => "rate".to_string(),
        false => rows
            .columns
            .iter()
            .zip(&rows.labels[row])
            .map(|(name, label)| format!("{name} = {label}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

//! Lines of R and Python that read the tables of a release as they are meant.

use super::{Described, DescribedColumn};
use crate::files::{ColumnKind, Format};

/// The most columns whose types an example spells out.
const MOST_TYPES: usize = 12;

/// Lines of R.
pub(super) fn r(tables: &[Described], format: Format) -> Vec<String> {
    let mut lines = vec![
        match format {
            Format::Parquet => "library(arrow)",
            Format::Csv => "library(readr)",
            Format::Xlsx => "library(readxl)",
        }
        .to_string(),
    ];
    for (table, name) in named(tables) {
        let file = quoted(&table.file);
        lines.push(match (format, &table.sheet) {
            (Format::Xlsx, sheet) => {
                format!("{name} <- read_excel({file}, sheet = {})", quoted(sheet.as_deref().unwrap_or("Table")))
            }
            (Format::Parquet, _) => format!("{name} <- read_parquet({file})"),
            (Format::Csv, _) if table.columns.len() > MOST_TYPES => {
                let texts = table.columns.iter().filter(|column| column.kind == ColumnKind::Text);
                let texts: String = texts.map(|column| format!(", {} = \"c\"", quoted(&column.name))).collect();
                format!("{name} <- read_csv({file}, col_types = cols(.default = \"d\"{texts}), na = \"\")")
            }
            (Format::Csv, _) => {
                let types: String = table.columns.iter().map(|column| letter(column.kind)).collect();
                format!("{name} <- read_csv({file}, col_types = {}, na = \"\")", quoted(&types))
            }
        });
    }
    lines
}

fn letter(kind: ColumnKind) -> char {
    match kind {
        ColumnKind::Text => 'c',
        ColumnKind::Integer | ColumnKind::Real => 'd',
    }
}

/// Lines of Python.
pub(super) fn python(tables: &[Described], format: Format) -> Vec<String> {
    let mut lines = vec!["import pandas as pd".to_string()];
    if format == Format::Parquet {
        lines.push("import pyarrow.parquet as pq".to_string());
    }
    for (table, name) in named(tables) {
        let file = quoted(&table.file);
        lines.push(match (format, &table.sheet) {
            (Format::Xlsx, sheet) => {
                let sheet = quoted(sheet.as_deref().unwrap_or("Table"));
                format!(
                    "{name} = pd.read_excel({file}, sheet_name={sheet}, {}keep_default_na=False, na_values=[\"\"])",
                    texts(table)
                )
            }
            (Format::Parquet, _) => format!("{name} = pd.read_parquet({file})"),
            (Format::Csv, _) => {
                format!("{name} = pd.read_csv({file}, {}keep_default_na=False, na_values=[\"\"])", texts(table))
            }
        });
    }
    if let (Format::Parquet, Some(table)) = (format, tables.first()) {
        lines.push(format!(
            "about = pq.read_schema({}).metadata    # title, guarantee, exact totals, hash of the spec",
            quoted(&table.file)
        ));
    }
    lines
}

/// The columns of texts: a code such as 007 must not become a number.
fn texts(table: &Described) -> String {
    let is_text = |column: &&DescribedColumn| column.kind == ColumnKind::Text;
    let texts: Vec<String> =
        table.columns.iter().filter(is_text).map(|column| format!("{}: str", quoted(&column.name))).collect();
    if texts.is_empty() { String::new() } else { format!("dtype={{{}}}, ", texts.join(", ")) }
}

/// Tables with names that are words in R and Python.
fn named(tables: &[Described]) -> impl Iterator<Item = (&Described, String)> {
    tables.iter().map(|table| {
        let file = table.file.split('.').next().unwrap_or("table");
        let name = table.sheet.as_deref().unwrap_or(file).to_lowercase().replace('-', "_");
        let name = if name.starts_with(|letter: char| letter.is_ascii_digit()) { format!("t_{name}") } else { name };
        (table, name)
    })
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

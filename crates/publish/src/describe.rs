//! The files of a release described for readers: what each is, its columns, their values.
//!
//! From these descriptions come the codebook, the page for readers and the certificate's list of
//! files.

mod codebook;
mod readme;

use crate::contents::{Contents, OutputTable, WideTable};
use crate::files::{ColumnKind, INTERVAL};
use crate::gathered::{Extent, Span};
use certify::Certificate;
use codebook::codebook;
use declare::{Column, Data, Declaration, Domain, Figure, Labels, Problem, Values};
use plan::NoReach;
pub use readme::{Page, citing, counted, title};
use readme::{Readme, readme};
use std::collections::HashSet;

/// The page for readers.
pub const README: &str = "DATA-README.txt";
/// Every column of every file.
pub const CODEBOOK: &str = "codebook.csv";

/// A table as its readers see it.
#[derive(Debug)]
pub struct Described {
    pub file: String,
    /// Of a workbook.
    pub sheet: Option<String>,
    pub what: String,
    pub rows: usize,
    pub columns: Vec<DescribedColumn>,
}

/// A column as its readers see it.
#[derive(Debug)]
pub struct DescribedColumn {
    pub name: String,
    pub kind: ColumnKind,
    pub optional: bool,
    pub meaning: String,
    /// The number of different labels.
    pub count: Option<usize>,
    /// The labels, or the smallest and the largest number.
    pub values: String,
    pub unit: String,
}

impl Described {
    /// Its file, and in a workbook its sheet.
    fn place(&self) -> String {
        self.sheet.as_ref().map_or(self.file.clone(), |sheet| format!("{}, sheet {sheet}", self.file))
    }
}

/// Every table of a release, in the order in which it is told of them.
///
/// A wide table is described where the counts are in memory: streamed tables have none.
pub fn describe(
    contents: &Contents<'_>,
    declaration: &Declaration,
    extent: &Extent,
    values: Option<&[i64]>,
) -> Vec<Described> {
    let unit = unit(&declaration.data, contents.domain);
    let mut described = vec![main_table(contents, extent, &unit)];
    if let (Some(wide), Some(values)) = (&contents.wide, values) {
        described.push(wide_table(contents, wide, values, &unit));
    }
    let outputs = contents.outputs.iter().zip(&declaration.outputs);
    described.extend(outputs.map(|(table, output)| output_table(contents, table, &output.figure, &unit)));
    described
}

/// The texts that come with the tables: file and contents. The certificate's own list of files
/// plays no part in them.
pub fn texts(
    certificate: &Certificate,
    contents: &Contents<'_>,
    tables: &[Described],
    extent: &Extent,
) -> Result<[(&'static str, String); 2], Problem> {
    let page = readme(&Readme { certificate, contents, tables, negative: extent.negative });
    Ok([(CODEBOOK, codebook(tables)?), (README, page)])
}

/// Every file that the certificate lists, with what it is.
pub fn listed(contents: &Contents<'_>, tables: &[Described]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = match contents.format.is_workbook() {
        true => {
            let sheets: Vec<&str> = tables.iter().filter_map(|table| table.sheet.as_deref()).collect();
            let what = format!("a workbook with the sheets {}, Invariants and Guarantee", sheets.join(", "));
            vec![(contents.table_file(), what)]
        }
        false => tables.iter().map(|table| (table.file.clone(), table.what.clone())).collect(),
    };
    files.push((CODEBOOK.to_string(), "every column of every table".to_string()));
    files.push((
        README.to_string(),
        "what the files are, what is exact, what the noise means, how to read them".to_string(),
    ));
    files
}

/// What a count is a number of.
fn unit(data: &Data, domain: &Domain) -> String {
    match (&data.count, domain.schema.measures()) {
        (_, Some((position, ..))) => {
            format!("counts of the column named in `{}`", domain.schema.dimensions[position].name)
        }
        (Some(count), None) => format!("sum of column `{count}` of the data"),
        (None, None) => "records".to_string(),
    }
}

fn main_table(contents: &Contents<'_>, extent: &Extent, unit: &str) -> Described {
    let domain = contents.domain;
    let mut columns: Vec<DescribedColumn> =
        domain.columns().iter().map(|column| label_column(domain, column)).collect();
    let meaning = match &contents.intervals {
        Err(NoReach::Projection) => "released count: noisy counts, moved to a table in which all that is exact holds",
        _ => "released count, the true count plus noise",
    };
    columns.push(number("value", meaning, extent.value.text(), unit));
    if contents.intervals.is_ok() {
        columns.extend(interval_columns([extent.lower.text(), extent.upper.text()], "count", unit));
    }
    Described {
        file: contents.table_file(),
        sheet: contents.format.is_workbook().then(|| "Table".to_string()),
        what: "the released table, one row per cell".to_string(),
        rows: domain.len(),
        columns,
    }
}

fn interval_columns(ranges: [String; 2], of: &str, unit: &str) -> [DescribedColumn; 2] {
    let [lower, upper] = ranges;
    let meaning =
        |side: &str| format!("{side} end of the interval that holds the true {of} with probability at least 90 %");
    [number(INTERVAL[0], &meaning("lower"), lower, unit), number(INTERVAL[1], &meaning("upper"), upper, unit)]
}

fn wide_table(contents: &Contents<'_>, wide: &WideTable<'_>, values: &[i64], unit: &str) -> Described {
    let domain = contents.domain;
    let dimension = &domain.schema.dimensions[wide.spread];
    let mut columns: Vec<DescribedColumn> = wide.columns.iter().map(|column| label_column(domain, column)).collect();
    let mut ranges = vec![Span::default(); wide.names.len()];
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        ranges[codes[wide.spread]].add(values[cell]);
    }
    for ((code, name), range) in wide.names.iter().enumerate().zip(ranges) {
        let hole = if wide.holes { "; empty where the cell is impossible by declaration" } else { "" };
        let meaning = format!("`value` where {} is {}{hole}", dimension.name, dimension.values.label(code));
        columns.push(DescribedColumn { optional: wide.holes, ..number(name, &meaning, range.text(), unit) });
    }
    Described {
        file: contents.other_file("table-wide"),
        sheet: contents.format.is_workbook().then(|| "Wide".to_string()),
        what: format!("the same counts, one column for every value of `{}`", dimension.name),
        rows: wide.rows,
        columns,
    }
}

fn output_table(contents: &Contents<'_>, table: &OutputTable, figure: &Figure, unit: &str) -> Described {
    let (domain, rows) = (contents.domain, &table.rows);
    let columns = domain.columns();
    let mut described: Vec<DescribedColumn> = Vec::new();
    for (place, name) in rows.columns.iter().enumerate() {
        let mut seen: HashSet<&str> = HashSet::new();
        let all = rows.labels.iter().map(|row| row[place].as_str());
        let labels: Vec<&str> = all.filter(|label| seen.insert(label)).collect();
        let known = columns.iter().find(|column| column.name == name);
        let meaning = known.map_or("dimension of the table".to_string(), |column| meaning(domain, column));
        let listed = labels_listed(labels.len(), |code| labels[code].to_string());
        described.push(DescribedColumn {
            kind: if known.is_some_and(Column::is_integer) { ColumnKind::Integer } else { ColumnKind::Text },
            count: Some(labels.len()),
            ..number(name, &meaning, listed, "")
        });
    }
    let by = if rows.columns.is_empty() { String::new() } else { format!(" by {}", rows.columns.join(", ")) };
    let what = match figure {
        Figure::Sum(filter) => {
            let of = filter.as_ref().map_or(String::new(), |filter| format!(" where {filter}"));
            described.push(number("value", &format!("sum of the released counts{of}"), String::new(), unit));
            if table.told().is_some() {
                described.extend(interval_columns([String::new(), String::new()], "sum", unit));
            }
            format!("sums of the released counts{by}{of}")
        }
        Figure::Rate { numerator, denominator, times } => {
            let sum = |of| format!("sum of the released counts where {of}");
            described.push(number("numerator", &sum(numerator), String::new(), unit));
            described.push(number("denominator", &sum(denominator), String::new(), unit));
            let times = if *times == 1 { String::new() } else { format!("{times} × ") };
            let meaning = format!("{times}numerator / denominator; empty where the denominator is not above zero");
            let rate = number("rate", &meaning, String::new(), "");
            described.push(DescribedColumn { kind: ColumnKind::Real, optional: true, ..rate });
            format!("rates of the released counts{by}: {times}({numerator}) / ({denominator})")
        }
    };
    Described {
        file: contents.other_file(table.name()),
        sheet: contents.format.is_workbook().then(|| table.name().to_string()),
        what,
        rows: rows.labels.len(),
        columns: described,
    }
}

fn number(name: &str, meaning: &str, values: String, unit: &str) -> DescribedColumn {
    DescribedColumn {
        name: name.to_string(),
        kind: ColumnKind::Integer,
        optional: false,
        meaning: meaning.to_string(),
        count: None,
        values,
        unit: unit.to_string(),
    }
}

fn label_column(domain: &Domain, column: &Column<'_>) -> DescribedColumn {
    let (count, values) = match (&column.labels, &domain.schema.dimensions[column.dimension].values) {
        (_, Values::Integers { first, last }) => {
            (domain.schema.sizes()[column.dimension], format!("{first} to {last}"))
        }
        (Labels::Level { labels, .. }, _) => (labels.len(), labels_listed(labels.len(), |code| labels[code].clone())),
        (_, values) => (values.len(), labels_listed(values.len(), |code| column.text(code).into_owned())),
    };
    DescribedColumn {
        kind: if column.is_integer() { ColumnKind::Integer } else { ColumnKind::Text },
        count: Some(count),
        ..number(column.name, &meaning(domain, column), values, "")
    }
}

fn meaning(domain: &Domain, column: &Column<'_>) -> String {
    let dimension = &domain.schema.dimensions[column.dimension];
    match &dimension.values {
        Values::Measures { .. } => "which count, by the name of its column in the data".to_string(),
        Values::Hierarchy(levels) => match levels.names.iter().position(|name| name == column.name) {
            Some(level) => {
                format!("level {} of {} of the dimension `{}`", level + 1, levels.names.len(), dimension.name)
            }
            None => format!("key of the dimension `{}`", dimension.name),
        },
        _ if dimension.column != dimension.name => format!("dimension, from column `{}` of the data", dimension.column),
        _ => "dimension of the table".to_string(),
    }
}

/// The most labels that are listed in full.
const MOST_LABELS: usize = 60;

fn labels_listed(count: usize, label: impl Fn(usize) -> String) -> String {
    if count <= MOST_LABELS {
        return (0..count).map(label).collect::<Vec<String>>().join("; ");
    }
    let first: Vec<String> = (0..3).map(&label).collect();
    format!("{}; … ; {}", first.join("; "), label(count - 1))
}

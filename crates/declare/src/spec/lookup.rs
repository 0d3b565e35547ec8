//! Public files, whose rows become the values of a dimension, public totals or coefficients.

use super::files::{Files, Outside};
use super::formats::{self, Format};
use super::predicates;
use super::read_text;
use super::reader::Node;
use crate::nearest::suggestion;
use crate::predicate::{Literal, Name};
use crate::problem::{Place, Problem};
use crate::schema::Schema;
use std::path::Path;

/// A public file that has been read.
pub(super) struct Lookup {
    name: String,
    /// The text of a CSV or TSV file, to show the line of a bad row.
    text: String,
    header: Vec<String>,
    records: Vec<csv::StringRecord>,
    /// For every record its number among the rows of the file, from 1.
    numbers: Vec<usize>,
}

impl Lookup {
    /// Reads the file that a node of the spec names.
    pub(super) fn read(node: &Node, files: Files<'_>) -> Result<Lookup, Problem> {
        let name = node.nonempty()?;
        let format = formats::of(node)?;
        let Some(folder) = files.folder else {
            return Err(node.bad("this spec must stand alone, but it names a file", "a file"));
        };
        let path = folder.join(name);
        files.check_public(node, &path)?;
        let mut lookup = match format {
            Format::Csv => Lookup::text(node, &path, b',')?,
            Format::Tsv => Lookup::text(node, &path, b'\t')?,
            Format::PackedText | Format::Other => Lookup::table(node, &path, files.outside)?,
        };
        lookup.numbers = (1..=lookup.records.len()).collect();
        Ok(lookup)
    }

    fn text(node: &Node, path: &Path, delimiter: u8) -> Result<Lookup, Problem> {
        let name = node.nonempty()?;
        let text = read_text(path, name).map_err(|problem| node.placed(problem, "named here"))?;
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut lookup = Lookup {
            name: name.to_string(),
            text: text[start..].to_string(),
            header: Vec::new(),
            records: Vec::new(),
            numbers: Vec::new(),
        };
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(lookup.text.as_bytes());
        let header = reader.headers().map_err(|fault| lookup.fault(&fault))?;
        let header = header.iter().map(str::to_string).collect();
        let records: Result<Vec<_>, _> = reader.records().collect();
        let records = records.map_err(|fault| lookup.fault(&fault))?;
        lookup.header = header;
        lookup.records = records;
        Ok(lookup)
    }

    fn table(node: &Node, path: &Path, outside: Option<Outside<'_>>) -> Result<Lookup, Problem> {
        let name = node.nonempty()?;
        let Some(Outside { tables: read, .. }) = outside else {
            return Err(node
                .bad(format!("`{name}` is in a format that this reader cannot open"), "neither .csv nor .tsv")
                .hint("save it as CSV"));
        };
        let table = read(path, name).map_err(|problem| node.placed(problem, "named here"))?;
        let records = table.rows.into_iter().map(csv::StringRecord::from).collect();
        Ok(Lookup { name: name.to_string(), text: String::new(), header: table.columns, records, numbers: Vec::new() })
    }

    fn fault(&self, fault: &csv::Error) -> Problem {
        if let csv::ErrorKind::UnequalLengths { pos: Some(pos), expected_len, len } = fault.kind() {
            let message = format!("a row of `{}` has {len} fields", self.name);
            let label = format!("the header has {expected_len}");
            return Problem::bad(message).at(self.place(pos, label));
        }
        Problem::bad(format!("cannot read `{}`: {fault}", self.name))
    }

    fn place(&self, position: &csv::Position, label: String) -> Place {
        let from = (position.byte() as usize).min(self.text.len());
        // The reader's positions may stand before the line break that ends the row above.
        let skipped = self.text[from..].len() - self.text[from..].trim_start_matches(['\r', '\n']).len();
        let line = self.text[from + skipped..].lines().next().unwrap_or("").to_string();
        let breaks = self.text[..from + skipped].bytes().filter(|byte| *byte == b'\n').count();
        let span = 0..line.len();
        Place { file: self.name.clone(), text: line, first_line: breaks + 1, span, label }
    }

    /// A problem that points at a row.
    pub(super) fn bad_row(&self, row: usize, message: String, label: &str) -> Problem {
        match self.records[row].position() {
            Some(position) => Problem::bad(message).at(self.place(position, label.to_string())),
            None => Problem::bad(format!("{message}: row {} of `{}`", self.numbers[row], self.name)),
        }
    }

    /// Keeps only the rows that satisfy the predicate of a node.
    pub(super) fn keep(&mut self, node: &Node) -> Result<(), Problem> {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        let predicate = predicates::over_columns(node, &self.name, &header)?;
        let (mut kept, mut numbers) = (Vec::new(), Vec::new());
        for (row, record) in self.records.iter().enumerate() {
            match predicate.holds(&|column| record.get(column).unwrap_or("")) {
                Ok(true) => {
                    kept.push(record.clone());
                    numbers.push(self.numbers[row]);
                }
                Ok(false) => {}
                Err(fault) => {
                    let column = &self.header[fault.column];
                    let field = record.get(fault.column).unwrap_or("");
                    if field.trim_ascii().is_empty() {
                        let message = format!("`{column}` is empty, and `where` compares it with a number");
                        let problem = self.bad_row(row, message, "empty in this row");
                        return Err(problem.hint(format!(
                            "leave such rows out first: {} != {} and …",
                            Name(column),
                            Literal::Text(field.to_string())
                        )));
                    }
                    let message = format!("`{column}` is not a number, and `where` orders it");
                    return Err(self.bad_row(row, message, "not a number in this row"));
                }
            }
        }
        if kept.is_empty() {
            let message = format!("`where` keeps no row of `{}`", self.name);
            return Err(node.bad(message, "true for no row"));
        }
        self.records = kept;
        self.numbers = numbers;
        Ok(())
    }

    /// Whether a column has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.iter().any(|column| column == name)
    }

    /// The position of a column that a node of the spec names.
    pub(super) fn column(&self, name: &str, node: &Node) -> Result<usize, Problem> {
        let mut found = self.header.iter().enumerate().filter(|(_, column)| *column == name);
        match (found.next(), found.next()) {
            (Some((position, _)), None) => Ok(position),
            (Some(_), Some(_)) => {
                let message = format!("`{}` has two columns `{name}`", self.name);
                Err(node.bad(message, "not unique in the file"))
            }
            _ => {
                let message = format!("`{}` has no column `{name}`", self.name);
                Err(node.bad(message, "not a column of the file").hint(suggestion(name, "Columns", &self.header)))
            }
        }
    }

    /// The dimensions that have a column in the file, and the columns: theirs, then those of other
    /// figures, each with the node that names it. `without`: what is said of a file without any.
    pub(super) fn columns(
        &self,
        schema: &Schema,
        path: &Node,
        figures: &[(&str, &Node)],
        without: Option<&str>,
    ) -> Result<(Vec<usize>, Vec<usize>), Problem> {
        let is_figure = |name: &str| figures.iter().any(|(figure, _)| *figure == name);
        let names = schema.own_names();
        let dimensions: Vec<usize> =
            (0..names.len()).filter(|place| self.has(names[*place]) && !is_figure(names[*place])).collect();
        if let Some(label) = without.filter(|_| dimensions.is_empty()) {
            return Err(path
                .bad(format!("`{}` has no column with the name of a dimension", self.name), label)
                .hint(format!("give it one or more of the columns {}", names.join(", "))));
        }
        let named = dimensions.iter().map(|place| (names[*place], path)).chain(figures.iter().copied());
        let columns = named.map(|(name, node)| self.column(name, node)).collect::<Result<_, _>>()?;
        Ok((dimensions, columns))
    }

    /// The rows, reduced to some columns.
    pub(super) fn rows(&self, columns: &[usize]) -> Vec<Vec<String>> {
        let field = |record: &csv::StringRecord, column: &usize| record.get(*column).unwrap_or("").to_string();
        let row = |record| columns.iter().map(|column| field(record, column)).collect();
        self.records.iter().map(row).collect()
    }
}

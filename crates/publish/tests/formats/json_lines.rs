//! Rows as lines of JSON: a format for tests alone, to see that one file and one line of the
//! registry make a format.

use super::cannot;
use super::examples::Example;
use super::format::{RowWriter, TableFormat};
use super::rows::{Cell, Cells, Field};
use super::table_reader::{Damage, Portions};
use declare::{Domain, Problem};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of JSON.
#[derive(Debug)]
pub struct JsonLines;

struct Lines {
    path: PathBuf,
    names: Vec<String>,
    text: String,
}

impl TableFormat for JsonLines {
    fn extension(&self) -> &'static str {
        "jsonl"
    }

    fn create(&self, path: &Path, _: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem> {
        Ok(Box::new(Lines { path: path.to_path_buf(), names: Vec::new(), text: String::new() }))
    }

    fn read(&self, path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
        let text = fs::read_to_string(path).map_err(|error| cannot("read", path, error))?;
        let (damage, columns, mut walk) = (Damage { path }, domain.columns(), domain.walk());
        for line in text.lines() {
            let row: Map<String, Value> = serde_json::from_str(line).map_err(|error| cannot("read", path, error))?;
            let (cell, codes) = walk.advance().ok_or_else(|| damage.more())?;
            let label = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
            if !columns.iter().all(|column| label(column.name) == Some(column.text(codes[column.dimension]).into())) {
                return Err(damage.row(cell + 1));
            }
            let number = |name: &str| row.get(name).and_then(Value::as_i64).ok_or_else(|| damage.number(cell + 1));
            let interval = if portions.intervals { Some([number("lower90")?, number("upper90")?]) } else { None };
            portions.push(number("value")?, interval)?;
        }
        if walk.advance().is_some() { Err(damage.fewer()) } else { Ok(()) }
    }

    fn remark(&self) -> &'static str {
        "Every line is an object."
    }

    fn r(&self, tables: &[Example<'_>]) -> Vec<String> {
        tables.iter().map(|table| format!("{} <- jsonlite::stream_in(file({}))", table.name, table.file)).collect()
    }

    fn python(&self, tables: &[Example<'_>]) -> Vec<String> {
        tables.iter().map(|table| format!("{} = pd.read_json({}, lines=True)", table.name, table.file)).collect()
    }
}

impl RowWriter for Lines {
    fn begin(&mut self, _: &str, fields: &[Field]) -> Result<(), Problem> {
        self.names = fields.iter().map(|field| field.name.clone()).collect();
        Ok(())
    }

    fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        for row in 0..columns.first().map_or(0, Cells::rows) {
            let value = |column: &Cells<'_>| match column.cell(row) {
                Cell::Empty => Value::Null,
                Cell::Text(text) => json!(text),
                Cell::Label(number) => json!(number.to_string()),
                Cell::Integer(number) => json!(number),
                Cell::Real(number) => json!(number),
            };
            let object: Map<String, Value> = self.names.iter().cloned().zip(columns.iter().map(value)).collect();
            self.text += &format!("{}\n", Value::Object(object));
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Problem> {
        fs::write(&self.path, &self.text).map_err(|error| cannot("write", &self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use crate::{FileWriter, Format, Layout, TableWriter, read_counts};
    use declare::Declaration;

    const SPEC: &str = "title = \"Two by two\"\n[data]\npath = \"rows.csv\"\npublic = true\n[dimensions]\n\
                        county = [\"Alpha\", \"Beta\"]\nyear = { integers = [2020, 2021] }\n[[invariant]]\nby = [\"county\"]\n\
                        [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\n";

    /// Nothing but its file and its line of the registry knows this format.
    #[test]
    fn a_format_is_one_file_and_one_line() {
        let domain = Declaration::parse_alone(SPEC, "spec.toml").unwrap().domain().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.jsonl");
        let format = Format::of(&path).unwrap();
        let mut file = FileWriter::create(&path, format, &[]).unwrap();
        let mut table = TableWriter::new(&mut file, &domain, Layout::default()).unwrap();
        table.write(&[5, 3, -8, 1]).unwrap();
        table.finish().unwrap();
        file.finish().unwrap();
        assert_eq!(read_counts(&path, format, &domain).unwrap(), [5, 3, -8, 1]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("{\"county\":\"Alpha\",\"value\":5,\"year\":\"2020\"}\n"), "{text}");
        std::fs::write(&path, text.replacen("Beta", "Alpha", 1)).unwrap();
        assert!(read_counts(&path, format, &domain).unwrap_err().message.contains("another cell in row 3"));
        assert_eq!(Format::named("jsonl"), Some(format));
    }
}

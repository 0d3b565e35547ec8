//! The coefficients of a general invariant: from a file, or written out.

use super::files::Files;
use super::invariants::coefficient;
use super::keys;
use super::lookup::Lookup;
use super::reader::{Content, Node};
use crate::invariant::{MatrixEntry, MatrixRow};
use crate::nearest::suggestion;
use crate::problem::Problem;
use crate::reader::ValueReader;
use crate::schema::{Dimension, Schema, Values};
use exact::Rational;
use std::collections::{HashMap, HashSet};
use toml_edit::Value;

const HINT: &str = "name a file, matrix = \"A.csv\", or write { rows = [[\"first\", \"Alpha\", 1]] }";

/// The rows that `matrix` names or holds.
pub(super) fn read(node: &Node, schema: &Schema, files: Files<'_>) -> Result<Vec<MatrixRow>, Problem> {
    let mut rows = Rows::new(schema);
    if matches!(node.content, Content::Value(Value::String(_))) {
        let reserved = schema.dimensions.iter().find(|dimension| ["row", "coefficient"].contains(&&*dimension.name));
        if let Some(Dimension { name, .. }) = reserved {
            let message = format!("the file of a matrix has a column `{name}` of its own, which is no dimension");
            return Err(node.bad(message, "cannot be read").hint("give the dimension another name"));
        }
        let lookup = Lookup::read(node, files)?;
        let names = schema.dimensions.iter().map(|dimension| dimension.name.as_str());
        let names = ["row"].into_iter().chain(names).chain(["coefficient"]);
        let columns: Result<Vec<usize>, Problem> = names.map(|name| lookup.column(name, node)).collect();
        for (row, fields) in lookup.rows(&columns?).iter().enumerate() {
            rows.add(fields).map_err(|fault| fault.at(|message, label| lookup.bad_row(row, message, label)))?;
        }
    } else {
        let table = node
            .section("`matrix`")
            .map_err(|_| node.bad("`matrix` must name a file", "neither text nor a table").hint(HINT))?;
        table.only(&keys::ROWS)?;
        for element in table.need("rows", HINT)?.list()? {
            let fields: Result<Vec<String>, Problem> =
                element.list()?.iter().map(|field| super::dimensions::label(field, "label")).collect();
            let fields = fields?;
            let width = schema.dimensions.len() + 2;
            if fields.len() != width {
                let message = format!("a row needs {width} fields and has {}", fields.len());
                let label = "needs a name, one label for each dimension, and the coefficient";
                return Err(element.bad(message, label));
            }
            rows.add(&fields).map_err(|fault| fault.at(|message, label| element.bad(message, label)))?;
        }
    }
    rows.rows.retain(|row| !row.entries.is_empty());
    if rows.rows.is_empty() {
        return Err(node.bad("the matrix has no coefficient other than 0", "sums no cell"));
    }
    Ok(rows.rows)
}

/// What is wrong with a row of the file.
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) label: &'static str,
    pub(super) hint: Option<String>,
}

impl Fault {
    pub(super) fn new(message: String, label: &'static str) -> Self {
        Fault { message, label, hint: None }
    }

    pub(super) fn at(self, bad: impl FnOnce(String, &'static str) -> Problem) -> Problem {
        let problem = bad(self.message, self.label);
        match self.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

/// The rows so far.
struct Rows<'a> {
    schema: &'a Schema,
    labels: Vec<Labels<'a>>,
    rows: Vec<MatrixRow>,
    position: HashMap<String, usize>,
    seen: HashSet<(usize, usize)>,
}

/// How the label of a value is found: bins go by the label that the release writes.
pub(super) enum Labels<'a> {
    Bins(HashMap<String, usize>),
    Read(ValueReader<'a>),
}

impl<'a> Labels<'a> {
    pub(super) fn of(values: &'a Values) -> Labels<'a> {
        match values {
            Values::Bins { .. } => Labels::Bins((0..values.len()).map(|code| (values.label(code), code)).collect()),
            values => Labels::Read(values.reader()),
        }
    }

    pub(super) fn code_of(&self, label: &str) -> Option<usize> {
        match self {
            Labels::Bins(codes) => codes.get(label).copied(),
            Labels::Read(reader) => reader.code_of(label),
        }
    }
}

impl<'a> Rows<'a> {
    fn new(schema: &'a Schema) -> Self {
        let labels = schema.dimensions.iter().map(|dimension| Labels::of(&dimension.values)).collect();
        Rows { schema, labels, rows: Vec::new(), position: HashMap::new(), seen: HashSet::new() }
    }

    /// Adds one coefficient: the name of its row, a label for each dimension, and the coefficient.
    fn add(&mut self, fields: &[String]) -> Result<(), Fault> {
        let [name, labels @ .., written] = fields else { return Ok(()) };
        if name.is_empty() {
            return Err(Fault::new("`row` is empty".to_string(), "no name"));
        }
        let mut codes = Vec::with_capacity(labels.len());
        let mut combination = 0;
        for ((dimension, known), label) in self.schema.dimensions.iter().zip(&self.labels).zip(labels) {
            let code = known.code_of(label).ok_or_else(|| unknown(dimension, label))?;
            combination = combination * dimension.values.len() + code;
            codes.push(code);
        }
        let number = written.trim_ascii().parse::<Rational>().map_err(|_| {
            Fault::new(format!("`coefficient` must be a whole number, not `{written}`"), "not a number")
        })?;
        let times =
            coefficient(&number).map_err(|(message, label)| Fault::new(format!("`coefficient` {message}"), label))?;
        let row = *self.position.entry(name.clone()).or_insert_with(|| {
            self.rows.push(MatrixRow { name: name.clone(), entries: Vec::new() });
            self.rows.len() - 1
        });
        if !self.seen.insert((row, combination)) {
            let message = format!("the row `{name}` has two coefficients for the same cell");
            return Err(Fault::new(message, "the second time"));
        }
        if times != 0 {
            self.rows[row].entries.push(MatrixEntry { codes, times });
        }
        Ok(())
    }
}

pub(super) fn unknown(dimension: &Dimension, label: &str) -> Fault {
    let values = &dimension.values;
    let known: Vec<String> = (0..values.len().min(10_000)).map(|code| values.label(code)).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut fault = Fault::new(format!("`{}` has no value `{label}`", dimension.name), "outside the domain");
    fault.hint = Some(suggestion(label, "Declared", &known));
    fault
}

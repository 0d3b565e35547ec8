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
        let names = ["row"].into_iter().chain(schema.own_names()).chain(["coefficient"]);
        let columns: Result<Vec<usize>, Problem> = names.map(|name| lookup.column(name, node)).collect();
        for (row, fields) in lookup.rows(&columns?).iter().enumerate() {
            rows.add(fields, &|message, label| lookup.bad_row(row, message, label))?;
        }
    } else {
        let table = node
            .section("`matrix`")
            .map_err(|_| node.bad("`matrix` must name a file", "neither text nor a table").hint(HINT))?;
        table.only(&keys::ROWS)?;
        for element in table.need("rows", HINT)?.list()? {
            let fields = super::dimensions::fields(&element)?;
            let width = schema.dimensions.len() + 2;
            if fields.len() != width {
                let message = format!("a row needs {width} fields and has {}", fields.len());
                let label = "needs a name, one label for each dimension, and the coefficient";
                return Err(element.bad(message, label));
            }
            rows.add(&fields, &|message, label| element.bad(message, label))?;
        }
    }
    rows.rows.retain(|row| !row.entries.is_empty());
    if rows.rows.is_empty() {
        return Err(node.bad("the matrix has no coefficient other than 0", "sums no cell"));
    }
    Ok(rows.rows)
}

/// Makes a problem that points at a row, of a message and a label.
pub(super) type BadRow<'a> = &'a dyn Fn(String, &str) -> Problem;

/// The rows so far.
struct Rows<'a> {
    codes: Codes<'a>,
    rows: Vec<MatrixRow>,
    position: HashMap<String, usize>,
    seen: HashSet<(usize, Vec<usize>)>,
}

/// How the rows of a public table name values of some dimensions: by their labels.
pub(super) struct Codes<'a>(Vec<(&'a Dimension, Labels<'a>)>);

/// How the label of a value is found: bins go by the label that the release writes.
enum Labels<'a> {
    Bins(HashMap<String, usize>),
    Read(ValueReader<'a>),
}

impl<'a> Codes<'a> {
    pub(super) fn of(dimensions: impl Iterator<Item = &'a Dimension>) -> Codes<'a> {
        let labels = |values: &'a Values| match values {
            Values::Bins { .. } => Labels::Bins(values.labels().zip(0..).collect()),
            values => Labels::Read(values.reader()),
        };
        Codes(dimensions.map(|dimension| (dimension, labels(&dimension.values))).collect())
    }

    /// The codes of the labels in a row.
    pub(super) fn of_row(&self, labels: &[String], bad: BadRow<'_>) -> Result<Vec<usize>, Problem> {
        let code = |((dimension, known), label): (&(&Dimension, Labels<'_>), &String)| {
            let code = match known {
                Labels::Bins(codes) => codes.get(label).copied(),
                Labels::Read(reader) => reader.code_of(label),
            };
            code.ok_or_else(|| {
                let known: Vec<String> = dimension.values.labels().take(10_000).collect();
                bad(format!("`{}` has no value `{label}`", dimension.name), "outside the domain")
                    .hint(suggestion(label, "Declared", &known))
            })
        };
        self.0.iter().zip(labels).map(code).collect()
    }
}

impl<'a> Rows<'a> {
    fn new(schema: &'a Schema) -> Self {
        let codes = Codes::of(schema.dimensions.iter());
        Rows { codes, rows: Vec::new(), position: HashMap::new(), seen: HashSet::new() }
    }

    /// Adds one coefficient: the name of its row, a label for each dimension, and the coefficient.
    fn add(&mut self, fields: &[String], bad: BadRow<'_>) -> Result<(), Problem> {
        let [name, labels @ .., written] = fields else { return Ok(()) };
        if name.is_empty() {
            return Err(bad("`row` is empty".to_string(), "no name"));
        }
        let codes = self.codes.of_row(labels, bad)?;
        let number = written
            .trim_ascii()
            .parse::<Rational>()
            .map_err(|_| bad(format!("`coefficient` must be a whole number, not `{written}`"), "not a number"))?;
        let times = coefficient(&number).map_err(|(message, label)| bad(format!("`coefficient` {message}"), label))?;
        let row = *self.position.entry(name.clone()).or_insert_with(|| {
            self.rows.push(MatrixRow { name: name.clone(), entries: Vec::new() });
            self.rows.len() - 1
        });
        if !self.seen.insert((row, codes.clone())) {
            let message = format!("the row `{name}` has two coefficients for the same cell");
            return Err(bad(message, "the second time"));
        }
        if times != 0 {
            self.rows[row].entries.push(MatrixEntry { codes, times });
        }
        Ok(())
    }
}

//! Dimensions with levels: from a public file, or written out row by row.

use super::dimensions::{label, labels};
use super::lookup::Lookup;
use super::reader::{Node, Section};
use crate::hierarchy::{Levels, LevelsFault};
use crate::problem::Problem;
use crate::schema::Values;
use std::path::Path;

/// The names of the levels and the key, by default the last level.
fn header(table: &Section) -> Result<(Vec<String>, String), Problem> {
    let node = table.need("levels", LEVELS_HINT)?;
    let levels = labels(&node, "level")?;
    let key = match (table.get("key"), levels.last()) {
        (Some(node), _) => node.nonempty()?.to_string(),
        (None, Some(last)) => last.clone(),
        (None, None) => return Err(node.bad("`levels` has no levels", "empty")),
    };
    Ok((levels, key))
}

const LEVELS_HINT: &str = "name the columns, coarse to fine: levels = [\"state\", \"county\"]";

const KEY_HINT: &str = "a leaf is found by its key: name a column with a different value in every \
                        row, key = \"…\"";

/// A hierarchy whose rows are in a public file.
pub(super) fn from_file(table: &Section, path: &Node, folder: Option<&Path>) -> Result<Values, Problem> {
    let (levels, key) = header(table)?;
    let mut lookup = Lookup::read(path, folder)?;
    let node = table.need("levels", LEVELS_HINT)?;
    let mut columns = Vec::with_capacity(levels.len() + 1);
    for (name, element) in levels.iter().zip(node.list()?) {
        columns.push(lookup.column(name, &element)?);
    }
    if !levels.contains(&key) {
        columns.push(lookup.column(&key, table.get("key").as_ref().unwrap_or(&node))?);
    }
    if let Some(node) = table.get("where") {
        lookup.keep(&node)?;
    }
    let rows = lookup.rows(&columns);
    let name = |column: usize| levels.get(column).unwrap_or(&key).clone();
    Levels::new(levels.clone(), key.clone(), &rows).map(Values::Hierarchy).map_err(|fault| match fault {
        LevelsFault::Empty => path.bad("the domain file has no rows", "no leaf"),
        LevelsFault::EmptyLabel { row, column } => lookup
            .bad_row(row, format!("`{}` is empty", name(column)), "no label in this row")
            .hint("leave the row out with `where`, or complete the file"),
        LevelsFault::SameKey { second, .. } => {
            lookup.bad_row(second, format!("the key `{key}` is not unique"), "the second time").hint(KEY_HINT)
        }
    })
}

/// A hierarchy whose rows are written in the spec.
pub(super) fn from_rows(table: &Section, node: &Node) -> Result<Values, Problem> {
    let (levels, key) = header(table)?;
    let width = levels.len() + usize::from(!levels.contains(&key));
    let mut rows = Vec::new();
    let elements = node.list()?;
    for element in &elements {
        let fields = element.list()?;
        if fields.len() != width {
            let message = format!("a row needs {width} labels and has {}", fields.len());
            let columns = if width > levels.len() { "levels, then key" } else { "levels" };
            return Err(element.bad(message, format!("needs one for each of: {columns}")));
        }
        let row: Result<Vec<String>, Problem> = fields.iter().map(|field| label(field, "label")).collect();
        rows.push(row?);
    }
    Levels::new(levels, key.clone(), &rows).map(Values::Hierarchy).map_err(|fault| match fault {
        LevelsFault::Empty => node.bad("`rows` has no rows", "empty"),
        LevelsFault::EmptyLabel { row, .. } => elements[row].bad("a label is empty", "empty"),
        LevelsFault::SameKey { second, .. } => {
            elements[second].bad(format!("the key `{key}` is not unique"), "the second time").hint(KEY_HINT)
        }
    })
}

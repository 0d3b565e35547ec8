//! Dimensions with levels: from a public file, or written out row by row.
//!
//! A level is a column of the file, `"state"`, or the first characters of the key,
//! `{ name = "state", prefix = 2 }`. The levels run from coarse to fine, so a longer prefix follows
//! a shorter one and nothing stands below the key.

use super::dimensions::label;
use super::files::Files;
use super::keys;
use super::lookup::Lookup;
use super::reader::{Content, Node, Section};
use crate::hierarchy::{Levels, LevelsFault};
use crate::problem::Problem;
use crate::schema::Values;
use toml_edit::Value;

/// The most levels: each is a column of the release and a number for every leaf.
const MOST_LEVELS: usize = 32;

/// The longest prefix.
const LONGEST_PREFIX: i64 = 1000;

const LEVELS_HINT: &str = "name the columns, coarse to fine: levels = [\"state\", \"county\"]";

const KEY_HINT: &str = "a leaf is found by its key: name a column with a different value in every \
                        row, key = \"…\"";

/// The levels, coarse to fine, and the key.
struct Header<'a> {
    names: Vec<String>,
    prefixes: Vec<Option<usize>>,
    nodes: Vec<Node<'a>>,
    key: String,
    key_node: Node<'a>,
}

impl<'a> Header<'a> {
    fn read(table: &Section<'a>) -> Result<Header<'a>, Problem> {
        let node = table.need("levels", LEVELS_HINT)?;
        let nodes = node.list()?;
        if nodes.is_empty() {
            return Err(node.bad("`levels` has no levels", "empty"));
        }
        if let Some(extra) = nodes.get(MOST_LEVELS) {
            let message = format!("a hierarchy has at most {MOST_LEVELS} levels, this one has {}", nodes.len());
            return Err(extra.bad(message, "one too many"));
        }
        let mut names: Vec<String> = Vec::with_capacity(nodes.len());
        let mut prefixes: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
        for element in &nodes {
            let (name, prefix) = level(element)?;
            if names.contains(&name) {
                let message = format!("the level `{name}` is listed twice in `levels`");
                return Err(element.bad(message, "the second time"));
            }
            if let Some((prefix, longest)) = prefix.zip(prefixes.iter().copied().flatten().max())
                && prefix <= longest
            {
                let message =
                    format!("the level `{name}` is not finer than the one with the prefix {longest} above it");
                return Err(element
                    .bad(message, format!("a prefix of {prefix}"))
                    .hint("levels run from coarse to fine, and a longer prefix is finer"));
            }
            names.push(name);
            prefixes.push(prefix);
        }
        let (key, key_node) = match (table.get("key"), names.last().zip(nodes.last())) {
            (Some(node), _) => (node.nonempty()?.to_string(), node),
            (None, Some((last, node))) => (last.clone(), node.clone()),
            (None, None) => (String::new(), node),
        };
        let header = Header { names, prefixes, nodes, key, key_node };
        header.check_key()?;
        Ok(header)
    }

    fn check_key(&self) -> Result<(), Problem> {
        let Some(level) = self.names.iter().position(|name| *name == self.key) else { return Ok(()) };
        let key = &self.key;
        if self.prefixes[level].is_some() {
            return Err(self
                .key_node
                .bad(format!("the level `{key}` is a prefix of the key, and no key is named"), "a prefix of what?")
                .hint("name the column of the whole code: key = \"geoid\", or as the last level"));
        }
        match self.names.get(level + 1) {
            None => Ok(()),
            Some(below) => {
                let message = format!("the level `{below}` stands below the key `{key}`, which no level can divide");
                Err(self.nodes[level + 1]
                    .bad(message, "finer than a leaf")
                    .hint("levels run from coarse to fine: the key is the last one, or not a level"))
            }
        }
    }

    /// How many labels a row has: those of the columns, and the key when it is not a level.
    fn width(&self) -> usize {
        self.prefixes.iter().filter(|prefix| prefix.is_none()).count() + usize::from(!self.names.contains(&self.key))
    }

    /// The name of a column of a whole row.
    fn column(&self, column: usize) -> &str {
        self.names.get(column).unwrap_or(&self.key)
    }

    fn short(&self, level: usize) -> (String, String) {
        let (name, key, prefix) = (&self.names[level], &self.key, self.prefixes[level].unwrap_or(0));
        let message = format!("the level `{name}` is the first {prefix} characters of `{key}`, and a key is shorter");
        (message, "codes that lost their leading zeros are a common cause: write them as text".to_string())
    }

    fn levels(&self, rows: &[Vec<String>]) -> Result<Levels, LevelsFault> {
        Levels::with_prefixes(self.names.clone(), self.key.clone(), &self.prefixes, rows)
    }
}

/// One level: its name and, if it is a prefix of the key, how many characters.
fn level(element: &Node) -> Result<(String, Option<usize>), Problem> {
    if !matches!(element.content, Content::Value(Value::InlineTable(_))) {
        return Ok((label(element, "level")?, None));
    }
    let hint = "write { name = \"state\", prefix = 2 }";
    let table = element.section("a level")?;
    table.only(&keys::LEVEL)?;
    let name = table.need("name", hint)?.nonempty()?.to_string();
    let node = table.need("prefix", hint)?;
    let characters = node.integer()?;
    if !(1..=LONGEST_PREFIX).contains(&characters) {
        let message = format!("`prefix` must be between 1 and {LONGEST_PREFIX}");
        return Err(node.bad(message, "out of range").hint("it is the number of characters of the key"));
    }
    Ok((name, Some(characters as usize)))
}

/// A hierarchy whose rows are in a public file.
pub(super) fn from_file(table: &Section, path: &Node, files: Files<'_>) -> Result<Values, Problem> {
    let header = Header::read(table)?;
    let mut lookup = Lookup::read(path, files)?;
    let mut columns = Vec::with_capacity(header.names.len() + 1);
    for (level, name) in header.names.iter().enumerate() {
        if header.prefixes[level].is_none() {
            columns.push(lookup.column(name, &header.nodes[level])?);
        }
    }
    if !header.names.contains(&header.key) {
        columns.push(lookup.column(&header.key, &header.key_node)?);
    }
    if let Some(node) = table.get("where") {
        lookup.keep(&node)?;
    }
    header.levels(&lookup.rows(&columns)).map(Values::Hierarchy).map_err(|fault| match fault {
        LevelsFault::Empty => path.bad("the domain file has no rows", "no leaf"),
        LevelsFault::EmptyLabel { row, column } => lookup
            .bad_row(row, format!("`{}` is empty", header.column(column)), "no label in this row")
            .hint("leave the row out with `where`, or complete the file"),
        LevelsFault::ShortKey { row, level } => {
            let (message, hint) = header.short(level);
            lookup.bad_row(row, message, "too short").hint(hint)
        }
        LevelsFault::SameKey { row } => {
            lookup.bad_row(row, format!("the key `{}` is not unique", header.key), "the second time").hint(KEY_HINT)
        }
    })
}

/// A hierarchy whose rows are written in the spec. A row of one label may be written as that label.
pub(super) fn from_rows(table: &Section, node: &Node) -> Result<Values, Problem> {
    let header = Header::read(table)?;
    let width = header.width();
    let elements = node.list()?;
    let mut rows = Vec::with_capacity(elements.len());
    for element in &elements {
        if width == 1 && !matches!(element.content, Content::Value(Value::Array(_))) {
            rows.push(vec![label(element, "label")?]);
            continue;
        }
        let fields = element.list()?;
        if fields.len() != width {
            let labels = if width == 1 { "label" } else { "labels" };
            let message = format!("a row needs {width} {labels} and has {}", fields.len());
            let own_key = if header.names.contains(&header.key) { "" } else { ", then key" };
            let columns = if header.prefixes.iter().all(Option::is_none) { "levels" } else { "levels without prefix" };
            return Err(element.bad(message, format!("needs one for each of: {columns}{own_key}")));
        }
        let row: Result<Vec<String>, Problem> = fields.iter().map(|field| label(field, "label")).collect();
        rows.push(row?);
    }
    header.levels(&rows).map(Values::Hierarchy).map_err(|fault| match fault {
        LevelsFault::Empty => node.bad("`rows` has no rows", "empty"),
        LevelsFault::EmptyLabel { row, .. } => elements[row].bad("a label is empty", "empty"),
        LevelsFault::ShortKey { row, level } => {
            let (message, hint) = header.short(level);
            elements[row].bad(message, "too short").hint(hint)
        }
        LevelsFault::SameKey { row } => {
            elements[row].bad(format!("the key `{}` is not unique", header.key), "the second time").hint(KEY_HINT)
        }
    })
}

//! The `[dimensions]` section: the declared domain.
//!
//! A dimension is a list of labels, or a table in one of these forms, each with an optional
//! `column` (the column of the data file; by default the name of the dimension):
//!
//! ```text
//! { values = ["a", "b"] }                      labels; integers are taken as text
//! { integers = [0, 115] }                      all integers from the first to the last
//! { bins = [0, 5, 18], open = true }           [0,5) [5,18) 18+
//! { path = "f.csv", key = "code" }             the column `key` (by default `column`) of a public file
//! { path = "f.csv", key = "code", levels = ["state", "code"] }   a hierarchy from a public file
//! { path = "f.csv", levels = [{ name = "state", prefix = 2 }, "code"] }   levels by the first characters of the key
//! { key = "code", levels = ["state", "code"], rows = [["Maine", "23"]] }   the same, written out
//! { dates = "quarter", first = "2024-Q1", last = "2024-Q4" }     days counted by year, quarter, month or day
//! { columns = ["cases", "deaths"], record = "any" }              measures: several columns of counts
//! ```
//!
//! How fields that are not written like values become values is read in `cleaning.rs`.
//!
//! `where` keeps some rows of a public file. The key of a hierarchy is what the data file holds; by
//! default it is the last level. When it is not a level, it is the last element of every row of
//! `rows`.
//!
//! Measures are the columns of the data file that hold counts, so they have no `column` and exclude
//! `count`. With `record = "any"` (the default) one record may be counted in every measure of its
//! row, with `"one"` in a single one.

use super::cleaning;
use super::data::Defaults;
use super::files::Files;
use super::hierarchies;
use super::keys;
use super::lookup::Lookup;
use super::reader::{Content, Node, Section};
use crate::declaration::Declaration;
use crate::domain::MOST_CELLS;
use crate::fold::MOST_STREAMED;
use crate::nearest::suggestion;
use crate::problem::Problem;
use crate::schema::{Cleaning, Dimension, Record, Schema, Values};
use std::collections::{HashMap, HashSet};
use toml_edit::Value;

/// Columns that the program adds to its output.
const RESERVED: [&str; 4] = ["value", "draw", "lower90", "upper90"];

/// The most dimensions: a table has thirty with two values at the most, so more is a mistake or an
/// attack on the stack.
const MOST_DIMENSIONS: usize = 256;

/// The forms of a dimension: the key that decides the form, and the keys that go with it.
const FORMS: [(&str, &[&str]); 7] = [
    ("values", &[]),
    ("integers", &[]),
    ("bins", &["open", "below"]),
    ("dates", &["first", "last"]),
    ("path", &["key", "levels", "where"]),
    ("rows", &["key", "levels"]),
    ("columns", &["record"]),
];

/// The keys that go with every form but columns of counts.
const OF_FIELDS: [&str; 5] = ["column", "trim", "case", "recode", "unknown"];

pub(super) fn read(section: &Section, files: Files<'_>, defaults: &Defaults) -> Result<Schema, Problem> {
    let mut dimensions = Vec::new();
    for node in section.entries() {
        let name = node.name.clone();
        if dimensions.len() == MOST_DIMENSIONS {
            let message = format!("more than {MOST_DIMENSIONS} dimensions are declared");
            return Err(section.bad_key(&name, message, "one too many"));
        }
        if name.is_empty() {
            return Err(section.bad_key("", "a dimension has no name", "empty"));
        }
        let (column, (values, cleaning)) = if matches!(node.content, Content::Value(Value::Array(_))) {
            let values = Values::List(labels(&node, "value")?);
            (name.clone(), (values.clone(), cleaning::of_list(&node, &values, defaults)?))
        } else {
            form(&node, files, defaults)?
        };
        if matches!(values, Values::Measures { .. })
            && let Some(Dimension { name: other, .. }) =
                dimensions.iter().find(|other: &&Dimension| matches!(other.values, Values::Measures { .. }))
        {
            let message = format!("`{name}` and `{other}` are both measures");
            return Err(section
                .bad_key(&name, message, "the second dimension of measures")
                .hint("a table has one dimension of measures: list all columns of counts there"));
        }
        dimensions.push(Dimension { name, column, values, cleaning });
    }
    if dimensions.is_empty() {
        return Err(section
            .bad("no dimension is declared", "empty")
            .hint("declare the domain: county = [\"Alpha\", \"Beta\"]"));
    }
    let schema = Schema { dimensions };
    check_names(section, &schema)?;
    check_size(section, &schema)?;
    Ok(schema)
}

/// Reads a dimension that is a table.
fn form(node: &Node, files: Files<'_>, defaults: &Defaults) -> Result<(String, (Values, Cleaning)), Problem> {
    let name = &node.name;
    let hint = "write a list of labels, or { integers = [0, 115] }, { bins = [0, 18, 65] }, \
                { path = \"domain.csv\", column = \"code\" }";
    let table = node
        .section(format!("the dimension `{name}`"))
        .map_err(|_| node.bad(format!("`{name}` does not declare a domain"), "not a domain").hint(hint))?;
    table.only(&keys::DIMENSION)?;
    let mut forms = FORMS.iter().filter(|(key, _)| table.get(key).is_some());
    let (form, others) = match (forms.next(), forms.next()) {
        (Some((form, others)), None) => (*form, *others),
        (Some((first, _)), Some((second, _))) => {
            let message = format!("`{name}` declares its domain twice: `{first}` and `{second}`");
            return Err(table.bad_key(second, message, "the second domain"));
        }
        _ => {
            let message = format!("`{name}` does not declare a domain");
            return Err(node.bad(message, "no values").hint(hint));
        }
    };
    let goes_along =
        |key: &str| key == form || others.contains(&key) || (form != "columns" && OF_FIELDS.contains(&key));
    if let Some(stray) = table.entries().iter().find(|entry| !goes_along(&entry.name)) {
        let key = &stray.name;
        let message = format!("`{key}` does not go with `{form}`");
        return Err(table.bad_key(key, message, "no meaning here"));
    }
    let column = table.text("column")?.unwrap_or_else(|| name.clone());
    let domain = table.need(form, hint)?;
    let values = match form {
        "values" => Values::List(labels(&domain, "value")?),
        "integers" => integers(&domain)?,
        "bins" => bins(&table, &domain)?,
        "dates" => return Ok((column, cleaning::dates(&table, &domain, files, defaults)?)),
        "path" => match table.get("levels") {
            None => list_from_file(&table, &domain, &column, files)?,
            Some(_) => hierarchies::from_file(&table, &domain, files)?,
        },
        "rows" => hierarchies::from_rows(&table, &domain)?,
        _ => {
            let record = table.choice("record", &Record::ALL, Record::name, Record::Any)?;
            let values = Values::Measures { columns: labels(&domain, "column")?, record };
            return Ok((column, (values, Cleaning::default())));
        }
    };
    Ok((column, cleaning::of(&table, values, files, defaults)?))
}

/// A list of distinct labels; integers are taken as text.
pub(super) fn labels(node: &Node, what: &str) -> Result<Vec<String>, Problem> {
    let elements = node.list()?;
    if elements.is_empty() {
        let message = format!("`{}` has no {what}s", node.name);
        return Err(node.bad(message, "empty"));
    }
    let mut labels = Vec::with_capacity(elements.len());
    let mut seen: HashSet<String> = HashSet::with_capacity(elements.len());
    for element in &elements {
        let label = label(element, what)?;
        if !seen.insert(label.clone()) {
            let message = format!("the {what} `{label}` is listed twice in `{}`", node.name);
            return Err(element.bad(message, "the second time"));
        }
        labels.push(label);
    }
    Ok(labels)
}

/// One label: text, or an integer taken as text.
pub(super) fn label(element: &Node, what: &str) -> Result<String, Problem> {
    match element.content {
        Content::Value(Value::String(text)) if text.value().is_empty() => Err(element
            .bad(format!("an empty {what} in `{}`", element.name), "empty")
            .hint("an empty field is a missing value: see `missing` under [data]")),
        Content::Value(Value::String(text)) => Ok(text.value().clone()),
        Content::Value(Value::Integer(integer)) => Ok(integer.value().to_string()),
        _ => Err(element
            .bad(format!("a {what} of `{}` is neither text nor an integer", element.name), "here")
            .hint("put it in quotes, exactly as the file writes it")),
    }
}

/// The labels of a row that is a list.
pub(super) fn fields(element: &Node) -> Result<Vec<String>, Problem> {
    element.list()?.iter().map(|field| label(field, "label")).collect()
}

fn integers(node: &Node) -> Result<Values, Problem> {
    let elements = node.list()?;
    let [first, last] = elements.as_slice() else {
        return Err(node
            .bad("`integers` takes the first and the last value", "not two integers")
            .hint("write integers = [0, 115]"));
    };
    let (first, last) = (first.integer()?, last.integer()?);
    if first > last {
        return Err(node
            .bad("`integers` runs from the smaller to the larger value", "the wrong way round")
            .hint(format!("write integers = [{last}, {first}]")));
    }
    if i128::from(last) - i128::from(first) >= MOST_STREAMED as i128 {
        return Err(node.bad(format!("`integers` has more than {MOST_STREAMED} values"), "too many").hint("use bins"));
    }
    Ok(Values::Integers { first, last })
}

fn bins(table: &Section, node: &Node) -> Result<Values, Problem> {
    let open = table.get("open").map_or(Ok(false), |node| node.flag())?;
    let elements = node.list()?;
    let mut edges: Vec<i64> = Vec::with_capacity(elements.len());
    for element in &elements {
        let edge = element.integer()?;
        if edges.last().is_some_and(|last| *last >= edge) {
            let message = "the edges of `bins` must increase";
            return Err(element.bad(message, "not above the edge before it"));
        }
        edges.push(edge);
    }
    if edges.len() + usize::from(open) < 2 {
        return Err(node
            .bad("`bins` has no bin", "too few edges")
            .hint("bins = [0, 5, 18] are [0,5) and [5,18); with open = true also 18+"));
    }
    Ok(Values::Bins { edges, open })
}

fn list_from_file(table: &Section, path: &Node, column: &str, files: Files<'_>) -> Result<Values, Problem> {
    let mut lookup = Lookup::read(path, files)?;
    let named = table.get("key").or_else(|| table.get("column"));
    let key = &table.text("key")?.unwrap_or_else(|| column.to_string());
    let position = lookup.column(key, named.as_ref().unwrap_or(path))?;
    if let Some(node) = table.get("where") {
        lookup.keep(&node)?;
    }
    let labels: Vec<String> = lookup.rows(&[position]).into_iter().flatten().collect();
    if labels.is_empty() {
        return Err(path.bad("the domain file has no rows", "no value"));
    }
    let mut seen: HashSet<&str> = HashSet::with_capacity(labels.len());
    for (row, label) in labels.iter().enumerate() {
        if label.is_empty() {
            return Err(lookup.bad_row(row, format!("`{key}` is empty"), "no value in this row"));
        }
        if !seen.insert(label) {
            let message = format!("the value `{label}` of `{key}` appears twice");
            return Err(lookup.bad_row(row, message, "the second time"));
        }
    }
    Ok(Values::List(labels))
}

/// Names of dimensions, levels and keys share one space: they are columns of the release, or used
/// like them.
fn check_names(section: &Section, schema: &Schema) -> Result<(), Problem> {
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for dimension in &schema.dimensions {
        let mut names = vec![dimension.name.as_str()];
        if let Values::Hierarchy(levels) = &dimension.values {
            // The name of a dimension means its leaves, and so does its key.
            let others = levels.names.iter().chain(levels.key_level().is_none().then_some(&levels.key));
            names.extend(
                others.map(String::as_str).filter(|name| *name != dimension.name || levels.key != dimension.name),
            );
        }
        for name in names {
            if RESERVED.contains(&name) {
                let message = format!("the name `{name}` is reserved");
                return Err(section
                    .bad_key(&dimension.name, message, "a column of the release has this name")
                    .hint("give it another name; `column` says how the data file calls it"));
            }
            if let Some(owner) = owners.insert(name, &dimension.name) {
                let message = format!("the name `{name}` is used twice");
                let hint = if owner == dimension.name {
                    "a level or key has the name of its dimension: rename the dimension, and give \
                     the file's name as `column`"
                        .to_string()
                } else {
                    format!("the dimension `{owner}` has it already, as its name or a level")
                };
                return Err(section.bad_key(&dimension.name, message, "the second time").hint(hint));
            }
        }
    }
    Ok(())
}

/// No table is larger than this, whatever is asked of it.
fn check_size(section: &Section, schema: &Schema) -> Result<(), Problem> {
    match schema.combinations() {
        Some(combinations) if combinations <= MOST_STREAMED => Ok(()),
        _ => Err(too_many(section, schema, MOST_STREAMED)),
    }
}

/// A table that must be in memory is smaller.
pub(super) fn check_memory(section: &Section, declaration: &Declaration) -> Result<(), Problem> {
    if declaration.schema.combinations().is_some_and(|combinations| combinations <= MOST_CELLS) {
        return Ok(());
    }
    declaration.fold().map(|_| ()).map_err(|because| {
        let problem = too_many(section, &declaration.schema, MOST_CELLS);
        let hint = problem.hint.clone().unwrap_or_default();
        problem.hint(format!("{hint}; a larger table must not be held in memory, and this one must, because {because}"))
    })
}

fn too_many(section: &Section, schema: &Schema, most: usize) -> Problem {
    let sizes: Vec<String> =
        schema.dimensions.iter().map(|dimension| format!("{} {}", dimension.name, dimension.values.len())).collect();
    let message = format!("the dimensions have more than {most} combinations");
    section.bad(message, "too many cells").hint(format!("use fewer or coarser values: {}", sizes.join(" × ")))
}

/// The names of dimensions or levels in a list, each known and listed once.
pub(super) fn names(node: &Node, schema: &Schema) -> Result<Vec<String>, Problem> {
    let mut names: Vec<String> = Vec::new();
    for (name, element) in node.texts()? {
        if schema.resolve(name).is_none() {
            return Err(element
                .bad(format!("unknown dimension `{name}`"), "not a dimension or level")
                .hint(suggestion(name, "Declared", &schema.names())));
        }
        if names.iter().any(|other| other == name) {
            let message = format!("`{name}` is listed twice in `{}`", node.name);
            return Err(element.bad(message, "the second time"));
        }
        names.push(name.to_string());
    }
    Ok(names)
}

//! The keys of a dimension that say how a field of the data file becomes one of its values.
//!
//! ```text
//! trim = true, case = "ignore"                 spaces around fields, and capital letters, make no difference
//! recode = { "MULT" = "Multnomah" }            what stands in the file = what it is read as; or a public file
//! unknown = "Unknown"                          missing fields and those outside the domain become this value
//! below = 115                                  numbers from here on are outside, also of an open bin
//! ```
//!
//! A list and a hierarchy must declare the unknown value. To integers, bins and dates it is added,
//! as the last.

use super::data::{Defaults, case};
use super::files::Files;
use super::lookup::Lookup;
use super::reader::{Content, Node, Section};
use crate::dates::Period;
use crate::field::{Field, FieldReader};
use crate::nearest::suggestion;
use crate::problem::Problem;
use crate::schema::{Cleaning, Holds, Values};
use std::collections::HashMap;
use toml_edit::Value;

/// More values are not written out beside an unknown one, nor periods.
const MOST_LABELS: i64 = 1 << 17;

/// The columns of a file of what is recoded.
const RECODE_COLUMNS: [&str; 2] = ["found", "value"];

/// The cleaning of a dimension that is a plain list.
pub(super) fn of_list(node: &Node, values: &Values, defaults: &Defaults) -> Result<Cleaning, Problem> {
    let cleaning = Cleaning { trim: defaults.trim, ignore_case: defaults.ignore_case, ..Cleaning::default() };
    check_labels(node, values, &cleaning)?;
    Ok(cleaning)
}

/// The values of a dimension and how fields become them.
pub(super) fn of(
    table: &Section,
    values: Values,
    files: Files<'_>,
    defaults: &Defaults,
) -> Result<(Values, Cleaning), Problem> {
    let below = below(table, &values)?;
    let holds = match (&values, table.get("unknown")) {
        (Values::Integers { first, last }, Some(node)) if last - first >= MOST_LABELS => {
            let message = format!("beside `unknown` there are at most {MOST_LABELS} integers");
            return Err(node.bad(message, "too many").hint("use bins"));
        }
        (Values::Integers { .. } | Values::Bins { .. }, Some(_)) => Holds::Numbers(values.clone()),
        _ => Holds::Values,
    };
    finish(table, values, Cleaning { below, holds, ..Cleaning::default() }, files, defaults)
}

/// A dimension of dates.
pub(super) fn dates(
    table: &Section,
    node: &Node,
    files: Files<'_>,
    defaults: &Defaults,
) -> Result<(Values, Cleaning), Problem> {
    let period = node.choice(&Period::ALL, Period::name)?;
    let end = |key: &str| {
        let hint = format!("name the first and the last {}: {key} = \"{}\"", period.name(), period.example());
        let node = table.need(key, &hint)?;
        let text = node.text()?;
        let number = period.read(text).ok_or_else(|| {
            let message = format!("`{text}` is no {}", period.name());
            node.bad(message, "not written like one").hint(format!("write it like \"{}\"", period.example()))
        })?;
        Ok((node, number))
    };
    let ((_, first), (node, last)) = (end("first")?, end("last")?);
    if last < first {
        return Err(node.bad("`last` is before `first`", "the wrong way round"));
    }
    if last - first >= MOST_LABELS {
        return Err(node.bad(format!("there are more than {MOST_LABELS} {}s", period.name()), "too many"));
    }
    let values = Values::List((first..=last).map(|number| period.label(number)).collect());
    let holds = Holds::Dates { period, first, last, formats: defaults.date_formats.clone() };
    finish(table, values, Cleaning { holds, ..Cleaning::default() }, files, defaults)
}

fn below(table: &Section, values: &Values) -> Result<Option<i64>, Problem> {
    let Some(node) = table.get("below") else { return Ok(None) };
    let below = node.integer()?;
    match values {
        Values::Bins { edges, open: true } if edges.last().is_some_and(|last| *last < below) => Ok(Some(below)),
        Values::Bins { edges, open: true } => {
            let last = edges.last().copied().unwrap_or_default();
            let message = format!("`below` must be above the last edge, {last}");
            Err(node.bad(message, "leaves nothing of the open bin"))
        }
        _ => Err(node
            .bad("`below` bounds an open bin, and there is none", "no open bin")
            .hint("the last edge bounds these bins already; or write open = true")),
    }
}

fn finish(
    table: &Section,
    mut values: Values,
    mut cleaning: Cleaning,
    files: Files<'_>,
    defaults: &Defaults,
) -> Result<(Values, Cleaning), Problem> {
    cleaning.trim = table.get("trim").map_or(Ok(defaults.trim), |node| node.flag())?;
    cleaning.ignore_case = table.get("case").map_or(Ok(defaults.ignore_case), |node| case(&node))?;
    if let Some(node) = table.get("unknown") {
        let unknown = node.nonempty()?.to_string();
        values = with_unknown(&node, values, &unknown, &cleaning)?;
        cleaning.unknown = Some(unknown);
    }
    check_labels(&table.whole(), &values, &cleaning)?;
    if let Some(node) = table.get("recode") {
        cleaning.recode = recode(&node, &values, &cleaning, files)?;
    }
    Ok((values, cleaning))
}

/// The values with the unknown one, which a list must declare itself.
fn with_unknown(node: &Node, values: Values, unknown: &str, cleaning: &Cleaning) -> Result<Values, Problem> {
    let labels: Vec<String> = values.labels().collect();
    let is_declared = labels.iter().any(|label| label == unknown);
    if cleaning.holds == Holds::Values {
        if is_declared {
            return Ok(values);
        }
        let known = suggestion(unknown, "Declared", &labels);
        return Err(node
            .bad(format!("`{unknown}` is not one of the declared values"), "not declared")
            .hint(format!("rows are counted under it, so declare it with the others. {known}")));
    }
    if is_declared {
        return Err(node.bad(format!("`{unknown}` is the label of another value"), "the second time"));
    }
    Ok(Values::List(labels.into_iter().chain([unknown.to_string()]).collect()))
}

/// Labels that fields cannot tell apart, or never have, would be a mistake.
fn check_labels(node: &Node, values: &Values, cleaning: &Cleaning) -> Result<(), Problem> {
    let of_text = matches!(values, Values::List(_) | Values::Hierarchy(_)) && cleaning.holds == Holds::Values;
    if !of_text || !(cleaning.trim || cleaning.ignore_case) {
        return Ok(());
    }
    let mut seen: HashMap<String, String> = HashMap::with_capacity(values.len());
    for label in values.labels() {
        if cleaning.trim && label.trim() != label {
            return Err(node
                .bad(format!("the value `{label}` has spaces around it"), "no field is read so with `trim`")
                .hint("take the spaces away"));
        }
        let folded = if cleaning.ignore_case { label.to_lowercase() } else { continue };
        if let Some(other) = seen.insert(folded, label.clone()) {
            let message = format!("the values `{other}` and `{label}` are the same with case = \"ignore\"");
            return Err(node
                .bad(message, "cannot be told apart")
                .hint("declare one of them, or write case = \"exact\""));
        }
    }
    Ok(())
}

/// What is recoded, written out.
fn recode(
    node: &Node,
    values: &Values,
    cleaning: &Cleaning,
    files: Files<'_>,
) -> Result<Vec<(String, String)>, Problem> {
    let pairs = match node.content {
        Content::Value(Value::String(_)) => from_file(node, files)?,
        _ => written(node)?,
    };
    if pairs.is_empty() {
        return Err(node.bad("`recode` is empty", "nothing to recode").hint("leave it out"));
    }
    let reader = FieldReader::new(values, cleaning);
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (number, (found, value, place)) in pairs.iter().enumerate() {
        let is_unknown = cleaning.unknown.as_ref() == Some(value);
        let meant = reader.declared(value);
        if !is_unknown && (meant == Field::Outside || value.trim_ascii().is_empty()) {
            let labels: Vec<String> = values.labels().take(10_000).collect();
            let message = format!("`{found}` is recoded to `{value}`, which is no declared value");
            return Err(place(message, "not declared").hint(suggestion(value, "Declared", &labels)));
        }
        let is_text = matches!(values, Values::List(_) | Values::Hierarchy(_)) && cleaning.holds == Holds::Values;
        let own = reader.declared(found);
        if is_text && own != Field::Outside && own != meant {
            let message = format!("`{found}` is a declared value, and recoded to `{value}`");
            return Err(place(message, "would never be counted")
                .hint("take it out of the declared values, or do not recode it"));
        }
        let compared = reader.compared_text(found);
        if let Some(other) = seen.insert(compared, number) {
            let (other, other_value, _) = &pairs[other];
            if other_value != value {
                let message = format!("`{found}` and `{other}` are the same field, and recoded to different values");
                return Err(place(message, "the second time"));
            }
        }
    }
    Ok(pairs.into_iter().map(|(found, value, _)| (found, value)).collect())
}

/// What is found, what it is read as, and how to point at it.
type Pair<'a> = (String, String, Box<dyn Fn(String, &str) -> Problem + 'a>);

fn written<'a>(node: &Node<'a>) -> Result<Vec<Pair<'a>>, Problem> {
    let table = node.section("`recode`").map_err(|problem| {
        problem
            .hint("write recode = { \"MULT\" = \"Multnomah\" }, or name a public file with the columns found and value")
    })?;
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for entry in table.entries() {
        let value = super::dimensions::label(&entry, "value")?;
        pairs.push((entry.name.clone(), value, Box::new(move |message, label| entry.bad(message, label))));
    }
    Ok(pairs)
}

fn from_file<'a>(node: &Node<'a>, files: Files<'_>) -> Result<Vec<Pair<'a>>, Problem> {
    let lookup = Lookup::read(node, files)?;
    let columns = RECODE_COLUMNS.map(|column| lookup.column(column, node));
    let [found, value] = columns;
    let rows = lookup.rows(&[found?, value?]);
    let lookup = std::rc::Rc::new(lookup);
    let pair = |(row, fields): (usize, Vec<String>)| -> Option<Pair<'a>> {
        let [found, value] = fields.try_into().ok()?;
        let lookup = std::rc::Rc::clone(&lookup);
        Some((found, value, Box::new(move |message, label| lookup.bad_row(row, message, label))))
    };
    Ok(rows.into_iter().enumerate().filter_map(pair).collect())
}

//! Public values of invariants: from a file, from an earlier release, or written out.

use super::files::{EarlierRelease, Files};
use super::keys;
use super::lookup::Lookup;
use super::reader::{Content, Node, Section};
use crate::conditions::{groupings, sums};
use crate::declaration::Declaration;
use crate::grouping::labels;
use crate::invariant::{Invariant, PinnedValue, Sums};
use crate::nearest::suggestion;
use crate::number::Number;
use crate::pinned::{self, Misfit};
use crate::predicate::Expression;
use crate::problem::Problem;
use toml_edit::Value;

/// Public values as they were read, before they are matched with the groups of their invariant.
pub(super) struct Pins<'a> {
    /// The position of the invariant.
    invariant: usize,
    /// What names or holds the values in the spec.
    node: Node<'a>,
    by: Option<Node<'a>>,
    rows: Vec<PinnedValue>,
    places: Places<'a>,
}

/// Where the rows stand.
enum Places<'a> {
    File(Lookup),
    Inline(Vec<Node<'a>>),
    Earlier,
}

/// The public values of an invariant, if it has some.
pub(super) fn read<'a>(
    section: &Section<'a>,
    invariant: &Invariant,
    position: usize,
    files: Files<'_>,
) -> Result<Option<Pins<'a>>, Problem> {
    let (node, (rows, places)) = match (section.get("values"), section.get("from")) {
        (Some(node), _) => {
            let named = matches!(node.content, Content::Value(Value::String(_)));
            let read = if named { from_file(&node, &invariant.by, files)? } else { from_rows(&node, &invariant.by)? };
            (node, read)
        }
        (_, Some(node)) => {
            let release = files.earlier(&node)?;
            let filter = match &invariant.sums {
                Sums::Cells(filter) => filter.as_ref(),
                _ => None,
            };
            let rows = margin(section, &node, &invariant.by, filter, &release)?;
            (node, (rows, Places::Earlier))
        }
        _ => return Ok(None),
    };
    Ok(Some(Pins { invariant: position, node, by: section.get("by"), rows, places }))
}

fn from_file<'a>(node: &Node<'a>, by: &[String], files: Files<'_>) -> Result<(Vec<PinnedValue>, Places<'a>), Problem> {
    let lookup = Lookup::read(node, files)?;
    let names = by.iter().map(String::as_str).chain(["value"]);
    let columns: Result<Vec<usize>, Problem> = names.map(|name| lookup.column(name, node)).collect();
    let mut rows = Vec::new();
    for (row, mut fields) in lookup.rows(&columns?).into_iter().enumerate() {
        let field = fields.pop().unwrap_or_default();
        let value = Number::read(&field).and_then(Number::integer).and_then(|value| i64::try_from(value).ok());
        let Some(value) = value else {
            let message = match field.trim_ascii() {
                "" => "`value` is empty".to_string(),
                _ => format!("`value` must be a whole number, not `{field}`"),
            };
            return Err(lookup.bad_row(row, message, "not a whole number"));
        };
        rows.push(PinnedValue { labels: fields, value });
    }
    Ok((rows, Places::File(lookup)))
}

const ROWS_HINT: &str = "name a file, values = \"totals.csv\", or write { rows = [[\"Alpha\", 12]] }";

fn from_rows<'a>(node: &Node<'a>, by: &[String]) -> Result<(Vec<PinnedValue>, Places<'a>), Problem> {
    let table = node
        .section("`values`")
        .map_err(|_| node.bad("`values` must name a file", "neither text nor a table").hint(ROWS_HINT))?;
    table.only(&keys::ROWS)?;
    let elements = table.need("rows", ROWS_HINT)?.list()?;
    let mut rows = Vec::with_capacity(elements.len());
    for element in &elements {
        let fields = element.list()?;
        let [label_fields @ .., value] = fields.as_slice() else {
            return Err(element.bad("a row of `values` is empty", "needs a value"));
        };
        if label_fields.len() != by.len() {
            let message = format!("a row needs {} and has {}", fields_in_words(by.len() + 1), fields.len());
            return Err(element.bad(message, "needs one for each name of `by`, then the value"));
        }
        let labels = label_fields.iter().map(|field| super::dimensions::label(field, "label"));
        rows.push(PinnedValue { labels: labels.collect::<Result<_, _>>()?, value: value.integer()? });
    }
    Ok((rows, Places::Inline(elements)))
}

fn fields_in_words(count: usize) -> String {
    if count == 1 { "1 field".to_string() } else { format!("{count} fields") }
}

/// Sums in the table of an earlier release.
fn margin(
    section: &Section,
    node: &Node,
    by: &[String],
    filter: Option<&Expression>,
    release: &EarlierRelease,
) -> Result<Vec<PinnedValue>, Problem> {
    let EarlierRelease { declaration, counts } = release;
    let by_node = section.get("by");
    for (name, element) in by_node.iter().flat_map(|node| node.texts()).flatten() {
        if declaration.schema.resolve(name).is_none() {
            return Err(element
                .bad(format!("the earlier release has no dimension `{name}`"), "not one of its dimensions or levels")
                .hint(suggestion(name, "Its dimensions", &declaration.schema.names())));
        }
    }
    let domain = declaration.domain().map_err(|problem| node.placed(problem, "in the earlier release"))?;
    let filter_node = section.get("where").unwrap_or_else(|| node.clone());
    let grouping =
        sums(&domain, by, filter).map_err(|problem| filter_node.placed(problem, "in the earlier release"))?;
    if counts.len() != domain.len() {
        return Err(node.bad("the earlier release is not the table its certificate declares", "damaged"));
    }
    let totals: Result<Vec<i64>, _> = grouping.totals(counts).into_iter().map(i64::try_from).collect();
    let totals = totals.map_err(|_| node.bad("a total of the earlier release does not fit 64 bits", "too large"))?;
    let labels = labels(&domain, by, &grouping);
    Ok(labels.into_iter().zip(totals).map(|(labels, value)| PinnedValue { labels, value }).collect())
}

/// Matches the values with the groups over the live cells and puts them in the order of these.
pub(super) fn settle(declaration: &mut Declaration, pins: Vec<Pins<'_>>) -> Result<(), Problem> {
    if pins.is_empty() {
        return Ok(());
    }
    let domain = declaration.domain()?;
    for pins in pins {
        let invariant = &mut declaration.invariants[pins.invariant];
        let groupings = groupings(&domain, invariant).map_err(|problem| pins.node.placed(problem, "pinned here"))?;
        // Values go with totals alone, which are one grouping.
        for grouping in &groupings {
            let order = pinned::rows(&domain, &invariant.by, grouping, &pins.rows)
                .map_err(|misfit| pins.problem(&misfit, &invariant.by))?;
            invariant.pinned = Some(order.into_iter().map(|row| pins.rows[row].clone()).collect());
        }
    }
    Ok(())
}

impl Pins<'_> {
    fn problem(&self, misfit: &Misfit, by: &[String]) -> Problem {
        let message = misfit.message(by, &self.rows);
        match misfit {
            Misfit::Ambiguous { .. } => self
                .by
                .as_ref()
                .unwrap_or(&self.node)
                .bad(message, "does not tell them apart")
                .hint("name the levels above too: by = [\"state\", \"county\"]"),
            Misfit::Missing { .. } => self.node.bad(message, "incomplete").hint("every group needs exactly one value"),
            Misfit::Twice { row, .. } => self.row(*row, message, "the second time"),
            Misfit::Empty { row } => self
                .row(*row, message, "a sum without cells")
                .hint("its cells are structural zeros or left out by `where`: leave the row out, or write 0"),
            Misfit::Unknown { row, name, known } => {
                let label = &self.rows[*row].labels[*name];
                self.row(*row, message, "not in the domain").hint(suggestion(label, "Declared", known))
            }
        }
    }

    fn row(&self, row: usize, message: String, label: &str) -> Problem {
        match &self.places {
            Places::File(lookup) => lookup.bad_row(row, message, label),
            Places::Inline(elements) => elements[row].bad(message, label),
            Places::Earlier => {
                let PinnedValue { labels, .. } = &self.rows[row];
                let message = format!("{message} (in the earlier release: `{}`)", labels.join(", "));
                self.node.bad(message, "does not fit this table")
            }
        }
    }
}

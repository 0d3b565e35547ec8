//! The `[mechanism.base]` section: public counts or weights by which tables are weighted.

use super::coefficients::{BadRow, Codes};
use super::files::Files;
use super::keys;
use super::lookup::Lookup;
use super::reader::{Node, Section};
use crate::base::{BaseLaw, BaseMeasure, BaseRow};
use crate::declaration::{Data, Declaration, Method, Noise};
use crate::problem::Problem;
use crate::schema::Schema;
use exact::{Natural, Rational};
use std::collections::BTreeMap;

const HINT: &str = "name a public file: path = \"last_month.csv\", count = \"cases\"";
const ROWS_HINT: &str =
    "write values = { by = [\"county\"], rows = [[\"Alpha\", \"12\"]] }, or path = \"last_month.csv\"";

/// `alpha` and `add` are at most this.
const LARGEST: i64 = 1_000_000;
/// Public counts are at most ten to this power, `alpha` and `add` at least one over ten to that.
const COUNT_DIGITS: usize = 15;
const SMALLEST_DIGITS: usize = 9;
/// Weights that are not zero are between one over ten to this power and ten to it.
const WEIGHT_DIGITS: usize = 30;
/// Counts with a weight of their own are at most this.
const LARGEST_VALUE: i64 = 1_000_000_000;

/// The base measure, if one is declared.
pub(super) fn read(
    mechanism: &Section,
    (method, noise): (Method, Noise),
    data: &Data,
    schema: &Schema,
    files: Files<'_>,
) -> Result<Option<BaseMeasure>, Problem> {
    let Some(node) = mechanism.get("base") else { return Ok(None) };
    let section = node.section("[mechanism.base]")?;
    section.only(&keys::BASE)?;
    fits(mechanism, method, noise)?;
    let law = law(&section)?;
    let cells = section.get("cells").map(|node| super::predicates::over_cells(&node, schema)).transpose()?;
    if law == BaseLaw::Weights
        && let Some(key) = ["alpha", "add", "count"].into_iter().find(|key| section.get(key).is_some())
    {
        let message = format!("law = \"weights\" has no `{key}`");
        return Err(section
            .bad_key(key, message, "of laws around public counts")
            .hint("leave it out: the file has the columns `value` and `weight`"));
    }
    let (by, rows, path) = match (section.get("values"), section.get("path")) {
        (Some(_), Some(_)) => {
            return Err(section.bad_key("path", "both `path` and `values` are given", "one of them is enough"));
        }
        (Some(values), None) => {
            let table = values.section("`values`").map_err(|problem| problem.hint(ROWS_HINT))?;
            let (by, rows) = written_out(&table, &law, schema)?;
            (by, rows, None)
        }
        (None, _) => {
            let path = section.need("path", HINT)?;
            let (by, rows) = from_file(&section, &path, &law, data, schema, files)?;
            (by, rows, Some(path.nonempty()?.to_owned()))
        }
    };
    let all_zero = |row: &BaseRow| matches!(row, BaseRow::Weights(weights) if weights.values().all(Rational::is_zero));
    if !rows.is_empty() && rows.values().all(all_zero) {
        return Err(section
            .bad("all weights are zero", "would forbid and prefer nothing")
            .hint("give some counts a weight above zero; counts that are not listed weigh 1"));
    }
    Ok(Some(BaseMeasure { law, path, cells, by, rows }))
}

/// Refuses what no base measure goes with.
fn fits(mechanism: &Section, method: Method, noise: Noise) -> Result<(), Problem> {
    if method != Method::Condition {
        let message = format!("method = \"{}\" does not weigh tables: it takes no base measure", method.name());
        return Err(mechanism
            .bad_key("base", message, "of method = \"condition\"")
            .hint("write method = \"condition\", or leave [mechanism.base] out"));
    }
    if !noise.is_product || noise.is_continuous {
        let message = format!("`{}` noise takes no base measure: cells are weighted one by one", noise.name);
        return Err(mechanism
            .bad_key("base", message, "of noise on single counts")
            .hint("write noise = \"double-geometric\", or leave [mechanism.base] out"));
    }
    if noise.takes_rho {
        let problem = Problem::refused(format!(
            "`rho` cannot be certified with a base measure: `{}` noise may then lose more than rho",
            noise.name
        ))
        .hint("write noise = \"double-geometric\" with epsilon, whose loss theorem base proves");
        return Err(mechanism.source.point(problem, mechanism.key_span("base"), "weighs tables"));
    }
    Ok(())
}

/// Checks the base measure against the whole declaration, and leaves out what it says about other
/// cells.
pub(super) fn settle(mechanism: &Section, root: &Section, declaration: &mut Declaration) -> Result<(), Problem> {
    let (Some(mut base), Some(node)) = (declaration.mechanism.base.take(), mechanism.get("base")) else {
        return Ok(());
    };
    if !declaration.constraints.nonnegative {
        let place = root.get("constraints").and_then(|node| node.section("[constraints]").ok()?.get("nonnegative"));
        return Err(place
            .unwrap_or_else(|| node.clone())
            .bad("a base measure weighs counts at or above zero, and counts may be negative", "with [mechanism.base]")
            .hint("leave `nonnegative` out, or [mechanism.base]"));
    }
    let settled = base.settle(&declaration.domain()?);
    settled.map_err(|problem| node.placed(problem, "declared here"))?;
    declaration.mechanism.base = Some(base);
    Ok(())
}

fn law(section: &Section) -> Result<BaseLaw, Problem> {
    let node = section.need("law", "law = \"dirichlet-multinomial\", \"poisson\" or \"weights\"")?;
    let name = node.choice(&["dirichlet-multinomial", "poisson", "weights"], |word| word)?;
    let smallest = Rational::new(1, Natural::from(10u8).pow(SMALLEST_DIGITS));
    let limited = |key: &str, default: Rational, zero: bool| {
        let Some(node) = section.get(key) else { return Ok(default) };
        let value = node.number()?;
        if value > Rational::from(LARGEST) {
            return Err(node.bad(format!("`{key}` is above {LARGEST}"), "noise would not be heard").hint(
                "alpha is usually below 1: with alpha = 1 a public count draws as strongly as a count of its size",
            ));
        }
        match value.is_zero() && zero || value >= smallest {
            true => Ok(value),
            false if value.is_negative() => Err(node.bad(format!("`{key}` must not be negative"), "below zero")),
            false => Err(node.bad(format!("`{key}` is below 1e-{SMALLEST_DIGITS}"), "too small")),
        }
    };
    let alpha = limited("alpha", Rational::from(1), false)?;
    let add = limited("add", Rational::new(1, 2u8), true)?;
    Ok(match name {
        "dirichlet-multinomial" => BaseLaw::DirichletMultinomial { alpha, add },
        "poisson" => BaseLaw::Poisson { alpha, add },
        _ => BaseLaw::Weights,
    })
}

type Known = (Vec<usize>, BTreeMap<Vec<usize>, BaseRow>);

/// The columns of a row after its labels.
fn figures(law: &BaseLaw) -> usize {
    if *law == BaseLaw::Weights { 2 } else { 1 }
}

/// What the public file says.
fn from_file(
    section: &Section,
    path: &Node,
    law: &BaseLaw,
    data: &Data,
    schema: &Schema,
    files: Files<'_>,
) -> Result<Known, Problem> {
    let mut lookup = Lookup::read(path, files)?;
    if let Some(filter) = section.get("where") {
        lookup.keep(&filter)?;
    }
    let names: Vec<(String, Node)> = match (law, section.get("count"), &data.count) {
        (BaseLaw::Weights, ..) => vec![("value".to_owned(), path.clone()), ("weight".to_owned(), path.clone())],
        (_, Some(node), _) => vec![(node.nonempty()?.to_owned(), node)],
        (_, None, Some(count)) if lookup.has(count) => vec![(count.clone(), path.clone())],
        _ => return Err(section.need("count", HINT).err().unwrap_or_else(|| path.bad("`count` is missing", "here"))),
    };
    let figures: Vec<(&str, &Node)> = names.iter().map(|(name, node)| (name.as_str(), node)).collect();
    let one_cell = schema.dimensions.iter().all(|dimension| dimension.values.len() <= 1);
    let (by, columns) = lookup.columns(schema, path, &figures, (!one_cell).then_some("tells no cells apart"))?;
    let mut gathered = Gathered::new(schema, by);
    for (row, fields) in lookup.rows(&columns).iter().enumerate() {
        gathered.add(fields, law, &|message, label| lookup.bad_row(row, message, label))?;
    }
    Ok((gathered.by, gathered.rows))
}

/// What is written in the spec itself.
fn written_out(table: &Section, law: &BaseLaw, schema: &Schema) -> Result<Known, Problem> {
    table.only(&keys::BASE_VALUES)?;
    let by = dimensions_in_order(&table.need("by", ROWS_HINT)?, schema)?;
    let width = by.len() + figures(law);
    let mut gathered = Gathered::new(schema, by);
    for element in table.need("rows", ROWS_HINT)?.list()? {
        let fields = super::dimensions::fields(&element)?;
        if fields.len() != width {
            return Err(element.bad(format!("a row needs {width} fields and has {}", fields.len()), "in this row"));
        }
        gathered.add(&fields, law, &|message, label| element.bad(message, label))?;
    }
    Ok((gathered.by, gathered.rows))
}

/// Dimensions that a node names, by position.
pub(super) fn dimensions_in_order(node: &Node, schema: &Schema) -> Result<Vec<usize>, Problem> {
    let mut by = Vec::new();
    for (name, node) in node.texts()? {
        let position = schema.position(name).ok_or_else(|| node.not_one_of(name, &schema.own_names()))?;
        if by.last().is_some_and(|last| *last >= position) {
            return Err(node.bad("dimensions are named once, in their order", "out of order"));
        }
        by.push(position);
    }
    Ok(by)
}

/// The rows so far.
struct Gathered<'a> {
    by: Vec<usize>,
    codes: Codes<'a>,
    rows: BTreeMap<Vec<usize>, BaseRow>,
}

impl<'a> Gathered<'a> {
    fn new(schema: &'a Schema, by: Vec<usize>) -> Self {
        let codes = Codes::of(by.iter().map(|position| &schema.dimensions[*position]));
        Gathered { by, codes, rows: BTreeMap::new() }
    }

    fn add(&mut self, fields: &[String], law: &BaseLaw, bad: BadRow<'_>) -> Result<(), Problem> {
        let (labels, figures) = fields.split_at(fields.len() - figures(law));
        let codes = self.codes.of_row(labels, bad)?;
        match figures {
            [value, weight] => {
                let value = whole(value, bad)?;
                let weight = weight_of(weight, bad)?;
                let row = self.rows.entry(codes).or_insert_with(|| BaseRow::Weights(BTreeMap::new()));
                if let BaseRow::Weights(weights) = row
                    && weights.insert(value, weight).is_some()
                {
                    let message = format!("two rows weigh the count {value} of the same cells");
                    return Err(bad(message, "the second time"));
                }
            }
            [count] => {
                let count = count_of(count, bad)?;
                if self.rows.insert(codes, BaseRow::Count(count)).is_some() {
                    let hint = "write `where` to choose the rows of one period, or give the file the column that tells them apart";
                    return Err(bad("two rows have the same labels".to_owned(), "the second time").hint(hint));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn number(field: &str, name: &str, bad: BadRow<'_>) -> Result<Rational, Problem> {
    let number = field.trim_ascii().parse::<Rational>();
    number.map_err(|_| bad(format!("{name} must be a number, not `{field}`"), "not a number"))
}

fn count_of(field: &str, bad: BadRow<'_>) -> Result<Rational, Problem> {
    let count = number(field, "a public count", bad)?;
    match () {
        () if count.is_negative() => Err(bad(format!("a public count is negative: {field}"), "below zero")
            .hint("correct the public file: where corrections took more away than was counted, write 0")),
        () if count > Rational::integer(Natural::from(10u8).pow(COUNT_DIGITS)) => {
            Err(bad(format!("a public count is above 1e{COUNT_DIGITS}"), "too large"))
        }
        () => Ok(count),
    }
}

fn whole(field: &str, bad: BadRow<'_>) -> Result<i64, Problem> {
    let value = number(field, "`value`", bad)?;
    let whole = i64::try_from(value.floor()).ok().filter(|_| value.is_integer());
    whole
        .filter(|value| (0..=LARGEST_VALUE).contains(value))
        .ok_or_else(|| bad(format!("`value` must be a count from 0 to {LARGEST_VALUE}, not `{field}`"), "no count"))
}

fn weight_of(field: &str, bad: BadRow<'_>) -> Result<Rational, Problem> {
    let weight = number(field, "`weight`", bad)?;
    let most = Rational::integer(Natural::from(10u8).pow(WEIGHT_DIGITS));
    match () {
        () if weight.is_negative() => Err(bad(format!("a weight is negative: {field}"), "below zero")),
        () if weight.is_zero() => Ok(weight),
        () if weight > most || &weight * &most < Rational::from(1) => {
            Err(bad(format!("a weight is beyond 1e±{WEIGHT_DIGITS}: {field}"), "write 0 to forbid a count"))
        }
        () => Ok(weight),
    }
}

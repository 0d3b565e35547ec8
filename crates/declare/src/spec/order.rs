//! The key `order_by` of `[mechanism]`: a public table by which a cascade orders the cells of a
//! group.

use super::base::dimensions_in_order;
use super::coefficients::Codes;
use super::files::Files;
use super::keys;
use super::lookup::Lookup;
use super::reader::{Node, Section};
use super::{formats, read_bytes};
use crate::declaration::{Declaration, Method};
use crate::domain::Domain;
use crate::number::Number;
use crate::order::{Order, OrderTable};
use crate::problem::Problem;
use crate::schema::Schema;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const HINT: &str = "write order_by = { path = \"last_year.csv\", value = \"count\" }";

/// The order, if one is declared. `data`: the confidential file, which must not be its own order.
pub(super) fn read(
    section: &Section,
    method: Method,
    schema: &Schema,
    data: Option<&str>,
    files: Files<'_>,
) -> Result<Option<Order>, Problem> {
    let Some(node) = section.get("order_by") else { return Ok(None) };
    if method != Method::Cascade {
        let message = format!("method = \"{}\" pairs no cells: `order_by` says nothing there", method.name());
        return Err(section
            .bad_key("order_by", message, "of method = \"cascade\"")
            .hint("leave `order_by` out, or write method = \"cascade\""));
    }
    let table = node.section("`order_by`").map_err(|problem| problem.hint(HINT))?;
    table.only(&keys::ORDER)?;
    let path = table.need("path", HINT)?;
    formats::of(&path)?;
    let value = table.need("value", HINT)?.nonempty()?.to_owned();
    let stated = table.get("sha256").map(|node| Ok((hash(&node)?, node))).transpose()?;
    let name = path.nonempty()?.to_owned();
    if data == Some(name.as_str()) {
        return Err(path
            .bad("the confidential table cannot be ordered by itself: the order is public", "the data of [data]")
            .hint("name a table that was public before: last period's release, populations"));
    }
    let Some(folder) = files.folder else {
        let Some((sha256, _)) = stated else {
            return Err(path.bad("this spec must stand alone, but it names a file", "a file without its hash"));
        };
        return Ok(Some(Order { path: name, value, sha256, table: None }));
    };
    let lookup = Lookup::read(&path, files)?;
    let bytes = read_bytes(&folder.join(&name), &name).map_err(|problem| path.placed(problem, "named here"))?;
    let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if let Some((stated, node)) = stated
        && stated != sha256
    {
        return Err(node
            .bad(format!("`{name}` has another hash, {sha256}"), "not the file that was meant")
            .hint("give the file that this hash was taken of, or leave `sha256` out"));
    }
    let table = values(&lookup, &value, &table, &path, schema)?;
    Ok(Some(Order { path: name, value, sha256, table: Some(table) }))
}

/// Takes what the order says of the cells, and nothing else: from its file, or where the spec
/// stands alone from the text of its values.
pub(super) fn settle(section: &Section, declaration: &mut Declaration) -> Result<(), Problem> {
    let (Some(mut order), Some(node)) = (declaration.mechanism.order.take(), section.get("order_by")) else {
        return Ok(());
    };
    let table = node.section("`order_by`")?;
    let values = table.get("values");
    if order.is_at_hand() || values.is_some() {
        let domain = declaration.domain()?;
        order.settle(&domain).map_err(|problem| node.placed(problem, "named here"))?;
        if let Some(values) = values {
            let written = written(&table, &values, &declaration.schema, &domain)?;
            if order.table.get_or_insert_with(|| written.clone()) != &written {
                return Err(values
                    .bad(format!("`{}` says something else", order.path), "not the values of the file")
                    .hint("leave out `by` and `values`: they are written into certificates, which stand alone"));
            }
        }
    }
    declaration.mechanism.order = Some(order);
    Ok(())
}

/// The values that a certificate has.
fn written(table: &Section, values: &Node, schema: &Schema, domain: &Domain) -> Result<OrderTable, Problem> {
    let by = dimensions_in_order(&table.need("by", "it names the dimensions that `values` are about")?, schema)?;
    OrderTable::written(values.text()?, by, domain).ok_or_else(|| {
        values
            .bad("`values` are not one number for every combination that a cell has", "in the order of their labels")
            .hint(HINT)
    })
}

fn hash(node: &Node) -> Result<String, Problem> {
    let text = node.text()?;
    match text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(node.bad("`sha256` must be 64 hexadecimal digits", "no hash")),
    }
}

/// What the file says, by the dimensions that it has.
fn values(
    lookup: &Lookup,
    value: &str,
    section: &Section,
    path: &Node,
    schema: &Schema,
) -> Result<OrderTable, Problem> {
    let value_node = section.get("value").unwrap_or_else(|| path.clone());
    let (dimensions, columns) = lookup.columns(schema, path, &[(value, &value_node)], Some("orders no cell"))?;
    let codes = Codes::of(dimensions.iter().map(|position| &schema.dimensions[*position]));
    let mut found: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    for (row, fields) in lookup.rows(&columns).iter().enumerate() {
        let bad = |message: String, label: &str| lookup.bad_row(row, message, label);
        let [labels @ .., field] = fields.as_slice() else { continue };
        let number = Number::read(field).and_then(|_| field.trim_ascii().parse::<f64>().ok());
        let Some(number) = number.filter(|number| number.is_finite()) else {
            return Err(bad(format!("`{value}` must be a number, not `{field}`"), "not a number"));
        };
        if found.insert(codes.of_row(labels, &bad)?, number).is_some() {
            return Err(bad("two rows have the same labels".to_owned(), "the second time"));
        }
    }
    Ok(OrderTable { dimensions, values: found })
}

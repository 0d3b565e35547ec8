//! Predicates inside a spec: their faults point into the quoted text.

use super::reader::{Node, Section};
use crate::nearest::suggestion;
use crate::predicate::{Expression, Fault, Positions, RowPredicate, UnknownColumn, check_row, parse, resolve};
use crate::problem::Problem;
use crate::schema::Schema;

fn read(node: &Node) -> Result<(Expression, Positions), Problem> {
    parse(node.text()?).map_err(|fault| problem(node, fault))
}

fn problem(node: &Node, fault: Fault) -> Problem {
    let span = match node.text() {
        Ok(text) => node.source.inside(node.span.clone(), text, fault.span),
        Err(_) => node.span.clone(),
    };
    Problem { hint: fault.hint, ..node.source.bad(span, fault.message, fault.label) }
}

/// A predicate over dimensions and levels.
pub(crate) fn over_cells(node: &Node, schema: &Schema) -> Result<Expression, Problem> {
    let (expression, positions) = read(node)?;
    resolve(&expression, &positions, schema).map_err(|fault| problem(node, fault))?;
    Ok(expression)
}

/// The predicates over dimensions and levels that a key of a section lists, if it has any.
pub(crate) fn listed(section: &Section, key: &str, schema: &Schema) -> Result<Vec<Expression>, Problem> {
    let elements = section.get(key).map_or(Ok(Vec::new()), |node| node.list())?;
    elements.iter().map(|element| over_cells(element, schema)).collect()
}

/// The predicate over dimensions and levels that a section has as `where`, if it has one.
pub(crate) fn filter(section: &Section, schema: &Schema) -> Result<Option<Expression>, Problem> {
    section.get("where").map(|node| over_cells(&node, schema)).transpose()
}

/// A predicate over the columns of a file that is read later.
pub(crate) fn over_rows(node: &Node) -> Result<Expression, Problem> {
    let (expression, positions) = read(node)?;
    check_row(&expression, &positions).map_err(|fault| problem(node, fault))?;
    Ok(expression)
}

/// Refuses a predicate over rows that tests one of these columns, which hold counts.
///
/// One record more or less changes the count of its row, and would take all other records of the
/// row in or out with it: then no bound on what one record does to the table holds.
pub(crate) fn no_counts(node: &Node, counts: &[&str]) -> Result<(), Problem> {
    let (expression, positions) = read(node)?;
    let Some((comparison, name)) = expression.first_of(counts) else { return Ok(()) };
    let span = positions.get(comparison).map_or(0..0, |p| p.name.clone());
    let message = format!("`where` tests `{name}`, a column of counts");
    let fault = Fault::new(span, message, "one record more would take the whole row in or out")
        .hint("choose rows by what they are about, not by how many records they count");
    Err(problem(node, fault))
}

/// A predicate over the columns of a file that has been read.
pub(crate) fn over_columns(node: &Node, file: &str, columns: &[&str]) -> Result<RowPredicate, Problem> {
    let (expression, positions) = read(node)?;
    check_row(&expression, &positions).map_err(|fault| problem(node, fault))?;
    expression.bind(columns).map_err(|UnknownColumn { name, comparison }| {
        let span = positions.get(comparison).map_or(0..0, |p| p.name.clone());
        let fault = Fault::new(span, format!("`{file}` has no column `{name}`"), "not a column of the file");
        problem(node, fault.hint(suggestion(&name, "Columns", columns)))
    })
}

//! Predicates over a schema: every comparison becomes one truth value per code of its dimension.

use super::{Comparison, ComparisonPosition, Expression, Fault, Literal, Name};
use crate::nearest::{listed, suggestion};
use crate::problem::Problem;
use crate::schema::{Dimension, Holds, Schema, Values};
use std::collections::HashMap;
use std::ops::Range;

/// A predicate over the combinations of values of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    tree: Tree,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    /// Whether it holds, by the code of one dimension.
    Codes {
        dimension: usize,
        holds: Vec<bool>,
    },
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
}

impl Resolved {
    /// Resolves the names and values of an expression.
    pub fn new(expression: &Expression, schema: &Schema) -> Result<Resolved, Problem> {
        resolve(expression, &[], schema).map_err(|fault| Problem {
            hint: fault.hint,
            ..Problem::bad(format!("{} in `{expression}`", fault.message))
        })
    }

    /// Whether it holds for these codes, one per dimension.
    pub fn holds(&self, codes: &[usize]) -> bool {
        self.tree.holds(codes)
    }

    /// Whether it holds for every combination that starts with these codes (`Some(true)`), for none
    /// (`Some(false)`), or is not decided by them.
    pub fn truth(&self, prefix: &[usize]) -> Option<bool> {
        self.tree.truth(prefix)
    }
}

impl Tree {
    fn holds(&self, codes: &[usize]) -> bool {
        match self {
            Tree::Codes { dimension, holds } => holds[codes[*dimension]],
            Tree::And(left, right) => left.holds(codes) && right.holds(codes),
            Tree::Or(left, right) => left.holds(codes) || right.holds(codes),
            Tree::Not(inner) => !inner.holds(codes),
        }
    }

    fn truth(&self, prefix: &[usize]) -> Option<bool> {
        match self {
            Tree::Codes { dimension, holds } => prefix.get(*dimension).map(|code| holds[*code]),
            Tree::And(left, right) => match left.truth(prefix) {
                Some(false) => Some(false),
                Some(true) => right.truth(prefix),
                None => right.truth(prefix).filter(|right| !right),
            },
            Tree::Or(left, right) => match left.truth(prefix) {
                Some(true) => Some(true),
                Some(false) => right.truth(prefix),
                None => right.truth(prefix).filter(|right| *right),
            },
            Tree::Not(inner) => inner.truth(prefix).map(|inner| !inner),
        }
    }
}

/// Joins two trees; on one dimension they become one table.
fn join(
    left: Tree,
    right: Tree,
    join_codes: fn(bool, bool) -> bool,
    join_trees: fn(Box<Tree>, Box<Tree>) -> Tree,
) -> Tree {
    match (left, right) {
        (Tree::Codes { dimension, holds }, Tree::Codes { dimension: other, holds: other_holds })
            if dimension == other =>
        {
            let pairs = holds.into_iter().zip(other_holds);
            let holds = pairs.map(|(left, right)| join_codes(left, right)).collect();
            Tree::Codes { dimension, holds }
        }
        (left, right) => join_trees(Box::new(left), Box::new(right)),
    }
}

fn negated(tree: Tree) -> Tree {
    match tree {
        Tree::Codes { dimension, holds } => {
            Tree::Codes { dimension, holds: holds.iter().map(|holds| !holds).collect() }
        }
        other => Tree::Not(Box::new(other)),
    }
}

/// Resolves an expression; faults point at the positions.
pub(crate) fn resolve(
    expression: &Expression,
    positions: &[ComparisonPosition],
    schema: &Schema,
) -> Result<Resolved, Fault> {
    let mut resolver = Resolver { positions, schema, next: 0 };
    Ok(Resolved { tree: resolver.tree(expression)? })
}

struct Resolver<'a> {
    positions: &'a [ComparisonPosition],
    schema: &'a Schema,
    next: usize,
}

impl Resolver<'_> {
    fn tree(&mut self, expression: &Expression) -> Result<Tree, Fault> {
        match expression {
            Expression::Compare { name, op, value } => {
                let (spans, one) = (self.spans(), std::slice::from_ref(value));
                match op {
                    Comparison::Equal => self.any_of(name, one, &spans),
                    Comparison::NotEqual => self.any_of(name, one, &spans).map(negated),
                    _ => self.ordered(name, *op, value, &spans),
                }
            }
            Expression::In { name, values } => {
                let spans = self.spans();
                self.any_of(name, values, &spans)
            }
            Expression::And(left, right) => {
                let (left, right) = (self.tree(left)?, self.tree(right)?);
                Ok(join(left, right, |l, r| l && r, Tree::And))
            }
            Expression::Or(left, right) => {
                let (left, right) = (self.tree(left)?, self.tree(right)?);
                Ok(join(left, right, |l, r| l || r, Tree::Or))
            }
            Expression::Not(inner) => self.tree(inner).map(negated),
        }
    }

    /// Where the parts of the current comparison stand.
    fn spans(&mut self) -> ComparisonPosition {
        self.next += 1;
        self.positions.get(self.next - 1).cloned().unwrap_or_default()
    }

    fn name(&self, name: &str, spans: &ComparisonPosition) -> Result<(usize, Option<usize>), Fault> {
        self.schema.resolve(name).ok_or_else(|| {
            let message = format!("unknown dimension `{name}`");
            let hint = suggestion(name, "Declared", &self.schema.names());
            Fault::new(spans.name.clone(), message, "not a dimension or level").hint(hint)
        })
    }

    fn any_of(&self, name: &str, values: &[Literal], spans: &ComparisonPosition) -> Result<Tree, Fault> {
        let (dimension, level) = self.name(name, spans)?;
        let mut holds = vec![false; self.schema.dimensions[dimension].values.len()];
        if let Some((labels, codes)) = self.labels(dimension, level) {
            let texts: Vec<String> = values.iter().map(label_text).collect();
            let mut found: HashMap<&str, bool> = texts.iter().map(|text| (text.as_str(), false)).collect();
            let mut wanted = vec![false; labels.len()];
            for (label, wanted) in labels.iter().zip(&mut wanted) {
                if let Some(found) = found.get_mut(label.as_str()) {
                    *found = true;
                    *wanted = true;
                }
            }
            if let Some(position) = texts.iter().position(|text| !found[text.as_str()]) {
                return Err(outside(name, &texts[position], labels, spans.value(position)));
            }
            for (code, holds) in holds.iter_mut().enumerate() {
                *holds = wanted[codes.map_or(code, |codes| codes[code] as usize)];
            }
            return Ok(Tree::Codes { dimension, holds });
        }
        for (position, value) in values.iter().enumerate() {
            holds[self.numbered(name, dimension, value, spans.value(position))?] = true;
        }
        Ok(Tree::Codes { dimension, holds })
    }

    /// The values on one side of another. In a dimension whose labels were made from numbers or
    /// dates, the unknown value is on neither side.
    fn ordered(&self, name: &str, op: Comparison, value: &Literal, spans: &ComparisonPosition) -> Result<Tree, Fault> {
        let (dimension, _) = self.name(name, spans)?;
        let Dimension { values, cleaning, .. } = &self.schema.dimensions[dimension];
        let integer = || integer(name, value, spans.value(0));
        let mut holds: Vec<bool> = match (&cleaning.holds, values) {
            (Holds::Numbers(Values::Bins { edges, open }), _) | (Holds::Values, Values::Bins { edges, open }) => {
                let integer = integer()?;
                edge(name, op, integer, edges, spans)?;
                // At an edge, a bin is on one side as a whole: that of its lower end.
                let bins = edges.len() - 1 + usize::from(*open);
                edges[..bins].iter().map(|lower| op.accepts(lower.cmp(&integer))).collect()
            }
            (Holds::Numbers(Values::Integers { first, last }), _)
            | (Holds::Values, Values::Integers { first, last }) => {
                let integer = integer()?;
                if cleaning.holds == Holds::Values {
                    self.numbered(name, dimension, value, spans.value(0))?;
                }
                (*first..=*last).map(|number| op.accepts(number.cmp(&integer))).collect()
            }
            (Holds::Dates { first, last, .. }, _) => {
                let text = label_text(value);
                let labels: Vec<String> = (0..=(last - first) as usize).map(|code| values.label(code)).collect();
                let place = labels.iter().position(|label| *label == text);
                let place = place.ok_or_else(|| outside(name, &text, &labels, spans.value(0)))?;
                (0..labels.len()).map(|code| op.accepts(code.cmp(&place))).collect()
            }
            _ => {
                let message = format!("`{name}` has no order");
                return Err(Fault::new(spans.op.clone(), message, "orders a list of labels")
                    .hint(format!("list the values: {} in ('…', '…')", Name(name))));
            }
        };
        holds.resize(values.len(), false);
        Ok(Tree::Codes { dimension, holds })
    }

    /// The labels of an unordered dimension or level and, of a level, the code of every leaf.
    fn labels(&self, dimension: usize, level: Option<usize>) -> Option<(&[String], Option<&[u32]>)> {
        match (&self.schema.dimensions[dimension].values, level) {
            (Values::List(labels) | Values::Measures { columns: labels, .. }, _) => Some((labels, None)),
            (Values::Hierarchy(levels), Some(level)) => Some((&levels.labels[level], Some(&levels.codes[level]))),
            (Values::Hierarchy(levels), None) => Some((&levels.keys, None)),
            _ => None,
        }
    }

    /// The code of a value of an integer dimension or of a bin named by its label.
    fn numbered(&self, name: &str, dimension: usize, value: &Literal, span: Range<usize>) -> Result<usize, Fault> {
        let values = &self.schema.dimensions[dimension].values;
        match (values, value) {
            (Values::Integers { first, last }, _) => {
                let integer = integer(name, value, span.clone())?;
                if !(*first..=*last).contains(&integer) {
                    let message = format!("`{name}` has no value {integer}");
                    let nearest = integer.clamp(*first, *last);
                    return Err(Fault::new(span, message, "outside the domain")
                        .hint(format!("it runs from {first} to {last}; the nearest value is {nearest}")));
                }
                Ok((integer - first) as usize)
            }
            (_, Literal::Text(text)) => {
                let labels: Vec<String> = values.labels().collect();
                let found = labels.iter().position(|label| label == text);
                found.ok_or_else(|| outside(name, text, &labels, span))
            }
            (_, Literal::Integer(integer)) => {
                let labels: Vec<String> = values.labels().collect();
                let message = format!("`{name}` has bins, so single values cannot be told apart");
                Err(Fault::new(span, message, format!("{integer} is inside a bin"))
                    .hint(format!("compare with a bin in quotes: {}", listed(&labels))))
            }
        }
    }
}

fn label_text(value: &Literal) -> String {
    match value {
        Literal::Text(text) => text.clone(),
        Literal::Integer(integer) => integer.to_string(),
    }
}

fn integer(name: &str, value: &Literal, span: Range<usize>) -> Result<i64, Fault> {
    match value {
        Literal::Integer(integer) => Ok(*integer),
        Literal::Text(text) => {
            let message = format!("`{name}` holds numbers, not text");
            let fault = Fault::new(span, message, "text");
            Err(match text.parse::<i64>() {
                Ok(integer) => fault.hint(format!("write {integer} without quotes")),
                Err(_) => fault,
            })
        }
    }
}

fn outside(name: &str, text: &str, labels: &[String], span: Range<usize>) -> Fault {
    Fault::new(span, format!("`{name}` has no value `{text}`"), "outside the domain")
        .hint(suggestion(text, "Declared", labels))
}

fn edge(name: &str, op: Comparison, value: i64, edges: &[i64], spans: &ComparisonPosition) -> Result<(), Fault> {
    let written: Vec<String> = edges.iter().map(i64::to_string).collect();
    if edges.binary_search(&value).is_err() {
        let nearest = edges.iter().min_by_key(|edge| edge.abs_diff(value)).copied();
        let message = format!("{value} is not an edge of the bins of `{name}`");
        return Err(Fault::new(spans.value(0), message, "inside a bin").hint(format!(
            "the nearest edge is {}. Edges: {}",
            nearest.unwrap_or(value),
            listed(&written)
        )));
    }
    let meant = match op {
        Comparison::Less | Comparison::GreaterOrEqual => return Ok(()),
        Comparison::LessOrEqual => "<",
        _ => ">=",
    };
    let message = format!("`{name} {op} {value}` cuts a bin");
    Err(Fault::new(spans.op.clone(), message, "bins include their lower edge only")
        .hint(format!("write {} {meant} {value}", Name(name))))
}

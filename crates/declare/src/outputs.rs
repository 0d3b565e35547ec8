//! Derived tables over the live cells: which cells every row sums, and how the rows are labelled.

use crate::declaration::{Declaration, Figure, Output};
use crate::domain::Domain;
use crate::grouping::{Grouping, NO_GROUP, grouping, label, labels, suffix};
use crate::predicate::{Expression, Resolved};
use crate::problem::Problem;
use std::collections::HashMap;

/// The rows of one derived table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputRows {
    /// The name of the table.
    pub name: String,
    /// The names of `by`, each a column of labels.
    pub columns: Vec<String>,
    /// For every row one label per name of `by`. No two rows are labelled alike.
    pub labels: Vec<Vec<String>>,
    /// What every row sums; of a rate, its numerator. Row `i` is group `i`; it may be without
    /// cells.
    pub sum: Grouping,
    /// Of a rate, what every row sums as its denominator.
    pub below: Option<Grouping>,
    /// How many times the rate is taken; 1 for sums.
    pub times: u64,
}

impl Declaration {
    /// The derived tables in declared order. A table has one row for every combination of `by` with
    /// a cell in it.
    ///
    /// # Errors
    /// Bad when a table sums no live cell, when a predicate does not fit the schema, or when the
    /// names of `by` do not tell two rows apart.
    pub fn output_rows(&self, domain: &Domain) -> Result<Vec<OutputRows>, Problem> {
        self.outputs.iter().map(|output| rows(domain, output)).collect()
    }
}

fn rows(domain: &Domain, output: &Output) -> Result<OutputRows, Problem> {
    let Output { name, by, figure } = output;
    let (upper, lower, times) = match figure {
        Figure::Sum(filter) => (filter.as_ref(), None, 1),
        Figure::Rate { numerator, denominator, times } => (Some(numerator), Some(denominator), *times),
    };
    let [sums, belows] =
        [upper, lower].map(|filter| filter.map(|filter| Resolved::new(filter, &domain.schema)).transpose());
    let (sums, belows) = (sums?, belows?);
    let holds = |filter: &Option<Resolved>, codes: &[usize]| filter.as_ref().is_none_or(|filter| filter.holds(codes));
    let in_any = |codes: &[usize]| holds(&sums, codes) || belows.as_ref().is_some_and(|below| below.holds(codes));
    let whole = grouping(domain, by, label(by, None), &|codes| i64::from(in_any(codes)));
    let sum = part(domain, &whole, by, upper, &|codes| holds(&sums, codes));
    check_cells(name, "sums", &sum)?;
    let below = belows.as_ref().map(|below| part(domain, &whole, by, lower, &|codes| below.holds(codes)));
    if let Some(below) = &below {
        check_cells(name, "divides by the sum of", below)?;
    }
    let labels = labels(domain, by, &whole);
    let mut row_of: HashMap<&[String], usize> = HashMap::with_capacity(labels.len());
    for (row, labels) in labels.iter().enumerate() {
        if let Some(first) = row_of.insert(labels, row) {
            let (first, second) = (&whole.names[first], &whole.names[row]);
            let message =
                format!("two rows of the derived table `{name}` are labelled alike: `{first}` and `{second}`");
            return Err(Problem::bad(message).hint("name the levels above too: by = [\"state\", \"county\"]"));
        }
    }
    Ok(OutputRows { name: name.clone(), columns: by.clone(), labels, sum, below, times })
}

/// These groups, reduced to the cells that satisfy a predicate.
fn part(
    domain: &Domain,
    whole: &Grouping,
    by: &[String],
    filter: Option<&Expression>,
    holds: &dyn Fn(&[usize]) -> bool,
) -> Grouping {
    let mut part = whole.clone();
    part.label = label(by, filter);
    let suffix = suffix(filter);
    part.names.iter_mut().for_each(|name| name.push_str(&suffix));
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        if !holds(codes) {
            part.group_of[cell] = NO_GROUP;
        }
    }
    part
}

fn check_cells(name: &str, does: &str, grouping: &Grouping) -> Result<(), Problem> {
    match grouping.group_of.iter().all(|group| *group == NO_GROUP) {
        true => Err(Problem::bad(format!("the derived table `{name}` {does} no cell"))
            .hint("no live cell satisfies its predicate: correct it, or leave the table out")),
        false => Ok(()),
    }
}

//! Public values of an invariant, matched with its groups by their labels.

use crate::domain::Domain;
use crate::grouping::{Grouping, labels};
use crate::invariant::PinnedValue;
use crate::problem::Problem;
use std::collections::HashMap;

/// Why values do not fit the groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// These two groups have the same labels.
    Ambiguous { first: String, second: String },
    /// This group has no value.
    Missing { group: String },
    /// Two rows name the same group.
    Twice { row: usize, group: String },
    /// A row has a label that its column does not know.
    Unknown { row: usize, name: usize, known: Vec<String> },
    /// A row names a combination without cells, whose sum can only be zero.
    Empty { row: usize },
}

/// For every group the row that has its value. Rows of value zero for combinations without cells
/// are left out.
pub(crate) fn rows(
    domain: &Domain,
    by: &[String],
    grouping: &Grouping,
    values: &[PinnedValue],
) -> Result<Vec<usize>, Misfit> {
    let labels = labels(domain, by, grouping);
    let mut group_of: HashMap<&[String], usize> = HashMap::with_capacity(labels.len());
    for (group, labels) in labels.iter().enumerate() {
        if let Some(first) = group_of.insert(labels, group) {
            let name = |group: usize| grouping.names[group].clone();
            return Err(Misfit::Ambiguous { first: name(first), second: name(group) });
        }
    }
    let mut row_of: Vec<Option<usize>> = vec![None; labels.len()];
    let mut known: Option<Vec<Vec<String>>> = None;
    for (row, value) in values.iter().enumerate() {
        let Some(group) = group_of.get(value.labels.as_slice()) else {
            let known = known.get_or_insert_with(|| by.iter().map(|name| all_labels(domain, name)).collect());
            let mut pairs = value.labels.iter().zip(known);
            if let Some(name) = pairs.position(|(label, known)| known.binary_search(label).is_err()) {
                return Err(Misfit::Unknown { row, name, known: all_labels(domain, &by[name]) });
            }
            if value.value != 0 {
                return Err(Misfit::Empty { row });
            }
            continue;
        };
        if row_of[*group].replace(row).is_some() {
            return Err(Misfit::Twice { row, group: grouping.names[*group].clone() });
        }
    }
    let missing = row_of.iter().position(Option::is_none);
    match missing {
        Some(group) => Err(Misfit::Missing { group: grouping.names[group].clone() }),
        None => Ok(row_of.into_iter().flatten().collect()),
    }
}

/// The labels of a name of `by`, sorted.
fn all_labels(domain: &Domain, name: &str) -> Vec<String> {
    let Some(axis) = domain.schema.resolve(name) else { return Vec::new() };
    let size = domain.schema.dimensions[axis.0].values.len();
    let mut labels: Vec<String> = (0..size).map(|code| domain.schema.label(axis, code)).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The values in the order of the groups.
pub(crate) fn values(
    domain: &Domain,
    by: &[String],
    grouping: &Grouping,
    values: &[PinnedValue],
) -> Result<Vec<i64>, Problem> {
    let rows = rows(domain, by, grouping, values).map_err(|misfit| {
        Problem::bad(format!("{} (the invariant `{}`)", misfit.message(by, values), grouping.label))
    })?;
    Ok(rows.into_iter().map(|row| values[row].value).collect())
}

impl Misfit {
    /// What happened, in one sentence.
    pub(crate) fn message(&self, by: &[String], values: &[PinnedValue]) -> String {
        match self {
            Misfit::Ambiguous { first, second } => format!("one label names two groups, `{first}` and `{second}`"),
            Misfit::Missing { group } => format!("the values have no row for `{group}`"),
            Misfit::Twice { group, .. } => format!("the values have two rows for `{group}`"),
            Misfit::Unknown { row, name, .. } => {
                format!("`{}` has no value `{}`", by[*name], values[*row].labels[*name])
            }
            Misfit::Empty { row } => {
                let value = values[*row].value;
                format!("no cell is summed here, so the sum is 0 and cannot be {value}")
            }
        }
    }
}

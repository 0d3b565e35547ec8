//! The columns of the released table: one per dimension; of a hierarchy one per level, and its key.

use crate::schema::{Dimension, Schema, Values};
use std::borrow::Cow;

/// One column of the released table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// The position of the dimension whose code decides its label.
    pub dimension: usize,
    /// Its labels.
    pub labels: Labels<'a>,
}

/// The labels of a column, by the code of its dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Labels<'a> {
    /// One text per code.
    Text(Cow<'a, [String]>),
    /// One text per node of a level: `labels[codes[leaf]]`.
    Level {
        /// The labels of the nodes.
        labels: &'a [String],
        /// The node of every leaf.
        codes: &'a [u32],
    },
    /// Consecutive integers.
    Integers {
        /// The integer with code 0.
        first: i64,
    },
}

impl<'a> Column<'a> {
    pub(crate) fn of(schema: &'a Schema) -> Vec<Column<'a>> {
        let mut columns = Vec::new();
        for (position, dimension) in schema.dimensions.iter().enumerate() {
            let mut add = |name: &'a str, labels| {
                columns.push(Column { name, dimension: position, labels });
            };
            match &dimension.values {
                Values::List(labels) | Values::Measures { columns: labels, .. } => {
                    add(&dimension.name, Labels::Text(Cow::Borrowed(labels)));
                }
                Values::Integers { first, .. } => add(&dimension.name, Labels::Integers { first: *first }),
                Values::Bins { .. } => {
                    let count = dimension.values.len();
                    let labels = (0..count).map(|code| dimension.values.label(code)).collect();
                    add(&dimension.name, Labels::Text(Cow::Owned(labels)));
                }
                Values::Hierarchy(levels) => {
                    for (level, name) in levels.names.iter().enumerate() {
                        let labels = &levels.labels[level];
                        add(name, Labels::Level { labels, codes: &levels.codes[level] });
                    }
                    if levels.key_level().is_none() {
                        add(&levels.key, Labels::Text(Cow::Borrowed(&levels.keys)));
                    }
                }
            }
        }
        columns
    }

    /// Whether every label is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self.labels, Labels::Integers { .. })
    }

    /// The integer of a code, in a column of integers.
    pub fn integer(&self, code: usize) -> Option<i64> {
        match self.labels {
            Labels::Integers { first } => Some(first + code as i64),
            _ => None,
        }
    }

    /// The label of a code as text.
    pub fn text(&self, code: usize) -> Cow<'_, str> {
        match &self.labels {
            Labels::Text(labels) => Cow::Borrowed(&labels[code]),
            Labels::Level { labels, codes } => Cow::Borrowed(&labels[codes[code] as usize]),
            Labels::Integers { first } => Cow::Owned((first + code as i64).to_string()),
        }
    }
}

/// Adds `name = label` to a text; of a hierarchy the whole path of the leaf.
pub(crate) fn describe_leaf(dimension: &Dimension, code: usize, text: &mut String) {
    if let Values::Hierarchy(levels) = &dimension.values {
        describe_node(dimension, levels.names.len() - 1, code, text);
        if levels.key_level().is_none() {
            text.push_str(&format!(", {} = {}", levels.key, levels.keys[code]));
        }
    } else {
        text.push_str(&format!("{} = {}", dimension.name, dimension.values.label(code)));
    }
}

/// Adds the path from the root to the node of `level` above a leaf:
/// `state = Oregon, county = Lane`.
pub(crate) fn describe_node(dimension: &Dimension, level: usize, leaf: usize, text: &mut String) {
    if let Values::Hierarchy(levels) = &dimension.values {
        for above in 0..=level {
            let comma = if above == 0 { "" } else { ", " };
            let label = levels.label(above, leaf);
            text.push_str(&format!("{comma}{} = {label}", levels.names[above]));
        }
    }
}

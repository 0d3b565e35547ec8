//! How dimensions and their values are written in the report.

use crate::words::{counted, number};
use declare::{Dimension, Values};

/// A value of a dimension. Of a hierarchy: its ancestors too, and its key when the label is
/// another.
pub(crate) fn value(values: &Values, code: usize) -> String {
    below(values, code, 0)
}

/// A value without its ancestors, for lists that already stand under them.
pub(crate) fn leaf(values: &Values, code: usize) -> String {
    let last = if let Values::Hierarchy(levels) = values { levels.labels.len().saturating_sub(1) } else { 0 };
    below(values, code, last)
}

/// A value with those of its ancestors that stand at a level or below.
fn below(values: &Values, code: usize, level: usize) -> String {
    let Values::Hierarchy(levels) = values else {
        return plain(values, code);
    };
    let labels = levels.labels.iter().zip(&levels.codes).skip(level);
    let labels = labels.filter_map(|(labels, codes)| labels.get(*codes.get(code)? as usize));
    let path: Vec<&str> = labels.map(String::as_str).collect();
    let key = &levels.keys[code];
    match path.last() {
        None => key.clone(),
        Some(leaf) if leaf == key => path.join(" › "),
        Some(_) => format!("{} ({key})", path.join(" › ")),
    }
}

/// Bins in words, because `[5,18)` says nothing to most readers.
fn plain(values: &Values, code: usize) -> String {
    match values {
        Values::Bins { edges, .. } => match (number(edges[code]), edges.get(code + 1)) {
            (start, Some(end)) if *end == edges[code] + 1 => start,
            (start, Some(end)) => format!("{start} to under {}", number(*end)),
            (start, None) => format!("{start} and over"),
        },
        other => other.label(code),
    }
}

/// What the values of a dimension are, in a few words.
pub(crate) fn domain(dimension: &Dimension) -> String {
    let size = dimension.values.len();
    let label = |code: usize| plain(&dimension.values, code);
    let listed = |between: &str, one: &str, many: &str| match size <= 6 {
        true => (0..size).map(label).collect::<Vec<_>>().join(between),
        false => format!("{}, from {} to {}", counted(size, one, many), label(0), label(size - 1)),
    };
    match &dimension.values {
        Values::List(_) | Values::Measures { .. } => listed(", ", "value", "values"),
        Values::Bins { .. } => listed("; ", "range", "ranges"),
        Values::Integers { first, last } => format!("every whole number from {} to {}", number(*first), number(*last)),

        Values::Hierarchy(levels) => {
            let sized = levels.names.iter().zip(&levels.labels);
            let sizes = sized.map(|(name, labels)| format!("{name} ({})", number(labels.len() as i128)));
            format!("a hierarchy: {}", sizes.collect::<Vec<_>>().join(" › "))
        }
    }
}

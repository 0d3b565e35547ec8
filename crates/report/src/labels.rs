//! How dimensions and their values are written in the report.

use crate::words::{counted, number};
use declare::{Dimension, Values};

/// A value of a dimension. Of a hierarchy: its ancestors too, and its key when the label is
/// another.
pub(crate) fn value(values: &Values, code: usize) -> String {
    let Values::Hierarchy(levels) = values else {
        return plain(values, code);
    };
    let path: Vec<&str> = levels
        .labels
        .iter()
        .zip(&levels.codes)
        .filter_map(|(labels, codes)| labels.get(*codes.get(code)? as usize))
        .map(String::as_str)
        .collect();
    let key = &levels.keys[code];
    match path.last() {
        None => key.clone(),
        Some(leaf) if leaf == key => path.join(" › "),
        Some(_) => format!("{} ({key})", path.join(" › ")),
    }
}

/// A value without its ancestors, for lists that already stand under them.
pub(crate) fn leaf(values: &Values, code: usize) -> String {
    let Values::Hierarchy(levels) = values else {
        return plain(values, code);
    };
    let key = &levels.keys[code];
    let label = levels
        .labels
        .last()
        .zip(levels.codes.last())
        .and_then(|(labels, codes)| labels.get(*codes.get(code)? as usize));
    match label {
        Some(label) if label != key => format!("{label} ({key})"),
        _ => key.clone(),
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
    match &dimension.values {
        Values::List(_) | Values::Measures { .. } if size <= 6 => {
            let labels: Vec<String> = (0..size).map(|code| dimension.values.label(code)).collect();
            labels.join(", ")
        }
        Values::List(_) | Values::Measures { .. } => format!(
            "{}, from {} to {}",
            counted(size, "value", "values"),
            dimension.values.label(0),
            dimension.values.label(size - 1)
        ),
        Values::Integers { first, last } => format!("every whole number from {} to {}", number(*first), number(*last)),
        Values::Bins { .. } if size <= 6 => {
            let labels: Vec<String> = (0..size).map(|code| plain(&dimension.values, code)).collect();
            labels.join("; ")
        }
        Values::Bins { .. } => format!(
            "{}, from {} to {}",
            counted(size, "range", "ranges"),
            plain(&dimension.values, 0),
            plain(&dimension.values, size - 1)
        ),
        Values::Hierarchy(levels) => {
            let sizes: Vec<String> = levels
                .names
                .iter()
                .zip(&levels.labels)
                .map(|(name, labels)| format!("{name} ({})", number(labels.len() as i128)))
                .collect();
            format!("a hierarchy: {}", sizes.join(" › "))
        }
    }
}

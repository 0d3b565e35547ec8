//! Rows of coefficients as groupings: rows that share no cell lie in one grouping.

use crate::domain::Domain;
use crate::grouping::{Grouping, MOST_NUMBERS, NO_GROUP};
use crate::invariant::MatrixRow;
use crate::problem::Problem;

/// The most groupings of one matrix: each holds numbers for every cell.
const MOST_GROUPINGS: usize = 1000;

/// The rows of a matrix over the live cells, each in the first grouping in which none of its cells
/// is taken. Coefficients of structural zeros say nothing and are left out, and so are rows without
/// any other.
pub(crate) fn groupings(domain: &Domain, rows: &[MatrixRow]) -> Result<Vec<Grouping>, Problem> {
    let mut groupings: Vec<Grouping> = Vec::new();
    let most = MOST_GROUPINGS.min(MOST_NUMBERS / domain.len().max(1));
    for row in rows {
        let entries = row.entries.iter().filter_map(|entry| Some((domain.cell(&entry.codes)?, entry.times)));
        let entries: Vec<(usize, i64)> = entries.collect();
        if entries.is_empty() {
            continue;
        }
        let free = |grouping: &Grouping| entries.iter().all(|(cell, _)| grouping.group_of[*cell] == NO_GROUP);
        let position = match groupings.iter().position(free) {
            Some(position) => position,
            None if groupings.len() == most => {
                let message = format!("more than {most} rows of the matrix meet in the same cells");
                return Err(Problem::bad(message).hint("declare totals with `by` where the rows are totals"));
            }
            None => {
                groupings.push(empty(domain.len()));
                groupings.len() - 1
            }
        };
        let grouping = &mut groupings[position];
        let group = grouping.names.len() as u32;
        grouping.names.push(row.name.clone());
        for (cell, times) in entries {
            grouping.group_of[cell] = group;
            if let Some(taken) = &mut grouping.times {
                taken[cell] = times;
            }
        }
    }
    if groupings.is_empty() {
        return Err(Problem::bad("the matrix of an invariant has no coefficient of a live cell")
            .hint("correct it, or leave the invariant out"));
    }
    let parts = groupings.len();
    for (position, grouping) in groupings.iter_mut().enumerate() {
        grouping.label = match parts {
            1 => "matrix".to_string(),
            _ => format!("matrix, part {}", position + 1),
        };
        if grouping.times.iter().flatten().all(|times| matches!(times, 0 | 1)) {
            grouping.times = None;
        }
    }
    Ok(groupings)
}

fn empty(cells: usize) -> Grouping {
    Grouping { label: String::new(), names: Vec::new(), group_of: vec![NO_GROUP; cells], times: Some(vec![0; cells]) }
}

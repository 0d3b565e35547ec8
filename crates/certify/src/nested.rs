//! Exact totals that are disjoint or nested, and the cells that none of them tells apart.

use declare::{Grouping, NO_GROUP};
use std::collections::HashMap;

/// Cells that no exact total tells apart.
pub(crate) struct Class {
    /// The cells, in order.
    pub(crate) cells: Vec<usize>,
    /// An exact total of just these cells: its grouping and its group.
    pub(crate) whole: Option<(usize, usize)>,
    /// Whether they are in no exact total.
    pub(crate) is_free: bool,
}

/// The classes of totals that are disjoint or nested, in the order of their first cells, or why
/// these are not.
pub(crate) fn nested(cells: usize, groupings: &[Grouping]) -> Result<Vec<Class>, String> {
    if let Some(grouping) = groupings.iter().find(|grouping| grouping.times.is_some()) {
        return Err(format!(
            "`{}` takes cells several times or subtracts them, so that it is no total of records",
            grouping.label
        ));
    }
    let sizes: Vec<Vec<usize>> = groupings.iter().map(sizes).collect();
    for (place, one) in groupings.iter().enumerate() {
        for (other, two) in groupings.iter().enumerate().take(place) {
            if let Some((here, there)) = crossing(one, &sizes[place], two, &sizes[other]) {
                return Err(format!(
                    "the exact totals `{}` and `{}` cross: a record that moves between their cells takes others with it; family = \
                     \"finite\" can list the laws of the table",
                    two.names[there], one.names[here]
                ));
            }
        }
    }
    let mut positions: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    for cell in 0..cells {
        let groups: Vec<u32> = groupings.iter().map(|grouping| grouping.group_of[cell]).collect();
        let is_free = groups.iter().all(|group| *group == NO_GROUP);
        let position = *positions.entry(groups).or_insert_with(|| {
            classes.push(Class { cells: Vec::new(), whole: None, is_free });
            classes.len() - 1
        });
        classes[position].cells.push(cell);
    }
    for class in &mut classes {
        let first = class.cells[0];
        let group_in = |grouping: &Grouping| Some(grouping.group_of[first]).filter(|group| *group != NO_GROUP);
        class.whole = groupings.iter().enumerate().find_map(|(place, grouping)| {
            let group = group_in(grouping)? as usize;
            (sizes[place][group] == class.cells.len()).then_some((place, group))
        });
    }
    Ok(classes)
}

/// The number of cells of every group.
fn sizes(grouping: &Grouping) -> Vec<usize> {
    let mut sizes = vec![0; grouping.groups()];
    grouping.group_of.iter().filter(|group| **group != NO_GROUP).for_each(|group| sizes[*group as usize] += 1);
    sizes
}

/// Two groups that share cells, neither within the other.
fn crossing(one: &Grouping, one_sizes: &[usize], two: &Grouping, two_sizes: &[usize]) -> Option<(usize, usize)> {
    let mut shared: HashMap<(u32, u32), usize> = HashMap::new();
    let pairs =
        one.group_of.iter().zip(&two.group_of).filter(|(here, there)| **here != NO_GROUP && **there != NO_GROUP);
    pairs.for_each(|(here, there)| *shared.entry((*here, *there)).or_default() += 1);
    let crossing = |((here, there), shared): (&(u32, u32), &usize)| {
        let (here, there) = (*here as usize, *there as usize);
        (*shared < one_sizes[here] && *shared < two_sizes[there]).then_some((here, there))
    };
    shared.iter().filter_map(crossing).min()
}

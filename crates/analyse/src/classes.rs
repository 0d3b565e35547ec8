//! Classes: cells with identical columns in A, found by refining a partition one grouping at a
//! time.

use declare::{Grouping, NO_GROUP};

/// The partition of the cells into classes, numbered by first cell.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The class of every cell.
    pub of_cell: Vec<u32>,
    /// The first cell of every class: it stands for the class wherever a column of A is needed.
    pub first_cell: Vec<u32>,
    /// The number of cells of every class.
    pub size: Vec<u32>,
}

impl Classes {
    /// The coarsest partition on which every grouping is constant.
    ///
    /// Each grouping costs time linear in cells and groups, and no hashing: cells are visited group
    /// by group, and a class met for the first time in a group gets a new number there.
    pub fn new<'a>(cells: usize, groupings: impl IntoIterator<Item = &'a Grouping>) -> Classes {
        let mut of_cell = vec![0u32; cells];
        let mut count = usize::from(cells > 0);
        for grouping in groupings {
            count = refine(&mut of_cell, count, grouping);
        }
        let mut number = vec![u32::MAX; count];
        let mut first_cell = Vec::with_capacity(count);
        let mut size = Vec::with_capacity(count);
        for (cell, class) in of_cell.iter_mut().enumerate() {
            let known = &mut number[*class as usize];
            if *known == u32::MAX {
                *known = first_cell.len() as u32;
                first_cell.push(cell as u32);
                size.push(0);
            }
            *class = *known;
            size[*class as usize] += 1;
        }
        Classes { of_cell, first_cell, size }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.first_cell.len()
    }

    /// Whether there are no classes, because there are no cells.
    pub fn is_empty(&self) -> bool {
        self.first_cell.is_empty()
    }

    /// The sums of a grouping over the classes: for every group its classes, each with how often
    /// their cells are taken.
    pub fn sums(&self, grouping: &Grouping) -> Vec<Vec<(u32, i64)>> {
        let mut sums = vec![Vec::new(); grouping.groups()];
        for (class, cell) in self.first_cell.iter().enumerate() {
            let group = grouping.group_of[*cell as usize];
            if group != NO_GROUP {
                sums[group as usize].push((class as u32, grouping.taken(*cell as usize)));
            }
        }
        sums
    }

    /// The cells of every class, as one list with the start of each class in it.
    pub(crate) fn cells(&self) -> (Vec<u32>, Vec<u32>) {
        by_key(self.of_cell.iter().copied(), self.len())
    }
}

/// Splits every class by the groups of one grouping, and by how often it takes a cell; returns the
/// new number of classes.
fn refine(of_cell: &mut [u32], count: usize, grouping: &Grouping) -> usize {
    let groups = grouping.groups();
    let key = |group: u32| {
        if group == NO_GROUP { groups as u32 } else { group }
    };
    let count = split(of_cell, count, grouping.group_of.iter().map(|group| key(*group)), groups + 1);
    let Some(times) = &grouping.times else {
        return count;
    };
    let mut taken: Vec<i64> = times.clone();
    taken.sort_unstable();
    taken.dedup();
    let inside = grouping.group_of.iter().map(|group| *group != NO_GROUP);
    let number = |(times, inside): (&i64, bool)| match inside {
        true => taken.partition_point(|known| known < times) as u32,
        false => 0,
    };
    split(of_cell, count, times.iter().zip(inside).map(number), taken.len().max(1))
}

/// Splits every class by a key; returns the new number of classes.
fn split(of_cell: &mut [u32], count: usize, keys: impl Iterator<Item = u32> + Clone, distinct: usize) -> usize {
    let (order, start) = by_key(keys, distinct);
    let mut seen_in = vec![u32::MAX; count];
    let mut renamed = vec![0u32; count];
    let mut next = 0u32;
    for group in 0..distinct {
        for cell in &order[start[group] as usize..start[group + 1] as usize] {
            let class = of_cell[*cell as usize] as usize;
            if seen_in[class] != group as u32 {
                seen_in[class] = group as u32;
                renamed[class] = next;
                next += 1;
            }
            of_cell[*cell as usize] = renamed[class];
        }
    }
    next as usize
}

/// The positions of `keys` sorted by key (stable), and the start of every key in that list.
pub fn by_key(keys: impl Iterator<Item = u32> + Clone, distinct: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; distinct + 1];
    let mut length = 0;
    for key in keys.clone() {
        start[key as usize + 1] += 1;
        length += 1;
    }
    for key in 0..distinct {
        start[key + 1] += start[key];
    }
    let mut next = start.clone();
    let mut order = vec![0u32; length];
    for (position, key) in keys.enumerate() {
        order[next[key as usize] as usize] = position as u32;
        next[key as usize] += 1;
    }
    (order, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouping(group_of: &[u32]) -> Grouping {
        let groups = group_of.iter().filter(|g| **g != NO_GROUP).max().map_or(0, |g| g + 1);
        Grouping {
            times: None,
            label: "by x".into(),
            names: (0..groups).map(|g| format!("x = {g}")).collect(),
            group_of: group_of.to_vec(),
        }
    }

    #[test]
    fn classes_are_cells_with_identical_columns() {
        let none = NO_GROUP;
        let groupings = [grouping(&[0, 0, 1, 1, none, 0]), grouping(&[0, 0, 0, 0, none, none])];
        let classes = Classes::new(6, &groupings);
        assert_eq!(classes.of_cell, [0, 0, 1, 1, 2, 3]);
        assert_eq!(classes.first_cell, [0, 2, 4, 5]);
        assert_eq!(classes.size, [2, 2, 1, 1]);
        assert_eq!(classes.cells().0, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn without_groupings_or_cells_there_is_nothing_to_split() {
        assert_eq!(Classes::new(3, &[]).size, [3]);
        assert_eq!(Classes::new(0, &[]).len(), 0);
    }
}

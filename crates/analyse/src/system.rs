//! The class-level system: rows are totals, columns are classes of cells.

use crate::classes::Classes;
use declare::{Grouping, NO_GROUP};

/// The class-level matrix A, read from the groupings; nothing dense is stored.
pub(crate) struct System<'a> {
    pub groupings: &'a [Grouping],
    pub totals: &'a [Vec<i64>],
    pub classes: &'a Classes,
    /// The first row of every grouping, and the number of rows at the end.
    pub first_row: Vec<usize>,
    /// The number of classes of every row.
    pub class_count: Vec<u32>,
    /// The number of cells of every row.
    pub cell_count: Vec<u32>,
    members: std::cell::OnceCell<(Vec<u32>, Vec<u32>)>,
}

impl<'a> System<'a> {
    pub(crate) fn new(groupings: &'a [Grouping], totals: &'a [Vec<i64>], classes: &'a Classes) -> System<'a> {
        let mut first_row = vec![0];
        for grouping in groupings {
            first_row.push(first_row[first_row.len() - 1] + grouping.groups());
        }
        let rows = first_row[groupings.len()];
        let mut system = System {
            groupings,
            totals,
            classes,
            first_row,
            class_count: vec![0; rows],
            cell_count: vec![0; rows],
            members: std::cell::OnceCell::new(),
        };
        for class in 0..classes.len() as u32 {
            for grouping in 0..groupings.len() {
                if let Some(row) = system.row(class, grouping) {
                    system.class_count[row] += 1;
                    system.cell_count[row] += classes.size[class as usize];
                }
            }
        }
        system
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.class_count.len()
    }

    /// The row of a grouping that contains a class.
    pub(crate) fn row(&self, class: u32, grouping: usize) -> Option<usize> {
        let cell = self.classes.first_cell[class as usize] as usize;
        let group = self.groupings[grouping].group_of[cell];
        (group != NO_GROUP).then(|| self.first_row[grouping] + group as usize)
    }

    /// How many times a class is taken in its row of a grouping.
    pub(crate) fn taken(&self, class: u32, grouping: usize) -> i64 {
        self.groupings[grouping].taken(self.classes.first_cell[class as usize] as usize)
    }

    /// The column of a class: its rows, and how many times it is taken in each.
    pub(crate) fn column(&self, class: u32) -> impl Iterator<Item = (usize, i64)> + '_ {
        (0..self.groupings.len())
            .filter_map(move |grouping| self.row(class, grouping).map(|row| (row, self.taken(class, grouping))))
    }

    /// The rows that contain a class.
    pub(crate) fn rows_of(&self, class: u32) -> impl Iterator<Item = usize> + '_ {
        (0..self.groupings.len()).filter_map(move |grouping| self.row(class, grouping))
    }

    /// The grouping of a row, and its group there.
    pub(crate) fn place(&self, row: usize) -> (usize, usize) {
        let grouping = self.first_row.partition_point(|first| *first <= row) - 1;
        (grouping, row - self.first_row[grouping])
    }

    /// The public value of a row.
    pub(crate) fn total(&self, row: usize) -> i64 {
        let (grouping, group) = self.place(row);
        self.totals[grouping][group]
    }

    /// How messages call a row.
    pub(crate) fn name(&self, row: usize) -> &str {
        let (grouping, group) = self.place(row);
        &self.groupings[grouping].names[group]
    }

    /// The classes of a row. Built on first use: only explanations and names need it.
    pub(crate) fn classes_of(&self, row: usize) -> &[u32] {
        let (members, start) = self.members.get_or_init(|| {
            let mut start = vec![0u32; self.rows() + 1];
            for row in 0..self.rows() {
                start[row + 1] = start[row] + self.class_count[row];
            }
            let mut next = start.clone();
            let mut members = vec![0u32; start[self.rows()] as usize];
            for class in 0..self.classes.len() as u32 {
                for row in self.rows_of(class) {
                    members[next[row] as usize] = class;
                    next[row] += 1;
                }
            }
            (members, start)
        });
        &members[start[row] as usize..start[row + 1] as usize]
    }
}

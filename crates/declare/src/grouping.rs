//! `Grouping`: an invariant as a function from cells to groups, one total per group.
//!
//! Every invariant of a declaration puts a cell in at most one of its groups, so a whole margin is one number per cell
//! instead of a matrix: nothing here is dense or quadratic in the cells.

/// The group of a cell that an invariant does not sum.
pub const NO_GROUP: u32 = u32::MAX;

/// One invariant, over the live cells of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// How messages call it, for example `by county` or `total where age >= 18`.
    pub label: String,
    /// The names of the groups, for example `county = Alpha`; of a grand total: `total`.
    pub names: Vec<String>,
    /// The group of every live cell, or [`NO_GROUP`].
    pub group_of: Vec<u32>,
}

impl Grouping {
    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.names.len()
    }

    /// The total of every group, for counts in cell order.
    pub fn totals(&self, counts: &[i64]) -> Vec<i128> {
        let mut totals = vec![0i128; self.names.len()];
        for (group, count) in self.group_of.iter().zip(counts) {
            if *group != NO_GROUP {
                totals[*group as usize] += i128::from(*count);
            }
        }
        totals
    }
}

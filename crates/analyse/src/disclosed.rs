//! `Disclosed`: cells whose values the totals give away, as runs of neighbours with the same value.

use declare::{Cell, Fold};

/// Cells with their values, increasing. Under a total of zero all cells of a block are disclosed,
/// so they come in runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Disclosed {
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: Cell,
    cells: usize,
    value: i64,
}

impl Disclosed {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.cells).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The cells with their values, increasing.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, i64)> {
        self.runs.iter().flat_map(|run| (run.first..run.first + run.cells).map(|cell| (cell, run.value)))
    }

    /// The cells of the large table that these cells of a small one stand for.
    pub(crate) fn unfolded(self, fold: &Fold) -> Disclosed {
        let unfold = |run: Run| {
            let cells = fold.unfold(run.first..run.first + run.cells)?;
            Some(Run { first: cells.start, cells: cells.len(), value: run.value })
        };
        Disclosed { runs: self.runs.into_iter().filter_map(unfold).collect() }
    }
}

impl FromIterator<(Cell, i64)> for Disclosed {
    /// From increasing cells.
    fn from_iter<I: IntoIterator<Item = (Cell, i64)>>(cells: I) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (cell, value) in cells {
            match runs.last_mut() {
                Some(run) if run.first + run.cells == cell && run.value == value => run.cells += 1,
                _ => runs.push(Run { first: cell, cells: 1, value }),
            }
        }
        Disclosed { runs }
    }
}

#[cfg(test)]
mod tests {
    use super::Disclosed;

    #[test]
    fn runs_are_the_cells_they_were_made_of() {
        let cells = [(0, 0), (1, 0), (2, 5), (3, 5), (7, 5), (8, 0)];
        let disclosed: Disclosed = cells.into_iter().collect();
        assert_eq!(disclosed.runs.len(), 4);
        assert_eq!((disclosed.len(), disclosed.is_empty()), (6, false));
        assert_eq!(disclosed.iter().collect::<Vec<_>>(), cells);
    }
}

//! Which way round a grid is drawn, and which two of its rows come last: this decides the cost,
//! never the law.
//!
//! The chance that independent noise keeps a set of totals is about `(2πv)^{−k/2}/√τ`: v the
//! variance of a cell, k the rank of the totals, and τ the number of spanning trees of the graph
//! whose vertices are the totals and whose edges are the cells (the determinant of the totals'
//! covariance). An acceptance is a quotient of such chances.

use crate::law::NoiseLaw;
use declare::Problem;

/// No grid with more rows and more columns than this can be drawn.
const MOST_ACROSS: usize = 64;

/// So many rows are tried as the last two.
const MOST_CANDIDATES: usize = 24;

/// A grid, the right way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UprightGrid {
    /// The cells at every position.
    pub(super) rows: Vec<Vec<Vec<u32>>>,
    /// The two rows that come last.
    pub(super) last: [usize; 2],
    /// The number of cells.
    pub(super) cells: usize,
}

impl UprightGrid {
    /// The number of cells at every position.
    fn sizes(&self) -> Vec<Vec<f64>> {
        self.rows.iter().map(|row| row.iter().map(|cells| cells.len() as f64).collect()).collect()
    }

    /// The orientation and the pair of rows with the fewest attempts, and the logarithm of their
    /// number, about.
    pub(super) fn best(columns: usize, positions: &[Vec<u32>], law: &NoiseLaw) -> Result<(UprightGrid, f64), Problem> {
        let [shape, turned] = both_ways(columns, positions)?;
        if shape.rows.len().min(columns) > MOST_ACROSS {
            return Err(Problem::refused(format!(
                "`divide` draws small tables, and {} × {columns} totals that cross are far too many",
                shape.rows.len()
            ))
            .hint("keep fewer or coarser totals"));
        }
        let variance = (2.0 * std::f64::consts::PI * variance(law)).max(1.0).ln();
        // Fewer rows first: a tie goes to them, whichever way round the grid was given.
        let shapes = if turned.rows.len() < shape.rows.len() { [turned, shape] } else { [shape, turned] };
        let all = log_trees(shapes[0].sizes());
        let mut best: Option<(UprightGrid, f64)> = None;
        for shape in shapes {
            let sizes = shape.sizes();
            let candidates = candidates(&sizes);
            for (index, upper) in candidates.iter().enumerate() {
                for lower in &candidates[index + 1..] {
                    let last = [*upper, *lower];
                    let attempts = log_attempts(&sizes, last, all, variance);
                    // A difference that is only rounding must not decide.
                    if best.as_ref().is_none_or(|(_, least)| attempts < least - 1e-6) {
                        best = Some((UprightGrid { last, ..shape.clone() }, attempts));
                    }
                }
            }
        }
        best.ok_or_else(|| Problem::bad("a grid has at least two rows and two columns"))
    }

    /// Both ways round, each with the two rows of the largest totals last.
    pub(super) fn both(
        columns: usize,
        positions: &[Vec<u32>],
        totals: [&[i64]; 2],
    ) -> Result<[UprightGrid; 2], Problem> {
        let [shape, turned] = both_ways(columns, positions)?;
        if totals[0].len() != shape.rows.len() || totals[1].len() != columns {
            return Err(Problem::bad("a grid has one total for every row and every column"));
        }
        let largest = |totals: &[i64]| {
            let mut order: Vec<usize> = (0..totals.len()).collect();
            order.sort_by_key(|row| std::cmp::Reverse(totals[*row]));
            [order[0], order[1]]
        };
        Ok([UprightGrid { last: largest(totals[0]), ..shape }, UprightGrid { last: largest(totals[1]), ..turned }])
    }
}

/// A grid that is one, both ways round, with any two rows last.
fn both_ways(columns: usize, positions: &[Vec<u32>]) -> Result<[UprightGrid; 2], Problem> {
    let cells = check(columns, positions)?;
    let rows: Vec<Vec<Vec<u32>>> = positions.chunks(columns).map(<[_]>::to_vec).collect();
    let turned = (0..columns).map(|column| rows.iter().map(|row| row[column].clone()).collect()).collect();
    Ok([rows, turned].map(|rows| UprightGrid { rows, last: [0, 1], cells }))
}

/// The number of cells of a grid that is one: every cell of the block at one position, no row or
/// column without cells.
fn check(columns: usize, positions: &[Vec<u32>]) -> Result<usize, Problem> {
    let rows = positions.len().checked_div(columns).unwrap_or(0);
    if rows < 2 || columns < 2 || rows * columns != positions.len() {
        return Err(Problem::bad("a grid has at least two rows and two columns"));
    }
    let mut cells: Vec<u32> = positions.iter().flatten().copied().collect();
    cells.sort_unstable();
    if cells.iter().enumerate().any(|(index, cell)| index != *cell as usize) {
        return Err(Problem::bad("the positions of a grid share out the cells of its block"));
    }
    let empty_row = positions.chunks(columns).any(|row| row.iter().all(Vec::is_empty));
    let empty_column = (0..columns).any(|column| (0..rows).all(|row| positions[row * columns + column].is_empty()));
    if empty_row || empty_column {
        return Err(Problem::bad("every row and every column of a grid has a cell"));
    }
    Ok(cells.len())
}

/// Rows that may come last: those with cells in most columns, and most cells.
fn candidates(sizes: &[Vec<f64>]) -> Vec<usize> {
    let rank = |row: &usize| {
        let reached = sizes[*row].iter().filter(|size| **size > 0.0).count();
        std::cmp::Reverse((reached, sizes[*row].iter().sum::<f64>() as u64))
    };
    let mut rows: Vec<usize> = (0..sizes.len()).collect();
    rows.sort_by_key(rank);
    rows.truncate(MOST_CANDIDATES);
    rows.sort_unstable();
    rows
}

/// The variance of a cell before conditioning, about.
fn variance(law: &NoiseLaw) -> f64 {
    law.gaussian_variance().map(exact::Rational::to_f64).or_else(|| law.variance()).unwrap_or(f64::INFINITY)
}

/// The logarithm of the expected number of attempts with these two rows last, about.
fn log_attempts(sizes: &[Vec<f64>], last: [usize; 2], all: (f64, usize), variance: f64) -> f64 {
    let pair: Vec<Vec<f64>> = last.iter().map(|row| sizes[*row].clone()).collect();
    let (pair, pair_rank) = log_trees(pair);
    let others = (0..sizes.len()).filter(|row| !last.contains(row));
    let stars: f64 = others.map(|row| sizes[row].iter().sum::<f64>().ln()).sum();
    let freedom = all.1 as f64 - (sizes.len() - 2) as f64 - pair_rank as f64;
    (freedom * variance + all.0 - pair - stars) / 2.0
}

/// The logarithm of the number of spanning forests of a grid's graph, and its rank, by elimination
/// of the Laplacian.
fn log_trees(sizes: Vec<Vec<f64>>) -> (f64, usize) {
    let (rows, columns) = (sizes.len(), sizes[0].len());
    // Eliminating the columns first leaves a Laplacian of the rows.
    let sums: Vec<f64> = (0..columns).map(|column| sizes.iter().map(|row| row[column]).sum()).collect();
    let mut matrix = vec![vec![0.0; rows]; rows];
    let (mut log, mut rank) = (0.0, 0);
    for column in (0..columns).filter(|column| sums[*column] > 0.0) {
        log += sums[column].ln();
        rank += 1;
        for (one, row) in sizes.iter().enumerate() {
            for (two, other) in sizes.iter().enumerate().filter(|(two, _)| *two != one) {
                let flow = row[column] * other[column] / sums[column];
                matrix[one][one] += flow;
                matrix[one][two] -= flow;
            }
        }
    }
    for pivot in 0..rows {
        let size = matrix[pivot][pivot];
        if size < 1e-9 {
            continue;
        }
        log += size.ln();
        rank += 1;
        let above = matrix[pivot].clone();
        for row in &mut matrix[pivot + 1..] {
            let factor = row[pivot] / size;
            row.iter_mut().zip(&above).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    (log, rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(rows: usize, columns: usize) -> Vec<Vec<u32>> {
        (0..(rows * columns) as u32).map(|cell| vec![cell]).collect()
    }

    #[test]
    fn spanning_trees_are_counted() {
        // r^{c−1}·c^{r−1} for the complete bipartite graph; two trees that share no vertex;
        // parallel edges.
        let (log, rank) = log_trees(vec![vec![1.0; 4]; 3]);
        assert!((log.exp() - 27.0 * 16.0).abs() < 1e-6 && rank == 6);
        let (log, rank) = log_trees(vec![vec![1.0, 0.0], vec![0.0, 3.0]]);
        assert!((log.exp() - 3.0).abs() < 1e-9 && rank == 2);
        let (log, rank) = log_trees(vec![vec![2.0, 1.0], vec![1.0, 1.0]]);
        assert!((log.exp() - 7.0).abs() < 1e-9 && rank == 3);
    }

    #[test]
    fn long_grids_stand_and_short_ones_lie() {
        let law = NoiseLaw::discrete_gaussian("4".parse().unwrap());
        let (shape, log) = UprightGrid::best(3, &full(9, 3), &law).unwrap();
        assert!(shape.rows.len() == 9 && (log.exp() - 4.5).abs() < 1e-6);
        let (turned, _) = UprightGrid::best(9, &full(3, 9), &law).unwrap();
        assert!(turned.rows.len() == 9 && turned.rows[8][0] == [8]);
        let (shape, log) = UprightGrid::best(9, &full(2, 9), &law).unwrap();
        assert!(shape.rows.len() == 2 && log.abs() < 1e-6);
        let (shape, _) = UprightGrid::best(2, &full(9, 2), &law).unwrap();
        assert_eq!(shape.rows.len(), 2);
    }

    #[test]
    fn rows_that_reach_every_column_come_last() {
        let law = NoiseLaw::discrete_gaussian("4".parse().unwrap());
        let cells = [&[0][..], &[], &[1], &[2], &[3], &[4], &[5], &[6], &[7]].map(<[u32]>::to_vec);
        let (shape, _) = UprightGrid::best(3, &cells, &law).unwrap();
        assert_eq!(shape.last, [1, 2]);
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        let law = NoiseLaw::discrete_gaussian("4".parse().unwrap());
        let empty = vec![vec![0], vec![1], vec![], vec![]];
        let twice = vec![vec![0], vec![1], vec![1], vec![2]];
        for (columns, positions) in
            [(1, full(4, 1)), (4, full(1, 4)), (3, full(2, 2)), (0, vec![]), (2, empty), (2, twice)]
        {
            assert!(UprightGrid::best(columns, &positions, &law).is_err());
        }
    }
}

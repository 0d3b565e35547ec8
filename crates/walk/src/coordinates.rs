//! The coordinates of a table in a basis of the lattice, each as a sum over cells: what couplings
//! put at the same value.

use exact::{Integer, Matrix, smith};

/// Cells times vectors at most: normal forms of larger bases would take too long.
const MOST_ENTRIES: usize = 1 << 16;

/// For every vector of the basis the cells with their coefficients whose sum is the number of units
/// of it: the rows of an integer matrix L with `L·B = I`.
///
/// With `U·B·V = D` the diagonal of D is all ones, because the basis is saturated, and
/// `L = V·(first rows of U)`. `None` where the basis is large, not saturated, or L has large
/// entries.
pub(super) fn coordinates(cells: usize, basis: &[Vec<(u32, i64)>]) -> Option<Vec<Vec<(u32, i64)>>> {
    if basis.is_empty() || cells.saturating_mul(basis.len()) > MOST_ENTRIES {
        return None;
    }
    let mut rows = vec![vec![0i64; basis.len()]; cells];
    for (vector, entries) in basis.iter().enumerate() {
        entries.iter().for_each(|(place, times)| rows[*place as usize][vector] = *times);
    }
    let form = smith(&Matrix::from_rows(&rows));
    if form.rank < basis.len() || (0..form.rank).any(|place| form.d[(place, place)] != Integer::ONE) {
        return None;
    }
    let inverse = form.v.product(&form.u.first_rows(basis.len()));
    let row = |vector: usize| {
        let entries = inverse.row(vector).iter().enumerate().filter(|(_, times)| !times.is_zero());
        entries.map(|(place, times)| Some((place as u32, i64::from(i32::try_from(times).ok()?)))).collect()
    };
    (0..basis.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::coordinates;

    /// The sum of a coordinate over a vector.
    fn sum(coordinate: &[(u32, i64)], vector: &[(u32, i64)]) -> i64 {
        let units = |place: u32| vector.iter().find(|(other, _)| *other == place).map_or(0, |(_, times)| *times);
        coordinate.iter().map(|(place, times)| times * units(*place)).sum()
    }

    #[test]
    fn coordinates_tell_the_units_of_every_vector() {
        // The swaps of neighbouring rows and columns of a 3×4 table.
        let cell = |row: u32, column: u32| 4 * row + column;
        let swap = |row: u32, column: u32| {
            let (here, below) = (cell(row, column), cell(row + 1, column));
            vec![(here, 1), (here + 1, -1), (below, -1), (below + 1, 1)]
        };
        let basis: Vec<_> = (0..2).flat_map(|row| (0..3).map(move |column| swap(row, column))).collect();
        let found = coordinates(12, &basis).expect("a saturated basis");
        for (one, coordinate) in found.iter().enumerate() {
            for (two, vector) in basis.iter().enumerate() {
                assert_eq!(sum(coordinate, vector), i64::from(one == two), "{one} {two}");
            }
        }
    }

    #[test]
    fn a_sublattice_has_no_integer_coordinates() {
        assert_eq!(coordinates(2, &[vec![(0, 2), (1, -2)]]), None);
        assert_eq!(coordinates(3, &[vec![(0, 1), (1, -1)], vec![(0, -1), (1, 1)]]), None);
        assert!(coordinates(3, &[vec![(0, 1), (1, -1)], vec![(1, 1), (2, -1)]]).is_some());
    }
}

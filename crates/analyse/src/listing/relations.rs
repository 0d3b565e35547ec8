//! Equalities that follow from those of a fibre: every cell by the few that are free.

use crate::number::gcd;

/// A sum over cells that has one value in all tables.
pub(super) type Relation = (Vec<(u32, i64)>, i128);

/// The most numbers that an elimination looks at.
const MOST_WORK: usize = 50_000_000;
/// Relations with more cells narrow little.
const MOST_ENTRIES: usize = 40;
/// Larger coefficients are left out.
const LARGEST: i128 = 1 << 40;

/// The reduced echelon form of equalities, in whole numbers. Cells that come first in `order` are
/// written by later ones. Nothing is lost where it is given up: the equalities themselves are what
/// tables must keep.
pub(super) fn relations(cells: usize, equalities: &[Relation], order: &[u32]) -> Vec<Relation> {
    if equalities.len().saturating_mul(equalities.len()).saturating_mul(cells) > MOST_WORK {
        return Vec::new();
    }
    reduced(cells, equalities, order).unwrap_or_default()
}

fn reduced(cells: usize, equalities: &[Relation], order: &[u32]) -> Option<Vec<Relation>> {
    let mut rows: Vec<Vec<i128>> = Vec::with_capacity(equalities.len());
    for (entries, value) in equalities {
        let mut row = vec![0i128; cells + 1];
        entries.iter().for_each(|(cell, times)| row[*cell as usize] += i128::from(*times));
        row[cells] = *value;
        rows.push(row);
    }
    let mut rank = 0;
    for cell in order {
        let column = *cell as usize;
        let with = (rank..rows.len()).filter(|row| rows[*row][column] != 0);
        let Some(pivot) = with.min_by_key(|row| rows[*row][column].abs()) else { continue };
        rows.swap(rank, pivot);
        let pivot = rows[rank].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(number, row)| *number != rank && row[column] != 0) {
            let common = gcd(pivot[column].abs(), row[column].abs());
            let (up, times) = (pivot[column] / common, row[column] / common);
            for (value, pivot) in row.iter_mut().zip(&pivot) {
                *value = value.checked_mul(up)?.checked_sub(pivot.checked_mul(times)?)?;
            }
            shorten(row);
        }
        rank += 1;
    }
    rows.truncate(rank);
    let relation = |row: Vec<i128>| {
        let entries = row[..cells].iter().enumerate().filter(|(_, times)| **times != 0);
        let narrow = |(cell, times): (usize, &i128)| Some((cell as u32, i64::try_from(*times).ok()?));
        let entries: Option<Vec<(u32, i64)>> =
            entries.map(|entry| (entry.1.abs() <= LARGEST).then(|| narrow(entry)).flatten()).collect();
        entries.filter(|entries| entries.len() <= MOST_ENTRIES).map(|entries| (entries, row[cells]))
    };
    Some(rows.into_iter().filter_map(relation).collect())
}

/// Divides a row by what all its numbers share.
fn shorten(row: &mut [i128]) {
    let common = row.iter().fold(0, |common, value| gcd(common, value.abs()));
    if common > 1 {
        row.iter_mut().for_each(|value| *value /= common);
    }
}

#[cfg(test)]
mod tests {
    use super::relations;

    #[test]
    fn cells_are_written_by_the_free_ones() {
        // x + y + z = 6 and x + 2y + 3z = 14: x = z − 2, y = 8 − 2z.
        let equalities = [(vec![(0, 1), (1, 1), (2, 1)], 6), (vec![(0, 1), (1, 2), (2, 3)], 14)];
        let found = relations(3, &equalities, &[0, 1, 2]);
        assert_eq!(found, [(vec![(0, 1), (2, -1)], -2), (vec![(1, 1), (2, 2)], 8)]);
    }
}

//! Short bases of a block: cells that no total tells apart first, then each connected part of what
//! is left.

use super::pivots::sorted;
use super::product::product;
use super::verify::{Claim, Group, How};
use super::{Kernel, MOST_REDUCED, Vector, pair, too_large};
use crate::union::{Union, gathered};
use declare::Problem;
use exact::{Integer, Matrix, lll};
use std::collections::HashMap;

/// A short basis, with what shows it to be one.
pub(super) fn short(cells: usize, rows: &[&[(u32, i64)]]) -> Result<(Vec<Vector>, Claim), Problem> {
    let mut columns: Vec<Vector> = vec![Vec::new(); cells];
    for (number, row) in rows.iter().enumerate() {
        sorted(row).into_iter().for_each(|(cell, times)| columns[cell as usize].push((number as u32, times)));
    }
    let mut basis = Vec::new();
    let mut alike = Group { how: How::Steps(Vec::new()), ..Group::default() };
    for (cell, _) in (0..).zip(&columns).filter(|(_, column)| column.is_empty()) {
        basis.push(vec![(cell, 1)]);
        alike.leads.push(cell);
    }
    let summed = (0..).zip(&columns).filter(|(_, column)| !column.is_empty());
    let classes = gathered(summed.map(|(cell, column)| (column, cell)));
    for (_, class) in &classes {
        for pair in class.windows(2).rev() {
            basis.push(vec![(pair[0], 1), (pair[1], -1)]);
            alike.leads.push(pair[1]);
        }
    }
    let first_cells: Vec<u32> = classes.iter().map(|(_, class)| class[0]).collect();
    let mut claim = Claim { groups: vec![alike], rank_columns: Vec::new() };
    for part in parts(&first_cells, &columns, rows.len()) {
        let Kernel { basis: vectors, group, rank_columns } = part.short()?;
        let lift = |place: u32| part.cells[place as usize];
        basis.extend(
            vectors
                .into_iter()
                .map(|vector| vector.into_iter().map(|(place, value)| (lift(place), value)).collect::<Vector>()),
        );
        let duals =
            group.duals.into_iter().map(|dual| dual.into_iter().map(|(place, value)| (lift(place), value)).collect());
        claim.groups.push(Group {
            leads: group.leads.into_iter().map(lift).collect(),
            duals: duals.collect(),
            how: group.how,
        });
        let row = |row: u32| part.rows[row as usize];
        claim.rank_columns.extend(rank_columns.into_iter().map(|(place, pivot)| (lift(place), pivot.map(row))));
    }
    Ok((basis, claim))
}

/// Cells, one for each class, that rows connect, with those rows.
struct ConnectedRows {
    cells: Vec<u32>,
    rows: Vec<u32>,
    entries: Vec<Vector>,
}

/// The connected parts, rows that say the same only once.
fn parts(first_cells: &[u32], columns: &[Vector], rows: usize) -> Vec<ConnectedRows> {
    let mut tied = Union::new(rows);
    for cell in first_cells {
        let column = &columns[*cell as usize];
        for (row, _) in column {
            tied.join(column[0].0, *row);
        }
    }
    gathered(first_cells.iter().map(|cell| (tied.top(columns[*cell as usize][0].0), *cell)))
        .into_iter()
        .map(|(_, cells)| {
            let mut entries: HashMap<u32, Vector> = HashMap::new();
            for (place, cell) in cells.iter().enumerate() {
                for (row, times) in &columns[*cell as usize] {
                    entries.entry(*row).or_default().push((place as u32, *times));
                }
            }
            let mut numbered: Vec<(u32, Vector)> = entries.into_iter().collect();
            numbered.sort_unstable_by_key(|(row, _)| *row);
            let mut known = std::collections::HashSet::new();
            numbered.retain(|(_, row)| known.insert(row.clone()));
            let (rows, entries) = numbered.into_iter().unzip();
            ConnectedRows { cells, rows, entries }
        })
        .collect()
}

impl ConnectedRows {
    fn short(&self) -> Result<Kernel, Problem> {
        if let Some((basis, leads)) = product(self.cells.len(), &self.entries) {
            let mut is_lead = vec![false; self.cells.len()];
            leads.iter().for_each(|lead| is_lead[*lead as usize] = true);
            let others = (0..self.cells.len() as u32).filter(|place| !is_lead[*place as usize]);
            let rank_columns = others.map(|place| (place, None)).collect();
            let group = Group { leads, duals: Vec::new(), how: How::Steps(Vec::new()) };
            return Ok(Kernel { basis, group, rank_columns });
        }
        let rows: Vec<&[(u32, i64)]> = self.entries.iter().map(Vec::as_slice).collect();
        let mut kernel = Kernel::new(self.cells.len(), &rows).map_err(too_large)?;
        if (2..=MOST_REDUCED).contains(&kernel.basis.len()) {
            kernel.basis = reduced(&kernel.basis).ok_or(super::pivots::TooLarge).map_err(too_large)?;
            kernel.group.how = How::Anew;
        } else {
            kernel.group.how = How::Steps(pair::reduce(&mut kernel.basis));
        }
        Ok(kernel)
    }
}

/// The basis after LLL, over the cells that it touches.
fn reduced(basis: &[Vector]) -> Option<Vec<Vector>> {
    let mut cells: Vec<u32> = basis.iter().flatten().map(|(cell, _)| *cell).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut matrix = Matrix::zero(basis.len(), cells.len());
    for (row, vector) in basis.iter().enumerate() {
        for (cell, value) in vector {
            matrix[(row, cells.partition_point(|known| known < cell))] = Integer::from(*value);
        }
    }
    let matrix = lll(&matrix);
    let entry = |(cell, value): (&u32, &Integer)| i64::try_from(value).ok().map(|value| (*cell, value));
    (0..matrix.rows())
        .map(|row| cells.iter().zip(matrix.row(row)).filter(|(_, value)| !value.is_zero()).map(entry).collect())
        .collect()
}

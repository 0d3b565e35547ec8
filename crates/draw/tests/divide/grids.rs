//! Grids of cells, and their laws by enumeration.

use crate::tables::numbers::rational;
use draw::NoiseLaw;
use exact::integer::below;
use exact::{Enclosure, Entropy, Rational};
use std::collections::BTreeMap;

/// A grid as `Divide` takes it.
#[derive(Debug, Clone)]
pub struct Grid {
    pub columns: usize,
    pub positions: Vec<Vec<u32>>,
}

pub fn geometric(epsilon: &str) -> NoiseLaw {
    NoiseLaw::double_geometric(rational(epsilon))
}

pub fn gaussian(variance: &str) -> NoiseLaw {
    NoiseLaw::discrete_gaussian(rational(variance))
}

/// A grid with so many cells at each position, numbered along the rows.
pub fn grid(sizes: &[&[u32]]) -> Grid {
    let mut next = 0;
    let mut positions = Vec::new();
    for size in sizes.iter().flat_map(|row| row.iter()) {
        positions.push((next..next + size).collect());
        next += size;
    }
    Grid { columns: sizes[0].len(), positions }
}

pub fn full(rows: usize, columns: usize) -> Grid {
    grid(&vec![&vec![1; columns][..]; rows])
}

/// A random grid with every row and column in use, up to `most` rows and columns, and up to
/// `largest` cells a position.
pub fn random_grid<E: Entropy>(entropy: &mut E, most: u64, largest: u64) -> Grid {
    loop {
        let (rows, columns) = (2 + below(entropy, most - 1) as usize, 2 + below(entropy, most - 1) as usize);
        let mut size = || match below(entropy, 4) {
            0 => 0,
            1 | 2 => 1,
            _ => 1 + below(entropy, largest) as u32,
        };
        let sizes: Vec<Vec<u32>> = (0..rows).map(|_| (0..columns).map(|_| size()).collect()).collect();
        let in_use = sizes.iter().all(|row| row.iter().any(|size| *size > 0))
            && (0..columns).all(|column| sizes.iter().any(|row| row[column] > 0));
        if in_use {
            return grid(&sizes.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
    }
}

impl Grid {
    pub fn rows(&self) -> usize {
        self.positions.len() / self.columns
    }

    pub fn cells(&self) -> usize {
        self.positions.iter().map(Vec::len).sum()
    }

    /// These cells, with rows and columns exchanged.
    pub fn transposed(&self) -> Grid {
        let position = |row: usize, column: usize| self.positions[row * self.columns + column].clone();
        let positions =
            (0..self.columns).flat_map(|column| (0..self.rows()).map(move |row| position(row, column))).collect();
        Grid { columns: self.rows(), positions }
    }

    /// The row and the column of every cell.
    pub fn places(&self) -> Vec<(usize, usize)> {
        let mut places = vec![(0, 0); self.cells()];
        for (position, cells) in self.positions.iter().enumerate() {
            cells.iter().for_each(|cell| places[*cell as usize] = (position / self.columns, position % self.columns));
        }
        places
    }

    /// All row sums and column sums.
    pub fn margins(&self, noise: &[i64]) -> Vec<i64> {
        let mut sums = vec![0; self.rows() + self.columns];
        for ((row, column), value) in self.places().into_iter().zip(noise) {
            sums[row] += value;
            sums[self.rows() + column] += value;
        }
        sums
    }

    /// All tables with margins zero and cells within ±radius: cell by cell, giving up as soon as a
    /// margin cannot come back.
    pub fn tables(&self, radius: i64) -> Vec<Vec<i64>> {
        let places = self.places();
        let mut left = vec![0i64; self.rows() + self.columns];
        for (row, column) in &places {
            left[*row] += 1;
            left[self.rows() + column] += 1;
        }
        let mut found = Vec::new();
        let mut sums = vec![0; left.len()];
        self.extend(&places, radius, &mut Vec::new(), &mut sums, &mut left, &mut found);
        found
    }

    pub fn extend(
        &self,
        places: &[(usize, usize)],
        radius: i64,
        table: &mut Vec<i64>,
        sums: &mut [i64],
        left: &mut [i64],
        found: &mut Vec<Vec<i64>>,
    ) {
        let Some((row, column)) = places.get(table.len()).map(|(row, column)| (*row, self.rows() + column)) else {
            found.push(table.clone());
            return;
        };
        left[row] -= 1;
        left[column] -= 1;
        for value in -radius..=radius {
            let fits = |margin: usize| (sums[margin] + value).abs() <= left[margin] * radius;
            if fits(row) && fits(column) {
                sums[row] += value;
                sums[column] += value;
                table.push(value);
                self.extend(places, radius, table, sums, left, found);
                table.pop();
                sums[row] -= value;
                sums[column] -= value;
            }
        }
        left[row] += 1;
        left[column] += 1;
    }

    /// The exact law, given that every cell is within ±radius.
    pub fn law(&self, law: &NoiseLaw, radius: i64) -> BTreeMap<Vec<i64>, Enclosure> {
        let mut powers: BTreeMap<Rational, Enclosure> = BTreeMap::new();
        let weights: Vec<(Vec<i64>, Enclosure)> = self
            .tables(radius)
            .into_iter()
            .map(|table| {
                let energy = table.iter().fold(Rational::integer(0), |sum, z| &sum + &law.energy(*z));
                let weight =
                    powers.entry(energy).or_insert_with_key(|energy| Enclosure::exp_rational(&-energy.clone(), 128));
                (table, weight.clone())
            })
            .collect();
        let total = weights.iter().fold(Enclosure::from_integer(0, 128), |sum, (_, weight)| &sum + weight);
        weights.into_iter().map(|(table, weight)| (table, weight.checked_div(&total).unwrap())).collect()
    }
}

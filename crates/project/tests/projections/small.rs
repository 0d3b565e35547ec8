//! Random small fibres with measurements, and all their tables.

use analyse::{Demand, Fibre, FibreRow};
use proptest::prelude::*;

/// A fibre, a table of it, and weights of its queries.
#[derive(Debug, Clone)]
pub struct Small {
    pub fibre: Fibre,
    pub table: Vec<i64>,
    pub weights: Vec<f64>,
}

/// A measured sum: entries, weight, and what is added.
pub type Term = (Vec<(u32, i64)>, f64, i64);

/// Whole weights, so that brute force and projection compare the same numbers.
const WEIGHTS: [f64; 3] = [1.0, 4.0, 2.0];

fn row(entries: Vec<(u32, i64)>, demand: Demand) -> FibreRow {
    FibreRow { entries, demand }
}

fn sum(entries: &[(u32, i64)], table: &[i64]) -> i64 {
    entries.iter().map(|(cell, times)| table[*cell as usize] * times).sum()
}

/// Fibres of up to six cells: rows of any kind with coefficients −1, 1 and sometimes 2, around a
/// table of small counts.
pub fn any_small() -> impl Strategy<Value = Small> {
    (2usize..=5).prop_flat_map(|cells| {
        let table = prop::collection::vec(0i64..4, cells);
        let bounds = prop::collection::vec((prop::option::weighted(0.8, 0i64..2), prop::option::of(0i64..3)), cells);
        let coefficient = prop_oneof![4 => Just(0i64), 5 => Just(1), 1 => Just(-1), 1 => Just(2)];
        let rows = prop::collection::vec((prop::collection::vec(coefficient, cells), 0usize..6, 0i64..2), 0..4);
        (table, bounds, rows, any::<bool>()).prop_map(move |(table, bounds, rows, on_cells)| {
            let noisy_cells = !on_cells;
            let mut built = Vec::new();
            for (coefficients, kind, slack) in rows {
                let entries: Vec<(u32, i64)> =
                    (0..cells as u32).zip(coefficients).filter(|(_, times)| *times != 0).collect();
                if entries.is_empty() {
                    continue;
                }
                let value = sum(&entries, &table);
                let demand = match kind {
                    0..=2 => Demand::Equal(value),
                    3 => Demand::AtLeast(value - slack),
                    4 => Demand::AtMost(value + slack),
                    _ if noisy_cells => Demand::Noisy { query: 1, group: 0, fixed: slack },
                    _ => Demand::Equal(value),
                };
                built.push(row(entries, demand));
            }
            if noisy_cells {
                for cell in 0..cells as u32 {
                    built.push(row(vec![(cell, 1)], Demand::Noisy { query: 0, group: cell, fixed: 0 }));
                }
                built.push(row(
                    (0..cells as u32).map(|cell| (cell, 1)).collect(),
                    Demand::Noisy { query: 2, group: 0, fixed: 0 },
                ));
            }
            let bounds = table
                .iter()
                .zip(bounds)
                .map(|(x, (low, high))| (low.map(|low| (x - low).min(0)), high.map(|h| x + h)))
                .collect();
            let fibre = Fibre { cells: (0..cells as u32).collect(), bounds, rows: built, noise_on_cells: on_cells };
            Small { fibre, table, weights: if on_cells { Vec::new() } else { WEIGHTS.to_vec() } }
        })
    })
}

impl Small {
    /// Everything that is measured: entries, weight, and what is added.
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        if self.fibre.noise_on_cells {
            terms.extend((0..self.table.len() as u32).map(|cell| (vec![(cell, 1)], 1.0, 0)));
        }
        for row in &self.fibre.rows {
            if let Demand::Noisy { query, fixed, .. } = row.demand {
                terms.push((row.entries.clone(), self.weights[query as usize], fixed));
            }
        }
        terms
    }

    /// What a table would give without noise.
    pub fn measure(&self, table: &[i64]) -> Vec<i64> {
        self.terms().iter().map(|(entries, _, fixed)| sum(entries, table) + fixed).collect()
    }

    /// `Σ weight·|sum − measured|`.
    pub fn deviation(&self, table: &[i64], measured: &[i64]) -> f64 {
        let apart = self.measure(table);
        let terms = self.terms();
        terms.iter().zip(apart.iter().zip(measured)).map(|((_, w, _), (a, m))| w * (a - m).abs() as f64).sum()
    }

    /// All tables of the fibre with cells within these ends.
    pub fn tables(&self, ends: impl Fn(usize) -> (i64, i64)) -> Vec<Vec<i64>> {
        let ends: Vec<(i64, i64)> = (0..self.table.len())
            .map(|cell| {
                let ((low, high), (least, most)) = (self.fibre.bounds[cell], ends(cell));
                (low.map_or(least, |low| low.max(least)), high.map_or(most, |high| high.min(most)))
            })
            .collect();
        let mut found = Vec::new();
        if ends.iter().any(|(low, high)| low > high) {
            return found;
        }
        let mut table: Vec<i64> = ends.iter().map(|(low, _)| *low).collect();
        'all: loop {
            if self.fibre.contains(&table) {
                found.push(table.clone());
            }
            for cell in (0..table.len()).rev() {
                if table[cell] < ends[cell].1 {
                    table[cell] += 1;
                    continue 'all;
                }
                table[cell] = ends[cell].0;
            }
            return found;
        }
    }
}

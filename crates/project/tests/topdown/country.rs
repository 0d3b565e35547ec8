//! A small country: states, counties and blocks, with totals and rules.

use analyse::{Demand, Fibre, FibreRow};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Cells as (state, county, kind) with counts.
#[derive(Debug, Clone)]
pub struct Country {
    pub cells: Vec<(u32, u32, u32)>,
    pub counts: Vec<i64>,
    /// Which totals are invariant: of all, by state, by county, by kind, by state and kind.
    pub kept: [bool; 5],
    /// Noise on states, counties and cells instead of cells alone.
    pub queries: bool,
}

type Key = fn(&(u32, u32, u32)) -> (u32, u32, u32);

const KEYS: [Key; 5] = [
    |_| (0, 0, 0),
    |cell| (cell.0, 0, 0),
    |cell| (cell.0, cell.1, 0),
    |cell| (0, 0, cell.2),
    |cell| (cell.0, 0, cell.2),
];

pub fn any_country() -> impl Strategy<Value = Country> {
    let counties = prop::collection::vec((1u32..4, 1u32..4), 1..4);
    (counties, any::<[bool; 5]>(), any::<bool>(), prop::collection::vec(0i64..40, 64)).prop_map(
        |(states, kept, queries, counts)| {
            let mut cells = Vec::new();
            for (state, (counties, kinds)) in states.iter().enumerate() {
                for county in 0..*counties {
                    cells.extend((0..*kinds).map(|kind| (state as u32, county, kind)));
                }
            }
            let counts = counts[..cells.len()].to_vec();
            Country { cells, counts, kept, queries }
        },
    )
}

impl Country {
    pub fn groups(&self, key: Key) -> Vec<Vec<(u32, i64)>> {
        let mut groups: BTreeMap<(u32, u32, u32), Vec<(u32, i64)>> = BTreeMap::new();
        for (place, cell) in self.cells.iter().enumerate() {
            groups.entry(key(cell)).or_default().push((place as u32, 1));
        }
        groups.into_values().collect()
    }

    pub fn fibre(&self) -> Fibre {
        let mut rows = Vec::new();
        for (key, _) in KEYS.iter().zip(self.kept).filter(|(_, kept)| *kept) {
            for entries in self.groups(*key) {
                let total = entries.iter().map(|(place, _)| self.counts[*place as usize]).sum();
                rows.push(FibreRow { entries, demand: Demand::Equal(total) });
            }
        }
        if self.queries {
            let keys: [Key; 3] = [KEYS[1], KEYS[2], |cell| *cell];
            for (query, key) in keys.into_iter().enumerate() {
                for (group, entries) in self.groups(key).into_iter().enumerate() {
                    rows.push(FibreRow {
                        entries,
                        demand: Demand::Noisy { query: query as u32, group: group as u32, fixed: 0 },
                    });
                }
            }
        }
        let cells = self.cells.len();
        Fibre {
            cells: (0..cells as u32).collect(),
            bounds: vec![(Some(0), None); cells],
            rows,
            noise_on_cells: !self.queries,
        }
    }

    pub fn levels(&self) -> Vec<Vec<u32>> {
        let code = |key: Key| {
            self.cells
                .iter()
                .map(|cell| {
                    let (state, county, _) = key(cell);
                    state * 100 + county
                })
                .collect()
        };
        vec![vec![0; self.cells.len()], code(KEYS[1]), code(KEYS[2])]
    }

    pub fn measure(&self, fibre: &Fibre) -> Vec<i64> {
        let mut measured = if self.queries { Vec::new() } else { self.counts.clone() };
        for row in fibre.rows.iter().filter(|row| matches!(row.demand, Demand::Noisy { .. })) {
            measured.push(row.entries.iter().map(|(place, _)| self.counts[*place as usize]).sum());
        }
        measured
    }
}

pub fn row(places: &[u32], demand: Demand) -> FibreRow {
    FibreRow { entries: places.iter().map(|place| (*place, 1)).collect(), demand }
}

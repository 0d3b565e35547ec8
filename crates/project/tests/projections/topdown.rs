//! TopDown on random hierarchies of states, counties and kinds: every total kept, tables of the fibre left alone.

use analyse::{Demand, Fibre, FibreRow};
use project::{Norm, Projector, TopDown};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Cells as (state, county, kind) with counts.
#[derive(Debug, Clone)]
struct Country {
    cells: Vec<(u32, u32, u32)>,
    counts: Vec<i64>,
    /// Which totals are invariant: of all, by state, by county, by kind, by state and kind.
    kept: [bool; 5],
    /// Noise on states, counties and cells instead of cells alone.
    queries: bool,
}

type Key = fn(&(u32, u32, u32)) -> (u32, u32, u32);

const KEYS: [Key; 5] = [
    |_| (0, 0, 0),
    |cell| (cell.0, 0, 0),
    |cell| (cell.0, cell.1, 0),
    |cell| (0, 0, cell.2),
    |cell| (cell.0, 0, cell.2),
];

fn any_country() -> impl Strategy<Value = Country> {
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
    fn groups(&self, key: Key) -> Vec<Vec<(u32, i64)>> {
        let mut groups: BTreeMap<(u32, u32, u32), Vec<(u32, i64)>> = BTreeMap::new();
        for (place, cell) in self.cells.iter().enumerate() {
            groups.entry(key(cell)).or_default().push((place as u32, 1));
        }
        groups.into_values().collect()
    }

    fn fibre(&self) -> Fibre {
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

    fn levels(&self) -> Vec<Vec<u32>> {
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

    fn measure(&self, fibre: &Fibre) -> Vec<i64> {
        let mut measured = if self.queries { Vec::new() } else { self.counts.clone() };
        for row in fibre.rows.iter().filter(|row| matches!(row.demand, Demand::Noisy { .. })) {
            measured.push(row.entries.iter().map(|(place, _)| self.counts[*place as usize]).sum());
        }
        measured
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_total_is_kept(country in any_country(), noise in prop::collection::vec(-15i64..=15, 160)) {
        let fibre = country.fibre();
        let weights: &[f64] = if country.queries { &[0.5, 1.0, 2.0] } else { &[] };
        let measured: Vec<i64> = country.measure(&fibre).iter().zip(&noise).map(|(x, z)| x + z).collect();
        for levels in [country.levels(), country.levels()[1..2].to_vec(), Vec::new()] {
            let topdown = TopDown::new(&fibre, weights, &levels).unwrap();
            prop_assert_eq!(topdown.measured(), measured.len());
            prop_assert!(fibre.contains(&topdown.integer(&measured).unwrap()));
        }
    }

    #[test]
    fn without_noise_the_table_stays(country in any_country()) {
        let fibre = country.fibre();
        let weights: &[f64] = if country.queries { &[0.5, 1.0, 2.0] } else { &[] };
        let topdown = TopDown::new(&fibre, weights, &country.levels()).unwrap();
        prop_assert_eq!(topdown.integer(&country.measure(&fibre)).unwrap(), country.counts);
    }

    #[test]
    fn without_levels_it_is_the_nonnegative_projection(country in any_country(), noise in prop::collection::vec(-15i64..=15, 160)) {
        let fibre = Country { queries: false, ..country.clone() }.fibre();
        let measured: Vec<i64> = country.counts.iter().zip(&noise).map(|(x, z)| x + z).collect();
        let projected = Projector::new(&fibre, &[], Norm::Nonnegative).unwrap().integer(&measured).unwrap();
        prop_assert_eq!(TopDown::new(&fibre, &[], &[]).unwrap().integer(&measured).unwrap(), projected);
    }
}

fn row(places: &[u32], demand: Demand) -> FibreRow {
    FibreRow { entries: places.iter().map(|place| (*place, 1)).collect(), demand }
}

#[test]
fn finer_totals_and_rules_are_seen_from_above() {
    // Two states of two counties; county totals, and a rule inside the second state, imply totals and a bound of the states.
    let fibre = Fibre {
        cells: (0..6).collect(),
        bounds: vec![(Some(0), None); 6],
        rows: vec![
            row(&[0, 1, 2, 3, 4, 5], Demand::Equal(60)),
            row(&[0], Demand::Equal(10)),
            row(&[1], Demand::Equal(7)),
            row(&[4, 5], Demand::AtLeast(30)),
        ],
        noise_on_cells: true,
    };
    let topdown = TopDown::new(&fibre, &[], &[vec![0, 0, 1, 1, 2, 2]]).unwrap();
    // The noise would put almost everything into the second state.
    let table = topdown.integer(&[50, 50, 40, 40, -20, -20]).unwrap();
    // Which of two equal cells is rounded up, the numbers decide.
    assert!(table == [10, 7, 7, 6, 15, 15] || table == [10, 7, 6, 7, 15, 15], "{table:?}");
}

#[test]
fn what_a_level_fixes_may_leave_nothing_below() {
    // Odd groups of cells that must all be equal: only integers of the whole see it.
    let fibre = Fibre {
        cells: (0..2).collect(),
        bounds: vec![(Some(0), None); 2],
        rows: vec![FibreRow { entries: vec![(0, 1), (1, -1)], demand: Demand::Equal(0) }],
        noise_on_cells: true,
    };
    let topdown = TopDown::new(&fibre, &[], &[vec![0, 0]]).unwrap().named(vec!["differ by".into()]);
    assert_eq!(topdown.integer(&[3, 3]).unwrap(), [3, 3]);
    // Then all levels are projected together.
    let table = topdown.integer(&[3, 4]).unwrap();
    assert!(table == [3, 3] || table == [4, 4], "{table:?}");
}

#[test]
fn levels_must_fit() {
    let fibre =
        Fibre { cells: (0..3).collect(), bounds: vec![(None, None); 3], rows: Vec::new(), noise_on_cells: true };
    let short = TopDown::new(&fibre, &[], &[vec![0, 0]]).unwrap_err();
    assert_eq!(short.message, "level 1 has groups for 2 cells, but there are 3");
    let crossing = TopDown::new(&fibre, &[], &[vec![0, 0, 1], vec![0, 1, 1]]).unwrap_err();
    assert_eq!(crossing.message, "a group of level 2 has cells in two groups of level 1");
}

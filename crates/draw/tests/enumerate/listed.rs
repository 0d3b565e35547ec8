//! Small fibres and their laws, enclosed.

use crate::tables::numbers::rational;
use analyse::{Demand, Fibre, FibreRow, ListLimits, Listed};
use draw::NoiseLaw;
use exact::{Enclosure, Rational};
use std::collections::BTreeMap;

pub const LIMITS: ListLimits = ListLimits { cells: 100, tables: 100_000, values: 1_000_000, work: 50_000_000 };

pub fn sum(places: &[u32], demand: Demand) -> FibreRow {
    FibreRow { entries: places.iter().map(|place| (*place, 1)).collect(), demand }
}

/// Three counts with a total; with queries noise sits on the first two together and on the last.
pub fn three(total: i64, noise_on_cells: bool) -> Fibre {
    let mut rows = vec![sum(&[0, 1, 2], Demand::Equal(total))];
    if !noise_on_cells {
        rows.push(sum(&[0, 1], Demand::Noisy { query: 0, group: 0, fixed: 0 }));
        rows.push(sum(&[0], Demand::Noisy { query: 1, group: 0, fixed: 0 }));
    }
    Fibre { cells: vec![0, 1, 2], bounds: vec![(Some(0), None); 3], rows, noise_on_cells }
}

/// The energy of a table around a centre as the law itself states it, enclosed.
fn energy(fibre: &Fibre, law: &NoiseLaw, rates: &[Rational], centre: &[i64], table: &[i64]) -> Enclosure {
    const BITS: usize = 160;
    let moved = |row: &FibreRow| -> i64 {
        row.entries.iter().map(|(place, times)| times * (table[*place as usize] - centre[*place as usize])).sum()
    };
    if !law.is_product() {
        let epsilon = law.parameter();
        let squares: i64 = table.iter().zip(centre).map(|(value, centre)| (value - centre).pow(2)).sum();
        let root = Enclosure::from_integer(squares, BITS).sqrt().unwrap();
        return &Enclosure::from_rational(epsilon, BITS) * &root;
    }
    let cells = table.iter().zip(centre).map(|(value, centre)| law.energy(value - centre));
    let sums = fibre.rows.iter().filter_map(|row| match row.demand {
        Demand::Noisy { query, .. } => Some(&rates[query as usize] * &Rational::integer(moved(row).abs())),
        _ => None,
    });
    let parts: Vec<Rational> = if fibre.noise_on_cells { cells.collect() } else { sums.collect() };
    Enclosure::from_rational(&parts.iter().fold(Rational::integer(0), |sum, part| &sum + part), BITS)
}

/// The law of a list around a centre, enclosed.
pub fn law_of(
    fibre: &Fibre,
    listed: &Listed,
    law: &NoiseLaw,
    rates: &[Rational],
    centre: &[i64],
) -> BTreeMap<Vec<i64>, Enclosure> {
    let weight = |table: &[i64]| (-&energy(fibre, law, rates, centre, table)).exp();
    let whole = listed.tables().map(weight).reduce(|sum, weight| &sum + &weight).unwrap();
    listed.tables().map(|table| (table.to_vec(), weight(table).checked_div(&whole).unwrap())).collect()
}

pub fn every_law() -> Vec<(NoiseLaw, Vec<Rational>)> {
    vec![
        (NoiseLaw::double_geometric(rational("1/2")), Vec::new()),
        (NoiseLaw::discrete_gaussian(rational("7/5")), Vec::new()),
        (NoiseLaw::lattice_laplace(rational("3/4")), Vec::new()),
        (NoiseLaw::double_geometric(rational("1/3")), vec![rational("1/3"), rational("2/5")]),
    ]
}

pub fn sums(fibre: &Fibre, centre: &[i64]) -> Vec<Vec<i64>> {
    if fibre.noise_on_cells { Vec::new() } else { vec![vec![centre[0] + centre[1]], vec![centre[0]]] }
}

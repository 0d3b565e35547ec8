//! Projections with a named fault are told from the nearest table by what `law.rs` and
//! `quantities.rs` ask of one.

use super::small::Small;
use analyse::{Demand, Fibre, FibreRow};
use project::{Norm, Projector};
use testkit::Random;

/// Both margins of two rows and three columns, no count below zero.
fn margins() -> Small {
    let table = vec![2, 0, 1, 1, 3, 0];
    let row = |places: &[u32]| FibreRow {
        entries: places.iter().map(|place| (*place, 1)).collect(),
        demand: Demand::Equal(places.iter().map(|place| table[*place as usize]).sum()),
    };
    let rows = vec![row(&[0, 1, 2]), row(&[3, 4, 5]), row(&[0, 3]), row(&[1, 4]), row(&[2, 5])];
    let fibre = Fibre { cells: (0..6).collect(), bounds: vec![(Some(0), None); 6], rows, noise_on_cells: true };
    Small { fibre, table, weights: Vec::new() }
}

/// Measurements of many rounds.
fn measured(small: &Small) -> impl Iterator<Item = Vec<i64>> + '_ {
    let mut random = Random(23);
    (0..200).map(move |_| small.measure(&small.table).iter().map(|x| x + random.below(13) as i64 - 6).collect())
}

fn projected(fibre: &Fibre, norm: Norm, measured: &[i64]) -> Vec<i64> {
    Projector::new(fibre, &[], norm).unwrap().integer(measured).unwrap()
}

#[test]
fn mutants_in_l1_are_not_the_nearest_table() {
    let small = margins();
    let tables = small.tables(|_| (0, 7));
    let nearest = |found: &[i64], measured: &[i64]| {
        let cost = small.deviation(found, measured);
        small.fibre.contains(found) && tables.iter().all(|table| cost <= small.deviation(table, measured) + 1e-9)
    };
    let free = Fibre { bounds: vec![(None, None); 6], ..small.fibre.clone() };
    let mut caught = [0; 4];
    for measured in measured(&small) {
        assert!(nearest(&projected(&small.fibre, Norm::L1, &measured), &measured));
        let mut shifted = measured.clone();
        shifted[0] += 6;
        let mut moved = projected(&small.fibre, Norm::L1, &measured);
        [(0, 1), (1, -1), (3, -1), (4, 1)].iter().for_each(|(cell, unit)| moved[*cell] += unit);
        // Bounds forgotten, a measurement misread, squares for distances, a unit gone round a
        // square.
        let mutants = [
            projected(&free, Norm::L1, &measured),
            projected(&small.fibre, Norm::L1, &shifted),
            projected(&small.fibre, Norm::Nonnegative, &measured),
            moved,
        ];
        for (caught, mutant) in caught.iter_mut().zip(&mutants) {
            *caught += usize::from(!nearest(mutant, &measured));
        }
    }
    assert!(caught.iter().all(|caught| *caught >= 10), "{caught:?}");
}

#[test]
fn mutants_in_l2_are_no_optimum() {
    let small = margins();
    let tables = small.tables(|_| (0, 7));
    // At the optimum no direction to another table leads downhill.
    let downhill = |real: &[f64], measured: &[i64]| {
        tables.iter().any(|table| {
            let slope = real.iter().zip(measured).zip(table).map(|((y, m), t)| (y - *m as f64) * (*t as f64 - y));
            slope.sum::<f64>() < -1e-5
        })
    };
    let (mut nudged, mut unbounded) = (0, 0);
    for measured in measured(&small) {
        let numbers: Vec<f64> = measured.iter().map(|m| *m as f64).collect();
        let nearest = |fibre: &Fibre, norm| Projector::new(fibre, &[], norm).unwrap().real(&numbers).unwrap();
        let real = nearest(&small.fibre, Norm::Nonnegative);
        assert!(!downhill(&real, &measured));
        // Five per cent of the way to the true table; least squares without bounds, cut off at
        // zero.
        let away: Vec<f64> = real.iter().zip(&small.table).map(|(y, x)| y + 0.05 * (*x as f64 - y)).collect();
        nudged += usize::from(downhill(&away, &measured));
        let cut: Vec<f64> = nearest(&small.fibre, Norm::L2).iter().map(|y| y.max(0.0)).collect();
        let keeps = |row: &FibreRow| {
            let sum: f64 = row.entries.iter().map(|(cell, times)| cut[*cell as usize] * *times as f64).sum();
            matches!(row.demand, Demand::Equal(value) if (sum - value as f64).abs() < 1e-6)
        };
        unbounded += usize::from(!small.fibre.rows.iter().all(keeps));
    }
    assert!(nudged > 150 && unbounded > 50, "{nudged} {unbounded}");
}

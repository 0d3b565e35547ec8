//! What must not matter: the order of the cells, where zero is, the number of threads.

use super::small::{Small, any_small};
use analyse::{Demand, FibreRow};
use project::{Norm, Projector};
use proptest::prelude::*;

/// The fibre with every table moved by a table.
fn moved(small: &Small, by: &[i64]) -> Small {
    let mut moved = small.clone();
    for ((low, high), by) in moved.fibre.bounds.iter_mut().zip(by) {
        (*low, *high) = (low.map(|low| low + by), high.map(|high| high + by));
    }
    for row in &mut moved.fibre.rows {
        let sum: i64 = row.entries.iter().map(|(cell, times)| by[*cell as usize] * times).sum();
        row.demand = match row.demand {
            Demand::Equal(value) => Demand::Equal(value + sum),
            Demand::AtLeast(value) => Demand::AtLeast(value + sum),
            Demand::AtMost(value) => Demand::AtMost(value + sum),
            noisy => noisy,
        };
    }
    moved.table.iter_mut().zip(by).for_each(|(value, by)| *value += by);
    moved
}

/// The fibre with its cells in reverse order.
fn reversed(small: &Small) -> Small {
    let mut reversed = small.clone();
    let last = small.table.len() as u32 - 1;
    reversed.fibre.bounds.reverse();
    reversed.table.reverse();
    for FibreRow { entries, .. } in &mut reversed.fibre.rows {
        entries.iter_mut().for_each(|(cell, _)| *cell = last - *cell);
    }
    reversed
}

fn real(small: &Small, norm: Norm, measured: &[i64]) -> Vec<f64> {
    let measured: Vec<f64> = measured.iter().map(|value| *value as f64).collect();
    Projector::new(&small.fibre, &small.weights, norm).unwrap().real(&measured).unwrap()
}

fn near(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn tables_move_with_the_fibre(small in any_small(), noise in prop::collection::vec(-6i64..=6, 16), by in prop::collection::vec(-1000i64..1000, 8)) {
        let other = moved(&small, &by);
        let noisy = |small: &Small| -> Vec<i64> { small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect() };
        for norm in [Norm::L2, Norm::Nonnegative] {
            let wanted: Vec<f64> = real(&small, norm, &noisy(&small)).iter().zip(&by).map(|(y, by)| y + *by as f64).collect();
            let found = real(&other, norm, &noisy(&other));
            prop_assert!(near(&found, &wanted), "{:?}: {:?} {:?}", norm, found, wanted);
        }
        let nearest = |small: &Small| {
            let found = Projector::new(&small.fibre, &small.weights, Norm::L1).unwrap().integer(&noisy(small)).unwrap();
            small.deviation(&found, &noisy(small))
        };
        prop_assert_eq!(nearest(&small), nearest(&other));
    }

    #[test]
    fn the_order_of_cells_does_not_matter(small in any_small(), noise in prop::collection::vec(-6i64..=6, 16)) {
        let other = reversed(&small);
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        let mut theirs = measured.clone();
        if small.fibre.noise_on_cells {
            theirs[..small.table.len()].reverse();
        }
        for norm in [Norm::L2, Norm::Nonnegative] {
            let mut found = real(&other, norm, &theirs);
            found.reverse();
            prop_assert!(near(&found, &real(&small, norm, &measured)));
        }
        let nearest = |small: &Small, measured: &[i64]| {
            let found = Projector::new(&small.fibre, &small.weights, Norm::L1).unwrap().integer(measured).unwrap();
            small.deviation(&found, measured)
        };
        prop_assert_eq!(nearest(&small, &measured), nearest(&other, &theirs));
    }

    #[test]
    fn threads_and_repetition_change_nothing(small in any_small(), noise in prop::collection::vec(-6i64..=6, 16)) {
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        for norm in Norm::ALL {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| Projector::new(&small.fibre, &small.weights, norm).unwrap().integer(&measured).unwrap())
            };
            prop_assert_eq!(run(1), run(3));
        }
    }
}

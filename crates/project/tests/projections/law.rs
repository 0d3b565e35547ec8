//! The nearest in ℓ₁ and the rounded tables against all tables of small fibres.

use super::small::any_small;
use project::{Norm, Projector, round};
use proptest::prelude::*;

fn apart(table: &[i64], real: &[f64]) -> f64 {
    table.iter().zip(real).map(|(one, other)| (*one as f64 - other).abs()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_table_is_nearer_in_l1(small in any_small(), noise in prop::collection::vec(-3i64..=3, 16)) {
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        let projector = Projector::new(&small.fibre, &small.weights, Norm::L1).unwrap();
        let found = projector.integer(&measured).unwrap();
        prop_assert!(small.fibre.contains(&found));
        let cost = small.deviation(&found, &measured);
        for table in small.tables(|_| (-4, 7)) {
            prop_assert!(cost <= small.deviation(&table, &measured) + 1e-9, "{table:?} is nearer than {found:?}");
        }
    }

    #[test]
    fn real_numbers_are_at_least_as_near_in_l1(small in any_small(), noise in prop::collection::vec(-3i64..=3, 16)) {
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        let projector = Projector::new(&small.fibre, &small.weights, Norm::L1).unwrap();
        let whole = small.deviation(&projector.integer(&measured).unwrap(), &measured);
        let real = projector.real(&measured.iter().map(|m| *m as f64).collect::<Vec<_>>()).unwrap();
        let cost: f64 = small.terms().iter().zip(&measured).map(|((entries, weight, fixed), measured)| {
            let sum: f64 = entries.iter().map(|(cell, times)| real[*cell as usize] * *times as f64).sum();
            weight * (sum + *fixed as f64 - *measured as f64).abs()
        }).sum();
        prop_assert!(cost <= whole + 1e-6);
    }

    #[test]
    fn no_rounding_is_nearer(small in any_small(), parts in prop::collection::vec(0usize..1000, 8), shares in prop::collection::vec(1u32..10, 8)) {
        // A real point of the fibre: a mean of its tables.
        let tables = small.tables(|_| (-3, 6));
        let total: u32 = shares.iter().sum();
        let mut real = vec![0.0; small.table.len()];
        for (part, share) in parts.iter().zip(&shares) {
            let table = &tables[part % tables.len()];
            real.iter_mut().zip(table).for_each(|(r, t)| *r += *t as f64 * f64::from(*share) / f64::from(total));
        }
        let found = round(&small.fibre, &real).unwrap();
        prop_assert!(small.fibre.contains(&found));
        let near: Vec<Vec<i64>> = small.tables(|cell| ((real[cell] + 1e-9).floor() as i64, (real[cell] - 1e-9).ceil() as i64));
        for table in near {
            prop_assert!(apart(&found, &real) <= apart(&table, &real) + 1e-6, "{table:?} is nearer to {real:?} than {found:?}");
        }
    }

    #[test]
    fn tables_of_the_fibre_stay(small in any_small()) {
        let measured = small.measure(&small.table);
        for norm in Norm::ALL {
            let projector = Projector::new(&small.fibre, &small.weights, norm).unwrap();
            prop_assert_eq!(projector.measured(), measured.len());
            prop_assert_eq!(projector.integer(&measured).unwrap(), small.table.clone(), "{:?}", norm);
        }
        let real: Vec<f64> = small.table.iter().map(|x| *x as f64).collect();
        prop_assert_eq!(round(&small.fibre, &real).unwrap(), small.table);
    }

    #[test]
    fn every_projection_is_a_table_of_the_fibre(small in any_small(), noise in prop::collection::vec(-30i64..=30, 16)) {
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        for norm in [Norm::Nonnegative, Norm::L1] {
            let projector = Projector::new(&small.fibre, &small.weights, norm).unwrap();
            prop_assert!(small.fibre.contains(&projector.integer(&measured).unwrap()));
        }
        let table = Projector::new(&small.fibre, &small.weights, Norm::L2).unwrap().integer(&measured).unwrap();
        for (entries, value) in small.fibre.equalities() {
            prop_assert_eq!(entries.iter().map(|(cell, times)| table[*cell as usize] * times).sum::<i64>(), value);
        }
    }
}

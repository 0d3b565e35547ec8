//! Every total is kept, tables without noise stay, and without levels it is the non-negative
//! projection.

use super::country::{Country, any_country};
use project::{Norm, Projector, TopDown};
use proptest::prelude::*;

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

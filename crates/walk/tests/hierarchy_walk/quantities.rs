//! The published errors of Liu's hierarchy.

use crate::tables::blocks::{block, ones, ratio, row, walk};
use analyse::Demand;
use walk::Steps;

/// Liu's measure on a tree like New York's taxi zones, with noise on every node: by the walk,
/// beside the exact law.
#[test]
fn errors_of_the_taxi_hierarchy_are_those_of_the_exact_law() {
    let boroughs = [43u32, 61, 69, 69, 20, 1];
    let noisy = |query, group: usize| Demand::Noisy { query, group: group as u32, fixed: 0 };
    let mut rows = vec![row(&ones(0..263), noisy(0, 0))];
    let mut first = 0;
    for (group, zones) in boroughs.into_iter().enumerate() {
        rows.push(row(&ones(first..first + zones), noisy(1, group)));
        first += zones;
    }
    rows.extend((0..263).map(|zone| row(&ones([zone]), noisy(2, zone as usize))));
    let fibre = block(vec![(None, None); 263], rows, false);
    let walk = walk(Steps::Hierarchy, &fibre, &[ratio(1, 2), ratio(1, 2), ratio(1, 2)]).unwrap();
    let errors = walk.hierarchy_errors(&[0; 263], 15_000, 60_000, 2023).unwrap();
    assert!((0.15..0.35).contains(&errors.acceptance), "{errors:?}");
    for (level, exact) in errors.levels.iter().zip([0.00586, 0.03189, 1.82789]) {
        assert!((level / exact - 1.0).abs() < 0.15, "{level} beside {exact}: {errors:?}");
    }
}

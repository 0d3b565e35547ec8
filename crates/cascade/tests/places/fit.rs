//! Draws by place have the law of the whole tree.

use super::tree::{COUNTS, REGION_OF, drawn, places, variance, whole};
use cascade::{Cascade, CellBounds, Noise, Outline};
use testkit::{goodness_of_fit, level};

/// All tables of six counts with the sum six.
fn fibre() -> Vec<Vec<i64>> {
    let mut tables = Vec::new();
    for number in 0..7i64.pow(6) {
        let table: Vec<i64> = (0..6).map(|place| number / 7i64.pow(place) % 7).collect();
        if table.iter().sum::<i64>() == 6 {
            tables.push(table);
        }
    }
    tables.sort();
    tables
}

#[test]
fn draws_by_place_have_the_law_of_the_whole_tree() {
    let (whole, places, fibre) = (whole(), places(), fibre());
    let claimed: Vec<f64> = fibre.iter().map(|table| whole.log_likelihood(&COUNTS, table).unwrap().exp()).collect();
    assert!((claimed.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let draws = 200_000;
    let mut observed = vec![0u64; fibre.len()];
    for draw in 0..draws {
        observed[fibre.binary_search(&drawn(&places, draw)).unwrap()] += 1;
    }
    assert!(goodness_of_fit(&observed, &claimed, draws).p_value > level(1));
    // A tree whose places have another noise is told from it.
    let noise = vec![
        Noise { group_of: None, variance: variance("3") },
        Noise { group_of: Some(&REGION_OF), variance: variance("4") },
    ];
    let bounds = CellBounds::AtLeastZero;
    let other = Outline { cells: 6, exact: vec![&[0; 6]], noise, bounds, ..Outline::default() };
    let other = Cascade::new(&other).unwrap();
    let claimed: Vec<f64> = fibre.iter().map(|table| other.log_likelihood(&COUNTS, table).unwrap().exp()).collect();
    assert!(goodness_of_fit(&observed, &claimed, draws).p_value < 1e-6);
    // Weights of groups are rounded up in the tree, by a few parts in a million.
    let (one, other) = (whole.kappa().to_f64(), places.kappa().to_f64());
    assert!(one > 0.0 && (one / other - 1.0).abs() < 1e-4, "{one} {other}");
}

//! Walks whose steps are not proved to join all tables are refused.

use super::parts::{norm, two_tables, wanted, weighted};
use crate::tables::fibres::{Small, two_way};
use crate::tables::matrices::{Matrix, kernel};
use analyse::{Fibre, Lattice};
use draw::NoiseLaw;
use exact::Rational;
use walk::{Begin, Kernel, Steps, Walk};

/// Six cells and one total with large coefficients.
fn large_coefficients() -> Small {
    let table = vec![3, 1, 4, 1, 5, 9];
    let row = weighted(&table, &[1133, 3716, 3005, 4249, 572, 2741]);
    let fibre =
        Fibre { cells: (0..6).collect(), bounds: vec![(Some(0), None); 6], rows: vec![row], noise_on_cells: true };
    Small { name: "coefficients", fibre, table, law: norm(1, 10), rates: Vec::new() }
}

#[test]
fn walks_in_fibres_of_two_parts_are_refused_and_would_not_be_noticed_by_pairs_that_begin_together() {
    for small in [two_tables(), large_coefficients()] {
        let walk = small.walk();
        assert!(walk.connected().is_err(), "{}", small.name);
        let problem = walk.gather(&wanted(10_000), &|_| {}).unwrap_err();
        assert_eq!(problem.kind, declare::Kind::Refused);
        assert!(problem.message.starts_with("nothing proves that its steps join all tables"), "{}", problem.message);
        assert!(problem.hint.unwrap().contains("nonnegative = false"));
    }
    // With a lag and one start, as evidence used to be: every pair meets, and nothing is seen of
    // the other table.
    let small = two_tables();
    let tables = small.tables();
    assert_eq!(tables.len(), 2);
    let law = small.law_on(&tables);
    let lagged = small.walk().lagged(Some(std::slice::from_ref(&small.table)), &wanted(1000), &|_| {}).unwrap();
    let steps = lagged.steps_for(1e-4);
    let walk = small.walk();
    let ready = walk.ready();
    let rows = tables.iter().map(|table| kernel(&small, &walk, &ready).row(table, &tables)).collect();
    let matrix = Matrix { tables: tables.clone(), rows, law };
    let truth = matrix.after(&small.table, steps);
    assert!(lagged.bound(steps) <= 1e-4 && truth > 0.4, "{steps} steps: {truth}");
    // Pairs that begin at the two tables do not meet: nothing but the search for far tables is
    // missing.
    let other = tables.iter().find(|table| **table != small.table).unwrap().clone();
    let begin = Begin { start: small.table.clone(), far: vec![other] };
    let problem = walk.gather_from(&[begin], &wanted(10_000), &|_| {}).unwrap_err();
    assert!(problem.message.contains("none of 64 coupled pairs of chains met"), "{}", problem.message);
}

#[test]
fn baselines_are_refused_with_bounds() {
    let geometric = NoiseLaw::double_geometric(Rational::new(1, 2u8));
    let fibre = two_way().fibre;
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let walk = Walk::new(Steps::Independence, fibre.clone(), lattice.clone(), &geometric, &[]).unwrap();
    assert!(walk.connected().is_err() && walk.gather(&wanted(100), &|_| {}).is_err());
    // The coordinate walk makes no cycles.
    let coordinates = Walk::new(Steps::Lattice, fibre, lattice, &geometric, &[]).unwrap().without_lines();
    assert!(coordinates.connected().is_err());
}

#[test]
fn chains_that_hardly_move_are_no_evidence() {
    // Noise so small that no chain leaves its table: pairs that begin together would all meet.
    let small = Small { law: norm(60, 1), ..two_way() };
    let mut free = small.fibre.clone();
    free.bounds = vec![(None, None); 9];
    let small = Small { fibre: free, ..small };
    let problem = small.walk().gather(&wanted(1000), &|_| {}).unwrap_err();
    assert!(problem.message.contains("hardly move"), "{}", problem.message);
}

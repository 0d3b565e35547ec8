//! Walks that are a little wrong must be found out by the same tests.

use crate::tables::fibres::{Small, norm, norm_with_one_total, two_way};
use crate::tables::matrices::{counted, kernel, matrix};
use draw::NoiseLaw;
use exact::{Rational, Seeded, Source};
use testkit::{goodness_of_fit, level};
use walk::Kernel;

/// The p-value of steps of one walk against the rows of another.
fn p_value(stepped: &Small, claimed: &Small, from: &[i64]) -> f64 {
    let (walk, other) = (stepped.walk(), claimed.walk());
    let (ready, other_ready) = (walk.ready(), other.ready());
    let kernel_stepped = kernel(stepped, &walk, &ready);
    let tables = claimed.tables();
    let row = kernel(claimed, &other, &other_ready).row(from, &tables);
    let mut bits = Seeded::new(41).stream(0).unwrap();
    let outcomes = (0..150_000).map(|_| {
        let mut state = kernel_stepped.start(from.to_vec());
        kernel_stepped.step(&mut state, &mut bits);
        kernel_stepped.values(&state).to_vec()
    });
    goodness_of_fit(&counted(&tables, outcomes), &row, 150_000).p_value
}

fn with_epsilon(numerator: u64, denominator: u64) -> Small {
    let law = NoiseLaw::double_geometric(Rational::new(numerator, denominator));
    Small { law, ..two_way() }
}

#[test]
fn scales_five_percent_off_are_found() {
    let truth = two_way();
    let from = truth.table.clone();
    assert!(p_value(&truth, &truth, &from) > level(1));
    for mutant in [with_epsilon(21, 40), with_epsilon(19, 40)] {
        assert!(p_value(&mutant, &truth, &from) < 1e-9);
        let walk = mutant.walk();
        let ready = walk.ready();
        let matrix = matrix(&mutant, &kernel(&mutant, &walk, &ready));
        assert!(matrix.imbalance(&truth.law_on(&matrix.tables)) > 0.01);
    }
}

#[test]
fn norms_that_are_off_are_found_where_lines_are_redrawn() {
    for truth in [norm(), norm_with_one_total()] {
        let from = truth.table.clone();
        assert!(p_value(&truth, &truth, &from) > level(2), "{}", truth.name);
        assert!(!truth.law.is_product(), "{} has no norm", truth.name);
        let epsilon = truth.law.parameter();
        let times = |factor: Rational| {
            let law = NoiseLaw::lattice_laplace(epsilon * &factor);
            Small { law, fibre: truth.fibre.clone(), table: truth.table.clone(), ..norm() }
        };
        assert!(p_value(&times(Rational::new(6, 5u8)), &truth, &from) < 1e-9, "{}", truth.name);
        let mutant = times(Rational::new(21, 20u8));
        let walk = mutant.walk();
        let ready = walk.ready();
        let matrix = matrix(&mutant, &kernel(&mutant, &walk, &ready));
        assert!(matrix.imbalance(&truth.law_on(&matrix.tables)) > 0.01, "{}", truth.name);
    }
}

#[test]
fn an_off_by_one_bound_is_found() {
    let truth = two_way();
    let mut mutant = two_way();
    // A cell that may go one lower, and one that may not reach zero.
    mutant.fibre.bounds[0] = (Some(1), None);
    let from = truth.table.clone();
    assert!(p_value(&mutant, &truth, &from) < 1e-9);
}

#[test]
fn a_missing_move_and_a_sublattice_leave_tables_unreached() {
    let small = two_way();
    let walk = small.walk();
    let ready = walk.ready();
    let mut matrix = matrix(&small, &kernel(&small, &walk, &ready));
    let all = matrix.tables.len();
    assert_eq!(matrix.reached(), all);
    // The same walk, if it moved in steps of two only.
    let first = matrix.tables[0].clone();
    let even = |table: &Vec<i64>| table.iter().zip(&first).all(|(one, two)| (one - two) % 2 == 0);
    let kept: Vec<bool> = matrix.tables.iter().map(even).collect();
    for (row, from) in matrix.rows.iter_mut().zip(&kept) {
        row.iter_mut().zip(&kept).filter(|(_, to)| *to != from).for_each(|(probability, _)| *probability = 0.0);
    }
    assert!(matrix.reached() < all);
    assert!(!matrix.has_rows());
}

#[test]
fn couplings_that_copy_or_shift_a_chain_are_found() {
    let small = two_way();
    let walk = small.walk();
    let ready = walk.ready();
    let kernel = kernel(&small, &walk, &ready);
    let tables = small.tables();
    let (one, two) = (&small.table, &tables[0]);
    let row = kernel.row(two, &tables);
    let mut bits = Seeded::new(42).stream(0).unwrap();
    // The second chain goes wherever the first does; or, one time in twenty, stays when it should
    // move.
    let copied = (0..20_000).map(|_| {
        let mut state = kernel.start(one.clone());
        kernel.step(&mut state, &mut bits);
        kernel.values(&state).to_vec()
    });
    assert!(goodness_of_fit(&counted(&tables, copied), &row, 20_000).p_value < 1e-9);
    let mut bits = Seeded::new(43).stream(0).unwrap();
    let lazy = (0..100_000u32).map(|turn| {
        let (mut ahead, mut behind) = (kernel.start(one.clone()), kernel.start(two.clone()));
        kernel.couple(&mut ahead, &mut behind, &mut bits);
        if turn % 20 == 0 { two.clone() } else { kernel.values(&behind).to_vec() }
    });
    assert!(goodness_of_fit(&counted(&tables, lazy), &row, 100_000).p_value < 1e-9);
}

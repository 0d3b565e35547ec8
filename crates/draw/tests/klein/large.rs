//! Tables with margins: what is kept, what is predicted, what is refused; other operators; golden seeds.

use crate::lattices::rational;
use analyse::{Demand, Fibre, FibreRow, Lattice};
use draw::{Divide, Klein, Ladder, NoiseLaw};
use exact::{Seeded, Source};

/// All margins that sum out one dimension of a table.
fn margins(sizes: &[usize]) -> Fibre {
    let cells: usize = sizes.iter().product();
    let digits = |mut cell: usize| {
        let mut digits = vec![0; sizes.len()];
        for (digit, size) in digits.iter_mut().zip(sizes).rev() {
            *digit = cell % size;
            cell /= size;
        }
        digits
    };
    let mut rows = Vec::new();
    for axis in 0..sizes.len() {
        for first in (0..cells).filter(|cell| digits(*cell)[axis] == 0) {
            let same = |cell: &usize| {
                (0..sizes.len()).all(|other| other == axis || digits(*cell)[other] == digits(first)[other])
            };
            let entries = (0..cells).filter(same).map(|cell| (cell as u32, 1)).collect();
            rows.push(FibreRow { entries, demand: Demand::Equal(0) });
        }
    }
    Fibre { cells: (0..cells as u32).collect(), bounds: vec![(None, None); cells], rows, noise_on_cells: true }
}

fn klein(sizes: &[usize], variance: &str) -> (Fibre, Klein) {
    let fibre = margins(sizes);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let klein = Klein::new(fibre.cells.len(), lattice.basis(), &rational(variance)).unwrap();
    (fibre, klein)
}

#[test]
fn every_draw_keeps_every_total() {
    for (sizes, variance) in [(vec![4, 5], "8"), (vec![3, 3, 3], "2"), (vec![12, 12, 6], "8"), (vec![30, 30], "20")] {
        let (fibre, klein) = klein(&sizes, variance);
        let mut entropy = Seeded::new(5).stream(0).unwrap();
        let mut noise = vec![0; fibre.cells.len()];
        for _ in 0..20 {
            klein.draw(&mut entropy, &mut noise).unwrap();
            assert!(fibre.contains(&noise));
            assert!(noise.iter().any(|value| *value != 0));
        }
    }
}

#[test]
fn acceptances_of_a_three_way_table_are_those_predicted() {
    let (_, wide) = klein(&[12, 12, 6], "8");
    let missing = 1.0 - wide.expected_acceptance();
    assert!((5e-9..7e-9).contains(&missing), "{missing}");
    let (_, middle) = klein(&[12, 12, 6], "2");
    assert!((middle.expected_acceptance() - 0.964).abs() < 0.002, "{}", middle.expected_acceptance());
    let (_, narrow) = klein(&[12, 12, 6], "1");
    assert!((narrow.expected_acceptance() - 0.17).abs() < 0.02, "{}", narrow.expected_acceptance());
}

#[test]
fn an_acceptance_that_vanishes_is_refused_with_its_number() {
    let fibre = margins(&[6, 6, 5]);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let refused = Klein::new(fibre.cells.len(), lattice.basis(), &rational("1/2")).unwrap_err().to_string();
    insta::assert_snapshot!(refused);
}

#[test]
fn faults_of_a_basis_are_said() {
    let twice = vec![vec![(0, 1), (1, -1)], vec![(0, 2), (1, -2)]];
    let dependent = Klein::new(2, &twice, &rational("1")).unwrap_err().to_string();
    assert!(dependent.contains("depend on each other"), "{dependent}");
    let nothing = Klein::new(2, &twice[..1], &rational("0")).unwrap_err().to_string();
    assert!(nothing.contains("above zero"), "{nothing}");
}

/// Sums of squares and fourth powers of draws, for comparing samplers.
fn moments(draws: usize, mut draw: impl FnMut(&mut Vec<i64>)) -> (f64, f64) {
    let mut noise = Vec::new();
    let values: Vec<f64> = (0..draws)
        .map(|_| {
            draw(&mut noise);
            noise.iter().map(|value| (*value * *value) as f64).sum::<f64>()
        })
        .collect();
    let mean = values.iter().sum::<f64>() / draws as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (draws as f64 - 1.0);
    (mean, (variance / draws as f64).sqrt())
}

#[test]
fn two_way_tables_are_those_of_divide() {
    for (rows, columns, variance) in [(3usize, 3usize, "1"), (3, 4, "3"), (4, 4, "1/2")] {
        let (_, klein) = klein(&[rows, columns], variance);
        let positions: Vec<Vec<u32>> = (0..(rows * columns) as u32).map(|cell| vec![cell]).collect();
        let law = NoiseLaw::discrete_gaussian(rational(variance));
        let divide = Divide::new(columns, &positions, &law, Ladder::Standard).unwrap();
        let (mut one, mut other) = (Seeded::new(8).stream(0).unwrap(), Seeded::new(8).stream(1).unwrap());
        let first = moments(6000, |noise| {
            noise.resize(rows * columns, 0);
            klein.draw(&mut one, noise).unwrap();
        });
        let second = moments(6000, |noise| {
            noise.resize(rows * columns, 0);
            divide.draw(&mut other, noise);
        });
        let deviation = first.1.hypot(second.1);
        assert!((first.0 - second.0).abs() < 4.0 * deviation, "{rows}×{columns}: {first:?} {second:?}");
    }
}

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut tables = Vec::new();
    for (sizes, variance) in [(vec![3, 3], "1"), (vec![2, 3, 2], "8"), (vec![3, 3], "4000")] {
        let (fibre, klein) = klein(&sizes, variance);
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut noise = vec![0; fibre.cells.len()];
        klein.draw(&mut entropy, &mut noise).unwrap();
        tables.push(format!("{sizes:?} σ² = {variance}: {noise:?}"));
    }
    insta::assert_snapshot!(tables.join("\n"));
}

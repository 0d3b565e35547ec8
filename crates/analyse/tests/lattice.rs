//! Bases of lattices against the Smith normal form of the whole matrix, and their shapes on tables.

use analyse::{Demand, Fibre, FibreRow, Lattice};
use exact::{Integer, Matrix, hermite, smith};
use testkit::Random;

type Rows = Vec<Vec<(u32, i64)>>;

fn fibre(cells: usize, rows: &Rows) -> Fibre {
    Fibre {
        cells: (0..cells as u32).collect(),
        bounds: vec![(None, None); cells],
        rows: rows.iter().map(|row| FibreRow { entries: row.clone(), demand: Demand::Equal(0) }).collect(),
        noise_on_cells: true,
    }
}

fn kernel(cells: usize, rows: &Rows) -> Lattice {
    let slices: Vec<&[(u32, i64)]> = rows.iter().map(Vec::as_slice).collect();
    Lattice::kernel(cells, &slices).expect("a kernel")
}

fn dense(width: usize, rows: &[Vec<(u32, i64)>]) -> Matrix {
    let mut matrix = Matrix::zero(rows.len(), width);
    for (number, row) in rows.iter().enumerate() {
        row.iter().for_each(|(cell, value)| matrix[(number, *cell as usize)] += Integer::from(*value));
    }
    matrix
}

/// The non-zero rows of the Hermite form: equal for equal lattices only.
fn form(matrix: &Matrix) -> Matrix {
    let form = hermite(matrix);
    form.h.first_rows(form.rank)
}

/// The kernel by the Smith form of the whole matrix: the last columns of V.
fn expected(cells: usize, rows: &Rows) -> Matrix {
    let smith = smith(&dense(cells, rows));
    form(&Matrix::from_fn(cells - smith.rank, cells, |row, column| smith.v[(column, smith.rank + row)].clone()))
}

fn assert_kernel(cells: usize, rows: &Rows) {
    let expected = expected(cells, rows);
    for lattice in [kernel(cells, rows), Lattice::of_fibre(&fibre(cells, rows)).expect("a basis")] {
        assert_eq!(lattice.dimension(), expected.rows(), "{rows:?}");
        assert_eq!(form(&dense(cells, lattice.basis())), expected, "{rows:?}");
    }
}

/// Margins of the combinations that are kept, empty rows left out.
fn margins(shape: &[u32], families: &[&[usize]], keep: impl Fn(u32) -> bool) -> (usize, Rows) {
    let all: u32 = shape.iter().product();
    let cells: Vec<u32> = (0..all).filter(|cell| keep(*cell)).collect();
    let code = |cell: u32, axis: usize| cell / shape[axis + 1..].iter().product::<u32>() % shape[axis];
    let mut rows = Rows::new();
    for axes in families {
        let groups: u32 = axes.iter().map(|axis| shape[*axis]).product();
        let mut margin = vec![Vec::new(); groups as usize];
        for (place, cell) in cells.iter().enumerate() {
            let group = axes.iter().fold(0, |group, axis| group * shape[*axis] + code(*cell, *axis));
            margin[group as usize].push((place as u32, 1));
        }
        rows.extend(margin.into_iter().filter(|row| !row.is_empty()));
    }
    (cells.len(), rows)
}

#[test]
fn kernels_are_those_of_the_smith_form() {
    let mut random = Random(11);
    for round in 0..1500 {
        let cells = 1 + random.below(8) as usize;
        let largest = 1 + random.below(if round % 3 == 0 { 6 } else { 2 });
        let rows: Rows = (0..random.below(6))
            .map(|_| {
                let entry = |random: &mut Random| match random.below(3) {
                    0 => 0,
                    1 => 1 + random.below(largest) as i64,
                    _ => -1 - random.below(largest) as i64,
                };
                (0..cells as u32).map(|cell| (cell, entry(&mut random))).filter(|(_, times)| *times != 0).collect()
            })
            .collect();
        assert_kernel(cells, &rows);
    }
}

#[test]
fn no_pivot_of_one_is_needed() {
    assert_kernel(2, &vec![vec![(0, 2), (1, 3)]]);
    assert_kernel(5, &vec![(0..5).map(|cell| (cell, [4, 6, 9, 10, 15][cell as usize])).collect()]);
    assert_kernel(4, &vec![vec![(0, 2), (1, 4), (2, 6), (3, 8)], vec![(0, 6), (1, 3), (2, 9), (3, 15)]]);
    // The odd cycle has determinant 2: its kernel is trivial, and a chord makes it a line.
    assert_kernel(3, &vec![vec![(0, 1), (1, 1)], vec![(1, 1), (2, 1)], vec![(0, 1), (2, 1)]]);
    let coins: Vec<(u32, i64)> = (0..40).map(|cell| (cell, 50 + i64::from(cell * cell % 37))).collect();
    assert_kernel(40, &vec![coins]);
}

#[test]
fn tables_with_holes() {
    let mut random = Random(5);
    for _ in 0..40 {
        let kept: Vec<bool> = (0..36).map(|_| random.below(4) > 0).collect();
        let (cells, rows) = margins(&[6, 6], &[&[0], &[1]], |cell| kept[cell as usize]);
        assert_kernel(cells, &rows);
        let (cells, rows) = margins(&[3, 3, 4], &[&[0, 1], &[0, 2], &[1, 2]], |cell| kept[cell as usize]);
        assert_kernel(cells, &rows);
    }
}

fn lengths(lattice: &Lattice) -> Vec<usize> {
    let mut lengths: Vec<usize> = lattice.basis().iter().map(Vec::len).collect();
    lengths.sort_unstable();
    lengths
}

#[test]
fn tables_with_margins_have_short_bases() {
    let of = |shape: &[u32], families: &[&[usize]]| {
        let (cells, rows) = margins(shape, families, |_| true);
        assert_kernel(cells, &rows);
        Lattice::of_fibre(&fibre(cells, &rows)).unwrap()
    };
    assert_eq!(lengths(&of(&[4, 5], &[&[0], &[1]])), [4; 12], "2×2 swaps");
    assert_eq!(lengths(&of(&[4, 5], &[&[], &[1], &[0], &[1]])), [4; 12], "a total and a repetition say nothing new");
    assert_eq!(lengths(&of(&[3, 3, 3], &[&[0, 1], &[0, 2], &[1, 2]])), [8; 8]);
    assert_eq!(lengths(&of(&[2, 3, 4], &[&[0, 1], &[1, 2]])), [4; 9], "a table for each value of the second");
    assert_eq!(of(&[2, 3, 2], &[&[0], &[1], &[2]]).dimension(), 12 - 5);
    let every = of(&[2, 2, 2, 2], &[&[0, 1, 2], &[0, 1, 3], &[0, 2, 3], &[1, 2, 3]]);
    assert_eq!(lengths(&every), [16]);
}

#[test]
fn cells_that_no_total_tells_apart_differ_by_units() {
    // Ten cells under one total, and a part of them under another.
    let rows: Rows = vec![(0..10).map(|cell| (cell, 1)).collect(), (0..4).map(|cell| (cell, 1)).collect()];
    assert_kernel(10, &rows);
    assert_eq!(lengths(&Lattice::of_fibre(&fibre(10, &rows)).unwrap()), [2; 8]);
    // A cell in no total moves alone.
    assert_eq!(lengths(&Lattice::of_fibre(&fibre(11, &rows)).unwrap()), [&[1][..], &[2; 8]].concat());
}

#[test]
fn large_bases_are_reduced_in_pairs() {
    let (cells, rows) = margins(&[25, 25], &[&[0], &[1]], |cell| cell % 7 != 3);
    let plain = kernel(cells, &rows);
    let short = Lattice::of_fibre(&fibre(cells, &rows)).unwrap();
    assert!(short.dimension() > 300 && short.dimension() == plain.dimension());
    let entries = |lattice: &Lattice| lengths(lattice).iter().sum::<usize>();
    assert!(entries(&short) < entries(&plain), "{} entries, {} before", entries(&short), entries(&plain));
}

#[test]
fn coefficients_too_large_for_steps_are_refused() {
    let huge = i64::MAX / 2;
    let rows: Rows = (0..3).map(|cell| vec![(cell, 1), (cell + 1, huge)]).collect();
    let slices: Vec<&[(u32, i64)]> = rows.iter().map(Vec::as_slice).collect();
    let problem = Lattice::kernel(4, &slices).unwrap_err();
    assert!(problem.message.contains("more than 18 digits"), "{}", problem.message);
}

/// Margins of a full table, and sums that take cells up to eight times, few of them once.
fn with_weights(shape: &[u32], sums: usize, random: &mut Random) -> (usize, Rows) {
    let (cells, mut rows) = margins(shape, &[&[0], &[1]], |_| true);
    for _ in 0..sums {
        let weight = |random: &mut Random| 2 + random.below(7) as i64;
        rows.push((0..cells as u32).map(|cell| (cell, weight(random))).collect());
    }
    (cells, rows)
}

#[test]
fn weights_leave_a_core() {
    let mut random = Random(21);
    for round in 0..40 {
        let (cells, rows) = with_weights(&[4, 5], 1 + round % 8, &mut random);
        assert_kernel(cells, &rows);
    }
    let (cells, rows) = with_weights(&[15, 15], 6, &mut random);
    let lattice = kernel(cells, &rows);
    assert_eq!(cells - lattice.dimension(), 15 + 14 + 6);
    let largest = lattice.basis().iter().flatten().map(|(_, value)| value.abs()).max();
    assert!(largest < Some(10_000), "{largest:?}");
    let short = Lattice::of_fibre(&fibre(cells, &rows)).unwrap();
    let entries = |lattice: &Lattice| lengths(lattice).iter().sum::<usize>();
    assert!(short.dimension() == lattice.dimension() && entries(&short) < entries(&lattice));
}

//! Identities with shared bits, margins, refusals, and golden seeds.

use crate::grids::{Grid, full, gaussian, geometric, grid, random_grid, rational};
use draw::{Divide, Ladder, NoiseLaw};
use exact::{Seeded, Source};

fn divide(grid: &Grid, law: &NoiseLaw) -> Divide {
    Divide::new(grid.columns, &grid.positions, law, Ladder::Standard).unwrap()
}

fn drawn(grid: &Grid, law: &NoiseLaw, seed: u64) -> Vec<i64> {
    let mut noise = vec![99; grid.cells()];
    divide(grid, law).draw(&mut Seeded::new(seed).stream(0).unwrap(), &mut noise);
    noise
}

#[test]
fn every_draw_keeps_every_margin() {
    let mut random = Seeded::new(11).stream(0).unwrap();
    let mut moved = 0;
    for seed in 0..150 {
        let grid = random_grid(&mut random, 4, 3);
        for law in [geometric("1/2"), gaussian("5")] {
            let noise = drawn(&grid, &law, seed);
            assert!(grid.margins(&noise).iter().all(|sum| *sum == 0), "{grid:?}: {noise:?}");
            moved += usize::from(noise.iter().any(|z| *z != 0));
        }
    }
    assert!(moved > 200, "{moved}");
    for grid in [full(5, 5), full(2, 30), full(12, 3)] {
        assert!(grid.margins(&drawn(&grid, &geometric("1/10"), 1)).iter().all(|sum| *sum == 0));
    }
}

#[test]
fn a_transposed_grid_gets_the_same_table_from_the_same_bits() {
    // Cells keep their numbers; only who is called a row changes.
    for grid in [full(2, 4), full(3, 5), grid(&[&[1, 2], &[1, 0], &[3, 1]])] {
        for law in [geometric("1/3"), gaussian("4")] {
            assert_eq!(drawn(&grid, &law, 5), drawn(&grid.transposed(), &law, 5));
        }
    }
}

#[test]
fn relabelled_cells_get_the_relabelled_table() {
    let one = full(3, 3);
    let label = |cell: u32| (cell * 4) % 9;
    let positions = one.positions.iter().map(|cells| cells.iter().map(|cell| label(*cell)).collect()).collect();
    let other = Grid { columns: 3, positions };
    let law = geometric("1/2");
    let (noise, relabelled) = (drawn(&one, &law, 6), drawn(&other, &law, 6));
    assert!((0..9).all(|cell| noise[cell as usize] == relabelled[label(cell) as usize]));
}

#[test]
fn what_the_ladder_and_the_stride_say_changes_no_pair() {
    // With two rows every bit goes to `choose`, whose answer depends on the number and the true weights alone.
    for law in [geometric("1/2"), gaussian("3")] {
        let grid = full(2, 4);
        let draw = |ladder: Ladder, stride: u32| {
            let divide = Divide::new(grid.columns, &grid.positions, &law, ladder).unwrap();
            let mut noise = vec![0; grid.cells()];
            divide.draw(&mut Seeded::new(8).stream(0).unwrap().with_stride(stride), &mut noise);
            noise
        };
        assert_eq!(draw(Ladder::Standard, 64), draw(Ladder::Coarse, 64));
        assert_eq!(draw(Ladder::Standard, 7), draw(Ladder::Coarse, 7));
    }
}

#[test]
fn the_normaliser_of_two_rows_is_that_of_the_enumeration() {
    for law in [geometric("1"), gaussian("1")] {
        for grid in [full(2, 2), full(2, 3), full(3, 2), grid(&[&[2, 1], &[1, 0]])] {
            let weight = |table: &Vec<i64>| (-table.iter().map(|z| law.energy(*z).to_f64()).sum::<f64>()).exp();
            let total: f64 = grid.tables(10).iter().map(weight).sum();
            let claimed = divide(&grid, &law).log_normaliser().unwrap();
            assert!((claimed - total.ln()).abs() < 1e-7, "{grid:?}: {claimed} and {}", total.ln());
        }
    }
    assert_eq!(divide(&full(3, 3), &geometric("1")).log_normaliser(), None);
}

#[test]
fn attempts_are_those_expected() {
    let mut entropy = Seeded::new(12).stream(0).unwrap();
    for (grid, law) in [(full(4, 4), gaussian("9")), (full(4, 4), geometric("1/2")), (full(5, 3), geometric("1"))] {
        let divide = divide(&grid, &law);
        let mut noise = vec![0; grid.cells()];
        let succeeded = (0..4000).filter(|_| divide.attempt(&mut entropy, &mut noise)).count();
        let found = 4000.0 / succeeded as f64;
        assert!((found / divide.expected_attempts()).ln().abs() < 0.25, "{found}, {}", divide.expected_attempts());
    }
    assert_eq!(divide(&full(2, 9), &geometric("1")).expected_attempts(), 1.0);
}

#[test]
fn what_cannot_be_drawn_is_refused_in_words() {
    let refused = |grid: &Grid, law: &NoiseLaw| {
        Divide::new(grid.columns, &grid.positions, law, Ladder::Standard).unwrap_err().to_string()
    };
    assert!(refused(&full(20, 20), &geometric("1")).contains("attempts a draw on 20 × 20 totals that cross"));
    assert!(refused(&full(3, 3), &geometric("1/100000")).contains("units from zero there are too many"));
    assert!(refused(&full(2, 100_000), &geometric("1/4")).contains("with 100000 columns"));
    assert!(refused(&grid(&[&[4000, 4000], &[4000, 4000]]), &geometric("1/20")).contains("units from zero"));
    let wide = grid(&[&[500, 500, 500], &[500, 500, 500], &[1, 1, 1]]);
    assert!(refused(&wide, &geometric("1/10")).contains("multiplications for every attempt on 3 × 3"));
    assert!(refused(&full(3, 3), &NoiseLaw::laplace(rational("1"))).contains("integer noise only"));
    let gap = Grid { columns: 2, positions: vec![vec![0], vec![1], vec![2], vec![4]] };
    assert!(refused(&gap, &geometric("1")).contains("share out the cells"));
}

#[test]
fn golden_seeds() {
    let draw = |grid: &Grid, law: &NoiseLaw| drawn(grid, law, 2024);
    // No rejection; double geometric by recurrences; Gaussian by convolution; classes and structural zeros.
    assert_eq!(draw(&full(2, 3), &geometric("1/4")), PAIR);
    assert_eq!(draw(&full(4, 4), &geometric("1/4")), GEOMETRIC);
    assert_eq!(draw(&full(4, 4), &gaussian("32")), GAUSSIAN);
    assert_eq!(draw(&grid(&[&[1, 2, 0], &[3, 1, 1], &[1, 0, 2]]), &geometric("1/2")), CLASSES);
}

const PAIR: [i64; 6] = [-4, 4, 0, 4, -4, 0];
const GEOMETRIC: [i64; 16] = [3, -2, -4, 3, 2, 3, -4, -1, 0, 1, 3, -4, -5, -2, 5, 2];
const GAUSSIAN: [i64; 16] = [-1, 11, -3, -7, 1, -7, 1, 5, -3, -2, 6, -1, 3, -2, -4, 3];
const CLASSES: [i64; 11] = [-1, 0, 1, 0, 0, 0, -1, 1, 1, -3, 2];

#[test]
fn random_grids_are_of_every_kind() {
    let mut random = Seeded::new(11).stream(0).unwrap();
    let grids: Vec<Grid> = (0..150).map(|_| random_grid(&mut random, 4, 3)).collect();
    assert!(grids.iter().any(|grid| grid.positions.iter().any(Vec::is_empty)));
    assert!(grids.iter().any(|grid| grid.positions.iter().any(|cells| cells.len() == 3)));
    assert!(grids.iter().any(|grid| grid.rows() != grid.columns));
}

//! Identities with shared bits, margins, and rejection of free noise.

use super::drawn::drawn;
use super::grids::{Grid, full, gaussian, geometric, grid, random_grid};
use draw::{Divide, Ladder};
use exact::{Seeded, Source};

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
    // With two rows every bit goes to `choose`, whose answer depends on the number and the true
    // weights alone.
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
fn random_grids_are_of_every_kind() {
    let mut random = Seeded::new(11).stream(0).unwrap();
    let grids: Vec<Grid> = (0..150).map(|_| random_grid(&mut random, 4, 3)).collect();
    assert!(grids.iter().any(|grid| grid.positions.iter().any(Vec::is_empty)));
    assert!(grids.iter().any(|grid| grid.positions.iter().any(|cells| cells.len() == 3)));
    assert!(grids.iter().any(|grid| grid.rows() != grid.columns));
}

//! Identities with shared bits: shifts, relabelling, threads, streams.

use super::drawn::{INDEPENDENT, drawn, laws};
use draw::PlannedNoise;
use exact::{NoEntropy, Seeded, Source, Stream};
use std::sync::Mutex;

/// Blocks of every size class: free cells, small blocks, one above the size of a slice.
fn mixed<'a>(kept: &'static PlannedNoise, cells: &'a [u32]) -> Vec<(&'a [u32], &'static PlannedNoise)> {
    let mut blocks = vec![(&cells[..700], &INDEPENDENT)];
    blocks.extend(cells[700..6_000].chunks(53).map(|block| (block, kept)));
    blocks.push((&cells[6_000..9_000], kept));
    blocks.push((&cells[9_000..], kept));
    blocks
}

#[test]
fn a_shifted_centre_shifts_the_table() {
    let cells: Vec<u32> = (0..45_000).collect();
    for (law, kept) in laws() {
        let blocks = mixed(kept, &cells);
        let centre: Vec<i64> = (0..45_000).map(|cell| cell * cell % 1_000).collect();
        let shift: Vec<i64> = (0..45_000).map(|cell| cell * 7 % 13 - 6).collect();
        let moved: Vec<i64> = centre.iter().zip(&shift).map(|(x, v)| x + v).collect();
        let (one, two) =
            (drawn(&law, &blocks, &centre, &Seeded::new(3)), drawn(&law, &blocks, &moved, &Seeded::new(3)));
        assert!((0..45_000).all(|cell| two[cell] - one[cell] == shift[cell]));
        // The noise is there, keeps every total, and differs from seed to seed.
        assert!(one.iter().zip(&centre).filter(|(y, x)| y != x).count() > 20_000);
        for (block, _) in blocks.iter().filter(|(_, work)| std::ptr::eq(*work, kept)) {
            let sum = |values: &[i64]| block.iter().map(|cell| values[*cell as usize]).sum::<i64>();
            assert_eq!(sum(&one), sum(&centre));
        }
        assert_ne!(one, drawn(&law, &blocks, &centre, &Seeded::new(4)));
    }
}

#[test]
fn relabelled_cells_get_the_relabelled_table() {
    let cells: Vec<u32> = (0..10_000).collect();
    // 7919 is prime to 10 000, so this is a permutation.
    let label = |cell: u32| (cell * 7_919) % 10_000;
    let relabelled: Vec<u32> = cells.iter().map(|cell| label(*cell)).collect();
    for (law, kept) in laws() {
        let one = drawn(&law, &mixed(kept, &cells), &[0; 10_000], &Seeded::new(5));
        let two = drawn(&law, &mixed(kept, &relabelled), &[0; 10_000], &Seeded::new(5));
        assert!(cells.iter().all(|cell| one[*cell as usize] == two[label(*cell) as usize]));
    }
}

#[test]
fn cells_in_no_block_keep_their_value() {
    for (law, kept) in laws() {
        let values = drawn(&law, &[(&[1, 3], kept)], &[10, 20, 30, 40], &Seeded::new(7));
        assert_eq!((values[0], values[2], values[1] + values[3]), (10, 30, 60));
    }
}

#[test]
fn threads_do_not_matter() {
    let cells: Vec<u32> = (0..80_000).collect();
    for (law, kept) in laws() {
        let tables: Vec<Vec<i64>> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| drawn(&law, &mixed(kept, &cells), &[0; 80_000], &Seeded::new(8)))
            })
            .collect();
        assert!(tables[0] == tables[1] && tables[1] == tables[2]);
    }
}

/// Gives out the streams of a seed and remembers which.
struct Watched(Seeded, Mutex<Vec<u64>>);

impl Source for Watched {
    fn stream(&self, task: u64) -> Result<Stream, NoEntropy> {
        self.1.lock().unwrap().push(task);
        self.0.stream(task)
    }
}

#[test]
fn no_stream_is_used_twice() {
    let cells: Vec<u32> = (0..150_000).collect();
    for (law, kept) in laws() {
        let source = Watched(Seeded::new(9), Mutex::default());
        let mut blocks = mixed(kept, &cells[..100_000]);
        blocks.push((&cells[100_000..], &INDEPENDENT));
        drawn(&law, &blocks, &[0; 150_000], &source);
        let mut tasks = source.1.into_inner().unwrap();
        let used = tasks.len();
        tasks.sort_unstable();
        tasks.dedup();
        assert_eq!(tasks.len(), used);
        assert!(used > 8);
    }
}

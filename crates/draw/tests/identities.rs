//! Identities with shared bits: shifts, relabelling, redundant cuts, threads, strides, and the blocks of one table.

use draw::operators::AtLeastZero;
use draw::{BlockDraw, ClosedForm, Growth, Messages, NoiseLaw, PlannedNoise, Prospect, Sampler, draw_table, operators};
use exact::{NoEntropy, Rational, Seeded, Source, Stream};
use std::sync::Mutex;
use testkit::goodness_of_fit;

static INDEPENDENT: PlannedNoise = operators::Independent::noise(Prospect::exact("independent"));
static CLOSED_FORM: PlannedNoise = operators::ClosedForm::noise(Prospect::exact("closed-form"));
static MESSAGES: PlannedNoise = operators::Messages::noise(Prospect::exact("messages"));

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn laws() -> [(NoiseLaw, &'static PlannedNoise); 2] {
    let (epsilon, variance) = (rational("1/3"), rational("5/2"));
    [(NoiseLaw::double_geometric(epsilon), &CLOSED_FORM), (NoiseLaw::discrete_gaussian(variance), &MESSAGES)]
}

fn drawn<S: Source>(
    law: &NoiseLaw,
    blocks: &[(&[u32], &'static PlannedNoise)],
    centre: &[i64],
    source: &S,
) -> Vec<i64> {
    let blocks: Vec<BlockDraw> = blocks.iter().map(|(cells, work)| BlockDraw { cells, work: *work }).collect();
    draw_table(law, &blocks, centre, source, &|_| {}).unwrap().into_values()
}

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
fn a_redundant_cut_of_free_cells_changes_nothing() {
    let cells: Vec<u32> = (0..4_000).collect();
    for (law, _) in laws() {
        let whole = [(&cells[..], &INDEPENDENT)];
        let cut = [(&cells[..1], &INDEPENDENT), (&cells[1..777], &INDEPENDENT), (&cells[777..], &INDEPENDENT)];
        let centre = [0; 4_000];
        assert_eq!(drawn(&law, &whole, &centre, &Seeded::new(6)), drawn(&law, &cut, &centre, &Seeded::new(6)));
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

/// The exact law of one of n cells with total zero, on ±radius.
fn one_cell(law: &NoiseLaw, cells: usize, radius: i64) -> Vec<f64> {
    let weight = |z: i64| (-law.energy(z).to_f64()).exp();
    let mut others: Vec<f64> = (-radius..=radius).map(|z| f64::from(u8::from(z == 0))).collect();
    for _ in 1..cells {
        others = (-radius..=radius)
            .map(|c| {
                (-radius..=radius)
                    .filter(|z| (c - z).abs() <= radius)
                    .map(|z| weight(z) * others[(c - z + radius) as usize])
                    .sum()
            })
            .collect();
    }
    let joint: Vec<f64> = (-radius..=radius).map(|z| weight(z) * others[(radius - z) as usize]).collect();
    let total: f64 = joint.iter().sum();
    joint.iter().map(|p| p / total).collect()
}

#[test]
fn the_stride_changes_bits_but_not_the_law() {
    // Six tests at a family-wise level of one per mille; the seeds are fixed.
    let radius = 60;
    for (law, _) in laws() {
        let claimed = one_cell(&law, 3, radius);
        for stride in [1, 7, 64] {
            let mut entropy = Seeded::new(10).stream(0).unwrap().with_stride(stride);
            let draws = 10_000;
            let mut observed = vec![0u64; claimed.len()];
            let (closed, messages) = (ClosedForm::new(&rational("1/3")), Messages::new(&rational("5/2")).completing(1));
            for _ in 0..draws {
                let mut noise = [0i64; 3];
                match law.growth() {
                    Growth::Absolute => closed.draw_block(&mut entropy, 0, &mut noise),
                    _ => messages.draw_block(&mut entropy, 0, &mut noise),
                }
                observed[(noise[2] + radius) as usize] += 1;
            }
            let p = goodness_of_fit(&observed, &claimed, draws).p_value;
            assert!(p > 1e-3 / 6.0, "{} with stride {stride}: p = {p}", law.name());
        }
    }
}

#[test]
fn the_blocks_of_a_table_are_independent() {
    // Two tests at a family-wise level of one per mille; the seeds are fixed.
    let radius = 4i64;
    for (law, kept) in laws() {
        let (one, two) = (one_cell(&law, 2, 60), one_cell(&law, 3, 60));
        let side = (2 * radius + 1) as usize;
        let at = |law: &[f64], bin: usize| law[(60 - radius) as usize + bin];
        let claimed: Vec<f64> = (0..side * side).map(|pair| at(&one, pair / side) * at(&two, pair % side)).collect();
        let mut observed = vec![0u64; side * side];
        // Many pairs of a block of two and a block of three cells, all in one table.
        let cells: Vec<u32> = (0..50_000).collect();
        let mut blocks: Vec<(&[u32], &'static PlannedNoise)> = Vec::new();
        for pair in cells.chunks(5) {
            blocks.extend([(&pair[..2], kept), (&pair[2..], kept)]);
        }
        let values = drawn(&law, &blocks, &[0; 50_000], &Seeded::new(11));
        for pair in values.chunks(5) {
            if pair[0].abs() <= radius && pair[2].abs() <= radius {
                observed[(pair[0] + radius) as usize * side + (pair[2] + radius) as usize] += 1;
            }
        }
        let p = goodness_of_fit(&observed, &claimed, 10_000).p_value;
        assert!(p > 1e-3 / 2.0, "{}: p = {p}", law.name());
    }
}

/// Free cells at or above zero are drawn again until they are: the conditional law, for both kinds of noise.
#[test]
fn cells_at_or_above_zero_have_the_conditional_law() {
    let cells: Vec<u32> = (0..60_000).collect();
    let centre: Vec<i64> = (0..60_000).map(|cell| [0, 1, 4][cell % 3]).collect();
    for (law, _) in laws() {
        let block = BlockDraw { cells: &cells, work: &AtLeastZero { prospect: Prospect::exact("independent") } };
        let values = draw_table(&law, &[block], &centre, &Seeded::new(11), &|_| {}).unwrap().into_values();
        assert!(values.iter().all(|value| *value >= 0));
        for start in [0, 1, 4] {
            let weights: Vec<f64> = (0..40).map(|y| (-law.energy(y - start).to_f64()).exp()).collect();
            let whole: f64 = weights.iter().sum();
            let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole).collect();
            let mut observed = vec![0u64; 40];
            let drawn = values.iter().zip(&centre).filter(|(_, centre)| **centre == start);
            drawn.for_each(|(value, _)| observed[(*value).min(39) as usize] += 1);
            let fit = goodness_of_fit(&observed, &claimed, 20_000);
            assert!(fit.p_value > 1e-4, "{law:?} from {start}: {fit:?}");
        }
    }
}

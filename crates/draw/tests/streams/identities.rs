//! A streamed table is, bit by bit, the table drawn in memory, however it is cut into blocks,
//! portions and threads.

use draw::operators::{AtLeastZero, ClosedForm, Independent, Messages};
use draw::{
    BlockDraw, BlockRange, Drawn, Exactness, NoiseLaw, PlannedWork, Prospect, TableSampler, TableStream, draw_table,
};
use exact::integer::below;
use exact::{Entropy, NoEntropy, Seeded, Source, Stream};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Work = Arc<dyn PlannedWork>;

fn laws() -> [(NoiseLaw, [Work; 2]); 2] {
    let (epsilon, variance) = ("1/2".parse().unwrap(), "3".parse().unwrap());
    let free: Work = Arc::new(Independent::noise(Prospect::exact("independent")));
    let closed_form: Work = Arc::new(ClosedForm::noise(Prospect::exact("closed-form")));
    let messages: Work = Arc::new(Messages::noise(Prospect::exact("messages")));
    [
        (NoiseLaw::double_geometric(epsilon), [free.clone(), closed_form]),
        (NoiseLaw::discrete_gaussian(variance), [free, messages]),
    ]
}

/// Random blocks: tiny, small, a few slices long, with and without gaps, not in cell order.
fn blocks(entropy: &mut impl Entropy, works: &[Work; 2], most: u64) -> (Vec<BlockRange>, usize) {
    let (mut blocks, mut at) = (Vec::new(), 0usize);
    for _ in 0..1 + below(entropy, most) {
        at += below(entropy, 3) as usize;
        let length = match below(entropy, 6) {
            0 => 32_769 + below(entropy, 70_000),
            1 => 32_760 + below(entropy, 10),
            2 => 2 + below(entropy, 5_000),
            _ => 2 + below(entropy, 30),
        } as usize;
        let work = works[below(entropy, 2) as usize].clone();
        blocks.push(BlockRange { cells: at..at + length, work });
        at += length;
    }
    for last in (1..blocks.len()).rev() {
        blocks.swap(last, below(entropy, last as u64 + 1) as usize);
    }
    (blocks, at + below(entropy, 3) as usize)
}

fn streamed<S: Source>(
    law: &NoiseLaw,
    blocks: &[BlockRange],
    centre: &[i64],
    source: &S,
    mut portion: impl FnMut() -> usize,
) -> Vec<i64> {
    let told = AtomicU64::new(0);
    let progress = |cells| _ = told.fetch_add(cells, Ordering::Relaxed);
    let mut stream = TableStream::new(law, blocks, centre.len(), source, &progress).unwrap();
    let mut counts = centre.to_vec();
    let mut rest: &mut [i64] = &mut counts;
    while !rest.is_empty() {
        let (now, later) = rest.split_at_mut(portion().min(rest.len()));
        stream.add(now).unwrap();
        rest = later;
    }
    let proof = stream.finish().unwrap();
    assert_eq!((proof.cells(), proof.exactness()), (centre.len(), &Exactness::Exact));
    let drawn: usize = blocks.iter().map(|block| block.cells.len()).sum();
    assert_eq!(told.into_inner(), drawn as u64);
    counts
}

/// These blocks as lists of cells.
fn in_memory<R>(blocks: &[BlockRange], take: impl Fn(&[BlockDraw]) -> R) -> R {
    let cells = |block: &BlockRange| block.cells.clone().map(|cell| cell as u32).collect::<Vec<u32>>();
    let lists: Vec<Vec<u32>> = blocks.iter().map(cells).collect();
    let blocks = lists.iter().zip(blocks).map(|(cells, block)| BlockDraw { cells, work: block.work.as_ref() });
    take(&blocks.collect::<Vec<_>>())
}

fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn streams_are_the_tables_drawn_in_memory() {
    let mut entropy = Seeded::new(41).stream(0).unwrap();
    for round in 0..8 {
        for (law, works) in laws() {
            let (blocks, cells) = blocks(&mut entropy, &works, 12);
            let centre: Vec<i64> = (0..cells).map(|_| below(&mut entropy, 1000) as i64).collect();
            let source = Seeded::draw(round, 7);
            let expected = in_memory(&blocks, |blocks| {
                let one = with_threads(1 + round as usize % 3, || draw_table(&law, blocks, &centre, &source, &|_| {}));
                let two = TableSampler::new((&law).into(), blocks, &centre).unwrap().draw(&source, &|_| {});
                let [one, two] = [one, two].map(|drawn: Result<Drawn<_>, _>| drawn.unwrap().into_values());
                assert_eq!(one, two);
                one
            });
            for threads in [1, 3] {
                let sizes: Vec<u64> = vec![1, 17, 4_096, 100_000];
                let most = sizes[round as usize % sizes.len()];
                let mut portions = Seeded::new(round).stream(threads as u64).unwrap();
                let portion = move || 1 + below(&mut portions, most) as usize;
                let found = with_threads(threads, || streamed(&law, &blocks, &centre, &source, portion));
                assert!(found == expected, "{law:?}, {blocks:?}, {threads} threads");
            }
        }
    }
}

/// Bits of a seed, with those of one task taken from elsewhere.
struct Shifted {
    source: Seeded,
    task: u64,
}

impl Source for Shifted {
    fn stream(&self, task: u64) -> Result<Stream, NoEntropy> {
        self.source.stream(if task == self.task { 1 << 40 } else { task })
    }
}

#[test]
fn another_stream_for_any_one_task_would_be_seen() {
    let law = &laws()[0].0;
    let ranges = [(0..10, 0), (10..70_000, 1), (70_000..70_004, 1), (70_004..75_000, 0), (75_000..75_900, 1)];
    let works = &laws()[0].1;
    let blocks = ranges.map(|(cells, work)| BlockRange { cells, work: works[work].clone() });
    let centre = vec![0; 75_900];
    let source = Seeded::new(5);
    let expected =
        in_memory(&blocks, |blocks| draw_table(law, blocks, &centre, &source, &|_| {}).unwrap().into_values());
    // Independent blocks share one task; the closed form divides its large block, draws three
    // slices and the two small blocks.
    for task in 0..6 {
        let found = streamed(law, &blocks, &centre, &Shifted { source: source.clone(), task }, || 1000);
        assert!(found != expected, "task {task}");
    }
    assert!(streamed(law, &blocks, &centre, &Shifted { source: source.clone(), task: 6 }, || 1000) == expected);
}

#[test]
fn blocks_that_overlap_and_counts_that_do_not_fit_are_refused() {
    let (law, [_, work]) = &laws()[0];
    let source = Seeded::new(1);
    let block = |cells| BlockRange { cells, work: work.clone() };
    for blocks in [vec![block(0..5), block(4..9)], vec![block(6..11)], vec![block(3..3)]] {
        assert!(TableStream::new(law, &blocks, 10, &source, &|_| {}).is_err(), "{blocks:?}");
    }
    let prospect = Prospect::exact("independent");
    let of_the_table = BlockRange { cells: 0..10, work: Arc::new(AtLeastZero { prospect }) };
    assert!(TableStream::new(law, &[of_the_table], 10, &source, &|_| {}).is_err());
    let begin = || TableStream::new(law, &[block(0..10)], 10, &source, &|_| {}).unwrap();
    let mut stream = begin();
    stream.add(&mut [0; 9]).unwrap();
    assert!(stream.add(&mut [0; 2]).is_err());
    assert!(stream.finish().is_err());
    let most = Cell::new(0);
    for seed in 0..40 {
        let source = Seeded::new(seed);
        let mut stream = TableStream::new(law, &[block(0..10)], 10, &source, &|_| {}).unwrap();
        most.set(most.get() + u32::from(stream.add(&mut [i64::MAX; 10]).is_err()));
    }
    assert!(most.get() > 30, "noise above the largest count is an error");
}

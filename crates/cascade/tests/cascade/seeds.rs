//! Draws of tables large enough for threads: the same for a seed, within all that is declared; golden values.

use cascade::{Cascade, CellBounds, Noise, Outline};
use exact::{Rational, Seeded};

/// Labels of a table of rows by columns.
fn margins(rows: usize, columns: usize) -> (Vec<u32>, Vec<u32>) {
    let cells = 0..(rows * columns) as u32;
    (cells.clone().map(|cell| cell / columns as u32).collect(), cells.map(|cell| cell % columns as u32).collect())
}

fn counts(cells: usize) -> Vec<i64> {
    let mut state = 9u64;
    (0..cells)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 == 0 { (state >> 40) as i64 % 50 } else { (state >> 33) as i64 % 3 }
        })
        .collect()
}

fn cascade(cells: usize, exact: &[&[u32]], levels: &[&[u32]]) -> Cascade {
    let mut noise = vec![Noise { group_of: None, variance: Rational::integer(9) }];
    noise.extend(levels.iter().map(|labels| Noise { group_of: Some(labels), variance: Rational::integer(20) }));
    let outline =
        Outline { cells, exact: exact.to_vec(), noise, bounds: CellBounds::AtLeastZero, ..Outline::default() };
    Cascade::new(&outline).unwrap()
}

fn with_threads(threads: usize, work: impl FnOnce() -> Vec<i64> + Send) -> Vec<i64> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A number that tells tables apart.
fn digest(table: &[i64]) -> u64 {
    table.iter().fold(14_695_981_039_346_656_037, |hash, value| (hash ^ *value as u64).wrapping_mul(1_099_511_628_211))
}

fn sums(labels: &[u32], table: &[i64]) -> Vec<i64> {
    let mut sums = vec![0; *labels.iter().max().unwrap() as usize + 1];
    labels.iter().zip(table).for_each(|(label, value)| sums[*label as usize] += value);
    sums
}

fn check(cascade: &Cascade, counts: &[i64], exact: &[&[u32]], golden: u64) {
    let one = with_threads(1, || cascade.draw(counts, &Seeded::new(77)).unwrap());
    assert!(one.iter().all(|value| *value >= 0));
    assert_ne!(one, counts);
    for labels in exact {
        assert_eq!(sums(labels, &one), sums(labels, counts));
    }
    for threads in [2, 5] {
        assert_eq!(with_threads(threads, || cascade.draw(counts, &Seeded::new(77)).unwrap()), one);
    }
    assert_ne!(cascade.draw(counts, &Seeded::new(78)).unwrap(), one);
    assert!(cascade.log_likelihood(counts, &one).unwrap().is_finite());
    assert_eq!(digest(&one), golden, "{:?}", &one[..8]);
}

#[test]
fn one_large_total() {
    let cells = 30_000;
    let total = vec![0u32; cells];
    check(&cascade(cells, &[&total], &[]), &counts(cells), &[&total], 11355585967929729898);
}

#[test]
fn many_small_totals() {
    let cells = 30_000;
    let group: Vec<u32> = (0..cells as u32).map(|cell| cell / 7).collect();
    check(&cascade(cells, &[&group], &[]), &counts(cells), &[&group], 7502002932380103884);
}

#[test]
fn levels_with_noise_of_their_own() {
    let cells = 30_000;
    let county: Vec<u32> = (0..cells as u32).map(|cell| cell / 30).collect();
    let state: Vec<u32> = (0..cells as u32).map(|cell| cell / 15_000).collect();
    check(&cascade(cells, &[&state], &[&county, &state]), &counts(cells), &[&state], 1190945756884099598);
}

#[test]
fn a_tall_table_and_a_wide_one() {
    for (rows, columns, golden) in
        [(10_000, 3, 10724376126955078778), (3, 10_000, 9695465202088633958), (150, 200, 10975188272271020640)]
    {
        let (row, column) = margins(rows, columns);
        check(&cascade(rows * columns, &[&row, &column], &[]), &counts(rows * columns), &[&row, &column], golden);
    }
}

#[test]
fn places_by_attributes_in_regions() {
    // 12 regions of 250 places, 10 attributes: places exact, attributes exact by region, noise on districts of 10 places.
    let cells = 30_000u32;
    let place: Vec<u32> = (0..cells).map(|cell| cell / 10).collect();
    let attribute: Vec<u32> = (0..cells).map(|cell| cell / 2500 * 10 + cell % 10).collect();
    let district: Vec<u32> = (0..cells).map(|cell| cell / 100 * 10 + cell % 10).collect();
    let exact: [&[u32]; 2] = [&place, &attribute];
    check(&cascade(cells as usize, &exact, &[&district]), &counts(cells as usize), &exact, 10051806449309097194);
}

//! Seeds give the tables they gave, on any number of threads.

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
    // 12 regions of 250 places, 10 attributes: places exact, attributes exact by region, noise on
    // districts of 10 places.
    let cells = 30_000u32;
    let place: Vec<u32> = (0..cells).map(|cell| cell / 10).collect();
    let attribute: Vec<u32> = (0..cells).map(|cell| cell / 2500 * 10 + cell % 10).collect();
    let district: Vec<u32> = (0..cells).map(|cell| cell / 100 * 10 + cell % 10).collect();
    let exact: [&[u32]; 2] = [&place, &attribute];
    check(&cascade(cells as usize, &exact, &[&district]), &counts(cells as usize), &exact, 10051806449309097194);
}

#[test]
fn deaths_below_cases_in_counties_and_months() {
    // 67 counties by 16 months, cells 2i cases and 2i + 1 deaths: totals by month, and by month and
    // by county.
    let places = 67 * 16u32;
    let month: Vec<u32> = (0..2 * places).map(|cell| 2 * (cell / 2 % 16) + cell % 2).collect();
    let county: Vec<u32> = (0..2 * places).map(|cell| 2 * (cell / 32) + cell % 2).collect();
    let cases = counts(places as usize);
    let table: Vec<i64> = cases.iter().flat_map(|cases| [*cases, cases / 3]).collect();
    for exact in [vec![&month[..]], vec![&month[..], &county[..]]] {
        let outline = Outline {
            cells: table.len(),
            exact: exact.clone(),
            noise: vec![Noise { group_of: None, variance: Rational::integer(9) }],
            bounds: CellBounds::AtLeastZero,
            rules: (0..places).map(|place| (2 * place + 1, 2 * place)).collect(),
            ..Outline::default()
        };
        let cascade = Cascade::new(&outline).unwrap();
        assert!(cascade.is_feasible(&table));
        let release = cascade.draw(&table, &Seeded::new(5)).unwrap();
        assert!(release.chunks(2).all(|pair| 0 <= pair[1] && pair[1] <= pair[0]));
        assert!(cascade.keeps(&table, &release) && release != table);
        for labels in exact {
            assert_eq!(sums(labels, &release), sums(labels, &table));
        }
    }
}

#[test]
fn a_table_of_moves_has_a_diagonal_of_structural_zeros() {
    let side = 12;
    let (row, column) = margins(side, side);
    let cells = side * side;
    let mut table = counts(cells);
    let low = vec![0; cells];
    let mut high = vec![cascade::NO_HIGH; cells];
    for place in 0..side {
        (table[place * side + place], high[place * side + place]) = (0, 0);
    }
    let outline = Outline {
        cells,
        exact: vec![&row, &column],
        noise: vec![Noise { group_of: None, variance: Rational::integer(9) }],
        bounds: CellBounds::Each(&low, &high),
        ..Outline::default()
    };
    let cascade = Cascade::new(&outline).unwrap();
    for seed in 0..5 {
        let release = cascade.draw(&table, &Seeded::new(seed)).unwrap();
        assert!(cascade.keeps(&table, &release) && release != table);
        assert!((0..side).all(|place| release[place * side + place] == 0));
        assert!(cascade.log_likelihood(&table, &release).unwrap().is_finite());
    }
}

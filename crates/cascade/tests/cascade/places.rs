//! Tables that are never in memory whole: the same law as that of the whole tree, the same draw whatever the portions and threads.

use cascade::{Cascade, CellBounds, Noise, Outline, Places};
use exact::{Rational, Seeded};
use testkit::goodness_of_fit;

/// Three places of two cells, in two regions; everything together exact, noise on regions, places and cells.
const PLACE_OF: [u32; 6] = [0, 0, 1, 1, 2, 2];
const REGION_OF: [u32; 6] = [0, 0, 0, 0, 1, 1];
const COUNTS: [i64; 6] = [2, 0, 1, 1, 0, 2];

fn variance(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The tree in memory.
fn whole() -> Cascade {
    let noise = vec![
        Noise { group_of: None, variance: variance("3") },
        Noise { group_of: Some(&PLACE_OF), variance: variance("5") },
        Noise { group_of: Some(&REGION_OF), variance: variance("4") },
    ];
    let bounds = CellBounds::AtLeastZero;
    Cascade::new(&Outline { cells: 6, exact: vec![&[0; 6]], noise, bounds, ..Outline::default() }).unwrap()
}

/// The same by place.
fn places() -> Places {
    let noise = vec![
        Noise { group_of: None, variance: variance("6") },
        Noise { group_of: Some(&[0, 1, 2]), variance: variance("5") },
        Noise { group_of: Some(&[0, 0, 1]), variance: variance("4") },
    ];
    let outline =
        Outline { cells: 3, exact: vec![&[0; 3]], noise, bounds: CellBounds::AtLeastZero, ..Outline::default() };
    Places::new(&outline, 2, &variance("3")).unwrap()
}

fn drawn(places: &Places, seed: u64) -> Vec<i64> {
    let source = Seeded::draw(17, seed);
    let sums: Vec<i64> = COUNTS.chunks(2).map(|place| place.iter().sum()).collect();
    let mut table = COUNTS.to_vec();
    places.begin(&sums, &source).unwrap().split(0, &mut table, &source).unwrap();
    table
}

/// All tables of six counts with the sum six.
fn fibre() -> Vec<Vec<i64>> {
    let mut tables = Vec::new();
    for number in 0..7i64.pow(6) {
        let table: Vec<i64> = (0..6).map(|place| number / 7i64.pow(place) % 7).collect();
        if table.iter().sum::<i64>() == 6 {
            tables.push(table);
        }
    }
    tables.sort();
    tables
}

#[test]
fn draws_by_place_have_the_law_of_the_whole_tree() {
    let (whole, places, fibre) = (whole(), places(), fibre());
    let claimed: Vec<f64> = fibre.iter().map(|table| whole.log_likelihood(&COUNTS, table).unwrap().exp()).collect();
    assert!((claimed.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let draws = 200_000;
    let mut observed = vec![0u64; fibre.len()];
    for draw in 0..draws {
        observed[fibre.binary_search(&drawn(&places, draw)).unwrap()] += 1;
    }
    assert!(goodness_of_fit(&observed, &claimed, draws).p_value > 1e-4);
    // A tree whose places have another noise is told from it.
    let noise = vec![
        Noise { group_of: None, variance: variance("3") },
        Noise { group_of: Some(&REGION_OF), variance: variance("4") },
    ];
    let bounds = CellBounds::AtLeastZero;
    let other = Outline { cells: 6, exact: vec![&[0; 6]], noise, bounds, ..Outline::default() };
    let other = Cascade::new(&other).unwrap();
    let claimed: Vec<f64> = fibre.iter().map(|table| other.log_likelihood(&COUNTS, table).unwrap().exp()).collect();
    assert!(goodness_of_fit(&observed, &claimed, draws).p_value < 1e-6);
    // Weights of groups are rounded up in the tree, by a few parts in a million.
    let (one, other) = (whole.kappa().to_f64(), places.kappa().to_f64());
    assert!(one > 0.0 && (one / other - 1.0).abs() < 1e-4, "{one} {other}");
}

#[test]
fn portions_and_threads_change_nothing() {
    for each in [3, 700, 9000] {
        let count = 41;
        let labels = vec![0u32; count];
        let own = &variance("5") * &Rational::integer(each as u64);
        let noise = vec![Noise { group_of: None, variance: own }];
        let bounds = CellBounds::AtLeastZero;
        let outline = Outline { cells: count, exact: vec![&labels], noise, bounds, ..Outline::default() };
        let places = Places::new(&outline, each, &variance("5")).unwrap();
        let table: Vec<i64> = (0..count * each).map(|cell| (cell * 7919 % 23) as i64 / 4).collect();
        let sums: Vec<i64> = table.chunks(each).map(|place| place.iter().sum()).collect();
        let draw = |threads: usize, waves: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let source = Seeded::new(5);
                let begun = places.begin(&sums, &source).unwrap();
                assert_eq!(begun.cells(), table.len());
                let mut out = table.clone();
                let length = begun.step() * waves;
                for (number, portion) in out.chunks_mut(length).enumerate() {
                    begun.split(number * length, portion, &source).unwrap();
                }
                out
            })
        };
        let one = draw(1, 1);
        assert_eq!(one.iter().sum::<i64>(), table.iter().sum::<i64>());
        assert!(one.iter().all(|count| *count >= 0) && one != table);
        for (threads, waves) in [(1, 3), (2, 1), (5, 2), (2, 1000)] {
            assert_eq!(one, draw(threads, waves), "{each} cells, {threads} threads, {waves} steps at once");
        }
        let begun = places.begin(&sums, &Seeded::new(5)).unwrap();
        assert!(begun.split(1, &mut table.clone()[..each], &Seeded::new(5)).is_err());
    }
}

//! Portions and threads change nothing.

use super::tree::variance;
use cascade::{CellBounds, Noise, Outline, Places};
use exact::{Rational, Seeded};

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

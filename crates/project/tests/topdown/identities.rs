//! What must not matter to TopDown: what is measured below a level, the number of threads, another
//! run.

use super::mutants::fibre;
use project::TopDown;

#[test]
fn what_a_level_decides_depends_on_nothing_below_it() {
    let topdown = TopDown::new(&fibre(), &[1.0, 4.0], &[vec![0; 4], vec![0, 0, 1, 1]]).unwrap();
    let states = |measured: &[i64]| {
        let table = topdown.integer(measured).unwrap();
        (table[0] + table[1], table[2] + table[3])
    };
    let first = states(&[25, 18, 9, 14, 20, 1]);
    assert_eq!(first.0 + first.1, 40);
    for counties in [[0, 0, 0, 0], [30, -5, 2, 2], [7, 7, 30, 30]] {
        assert_eq!(states(&[&[25, 18][..], &counties].concat()), first);
    }
    assert_ne!(states(&[5, 18, 9, 14, 20, 1]), first, "the states' own measurements do matter");
}

#[test]
fn threads_and_repetition_change_nothing() {
    let topdown = TopDown::new(&fibre(), &[1.0, 4.0], &[vec![0; 4], vec![0, 0, 1, 1]]).unwrap();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| topdown.integer(&[25, 18, 9, 14, 20, 1]).unwrap())
    };
    assert_eq!(run(1), run(3));
    assert_eq!(run(3), run(3));
}

//! Couplings: each chain moves by the kernel, chains stay together once they met, and the bound
//! holds.

use super::evidence_of::evidence;
use crate::tables::fibres::{all, two_way};
use crate::tables::matrices::{agreement, counted, kernel, matrix};
use exact::{Seeded, Source};
use testkit::level;
use walk::{Kernel, Lagged, meeting};

#[test]
fn each_chain_of_a_pair_moves_by_the_kernel() {
    for (number, small) in all().into_iter().enumerate() {
        for walk in [small.walk(), small.walk().without_lines()] {
            let ready = walk.ready();
            let kernel = kernel(&small, &walk, &ready);
            let tables = small.tables();
            for (turn, (one, two)) in
                [(&small.table, &tables[0]), (&tables[tables.len() - 1], &tables[tables.len() / 2])]
                    .into_iter()
                    .enumerate()
            {
                let mut bits = Seeded::draw(31, number as u64).stream(turn as u64).unwrap();
                let (mut first, mut second) = (Vec::new(), Vec::new());
                for _ in 0..10_000 {
                    let (mut ahead, mut behind) = (kernel.start(one.clone()), kernel.start(two.clone()));
                    kernel.couple(&mut ahead, &mut behind, &mut bits);
                    first.push(kernel.values(&ahead).to_vec());
                    second.push(kernel.values(&behind).to_vec());
                }
                for (from, outcomes) in [(one, first), (two, second)] {
                    let counts = counted(&tables, outcomes.into_iter());
                    let p_value = agreement(&counts, &kernel.row(from, &tables), 10_000);
                    assert!(p_value > level(8 * all().len()), "{} from {from:?}: {p_value}", small.name);
                }
            }
        }
    }
}

#[test]
fn chains_that_have_met_stay_together() {
    for small in all() {
        for walk in [small.walk(), small.walk().without_lines()] {
            let ready = walk.ready();
            let kernel = kernel(&small, &walk, &ready);
            let mut bits = Seeded::new(32).stream(0).unwrap();
            let (mut one, mut two) = (kernel.start(small.table.clone()), kernel.start(small.table.clone()));
            for _ in 0..2000 {
                kernel.couple(&mut one, &mut two, &mut bits);
                assert_eq!(kernel.values(&one), kernel.values(&two), "{}", small.name);
            }
        }
    }
}

#[test]
fn the_bound_is_above_the_true_distance() {
    for small in all() {
        let walk = small.walk();
        let ready = walk.ready();
        let distances = matrix(&small, &kernel(&small, &walk, &ready)).distances(&small.table, 60);
        for lag in [1, 5, 20] {
            let evidence = evidence(&small, lag, 400);
            for (steps, distance) in distances.iter().enumerate() {
                let bound = evidence.bound(steps as u64);
                assert!(bound >= *distance, "{}, lag {lag}, {steps} steps: {bound} < {distance}", small.name);
                // The mean over pairs estimates something above the distance: a few standard errors
                // are allowed. With a lag of one most pairs meet before either chain has moved, and
                // the mean hangs on the few others.
                let spread = (evidence.estimate(steps as u64) + 0.01).sqrt() * 4.0 / 20.0;
                let near = evidence.estimate(steps as u64) + spread >= *distance;
                assert!(lag == 1 || near, "{}, lag {lag}, {steps}", small.name);
            }
            let steps = evidence.steps_for(1e-6);
            let fewest = steps == evidence.tail().threshold || evidence.bound(steps - 1) > 1e-6;
            assert!(evidence.bound(steps) <= 1e-6 && fewest);
        }
    }
}

#[test]
fn pairs_that_do_not_meet_are_said_not_to() {
    let small = two_way();
    let walk = small.walk();
    let ready = walk.ready();
    let kernel = kernel(&small, &walk, &ready);
    let mut bits = Seeded::new(33).stream(0).unwrap();
    assert_eq!(meeting(&kernel, &small.table, 50, 0, &mut bits), None);
}

#[test]
fn with_ties_the_limit_is_that_of_the_tenth_that_was_asked_for() {
    // Thirty of a thousand pairs exceed the time that a hundred exceed or tie.
    let mut meetings = vec![1; 890];
    meetings.extend(vec![2; 80]);
    meetings.extend(vec![5; 30]);
    let tail = Lagged { lag: 4, meetings, starts: 1 }.tail();
    assert_eq!((tail.threshold, tail.later), (2, 30));
    assert_eq!(tail.beyond, walk::limits::upper_limit(100, 1000, 0.005));
}

//! Counts and uniform points of spaces.

use exact::{Enclosure, Natural, Rational, Seeded, Source};
use exponential::Space;
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, tape_law};

#[test]
fn counts_are_those_of_the_points() {
    for space in
        [Space::list(7), Space::cube(3, 4), Space::ball(1, 3), Space::ball(2, 4), Space::ball(3, 5), Space::ball(4, 2)]
    {
        let mut seen = std::collections::BTreeSet::new();
        space.for_each(|point| {
            assert!(space.contains(point));
            assert!(seen.insert(point.to_vec()), "{point:?} comes twice");
        });
        assert_eq!(Natural::from(seen.len()), *space.count());
    }
    // Σ_k C(p,k) C(R,k) 2^k, by hand: 1 + 2·2·4 + 1·6·4.
    assert_eq!(*Space::ball(2, 4).count(), Natural::from(41u8));
}

#[test]
fn a_uniform_point_of_a_ball_is_uniform_over_all_tapes() {
    let space = Space::ball(2, 2);
    let law = tape_law(18, |tape| {
        let mut point = Vec::new();
        space.uniform(tape, &mut point);
        point
    });
    assert_eq!(law.finished.len(), 13);
    assert!(law.unresolved_share() < 0.01, "{}", law.unresolved_share());
    law.agrees_with(|_| Enclosure::from_rational(&Rational::new(1, 13u8), 80)).unwrap();
    assert!(law.agrees_with(|_| Enclosure::from_rational(&Rational::new(1, 12u8), 80)).is_err(), "the check can fail");
}

#[test]
fn a_uniform_point_of_a_larger_ball_is_uniform() {
    let space = Space::ball(3, 4);
    let count = u64::try_from(space.count().clone()).unwrap() as usize;
    let mut counts: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    space.for_each(|point| {
        counts.insert(point.to_vec(), 0);
    });
    let mut stream = Seeded::new(3).stream(0).unwrap();
    let mut point = Vec::new();
    for _ in 0..count * 200 {
        space.uniform(&mut stream, &mut point);
        *counts.get_mut(&point).unwrap() += 1;
    }
    let observed: Vec<u64> = counts.values().copied().collect();
    let total = observed.iter().sum();
    let fit = goodness_of_fit(&observed, &vec![1.0 / count as f64; count], total);
    assert!(fit.p_value > 1e-4, "{}", fit.p_value);
}

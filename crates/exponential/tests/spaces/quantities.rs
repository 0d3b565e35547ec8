//! Counts of points are those of enumeration.

use exact::Natural;
use exponential::Space;

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

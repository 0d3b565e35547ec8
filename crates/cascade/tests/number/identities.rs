//! Numbers far from everything stay in their interval.

use super::laws::Law;
use cascade::{NO_HIGH, NO_LOW};
use exact::{Seeded, Source};

#[test]
fn numbers_far_from_everything_stay_in_their_interval() {
    let mut entropy = Seeded::new(3).stream(0).unwrap();
    for (centre, variance, low, high) in [
        (-1_000_000_000_000i128, "1", 0, NO_HIGH),
        (-1_000_000_000_000, "1", 0, 1),
        (1_000_000_000_000, "3/2", NO_LOW, -7),
        (-1_000_000_000_000, "1000000000000000", 0, 100),
        (4_000_000_000_000_000, "1", 0, 4_000_000_000_000_000),
        (0, "1000000000000000000", NO_LOW, NO_HIGH),
        (-5_000_000_000_000_000, "1000000000000000000", 5, NO_HIGH),
    ] {
        let law = Law::new(centre, 1, variance, low, high);
        for _ in 0..200 {
            let value = law.draw(&mut entropy);
            assert!(value >= low && value <= high);
        }
    }
    let single = Law::new(5, 2, "1", 3, 3);
    assert_eq!(single.draw(&mut entropy), 3);
}

//! What a level decides does not depend on what is measured below it; a projection without levels
//! does.

use super::country::row;
use analyse::{Demand, Fibre};
use project::{Norm, Projector, TopDown};
use testkit::Random;

/// Two states of two counties with a total; noise on states and counties.
pub fn fibre() -> Fibre {
    let noisy = |query, group| Demand::Noisy { query, group, fixed: 0 };
    let mut rows = vec![row(&[0, 1, 2, 3], Demand::Equal(40)), row(&[0, 1], noisy(0, 0)), row(&[2, 3], noisy(0, 1))];
    rows.extend((0..4).map(|county| row(&[county], noisy(1, county))));
    Fibre { cells: (0..4).collect(), bounds: vec![(Some(0), None); 4], rows, noise_on_cells: false }
}

#[test]
fn levels_that_are_forgotten_are_found_out() {
    let (fibre, weights) = (fibre(), [1.0, 4.0]);
    let topdown = TopDown::new(&fibre, &weights, &[vec![0; 4], vec![0, 0, 1, 1]]).unwrap();
    let flat = Projector::new(&fibre, &weights, Norm::Nonnegative).unwrap();
    let state = |table: Vec<i64>| table[0] + table[1];
    let mut random = Random(5);
    let mut forgotten = 0;
    for _ in 0..100 {
        let mut noise = || random.below(21) as i64 - 10;
        let states = [22 + noise(), 18 + noise()];
        let measured = |counties: [i64; 4]| [&states[..], &counties].concat();
        let (one, two) = (measured([12; 4].map(|x| x + noise())), measured([9; 4].map(|x| x + noise())));
        assert_eq!(state(topdown.integer(&one).unwrap()), state(topdown.integer(&two).unwrap()));
        forgotten += usize::from(state(flat.integer(&one).unwrap()) != state(flat.integer(&two).unwrap()));
    }
    assert!(forgotten > 50, "{forgotten}");
}

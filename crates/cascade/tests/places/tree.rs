//! A small tree by place and in memory.

use cascade::{Cascade, CellBounds, Noise, Outline, Places};
use exact::{Rational, Seeded};

/// Three places of two cells, in two regions; everything together exact, noise on regions, places
/// and cells.
const PLACE_OF: [u32; 6] = [0, 0, 1, 1, 2, 2];

pub const REGION_OF: [u32; 6] = [0, 0, 0, 0, 1, 1];

pub const COUNTS: [i64; 6] = [2, 0, 1, 1, 0, 2];

pub fn variance(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The tree in memory.
pub fn whole() -> Cascade {
    let noise = vec![
        Noise { group_of: None, variance: variance("3") },
        Noise { group_of: Some(&PLACE_OF), variance: variance("5") },
        Noise { group_of: Some(&REGION_OF), variance: variance("4") },
    ];
    let bounds = CellBounds::AtLeastZero;
    Cascade::new(&Outline { cells: 6, exact: vec![&[0; 6]], noise, bounds, ..Outline::default() }).unwrap()
}

/// The tree by place.
pub fn places() -> Places {
    let noise = vec![
        Noise { group_of: None, variance: variance("6") },
        Noise { group_of: Some(&[0, 1, 2]), variance: variance("5") },
        Noise { group_of: Some(&[0, 0, 1]), variance: variance("4") },
    ];
    let outline =
        Outline { cells: 3, exact: vec![&[0; 3]], noise, bounds: CellBounds::AtLeastZero, ..Outline::default() };
    Places::new(&outline, 2, &variance("3")).unwrap()
}

pub fn drawn(places: &Places, seed: u64) -> Vec<i64> {
    let source = Seeded::draw(17, seed);
    let sums: Vec<i64> = COUNTS.chunks(2).map(|place| place.iter().sum()).collect();
    let mut table = COUNTS.to_vec();
    places.begin(&sums, &source).unwrap().split(0, &mut table, &source).unwrap();
    table
}

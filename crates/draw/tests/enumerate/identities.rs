//! Every draw is a table of its fibre.

use super::listed::{LIMITS, every_law};
use analyse::{Demand, Fibre, FibreRow};
use draw::Enumerate;
use exact::{Seeded, Source};
use testkit::Random;

#[test]
fn every_draw_is_a_table_of_its_fibre() {
    let mut random = Random(4);
    for round in 0..60u64 {
        let cells = 2 + random.below(5) as u32;
        let entries: Vec<(u32, i64)> = (0..cells).map(|cell| (cell, 1 + random.below(2) as i64)).collect();
        let centre: Vec<i64> = (0..cells).map(|_| random.below(5) as i64).collect();
        let value = entries.iter().zip(&centre).map(|((_, times), count)| times * count).sum();
        let rows = vec![FibreRow { entries, demand: Demand::Equal(value) }];
        let fibre = Fibre {
            cells: (0..cells).collect(),
            bounds: vec![(Some(0), None); cells as usize],
            rows,
            noise_on_cells: true,
        };
        let listed = fibre.listed(&LIMITS).unwrap();
        let (law, _) = every_law().swap_remove(random.below(3) as usize);
        let sampler = Enumerate::new(&fibre, &listed, (&law).into(), &centre);
        let mut entropy = Seeded::new(round).stream(0).unwrap();
        for _ in 0..20 {
            assert!(fibre.contains(sampler.draw(&mut entropy)));
        }
    }
}

//! Networks over every bit tape have the conditional law.

use super::named::enclosed;
use super::small::Small;
use draw::Ladder;
use testkit::tape_law;

#[test]
fn every_bit_tape_gives_the_conditional_law() {
    for ladder in [Ladder::Standard, Ladder::Coarse] {
        let mut tested = 0;
        for seed in (0..400).step_by(3) {
            let Some(small) = Small::random(seed) else { continue };
            let law = small.enumerate(9);
            if law.len() < 2 {
                continue;
            }
            let total: f64 = law.values().sum();
            let network = small.network();
            let sampler = small.sampler(&network, ladder);
            let tapes = tape_law(9, |tape| {
                let mut values = small.table.clone();
                sampler.draw(tape, &mut values).unwrap();
                values
            });
            let claimed = |table: &Vec<i64>| enclosed(law.get(table).map_or(0.0, |weight| weight / total));
            if let Err(message) = tapes.agrees_with(claimed) {
                panic!("declaration {seed}, {ladder:?}: {message}");
            }
            tested += 1;
        }
        assert!(tested > 30, "{tested} declarations");
    }
}

//! Laws that neighbour the law of a class are rejected.

use super::small::{Class, agrees, gaussian, geometric};
use draw::{CellNoise, Ladder};

#[test]
fn mutants_are_rejected() {
    let class = Class::new(geometric("1/2", "1/3"), Some(0), Some(5), &[3, 0, 2], 6);
    let law = class.tapes(Ladder::Standard, 18);
    agrees(&law, &class.enumerated(20)).unwrap();
    let change = |alter: fn(&mut Class)| {
        let mut mutant = class.clone();
        alter(&mut mutant);
        mutant
    };
    let mutants = [
        change(|class| class.noise = geometric("21/40", "1/3")),
        change(|class| class.noise = geometric("1/2", "7/20")),
        change(|class| class.low = Some(-1)),
        change(|class| class.low = Some(1)),
        change(|class| class.high = Some(4)),
        change(|class| class.centres[0] = 4),
        change(|class| class.noise = gaussian("4")),
        change(|class| class.noise = CellNoise::Flat),
    ];
    for mutant in mutants {
        assert!(agrees(&law, &mutant.enumerated(20)).is_err(), "{:?} {:?}", mutant.noise, mutant.centres);
    }
}

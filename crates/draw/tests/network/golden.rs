//! Golden seeds of networks.

use super::named::{deaths_and_cases, margins, tree};
use draw::Ladder;
use exact::{Seeded, Source};

#[test]
fn golden_seeds() {
    let mut drawn = String::new();
    for (name, small) in
        [("deaths and cases", deaths_and_cases("1/2")), ("tree", tree("1/3")), ("margins", margins("1/4"))]
    {
        let network = small.network();
        let sampler = small.sampler(&network, Ladder::Standard);
        let mut entropy = Seeded::new(2026).stream(0).unwrap();
        for _ in 0..4 {
            let mut values = small.table.clone();
            sampler.draw(&mut entropy, &mut values).unwrap();
            drawn.push_str(&format!("{name} {values:?}\n"));
        }
    }
    insta::assert_snapshot!(drawn);
}

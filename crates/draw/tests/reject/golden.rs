//! Golden seeds of `reject`.

use super::relaxed::small;
use exact::{Seeded, Source};

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut tables = Vec::new();
    for (drawn, _) in small() {
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut values = vec![0; drawn.counts.len()];
        let sampler = drawn.sampler();
        for _ in 0..4 {
            sampler.draw(&drawn.counts, &mut entropy, &mut values).unwrap();
            tables.push(format!("{:?} {:?}: {values:?}", drawn.counts, drawn.law));
        }
    }
    insta::assert_snapshot!(tables.join("\n"));
}

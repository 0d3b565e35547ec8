//! Golden seeds of `klein`.

use super::margins::of_margins;
use exact::{Seeded, Source};

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut tables = Vec::new();
    for (sizes, variance) in [(vec![3, 3], "1"), (vec![2, 3, 2], "8"), (vec![3, 3], "4000")] {
        let (fibre, klein) = of_margins(&sizes, variance);
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut noise = vec![0; fibre.cells.len()];
        klein.draw(&mut entropy, &mut noise).unwrap();
        tables.push(format!("{sizes:?} σ² = {variance}: {noise:?}"));
    }
    insta::assert_snapshot!(tables.join("\n"));
}

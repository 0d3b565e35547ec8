//! Golden seeds of `thin`.

use super::thinned::thin;
use exact::{Seeded, Source};

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut tables = Vec::new();
    for (sizes, rate) in [(vec![3], "1"), (vec![3, 3], "1/4"), (vec![2, 2, 3], "1/20")] {
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut noise = vec![0; sizes.iter().product()];
        thin(&sizes, rate).draw(&mut entropy, &mut noise).unwrap();
        tables.push(format!("{sizes:?} at {rate}: {noise:?}"));
    }
    insta::assert_snapshot!(tables.join("\n"));
}

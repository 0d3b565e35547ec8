//! Golden seeds of `mixture`.

use super::mixed::mixture;
use exact::{Seeded, Source};

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut tables = Vec::new();
    for (rows, columns, rate) in [(1, 4, "1"), (3, 3, "1/4"), (2, 4, "1/1000")] {
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut noise = vec![0; rows * columns];
        mixture(rows, columns, rate).draw(&mut entropy, &mut noise).unwrap();
        tables.push(format!("{rows}×{columns} at {rate}: {noise:?}"));
    }
    insta::assert_snapshot!(tables.join("\n"));
}

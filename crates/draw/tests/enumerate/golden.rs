//! Golden seeds of `enumerate`.

use super::listed::{LIMITS, every_law, sums, three};
use draw::{Enumerate, TableNoise};
use exact::{Seeded, Source};

#[test]
fn seeds_give_the_tables_they_gave() {
    let golden: Vec<String> = every_law()
        .into_iter()
        .map(|(law, rates)| {
            let fibre = three(30, rates.is_empty());
            let (listed, centre) = (fibre.listed(&LIMITS).unwrap(), [12, 10, 8]);
            let sums = sums(&fibre, &centre);
            let noise = TableNoise { law: &law, rates: &rates, sums: &sums };
            let sampler = Enumerate::new(&fibre, &listed, noise, &centre);
            let mut entropy = Seeded::new(7).stream(0).unwrap();
            let draws: Vec<String> = (0..6).map(|_| format!("{:?}", sampler.draw(&mut entropy))).collect();
            format!("{}: {}", law.name(), draws.join(" "))
        })
        .collect();
    insta::assert_snapshot!(golden.join("\n"));
}

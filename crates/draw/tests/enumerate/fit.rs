//! Draws of a list against its law and its quantities.

use super::listed::{LIMITS, law_of, sum};
use crate::tables::numbers::rational;
use analyse::{Demand, Fibre};
use draw::operators::{PlannedList, TableList};
use draw::{BlockDraw, NoiseLaw, Prospect, TableSampler, quantities};
use exact::{Enclosure, Seeded};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::{goodness_of_fit, level};

#[test]
fn draws_fit_the_law_and_its_quantities_tell_it() {
    // A 2 × 3 table with both margins.
    let fibre = Fibre {
        cells: (0..6).collect(),
        bounds: vec![(Some(0), None); 6],
        rows: vec![
            sum(&[0, 1, 2], Demand::Equal(9)),
            sum(&[3, 4, 5], Demand::Equal(7)),
            sum(&[0, 3], Demand::Equal(5)),
            sum(&[1, 4], Demand::Equal(8)),
        ],
        noise_on_cells: true,
    };
    let listed = fibre.listed(&LIMITS).unwrap();
    let centre = [3, 4, 2, 2, 4, 1];
    let law = NoiseLaw::double_geometric(rational("1/2"));
    let cells: Vec<u32> = (0..6).collect();
    let list = Arc::new(TableList { fibre: fibre.clone(), listed: listed.clone() });
    let work = PlannedList { prospect: Prospect::exact("enumerate"), list };
    let block = BlockDraw { cells: &cells, work: &work };
    let told = quantities((&law).into(), &[block], &centre).unwrap();
    assert_eq!((told.cells.len(), told.not_available.len()), (6, 0));
    let claimed = law_of(&fibre, &listed, &law, &[], &centre);
    for (cell, law) in &told.cells {
        for (value, mass) in law.listed() {
            let exact: f64 =
                claimed.iter().filter(|(table, _)| table[*cell as usize] == value).map(|(_, p)| p.to_f64()).sum();
            assert!((mass - exact).abs() < 1e-12);
        }
    }
    let sampler = TableSampler::new((&law).into(), &[block], &centre).unwrap();
    let mut seen: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for seed in 0..4000 {
        let drawn = sampler.draw(&Seeded::new(seed), &|_| {}).unwrap();
        *seen.entry(drawn.values().to_vec()).or_default() += 1;
    }
    let observed: Vec<u64> = claimed.keys().map(|table| seen.get(table).copied().unwrap_or(0)).collect();
    let expected: Vec<f64> = claimed.values().map(Enclosure::to_f64).collect();
    assert_eq!(observed.iter().sum::<u64>(), 4000);
    assert!(goodness_of_fit(&observed, &expected, 4000).p_value > level(1));
    // A scale that is off is seen in the same draws.
    let other = NoiseLaw::double_geometric(rational("0.7"));
    let wrong: Vec<f64> = law_of(&fibre, &listed, &other, &[], &centre).values().map(Enclosure::to_f64).collect();
    assert!(goodness_of_fit(&observed, &wrong, 4000).p_value < 1e-4);
}

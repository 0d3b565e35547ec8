//! Exact quantities against enumeration: normalisers, laws of cells and of noisy sums.

use super::small::Small;
use analyse::{Demand, Ground, Network, NetworkRow};
use declare::{Conditions, Footprint, Grouping, QueryRows};
use draw::{
    BlockDraw, CellNoise, ClassLaw, Ladder, Law, NetworkQuantities, NetworkSampler, NoiseLaw, PlannedWork, Prospect,
    TableNoise, operators, quantities,
};
use exact::Rational;
use std::collections::BTreeMap;

#[test]
fn the_normaliser_is_the_weight_of_the_fibre() {
    let mut tested = 0;
    for seed in 0..1500 {
        let Some(small) = Small::random(seed) else { continue };
        let network = small.network();
        let sampler = small.sampler(&network, Ladder::Standard);
        let weight: f64 = small.enumerate(9).values().sum();
        let found = sampler.log_normaliser();
        assert!((found - weight.ln()).abs() < 2e-5, "declaration {seed}: {found} instead of {}", weight.ln());
        tested += 1;
    }
    assert!(tested > 500, "{tested} declarations");
}

type Fibre = BTreeMap<Vec<i64>, f64>;

/// The largest difference between a law and the enumerated law of a function of the table.
fn difference(law: &Law, fibre: &Fibre, of: impl Fn(&[i64]) -> i64) -> f64 {
    let total: f64 = fibre.values().sum();
    let mut truth: BTreeMap<i64, f64> = BTreeMap::new();
    fibre.iter().for_each(|(table, weight)| *truth.entry(of(table)).or_default() += weight / total);
    let known = truth.iter().map(|(value, mass)| (law.probability(*value) - mass).abs());
    let told = law.listed().map(|(value, mass)| (truth.get(&value).copied().unwrap_or(0.0) - mass).abs());
    known.chain(told).fold(0.0, f64::max)
}

#[test]
fn laws_of_cells_and_sums_are_those_of_the_fibre() {
    let (mut declarations, mut sums, mut rows, mut several) = (0, 0, 0, 0);
    for seed in 0..1600 {
        let Some(small) = Small::random(seed) else { continue };
        let fibre = small.enumerate(9);
        let network = small.network();
        // Every draw of the coarse ladder climbs; so do readings.
        let ladder = if seed % 5 == 0 { Ladder::Coarse } else { Ladder::Standard };
        let found: NetworkQuantities = small.sampler(&network, ladder).quantities().expect("a small network is told");
        assert_eq!((found.left_out, found.cells.len()), (0, small.table.len()), "declaration {seed}");
        for (cell, law) in &found.cells {
            let error = difference(law, &fibre, |table| table[*cell as usize]);
            assert!(error < 1e-5, "declaration {seed}, cell {cell}: {error}");
            let total: f64 = fibre.values().sum();
            let mean: f64 = fibre.iter().map(|(table, weight)| weight / total * table[*cell as usize] as f64).sum();
            assert!((law.mean() - mean).abs() < 1e-4, "declaration {seed}, cell {cell}");
        }
        let class_sum = |class: usize, table: &[i64]| -> i64 {
            network.classes[class].cells.iter().map(|cell| table[*cell as usize]).sum()
        };
        for (class, law) in found.sums.iter().enumerate() {
            let error = difference(law, &fibre, |table| class_sum(class, table));
            assert!(error < 1e-5, "declaration {seed}, class {class}: {error}");
            sums += 1;
        }
        let open = |row: &&NetworkRow| !matches!(row.demand, Demand::Equal(_));
        assert_eq!(found.rows.len(), network.rows.iter().filter(open).count(), "declaration {seed}");
        for (row, law) in &found.rows {
            let entries = &network.rows[*row as usize].entries;
            let value =
                |table: &[i64]| entries.iter().map(|(class, times)| times * class_sum(*class as usize, table)).sum();
            let error = difference(law, &fibre, value);
            assert!(error < 1e-5, "declaration {seed}, row {row}: {error}");
            rows += 1;
        }
        several += usize::from(network.joins.iter().any(|join| join.remembered > 1));
        declarations += 1;
    }
    assert!(declarations > 500 && sums > 1000 && rows > 300 && several > 15, "{declarations} {sums} {rows} {several}");
}

/// Blocks that are no networks: free cells, one total, cells at or above zero.
#[test]
fn blocks_without_a_network_are_told_too() {
    for law in [NoiseLaw::double_geometric(Rational::new(3, 2u8)), NoiseLaw::discrete_gaussian(Rational::new(2, 3u8))] {
        let table = [3i64, 0, 5];
        let energy = |table: &[i64; 3], here: &[i64]| -> f64 {
            table.iter().zip(here).map(|(x, y)| law.energy(y - x).to_f64()).sum()
        };
        let prospect = || Prospect::exact("plain");
        let plain = match law.geometric() {
            Some(_) => operators::ClosedForm::noise(prospect()),
            None => operators::Messages::noise(prospect()),
        };
        let works: [&dyn PlannedWork; 3] =
            [&operators::Independent::noise(prospect()), &plain, &operators::AtLeastZero { prospect: prospect() }];
        for (kept, work) in works.into_iter().enumerate() {
            let mut fibre = Fibre::new();
            let reach = -18..=18i64;
            for (one, two) in reach.clone().flat_map(|one| reach.clone().map(move |two| (one, two))) {
                for three in reach.clone() {
                    let here = vec![3 + one, two, 5 + three];
                    let fits = match kept {
                        0 => true,
                        1 => one + two + three == 0,
                        _ => here.iter().all(|value| *value >= 0),
                    };
                    if fits {
                        fibre.insert(here.clone(), (-energy(&table, &here)).exp());
                    }
                }
            }
            let block = BlockDraw { cells: &[0, 1, 2], work };
            let found = quantities(TableNoise::from(&law), &[block], &table).unwrap();
            let weight: f64 = fibre.values().sum();
            let log = found.log_normaliser.unwrap();
            assert!((log - weight.ln()).abs() < 1e-8, "{law:?} {kept}: {log} instead of {}", weight.ln());
            assert_eq!(found.cells.len(), 3);
            for (cell, law) in &found.cells {
                let error = difference(law, &fibre, |table| table[*cell as usize]);
                assert!(error < 1e-8, "{kept}, cell {cell}: {error}");
            }
        }
    }
}

/// Three cells without bounds whose noise adds up to zero: the variance is that of the pairs of
/// noises, and near 5/6 of λ² when the noise is wide.
#[test]
fn three_cells_with_a_total() {
    for (epsilon, near) in [("3/2", false), ("1/100", true)] {
        let epsilon: Rational = epsilon.parse().unwrap();
        let rate = epsilon.to_f64();
        let law = NoiseLaw::double_geometric(epsilon);
        let work = operators::ClosedForm::noise(Prospect::exact("closed-form"));
        let block = BlockDraw { cells: &[0, 1, 2], work: &work };
        let found = quantities(TableNoise::from(&law), &[block], &[7, 7, 7]).unwrap();
        let variance = found.cells[0].1.variance();
        let (mut whole, mut square) = (0.0, 0.0);
        let reach = if near { 0 } else { 30i64 };
        for (one, two) in (-reach..=reach).flat_map(|one| (-reach..=reach).map(move |two| (one, two))) {
            let weight = (-rate * (one.abs() + two.abs() + (one + two).abs()) as f64).exp();
            whole += weight;
            square += weight * (one * one) as f64;
        }
        let truth = if near { 5.0 / 6.0 / (rate * rate) } else { square / whole };
        let digits = if near { 1e-4 } else { 1e-12 };
        assert!((variance / truth - 1.0).abs() < digits, "{variance} instead of {truth}");
    }
}

/// Forty counts at or above zero.
fn forty() -> Vec<i64> {
    (0..40).map(|cell| [0, 0, 1, 3, 17, 2, 250][cell % 7]).collect()
}

fn one_group(cells: usize) -> Grouping {
    Grouping { label: "all".into(), names: vec!["all".into()], group_of: vec![0; cells], times: None }
}

/// The law of a cell of the class, mixed over the law of the sum.
fn mixed(class: &ClassLaw, sums: &Law, cell: usize) -> BTreeMap<i64, f64> {
    let mut mixed = BTreeMap::new();
    for (sum, mass) in sums.listed().filter(|(_, mass)| *mass > 1e-14) {
        class.marginal(sum, cell).into_iter().for_each(|(value, p)| *mixed.entry(value).or_default() += mass * p);
    }
    mixed
}

/// A larger class whose sum is given, near or far from the table, or is noisy: each cell against
/// its marginal given the sum.
#[test]
fn cells_of_a_larger_class() {
    let table = forty();
    let rate = Rational::new(3, 2u8);
    let singles: Vec<u32> = (0..40).collect();
    let names = (0..40).map(|cell| format!("c{cell}")).collect();
    let single = Grouping { label: "cells".into(), names, group_of: singles.clone(), times: None };
    let own: i64 = table.iter().sum();
    for given in [Some(own), Some(own + 90), Some(700), Some(3), None] {
        let rows = |grouping| QueryRows { grouping, strength: Rational::integer(1) };
        let conditions = Conditions {
            cells: 40,
            invariants: given.iter().map(|_| one_group(40)).collect(),
            pinned: given.iter().map(|_| None).collect(),
            rules: Vec::new(),
            queries: if given.is_some() { Vec::new() } else { vec![rows(single.clone()), rows(one_group(40))] },
            nonnegative: true,
            footprint: Footprint::OneCell,
        };
        let particular: Vec<(usize, Rational)> = given.iter().map(|sum| (0, Rational::integer(*sum))).collect();
        let network = Network::new(&conditions, &Ground::new(&conditions, &particular, &[]), &singles).unwrap();
        let law = NoiseLaw::double_geometric(rate.clone());
        let (rates, sums) = ([rate.clone(), Rational::new(1, 2u8)], [table.clone(), vec![own]]);
        let noise = TableNoise { law: &law, rates: &rates, sums: &sums };
        let found = NetworkSampler::new(&network, noise, &table, Ladder::Standard).unwrap().quantities().unwrap();
        let cell_noise = CellNoise::Geometric { up: rate.clone(), down: rate.clone() };
        let class = ClassLaw::new(cell_noise, Some(0), None, table.clone(), Ladder::Standard);
        for cell in [0, 2, 4, 6, 38] {
            let (number, law) = &found.cells[cell];
            assert_eq!(*number as usize, cell);
            for (value, mass) in mixed(&class, &found.sums[0], cell) {
                let told = law.probability(value);
                assert!((told - mass).abs() < 1e-10, "{given:?}, cell {cell} = {value}: {told} instead of {mass}");
            }
        }
        let means: f64 = found.cells.iter().map(|(_, law)| law.mean()).sum();
        assert!((means - found.sums[0].mean()).abs() < 1e-8, "{given:?}: {means}");
    }
}

//! The published acceptance curve of Gong and Meng.

use crate::tables::blocks::{ratio, walk};
use analyse::{Fibre, Ground, Network};
use declare::{Conditions, Footprint, Grouping, NO_GROUP};
use draw::{Ladder, NetworkSampler, NoiseLaw, TableNoise};
use exact::{Rational, Seeded, Source};
use walk::Steps;

/// Gong and Meng's table with its three totals and no count below zero.
fn gong_meng() -> (Conditions, Vec<i64>) {
    let data = include_str!("../../../../data/gong_meng_table1.csv");
    let counts: Vec<i64> = data.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(counts.len(), 46);
    let total = |label: &str, sums: fn(u32) -> bool| Grouping {
        label: label.into(),
        names: vec![label.into()],
        group_of: (0..46).map(|cell| if sums(cell) { 0 } else { NO_GROUP }).collect(),
        times: None,
    };
    let invariants =
        vec![total("all", |_| true), total("female", |cell| cell < 23), total("18 and over", |cell| cell % 23 >= 4)];
    let conditions = Conditions {
        cells: 46,
        invariants,
        pinned: vec![None; 3],
        rules: Vec::new(),
        queries: Vec::new(),
        nonnegative: true,
        footprint: Footprint::OneCell,
    };
    (conditions, counts)
}

/// Gong and Meng's Figure 2: most proposals are accepted near ε̃ = 0.6, about 1.6 % of them. Chains
/// start from exact draws, so that the walk has nothing to forget.
#[test]
fn the_acceptance_curve_of_gong_and_meng() {
    let (conditions, counts) = gong_meng();
    let particular: Vec<(usize, Rational)> =
        counts.iter().enumerate().map(|(cell, count)| (cell, Rational::integer(*count))).collect();
    let ground = Ground::new(&conditions, &particular, &[]);
    let cells: Vec<u32> = (0..46).collect();
    let fibre = Fibre::new(&conditions, &ground, &cells).unwrap();
    let network = Network::new(&conditions, &ground, &cells).unwrap();
    let law = NoiseLaw::double_geometric(ratio(1, 2));
    let exact = NetworkSampler::new(&network, TableNoise::from(&law), &counts, Ladder::Standard).unwrap();
    let mut entropy = Seeded::draw(2020, 100).stream(0).unwrap();
    let draw = |_| {
        let mut table = counts.clone();
        exact.draw(&mut entropy, &mut table).unwrap();
        table
    };
    let starts: Vec<Vec<i64>> = (0..STARTS).map(draw).collect();
    // {2, …, 22, 24, …, 45}, counted from one: the youngest and oldest women and the oldest men are
    // solved for.
    let index_set: Vec<u32> = (0..46).filter(|cell| ![0, 22, 45].contains(cell)).collect();
    let walk = walk(Steps::Independence, &fibre, &[]).unwrap().with_index_set(&index_set).unwrap();
    let rates = ["0.45", "0.55", "0.6", "0.65", "0.75", "0.9"].map(|rate| rate.parse().unwrap());
    let curve = walk.acceptance_curve(&counts, &starts, &rates, 20, 2020).unwrap();
    let (best, most) = curve.iter().max_by(|one, two| one.1.total_cmp(&two.1)).unwrap();
    assert!((0.55..=0.75).contains(&best.to_f64()), "{curve:?}");
    assert!((0.014..=0.018).contains(most), "{curve:?}");
    assert!(curve[0].1 < 0.012 && curve[5].1 < 0.012, "{curve:?}");
}

/// Exact draws that chains start from.
const STARTS: usize = 5000;

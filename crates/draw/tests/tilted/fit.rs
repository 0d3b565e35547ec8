//! Noisy sums over many zeros: weights are tilted, and the law stays what it is.

use crate::tables::numbers::rational;
use analyse::{Ground, Network};
use declare::{Conditions, Grouping, QueryRows};
use draw::{Ladder, NetworkSampler, NoiseLaw, TableNoise};
use exact::{Rational, Seeded, Source};
use testkit::goodness_of_fit;

/// Counts at or above zero with noise on every cell and on sums of so many cells each.
fn tree(cells: usize, sizes: &[usize], rates: &[&str]) -> Conditions {
    let level = |size: usize| Grouping {
        label: format!("by {size}"),
        names: (0..cells / size).map(|group| group.to_string()).collect(),
        group_of: (0..cells).map(|cell| (cell / size) as u32).collect(),
        times: None,
    };
    let query = |(size, rate): (&usize, &&str)| QueryRows { grouping: level(*size), strength: rational(rate) };
    let queries = sizes.iter().zip(rates).map(query).collect();
    Conditions { queries, nonnegative: true, ..Conditions::of_totals(cells, Vec::new()) }
}

/// A tree around a table whose noisy sums may be another table's.
fn with_sampler<R>(
    conditions: &Conditions,
    table: &[i64],
    sums: &[Vec<i64>],
    use_it: impl FnOnce(&NetworkSampler<'_>) -> R,
) -> R {
    let cells: Vec<u32> = (0..table.len() as u32).collect();
    let network = Network::new(conditions, &Ground::new(conditions, &[], &[]), &cells).unwrap();
    let rates: Vec<Rational> = conditions.queries.iter().map(|query| query.strength.clone()).collect();
    let law = NoiseLaw::double_geometric(rates[0].clone());
    let noise = TableNoise { law: &law, rates: &rates, sums };
    use_it(&NetworkSampler::new(&network, noise, table, Ladder::Standard).unwrap())
}

fn sums_of(conditions: &Conditions, table: &[i64]) -> Vec<Vec<i64>> {
    let sums = |query: &QueryRows| query.grouping.totals(table).iter().map(|sum| *sum as i64).collect();
    conditions.queries.iter().map(sums).collect()
}

/// ln of the number of ways to share s among n cells.
fn log_ways(n: u64, s: u64) -> f64 {
    (1..=s).map(|k| ((n - 1 + k) as f64 / k as f64).ln()).sum()
}

/// Sixty zeros whose noise alone would add up to 570, under a node that holds them near its centre:
/// the sum has weight C(s + 59, s)·e^{−s/10 − 2|s − c|}, by hand.
#[test]
fn the_sum_of_zeros_under_a_noisy_node_has_its_law() {
    let conditions = tree(60, &[1, 60], &["1/10", "2"]);
    let table = vec![0; 60];
    let sums = sums_of(&conditions, &table);
    let weights: Vec<f64> = (0..400u64).map(|s| (log_ways(60, s) - 2.1 * s as f64).exp()).collect();
    let whole: f64 = weights.iter().sum();
    let observed = with_sampler(&conditions, &table, &sums, |sampler| {
        assert!((sampler.log_normaliser() - whole.ln()).abs() < 1e-9, "{} {}", sampler.log_normaliser(), whole.ln());
        let mut entropy = Seeded::new(71).stream(0).unwrap();
        let mut observed = vec![0u64; weights.len()];
        for _ in 0..20_000 {
            let drawn = sampler.draw_cells(&mut entropy).unwrap();
            assert!(drawn.iter().all(|(_, value)| *value >= 0));
            observed[drawn.iter().map(|(_, value)| *value as usize).sum::<usize>()] += 1;
        }
        observed
    });
    let law = |rate: f64| {
        let weights: Vec<f64> = (0..400u64).map(|s| (log_ways(60, s) - rate * s as f64).exp()).collect();
        let whole: f64 = weights.iter().sum();
        goodness_of_fit(
            &observed,
            &weights.iter().map(|weight| weight / whole * (1.0 - 1e-12)).collect::<Vec<_>>(),
            20_000,
        )
        .p_value
    };
    assert!(law(2.1) > testkit::level(1), "{}", law(2.1));
    // A tilt that was not undone, or half of it.
    assert!(law(4.1) < 1e-6 && law(2.2) < 1e-6);
}

/// A node whose own count is far above what its zeros can hold, and one far below: tilts at both
/// ends.
#[test]
fn nodes_away_from_their_cells_have_their_law() {
    for (count, cells, rates) in [(7i64, 100usize, ["1/20", "1"]), (0, 100, ["1/20", "1/50"])] {
        let conditions = tree(cells, &[1, cells], &rates);
        let mut table = vec![0; cells];
        table[0] = count;
        let sums = sums_of(&conditions, &table);
        let [leaf, node] = rates.map(|rate| rational(rate).to_f64());
        // One cell around its count, the others zeros: by convolution of machine numbers.
        let first: Vec<f64> = (0..12_000).map(|y: i64| (-leaf * (y - count).abs() as f64).exp()).collect();
        let mut whole = 0.0f64;
        let n = cells as u64 - 1;
        let others: Vec<f64> = {
            let mut logs = vec![0.0f64; 12_000];
            for s in 1..logs.len() {
                logs[s] = logs[s - 1] + ((n - 1 + s as u64) as f64 / s as f64).ln();
            }
            logs.iter().enumerate().map(|(s, log)| log - leaf * s as f64).collect()
        };
        let largest = others.iter().fold(f64::MIN, |one, two| one.max(*two));
        for (y, weight) in first.iter().enumerate().take(2000) {
            for (s, log) in others.iter().enumerate() {
                whole += weight * (log - largest - node * ((y + s) as f64 - count as f64).abs()).exp();
            }
        }
        let expected = whole.ln() + largest;
        let found = with_sampler(&conditions, &table, &sums, |sampler| sampler.log_normaliser());
        assert!((found - expected).abs() < 1e-6, "{count}: {found} {expected}");
    }
}

/// A thousand zeros under one node took 28 s, twenty times fifty under three levels 176 s: weights
/// beyond machine numbers. Tilted, both are drawn by machine numbers, many times a second.
#[test]
fn a_thousand_zeros_are_drawn_by_machine_numbers() {
    for (sizes, rates) in [(&[1, 1000][..], &["1/2", "1/2"][..]), (&[1, 50, 1000], &["1/4", "1/4", "1/4"])] {
        let conditions = tree(1000, sizes, rates);
        let table = vec![0; 1000];
        let sums = sums_of(&conditions, &table);
        with_sampler(&conditions, &table, &sums, |sampler| {
            let mut entropy = Seeded::new(73).stream(0).unwrap();
            for _ in 0..30 {
                assert!(sampler.draw_cells(&mut entropy).unwrap().iter().all(|(_, value)| *value >= 0));
            }
        });
    }
}

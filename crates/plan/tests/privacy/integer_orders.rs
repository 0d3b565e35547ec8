//! Theorem G13: discrete Gaussian noise given bounds and rules, enumerated, at whole orders and
//! between them.

use crate::enumerated::{fibre, grouping};
use analyse::{NoPotentials, potentials};
use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};
use plan::analysis_of;
use testkit::Random;

/// A small set of conditions is tried so often; `CONGENIAL_TREES` says another number of trees.
const TREES: usize = 400;

/// `ln Σ e^l`.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    most + logs.map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// The logarithms of the law of the release from a table, on a fibre.
fn law(fibre: &[Vec<i64>], centre: &[i64], variance: f64) -> Vec<f64> {
    let energy = |y: &Vec<i64>| -> f64 { y.iter().zip(centre).map(|(y, x)| ((y - x) as f64).powi(2)).sum() };
    let logs: Vec<f64> = fibre.iter().map(|y| -energy(y) / (2.0 * variance)).collect();
    let whole = log_sum(logs.iter().copied());
    logs.into_iter().map(|log| log - whole).collect()
}

/// The Rényi divergence of an order.
fn divergence(p: &[f64], q: &[f64], order: f64) -> f64 {
    log_sum(p.iter().zip(q).map(|(p, q)| order * p + (1.0 - order) * q)) / (order - 1.0)
}

fn rho(one: &[i64], two: &[i64], variance: f64) -> f64 {
    let squared: i64 = one.iter().zip(two).map(|(a, b)| (a - b).pow(2)).sum();
    squared as f64 / (2.0 * variance)
}

fn at_most(grouping: Grouping, bound: i64) -> RuleRows {
    RuleRows { grouping, relation: Relation::AtMost, bound }
}

/// Cells from 0 to `most`, and nothing else.
fn boxed(cells: usize, most: i64) -> Conditions {
    let rules = vec![at_most(grouping(cells, (0..cells as u32).collect()), most)];
    Conditions { nonnegative: true, rules, ..Conditions::of_totals(cells, Vec::new()) }
}

/// A random sum of some cells, with signs now and then.
fn some_cells(random: &mut Random, cells: usize) -> Grouping {
    let group_of = (0..cells).map(|_| if random.below(3) == 0 { NO_GROUP } else { 0 }).collect();
    let signs = (random.below(2) == 0).then(|| (0..cells).map(|_| if random.below(3) == 0 { -1 } else { 1 }).collect());
    Grouping { times: signs, ..grouping(1, group_of) }
}

/// Whether theorem G13 covers every block of a table's fibre; `None` when there is nothing to
/// release.
fn covered(conditions: &Conditions, table: &[i64]) -> Option<Result<(), NoPotentials>> {
    let totals = conditions.totals(table).ok()?;
    let analysis = analysis_of(conditions, &totals).ok()?;
    Some(analysis.blocks.iter().try_for_each(|block| potentials(conditions, block)))
}

/// Random totals and rules over boxes: wherever the program finds potentials, no whole order
/// exceeds αρ, whatever the pair, and no order exceeds what convexity leaves; orders below 2 do
/// exceed αρ. Elsewhere it refuses.
#[test]
#[allow(clippy::print_stdout)]
fn no_whole_order_exceeds_what_is_certified() {
    let wanted = std::env::var("CONGENIAL_TREES").ok().and_then(|text| text.parse().ok()).unwrap_or(TREES);
    let mut random = Random(20_261_116);
    let (mut trees, mut refused, mut pairs, mut beyond, mut largest) = (0usize, 0usize, 0u64, 0u64, 0.0f64);
    while trees < wanted {
        let cells = 2 + random.below(3) as usize;
        let most = 1 + random.below(if cells == 4 { 2 } else { 4 }) as i64;
        let mut conditions = boxed(cells, most);
        for _ in 0..random.below(3) {
            conditions.invariants.push(some_cells(&mut random, cells));
            conditions.pinned.push(None);
        }
        for _ in 0..random.below(4) {
            let bound = random.below(5) as i64 - 1;
            let relation = if random.below(2) == 0 { Relation::AtMost } else { Relation::AtLeast };
            conditions.rules.push(RuleRows { grouping: some_cells(&mut random, cells), relation, bound });
        }
        let table: Vec<i64> = (0..cells).map(|_| random.below(most as u64 + 1) as i64).collect();
        if conditions.check_table(&table).is_err() {
            continue;
        }
        match covered(&conditions, &table) {
            None => continue,
            Some(Err(_)) => {
                refused += 1;
                continue;
            }
            Some(Ok(())) => {}
        }
        let fibre = fibre(&conditions, &table, most);
        if fibre.len() < 2 {
            continue;
        }
        trees += 1;
        let variance = [0.1, 0.3, 0.6, 1.0, 2.5, 8.0][random.below(6) as usize];
        let p = law(&fibre, &table, variance);
        for _ in 0..4 {
            let other = &fibre[random.below(fibre.len() as u64) as usize];
            if *other == table {
                continue;
            }
            pairs += 1;
            let (q, rho) = (law(&fibre, other, variance), rho(&table, other, variance));
            for order in 2..=10u32 {
                let part = divergence(&p, &q, f64::from(order)) / (f64::from(order) * rho);
                assert!(part <= 1.0 + 1e-9, "{table:?} {other:?} σ² = {variance}, order {order}: {part}");
                largest = largest.max(part);
            }
            for order in [1.02, 1.1, 1.5, 1.9, 2.5, 3.3] {
                let (found, f) = (divergence(&p, &q, order), order.fract());
                let most = rho * (order + f * (1.0 - f) / (order - 1.0));
                assert!(found <= most * (1.0 + 1e-9), "{table:?} {other:?} σ² = {variance}, order {order}: {found}");
                beyond += u64::from(found > order * rho * (1.0 + 1e-6));
            }
        }
    }
    println!(
        "{trees} trees, {pairs} pairs, {refused} refused; largest part {largest:.12}; {beyond} real orders beyond αρ"
    );
    assert!(largest > 0.99 && refused > 10, "{largest} {refused}");
    // Rare, but they exist: otherwise the name of the loss would be too modest.
    assert!(wanted < 10_000 || beyond > 0);
}

/// Deaths at most cases in two places, all cases exact: below order 2 more than αρ is lost, at
/// whole orders never.
#[test]
fn real_orders_below_two_exceed_rho() {
    let mut conditions = boxed(4, 4);
    conditions.invariants = vec![grouping(1, vec![0, NO_GROUP, 0, NO_GROUP])];
    conditions.pinned = vec![None];
    let rule = Grouping { times: Some(vec![-1, 1, -1, 1]), ..grouping(2, vec![0, 0, 1, 1]) };
    conditions.rules.push(at_most(rule, 0));
    let (one, two) = (vec![1, 1, 3, 0], vec![2, 2, 2, 0]);
    assert_eq!(covered(&conditions, &one), Some(Ok(())));
    let fibre = fibre(&conditions, &one, 4);
    let (p, q, rho) = (law(&fibre, &one, 0.3), law(&fibre, &two, 0.3), rho(&one, &two, 0.3));
    let part = |order: f64| divergence(&p, &q, order) / (order * rho);
    assert!(part(1.01) > 1.05 && part(1.05) > 1.02, "{} {}", part(1.01), part(1.05));
    assert!((2..=40).all(|order| part(f64::from(order)) <= 1.0 + 1e-12));
}

/// With coefficients beyond ±1 order 2 is exceeded too, by 8.9 % here: such rules are refused.
#[test]
fn coefficients_exceed_rho_at_order_two_and_are_refused() {
    let mut conditions = boxed(2, 3);
    for times in [vec![-3, 2], vec![2, -3]] {
        conditions.rules.push(at_most(Grouping { times: Some(times), ..grouping(1, vec![0, 0]) }, 0));
    }
    let (one, two) = (vec![1, 1], vec![0, 0]);
    let fibre = fibre(&conditions, &one, 3);
    let found = divergence(&law(&fibre, &one, 0.6), &law(&fibre, &two, 0.6), 2.0) / (2.0 * rho(&one, &two, 0.6));
    assert!((found - 1.0891).abs() < 1e-4, "{found}");
    assert_eq!(covered(&conditions, &one), Some(Err(NoPotentials::Coefficients)));
}

/// The four-function theorem on random functions of two variables, with the least functions that
/// satisfy its assumption in one way.
#[test]
fn four_functions() {
    let mut random = Random(5);
    let side = 4i64;
    let points: Vec<(i64, i64)> = (0..side * side).map(|at| (at / side, at % side)).collect();
    let mut nearest = f64::INFINITY;
    for _ in 0..300 {
        let mut function = || -> Vec<f64> {
            points
                .iter()
                .map(|_| if random.below(3) == 0 { (-(random.below(40) as f64) / 8.0).exp() } else { 0.0 })
                .collect()
        };
        let (f, g) = (function(), function());
        let (mut h, mut k) = (vec![0.0f64; points.len()], vec![0.0f64; points.len()]);
        for (s, f) in points.iter().zip(&f) {
            for (t, g) in points.iter().zip(&g) {
                let (a, b) = (s.0 + t.0, s.1 + t.1);
                let (low, high) = ((a / 2) * side + b / 2, ((a + 1) / 2) * side + (b + 1) / 2);
                h[low as usize] = h[low as usize].max((f * g).sqrt());
                k[high as usize] = k[high as usize].max((f * g).sqrt());
            }
        }
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let (left, right) = (sum(&f) * sum(&g), sum(&h) * sum(&k));
        assert!(left <= right * (1.0 + 1e-12), "{left} > {right}");
        if left > 0.0 {
            nearest = nearest.min(right / left);
        }
    }
    assert!(nearest < 2.0, "{nearest}: nothing near equality was tried");
}

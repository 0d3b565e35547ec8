//! Small fibres, table by table: the law of the release from every table, and the loss of every
//! pair.

use analyse::Moves;
use declare::{Conditions, Grouping, Mechanism, Method, NO_GROUP, Noise, Per, QueryRows, Relation, Strength};
use exact::Rational;
use loss::Loss;
use plan::analysis_of;
use plan::{Priced, ReleaseMethod};

pub fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

pub fn grouping(groups: usize, group_of: Vec<u32>) -> Grouping {
    let names = (0..groups).map(|group| format!("g = {group}")).collect();
    Grouping { label: "by g".into(), names, group_of, times: None }
}

pub fn mechanism(epsilon: &str, per: Per) -> Mechanism {
    Mechanism {
        noise: Noise::DOUBLE_GEOMETRIC,
        method: Method::Condition,
        strength: Strength::Epsilon(rational(epsilon)),
        per,
        queries: Vec::new(),
        order: None,
        base: None,
        sampler: None,
        max_delta: None,
    }
}

/// The price of noise that is conditioned on the totals.
pub fn price(moves: &Moves, mechanism: &Mechanism, base_measure: bool) -> Result<Priced, declare::Problem> {
    plan::price(ReleaseMethod::of(mechanism.method), moves, mechanism, base_measure)
}

/// The table itself must satisfy the conditions; its totals are the public ones.
pub fn moves(conditions: &Conditions, table: &[i64]) -> Result<Moves, declare::Problem> {
    let narrow = |grouping: &Grouping| grouping.totals(table).into_iter().map(|total| total as i64).collect();
    let own = conditions.invariants.iter().zip(&conditions.pinned);
    let totals: Vec<Vec<i64>> = own.map(|(g, pinned)| pinned.clone().unwrap_or_else(|| narrow(g))).collect();
    Ok(analysis_of(conditions, &totals)?.moves)
}

/// All tables with entries `0..=most` that satisfy the conditions with the totals of `table`.
pub fn fibre(conditions: &Conditions, table: &[i64], most: i64) -> Vec<Vec<i64>> {
    let cells = conditions.cells;
    let side = most + 1;
    (0..side.pow(cells as u32))
        .map(|number| (0..cells as u32).map(|cell| number / side.pow(cell) % side).collect::<Vec<i64>>())
        .filter(|y| satisfies(conditions, table, y))
        .collect()
}

fn satisfies(conditions: &Conditions, table: &[i64], y: &[i64]) -> bool {
    let pinned = |values: &Vec<i64>| values.iter().map(|value| i128::from(*value)).collect::<Vec<_>>();
    let kept = conditions.invariants.iter().zip(&conditions.pinned).all(|(grouping, values)| {
        let wanted = values.as_ref().map_or_else(|| grouping.totals(table), pinned);
        grouping.totals(y) == wanted
    });
    kept && conditions.rules.iter().all(|rule| {
        rule.grouping.totals(y).into_iter().all(|sum| match rule.relation {
            Relation::AtMost => sum <= i128::from(rule.bound),
            Relation::AtLeast => sum >= i128::from(rule.bound),
            Relation::Equal => sum == i128::from(rule.bound),
        })
    })
}

/// The rate of every noisy margin, as planned; without queries the margin of single cells.
pub fn noise(conditions: &Conditions, priced: &Priced) -> Vec<(Grouping, f64)> {
    match priced.query_rates.is_empty() {
        true => {
            let (cells, epsilon) = (conditions.cells, priced.law.geometric().unwrap());
            vec![(grouping(cells, (0..cells as u32).collect()), epsilon.to_f64())]
        }
        false => {
            let rates = priced.query_rates.iter().map(Rational::to_f64);
            conditions.queries.iter().map(|query| query.grouping.clone()).zip(rates).collect()
        }
    }
}

/// The laws of the release from every one of `centres`, on the fibre; `base` weighs its tables.
pub struct Laws {
    pub centres: Vec<Vec<i64>>,
    logs: Vec<Vec<f64>>,
}

impl Laws {
    pub fn new(
        centres: Vec<Vec<i64>>,
        fibre: &[Vec<i64>],
        noise: &[(Grouping, f64)],
        base: impl Fn(&[i64]) -> f64,
    ) -> Laws {
        let sums = |table: &[i64]| noise.iter().map(|(grouping, _)| grouping.totals(table)).collect::<Vec<_>>();
        let released: Vec<(Vec<Vec<i128>>, f64)> = fibre.iter().map(|y| (sums(y), base(y).ln())).collect();
        let law = |x: &Vec<i64>| {
            let centre = sums(x);
            let weight = |(y, base): &(Vec<Vec<i128>>, f64)| {
                let energy = y.iter().zip(&centre).zip(noise).map(|((y, x), (_, rate))| {
                    rate * y.iter().zip(x).map(|(y, x)| (y - x).unsigned_abs() as f64).sum::<f64>()
                });
                base - energy.sum::<f64>()
            };
            let logs: Vec<f64> = released.iter().map(weight).collect();
            let total: f64 = logs.iter().map(|log| log.exp()).sum();
            logs.into_iter().map(|log| log - total.ln()).collect()
        };
        let logs = centres.iter().map(law).collect();
        Laws { centres, logs }
    }

    pub fn loss(&self, one: usize, other: usize) -> f64 {
        let pairs = self.logs[one].iter().zip(&self.logs[other]);
        pairs.map(|(p, q)| (p - q).abs()).filter(|ratio| ratio.is_finite()).fold(0.0, f64::max)
    }

    pub fn distance(&self, one: usize, other: usize) -> u64 {
        self.centres[one].iter().zip(&self.centres[other]).map(|(a, b)| a.abs_diff(*b)).sum()
    }
}

/// The largest part of the certified loss that a pair of tables reaches; panics above it.
pub fn largest_part(laws: &Laws, loss: &Loss, context: &str) -> f64 {
    let units = if loss.unit == loss::Unit::Record { loss.footprint as f64 } else { 1.0 };
    let per_unit = loss.epsilon().unwrap().to_f64() / units;
    let nearest = loss.nearest.amount.epsilon().unwrap().to_f64();
    let mut largest: f64 = 0.0;
    for one in 0..laws.centres.len() {
        for other in 0..one {
            let (found, distance) = (laws.loss(one, other), laws.distance(one, other));
            let certified = per_unit * distance as f64;
            let pair = || format!("{context}: {:?}, {:?}", laws.centres[one], laws.centres[other]);
            assert!(found <= certified + 1e-9, "{} lose {found}, certified {certified}", pair());
            assert!(distance >= loss.nearest.at_least, "{} are nearer than {}", pair(), loss.nearest.at_least);
            if distance == loss.nearest.distance {
                assert!(found <= nearest + 1e-9, "{} lose {found}, the nearest pair {nearest}", pair());
            }
            largest = largest.max(found / certified);
        }
    }
    largest
}

fn check(name: &str, conditions: &Conditions, table: &[i64], most: i64, mechanism: &Mechanism) -> String {
    let priced = price(&moves(conditions, table).unwrap(), mechanism, false).unwrap();
    let fibre = fibre(conditions, table, most);
    let laws = Laws::new(fibre.clone(), &fibre, &noise(conditions, &priced), |_| 1.0);
    let part = largest_part(&laws, &priced.loss, name);
    let (loss, nearest) = (&priced.loss, &priced.loss.nearest);
    format!(
        "{name}: {} tables, ε = {:.6} per {}, γ = {}, nearest {} with ε = {:.6}, at most {part:.4} of it",
        fibre.len(),
        loss.epsilon().unwrap().to_f64(),
        loss.unit.name(),
        loss.gamma.to_f64(),
        nearest.distance,
        nearest.amount.epsilon().unwrap().to_f64(),
    )
}

pub fn nonnegative(cells: usize, invariants: Vec<Grouping>) -> Conditions {
    Conditions { nonnegative: true, ..Conditions::of_totals(cells, invariants) }
}

pub fn margins(rows: u32, columns: u32) -> Vec<Grouping> {
    let cells = rows * columns;
    vec![
        grouping(rows as usize, (0..cells).map(|cell| cell / columns).collect()),
        grouping(columns as usize, (0..cells).map(|cell| cell % columns).collect()),
    ]
}

#[test]
fn the_loss_of_every_pair_is_at_most_the_certified_one() {
    let (unit, record) = (mechanism("1/2", Per::Unit), mechanism("1", Per::Record));
    let total = |cells: usize| vec![grouping(1, vec![0; cells])];
    // Total, female and voting age on two cells in each of the four classes.
    let classes = vec![
        grouping(1, vec![0; 6]),
        grouping(1, vec![0, 0, 0, NO_GROUP, NO_GROUP, NO_GROUP]),
        grouping(1, vec![0, 0, NO_GROUP, 0, NO_GROUP, NO_GROUP]),
    ];
    let bits = |cell: u32, one: u32, two: u32| (cell >> one & 1) * 2 + (cell >> two & 1);
    let faces = [(0, 1), (0, 2), (1, 2)];
    let faces = faces.iter().map(|(one, two)| grouping(4, (0..8).map(|cell| bits(cell, *one, *two)).collect()));
    // A hierarchy of two parts with two cells each, noise on root, parts and cells.
    let query = |groups: usize, group_of: Vec<u32>, strength: &str| QueryRows {
        grouping: grouping(groups, group_of),
        strength: rational(strength),
    };
    let parts = || query(2, vec![0, 0, 1, 1], "1/3");
    let mut leaves = nonnegative(4, total(4));
    leaves.queries = vec![query(1, vec![0; 4], "1/2"), parts(), query(4, vec![0, 1, 2, 3], "1/4")];
    let mut coarse = leaves.clone();
    coarse.queries.truncate(2);
    let mut open = leaves.clone();
    open.invariants.clear();
    open.pinned.clear();
    let found = [
        check("one total", &nonnegative(3, total(3)), &[2, 3, 1], 6, &unit),
        check("one total, per record", &nonnegative(3, total(3)), &[2, 3, 1], 6, &record),
        check("free cells", &nonnegative(2, vec![]), &[0, 0], 14, &unit),
        check(
            "one total and a free cell",
            &nonnegative(3, vec![grouping(1, vec![0, 0, NO_GROUP])]),
            &[2, 3, 0],
            9,
            &record,
        ),
        check("2 × 2 margins", &nonnegative(4, margins(2, 2)), &[4, 3, 2, 5], 9, &unit),
        check("3 × 3 margins", &nonnegative(9, margins(3, 3)), &[1, 1, 1, 1, 1, 1, 1, 1, 1], 3, &record),
        check("four classes", &nonnegative(6, classes), &[1, 2, 1, 2, 1, 0], 5, &unit),
        check("2 × 2 × 2, all two-way margins", &nonnegative(8, faces.collect()), &[2; 8], 4, &unit),
        check("hierarchy with noise on every node", &leaves, &[1, 2, 0, 2], 5, &unit),
        check("hierarchy, per record", &leaves, &[1, 2, 0, 2], 5, &record),
        check("hierarchy without noise on the cells", &coarse, &[1, 2, 0, 2], 5, &unit),
        check("hierarchy without a total", &open, &[1, 2, 0, 2], 3, &unit),
    ];
    insta::assert_snapshot!(found.join("\n"));
}

/// Two layers with all two-way margins: steps of one cycle in both layers, and a γ below the plain
/// factor.
#[test]
fn two_layers_with_all_two_way_margins() {
    let codes = |cell: u32| [cell / 6, cell / 3 % 2, cell % 3];
    let sizes = [2, 2, 3];
    let margin = |one: usize, other: usize| {
        let group_of = (0..12).map(|cell| codes(cell)[one] * sizes[other] + codes(cell)[other]).collect();
        grouping((sizes[one] * sizes[other]) as usize, group_of)
    };
    let conditions = nonnegative(12, vec![margin(0, 1), margin(1, 2), margin(0, 2)]);
    // Every cell is 3; a swap of columns in one layer is undone in the other.
    let table = [3; 12];
    let swapped = |(a, b): (i64, i64)| {
        let step = [a, b, -a - b, -a, -b, a + b];
        step.into_iter().chain(step.map(|entry| -entry)).map(|entry| 3 + entry).collect::<Vec<i64>>()
    };
    let all = (-3..=3).flat_map(|a| (-3..=3).map(move |b| (a, b))).map(swapped);
    let tables: Vec<Vec<i64>> = all.filter(|table| table.iter().all(|count| *count >= 0)).collect();
    assert!(tables.len() == 37 && tables.iter().all(|other| satisfies(&conditions, &table, other)));
    for epsilon in ["1/4", "1", "3"] {
        let priced = price(&moves(&conditions, &table).unwrap(), &mechanism(epsilon, Per::Unit), false).unwrap();
        let loss = &priced.loss;
        let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &priced), |_| 1.0);
        let part = largest_part(&laws, loss, "two layers");
        assert!(loss.gamma < rational("4/5") && loss.nearest.distance == 8, "γ = {}", loss.gamma);
        assert!(part > 0.5, "{part}");
    }
}

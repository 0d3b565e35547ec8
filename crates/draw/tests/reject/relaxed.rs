//! Small tables with bounds and rules, relaxed, and their weights.

use crate::tables::numbers::rational;
use analyse::{Analysis, Ground, analyse, grid};
use declare::{Conditions, Grouping, Limits, NO_GROUP, Relation, RuleRows};
use draw::{NoiseLaw, Reject, Relaxed, Task};
use exact::{Enclosure, Rational};

/// Groups of cells that a function numbers; `None`: in no group.
fn grouping(label: &str, cells: usize, group: impl Fn(usize) -> Option<u32>) -> Grouping {
    let group_of: Vec<u32> = (0..cells).map(|cell| group(cell).unwrap_or(NO_GROUP)).collect();
    let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |last| last + 1);
    Grouping { times: None, label: label.into(), names: (0..groups).map(|name| name.to_string()).collect(), group_of }
}

/// Row and column sums of counts at or above zero.
pub fn two_way(rows: usize, columns: usize) -> Conditions {
    let cells = rows * columns;
    let by = vec![
        grouping("rows", cells, |cell| Some((cell / columns) as u32)),
        grouping("columns", cells, |cell| Some((cell % columns) as u32)),
    ];
    Conditions { nonnegative: true, ..Conditions::of_totals(cells, by) }
}

/// Some cases and as many deaths, at most the cases, both totals exact.
pub fn cases_and_deaths(places: usize) -> Conditions {
    let cells = 2 * places;
    let by = vec![grouping("kind", cells, |cell| Some((cell / places) as u32))];
    let mut within = grouping("deaths at most cases", cells, |cell| Some((cell % places) as u32));
    within.times = Some((0..cells).map(|cell| if cell < places { 1 } else { -1 }).collect());
    let rules = vec![RuleRows { grouping: within, relation: Relation::AtLeast, bound: 0 }];
    Conditions { nonnegative: true, rules, ..Conditions::of_totals(cells, by) }
}

/// The first block of a table, relaxed.
pub fn relaxed(conditions: &Conditions, counts: &[i64], law: &NoiseLaw) -> Result<(Relaxed, Vec<u32>), String> {
    let analysis: Analysis = analyse(conditions, &conditions.totals(counts).unwrap()).unwrap();
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let block = &analysis.blocks[0];
    let grid = grid(block, &conditions.invariants);
    let task = Task {
        block,
        law,
        rates: &[],
        nonnegative: conditions.nonnegative,
        pinned: false,
        network: None,
        grid: grid.as_ref(),
        list: None,
        accepts_estimated: false,
        limits: Limits::default(),
        levels: &[],
        conditions,
        ground: &ground,
    };
    Relaxed::new(&task).map(|relaxed| (relaxed, block.cells.clone()))
}

/// A table and how it is drawn.
pub struct Drawn {
    pub conditions: Conditions,
    pub counts: Vec<i64>,
    pub law: NoiseLaw,
}

impl Drawn {
    pub fn new(conditions: Conditions, counts: &[i64], law: NoiseLaw) -> Drawn {
        Drawn { conditions, counts: counts.to_vec(), law }
    }

    pub fn sampler(&self) -> Reject {
        let (relaxed, cells) = relaxed(&self.conditions, &self.counts, &self.law).unwrap();
        assert_eq!(cells.len(), self.counts.len(), "one block");
        Reject::new(&relaxed, &self.law).unwrap()
    }

    /// The weight of a table, zero where it breaks what must hold.
    pub fn weight(&self, table: &[i64]) -> Enclosure {
        let noise = table.iter().zip(&self.counts).map(|(value, centre)| value - centre);
        let energy = noise.fold(Rational::integer(0), |sum, noise| &sum + &self.law.energy(noise));
        Enclosure::exp_rational(&-&energy, 128)
    }

    pub fn keeps(&self, table: &[i64]) -> bool {
        let totals = |table: &[i64]| self.conditions.totals(table).unwrap();
        totals(table) == totals(&self.counts) && self.conditions.check_table(table).is_ok()
    }
}

pub fn geometric(epsilon: &str) -> NoiseLaw {
    NoiseLaw::double_geometric(rational(epsilon))
}

/// Two counts at or above zero in no total, together at most a bound.
pub fn with_rule(bound: i64) -> Conditions {
    let rule = RuleRows { grouping: grouping("together", 2, |_| Some(0)), relation: Relation::AtMost, bound };
    Conditions { nonnegative: true, rules: vec![rule], ..Conditions::of_totals(2, Vec::new()) }
}

/// The total of three counts at or above zero.
pub fn one_total() -> Conditions {
    Conditions { nonnegative: true, ..Conditions::of_totals(3, vec![grouping("total", 3, |_| Some(0))]) }
}

pub fn small() -> Vec<(Drawn, f64)> {
    let one_total = one_total();
    let boxes = Conditions {
        rules: vec![RuleRows {
            grouping: grouping("at most two", 3, |cell| Some(cell as u32)),
            relation: Relation::AtMost,
            bound: 2,
        }],
        ..one_total.clone()
    };
    vec![
        (Drawn::new(one_total.clone(), &[2, 0, 1], geometric("1")), 0.6),
        (Drawn::new(one_total, &[1, 1, 0], NoiseLaw::discrete_gaussian(rational("1/2"))), 0.75),
        (Drawn::new(boxes, &[2, 0, 1], geometric("2")), 0.6),
        (Drawn::new(two_way(2, 2), &[1, 0, 1, 2], geometric("1/2")), 0.6),
        (Drawn::new(two_way(2, 3), &[1, 0, 2, 0, 1, 1], geometric("1")), 0.6),
        (Drawn::new(cases_and_deaths(2), &[2, 1, 1, 0], geometric("1")), 0.93),
    ]
}

/// Counts from `near − 8` to `near + 8`.
pub fn around(near: i64, cells: usize) -> Vec<i64> {
    (0..cells as i64).map(|cell| near + cell * 7 % 17 - 8).collect()
}

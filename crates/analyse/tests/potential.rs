//! Which blocks are differences of potentials: the structures that theorem G13 names, and those
//! that it does not cover.

use analyse::{NoPotentials, analyse, potentials};
use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};

fn grouping(groups: u32, group_of: Vec<u32>, times: Option<Vec<i64>>) -> Grouping {
    let names = (0..groups).map(|group| format!("g = {group}")).collect();
    Grouping { label: "by g".into(), names, group_of, times }
}

/// The groups of cells by a function of their number.
fn by(cells: u32, group: impl Fn(u32) -> Option<u32>) -> Grouping {
    let group_of: Vec<u32> = (0..cells).map(|cell| group(cell).unwrap_or(NO_GROUP)).collect();
    let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |most| most + 1);
    grouping(groups, group_of, None)
}

fn nonnegative(cells: u32, invariants: Vec<Grouping>) -> Conditions {
    Conditions { nonnegative: true, ..Conditions::of_totals(cells as usize, invariants) }
}

/// The reasons of all blocks, with totals of a table of fives.
fn judged(conditions: &Conditions) -> Vec<Result<(), NoPotentials>> {
    let totals = conditions.totals(&vec![5; conditions.cells]).unwrap();
    let analysis = analyse(conditions, &totals).unwrap();
    analysis.blocks.iter().map(|block| potentials(conditions, block)).collect()
}

fn is_covered(conditions: &Conditions) -> bool {
    judged(conditions).iter().all(Result::is_ok)
}

fn at_most(grouping: Grouping, bound: i64) -> RuleRows {
    RuleRows { grouping, relation: Relation::AtMost, bound }
}

#[test]
fn totals_that_nest_are_covered() {
    assert!(is_covered(&nonnegative(6, vec![by(6, |_| Some(0))])));
    assert!(is_covered(&nonnegative(6, Vec::new())));
    let mut conditions = nonnegative(12, vec![by(12, |_| Some(0)), by(12, |cell| Some(cell / 6))]);
    conditions.rules = vec![
        at_most(by(12, |cell| Some(cell / 3)), 20),
        at_most(by(12, |cell| (cell % 3 < 2).then_some(cell / 3)), 20),
    ];
    assert!(is_covered(&conditions));
    // Two sums that overlap in the middle are intervals of one order; three that overlap pairwise
    // around a circle are not.
    let overlap = |first: u32, last: u32| at_most(by(6, move |cell| (first..=last).contains(&cell).then_some(0)), 30);
    conditions = nonnegative(6, vec![by(6, |_| Some(0))]);
    conditions.rules = vec![overlap(0, 3), overlap(2, 5), overlap(1, 4)];
    assert!(is_covered(&conditions));
    let pair = |one: u32, two: u32| at_most(by(4, move |cell| (cell == one || cell == two).then_some(0)), 30);
    conditions = nonnegative(4, vec![]);
    conditions.rules = vec![pair(0, 1), pair(1, 2), pair(0, 2), at_most(by(4, |cell| (cell < 3).then_some(0)), 40)];
    assert_eq!(judged(&conditions)[0], Err(NoPotentials::Crossing));
}

#[test]
fn two_rows_are_covered_and_three_are_not() {
    let margins = |rows: u32, columns: u32| {
        let cells = rows * columns;
        nonnegative(
            cells,
            vec![by(cells, move |cell| Some(cell / columns)), by(cells, move |cell| Some(cell % columns))],
        )
    };
    for columns in [2, 3, 5, 40] {
        assert!(is_covered(&margins(2, columns)) && is_covered(&margins(columns, 2)), "2 × {columns}");
    }
    for (rows, columns) in [(3, 3), (3, 5), (4, 4)] {
        assert_eq!(judged(&margins(rows, columns)), [Err(NoPotentials::Crossing)], "{rows} × {columns}");
    }
    // A 3 × 3 table without its diagonal and one more cell is a planar graph: covered.
    let holes = |cell: u32| (!cell.is_multiple_of(4)).then_some(cell);
    let live: Vec<u32> = (0..9).filter_map(holes).collect();
    let of = |group: fn(u32) -> u32| grouping(3, live.iter().map(|cell| group(*cell)).collect(), None);
    assert!(is_covered(&nonnegative(6, vec![of(|cell| cell / 3), of(|cell| cell % 3)])));
}

#[test]
fn three_way_tables_of_two_by_two_layers_are_covered() {
    let margins = |rows: u32, columns: u32, layers: u32| {
        let cells = rows * columns * layers;
        let (row, column, layer) = (
            move |cell: u32| cell / (columns * layers),
            move |cell: u32| cell / layers % columns,
            move |cell: u32| cell % layers,
        );
        nonnegative(
            cells,
            vec![
                by(cells, move |cell| Some(row(cell) * columns + column(cell))),
                by(cells, move |cell| Some(row(cell) * layers + layer(cell))),
                by(cells, move |cell| Some(column(cell) * layers + layer(cell))),
            ],
        )
    };
    assert!(is_covered(&margins(2, 2, 2)) && is_covered(&margins(2, 2, 7)));
    assert_eq!(judged(&margins(2, 3, 3)), [Err(NoPotentials::Crossing)]);
    assert!(judged(&margins(3, 3, 3))[0].is_err());
}

/// Cells 2i and 2i + 1 are cases and deaths of a county.
fn counties(counties: u32, exact: &[u32], chained: bool) -> Conditions {
    let cells = 2 * counties;
    let total = |measure: u32| by(cells, move |cell| (cell % 2 == measure).then_some(0));
    let times = (0..cells).map(|cell| if cell % 2 == 0 { -1 } else { 1 }).collect();
    let rule = grouping(counties, (0..cells).map(|cell| cell / 2).collect(), Some(times));
    let mut conditions = nonnegative(cells, exact.iter().map(|measure| total(*measure)).collect());
    if chained {
        conditions.rules = vec![at_most(rule, 0)];
    }
    conditions
}

#[test]
fn deaths_at_most_cases_is_covered_with_one_of_the_totals() {
    for number in [2, 3, 67] {
        assert!(is_covered(&counties(number, &[0], true)), "cases of {number}");
        assert!(is_covered(&counties(number, &[1], true)), "deaths of {number}");
        assert!(is_covered(&counties(number, &[], true)) && is_covered(&counties(number, &[0, 1], false)));
    }
    assert!(is_covered(&counties(2, &[0, 1], true)), "two counties are a path");
    assert_eq!(judged(&counties(3, &[0, 1], true)), [Err(NoPotentials::Crossing)]);
}

#[test]
fn coefficients_are_not_covered() {
    let mut conditions = nonnegative(2, Vec::new());
    for times in [vec![2, 1], vec![1, -3], vec![3, 2]] {
        conditions.rules = vec![at_most(grouping(1, vec![0, 0], Some(times)), 6)];
        assert_eq!(judged(&conditions), [Err(NoPotentials::Coefficients)]);
    }
    conditions.rules = vec![at_most(grouping(1, vec![0, 0], Some(vec![3, 3])), 9)];
    assert!(is_covered(&conditions), "a multiple of a sum is bounded as the sum is");
    conditions.rules =
        vec![at_most(grouping(1, vec![0, 0], None), 6), at_most(grouping(1, vec![0, 0], Some(vec![1, -1])), 1)];
    assert_eq!(judged(&conditions), [Err(NoPotentials::Crossing)], "a sum and a difference of the same cells");
    let equation = nonnegative(3, vec![grouping(1, vec![0, 0, 0], Some(vec![2, 3, 5]))]);
    assert_eq!(judged(&equation), [Err(NoPotentials::Coefficients)]);
}

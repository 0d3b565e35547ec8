//! Ranges of real tables against enumeration and against each other's routes.

mod ranges;

use declare::{Conditions, Grouping};
use disclose::{End, Known, Range};
use ranges::{Enumerated, grouping, margin, totals};
use std::path::Path;

/// The counts of a file of this repository, in the order of its rows: its last column.
fn counts(file: &str) -> Vec<i64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect()
}

fn exact(range: Range) -> (i64, i64) {
    match (range.low, range.high) {
        (End::Exact(low), End::Exact(high)) => (low, high),
        _ => panic!("not proved: {range:?}"),
    }
}

/// The margins that `data/table_counts.csv` names; smoke, mental, phys, bloodp, lipo, coron are A
/// to F.
fn czech() -> (Conditions, Vec<i64>) {
    let table = counts("czech_autoworkers.csv");
    let margins = ["ACDEF", "ABDEF", "ABCDE", "BCDF", "ABCF", "BCEF"];
    let kept = |name: &str| name.bytes().map(|letter| usize::from(letter - b'A')).collect::<Vec<_>>();
    let groupings = margins.iter().map(|name| margin(name, &[2; 6], &kept(name))).collect();
    (Conditions::of_totals(64, groupings), table)
}

#[test]
fn czech_autoworkers_have_810_tables_and_ranges_are_theirs() {
    let (conditions, table) = czech();
    let totals = totals(&conditions, &table);
    let all = Enumerated::new(&conditions, &totals);
    assert_eq!(all.count, 810);
    let ranges = Known::counts(&conditions, &totals).ranges(&[], &|_| {}).unwrap();
    for (cell, extremes) in all.cells.iter().enumerate() {
        assert_eq!(exact(ranges.cell(cell)), *extremes, "cell {cell}");
    }
    // One more or one less is noticed.
    let off = |(cell, (low, high)): (usize, &(i64, i64))| exact(ranges.cell(cell)) == (*low, high + 1);
    assert!(!all.cells.iter().enumerate().any(off));
    assert!(ranges.summary(0).cells.unproved == 0);
}

#[test]
fn czech_margins_that_are_not_kept() {
    let (conditions, table) = czech();
    let totals = totals(&conditions, &table);
    let asked = [
        margin("CDEF", &[2; 6], &[2, 3, 4, 5]),
        margin("BDF", &[2; 6], &[1, 3, 5]),
        margin("BCDEF", &[2; 6], &[1, 2, 3, 4, 5]),
    ];
    let ranges = Known::counts(&conditions, &totals).ranges(&asked, &|_| {}).unwrap();
    let enumerated = Enumerated::with_sums(&conditions, &totals, &asked);
    for (margin, extremes) in ranges.margins.iter().zip(&enumerated.sums) {
        let found: Vec<(i64, i64)> = margin.ranges.iter().map(|range| exact(*range)).collect();
        assert_eq!(found, *extremes, "{}", margin.label);
    }
}

fn two_way(rows: usize, columns: usize) -> Vec<Grouping> {
    vec![margin("row", &[rows, columns], &[0]), margin("column", &[rows, columns], &[1])]
}

/// The route by flows, forced by a rule that binds nothing: a bound of one cell far above its
/// total.
fn with_a_bound(mut conditions: Conditions, bound: i64) -> Conditions {
    let mut group_of = vec![declare::NO_GROUP; conditions.cells];
    group_of[0] = 0;
    let grouping = grouping("first", 1, group_of);
    conditions.rules.push(declare::RuleRows { grouping, relation: declare::Relation::AtMost, bound });
    conditions
}

#[test]
fn hair_and_eye_colour_and_delinquent_children_by_frechet_and_by_flows() {
    for (file, rows, columns) in [("hair_eye.csv", 4, 4), ("fcsm_wp22_delinquent_children.csv", 4, 4)] {
        let table = counts(file);
        let conditions = Conditions::of_totals(rows * columns, two_way(rows, columns));
        let totals = totals(&conditions, &table);
        let whole: i64 = table.iter().sum();
        let closed = Known::counts(&conditions, &totals).ranges(&[], &|_| {}).unwrap();
        // A bound that the totals do not imply sends the table through flows.
        let first = exact(closed.cell(0)).1;
        let bound = with_a_bound(conditions.clone(), first - 1);
        let flows = Known::counts(&bound, &totals).ranges(&[], &|_| {}).unwrap();
        for cell in 0..rows * columns {
            let (row, column) = (totals[0][cell / columns], totals[1][cell % columns]);
            assert_eq!(exact(closed.cell(cell)), ((row + column - whole).max(0), row.min(column)), "{file} {cell}");
            let narrower = (exact(closed.cell(cell)), exact(flows.cell(cell)));
            assert!(narrower.1.0 >= narrower.0.0 && narrower.1.1 <= narrower.0.1, "{file} {cell} {narrower:?}");
        }
        assert_eq!(exact(flows.cell(0)).1, first - 1);
        assert!((1..16).filter(|cell| exact(flows.cell(*cell)) == exact(closed.cell(*cell))).count() >= 9);
    }
}

#[test]
fn a_two_way_table_with_holes_by_flows_and_by_enumeration() {
    // Every third cell of the diagonal is a structural zero; bounds on some cells.
    let (rows, columns) = (4, 4);
    let live: Vec<usize> = (0..16).filter(|cell| cell % 5 != 0 || *cell == 5).collect();
    let side = |of: fn(usize) -> usize, label: &str| {
        let group_of = live.iter().map(|cell| of(*cell) as u32).collect();
        grouping(label, 4, group_of)
    };
    let conditions =
        Conditions::of_totals(live.len(), vec![side(|cell| cell / 4, "row"), side(|cell| cell % 4, "column")]);
    let conditions = with_a_bound(conditions, 2);
    let table: Vec<i64> = (0..live.len() as i64).map(|cell| [2, 0, 1, 3, 1][cell as usize % 5].min(2 + cell)).collect();
    let totals = totals(&conditions, &table);
    let asked = [margin("half", &[2, 1], &[0])].map(|mut half| {
        half.group_of = live.iter().map(|cell| u32::from(cell / columns >= rows / 2)).collect();
        half
    });
    let ranges = Known::counts(&conditions, &totals).ranges(&asked, &|_| {}).unwrap();
    let all = Enumerated::with_sums(&conditions, &totals, &asked);
    for (cell, extremes) in all.cells.iter().enumerate() {
        assert_eq!(exact(ranges.cell(cell)), *extremes, "cell {cell}");
    }
    assert_eq!(ranges.margins[0].ranges.iter().map(|range| exact(*range)).collect::<Vec<_>>(), all.sums[0]);
}

#[test]
fn three_way_tables_where_fractions_go_further_than_integers() {
    // All two-way margins of 3×3×3: the classic in which bounds of fractions are not attained.
    let mut random = testkit::Random(9);
    let groupings =
        || vec![margin("xy", &[3; 3], &[0, 1]), margin("xz", &[3; 3], &[0, 2]), margin("yz", &[3; 3], &[1, 2])];
    for round in 0..40 {
        let table: Vec<i64> = (0..27).map(|_| random.below(3) as i64).collect();
        let conditions = Conditions::of_totals(27, groupings());
        let totals = totals(&conditions, &table);
        let ranges = Known::counts(&conditions, &totals).ranges(&[], &|_| {}).unwrap();
        let all = Enumerated::new(&conditions, &totals);
        for (cell, extremes) in all.cells.iter().enumerate() {
            assert_eq!(exact(ranges.cell(cell)), *extremes, "round {round} cell {cell}");
        }
    }
}

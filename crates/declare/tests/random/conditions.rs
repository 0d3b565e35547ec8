//! The linear forms of random declarations, cell by cell against a slow reading.

use crate::brute;
use crate::generate::{Choices, declaration};
use declare::{
    Conditions, Declaration, Figure, Footprint, Grouping, Kind, Method, NO_GROUP, Output, OutputRows, Relation, Schema,
    Side, Sums,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// For every group the coefficients of its cells, groups without any left out.
type Rows = BTreeMap<Vec<String>, BTreeMap<usize, i64>>;

fn expected(schema: &Schema, by: &[String], live: &[Vec<usize>], times: &dyn Fn(&[usize]) -> i64) -> Rows {
    let mut rows = Rows::new();
    for (cell, codes) in live.iter().enumerate() {
        let times = times(codes);
        if times != 0 {
            rows.entry(brute::group(schema, by, codes)).or_default().insert(cell, times);
        }
    }
    rows
}

/// The coefficients of every group, without the names.
fn found(grouping: &Grouping) -> BTreeSet<BTreeMap<usize, i64>> {
    let mut rows = vec![BTreeMap::new(); grouping.groups()];
    for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
        assert_ne!(grouping.taken(cell), 0);
        rows[*group as usize].insert(cell, grouping.taken(cell));
    }
    let count = rows.len();
    let distinct: BTreeSet<_> = rows.into_iter().collect();
    assert_eq!(distinct.len(), count);
    assert!(distinct.iter().all(|row| !row.is_empty()));
    let names: BTreeSet<&String> = grouping.names.iter().collect();
    assert_eq!(names.len(), count);
    distinct
}

fn sets(rows: &Rows) -> BTreeSet<BTreeMap<usize, i64>> {
    rows.values().cloned().collect()
}

/// The rows of a matrix over the live cells, by name.
fn matrix(sums: &Sums, live: &[Vec<usize>]) -> Rows {
    let Sums::Matrix(rows) = sums else { panic!("a matrix") };
    let mut expected = Rows::new();
    for row in rows {
        for entry in &row.entries {
            if let Some(cell) = live.iter().position(|codes| *codes == entry.codes) {
                expected.entry(vec![row.name.clone()]).or_default().insert(cell, entry.times);
            }
        }
    }
    expected
}

/// The smallest integer bound that says the same, from the floating-point value of a small number.
fn bound(relation: Relation, right: &Side) -> i64 {
    match (relation, right) {
        (_, Side::Cells(_)) => 0,
        (Relation::AtMost, Side::Number(number)) => number.to_f64().floor() as i64,
        (_, Side::Number(number)) => number.to_f64().ceil() as i64,
    }
}

/// What the conditions must be: the rows of every invariant, rule and query, or the kind of the
/// problem.
fn check(declared: &Declaration, live: &[Vec<usize>], conditions: Result<Conditions, declare::Problem>) {
    let schema = &declared.schema;
    let kept = declared.mechanism.method != Method::Unconstrained;
    let mut problem = None;
    let mut invariants = Vec::new();
    for invariant in declared.invariants.iter().filter(|_| kept) {
        let rows = match &invariant.sums {
            Sums::Matrix(_) => matrix(&invariant.sums, live),
            sums => expected(schema, &invariant.by, live, &|codes| brute::times(schema, sums, codes)),
        };
        problem = problem.or(rows.is_empty().then_some(Kind::Bad));
        invariants.push(rows);
    }
    let mut rules = Vec::new();
    for rule in declared.constraints.rules.iter().filter(|_| kept) {
        let rows = expected(schema, &rule.by, live, &|codes| brute::rule_times(schema, rule, codes));
        let bound = bound(rule.relation, &rule.right);
        let groups = expected(schema, &rule.by, live, &|_| 1).len();
        if rows.len() < groups && !rule.relation.holds(0, bound) {
            problem = problem.or(Some(Kind::Infeasible));
        }
        if !rows.is_empty() {
            rules.push((rows, rule.relation, bound));
        }
    }
    let mut queries: Vec<Rows> = Vec::new();
    for query in &declared.mechanism.queries {
        let sums = Sums::Cells(query.filter.clone());
        let rows = expected(schema, &query.by, live, &|codes| brute::times(schema, &sums, codes));
        if rows.is_empty() || queries.iter().any(|other| sets(other) == sets(&rows)) {
            problem = problem.or(Some(Kind::Bad));
        }
        queries.push(rows);
    }
    let conditions = match (conditions, problem) {
        (Ok(conditions), None) => conditions,
        (Err(found), Some(kind)) => return assert_eq!(found.kind, kind, "{found}"),
        (Ok(_), Some(kind)) => panic!("accepted, but it is {kind:?}"),
        (Err(found), None) => panic!("{found}"),
    };
    assert_eq!(conditions.cells, live.len());
    assert_eq!(conditions.nonnegative, kept && declared.constraints.nonnegative);
    let mut groupings = conditions.invariants.iter().zip(&conditions.pinned);
    for (invariant, rows) in declared.invariants.iter().zip(&invariants) {
        if let Sums::Matrix(_) = invariant.sums {
            check_matrix(rows, &mut groupings);
            continue;
        }
        let (grouping, pinned) = groupings.next().unwrap();
        assert_eq!(found(grouping), sets(rows));
        let values = invariant.pinned.as_ref().map(|values| values.iter().map(|value| value.value).collect());
        assert_eq!(*pinned, values);
    }
    assert_eq!(groupings.next(), None);
    assert_eq!(conditions.rules.len(), rules.len());
    for (found_rule, (rows, relation, bound)) in conditions.rules.iter().zip(&rules) {
        assert_eq!(found(&found_rule.grouping), sets(rows));
        assert_eq!((found_rule.relation, found_rule.bound), (*relation, *bound));
    }
    assert_eq!(conditions.queries.len(), queries.len());
    for (query, rows) in conditions.queries.iter().zip(&queries) {
        assert_eq!(found(&query.grouping), sets(rows));
    }
    check_footprint(schema, live, &conditions.footprint);
    check_rules(live.len(), &conditions);
}

/// Takes groupings until every row of the matrix has been seen once.
fn check_matrix<'a>(rows: &Rows, groupings: &mut impl Iterator<Item = (&'a Grouping, &'a Option<Vec<i64>>)>) {
    let mut seen = Rows::new();
    while seen.len() < rows.len() {
        let (grouping, pinned) = groupings.next().unwrap();
        assert_eq!(*pinned, None);
        for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            let name = vec![grouping.names[*group as usize].clone()];
            seen.entry(name).or_default().insert(cell, grouping.taken(cell));
        }
    }
    assert_eq!(seen, *rows);
}

fn check_footprint(schema: &Schema, live: &[Vec<usize>], footprint: &Footprint) {
    let measure = match schema.measures() {
        Some((measure, columns, declare::Record::Any)) if columns.len() > 1 => measure,
        _ => return assert_eq!(*footprint, Footprint::OneCell),
    };
    let Footprint::EveryMeasure { measures, place } = footprint else { panic!("a record is in every measure") };
    assert_eq!(*measures, schema.dimensions[measure].values.len());
    let without = |codes: &Vec<usize>| {
        let mut codes = codes.clone();
        codes.remove(measure);
        codes
    };
    for (cell, codes) in live.iter().enumerate() {
        for (other, other_codes) in live.iter().enumerate() {
            assert_eq!(place[cell] == place[other], without(codes) == without(other_codes));
        }
    }
    let numbers: BTreeSet<u32> = place.iter().copied().collect();
    assert!(numbers.into_iter().eq(0..place.iter().max().map_or(0, |last| last + 1)));
}

/// A table is accepted exactly when every row of every rule holds, and no message says which does
/// not.
fn check_rules(cells: usize, conditions: &Conditions) {
    for start in 0..4i64 {
        let counts: Vec<i64> = (0..cells as i64).map(|cell| (cell * 7 + start * 3) % 5 - start / 2).collect();
        let holds = conditions.rules.iter().all(|rule| {
            found(&rule.grouping).iter().all(|row| {
                let sum: i64 = row.iter().map(|(cell, times)| times * counts[*cell]).sum();
                match rule.relation {
                    Relation::AtMost => sum <= rule.bound,
                    Relation::AtLeast => sum >= rule.bound,
                    Relation::Equal => sum == rule.bound,
                }
            })
        });
        let negative = conditions.nonnegative && counts.iter().any(|count| *count < 0);
        let checked = conditions.check_table(&counts);
        assert_eq!(checked.is_ok(), holds && !negative, "{checked:?}");
    }
}

/// The derived tables against a slow reading: rows in the order of their labels' first appearance
/// as groups.
fn check_outputs(declared: &Declaration, live: &[Vec<usize>], outputs: Result<Vec<OutputRows>, declare::Problem>) {
    let schema = &declared.schema;
    let mut tables = Vec::new();
    let mut bad = false;
    for Output { by, figure, .. } in &declared.outputs {
        let (upper, lower) = match figure {
            Figure::Sum(filter) => (Sums::Cells(filter.clone()), None),
            Figure::Rate { numerator, denominator, .. } => {
                (Sums::Cells(Some(numerator.clone())), Some(Sums::Cells(Some(denominator.clone()))))
            }
        };
        let upper = expected(schema, by, live, &|codes| brute::times(schema, &upper, codes));
        let lower = lower.map(|lower| expected(schema, by, live, &|codes| brute::times(schema, &lower, codes)));
        let any = |codes: &[usize]| {
            let group = brute::group(schema, by, codes);
            let has = |rows: &Rows| rows.contains_key(&group);
            has(&upper) || lower.as_ref().is_some_and(has)
        };
        let groups: BTreeSet<Vec<String>> =
            live.iter().filter(|codes| any(codes)).map(|codes| brute::group(schema, by, codes)).collect();
        let labels: BTreeSet<Vec<String>> =
            live.iter().filter(|codes| any(codes)).map(|codes| brute::labels(schema, by, codes)).collect();
        bad |= upper.is_empty() || lower.as_ref().is_some_and(Rows::is_empty) || labels.len() < groups.len();
        tables.push((labels, upper, lower));
    }
    let outputs = match outputs {
        Ok(outputs) => outputs,
        Err(found) => {
            assert!(bad, "{found}");
            return assert_eq!(found.kind, Kind::Bad);
        }
    };
    assert!(!bad);
    assert_eq!(outputs.len(), tables.len());
    for (output, (labels, upper, lower)) in outputs.iter().zip(&tables) {
        assert_eq!(output.labels.iter().cloned().collect::<BTreeSet<_>>(), *labels);
        assert_eq!(output.labels.len(), labels.len());
        assert_eq!(output.below.is_some(), lower.is_some());
        for (grouping, rows) in [Some(&output.sum), output.below.as_ref()]
            .iter()
            .flatten()
            .zip([Some(upper), lower.as_ref()].iter().flatten())
        {
            assert_eq!(grouping.groups(), output.labels.len());
            for (cell, codes) in live.iter().enumerate() {
                let taken =
                    rows.get(&brute::group(schema, &output.columns, codes)).is_some_and(|row| row.contains_key(&cell));
                let row = grouping.group_of[cell];
                assert_eq!(row != NO_GROUP, taken);
                if taken {
                    assert_eq!(output.labels[row as usize], brute::labels(schema, &output.columns, codes));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conditions_are_those_that_brute_force_finds(numbers in proptest::collection::vec(any::<u32>(), 100..500)) {
        let declared = declaration(&mut Choices::new(numbers));
        let Ok(domain) = declared.domain() else { return Ok(()) };
        let live = brute::live(&declared);
        check(&declared, &live, declared.conditions(&domain));
        check_outputs(&declared, &live, declared.output_rows(&domain));
    }
}

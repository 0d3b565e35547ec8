//! Intervals have the reach that exact laws give, and cover as often as they say.

use congenial::{Intervals, Law, Prepared, Quiet, simulate};
use plan::NoReach;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn prepared(name: &str) -> Prepared {
    Prepared::open(&example(name), &Quiet).unwrap()
}

/// The probability that the noise stays within a reach.
fn within(law: &Law, reach: i64) -> f64 {
    law.listed().filter(|(value, _)| value.abs() <= reach).map(|(_, probability)| probability).sum()
}

#[test]
fn reaches_are_the_quantiles_of_the_exact_laws() {
    for name in [
        "five-cells/spec.toml",
        "delinquent-children/spec.toml",
        "delinquent-children/gaussian.toml",
        "illinois/spec.toml",
        "taxi/spec.toml",
    ] {
        let prepared = prepared(name);
        let intervals = Intervals::of(&prepared.plan, &prepared.opened().conditions, None).unwrap();
        let laws = prepared.quantities().unwrap();
        assert!(laws.any_table && laws.not_available.is_empty(), "{name}");
        assert_eq!(laws.cells.len(), prepared.opened().domain.len(), "{name}");
        for (cell, law) in &laws.cells {
            let reach = intervals.reach(*cell);
            assert!(within(law, reach) >= 0.9, "{name}, cell {cell}: {reach} is too short");
            assert!(reach == 0 || within(law, reach - 1) < 0.9, "{name}, cell {cell}: {reach} is too long");
        }
    }
}

/// Of 4,000 draws, the share in which the noise stays within the reach is at least 90 %, and below
/// it one step less.
#[test]
fn intervals_cover_as_often_as_they_say() {
    let draws = 4_000u64;
    for name in ["five-cells/spec.toml", "delinquent-children/spec.toml", "delinquent-children/margins.toml"] {
        let prepared = prepared(name);
        let intervals = Intervals::of(&prepared.plan, &prepared.opened().conditions, None).unwrap();
        let truth = prepared.analysed.tabulated.table.counts();
        let work = tempfile::tempdir().unwrap();
        let file = work.path().join("draws.csv");
        simulate(&example(name), draws, Some(11), &file, &Quiet).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let values = text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<i64>().unwrap());
        let (mut covered, mut nearly) = (vec![0u64; truth.len()], vec![0u64; truth.len()]);
        for (place, value) in values.enumerate() {
            let cell = place % truth.len();
            let noise = (value - truth[cell]).abs();
            covered[cell] += u64::from(noise <= intervals.reach(cell));
            nearly[cell] += u64::from(noise < intervals.reach(cell));
        }
        let error = 4.0 * (0.09 / draws as f64).sqrt();
        for cell in 0..truth.len() {
            let share = |count: &[u64]| count[cell] as f64 / draws as f64;
            assert!(share(&covered) > 0.9 - error, "{name}, cell {cell}: {}", share(&covered));
            assert!(share(&nearly) < 0.9 + error, "{name}, cell {cell}: {}", share(&nearly));
        }
    }
}

#[test]
fn where_the_law_depends_on_the_table_there_are_none() {
    let reasons = [
        ("delinquent-children/nonnegative.toml", NoReach::AtLeastZero),
        ("cases-and-deaths/spec.toml", NoReach::AtLeastZero),
    ];
    for (name, reason) in reasons {
        let prepared = prepared(name);
        assert_eq!(Intervals::of(&prepared.plan, &prepared.opened().conditions, None), Err(reason), "{name}");
    }
}

/// The District of Columbia is one county: its state's total gives its count.
#[test]
fn cells_that_totals_determine_have_no_reach() {
    let prepared = prepared("us-counties/spec.toml");
    let intervals = Intervals::of(&prepared.plan, &prepared.opened().conditions, None).unwrap();
    let (cell, _) = prepared.plan.fixed[0];
    assert_eq!((prepared.plan.fixed.len(), intervals.reach(cell)), (1, 0));
    assert!((0..prepared.plan.cells).filter(|other| *other != cell).all(|other| intervals.reach(other) > 0));
}

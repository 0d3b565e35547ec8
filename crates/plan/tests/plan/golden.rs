//! Golden files: what explain and --error print for small declarations.

use crate::small::{CHILDREN, delinquent, epsilon, list, rho, small, trips};
use declare::{Method, Noise, Per, Problem, Values};
use insta::assert_snapshot;

macro_rules! assert_json {
    ($name:literal, $value:expr $(,)?) => {
        assert_snapshot!($name, format!("{:#}", $value))
    };
}

fn everything(small: &crate::small::Small) -> Result<String, Problem> {
    let plan = small.plan()?;
    let errors = plan::error_profile(&plan, &small.domain, None);
    Ok(format!("{}\n{}", plan.explain_text(&small.declaration.title), errors.text()))
}

#[test]
fn nested_totals_double_geometric() -> Result<(), Problem> {
    let small = delinquent().keep("", &CHILDREN, |_| true).keep("county", &CHILDREN, |_| true);
    assert_snapshot!(everything(&small)?);
    let plan = small.plan()?;
    assert_json!("nested_totals_json", plan.explain_json());
    assert_json!("nested_totals_error_json", plan::error_profile(&plan, &small.domain, None).json());
    Ok(())
}

#[test]
fn hierarchy_discrete_gaussian_with_a_disclosed_cell() -> Result<(), Problem> {
    let (small, counts) = trips();
    let small = small.keep("borough", &counts, |_| true).mechanism(Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Record);
    assert_snapshot!(everything(&small)?);
    assert_json!("hierarchy_json", small.plan()?.explain_json());
    Ok(())
}

#[test]
fn free_cells_beside_a_total() -> Result<(), Problem> {
    let small = delinquent().keep("county", &CHILDREN, |codes| codes[0] < 2).mechanism(
        Noise::DOUBLE_GEOMETRIC,
        epsilon("1"),
        Per::Record,
    );
    assert_snapshot!(everything(&small)?);
    Ok(())
}

#[test]
fn continuous_laplace_is_for_research() -> Result<(), Problem> {
    let small = delinquent().keep("", &CHILDREN, |_| true).mechanism(Noise::LAPLACE, epsilon("0.1"), Per::Unit);
    assert_snapshot!(everything(&small)?);
    let gaussian = delinquent().keep("", &CHILDREN, |_| true).mechanism(Noise::GAUSSIAN, rho("1/50"), Per::Unit);
    let errors = plan::error_profile(&gaussian.plan()?, &gaussian.domain, None);
    assert_snapshot!("gaussian_errors", errors.text());
    Ok(())
}

#[test]
fn unconstrained_keeps_nothing() -> Result<(), Problem> {
    let mut small = delinquent().keep("county", &CHILDREN, |_| true);
    small.declaration.mechanism.method = Method::Unconstrained;
    small.declaration.constraints.nonnegative = true;
    assert_snapshot!(everything(&small)?);
    Ok(())
}

#[test]
fn many_blocks_of_different_sizes_are_grouped() -> Result<(), Problem> {
    let ages = Values::Integers { first: 0, last: 30 };
    let long = list(&["a household of one person living alone", "a household of two or more persons"]);
    let small = small("Persons", vec![("age", ages), ("household", long)]);
    let counts: Vec<i64> = (0..62).collect();
    let small = small.keep("household", &counts, |codes| codes[0] >= 3 * codes[1]);
    assert_snapshot!(everything(&small)?);
    Ok(())
}

#[test]
fn a_privacy_unit_with_several_rows() -> Result<(), Problem> {
    let small = |noise, strength, per, rows| {
        let mut small = delinquent().keep("county", &CHILDREN, |_| true).mechanism(noise, strength, per);
        small.declaration.data.unit = Some("person_id".into());
        small.declaration.data.rows_per_unit = rows;
        small
    };
    let cost = |small: &crate::small::Small| -> Result<String, Problem> {
        let text = small.plan()?.explain_text("");
        Ok(text[text.find("What it costs").unwrap_or(0)..].to_owned())
    };
    let record = small(Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Record, 3);
    let all = [
        cost(&record)?,
        cost(&small(Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Unit, 3))?,
        cost(&small(Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Record, 3))?,
        cost(&small(Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Unit, 3))?,
        cost(&small(Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Record, 1))?,
    ];
    assert_snapshot!("privacy_unit", all.join("\n"));
    assert_json!("privacy_unit_json", record.plan()?.explain_json()["loss"]);
    // The noise is that of a record: a unit pays with its loss, not with more noise.
    let alone = delinquent().keep("county", &CHILDREN, |_| true).mechanism(
        Noise::DOUBLE_GEOMETRIC,
        epsilon("1/4"),
        Per::Record,
    );
    assert_eq!(record.plan()?.law, alone.plan()?.law);
    assert_eq!(record.plan()?.loss.nearest, alone.plan()?.loss.nearest);
    Ok(())
}

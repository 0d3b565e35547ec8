//! The paragraph of a guarantee: what it says its numbers are per, for each unit and with or
//! without totals.

use certify::{Derived, derive, totals_of};
use declare::Declaration;
use plan::Case;
use std::path::Path;

/// What is stated for four cells, with these further lines of [data], `[[invariant]]` lines and
/// mechanism.
fn derived(data: &str, invariant: &str, mechanism: &str) -> Derived {
    let text = format!(
        "[data]\npath = \"x.csv\"\npublic = true\n{data}[dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n{invariant}\n\
         [constraints]\nnonnegative = false\n[mechanism]\n{mechanism}\n"
    );
    let declaration = Declaration::parse(&text, "small.toml", Path::new(".")).unwrap();
    let case = Case::of(declaration).unwrap();
    let totals = totals_of(&case.conditions.invariants, &[3, 1, 4, 1]).unwrap();
    let plan = case.plan(&case.analyse(&totals).unwrap()).unwrap();
    derive(&case, &totals, &plan, &|_| {}).unwrap()
}

fn statement(invariant: &str, mechanism: &str) -> String {
    derived("", invariant, mechanism).guarantee.statement
}

const TOTAL: &str = "[[invariant]]\nby = []";
const PART: &str = "[[invariant]]\nby = []\nwhere = \"row = 'a'\"";

#[test]
fn a_record_added_counts_half_where_the_number_of_records_is_free() {
    let mechanism = "noise = \"double-geometric\"\nepsilon = \"1/2\"";
    let half = "(half their l1 distance; a record added or removed counts as half of one)";
    let nearest = |distance: u64, epsilon: &str| {
        format!("at l1 distance {distance}: between them the factor is at most exp({epsilon})")
    };
    for (invariant, is_free) in [("", true), (PART, true), (TOTAL, false)] {
        let said = statement(invariant, mechanism);
        assert_eq!(said.contains(half), is_free, "{said}");
        assert!(said.contains("(half their l1 distance"), "{said}");
        assert!(said.contains(&if is_free { nearest(1, "1/4") } else { nearest(2, "1/2") }), "{said}");
    }
}

#[test]
fn an_implied_epsilon_is_that_of_the_nearest_pair() {
    let mechanism = |per: &str| format!("noise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"{per}\"");
    for (per, rho, epsilon) in [("unit", "1/4", "3.369"), ("record", "1/8", "2.275")] {
        let said = statement(TOTAL, &mechanism(per));
        assert!(said.contains(&format!(" The law of the noise gives ({epsilon}")), "{said}");
        assert!(said.contains(&format!("at l1 distance 2: between them rho is {rho}.")), "{said}");
    }
}

#[test]
fn an_unconstrained_release_speaks_of_no_total() {
    let mechanism = "noise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\nmethod = \"unconstrained\"";
    let said = statement(TOTAL, mechanism);
    assert!(!said.contains("total") && said.contains("at l1 distance 1"), "{said}");
}

#[test]
fn a_privacy_unit_is_named_with_its_rows() {
    let unit = "unit = \"person_id\"\nrows_per_unit = 3\n";
    let (pure, gaussian) = (
        "noise = \"double-geometric\"\nepsilon = \"1/2\"\nper = ",
        "noise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = ",
    );
    let mut text = String::new();
    for (mechanism, per) in [(pure, "record"), (pure, "unit"), (gaussian, "record"), (gaussian, "unit")] {
        let stated = derived(unit, TOTAL, &format!("{mechanism}\"{per}\"")).guarantee;
        let loss = stated.epsilon.or(stated.rho).unwrap();
        text.push_str(&format!("{loss} per {}\n{}\n{}\n\n", stated.unit, stated.statement, stated.proof));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn negative_counts_taken_as_zero_are_mentioned() {
    let mechanism = "noise = \"double-geometric\"\nepsilon = \"1/2\"";
    let data = "count = \"n\"\nnegative = \"zero\"\nmissing = \"drop\"\n";
    let counted = derived(data, TOTAL, mechanism).counted;
    assert_eq!(counted, "every row, except those with a missing value, with negative counts taken as zero");
}

//! The paragraph of a guarantee: what it says its numbers are per, for each unit and with or without totals.

use analyse::analyse;
use certify::{derive, totals_of};
use declare::Declaration;
use plan::plan;
use std::path::Path;

/// The statement for four cells, with these `[[invariant]]` lines and this mechanism.
fn statement(invariant: &str, mechanism: &str) -> String {
    let text = format!(
        "[data]\npath = \"x.csv\"\npublic = true\n[dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n{invariant}\n\
         [constraints]\nnonnegative = false\n[mechanism]\n{mechanism}\n"
    );
    let declaration = Declaration::parse(&text, "small.toml", Path::new(".")).unwrap();
    let domain = declaration.domain().unwrap();
    let conditions = declaration.conditions(&domain).unwrap();
    let groupings = &conditions.invariants;
    let totals = totals_of(groupings, &[3, 1, 4, 1]).unwrap();
    let plan = plan(&declaration, &conditions, &analyse(&conditions, &totals).unwrap()).unwrap();
    derive(&declaration, &domain, &conditions, &totals, &plan).unwrap().guarantee.statement
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
    for (per, rho, epsilon) in [("unit", "1/4", "3.542"), ("record", "1/8", "2.419")] {
        let said = statement(TOTAL, &mechanism(per));
        assert!(said.contains(&format!(" This implies ({epsilon}")), "{said}");
        assert!(said.contains(&format!("at l1 distance 2: between them rho is {rho}.")), "{said}");
    }
}

#[test]
fn an_unconstrained_release_speaks_of_no_total() {
    let mechanism = "noise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\nmethod = \"unconstrained\"";
    let said = statement(TOTAL, mechanism);
    assert!(!said.contains("total") && said.contains("at l1 distance 1"), "{said}");
}

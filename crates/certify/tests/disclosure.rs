//! Sensitive cells that totals confine: alone, and together with the totals of another release.

use certify::{confined, enforce, totals_of};
use declare::{Conditions, Declaration, Domain, Kind};
use disclose::Known;
use plan::Case;
use std::path::Path;

const TABLE: [i64; 6] = [3, 0, 4, 1, 2, 5];

fn declaration(invariants: &str, disclosure: &str) -> (Declaration, Domain, Conditions) {
    let text = format!(
        "[data]\npath = \"x.csv\"\npublic = true\n[dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\", \"3\"]\n{invariants}\n\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\n\
         [[output]]\nname = \"columns\"\nby = [\"column\"]\n[disclosure]\n{disclosure}\n"
    );
    let declaration = Declaration::parse(&text, "small.toml", Path::new(".")).unwrap();
    let domain = declaration.domain().unwrap();
    let conditions = declaration.conditions(&domain).unwrap();
    (declaration, domain, conditions)
}

fn case(declaration: &Declaration, domain: &Domain, conditions: &Conditions) -> Case {
    let (declaration, domain, conditions) = (declaration.clone(), domain.clone(), conditions.clone());
    Case { declaration, domain, conditions, fold: None }
}

#[test]
fn two_releases_together_confine_what_neither_does_alone() {
    let sensitive = "sensitive = [\"row = 'a'\"]\nwithin = 3";
    let (rows, domain, by_row) = declaration("[[invariant]]\nby = [\"row\"]", sensitive);
    let (columns, _, by_column) =
        declaration("[[invariant]]\nby = [\"column\"]", "sensitive = [\"column = '3'\"]\nwithin = 3");
    for (declaration, conditions) in [(&rows, &by_row), (&columns, &by_column)] {
        let totals = totals_of(&conditions.invariants, &TABLE).unwrap();
        let case = case(declaration, &domain, conditions);
        let alone = confined(&case, &totals, &|_| {}).unwrap();
        enforce(&case, &alone.ranges).unwrap();
        assert_eq!(alone.certified.margins.len(), 1);
    }
    let mut both = by_row.clone();
    both.invariants.extend(by_column.invariants.clone());
    both.pinned.extend(by_column.pinned.clone());
    let totals = totals_of(&both.invariants, &TABLE).unwrap();
    let ranges = Known::counts(&both, &totals).ranges(&[], &|_| {}).unwrap();
    let refused = enforce(&case(&rows, &domain, &both), &ranges).unwrap_err();
    assert_eq!(refused.kind, Kind::Refused);
    // Column 2 has 2 in all, so row a has at most that there.
    assert!(refused.message.contains("`row = a, column = 2` (0 to 2)"), "{}", refused.message);
    assert!(refused.message.contains("`row = a` and `column = 2`"), "{}", refused.message);
}

#[test]
fn totals_pinned_to_other_values_say_nothing_about_the_table() {
    let (declaration, domain, mut conditions) =
        declaration("[[invariant]]\nby = [\"row\"]", "sensitive = [\"row = 'a'\"]");
    conditions.pinned = vec![Some(vec![0, 0])];
    let pinned_case = case(&declaration, &domain, &conditions);
    let pinned = confined(&pinned_case, &[vec![0, 0]], &|_| {}).unwrap();
    enforce(&pinned_case, &pinned.ranges).unwrap();
    assert_eq!(pinned.disclosed_cells, 0);
    conditions.pinned = vec![None];
    let own_case = case(&declaration, &domain, &conditions);
    let own = confined(&own_case, &[vec![0, 15]], &|_| {}).unwrap();
    assert_eq!(own.disclosed_cells, 3);
    assert!(enforce(&own_case, &own.ranges).is_err());
}

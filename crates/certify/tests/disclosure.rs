//! Sensitive cells that totals confine: alone, and together with the totals of another release.

use certify::{confined, derive, emptied, enforce, totals_of};
use declare::{Conditions, Declaration, Domain, Kind};
use disclose::Known;
use plan::Case;
use std::path::Path;
use testkit::Random;

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
        enforce(&case, &alone.ranges, None).unwrap();
        assert_eq!(alone.certified.margins.len(), 1);
    }
    let mut both = by_row.clone();
    both.invariants.extend(by_column.invariants.clone());
    both.pinned.extend(by_column.pinned.clone());
    let totals = totals_of(&both.invariants, &TABLE).unwrap();
    let ranges = Known::counts(&both, &totals).ranges(&[], &|_| {}).unwrap();
    let refused = enforce(&case(&rows, &domain, &both), &ranges, None).unwrap_err();
    assert_eq!(refused.kind, Kind::Refused);
    // Column 2 has 2 in all, so row a has at most that there.
    assert!(refused.message.contains("`row = a, column = 2`;"), "{}", refused.message);
    assert!(refused.message.contains("`row = a` and `column = 2`"), "{}", refused.message);
}

#[test]
fn totals_pinned_to_other_values_say_nothing_about_the_table() {
    let (declaration, domain, mut conditions) =
        declaration("[[invariant]]\nby = [\"row\"]", "sensitive = [\"row = 'a'\"]");
    conditions.pinned = vec![Some(vec![0, 0])];
    let pinned_case = case(&declaration, &domain, &conditions);
    let pinned = confined(&pinned_case, &[vec![0, 0]], &|_| {}).unwrap();
    enforce(&pinned_case, &pinned.ranges, None).unwrap();
    assert_eq!(pinned.disclosed_cells, 0);
    conditions.pinned = vec![None];
    let own_case = case(&declaration, &domain, &conditions);
    let own = confined(&own_case, &[vec![0, 15]], &|_| {}).unwrap();
    assert_eq!(own.disclosed_cells, 3);
    assert!(enforce(&own_case, &own.ranges, None).is_err());
}

/// A comparison with a column, or two of them joined.
fn filter(random: &mut Random, depth: u64) -> String {
    if depth > 0 && random.below(3) > 0 {
        let (one, other) = (filter(random, depth - 1), filter(random, depth - 1));
        return match random.below(5) {
            0 => format!("not ({one})"),
            1 | 2 => format!("({one}) and ({other})"),
            _ => format!("({one}) or ({other})"),
        };
    }
    let operator = ["=", "!=", "<", "<=", ">", ">="];
    match random.below(5) {
        0 => format!("county {} '{}'", operator[random.below(2) as usize], ["A", "B", "C"][random.below(3) as usize]),
        1 => format!("county in ('{}', 'B')", ["A", "C", "Z"][random.below(3) as usize]),
        2 | 3 => format!("age {} {}", operator[random.below(6) as usize], random.below(5)),
        _ => format!("sex = '{}'", ["f", "m"][random.below(2) as usize]),
    }
}

#[test]
fn cells_are_empty_where_no_row_passes_the_filter() {
    let mut random = Random(16);
    let mut some = 0;
    for trial in 0..300 {
        let filter = filter(&mut random, 3);
        let text = format!(
            "[data]\npath = \"x.csv\"\npublic = true\nwhere = \"{filter}\"\n[dimensions]\ncounty = [\"A\", \"B\", \"C\"]\n\
             age = {{ integers = [0, 3] }}\nyears = {{ column = \"age\", bins = [0, 2, 4] }}\n[[invariant]]\nby = []\n[mechanism]\n\
             noise = \"double-geometric\"\nepsilon = \"1/2\"\n"
        );
        let declaration = Declaration::parse(&text, "small.toml", Path::new(".")).unwrap();
        let domain = declaration.domain().unwrap();
        let predicate = declaration.data.filter.as_ref().unwrap().bind(&["county", "age", "sex"]).unwrap();
        // Whole numbers are all that a dimension of integers reads.
        let passes = |county: &str, age: usize| {
            let holds = |sex: &str| {
                let row = [county.to_owned(), age.to_string(), sex.to_owned()];
                predicate.holds(&|column: usize| row[column].as_str()).unwrap()
            };
            ["f", "m", "x"].into_iter().any(holds)
        };
        let mut expected = Vec::new();
        let mut walk = domain.walk();
        while let Some((_, codes)) = walk.advance() {
            // Where two dimensions of one column contradict each other there is no row at all.
            let is_one = codes[1] / 2 == codes[2];
            expected.push(is_one.then(|| !passes(["A", "B", "C"][codes[0]], codes[1])));
        }
        let found = emptied(&declaration, &domain, true).unwrap().unwrap_or_else(|| vec![false; domain.len()]);
        some += usize::from(found.contains(&true) && found.contains(&false));
        let missed = (0..domain.len()).find(|cell| expected[*cell].is_some_and(|expected| found[*cell] != expected));
        assert_eq!(missed.map(|cell| domain.describe(cell)), None, "{trial}: {filter}");
    }
    assert!(some > 100, "{some}");
}

#[test]
fn a_total_of_the_rows_of_one_cell_is_that_cell() {
    let spec = |filter: &str, by: &str, method: &str| {
        let text = format!(
            "[data]\npath = \"x.csv\"\npublic = true\nwhere = \"{filter}\"\n[dimensions]\ncounty = [\"Alpha\", \"Beta\"]\n\
             education = [\"Low\", \"Medium\", \"High\"]\n[[invariant]]\nby = [{by}]\n[mechanism]\n{method}\n"
        );
        Case::of(Declaration::parse(&text, "small.toml", Path::new(".")).unwrap()).unwrap()
    };
    let noisy = "noise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"";
    for method in ["method = \"suppress\"\nepsilon = 0", noisy] {
        let case = spec("county = 'Alpha' and education = 'Low'", "", method);
        let totals = [vec![7]];
        let found = confined(&case, &totals, &|_| {}).unwrap();
        assert_eq!((found.disclosed_cells, found.disclosed[0].value), (6, 7));
        assert_eq!(found.check_open(&case).unwrap_err().kind, Kind::Refused);
        let plan = case.plan(&case.analyse(&totals).unwrap()).unwrap();
        assert_eq!(derive(&case, &totals, &plan, &|_| {}).unwrap_err().kind, Kind::Refused);
        // Two rows of cells are left, one of them with one cell.
        let some = spec("county = 'Alpha' or education = 'High'", "\"county\"", method);
        let found = confined(&some, &[vec![9, 4]], &|_| {}).unwrap();
        let disclosed: Vec<(&str, i64)> = found.disclosed.iter().map(|cell| (cell.cell.as_str(), cell.value)).collect();
        let high = "county = Beta, education = ";
        assert_eq!(disclosed.len(), 3);
        assert!(
            disclosed.iter().all(|(cell, value)| cell.starts_with(high) && (*value == 4) == cell.ends_with("High"))
        );
        found.check_open(&some).unwrap();
    }
}

#[test]
fn a_filter_by_a_level_leaves_the_cells_elsewhere_empty() {
    let case = |filter: &str| {
        let text = format!(
            "[data]\npath = \"x.csv\"\npublic = true\nwhere = \"{filter}\"\n[dimensions]\nplace = {{ levels = [\"state\", \"place\"], rows \
             = [[\"Maine\", \"1\"], [\"Maine\", \"2\"], [\"Ohio\", \"3\"]] }}\n[[invariant]]\nby = []\n[mechanism]\nmethod = \
             \"suppress\"\nepsilon = 0\n"
        );
        Case::of(Declaration::parse(&text, "small.toml", Path::new(".")).unwrap()).unwrap()
    };
    let found = |filter: &str| confined(&case(filter), &[vec![5]], &|_| {}).unwrap();
    assert_eq!(found("state = 'Maine'").emptied, Some(vec![false, false, true]));
    assert_eq!(found("state = 'Ohio'").disclosed_cells, 3);
    assert_eq!(found("state = 'Ohio' or place = '2'").emptied, Some(vec![true, false, false]));
    // A total of rows that have no place by these labels: the column holds something else.
    assert_eq!(found("state = 'ME'").emptied, None);
}

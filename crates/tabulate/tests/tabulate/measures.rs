//! Measures: every row of the file gives a count to each of several columns.

use crate::declared::{counts, problem, read, text, with_dimensions};
use declare::{Comparison, Declaration, Duplicates, Policy, Record, Values};

/// County by measure: cases and deaths.
fn declaration() -> Declaration {
    let counties = Values::List(["Alpha", "Beta", "Gamma"].map(String::from).to_vec());
    let columns = ["cases", "deaths"].map(String::from).to_vec();
    with_dimensions(vec![
        ("measure", "measure", Values::Measures { columns, record: Record::Any }),
        ("county", "county", counties),
    ])
}

#[test]
fn every_row_counts_in_each_measure() {
    let content = "county,deaths,cases\nAlpha,1,5\nGamma,0,7\n";
    assert_eq!(counts(&declaration(), content), [5, 0, 7, 1, 0, 0]);
}

#[test]
fn policies_apply_to_whole_rows() {
    let mut declaration = declaration();
    declaration.data.missing = Policy::Drop;
    declaration.data.outside = Policy::Drop;
    declaration.data.duplicates = Duplicates::Sum;
    let content = "county,deaths,cases\nAlpha,1,5\nAlpha,1,\nZulu,2,2\nAlpha,2,3\n";
    let tabulated = read(&declaration, content).expect("a table");
    assert_eq!(tabulated.table.counts(), [8, 0, 0, 3, 0, 0]);
    assert_eq!((tabulated.rows.dropped_missing, tabulated.rows.dropped_outside), (1, 1));
}

#[test]
fn a_structural_zero_of_one_measure_is_kept() {
    let mut declaration = declaration();
    declaration.constraints.zero = vec![text("measure", Comparison::Equal, "deaths")];
    let zeros = [3, 4, 5];
    let fine = crate::declared::read_with_zeros(&declaration, b"county,deaths,cases\nAlpha,0,5\n", &zeros);
    assert_eq!(fine.expect("no deaths").table.counts(), [5, 0, 0]);
    let broken = crate::declared::read_with_zeros(&declaration, b"county,deaths,cases\nAlpha,1,5\n", &zeros);
    assert_eq!(broken.expect_err("a death").message, "the data break the structural zero `measure = 'deaths'`");
}

#[test]
fn faults_name_the_measure() {
    let mut found = String::new();
    let mut case = |title: &str, content: &str| found += &format!("# {title}\n{}\n", problem(&declaration(), content));
    case("no column of a measure", "county,cases,death\nAlpha,5,1\n");
    case("missing count", "county,cases,deaths\nAlpha,5,\n");
    case("negative count", "county,cases,deaths\nAlpha,5,-1\n");
    case("not a number", "county,cases,deaths\nAlpha,many,1\n");
    case("the same place twice", "county,cases,deaths\nAlpha,5,1\nBeta,5,1\nAlpha,2,2\n");
    case("outside", "county,cases,deaths\nAlhpa,5,1\n");
    insta::assert_snapshot!(found);
}

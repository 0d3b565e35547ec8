//! What is read is what stands in the file.

use crate::declared::{and, counted, counts, declaration, integer, read, text, with_dimensions, zones};
use declare::{Comparison, Declaration, Duplicates, Expression, Literal, Policy, Values};
use proptest::prelude::*;

#[test]
fn records_are_counted() {
    let content = "county,age\nAlpha,0\nGamma,3\nAlpha,0\nBeta,2\n";
    assert_eq!(counts(&declaration(), content), [2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
}

#[test]
fn counts_are_read_and_other_columns_ignored() {
    let content = "note,children,age,county\nx,5,0,Alpha\ny,3.0,3,Gamma\nz, 4 ,1,Alpha\n";
    assert_eq!(counts(&counted(), content), [5, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
}

#[test]
fn the_largest_count_is_two_to_the_53() {
    let read = counts(&counted(), "county,age,children\nAlpha,0,9007199254740992\n");
    assert_eq!(read[0], 1 << 53);
}

#[test]
fn the_form_of_the_file_does_not_matter() {
    let expected = counts(&declaration(), "county,age\nAlpha,1\nBeta,2\n");
    for content in [
        "county,age\r\nAlpha,1\r\nBeta,2\r\n",
        "\u{feff}county,age\nAlpha,1\nBeta,2\n",
        "\u{feff}\"county\",\"age\"\nAlpha,1\nBeta,2\n",
        "county,age\nAlpha,1\nBeta,2",
        "county,age\n\nAlpha,1\n\n\nBeta,2\n\n",
        "\"county\",age\n\"Alpha\",\"1\"\nBeta,\" 2\"\n",
        "county,note,age\nAlpha,\"a\nb, \"\"c\"\"\",1\nBeta,,2\n",
    ] {
        assert_eq!(counts(&declaration(), content), expected, "{content:?}");
    }
    let mut tsv = declaration();
    tsv.data.path = "data.TSV".into();
    assert_eq!(counts(&tsv, "county\tage\tnote\nAlpha\t1\ta,b\nBeta\t2\t\n"), expected);
}

#[test]
fn a_header_alone_is_a_table_of_zeros() {
    assert_eq!(counts(&declaration(), "county,age\n"), [0; 12]);
}

#[test]
fn labels_beyond_ascii_are_matched() {
    let places = Values::List(vec!["Zürich".into(), "Malmö, \"Syd\"".into()]);
    let declaration = with_dimensions(vec![("place", "Ort", places)]);
    assert_eq!(counts(&declaration, "Ort\nZürich\n\"Malmö, \"\"Syd\"\"\"\nZürich\n"), [2, 1]);
}

#[test]
fn bins_and_keys_find_their_cells() {
    let bins = Values::Bins { edges: vec![0, 5, 18], open: true };
    let declaration = with_dimensions(vec![("place", "zone", zones()), ("age", "age", bins)]);
    assert_eq!(counts(&declaration, "age,zone\n4.9,10\n5,10\n99,30\n0,20\n"), [1, 1, 0, 1, 0, 0, 0, 0, 1]);
}

#[test]
fn dropped_rows_are_counted() {
    let mut declaration = counted();
    declaration.data.outside = Policy::Drop;
    declaration.data.missing = Policy::Drop;
    declaration.data.filter = Some(text("state", Comparison::NotEqual, "Ohio"));
    let content = "state,county,age,children\n,Alpha,0,1\nOhio,Alpha,0,1\nIowa,,0,1\nIowa,Zulu,,1\n\
                   Iowa,Zulu,0,1\nIowa,Alpha,1,\nIowa,Alpha,9,1\nIowa,Beta,0,4\n";
    let tabulated = read(&declaration, content).expect("all else is dropped");
    assert_eq!(tabulated.rows.read, 8);
    assert_eq!(tabulated.rows.filtered, 1);
    assert_eq!(tabulated.rows.dropped_missing, 3);
    assert_eq!(tabulated.rows.dropped_outside, 2);
    assert_eq!(tabulated.table.counts(), [1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn duplicates_are_added_when_asked() {
    let mut declaration = counted();
    declaration.data.duplicates = Duplicates::Sum;
    assert_eq!(counts(&declaration, "county,age,children\nAlpha,0,2\nAlpha,0,3\n")[0], 5);
}

#[test]
fn filters_compare_texts_and_numbers() {
    let content = "county,age,code\nAlpha,0,7\nAlpha,1,07\nAlpha,2,7.5\nAlpha,3,x\n";
    let kept = |filter: Expression| {
        let mut declaration = declaration();
        declaration.data.filter = Some(filter);
        counts(&declaration, content)[..4].to_vec()
    };
    let among = |values: Vec<Literal>| Expression::In { name: "code".into(), values };
    assert_eq!(kept(text("code", Comparison::Equal, "7")), [1, 0, 0, 0]);
    assert_eq!(kept(integer("code", Comparison::Equal, 7)), [1, 1, 0, 0]);
    assert_eq!(kept(integer("code", Comparison::NotEqual, 7)), [0, 0, 1, 1]);
    assert_eq!(kept(among(vec![Literal::Integer(7), Literal::Text("x".into())])), [1, 1, 0, 1]);
    let numbers = text("code", Comparison::NotEqual, "x");
    assert_eq!(kept(and(numbers.clone(), integer("code", Comparison::Greater, 7))), [0, 0, 1, 0]);
    assert_eq!(kept(and(numbers, integer("code", Comparison::LessOrEqual, 7))), [1, 1, 0, 0]);
    let either =
        Expression::Or(Box::new(text("code", Comparison::Equal, "x")), Box::new(integer("code", Comparison::Less, 8)));
    assert_eq!(kept(either), [1, 1, 1, 1]);
    assert_eq!(kept(Expression::Not(Box::new(text("code", Comparison::Equal, "x")))), [1, 1, 1, 0]);
}

#[test]
fn a_filter_that_compares_an_empty_field_with_a_number_finds_a_missing_value() {
    let mut declaration = declaration();
    declaration.data.missing = Policy::Drop;
    let content = "county,age,code\nAlpha,0,7\nAlpha,1, 7.0 \nAlpha,2,\nAlpha,3,8\n";
    let among = Expression::In { name: "code".into(), values: vec![Literal::Integer(7), Literal::Text("x".into())] };
    for (filter, kept) in [
        (integer("code", Comparison::Equal, 7), [1, 1, 0, 0]),
        (integer("code", Comparison::NotEqual, 7), [0, 0, 0, 1]),
        (integer("code", Comparison::Less, 8), [1, 1, 0, 0]),
        (among, [1, 1, 0, 0]),
    ] {
        declaration.data.filter = Some(filter);
        let tabulated = read(&declaration, content).expect("the empty field is dropped");
        assert_eq!(tabulated.table.counts()[..4], kept);
        assert_eq!(tabulated.rows.dropped_missing, 1);
    }
    declaration.data.filter = Some(text("code", Comparison::Equal, ""));
    assert_eq!(counts(&declaration, content)[..4], [0, 0, 1, 0]);
}

#[test]
fn nothing_prints_the_counts() {
    let tabulated = read(&counted(), "county,age,children\nAlpha,0,777\n").expect("a table");
    assert_eq!(format!("{:?}", tabulated.table), "Table(12 cells, redacted)");
    assert_eq!(format!("{tabulated:?}"), "Tabulated { table: Table(12 cells, redacted), rows: RowTally(redacted) }");
}

#[test]
fn progress_ends_with_the_size_of_the_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("data.csv");
    let content = format!("county,age\n{}", "Alpha,1\n".repeat(20_000));
    std::fs::write(&path, &content).expect("a file");
    let mut seen = Vec::new();
    let declaration = declaration();
    let domain = crate::declared::domain(&declaration, &[]);
    tabulate::tabulate(&declaration, &domain, directory.path(), &mut |bytes| seen.push(bytes)).expect("a table");
    assert_eq!(seen.last(), Some(&(content.len() as u64)));
    assert!(seen.len() > 2 && seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
}

/// Splits plain lines at commas and searches every list: slow, obvious, and shares nothing with the
/// reader.
fn naive(declaration: &Declaration, rows: &[(usize, usize, u32)]) -> Vec<i64> {
    let ages = declaration.schema.dimensions[1].values.len();
    let mut counts = vec![0; declaration.schema.combinations().expect("small")];
    for (county, age, count) in rows {
        counts[county * ages + age] += i64::from(*count);
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_naive_tabulator(
        rows in prop::collection::vec((0usize..3, 0usize..4, 0u32..1000, any::<bool>()), 0..40),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let mut declaration = counted();
        declaration.data.duplicates = Duplicates::Sum;
        let mut content = format!("age,children,county{ending}");
        for (county, age, count, quoted) in &rows {
            let label = declaration.schema.dimensions[0].values.label(*county);
            let label = if *quoted { format!("\"{label}\"") } else { label };
            content += &format!("{age},{count},{label}{ending}");
        }
        let plain: Vec<(usize, usize, u32)> = rows.iter().map(|row| (row.0, row.1, row.2)).collect();
        prop_assert_eq!(counts(&declaration, content), naive(&declaration, &plain));
    }

    #[test]
    fn random_bytes_never_panic(content in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&declaration(), &content).map_err(|problem| crate::declared::shown(&problem));
    }

    #[test]
    fn random_rows_never_panic(
        body in "[\",\r\n\t Alph0-9.ü\u{0}]{0,80}",
        drop in any::<bool>(),
    ) {
        let mut declaration = counted();
        if drop {
            declaration.data.outside = Policy::Drop;
            declaration.data.missing = Policy::Drop;
        }
        declaration.data.filter = Some(integer("age", Comparison::Less, 3));
        let content = format!("county,age,children\nAlpha,1,2\n{body}");
        let _ = read(&declaration, content).map_err(|problem| crate::declared::shown(&problem));
    }
}

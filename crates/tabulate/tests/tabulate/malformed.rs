//! Every way a data file can be wrong, and what the curator reads then.

use crate::declared::{
    and, counted, declaration, integer, problem, read_with_zeros, shown, text, with_dimensions, zones,
};
use declare::{Comparison, Declaration, Kind, Policy, Values};

/// Collects the messages of several files in one snapshot.
struct Cases(String);

impl Cases {
    fn new() -> Self {
        Cases(String::new())
    }

    fn add(&mut self, title: &str, declaration: &Declaration, content: impl AsRef<[u8]>) {
        self.0 += &format!("# {title}\n{}\n", problem(declaration, content));
    }
}

#[test]
fn headers() {
    let mut cases = Cases::new();
    cases.add("empty file", &declaration(), "");
    cases.add("only blank lines", &declaration(), "\n\r\n\n");
    cases.add("misspelt column", &declaration(), "County,age\nAlpha,1\n");
    cases.add("no such column", &declaration(), "place,age,sex\nAlpha,1,f\n");
    cases.add("no column of counts", &counted(), "county,age,childs\nAlpha,1,3\n");
    cases.add("a column twice", &declaration(), "county,age,county\nAlpha,1,Beta\n");
    cases.add("semicolons", &declaration(), "county;age\nAlpha;1\n");
    cases.add("after a byte order mark", &declaration(), "\u{feff}kounty,age\nAlpha,1\n");
    cases.add("UTF-16", &declaration(), b"\xff\xfec\0o\0u\0n\0t\0y\0,\0a\0g\0e\0\n\0");
    let other = with_dimensions(vec![("place", "geoid", Values::List(vec!["a".into()]))]);
    cases.add("column under another name", &other, "place\na\n");
    insta::assert_snapshot!(cases.0);
}

#[test]
fn values() {
    let mut cases = Cases::new();
    cases.add("misspelt label", &declaration(), "county,age\nAlpha,1\nAlhpa,2\n");
    cases.add("unknown label", &declaration(), "county,age\nZulu,1\n");
    cases.add("spaces around a label", &declaration(), "county,age\nBeta ,1\n");
    cases.add("integer outside", &declaration(), "county,age\nAlpha,4\n");
    cases.add("fractional age", &declaration(), "county,age\nAlpha,1.5\n");
    cases.add("not a number", &declaration(), "county,age\nAlpha,one\n");
    cases.add("missing", &declaration(), "county,age\nAlpha,1\n  ,2\n");
    cases.add("missing at the end", &declaration(), "county,age\nAlpha,\n");
    cases.add("NA is a value, not a missing one", &declaration(), "county,age\nNA,1\n");
    let bins = with_dimensions(vec![("age", "age", Values::Bins { edges: vec![0, 5, 18], open: false })]);
    cases.add("bin outside", &bins, "age\n18\n");
    let open = with_dimensions(vec![("age", "age", Values::Bins { edges: vec![0, 5], open: true })]);
    cases.add("open bin outside", &open, "age\n-1\n");
    let place = with_dimensions(vec![("place", "zone", zones())]);
    cases.add("not a key of the hierarchy", &place, "zone\nAllerton\n");
    let many = with_dimensions(vec![("n", "n", Values::List((0..50).map(|n| format!("value {n}")).collect()))]);
    cases.add("one of many", &many, "n\nelse\n");
    insta::assert_snapshot!(cases.0);
}

#[test]
fn rows() {
    let mut cases = Cases::new();
    cases.add("too few fields", &declaration(), "county,age\nAlpha,1\nBeta\n");
    cases.add("too many fields", &declaration(), "county,age\r\nAlpha,1\r\nBeta,1,2\r\n");
    cases.add("invalid UTF-8", &declaration(), b"county,age\nAlpha,1\nB\xe9ta,2\n");
    cases.add("invalid UTF-8 in an unused column", &declaration(), b"county,age,note\nAlpha,1,caf\xe9\n");
    cases.add("unclosed quotation mark", &declaration(), "county,age\nAlpha,1\n\"Beta,2\nGamma,3\n");
    cases.add("after a value of two lines", &declaration(), "county,age,note\nAlpha,1,\"two\nlines\"\n\nBeta,7,x\n");
    cases.add("on the second line of a row", &declaration(), "note,county,age\n\"two\nlines\",Beta,7\n");
    cases.add("quoted value", &declaration(), "county,age\n\"Al,pha\",1\n");
    cases.add("line ends of old machines", &declaration(), "county,age\rAlpha,1\rBeta,9\r");
    cases.add("very long value", &declaration(), format!("county,age\n{},1\n", "x".repeat(100)));
    cases.add("control characters", &declaration(), "county,age\nAl\u{1b}[31mpha,1\n");
    let mut tsv = declaration();
    tsv.data.path = "data.tsv".into();
    cases.add("tab-separated", &tsv, "county\tage\nAlpha\t1\nBeta\t9\n");
    insta::assert_snapshot!(cases.0);
}

#[test]
fn counts() {
    let mut cases = Cases::new();
    let file = |count: &str| format!("county,age,children\nAlpha,1,2\nBeta,1,{count}\n");
    cases.add("negative", &counted(), file("-3"));
    cases.add("fractional", &counted(), file("2.5"));
    cases.add("not a number", &counted(), file("many"));
    cases.add("scientific", &counted(), file("1e3"));
    cases.add("above 2^53", &counted(), file("9007199254740993"));
    cases.add("overflowing", &counted(), file(&"9".repeat(40)));
    cases.add("overflowing sum", &counted(), file("9007199254740991"));
    cases.add("missing", &counted(), file(""));
    cases.add("the same cell twice", &counted(), "county,age,children\n\nAlpha,1,2\nBeta,1,3\nAlpha,1,2\n");
    insta::assert_snapshot!(cases.0);
}

#[test]
fn filters() {
    let mut cases = Cases::new();
    let mut filtered = declaration();
    filtered.data.filter = Some(text("state", Comparison::Equal, "Illinois"));
    cases.add("no such column", &filtered, "county,age,States\nAlpha,1,Illinois\n");
    filtered.data.filter = Some(text("county", Comparison::Less, "B"));
    cases.add("ordering a text", &filtered, "county,age\nAlpha,1\n");
    filtered.data.filter = Some(integer("year", Comparison::GreaterOrEqual, 2000));
    cases.add("not a number", &filtered, "county,age,year\nAlpha,1,2001\nAlpha,1,n/a\n");
    cases.add("missing", &filtered, "county,age,year\nAlpha,1,2001\nAlpha,1,\n");
    insta::assert_snapshot!(cases.0);
}

#[test]
fn structural_zeros_name_the_rule_and_nothing_else() {
    let mut zeros = counted();
    zeros.constraints.zero = vec![
        text("county", Comparison::Equal, "Gamma"),
        and(text("county", Comparison::Equal, "Alpha"), integer("age", Comparison::Less, 1)),
    ];
    let rows = "county,age,children\nAlpha,0,777\nBeta,1,2\n";
    let found = read_with_zeros(&zeros, rows.as_bytes(), &[0, 8, 9, 10, 11]).expect_err("a broken rule");
    assert_eq!(found.kind, Kind::Bad);
    assert_eq!(found.place, None);
    let first = shown(&found);
    assert!(!first.contains("777"), "{first}");
    insta::assert_snapshot!(first);
    let swapped = "county,age,children\nAlpha,0,5\nGamma,3,1\n";
    let found = read_with_zeros(&zeros, swapped.as_bytes(), &[0, 8, 9, 10, 11]).expect_err("a broken rule");
    assert!(found.message.ends_with("`county = 'Gamma'`"), "{}", found.message);
    let zero = "county,age,children\nAlpha,0,0\nBeta,1,2\n";
    let tabulated = read_with_zeros(&zeros, zero.as_bytes(), &[0, 8, 9, 10, 11]).expect("an explicit zero is true");
    assert_eq!(tabulated.table.counts(), [0, 0, 0, 0, 2, 0, 0]);
}

#[test]
fn files() {
    let directory = tempfile::tempdir().expect("a directory");
    let domain = crate::declared::domain(&declaration(), &[]);
    let mut report = String::new();
    std::fs::write(directory.path().join("data-2024.csv"), "county,age\n").expect("a file");
    std::fs::create_dir(directory.path().join("folder.csv")).expect("a folder");
    for name in ["data-2O24.csv", "nothing.csv", "folder.csv", "data.parquet", "data.csv.gz", "data.ods", "data"] {
        let mut declaration = declaration();
        declaration.data.path = name.into();
        let problem =
            tabulate::tabulate(&declaration, &domain, directory.path(), &mut |_| {}).expect_err("no data file");
        report += &format!("# {name}\n{}\n", shown(&problem));
    }
    insta::assert_snapshot!(report);
}

#[test]
fn a_row_without_end_is_refused_before_it_fills_the_memory() {
    let content = format!("county,age\nAlpha,1\n\"{}", "x\n".repeat(1 << 20));
    let found = crate::declared::read(&declaration(), content).expect_err("too long");
    assert_eq!(found.message, "a row is longer than a mebibyte");
    assert_eq!(found.place.map(|place| place.line()), Some(3));
}

#[test]
fn an_open_quotation_mark_is_an_error_even_where_rows_are_dropped() {
    let mut lenient = declaration();
    lenient.data.outside = Policy::Drop;
    let found = crate::declared::read(&lenient, "age,county\n1,Alpha\n2,\"Beta\n3,Gamma\n").expect_err("an open mark");
    assert_eq!(found.message, "a quotation mark is never closed");
    assert_eq!(found.place.map(|place| place.line()), Some(3));
    assert!(crate::declared::read(&lenient, "age,county\n1,Alpha\n2,\"Beta\n3,Gamma\"\n").is_ok());
}

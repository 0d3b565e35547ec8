//! Exact quantities of whole tables: figures known from elsewhere, and what is told about
//! confidential tables.

use congenial::{ErrorLaws, ExpectedError, Kind, Prepared, Quiet};
use std::fs;
use std::path::Path;

/// What confidential data need.
const BUDGET: &str = "[budget]\ndataset = \"x\"\nledger = \"sqlite:ledger.db\"\n";

fn near(found: f64, known: f64, digits: i32) {
    let unit = 10f64.powi(-digits);
    assert!((found - known).abs() <= 0.5001 * unit, "{found} is not {known} to {digits} digits");
}

#[test]
fn sex_by_age() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sex-by-age/spec.toml");
    let prepared = Prepared::open(&spec, &Quiet).unwrap();
    let laws = prepared.quantities().unwrap();
    assert!(!laws.any_table);
    near(laws.log_probability.unwrap(), -11.540_585_55, 8);
    near(laws.expected_l1().unwrap(), 73.532_671, 6);
    near(laws.expected_l2_squared().unwrap(), 235.235_8, 4);
    let domain = &prepared.opened().domain;
    let cell = (0..domain.len()).find(|cell| domain.describe(*cell).contains("45-49")).unwrap();
    assert!(domain.describe(cell).contains("Female"));
    // One woman of that age was counted.
    near(laws.error(cell).unwrap().probability(-1), 0.207_688_3, 7);
    let json = prepared.expected_error().json(domain);
    assert_eq!(json["given"], "the public table");
    near(json["expected_l1"].as_f64().unwrap(), 73.532_671, 6);
    assert_eq!(json["largest"].as_array().unwrap().len(), 5);
    // Totals are exact, so the biases of all cells cancel.
    let bias: f64 = laws.cells.iter().map(|(_, law)| law.mean()).sum();
    assert!(bias.abs() < 1e-9, "{bias}");
}

/// The taxi zones of New York: 263 zones in boroughs of these sizes, noise on all 263 + 6 + 1
/// nodes.
fn taxi(folder: &Path, epsilon: &str, more: &str, count: impl Fn(usize) -> usize) -> ErrorLaws {
    let boroughs =
        [("EWR", 1), ("Bronx", 43), ("Brooklyn", 61), ("Manhattan", 69), ("Queens", 69), ("Staten Island", 20)];
    let (mut lookup, mut data) = ("zone,borough\n".to_owned(), "zone,trips\n".to_owned());
    let zones = boroughs.into_iter().flat_map(|(borough, zones)| std::iter::repeat_n(borough, zones));
    for (zone, borough) in zones.enumerate() {
        lookup += &format!("{zone},{borough}\n");
        data += &format!("{zone},{}\n", count(zone));
    }
    fs::write(folder.join("zones.csv"), lookup).unwrap();
    fs::write(folder.join("trips.csv"), data).unwrap();
    let query = |by: &str| format!("[[mechanism.query]]\nby = [{by}]\nepsilon = \"{epsilon}\"\n");
    let text = format!(
        "[data]\npath = \"trips.csv\"\ncount = \"trips\"\n{more}\n[dimensions]\n\
         zone = {{ path = \"zones.csv\", key = \"zone\", levels = [\"borough\", \"zone\"] }}\n\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nper = \"unit\"\n{}{}{}{BUDGET}",
        query(""),
        query("\"borough\""),
        query("\"zone\"")
    );
    let spec = folder.join("spec.toml");
    fs::write(&spec, text).unwrap();
    Prepared::open(&spec, &Quiet).unwrap().quantities().unwrap()
}

#[test]
fn noise_on_every_node_of_a_hierarchy() {
    let folder = tempfile::tempdir().unwrap();
    let known = [
        ("1/2", [0.005_86, 0.031_89, 1.827_89]),
        ("1", [0.002_47, 0.013_06, 0.806_82]),
        ("2", [0.000_54, 0.002_71, 0.255_38]),
    ];
    for (epsilon, known) in known {
        // The error is the same for every table, so that even of a confidential one it may be told.
        let laws = taxi(folder.path(), epsilon, "", |zone| zone);
        assert!(laws.any_table);
        for (query, known) in laws.queries.iter().zip(known) {
            near(query.expected_l1().unwrap() / 270.0, known, 5);
        }
        assert_eq!(laws.queries.iter().map(|query| query.sums.len()).collect::<Vec<_>>(), [1, 6, 263]);
        near(laws.expected_l1().unwrap() / 270.0, known[2], 5);
        let other = taxi(folder.path(), epsilon, "public = true", |zone| 1000 - 3 * zone);
        assert_eq!(other, laws);
    }
}

/// Four cells with a total and bounds.
fn four_cells(folder: &Path, public: bool, counts: [u64; 4]) -> Prepared {
    let [a, b, c, d] = counts;
    fs::write(folder.join("x.csv"), format!("row,column,n\na,1,{a}\na,2,{b}\nb,1,{c}\nb,2,{d}\n")).unwrap();
    let text = format!(
        "[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = {public}\n\
         [dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n[[invariant]]\nby = [\"row\"]\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n{BUDGET}"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    Prepared::open(&path, &Quiet).unwrap()
}

#[test]
fn what_depends_on_a_confidential_table_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |counts| {
        let prepared = four_cells(folder.path(), false, counts);
        let error = prepared.expected_error();
        assert!(matches!(error, ExpectedError::NotTold { .. }));
        assert_eq!(prepared.quantities().unwrap_err().kind, Kind::Refused);
        error.text(&prepared.opened().domain)
    };
    let text = told([7, 5, 11, 3]);
    assert_eq!(text, told([12, 0, 1, 13]));
    assert!(text.contains("counts are kept at or above zero"), "{text}");
    let public = four_cells(folder.path(), true, [7, 5, 11, 3]);
    let text = public.expected_error().text(&public.opened().domain);
    assert!(text.contains("given the public table"), "{text}");
    // In a row of 12 the cells err by opposite amounts, between −7 and 5: e^{−|u|} on these.
    let law = public.quantities().unwrap().error(0).unwrap().clone();
    let weights: Vec<(i64, f64)> = (-7..=5i64).map(|u| (u, (-(u.abs() as f64)).exp())).collect();
    let whole: f64 = weights.iter().map(|(_, weight)| weight).sum();
    for (u, weight) in weights {
        assert!((law.probability(u) - weight / whole).abs() < 1e-12);
    }
    assert_eq!((law.probability(-8), law.probability(6)), (0.0, 0.0));
}

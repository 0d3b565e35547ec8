//! The order of a cascade is public: a copy of confidential data is refused, and that it is one is
//! counted.

use crate::scene::{Scene, at, by_ann, releasing, releasing_with, sqlite};
use certify::{Certificate, sha256};
use congenial::ledgers::{Address, Amount, Charge, NewDataset, Unit};
use congenial::{
    Changes, Finishing, Format, Kind, Verified, VerifyOptions, finish_release, look_up, present_as, verify,
};
use std::fs;
use std::path::PathBuf;

/// Rows of a 4 × 4 table by county and education.
fn rows(salt: usize) -> Vec<String> {
    let row = |cell: usize| {
        let n = 13 + (29 + salt) * (cell / 4) + 7 * (cell % 4) * (cell % 4) + (3 + salt) * (cell / 4) * (cell % 4);
        format!("c{},e{},{n}", cell / 4, cell % 4)
    };
    (0..16).map(row).collect()
}

fn write(scene: &Scene, name: &str, rows: &[String]) {
    fs::write(scene.path(name), format!("county,education,n\n{}\n", rows.join("\n"))).unwrap();
}

/// A scene whose datasets `children` and `others` may cost ρ = 1 each.
fn scene() -> Scene {
    let scene = sqlite();
    let mut ledger = scene.open("1", false);
    let budget = Charge { amount: Amount::ZeroConcentrated { rho: "1".parse().unwrap() }, per: Unit::Record };
    for name in ["places", "others"] {
        let dataset = NewDataset {
            name: name.into(),
            budget: budget.clone(),
            approval: false,
            partition: None,
            by: "ann".into(),
        };
        ledger.open_dataset(&dataset).unwrap();
    }
    write(&scene, "data.csv", &rows(0));
    scene
}

/// A spec of confidential data that are released by a cascade.
fn spec(scene: &Scene, title: &str, data: &str, dataset: &str, order: Option<&str>) -> PathBuf {
    let order = order.map_or(String::new(), |order| format!("order_by = {{ path = \"{order}\", value = \"n\" }}\n"));
    let text = format!(
        "title = \"{title}\"\n[data]\npath = \"{data}\"\ncount = \"n\"\n[dimensions]\ncounty = [\"c0\", \"c1\", \"c2\", \
         \"c3\"]\neducation = [\"e0\", \"e1\", \"e2\", \"e3\"]\n[[invariant]]\nby = [\"county\"]\n[mechanism]\nmethod = \
         \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/100\"\nper = \"record\"\n{order}[budget]\ndataset = \
         \"{dataset}\"\nledger = \"{}\"\n",
        scene.address
    );
    let path = scene.path(&format!("{title}.toml"));
    fs::write(&path, text).unwrap();
    path
}

fn spent(scene: &Scene, dataset: &str) -> String {
    let status = scene.ledger().status().unwrap();
    let known = status.datasets.into_iter().find(|known| known.name == dataset).unwrap();
    let Amount::ZeroConcentrated { rho } = known.spent else { panic!("rho") };
    rho.to_string()
}

#[test]
fn a_copy_of_the_data_is_no_order_of_them() {
    let scene = scene();
    // Other rows first, all counts twice as large: the same order.
    let mut copied: Vec<String> = rows(0);
    copied.reverse();
    let doubled = |row: &String| {
        let (labels, n) = row.rsplit_once(',').unwrap();
        format!("{labels},{}", 2 * n.parse::<i64>().unwrap())
    };
    write(&scene, "copy.csv", &copied);
    write(&scene, "doubled.csv", &copied.iter().map(doubled).collect::<Vec<_>>());
    for order in ["copy.csv", "doubled.csv"] {
        let spec = spec(&scene, "first", "data.csv", "places", Some(order));
        let problem = releasing(&spec, &scene.path("first"), by_ann()).expect_err("it tells of the data");
        assert_eq!(problem.kind, Kind::Refused);
        assert!(problem.message.contains("has the counts of the confidential table"), "{}", problem.message);
        assert!(!scene.path("first").exists());
    }
    assert_eq!(spent(&scene, "places"), "0");
    write(&scene, "last_year.csv", &rows(1));
    let spec = spec(&scene, "second", "data.csv", "places", Some("last_year.csv"));
    releasing(&spec, &scene.path("second"), by_ann()).unwrap();
    assert_eq!(spent(&scene, "places"), "1/100");
}

#[test]
fn confidential_data_that_a_ledger_knows_order_nothing() {
    let scene = scene();
    releasing(&spec(&scene, "known", "data.csv", "places", None), &scene.path("known"), by_ann()).unwrap();
    write(&scene, "other.csv", &rows(5));
    write(&scene, "copy.csv", &rows(0));
    let ordered = spec(&scene, "ordered", "other.csv", "others", Some("copy.csv"));
    let problem = releasing(&ordered, &scene.path("ordered"), by_ann()).expect_err("the ledger knows it");
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.starts_with("this file is read as a public one"), "{}", problem.message);
    assert!(problem.message.contains("`places`"), "{}", problem.message);
    assert!(!scene.path("ordered").exists());
    assert_eq!(spent(&scene, "others"), "0");
}

/// A spec of confidential data that are weighted by a base measure.
fn weighted(scene: &Scene, title: &str, data: &str, base: &str) -> PathBuf {
    let text = format!(
        "title = \"{title}\"\n[data]\npath = \"{data}\"\ncount = \"n\"\n[dimensions]\ncounty = [\"c0\", \"c1\", \"c2\", \
         \"c3\"]\neducation = [\"e0\", \"e1\", \"e2\", \"e3\"]\n[[invariant]]\nby = [\"county\"]\n[mechanism]\nnoise = \
         \"double-geometric\"\nepsilon = \"1/8\"\nper = \"unit\"\n[mechanism.base]\nlaw = \"dirichlet-multinomial\"\npath = \
         \"{base}\"\ncount = \"n\"\nalpha = \"1/10\"\n[budget]\ndataset = \"children\"\nledger = \"{}\"\n",
        scene.address
    );
    let path = scene.path(&format!("{title}.toml"));
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn confidential_data_are_no_base_measure() {
    let scene = scene();
    releasing(&spec(&scene, "known", "data.csv", "places", None), &scene.path("known"), by_ann()).unwrap();
    write(&scene, "other.csv", &rows(5));
    write(&scene, "copy.csv", &rows(0));
    let known = weighted(&scene, "weighted", "other.csv", "copy.csv");
    let problem = releasing(&known, &scene.path("weighted"), by_ann()).expect_err("the ledger knows it");
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.starts_with("this file is read as a public one"), "{}", problem.message);
    write(&scene, "own.csv", &rows(5));
    let own = weighted(&scene, "own", "other.csv", "own.csv");
    let problem = releasing(&own, &scene.path("own"), by_ann()).expect_err("it is the table itself");
    assert_eq!(problem.kind, Kind::Refused);
    assert!(!scene.path("weighted").exists() && !scene.path("own").exists());
    let status = scene.ledger().status().unwrap();
    assert!(status.datasets.iter().any(|known| known.name == "children" && known.spent.to_string() == "ε = 0"));
    write(&scene, "last_year.csv", &rows(1));
    let public = weighted(&scene, "public", "other.csv", "last_year.csv");
    releasing(&public, &scene.path("public"), by_ann()).unwrap();
}

#[test]
fn a_release_stands_without_the_file_that_orders_it() {
    // Bounds off: the intervals of the table follow from the law, and so from the order.
    for (bounded, seed) in [(true, 1), (false, 2), (false, 3)] {
        let scene = scene();
        write(&scene, "last_year.csv", &rows(seed));
        let path = spec(&scene, "kept", "data.csv", "places", Some("last_year.csv"));
        let text = fs::read_to_string(&path).unwrap();
        let constraints = format!("[constraints]\nnonnegative = {bounded}\n[mechanism]");
        fs::write(&path, text.replacen("[mechanism]", &constraints, 1)).unwrap();
        let stop = at("release: kept", || panic!("a library stops"));
        releasing_with(&path, &scene.path("out"), by_ann(), stop).unwrap_err();
        fs::remove_file(scene.path("last_year.csv")).unwrap();
        fs::remove_file(scene.path("data.csv")).unwrap();
        let address = Address::parse(&scene.with_password).unwrap();
        let entry = scene.ledger().unfinished(None).unwrap()[0].number;
        let finishing = Finishing { options: by_ann(), cases: None, from: None };
        let out = scene.path("out");
        finish_release(&address, entry, &out, &finishing, "bea").unwrap();
        let verified = verify(&out, &VerifyOptions::default()).unwrap();
        look_up(&verified, &out, &address).unwrap();
        assert_eq!(spent(&scene, "places"), "1/100");
        assert!(verified.certificate.spec.contains(", by = [\"county\", \"education\"], values = \""));
        let presented = present_as(&out, &scene.path("again"), &Changes::default(), None).unwrap();
        assert_eq!(presented.certificate.spec, verified.certificate.spec);

        // One value of the order is changed: found by the hash of the spec, and where that was made
        // again by what the ledger knows.
        let certificate = out.join("certificate.json");
        let text = fs::read_to_string(&certificate).unwrap();
        let changed = text.replacen("values = \\\"", "values = \\\"9", 1);
        assert_ne!(text, changed);
        fs::write(&certificate, &changed).unwrap();
        let problem = verify(&out, &VerifyOptions::default()).unwrap_err();
        assert!(problem.message.contains("does not have the hash"), "{problem}");
        let mut forged: Certificate = serde_json::from_str(&changed).unwrap();
        forged.spec_sha256 = sha256(forged.spec.as_bytes());
        let forged = Verified { certificate: forged, ..verified };
        fs::write(&certificate, serde_json::to_string(&forged.certificate).unwrap()).unwrap();
        assert!(look_up(&forged, &out, &address).is_err());
    }
}

#[test]
fn a_release_of_an_earlier_version_is_read_with_its_file_or_refused() {
    let scene = scene();
    write(&scene, "last_year.csv", &rows(1));
    let path = spec(&scene, "old", "data.csv", "places", Some("last_year.csv"));
    let text = fs::read_to_string(&path).unwrap();
    let free = text.replacen("[mechanism]", "[constraints]\nnonnegative = false\n[mechanism]", 1);
    fs::write(&path, free.replace("[data]", "[data]\npublic = true").split("[budget]").next().unwrap()).unwrap();
    let out = scene.path("out");
    let mut certificate = releasing(&path, &out, Format::CSV.into()).unwrap().certificate;
    // As versions up to 0.3.0 wrote it: the hash of the file, and not what it says.
    let order = certificate.spec.lines().find(|line| line.starts_with("order_by")).unwrap().to_owned();
    let (kept, _) = order.split_once(", by = ").unwrap();
    certificate.spec = certificate.spec.replace(&order, &format!("{kept} }}"));
    let whole = sha256(certificate.spec.as_bytes());
    let page = fs::read_to_string(out.join("DATA-README.txt")).unwrap();
    fs::write(out.join("DATA-README.txt"), page.replace(&certificate.spec_sha256, &whole)).unwrap();
    certificate.spec_sha256 = whole;
    for listed in &mut certificate.files {
        listed.sha256 = sha256(&fs::read(out.join(&listed.file)).unwrap());
    }
    fs::write(out.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    // The file lies beside the release: its law is rebuilt, and all but the report, which this test
    // did not write, holds.
    let told = |what: &str| {
        let problem = verify(&out, &VerifyOptions::default()).unwrap_err();
        assert!(problem.message.contains(what), "{problem}");
        problem
    };
    told("`report.html`");
    // Another file is no order of it, and no file is none.
    write(&scene, "last_year.csv", &rows(2));
    told("of which the spec has the hash alone");
    fs::remove_file(scene.path("last_year.csv")).unwrap();
    let problem = told("without the file the law of the draw is not known");
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.hint.unwrap().contains("put that file back at `last_year.csv`"));
}

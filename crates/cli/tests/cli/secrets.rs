//! `[secrets]`: what explain prints of every family, what certificates state beside the guarantee,
//! and what is refused.

use crate::run::Folder;
use std::path::Path;

/// The examples, each with its public files.
fn examples() -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/secrets");
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    folder
}

/// What explain says of secrets.
#[track_caller]
fn told(folder: &Folder, spec: &str) -> serde_json::Value {
    let explained = folder.run(&format!("explain {spec} --json")).exits(0).out;
    serde_json::from_str::<serde_json::Value>(&explained).unwrap()["secrets"].clone()
}

#[test]
fn every_family_is_explained() {
    let folder = examples();
    let mut said = String::new();
    for spec in ["independent", "binary", "normal", "finite", "crossing"] {
        let explained = folder.run(&format!("explain {spec}.toml")).exits(0).out;
        let (_, part) = explained.split_once("What it tells of a secret").unwrap();
        said += &format!("$ congenial explain {spec}.toml\nWhat it tells of a secret{part}\n");
    }
    insta::assert_snapshot!("secrets_explained", said);
}

#[test]
fn the_published_figures_come_out() {
    let folder = examples();
    let spec = folder.read("binary.toml");
    for (z0, z1, records) in
        [("0.5", "0.5", 1), ("0.49", "0.51", 3), ("0.45", "0.55", 11), ("0.4", "0.6", 21), ("0.2", "0.8", 61)]
    {
        folder.write(
            "z.toml",
            &spec.replace("z0 = \"0.4\"", &format!("z0 = \"{z0}\"")).replace("z1 = \"0.6\"", &format!("z1 = \"{z1}\"")),
        );
        let told = told(&folder, "z.toml");
        assert_eq!(told["records"], records, "{z0} {z1}");
        assert_eq!((&told["inflation"], &told["epsilon"]), (&records.to_string().into(), &records.to_string().into()));
        assert_eq!(told["distance"], (2 * records).to_string());
    }
    folder.write("z.toml", &format!("{spec}dependence = \"any\"\n"));
    assert_eq!(told(&folder, "z.toml")["records"], 100);
    let spec = folder.read("normal.toml");
    for (correlation, alone, beside) in
        [("0", "0.01", "0.00503"), ("0.01", "0.0199", "0.00674"), ("0.1", "0.109", "0.01018")]
    {
        let spec = spec.replace("correlation = \"0.01\"", &format!("correlation = \"{correlation}\""));
        folder.write("n.toml", &spec);
        assert_eq!(told(&folder, "n.toml")["share"], alone, "{correlation}");
        folder.write("n.toml", &format!("{spec}public_noise = \"1/100\"\n"));
        assert_eq!(told(&folder, "n.toml")["share"], beside, "{correlation}");
    }
}

#[test]
fn losses_compose_as_they_are_proved() {
    let folder = examples();
    let binary = folder.read("binary.toml");
    // Of rho the square counts, mistaken adds twice to epsilon, and per unit a record is two units.
    folder.write(
        "rho.toml",
        &binary
            .replace("double-geometric", "discrete-gaussian")
            .replace("epsilon = \"1\"", "rho = \"1/8\"")
            .replace("[mechanism]", "[constraints]\nnonnegative = false\n\n[mechanism]"),
    );
    let rho = told(&folder, "rho.toml");
    assert_eq!(
        (&rho["rho"], &rho["inflation"], &rho["epsilon"]),
        (&"55.125".into(), &"441".into(), &serde_json::Value::Null)
    );
    folder.write("mistaken.toml", &format!("{binary}mistaken = \"0.25\"\n"));
    assert_eq!(told(&folder, "mistaken.toml")["epsilon"], "21.5");
    folder.write(
        "unit.toml",
        &binary
            .replace("epsilon = \"1\"", "epsilon = \"1\"\nper = \"unit\"")
            .replace("[mechanism]", "[constraints]\nnonnegative = false\n\n[mechanism]"),
    );
    let unit = told(&folder, "unit.toml");
    assert_eq!((&unit["epsilon"], &unit["record_loss"], &unit["inflation"]), (&"42".into(), &"2".into(), &"21".into()));
    // What is not proved is not stated.
    for (name, change) in [
        ("suppress", binary.replace("noise   = \"double-geometric\"\nepsilon = \"1\"", "method = \"suppress\"")),
        (
            "rows",
            binary
                .replace("family = \"binary\"", "family = \"independent\"")
                .replace("n  = 100\nz0 = \"0.4\"\nz1 = \"0.6\"", "")
                .replace("by = []", "by = [\"answer\"]\nwhere = \"answer = 'yes'\""),
        ),
    ] {
        folder.write("other.toml", &change);
        let told = told(&folder, "other.toml");
        assert!(told["not_stated"].is_string() && told["epsilon"].is_null(), "{name}: {told}");
    }
}

#[test]
fn certificates_state_it_beside_the_guarantee_and_verify_derives_it_again() {
    let folder = examples();
    for spec in ["independent", "binary", "normal", "finite", "crossing"] {
        folder.run(&format!("release {spec}.toml --out {spec} --format csv")).exits(0);
        let verified = folder.run(&format!("verify {spec}")).exits(0).out;
        assert!(verified.contains("secrets"), "{verified}");
        let certificate: serde_json::Value =
            serde_json::from_str(&folder.read(&format!("{spec}/certificate.json"))).unwrap();
        let sentence = certificate["secrets"]["sentence"].as_str().unwrap();
        assert!(sentence.ends_with("guarantee does not depend on it."), "{sentence}");
        assert!(certificate["guarantee"]["statement"].as_str().unwrap().starts_with("Take any two tables"));
        let page = folder.read(&format!("{spec}/report.html"));
        assert!(page.contains("What it tells of a secret") && page.contains("never instead of it"), "{spec}");
    }
    for (from, to) in [
        ("\"inflation\": \"21\"", "\"inflation\": \"2\""),
        ("\"epsilon\": \"21\"", "\"epsilon\": \"20\""),
        ("\"records\": 21", "\"records\": 1"),
    ] {
        let before = folder.read("binary/certificate.json");
        folder.replace("binary/certificate.json", from, to);
        let found = folder.run("verify binary").exits(2).err;
        assert!(found.contains("what it tells of secrets"), "{found}");
        folder.write("binary/certificate.json", &before);
    }
    let mut without: serde_json::Value = serde_json::from_str(&folder.read("binary/certificate.json")).unwrap();
    without.as_object_mut().unwrap().remove("secrets");
    folder.write("binary/certificate.json", &without.to_string());
    assert!(folder.run("verify binary").exits(2).err.contains("what it tells of secrets"));
}

#[test]
fn families_that_do_not_fit_the_table_are_bad() {
    let folder = examples();
    let before = folder.listing();
    let binary = folder.read("binary.toml");
    let finite = folder.read("finite.toml");
    let mut said = String::new();
    let mut bad = |name: &str, spec: String| {
        folder.write("bad.toml", &spec);
        assert_eq!(folder.run("check bad.toml").code, 2);
        for command in ["explain bad.toml", "release bad.toml --out bad"] {
            said += &format!("{name}: $ congenial {command}\n{}\n", folder.run(command).exits(2).err);
        }
    };
    bad("too few", binary.replace("n  = 100", "n  = 99"));
    bad("too many", binary.replace("n  = 100", "n  = 101"));
    bad(
        "four cells",
        folder
            .read("independent.toml")
            .replace("by = [\"stratum\"]", "by = []")
            .replace("family = \"independent\"", "family = \"binary\"\nn = 140\nz0 = 0.4\nz1 = 0.6"),
    );
    let worlds = folder.read("worlds.csv");
    folder.write("left.csv", &worlds.replacen("even,2,yes,1/4,south,no,4", "even,2,yes,1/4,south,no,5", 1));
    bad("another total", finite.replace("worlds.csv", "left.csv"));
    folder.write(
        "left.csv",
        &worlds
            .replacen("even,1,yes,1/4,north,yes,3", "even,1,yes,1/4,north,yes,6", 1)
            .replacen("even,1,yes,1/4,north,no,2", "even,1,yes,1/4,north,no,-1", 1)
            .replacen("even,1,yes,1/4,south,no,5", "even,1,yes,1/4,south,no,8\neven,1,yes,1/4,south,yes,-3", 1),
    );
    bad("below zero", finite.replace("worlds.csv", "left.csv"));
    insta::assert_snapshot!("secrets_that_do_not_fit", said);
    std::fs::remove_file(folder.path("bad.toml")).unwrap();
    std::fs::remove_file(folder.path("left.csv")).unwrap();
    assert_eq!(folder.listing(), before, "nothing is written");
}

#[test]
fn curves_are_written_once() {
    let folder = examples();
    let ran = folder.run("explain binary.toml --inflation").exits(0);
    assert!(ran.err.contains("inflation.csv"), "{}", ran.err);
    let curve = folder.read("inflation.csv");
    assert!(
        curve.starts_with("spread,loss,inflation\n0,1,1\n")
            && curve.contains("\n0.2,21,21\n")
            && curve.ends_with("\n1,100,100\n"),
        "{curve}"
    );
    assert!(folder.read("inflation.svg").starts_with("<svg"));
    let again = folder.run("explain binary.toml --inflation").exits(2);
    assert!(again.err.contains("--inflation=FOLDER"), "{}", again.err);
    for (spec, first) in [("normal", "correlation,"), ("finite", "mistaken,"), ("independent", "mistaken,")] {
        std::fs::create_dir(folder.path(spec)).unwrap();
        folder.run(&format!("explain {spec}.toml --inflation={spec}")).exits(0);
        let curve = folder.read(&format!("{spec}/inflation.csv"));
        assert!(curve.starts_with(first) && curve.lines().count() > 20, "{curve}");
    }
    let nothing = folder.run("explain crossing.toml --inflation=normal").exits(2);
    assert!(nothing.err.contains("exists"), "{}", nothing.err);
    std::fs::create_dir(folder.path("empty")).unwrap();
    let nothing = folder.run("explain crossing.toml --inflation=empty").exits(3);
    assert!(nothing.err.contains("cross"), "{}", nothing.err);
    folder.run("explain binary.toml --inflation=nowhere").exits(2);
    let spec = folder.read("binary.toml");
    folder.write("none.toml", spec.split_once("[secrets]").unwrap().0);
    let none = folder.run("explain none.toml --inflation=empty").exits(2);
    assert!(none.err.contains("declares no [secrets]"), "{}", none.err);
    assert!(std::fs::read_dir(folder.path("empty")).unwrap().next().is_none());
}

#[test]
fn nested_totals_and_measures_are_one_moved_record() {
    let folder = examples();
    let independent = folder.read("independent.toml");
    let nested = independent.replace("[mechanism]", "[[invariant]]\nby = []\n\n[mechanism]");
    folder.write("nested.toml", &nested);
    assert_eq!(
        (&told(&folder, "nested.toml")["distance"], &told(&folder, "nested.toml")["epsilon"]),
        (&"2".into(), &"1".into())
    );
    // A total that takes one cell of each stratum crosses both.
    folder.write(
        "other.toml",
        &independent.replace("[mechanism]", "[[invariant]]\nby = []\nwhere = \"answer = 'yes'\"\n\n[mechanism]"),
    );
    assert!(told(&folder, "other.toml")["not_stated"].as_str().unwrap().contains("cross"));
    // With an unknown number of records a rule between cells ties records to each other.
    let tied = independent.replace("[mechanism]", "[[constraints.rule]]\nby = [\"stratum\"]\nleft = \"answer = 'yes'\"\nop = \"<=\"\nright = \"answer = 'no'\"\n\n[mechanism]");
    folder.write("other.toml", &tied);
    assert!(told(&folder, "other.toml")["not_stated"].as_str().unwrap().contains("ties records"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::copy(root.join("data/pa_county_monthly.csv"), folder.path("pa.csv")).unwrap();
    let spec = std::fs::read_to_string(root.join("examples/cases-and-deaths/spec.toml")).unwrap();
    let spec = spec.replace("../../data/pa_county_monthly.csv", "pa.csv");
    folder.write("pa.toml", &format!("{spec}\n[secrets]\n"));
    let told = told(&folder, "pa.toml");
    assert_eq!(
        (&told["distance"], &told["epsilon"], &told["inflation"]),
        (&"4".into(), &"1".into(), &"1".into()),
        "{told}"
    );
    assert!(told["sentence"].as_str().unwrap().contains("each keeping the rules by itself"), "{told}");
}

#[test]
fn a_family_that_does_not_fit_confidential_totals_is_a_counted_answer_and_spends_nothing() {
    let folder = examples();
    folder.replace("finite.toml", "public = true", "public = false");
    let spec = folder.read("finite.toml");
    folder.write(
        "finite.toml",
        &format!("{spec}\n[budget]\ndataset = \"d\"\nledger = \"sqlite:ledger.db\"\nchosen = \"by rule\"\n"),
    );
    folder.run("ledger open d --epsilon 9 --per unit --ledger sqlite:ledger.db --by ann").exits(0);
    let worlds = folder.read("worlds.csv");
    folder.write("worlds.csv", &worlds.replacen("even,2,yes,1/4,south,no,4", "even,2,yes,1/4,south,no,5", 1));
    let refused = folder.run("release finite.toml --out out --by ann").exits(2).err;
    assert!(refused.contains("does not fit the exact totals"), "{refused}");
    let history = folder.run("ledger history --ledger sqlite:ledger.db").exits(0).out;
    assert!(history.contains("whether a spec can be released"), "{history}");
    let status = folder.run("ledger status --ledger sqlite:ledger.db").exits(0).out;
    assert!(status.contains("spent   ε = 0") && !folder.path("out").exists(), "{status}");
    folder.write("worlds.csv", &worlds);
    folder.run("release finite.toml --out out --by ann").exits(0);
    assert!(folder.run("verify out").exits(0).out.contains("family finite"));
    // The data themselves are no public file.
    folder.replace("finite.toml", "worlds.csv", "small.csv");
    assert!(folder.run("explain finite.toml").exits(2).err.contains("the confidential data are read as a public file"));
}

//! Cascades from a spec: what is drawn keeps everything, what is certified does not need the order, what cannot be is refused.

use congenial::{Format, Opened, Prepared, Problem, release, simulate, verify};
use declare::Kind;
use std::fs;
use std::path::{Path, PathBuf};

const DIMENSIONS: &str =
    "[dimensions]\na = [\"1\", \"2\", \"3\"]\nb = [\"1\", \"2\", \"3\"]\nc = [\"1\", \"2\", \"3\"]\n";

/// A spec over three dimensions of three values, with its counts.
fn spec(folder: &Path, invariants: &[&str], rest: &str) -> PathBuf {
    let mut counts = String::from("a,b,c,n\n");
    for cell in 0..27 {
        counts.push_str(&format!("{},{},{},{}\n", cell / 9 + 1, cell / 3 % 3 + 1, cell % 3 + 1, cell * 7 % 11));
    }
    fs::write(folder.join("counts.csv"), counts).unwrap();
    let data = "title = \"A cascade\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n";
    let invariants: String = invariants.iter().map(|by| format!("[[invariant]]\nby = [{by}]\n")).collect();
    let mechanism = "[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\n";
    let path = folder.join("spec.toml");
    fs::write(&path, format!("{data}{DIMENSIONS}{invariants}{mechanism}{rest}")).unwrap();
    path
}

fn planned(spec: &Path) -> Result<Prepared, Problem> {
    Opened::open(spec)?.analyse(&mut |_| {})?.plan()
}

#[test]
fn structures_are_found_and_every_release_verifies() {
    let cases: [(&[&str], &str); 6] = [
        (&["\"a\""], "rho = \"1/4\"\n"),
        (&["\"a\"", "\"a\", \"b\""], "rho = \"1/4\"\nper = \"unit\"\n"),
        (&["\"a\"", "\"b\""], "rho = \"1/4\"\n"),
        (&["\"a\", \"b\"", "\"b\", \"c\""], "rho = \"1/4\"\n"),
        (&[], "rho = \"1/4\"\n"),
        (
            &["\"a\""],
            "rho = \"1/4\"\n[[mechanism.query]]\nby = [\"a\", \"b\"]\nshare = \"1/4\"\n[[mechanism.query]]\nby = [\"a\", \"b\", \"c\"]\n\
             share = \"3/4\"\n",
        ),
    ];
    for (invariants, rest) in cases {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), invariants, rest);
        let released = folder.path().join("release");
        let made = release(&spec, &released, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap();
        let guarantee = &made.certificate.guarantee;
        assert_eq!((guarantee.theorem.as_str(), guarantee.rho.as_deref()), ("G11", Some("1/4")), "{invariants:?}");
        assert!(guarantee.noise.contains("as a cascade"), "{}", guarantee.noise);
        verify(&released).unwrap();
        let table = fs::read_to_string(released.join("table.csv")).unwrap();
        assert!(!table.contains(",-"), "no count is below zero: {table}");
    }
}

#[test]
fn what_a_cascade_cannot_draw_is_refused_with_its_reason() {
    let cases: [(&[&str], &str, &str); 5] = [
        (&["\"a\", \"b\"", "\"b\", \"c\"", "\"a\", \"c\""], "rho = \"1/4\"\n", "may have gaps"),
        (&["\"a\""], "rho = \"9\"\n", "too small for a cascade"),
        (&["\"a\""], "rho = \"1/4\"\n[[mechanism.query]]\nby = [\"a\", \"b\"]\nshare = 1\n", "on the cells themselves"),
        (
            &["\"a\""],
            "rho = \"1/4\"\nper = \"unit\"\n[[mechanism.query]]\nby = [\"a\", \"b\", \"c\"]\nshare = 1\n",
            "no loss per unit of distance",
        ),
        (
            &["\"a\""],
            "rho = \"1/4\"\n[[constraints.rule]]\nby = [\"a\"]\nleft = \"b = '1'\"\nop = \"<=\"\nright = 1000\n",
            "no interval for the rule",
        ),
    ];
    for (invariants, rest, reason) in cases {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), invariants, rest);
        let problem = planned(&spec).map(|_| ()).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{reason}");
        assert!(problem.message.contains(reason), "{}", problem.message);
        assert!(problem.hint.is_some(), "{reason}: a refusal leads on");
        let released = folder.path().join("release");
        assert!(release(&spec, &released, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).is_err());
        assert!(!released.exists(), "nothing is written");
    }
}

#[test]
fn an_order_decides_the_draw_and_is_certified_by_its_hash_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut order = String::from("a,b,c,last\n");
    for cell in 0..27 {
        order.push_str(&format!("{},{},{},{}\n", cell / 9 + 1, cell / 3 % 3 + 1, cell % 3 + 1, (cell * 5) % 27));
    }
    fs::write(folder.path().join("last.csv"), &order).unwrap();
    let rest = "rho = \"1/4\"\norder_by = { path = \"last.csv\", value = \"last\" }\n";
    let ordered = spec(folder.path(), &["\"a\""], rest);
    let draws = |spec: &Path, name: &str| {
        let path = folder.path().join(name);
        simulate(spec, 3, Some(7), &path, &|_| {}, &mut |_| {}).unwrap();
        fs::read_to_string(path).unwrap()
    };
    let with = draws(&ordered, "ordered.csv");
    let released = folder.path().join("release");
    let made = release(&ordered, &released, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap();
    let hash = Opened::open(&ordered).unwrap().declaration.mechanism.order.unwrap().sha256;
    assert!(made.certificate.guarantee.noise.contains(&hash));
    fs::remove_file(folder.path().join("last.csv")).unwrap();
    fs::remove_file(folder.path().join("counts.csv")).unwrap();
    verify(&released).unwrap();
    let plain = spec(folder.path(), &["\"a\""], "rho = \"1/4\"\n");
    assert_ne!(with, draws(&plain, "plain.csv"), "the order is part of the law");
}

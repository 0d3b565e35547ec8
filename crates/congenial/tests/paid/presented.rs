//! Presentation is not identity: another title, output, format or signature neither draws nor pays.

use crate::scene::{Scene, by_ann, releasing, sqlite};
use congenial::ledgers::Address;
use congenial::{
    Certificate, Changes, Format, Kind, Options, VerifyOptions, Wide, look_up, new_keys, present_as, read_table, verify,
};
use std::fs;
use std::path::{Path, PathBuf};

fn address(scene: &Scene) -> Address {
    Address::parse(&scene.with_password).unwrap()
}

/// The released counts of a folder.
fn counts(folder: &Path) -> Vec<i64> {
    let certificate: Certificate =
        serde_json::from_str(&fs::read_to_string(folder.join("certificate.json")).unwrap()).unwrap();
    let declaration = congenial::Declaration::parse_alone(&certificate.spec, "certificate").unwrap();
    let path = folder.join(&certificate.table.file);
    let mut counts = Vec::new();
    read_table(&path, Format::of(&path).unwrap(), &declaration.domain().unwrap(), true, &mut |portion| {
        counts.extend_from_slice(portion.values);
        Ok(())
    })
    .unwrap();
    counts
}

/// A spec of a scene, changed.
fn changed(scene: &Scene, name: &str, change: impl Fn(String) -> String) -> PathBuf {
    let path = scene.path(&format!("{name}.toml"));
    fs::write(&path, change(fs::read_to_string(scene.spec("a")).unwrap())).unwrap();
    path
}

#[test]
fn specs_that_differ_in_presentation_alone_are_paid_for_once() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let first = releasing(&scene.spec("a"), &scene.path("first"), by_ann()).unwrap();
    let output = "[[output]]\nname = \"by-education\"\nby = [\"education\"]\n";
    fs::copy(scene.path("data.csv"), scene.path("renamed.csv")).unwrap();
    let moved = scene.address.replace("books.db", "./books.db");
    let cases: [(&str, PathBuf, Options); 7] = [
        ("title", changed(&scene, "title", |text| text.replace("title = \"a\"", "title = \"Corrected\"")), by_ann()),
        ("output", changed(&scene, "output", |text| text + output), by_ann()),
        ("chosen", changed(&scene, "chosen", |text| text + "chosen = \"in May\"\n"), by_ann()),
        ("path", changed(&scene, "path", |text| text.replace("data.csv", "renamed.csv")), by_ann()),
        ("ledger", changed(&scene, "ledger", |text| text.replace(&scene.address, &moved)), by_ann()),
        ("format", scene.spec("a"), Options { format: Format::XLSX, ..by_ann() }),
        ("wide", scene.spec("a"), Options { wide: Some(Wide::Automatic), ..by_ann() }),
    ];
    for (name, spec, options) in cases {
        let folder = scene.path(&format!("out-{name}"));
        let released = releasing(&spec, &folder, options).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert!(released.handed_back.is_some_and(|back| back.presented), "{name}");
        assert_eq!(scene.paid(), 1, "{name}");
        assert_eq!(counts(&folder), counts(&first.folder), "{name}");
        let verified = verify(&folder, &VerifyOptions::default()).unwrap();
        let (paid, before) = (verified.certificate.ledger.clone().unwrap(), first.certificate.ledger.clone().unwrap());
        assert_eq!((paid.entry, paid.seal), (before.entry, before.seal), "{name}");
        assert_eq!(verified.certificate.time, first.certificate.time, "{name}: when it was drawn");
        look_up(&verified, &folder, &address(&scene)).unwrap();
    }
    assert!(scene.path("out-output").join("by-education.csv").is_file());
    // What decides the law is another release.
    for (name, from, to) in [
        ("epsilon", "epsilon = \"1/2000\"", "epsilon = \"1/1000\""),
        ("bounds", "nonnegative = false", "nonnegative = true"),
        ("rows", "count = \"children\"", "count = \"children\"\nwhere = \"county != 'Beta'\""),
    ] {
        let spec = changed(&scene, name, |text| text.replace(from, to));
        let before = scene.status().spent;
        let released = releasing(&spec, &scene.path(&format!("law-{name}")), by_ann());
        let released = released.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert!(released.handed_back.is_none(), "{name}");
        assert_ne!(scene.status().spent, before, "{name}");
    }
}

#[test]
fn a_release_is_exported_signed_and_retitled_at_no_loss() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let first = scene.path("first");
    releasing(&scene.spec("a"), &first, by_ann()).unwrap();
    let key = scene.path("agency.key");
    let (public, _) = new_keys(&key, false).unwrap();
    let known = address(&scene);
    let told = Some((&known, "bea"));
    let workbook = Changes { format: Some(Format::XLSX), wide: Some(Wide::Automatic), ..Changes::default() };
    let exported = present_as(&first, &scene.path("workbook"), &workbook, told).unwrap();
    assert_eq!(exported.certificate.table.wide.as_deref(), Some("education"));
    let signed = Changes { sign: Some(key), ..Changes::default() };
    present_as(&scene.path("workbook"), &scene.path("signed"), &signed, told).unwrap();
    verify(&scene.path("signed"), &VerifyOptions::signed_by(Some(&public))).unwrap();
    let title = Changes { title: Some("Corrected".into()), ..Changes::default() };
    let retitled = present_as(&scene.path("signed"), &scene.path("retitled"), &title, told).unwrap();
    assert_eq!(retitled.certificate.title, "Corrected");
    assert_eq!(retitled.certificate.signed_by, None, "nobody has signed this certificate");
    for name in ["workbook", "signed", "retitled"] {
        let folder = scene.path(name);
        assert_eq!(counts(&folder), counts(&first), "{name}");
        look_up(&verify(&folder, &VerifyOptions::default()).unwrap(), &folder, &known).unwrap();
    }
    // A presentation that the ledger was not told of holds, and the ledger says that it does not
    // know it.
    present_as(&first, &scene.path("untold"), &title, None).unwrap();
    let problem =
        look_up(&verify(&scene.path("untold"), &VerifyOptions::default()).unwrap(), &scene.path("untold"), &known)
            .unwrap_err();
    assert!(problem.hint.unwrap().contains("--ledger"), "{}", problem.message);
    assert_eq!(scene.paid(), 1);
    // What does not hold is not presented, and nothing is overwritten.
    let table = fs::read_to_string(first.join("table.csv")).unwrap();
    fs::write(first.join("table.csv"), table.replacen("Low,", "Low,1", 1)).unwrap();
    assert_eq!(present_as(&first, &scene.path("forged"), &title, told).unwrap_err().kind, Kind::Bad);
    assert_eq!(present_as(&scene.path("signed"), &scene.path("retitled"), &title, told).unwrap_err().kind, Kind::Bad);
    assert!(!scene.path("forged").exists());
}

#[test]
fn totals_alone_are_presented_otherwise_too() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = changed(&scene, "suppressed", |text| {
        let (before, after) = text.split_once("[mechanism]").unwrap();
        format!("{before}[mechanism]\nmethod = \"suppress\"\n{}", &after[after.find("[budget]").unwrap()..])
    });
    releasing(&spec, &scene.path("first"), by_ann()).unwrap();
    let changes = Changes { title: Some("Totals".into()), format: Some(Format::PARQUET), ..Changes::default() };
    let presented = present_as(&scene.path("first"), &scene.path("other"), &changes, None).unwrap();
    assert_eq!(
        (presented.certificate.title.as_str(), presented.certificate.table.file.as_str()),
        ("Totals", "totals.parquet")
    );
    verify(&scene.path("other"), &VerifyOptions::default()).unwrap();
}

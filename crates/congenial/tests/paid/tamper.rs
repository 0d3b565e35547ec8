//! A tampered table, certificate, ledger row or signature: each is detected, with a message of its
//! own.

use crate::scene::{Scene, by_ann, releasing, sqlite};
use congenial::ledgers::Address;
use congenial::{Certificate, VerifyOptions, look_up, new_keys, verify};
use std::fs;
use std::path::{Path, PathBuf};

/// A signed release, and the public key.
fn signed() -> (Scene, PathBuf, PathBuf) {
    let scene = sqlite();
    drop(scene.open("1", false));
    let (public, _) = new_keys(&scene.path("agency.key"), false).unwrap();
    let mut options = by_ann();
    options.sign = Some(scene.path("agency.key"));
    let out = scene.path("out");
    releasing(&scene.spec("a"), &out, options).unwrap();
    verify(&out, &VerifyOptions::signed_by(Some(&public))).unwrap();
    (scene, out, public)
}

fn certificate(out: &Path) -> Certificate {
    serde_json::from_str(&fs::read_to_string(out.join("certificate.json")).unwrap()).unwrap()
}

/// What `verify` says after a change that is undone afterwards.
fn after(out: &Path, file: &str, change: impl Fn(Vec<u8>) -> Option<Vec<u8>>, public: &Path) -> String {
    let path = out.join(file);
    let before = fs::read(&path).unwrap();
    match change(before.clone()) {
        Some(changed) => fs::write(&path, changed).unwrap(),
        None => fs::remove_file(&path).unwrap(),
    }
    let message = verify(out, &VerifyOptions::signed_by(Some(public))).unwrap_err().message;
    fs::write(&path, before).unwrap();
    verify(out, &VerifyOptions::signed_by(Some(public))).unwrap();
    message
}

#[test]
fn every_change_has_a_message_of_its_own() {
    let (scene, out, public) = signed();
    let edited = |old: &'static str, new: &'static str| {
        move |bytes: Vec<u8>| Some(String::from_utf8(bytes).unwrap().replacen(old, new, 1).into_bytes())
    };
    let table = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        Some(text.replace("Alpha,Low,", "Alpha,Low,1").into_bytes())
    };
    let flipped = |mut bytes: Vec<u8>| {
        bytes[3] ^= 1;
        Some(bytes)
    };
    let messages = [
        after(&out, "table.csv", table, &public),
        after(&out, "certificate.json", edited("\"title\": \"a\"", "\"title\": \"b\""), &public),
        after(&out, "certificate.sig", flipped, &public),
        after(&out, "certificate.sig", |bytes| Some(bytes[1..].to_vec()), &public),
        after(&out, "certificate.sig", |_| None, &public),
        after(&out, "report.html", edited("a", "b"), &public),
    ];
    for (message, expected) in messages.iter().zip([
        "`table.csv` is not the table that was certified",
        "the signature is not one of this certificate",
        "the signature is not one of this certificate",
        "the signature is not one of this certificate",
        "says that it is signed, and `certificate.sig` is missing",
        "`report.html` is not the report",
    ]) {
        assert!(message.contains(expected), "{message}");
    }
    // A certificate that no longer says it is signed.
    let unsigned = after(
        &out,
        "certificate.json",
        |_| {
            let unsigned = Certificate { signed_by: None, ..certificate(&out) };
            Some(serde_json::to_vec_pretty(&unsigned).unwrap())
        },
        &public,
    );
    assert!(unsigned.contains("is not signed, and a signature of"), "{unsigned}");
    // Another key.
    let (other, _) = new_keys(&scene.path("other.key"), false).unwrap();
    let problem = verify(&out, &VerifyOptions::signed_by(Some(&other))).unwrap_err();
    assert!(problem.message.contains("is signed by") && problem.message.contains(", not by"), "{problem}");
    assert!(new_keys(&scene.path("other.key"), false).unwrap_err().message.contains("never overwritten"));
    let problem = verify(&out, &VerifyOptions::signed_by(Some(&scene.path("other.key")))).unwrap_err();
    assert!(problem.message.contains("is not an Ed25519 public key"), "{problem}");
}

#[test]
fn a_release_and_its_ledger_belong_together() {
    let (scene, out, _) = signed();
    let address = Address::parse(&scene.address).unwrap();
    let verified = verify(&out, &VerifyOptions::default()).unwrap();
    look_up(&verified, &out, &address).unwrap();
    // Another ledger, with an entry of the same number.
    let other = sqlite();
    drop(other.open("1", false));
    releasing(&other.spec("a"), &other.path("out"), by_ann()).unwrap();
    let elsewhere = Address::parse(&other.address).unwrap();
    let problem = look_up(&verified, &out, &elsewhere).unwrap_err();
    assert!(problem.message.contains("has another seal than the certificate names"), "{problem}");
    // A certificate that names another amount, made again with all its hashes.
    let mut cheaper = certificate(&out);
    cheaper.signed_by = None;
    if let Some(paid) = &mut cheaper.ledger {
        paid.charged = "ε = 1/9999 per unit of ℓ₁ distance".into();
    }
    fs::remove_file(out.join("certificate.sig")).unwrap();
    fs::write(out.join("certificate.json"), serde_json::to_string_pretty(&cheaper).unwrap()).unwrap();
    let problem = verify(&out, &VerifyOptions::default()).unwrap_err();
    assert!(
        problem.message.contains("charges ε = 1/9999") && problem.message.contains("costs ε = 1/2000"),
        "{problem}"
    );
}

#[test]
fn an_edited_ledger_pays_for_nothing() {
    let (scene, out, _) = signed();
    let file = scene.path("books.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute("DROP TRIGGER congenial_no_update", []).unwrap();
    let changed = database
        .execute(
            "UPDATE congenial_history SET content = replace(content, '1/2000', '1/9999') WHERE kind = 'reserved'",
            [],
        )
        .unwrap();
    assert_eq!(changed, 1);
    drop(database);
    let address = Address::parse(&scene.address).unwrap();
    let problem = look_up(&verify(&out, &VerifyOptions::default()).unwrap(), &out, &address).unwrap_err();
    assert!(problem.message.contains("was edited"), "{problem}");
    assert!(scene.ledger().verify_chain().unwrap_err().message.contains("was edited"));
}

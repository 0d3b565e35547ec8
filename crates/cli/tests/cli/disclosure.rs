//! What `check` says about the intervals that totals leave, and what `release` refuses because of
//! them.

use crate::run::Folder;
use std::path::Path;

fn example(spec: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(spec).display().to_string()
}

#[test]
fn intervals_of_real_tables() {
    for (name, spec) in [
        ("delinquent_children", "delinquent-children/margins.toml"),
        ("czech_autoworkers", "czech-autoworkers/spec.toml"),
        ("hair_eye", "hair-eye/spec.toml"),
    ] {
        let folder = Folder::new();
        let ran = folder.run(&format!("check {}", example(spec))).exits(0);
        insta::assert_snapshot!(format!("check_{name}"), ran.out);
    }
}

/// The starter with counties and education exact, and some cells sensitive.
fn sensitive(disclosure: &str) -> Folder {
    let folder = Folder::started();
    let both = "by = [\"county\"]\n[[invariant]]\nby = [\"education\"]";
    folder.replace("congenial.toml", "by = [\"county\"]", both);
    let spec = folder.read("congenial.toml");
    folder.write("congenial.toml", &format!("{spec}\n[disclosure]\n{disclosure}\n"));
    folder
}

#[test]
fn sensitive_cells_that_totals_confine_are_refused_before_anything_is_written() {
    let folder = sensitive("sensitive = [\"county = 'Gamma' and education = 'Very High'\"]\nwithin = 20");
    let before = folder.listing();
    let refused = folder.run("release congenial.toml --out release").exits(3);
    assert!(folder.listing() == before);
    insta::assert_snapshot!("release_confined", refused.err);
    let checked = folder.run("check congenial.toml").exits(3);
    assert!(checked.out.contains("sensitive         1 cell must keep an interval wider than 20"), "{}", checked.out);
    assert_eq!(checked.err, refused.err);
}

#[test]
fn sensitive_cells_with_room_enough_are_certified_and_verified() {
    let folder = sensitive("sensitive = [\"county = 'Gamma'\"]\nwithin = 19");
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let certificate = folder.read("release/certificate.json");
    assert!(certificate.contains("\"within\": 19") && certificate.contains("\"predicates\""), "{certificate}");
    let verified = folder.run("verify release").exits(0);
    assert!(verified.out.contains("4 sensitive cells are left open enough"), "{}", verified.out);
    // Another count of narrow cells does not follow from the totals.
    let forged = certificate.replacen("\"not_proved\": 0", "\"not_proved\": 1", 1);
    folder.write("release/certificate.json", &forged);
    let ran = folder.run("verify release").exits(2);
    assert!(ran.err.contains("how closely the invariants confine cells"), "{}", ran.err);
}

#[test]
fn a_certificate_without_intervals_is_refused_whatever_version_it_claims() {
    let folder = Folder::started();
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let text = folder.read("release/certificate.json");
    let start = text.find("  \"disclosure\"").unwrap();
    let end = text.find("  \"operators\"").unwrap();
    folder.write("release/certificate.json", &format!("{}{}", &text[..start], &text[end..]));
    let says = "does not follow from its spec and the table: how closely the invariants confine cells";
    let ran = folder.run("verify release").exits(2);
    assert!(ran.err.contains(says), "{}", ran.err);
    // How strictly a release is read is not for the release to say.
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    folder.replace("release/certificate.json", &version, "\"version\": \"0.0.9\"");
    let ran = folder.run("verify release").exits(3);
    assert!(ran.err.contains(says), "{}", ran.err);
}

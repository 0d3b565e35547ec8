//! `new --from` and `schema`, as a person runs them.

use crate::run::Folder;

#[test]
fn a_draft_is_written_once_and_passes_the_parser() {
    let folder = Folder::new();
    folder.write("people.csv", "sex,age\nf,30\nm,40\nf,30\n");
    let ran = folder.run("new census --from people.csv").exits(0);
    insta::assert_snapshot!(ran.out);
    assert!(folder.read("census/congenial.toml").contains("path   = \"../people.csv\""));
    // A draft is of confidential data until somebody says otherwise: refused until reviewed.
    for command in ["check SPEC", "explain SPEC", "release SPEC --out out", "audit SPEC"] {
        let ran = folder.run(&command.replace("SPEC", "census/congenial.toml")).exits(3);
        assert!(ran.err.contains("lines are marked REVIEW: "), "{command}: {}", ran.err);
    }
    assert!(!folder.path("census/ledger.db").exists() && !folder.path("out").exists());
    folder.replace("census/congenial.toml", "public = false", "public = true");
    folder.run("check census/congenial.toml").exits(0);
    let again = folder.run("new census --from people.csv").exits(2);
    assert!(again.err.contains("nothing is overwritten"), "{}", again.err);
    let missing = folder.run("new other --from nobody.csv").exits(2);
    assert!(missing.err.contains("nobody.csv"), "{}", missing.err);
}

#[test]
fn the_schema_is_json() {
    let ran = Folder::new().run("schema").exits(0);
    let schema: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(schema["title"], "Congenial spec");
}

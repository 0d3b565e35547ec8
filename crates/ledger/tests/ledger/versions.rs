//! Ledgers of earlier versions, and ledgers that can only be read.

use crate::scene::{Scene, pure, request, reserved, spent_and_left, sqlite};
use ledger::{Charge, Claim, Event, Ledger, Request, Unit};
use std::fs;
use std::path::{Path, PathBuf};

/// A ledger of version 1 as a crash left it: a payment of 1/4 lies in the write-ahead log alone.
fn version_1() -> Scene {
    let scene = sqlite();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ledger/version-1");
    for end in ["db", "db-wal"] {
        let target = scene.address.file().expect("a file").with_extension(end);
        fs::copy(kept.join(format!("version-1.{end}")), target).expect("copied");
    }
    scene
}

fn head(scene: &Scene) -> PathBuf {
    scene.address.file().expect("a file").with_extension("db.head")
}

#[test]
fn a_write_ahead_log_is_brought_into_the_file_when_the_ledger_is_opened() {
    let scene = version_1();
    let file = scene.address.file().expect("a file");
    drop(Ledger::open_to_read(&scene.address).expect("a ledger"));
    assert!(!file.with_extension("db-wal").exists());
    assert_eq!(fs::read(file).expect("the file")[18..20], [1, 1], "a rollback journal from now on");
    assert!(!head(&scene).exists(), "looking writes no head");
    let mut ledger = scene.again();
    assert_eq!(spent_and_left(&mut ledger).0, pure("1/4").amount);
    reserved(&mut ledger, &request("b", pure("1/4")));
    assert!(head(&scene).exists());
    ledger.verify_chain().expect("a whole chain");
    // From now on the head is missed.
    fs::remove_file(head(&scene)).expect("removed");
    let problem = scene.again().reserve(&request("c", pure("1/4"))).expect_err("no head");
    assert!(problem.message.contains("is missing"), "{problem}");
    assert_eq!(problem.kind, declare::Kind::Refused);
}

#[test]
fn another_program_that_holds_the_log_open_is_waited_for_and_then_named() {
    let scene = version_1();
    let other = rusqlite::Connection::open(scene.address.file().expect("a file")).expect("another program");
    let count: i64 = other.query_row("SELECT count(*) FROM congenial_history", [], |row| row.get(0)).expect("a number");
    assert_eq!(count, 3);
    let mut ledger = scene.again();
    assert_eq!(spent_and_left(&mut ledger).0, pure("1/4").amount, "it can be read");
    ledger.reserve(&request("b", pure("1/4"))).expect_err("a log is left");
    drop((ledger, other));
    reserved(&mut scene.again(), &request("b", pure("1/4")));
}

#[cfg(unix)]
#[test]
fn a_ledger_on_read_only_media_is_read_and_verified() {
    use std::os::unix::fs::PermissionsExt;
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/4")));
    drop(ledger);
    let file = scene.address.file().expect("a file");
    let folder = scene.folder.as_ref().expect("a folder").path();
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    let before = fs::read(file).expect("the file");
    allow(file, 0o444);
    allow(&head(&scene), 0o444);
    allow(folder, 0o555);
    let mut ledger = Ledger::open_to_read(&scene.address).expect("a ledger");
    let looked =
        (spent_and_left(&mut ledger).0, ledger.history(None).map(|history| history.len()), ledger.verify_chain());
    let standing = ledger.status().expect("a status").refuses;
    allow(folder, 0o755);
    assert_eq!(looked.0, pure("1/4").amount);
    assert_eq!(looked.1, Ok(3));
    looked.2.expect("a whole chain");
    assert_eq!(standing, None);
    assert_eq!(fs::read(file).expect("the file"), before, "looking changes nothing");
}

/// A ledger of version 2, whose entries and head list fingerprints in the open: the newest file or
/// an older one, and its head.
fn version_2(file: &str) -> Scene {
    let scene = sqlite();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ledger/version-2");
    fs::copy(kept.join(file), scene.address.file().expect("a file")).expect("copied");
    fs::copy(kept.join("version-2.db.head"), head(&scene)).expect("copied");
    scene
}

/// The data that it knows.
const DATA: &str =
    "county,education,children\nAlpha,Low,15\nAlpha,High,4\nBeta,Low,17\nBeta,High,38\nGamma,Low,1\nGamma,High,24\n";

fn per_unit(epsilon: &str) -> Charge {
    Charge { per: Unit::L1, ..pure(epsilon) }
}

#[test]
fn a_ledger_of_version_2_goes_on_and_knows_its_data() {
    let scene = version_2("version-2.db");
    let mut ledger = scene.again();
    let mut fingerprint = ledger.fingerprint();
    fingerprint.file(DATA.as_bytes());
    let prints = fingerprint.finish();
    // Also before anything is written, a head that is missing is missed.
    fs::rename(head(&scene), head(&scene).with_extension("away")).expect("moved");
    let problem = ledger.note_prints("children", &prints, "ann").expect_err("no head");
    assert!(problem.message.contains("is missing"), "{problem}");
    fs::rename(head(&scene).with_extension("away"), head(&scene)).expect("back");
    assert!(ledger.recognise(&prints, Claim::Public, "eve").is_err());
    assert!(ledger.note_prints("other", &prints, "eve").is_err());
    let before = ledger.status().expect("a status").entries;
    ledger.note_prints("children", &prints, "ann").expect("its own");
    assert_eq!(ledger.status().expect("a status").entries, before, "known already");
    let kept = ledger.history(None).expect("a history").into_iter().find_map(|entry| match entry.event {
        Event::Reserved { prints, details, .. } => Some((prints, details)),
        _ => None,
    });
    let (then, details) = kept.expect("an entry that paid");
    assert!(then.contains(&prints[0]) && details.contains("epsilon"), "{details}");
    let wanted = Request { dataset: "children".into(), prints, ..request("c", per_unit("1/8")) };
    reserved(&mut ledger, &wanted);
    ledger.verify_chain().expect("a whole chain");
    let connection = rusqlite::Connection::open(scene.address.file().expect("a file")).expect("the database");
    let version: i64 = connection.query_row("SELECT version FROM congenial_state", [], |row| row.get(0)).expect("one");
    assert_eq!(version, 3);
}

#[test]
fn what_heads_of_version_2_list_is_booked_and_recognised() {
    let scene = version_2("older.db");
    let mut ledger = scene.again();
    let problem = ledger.open_dataset(&crate::scene::dataset("more", pure("1"))).expect_err("set back");
    assert!(problem.message.contains("it was set back"), "{problem}");
    let adopted = ledger.adopt(&crate::heads::bea("an old file")).expect("adopted");
    assert_eq!((adopted.booked.len(), adopted.emptied.len()), (1, 0));
    assert_eq!(ledger.dataset("children").expect("a status").expect("open").spent, per_unit("3/8").amount);
    ledger.verify_chain().expect("a whole chain");
}

//! Ledgers of earlier versions, and ledgers that can only be read.

use crate::scene::{Scene, pure, request, reserved, spent_and_left, sqlite};
use ledger::Ledger;
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

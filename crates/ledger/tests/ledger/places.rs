//! A head is kept in a file of its own: nothing else is ever appended to, overwritten or waited
//! for.

use crate::heads::{bea, database, head};
use crate::scene::{pure, request, reserved, sqlite};
use declare::Kind;
use ledger::{Address, Ledger};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn whatever_holds_something_else_keeps_no_head() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("data.csv"), "county,count\nAlpha,3\n").expect("written");
    fs::write(path("spec.toml"), "title = \"a\"\n").expect("written");
    fs::write(path("one line"), "{\"ledger\":\"x\"").expect("written");
    fs::create_dir(path("folder")).expect("a folder");
    fs::write(path("empty"), "").expect("written");
    let mut wrong: Vec<PathBuf> = ["data.csv", "spec.toml", "one line", "folder", "nowhere/head"].map(path).to_vec();
    let beside = |end: &str| PathBuf::from(format!("{}{end}", database(&scene).display()));
    wrong.extend(["", ".head", "-journal", "-wal", "-shm"].map(beside));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(path("data.csv"), path("link to data")).expect("a link");
        symlink(database(&scene), path("link to the ledger")).expect("a link");
        symlink(head(&scene), path("link to its head")).expect("a link");
        symlink(path("nothing"), path("link to nothing")).expect("a link");
        symlink("/dev/full", path("link to a device")).expect("a link");
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().expect("mkfifo");
        assert!(made.success());
        symlink(path("pipe"), path("link to a pipe")).expect("a link");
        let links = ["link to data", "link to the ledger", "link to its head", "link to nothing", "link to a device"];
        wrong.extend(links.map(path));
        wrong.extend([path("pipe"), path("link to a pipe")]);
    }
    let bytes = |wrong: &[PathBuf]| -> Vec<Option<Vec<u8>>> {
        let plain = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        wrong.iter().map(|path| plain(path).then(|| fs::read(path).expect("readable"))).collect()
    };
    let before = bytes(&wrong);
    for place in &wrong {
        let problem = ledger.keep_head(place, "ann").expect_err(&place.display().to_string());
        assert_eq!(problem.kind, Kind::Bad, "{problem}");
        assert!(Ledger::check_head(&scene.address, place, &[]).is_err(), "{problem}");
    }
    assert_eq!(bytes(&wrong), before, "nothing was written");
    assert!(
        Ledger::check_head(&scene.address, &path("empty"), &[path("empty")]).is_err(),
        "an empty file of data is data"
    );
    // An empty file, a new one, and one that is a head already.
    assert!(ledger.keep_head(&path("empty"), "ann").expect("kept"));
    assert!(ledger.keep_head(&path("new"), "ann").expect("kept"));
    reserved(&mut ledger, &request("a", pure("1/8")));
    ledger.verify_chain().expect("whole");
    #[cfg(unix)]
    for made in [path("new"), head(&scene)] {
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&made).expect("a file"));
        assert_eq!(mode & 0o777, 0o600, "{}", made.display());
    }
}

#[test]
fn what_took_the_place_of_a_head_is_moved_aside_and_not_written_to() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let folder = tempfile::tempdir().expect("a folder");
    let (second, data) = (folder.path().join("second"), folder.path().join("data.csv"));
    ledger.keep_head(&second, "ann").expect("kept");
    fs::write(&data, "county,count\n").expect("written");
    fs::remove_file(&second).expect("removed");
    fs::copy(&data, &second).expect("something else");
    ledger.reserve(&request("a", pure("1/8"))).expect_err("no head");
    let vouching = ledger::Adopting { unknown: ledger::Unknown::Vouched, ..bea("a slip") };
    ledger.adopt(&vouching).expect("adopted");
    let aside = folder.path().join("second.damaged-1");
    assert_eq!(fs::read(&aside).expect("moved aside"), fs::read(&data).expect("the data"));
    reserved(&mut ledger, &request("a", pure("1/8")));
}

#[test]
fn backups_overwrite_nothing_and_ledgers_alone_are_replaced() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for (taken, backup) in [("a.db", "a.db"), ("b.db.head", "b.db"), ("c.db-journal", "c.db"), ("d.db-wal", "d.db")] {
        fs::write(path(taken), "something").expect("written");
        let problem = ledger.backup(&path(backup)).expect_err(taken);
        assert!(problem.message.contains("overwrites nothing"), "{problem}");
        assert_eq!(fs::read(path(taken)).expect("a file"), b"something");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(path("elsewhere.db"), path("link.db")).expect("a link");
        ledger.backup(&path("link.db")).expect_err("a link to nothing");
        assert!(!path("elsewhere.db").exists());
    }
    ledger.backup(&path("monday.db")).expect("a backup");
    let at = |path: &Path| Address::parse(&format!("sqlite:{}", path.display())).expect("an address");
    fs::write(path("data.csv"), "county,count\n").expect("written");
    let other = sqlite();
    drop(other.with_census("1"));
    fs::remove_file(head(&other)).expect("removed");
    let vouching = ledger::Adopting { unknown: ledger::Unknown::Vouched, ..bea("a slip") };
    for target in [path("data.csv"), database(&other), path("")] {
        let before = fs::read(&target).ok();
        let problem = Ledger::restore(&at(&target), &path("monday.db"), Some(&vouching)).expect_err("no ledger");
        assert!(problem.message.contains("is another file"), "{problem}");
        assert_eq!(fs::read(&target).ok(), before);
    }
    let problem = Ledger::restore(&at(&path("monday.db")), &path("monday.db"), None).expect_err("onto itself");
    assert!(problem.message.contains("is the ledger itself"), "{problem}");
}

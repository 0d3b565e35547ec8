//! A full disk, a read-only folder, a lost connection: a clear message, and nothing lost.

use crate::child::{command, started};
use crate::scene::{Scene, by_ann, postgres, releasing, sqlite};
use congenial::{STREAM_ABOVE, Watching, recover_release, release_watched, verify};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn lines_of(scene: &Scene, script: &str) -> Vec<String> {
    let inner = command(&std::env::current_exe().unwrap(), "release 1", scene.folder.path(), &scene.address);
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(inner.get_program()).args(inner.get_args());
    shell.envs(inner.get_envs().filter_map(|(name, value)| value.map(|value| (name, value))));
    let mut process = started(&mut shell);
    let mut lines = Vec::new();
    while let Some(line) = process.next() {
        if line == "ready" {
            process.go();
        } else {
            lines.push(line);
        }
    }
    lines
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_for_the_release_spends_nothing() {
    let scene = sqlite();
    drop(scene.open("1", false));
    // Files cannot grow beyond half a megabyte: the ledger can be written, what a release might need cannot.
    let lines = lines_of(&scene, "trap '' XFSZ; ulimit -f 1000; exec \"$@\"");
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.starts_with("failed: cannot write") && line.contains("nothing was drawn or spent"), "{line}");
    assert_eq!(scene.paid(), 0);
    let left: Vec<_> =
        fs::read_dir(scene.folder.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_spends_nothing() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let scene = sqlite();
    drop(scene.open("1", false));
    let shelf = scene.path("shelf");
    fs::create_dir(&shelf).unwrap();
    let out = if fs::metadata(&shelf).unwrap().uid() == 0 {
        // The administrator may write anywhere but to the system's own tables.
        Path::new("/proc/congenial-release").to_path_buf()
    } else {
        fs::set_permissions(&shelf, fs::Permissions::from_mode(0o555)).unwrap();
        shelf.join("release")
    };
    let problem = releasing(&scene.spec("a"), &out, by_ann()).unwrap_err();
    assert!(problem.message.starts_with("cannot create a folder in"), "{problem}");
    assert_eq!(scene.paid(), 0);
}

#[test]
fn a_folder_that_vanishes_after_paying_says_what_is_spent() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let shelf = scene.path("shelf");
    fs::create_dir(&shelf).unwrap();
    let gone = shelf.clone();
    let steps = Arc::new(move |step: &'static str| {
        if step == "release: drawn" {
            fs::remove_dir_all(&gone).unwrap();
        }
    });
    let watching =
        Watching { reading: &mut |_| {}, gathering: &|_| {}, searching: &|_| {}, drawing: &|_| {}, steps: Some(steps) };
    let problem = release_watched(&scene.spec("a"), &shelf.join("out"), by_ann(), STREAM_ABOVE, watching).unwrap_err();
    assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("the loss stays spent (entry ")), "{problem}");
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 1));
}

/// Ends the connections of this program to a database.
fn terminate(address: &str) {
    let statement = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
                     WHERE datname = current_database() AND application_name = 'congenial'";
    testkit::server_client(address).batch_execute(statement).unwrap();
}

#[test]
fn a_lost_connection_loses_neither_release_nor_budget() {
    let Some(scene) = postgres() else { return };
    drop(scene.open("1", false));
    let address = congenial::ledgers::Address::parse(&scene.with_password).unwrap();
    // In this process the password is part of the address; the spec has none, so a copy of it gets it from the environment.
    for (step, expected_paid, expected_folder) in
        [("release: prepared", 0, false), ("reserve: written", 0, false), ("release: verified", 1, true)]
    {
        let mut lines = Vec::new();
        let mut process = crate::child::start(&format!("stop-and-go {step}"), scene.folder.path(), &scene.address);
        while let Some(line) = process.next() {
            if line == "stopped" {
                terminate(&scene.with_password);
                process.go();
            } else {
                lines.push(line);
            }
        }
        let [line] = lines.as_slice() else { panic!("{step}: {lines:?}") };
        assert!(line.starts_with("failed: ") && line.contains("connection to the ledger"), "{step}: {line}");
        assert_eq!(scene.paid(), expected_paid, "{step}");
        let folders: Vec<_> = fs::read_dir(scene.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
            .collect();
        assert_eq!(folders.len(), usize::from(expected_folder), "{step}: {folders:?}");
        if let [folder] = folders.as_slice() {
            assert!(line.contains("ledger recover --found"), "{line}");
            verify(folder).unwrap();
            recover_release(folder, &address, "ann").unwrap();
            assert_eq!(scene.status().unfinished, 0);
        }
    }
    scene.ledger().verify_chain().unwrap();
}

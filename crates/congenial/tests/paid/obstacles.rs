//! A full disk, a read-only folder, a lost connection: a clear message, and nothing lost.

use crate::child::{command, started};
use crate::scene::{Scene, at, by_ann, postgres, releasing, releasing_with, sqlite};
use congenial::{Finishing, VerifyOptions, finish_release, look_up, read_table_release, recover_release, verify};
use std::fs;
use std::path::Path;
use std::process::Command;

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
    // Files cannot grow beyond half a megabyte: the ledger can be written, what a release might
    // need cannot.
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
    let steps = at("release: drawn", move || fs::remove_dir_all(&gone).unwrap());
    let problem = releasing_with(&scene.spec("a"), &shelf.join("out"), by_ann(), steps).unwrap_err();
    let hint = problem.hint.clone().unwrap_or_default();
    assert!(hint.contains("the loss stays spent (entry "), "{problem}");
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 1));
    // What was drawn is kept beside the ledger, and becomes the release without the data and
    // without a loss.
    let entry = scene.ledger().unfinished(None).unwrap()[0].number;
    let kept = scene.path(&format!("congenial-kept-entry-{entry}.sealed"));
    assert!(hint.contains(&kept.display().to_string()), "{hint}");
    fs::remove_file(scene.path("data.csv")).unwrap();
    let address = congenial::ledgers::Address::parse(&scene.with_password).unwrap();
    let finishing = |from| Finishing { options: by_ann(), cases: None, from };
    let problem = finish_release(&address, entry, &scene.path("out"), &finishing(None), "bea").unwrap_err();
    assert!(problem.message.contains("which is gone"), "{problem}");
    let released = finish_release(&address, entry, &scene.path("out"), &finishing(Some(kept)), "bea").unwrap();
    look_up(&verify(&released.folder, &VerifyOptions::default()).unwrap(), &released.folder, &address).unwrap();
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 0));
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
    // In this process the password is part of the address; the spec has none, so a copy of it gets
    // it from the environment.
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
            .filter(|path| path.is_dir() && !path.file_name().unwrap().to_string_lossy().starts_with('.'))
            .collect();
        assert_eq!(folders.len(), usize::from(expected_folder), "{step}: {folders:?}");
        if let [folder] = folders.as_slice() {
            assert!(line.contains("ledger recover --found"), "{line}");
            verify(folder, &VerifyOptions::default()).unwrap();
            recover_release(folder, &address, "ann", &read_table_release).unwrap();
            assert_eq!(scene.status().unfinished, 0);
        }
    }
    scene.ledger().verify_chain().unwrap();
}

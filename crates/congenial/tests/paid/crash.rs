//! Whole releases that are killed, at every step and at any moment: what was drawn is spent, and
//! nothing half-written is accepted.

use crate::child::{Process, start};
use crate::scene::{Scene, everywhere, sqlite};
use congenial::ledgers::{Event, STEPS};
use congenial::{AFTER_PAYING, BEFORE_PAYING, VerifyOptions, look_up, read_table_release, recover_release, verify};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every step of a release, in order.
pub fn steps() -> Vec<&'static str> {
    let reserve = STEPS.into_iter().filter(|step| step.starts_with("reserve"));
    let complete = STEPS.into_iter().filter(|step| step.starts_with("complete"));
    let (before, last) = AFTER_PAYING.split_at(AFTER_PAYING.len() - 1);
    BEFORE_PAYING
        .into_iter()
        .chain(reserve)
        .chain(before.iter().copied())
        .chain(complete)
        .chain(last.iter().copied())
        .collect()
}

/// Folders of a scene whose names begin so.
fn folders(scene: &Scene, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir() && path.file_name().unwrap().to_string_lossy().starts_with(start)).collect()
}

/// Whether the ledger has an entry that paid for the release in a folder.
fn is_paid(scene: &Scene, folder: &Path) -> bool {
    let paid = verify(folder, &VerifyOptions::default()).unwrap().certificate.ledger.unwrap();
    let (entry, _) = scene.ledger().entry_and_completion(paid.entry).unwrap();
    entry.seal == paid.seal && matches!(entry.event, Event::Reserved { .. })
}

/// What is true after any crash.
pub fn check(scene: &Scene, at: &str) {
    scene.ledger().verify_chain().unwrap_or_else(|problem| panic!("{} {at}: {problem}", scene.name));
    let mut drawn = 0;
    for folder in folders(scene, "release-") {
        assert!(is_paid(scene, &folder), "{} {at}: {}", scene.name, folder.display());
        drawn += 1;
    }
    for folder in folders(scene, ".congenial-") {
        let inside = folder.join("release");
        // A folder that was finished and not yet given its name is whole; anything less is refused.
        if verify(&inside, &VerifyOptions::default()).is_ok() {
            assert!(is_paid(scene, &inside), "{} {at}: {}", scene.name, inside.display());
            drawn += 1;
        }
    }
    assert!(scene.paid() >= drawn, "{} {at}: {drawn} drawn, {} paid", scene.name, scene.paid());
}

#[test]
fn a_kill_at_every_step() {
    for scene in everywhere() {
        drop(scene.open("1", false));
        let (mut paid, mut published, mut completed) = (0, 0, 0);
        for step in steps() {
            let mut process = start(&format!("stop {step}"), scene.folder.path(), &scene.address);
            assert_eq!(process.next().as_deref(), Some("stopped"), "{} {step}", scene.name);
            process.kill();
            let order = steps();
            let place = |name: &str| order.iter().position(|step| *step == name).unwrap();
            paid += usize::from(place(step) >= place("reserve: committed"));
            published += usize::from(place(step) >= place("release: published"));
            completed += usize::from(place(step) >= place("complete: committed"));
            assert_eq!(scene.paid(), paid, "{} {step}", scene.name);
            assert_eq!(folders(&scene, "release-").len(), published, "{} {step}", scene.name);
            let status = scene.status();
            assert_eq!(status.completed as usize, completed, "{} {step}", scene.name);
            assert_eq!(status.unfinished as usize, paid - completed, "{} {step}", scene.name);
            check(&scene, step);
        }
        assert_eq!((paid, published, completed), (17, 8, 3), "{}", scene.name);
        // What was written and not entered is recovered, once.
        let address = congenial::ledgers::Address::parse(&scene.with_password).unwrap();
        let mut recovered = 0;
        for folder in folders(&scene, "release-") {
            let verified = verify(&folder, &VerifyOptions::default()).unwrap();
            if let Err(problem) = look_up(&verified, &folder, &address) {
                assert!(problem.message.contains("nobody entered that it was written"), "{problem}");
                recover_release(&folder, &address, "bea", &read_table_release).unwrap();
                recovered += 1;
            }
            look_up(&verified, &folder, &address).unwrap();
            let again = recover_release(&folder, &address, "bea", &read_table_release).unwrap_err();
            assert!(again.message.contains("is completed already"), "{again}");
        }
        assert_eq!(recovered, published - completed);
        assert_eq!(scene.paid(), paid, "nothing is paid back");
        check(&scene, "recovered");
    }
}

/// Random kills, two hundred of them unless the environment asks for more:
/// `CONGENIAL_TEST_KILLS=10000`.
#[test]
#[allow(clippy::print_stderr)]
fn random_kills() {
    let kills: usize = std::env::var("CONGENIAL_TEST_KILLS").map_or(200, |kills| kills.parse().unwrap());
    let scene = sqlite();
    drop(scene.open("1000000", false));
    // Kills come at any time of a release; how long one takes depends on what else the machine
    // does.
    let mut first = start("release 8", scene.folder.path(), &scene.address);
    assert_eq!(first.next().as_deref(), Some("ready"));
    let begun = std::time::Instant::now();
    first.go();
    assert_eq!(first.next().as_deref(), Some("released"));
    let mut longest = (4 * begun.elapsed().as_micros() as u64).max(60_000);
    assert!(first.kill().len() < 8);
    let (mut released, mut state) = (0, 1u64);
    let mut rounds = 0;
    while rounds < kills / 4 || released == 0 {
        if rounds >= kills / 4 {
            // The machine became much slower: kills come later and later.
            longest *= 2;
        }
        rounds += 1;
        let mut running: Vec<Process> =
            (0..4).map(|_| start("release 8", scene.folder.path(), &scene.address)).collect();
        for process in &mut running {
            assert_eq!(process.next().as_deref(), Some("ready"));
        }
        running.iter_mut().for_each(Process::go);
        for process in running {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(Duration::from_micros((state >> 33) % longest));
            let lines = process.kill();
            assert!(lines.iter().all(|line| line == "released"), "round {rounds}: {lines:?}");
            released += lines.len();
        }
        assert!(scene.paid() >= released, "round {rounds}");
    }
    eprintln!("{kills} kills: {released} released, {} paid", scene.paid());
    check(&scene, "after all kills");
    let status = scene.status();
    assert!(status.completed as usize >= released, "{released} released, {status:?}");
    assert!(status.unfinished as usize <= 4 * rounds + 1, "{status:?}");
}

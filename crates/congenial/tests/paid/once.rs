//! The same spec and data pay once: whoever comes second waits, and whoever comes after a crash goes on.

use crate::child::{Process, start};
use crate::scene::{Scene, by_ann, everywhere, releasing, spec_text, sqlite};
use congenial::{AFTER_PAYING, Kind, verify};
use std::fs;
use std::path::PathBuf;

fn tables(scene: &Scene) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter_map(|path| fs::read(path.join("table.csv")).ok()).collect()
}

#[test]
fn four_simultaneous_runs_pay_once() {
    for scene in everywhere() {
        drop(scene.open("1", false));
        for together in ["apart", "at-once"] {
            let before = (scene.paid(), tables(&scene).len());
            fs::write(scene.path("same.toml"), spec_text(&format!("same {together}"), &scene.address)).unwrap();
            let mut running: Vec<Process> =
                (0..4).map(|_| start(&format!("same {together}"), scene.folder.path(), &scene.address)).collect();
            for process in &mut running {
                assert_eq!(process.next().as_deref(), Some("ready"));
            }
            running.iter_mut().for_each(Process::go);
            let mut lines: Vec<String> = running.into_iter().flat_map(Process::rest).collect();
            lines.sort();
            assert_eq!(lines, ["handed back", "handed back", "handed back", "released"], "{} {together}", scene.name);
            assert_eq!(scene.paid(), before.0 + 1, "{} {together}", scene.name);
            let mut found = tables(&scene);
            assert_eq!(found.len() - before.1, if together == "apart" { 4 } else { 1 });
            found.sort();
            found.dedup();
            assert_eq!(found.len(), if together == "apart" { 1 } else { 2 }, "one draw each");
        }
    }
}

#[test]
fn after_a_kill_the_same_command_pays_nothing_more_or_says_why_it_must() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let mut paid = 0;
    let steps = ["reserve: committed"].into_iter().chain(AFTER_PAYING);
    for step in steps.chain(["complete: begun", "complete: written", "complete: committed"]) {
        let mut process = start(&format!("stop {step}"), scene.folder.path(), &scene.address);
        let name = process.id();
        assert_eq!(process.next().as_deref(), Some("stopped"), "{step}");
        process.kill();
        paid += 1;
        let spec = scene.path(&format!("{name}-0.toml"));
        let first = scene.path(&format!("release-{name}-0"));
        let drawn: Option<Vec<u8>> = fs::read(first.join("table.csv")).ok();
        // As a supervisor would: the same command, the same folder; then, as a person would, another one.
        let again = releasing(&spec, &first, by_ann());
        if ["release: begun", "release: drawn"].contains(&step) {
            // Bits were read and what became of them is not known: that is said, and nothing is spent without being asked.
            let problem = again.unwrap_err();
            assert_eq!(problem.kind, Kind::Refused, "{step}: {problem}");
            let hint = problem.hint.unwrap();
            assert!(hint.contains("--again draws anew, and pays ε = 1/100"), "{step}: {hint}");
            assert_eq!(scene.paid(), paid, "{step}");
            let mut options = by_ann();
            options.paying.again = true;
            releasing(&spec, &first, options).unwrap();
            paid += 1;
        } else {
            let released = again.unwrap_or_else(|problem| panic!("{step}: {problem} {:?}", problem.hint));
            verify(&released.folder).unwrap();
        }
        assert_eq!(scene.paid(), paid, "{step}");
        let table = fs::read(first.join("table.csv")).unwrap();
        assert!(drawn.is_none_or(|drawn| drawn == table), "{step}: what was published stays as it was");
        let other = scene.path(&format!("other-{name}"));
        assert!(releasing(&spec, &other, by_ann()).unwrap().handed_back.is_some(), "{step}");
        assert_eq!(fs::read(other.join("table.csv")).unwrap(), table, "{step}");
        assert_eq!(scene.paid(), paid, "{step}");
    }
    assert_eq!(scene.status().unfinished, 2, "those whose draw was lost");
    scene.ledger().verify_chain().unwrap();
}

#[test]
fn housekeeping_between_a_crash_and_the_next_run_gives_nothing_back() {
    // Whatever is removed of what a crash left: nothing is drawn anew without being paid for.
    for (step, removed) in [
        ("reserve: committed", "ready"),
        ("reserve: committed", "lock"),
        ("release: kept", "drawing"),
        ("release: kept", "draw.sealed"),
        ("release: kept", "lock"),
        ("release: kept", ""),
    ] {
        let scene = sqlite();
        drop(scene.open("1", false));
        let mut process = start(&format!("stop {step}"), scene.folder.path(), &scene.address);
        let name = process.id();
        assert_eq!(process.next().as_deref(), Some("stopped"), "{step}");
        process.kill();
        let private = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(".congenial-");
        let folder =
            fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().path()).find(private).unwrap();
        match removed {
            "" => fs::remove_dir_all(&folder).unwrap(),
            file => fs::remove_file(folder.join(file)).unwrap(),
        }
        let spec = scene.path(&format!("{name}-0.toml"));
        let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{step}, {removed}: {problem}");
        assert!(problem.hint.unwrap().contains("--again"), "{step}, {removed}");
        assert_eq!((scene.paid(), scene.path("out").exists()), (1, false), "{step}, {removed}");
    }
}

//! The same spec and data pay once: whoever comes second waits, and whoever comes after a crash
//! goes on.

use crate::child::{Process, start};
use crate::scene::{Scene, by_ann, everywhere, releasing, spec_text, sqlite};
use congenial::{AFTER_PAYING, VerifyOptions, verify};
use std::fs;

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
            // Two draws that are equal would be one here: 1.6e-11, see `EACH`.
            assert_eq!(found.len(), if together == "apart" { 1 } else { 2 }, "one draw each");
        }
    }
}

#[test]
fn after_a_kill_the_same_command_pays_nothing_more() {
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
        // As a supervisor would: the same command, the same folder; then, as a person would,
        // another one.
        let again = releasing(&spec, &first, by_ann());
        let released = again.unwrap_or_else(|problem| panic!("{step}: {problem} {:?}", problem.hint));
        verify(&released.folder, &VerifyOptions::default()).unwrap();
        assert_eq!(scene.paid(), paid, "{step}");
        let table = fs::read(first.join("table.csv")).unwrap();
        assert!(drawn.is_none_or(|drawn| drawn == table), "{step}: what was published stays as it was");
        let other = scene.path(&format!("other-{name}"));
        assert!(releasing(&spec, &other, by_ann()).unwrap().handed_back.is_some(), "{step}");
        assert_eq!(fs::read(other.join("table.csv")).unwrap(), table, "{step}");
        assert_eq!(scene.paid(), paid, "{step}");
    }
    assert_eq!(scene.status().unfinished, 0, "no draw is lost");
    scene.ledger().verify_chain().unwrap();
}

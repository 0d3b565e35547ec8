//! Processes that race for the last ε: exactly as many succeed as the budget pays for.

use crate::child::{EACH, start};
use crate::scene::{Scene, everywhere, pure, request, reserved, spent_and_left};
use crate::server;
use ledger::Ledger;

/// The address of a scene for another process.
pub fn address(scene: &Scene) -> String {
    if scene.address.file().is_some() { scene.address.to_string() } else { server::address_of(scene) }
}

/// Lets processes race, each for several releases; says how many got one.
fn race(scene: &Scene, processes: usize, attempts: usize) -> usize {
    race_on(scene, processes, attempts, "")
}

/// A race for one part of the dataset.
pub fn race_on_parts(scene: &Scene, part: &str, processes: usize, attempts: usize) -> usize {
    race_on(scene, processes, attempts, &format!(" {part}"))
}

fn race_on(scene: &Scene, processes: usize, attempts: usize, part: &str) -> usize {
    let mut racing: Vec<_> = (0..processes).map(|_| start(&format!("try {attempts}{part}"), &address(scene))).collect();
    for process in &mut racing {
        assert_eq!(process.next().as_deref(), Some("ready"), "{}", scene.name);
    }
    racing.iter_mut().for_each(|process| process.go());
    let lines: Vec<String> = racing.into_iter().flat_map(|process| process.rest()).collect();
    assert_eq!(lines.len(), processes * attempts);
    assert!(lines.iter().all(|line| line == "reserved" || line == "refused"), "{}: {lines:?}", scene.name);
    lines.iter().filter(|line| *line == "reserved").count()
}

#[test]
fn two_and_sixteen_processes_never_overspend_together() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        // All but ten releases of a thousand.
        reserved(&mut ledger, &request("most of it", pure("99/100")));
        assert_eq!(race(&scene, 2, 4), 8, "{}: what the budget pays for", scene.name);
        reserved(&mut ledger, &request("one more", pure(EACH)));
        assert_eq!(race(&scene, 2, 1), 1, "{}: the last ε", scene.name);
        assert_eq!(spent_and_left(&mut ledger).1, pure("0").amount);
        ledger.verify_chain().expect("a whole chain");
    }
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        reserved(&mut ledger, &request("most of it", pure("99/100")));
        assert_eq!(race(&scene, 16, 1), 10, "{}: sixteen for ten", scene.name);
        assert_eq!(race(&scene, 16, 1), 0, "{}: sixteen for nothing", scene.name);
        assert_eq!(spent_and_left(&mut ledger).1, pure("0").amount);
        assert_eq!(ledger.unfinished(None).expect("a list").len(), 11);
        ledger.verify_chain().expect("a whole chain");
    }
}

#[test]
fn one_has_the_turn_of_a_dataset_until_it_ends_or_its_connection_does() {
    for scene in everywhere() {
        let mut one = scene.with_census("1");
        let mut other = Ledger::open(&scene.address).expect("a ledger");
        let turn = |ledger: &mut Ledger, dataset| ledger.take_turn(dataset).expect("an answer");
        assert!(turn(&mut one, "census") && !turn(&mut other, "census"), "{}", scene.name);
        assert!(turn(&mut other, "schools"), "{}: every dataset has turns of its own", scene.name);
        one.end_turn();
        assert!(turn(&mut other, "census") && !turn(&mut one, "census"), "{}", scene.name);
        // Who waits is called meanwhile, and goes on when whoever had the turn is gone.
        let (mut other, mut calls) = (Some(other), 0);
        let mut waiting = || {
            calls += 1;
            drop(other.take_if(|_| calls == 3));
        };
        one.wait_for_turn("census", &mut waiting).expect("the turn");
        assert!(calls >= 3, "{}", scene.name);
        one.end_turn();
        let Some(file) = scene.address.file() else { continue };
        let files = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder");
        let mut names = files.map(|file| file.expect("a file").file_name());
        assert!(!names.any(|name| name.to_string_lossy().contains("turn")), "nothing stays");
    }
}

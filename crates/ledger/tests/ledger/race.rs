//! Processes that race for the last ε: exactly as many succeed as the budget pays for.

use crate::child::{EACH, start};
use crate::scene::{Scene, everywhere, pure, request, reserved, spent_and_left};
use crate::server;

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

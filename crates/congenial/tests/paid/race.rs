//! Processes that race for the last of a budget: exactly as many succeed as it pays for.

use crate::child::{Process, start};
use crate::scene::everywhere;
use std::fs;

#[test]
fn exactly_the_affordable_number_succeed() {
    for (processes, affordable) in [(2, 1), (16, 5)] {
        for scene in everywhere() {
            drop(scene.open(&format!("{}/20000", 10 * affordable + 9), false));
            let mut running: Vec<Process> =
                (0..processes).map(|_| start("release 1", scene.folder.path(), &scene.address)).collect();
            for process in &mut running {
                assert_eq!(process.next().as_deref(), Some("ready"));
            }
            running.iter_mut().for_each(Process::go);
            let lines: Vec<String> = running.into_iter().flat_map(Process::rest).collect();
            let count = |wanted: &str| lines.iter().filter(|line| *line == wanted).count();
            assert_eq!(
                (count("released"), count("refused")),
                (affordable, processes - affordable),
                "{}: {lines:?}",
                scene.name
            );
            assert_eq!(scene.paid(), affordable, "{}", scene.name);
            let folders =
                fs::read_dir(scene.folder.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
            assert_eq!(folders.count(), affordable, "{}: nothing else is left behind", scene.name);
            scene.ledger().verify_chain().unwrap();
        }
    }
}

//! Many who pay from one dataset at the same time: nobody looks at it again and again.

use crate::scene::{EACH, Scene, by_ann, releasing_with, sqlite};
use congenial::ledgers::{Address, Ledger};
use congenial::{LOOKED, VerifyOptions, verify};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// Releases by so many at once, of which each has looked before anybody pays: how often each
/// looked.
fn looks(scene: &Scene, many: usize) -> Vec<usize> {
    let all = Arc::new(Barrier::new(many));
    let one = |number: usize| {
        let (looked, all) = (Arc::new(AtomicUsize::new(0)), all.clone());
        let (spec, folder) = (scene.spec(&format!("spec {number}")), scene.path(&format!("release {number}")));
        let counted = looked.clone();
        let steps = Arc::new(move |step: &'static str| {
            if step == LOOKED && counted.fetch_add(1, Ordering::SeqCst) == 0 {
                all.wait();
            }
        });
        releasing_with(&spec, &folder, by_ann(), steps).unwrap();
        verify(&folder, &VerifyOptions::default()).unwrap();
        looked.load(Ordering::SeqCst)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..many).map(|number| scope.spawn(move || one(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn twenty_four_at_once_look_at_most_twice_each() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let many = 24;
    let looks = looks(&scene, many);
    assert!(looks.iter().all(|looks| *looks <= 2), "{looks:?}");
    assert_eq!(scene.paid(), many);
    scene.ledger().verify_chain().unwrap();
}

#[test]
fn whoever_has_the_turn_and_stands_still_keeps_nobody_from_what_is_not_crowded() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let mut still = Ledger::open(&Address::parse(&scene.address).unwrap()).unwrap();
    assert!(still.take_turn("another dataset").unwrap());
    assert_eq!(looks(&scene, 1), [1]);
    // And who waits goes on as soon as the turn is given up, or its process has ended.
    assert!(still.take_turn("children").unwrap());
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(still);
    });
    let steps = Arc::new(|_: &'static str| {});
    releasing_with(&scene.spec("another"), &scene.path("another"), by_ann(), steps).unwrap();
    waiting.join().unwrap();
    assert_eq!(scene.paid(), 2, "each paid {EACH}");
    let turns = fs::read_dir(scene.folder.path()).unwrap().map(|file| file.unwrap().file_name());
    assert!(!turns.into_iter().any(|name| name.to_string_lossy().contains("turn")), "nothing stays");
}

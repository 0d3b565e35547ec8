//! Processes that are killed, at every step and at any moment: what was drawn is always spent.

use crate::child::{EACH, Process, start};
use crate::obstacles::terminate;
use crate::race::address;
use crate::scene::{everywhere, postgres, pure, spent_and_left, sqlite};
use crate::server;
use exact::Rational;
use ledger::{Amount, Ledger};
use std::time::{Duration, Instant};

/// How many releases were paid for.
fn paid(ledger: &mut Ledger) -> usize {
    let Amount::Pure { epsilon } = spent_and_left(ledger).0 else { panic!("pure") };
    let each: Rational = EACH.parse().expect("a number");
    (&epsilon / &each).to_string().parse().expect("a whole number of releases")
}

#[test]
fn a_kill_at_every_step_leaves_what_was_drawn_spent() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let (mut expected, mut unfinished) = (0, 0);
        for step in ledger::STEPS {
            let mut process = start(&format!("stop {step}"), &address(&scene));
            let mut drawn = 0;
            loop {
                match process.next().as_deref() {
                    Some("drawn") => drawn += 1,
                    Some("stopped") => break,
                    other => panic!("{} at {step}: {other:?}", scene.name),
                }
            }
            assert_eq!(process.kill("completed"), 0, "it stopped at {step}");
            let committed =
                ["reserve: committed", "reserve: head kept"].contains(&step) || step.starts_with("complete");
            expected += usize::from(committed);
            unfinished += usize::from(committed && !["complete: committed", "complete: head kept"].contains(&step));
            // Another process goes on at once: no lock survives the one that was killed.
            assert_eq!(paid(&mut ledger), expected, "{} at {step}", scene.name);
            assert_eq!(drawn, usize::from(step.starts_with("complete")), "{step}");
            assert_eq!(ledger.unfinished(None).expect("a list").len(), unfinished, "{} at {step}", scene.name);
            ledger.verify_chain().unwrap_or_else(|problem| panic!("{} at {step}: {problem}", scene.name));
        }
        assert_eq!((expected, unfinished), (8, 6));
    }
}

/// Random kills, two hundred of them unless the environment asks for more:
/// `CONGENIAL_TEST_KILLS=10000`.
#[test]
#[allow(clippy::print_stderr)]
fn random_kills_never_give_budget_back() {
    let kills: usize = std::env::var("CONGENIAL_TEST_KILLS").map_or(200, |kills| kills.parse().expect("a number"));
    let scene = sqlite();
    let mut ledger = scene.with_census("1000000");
    // How long a draw takes depends on what else the machine does: kills come at any time of one.
    let mut first = start("loop on", &address(&scene));
    assert_eq!(first.next().as_deref(), Some("ready"));
    let begun = Instant::now();
    first.go();
    assert_eq!(first.next().as_deref(), Some("drawn"));
    let mut longest = (4 * begun.elapsed().as_micros() as u64).max(12_000);
    let before = 1 + first.kill("drawn");
    let (mut drawn, mut state) = (0, 1u64);
    let mut rounds = 0;
    while rounds < kills / 4 || drawn == 0 {
        if rounds >= kills / 4 {
            // The machine became much slower: kills come later and later.
            longest *= 2;
        }
        rounds += 1;
        let mut running: Vec<Process> = (0..4).map(|_| start("loop on", &address(&scene))).collect();
        for process in &mut running {
            assert_eq!(process.next().as_deref(), Some("ready"));
        }
        running.iter_mut().for_each(Process::go);
        for process in running {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(Duration::from_micros((state >> 33) % longest));
            drawn += process.kill("drawn");
        }
        let (drawn, paid) = (before + drawn, paid(&mut ledger));
        assert!(paid >= drawn, "round {rounds}: {drawn} drawn, {paid} paid");
        assert!(paid <= drawn + 4 * rounds + 1, "round {rounds}: {drawn} drawn, {paid} paid");
        assert!(ledger.unfinished(None).expect("a list").len() <= 4 * rounds + 1);
    }
    eprintln!("{kills} kills: {drawn} drawn, {} paid", paid(&mut ledger));
    ledger.verify_chain().expect("a whole chain");
    assert_eq!(spent_and_left(&mut ledger).0.definition(), pure("1").amount.definition());
}

/// Connections that are cut at random moments, twenty-four of them unless the environment asks for
/// more: `CONGENIAL_TEST_CUTS=1000`.
#[test]
#[allow(clippy::print_stderr)]
fn random_cuts_never_give_budget_back() {
    let Some(scene) = postgres() else { return };
    let cuts: usize = std::env::var("CONGENIAL_TEST_CUTS").map_or(24, |cuts| cuts.parse().expect("a number"));
    let mut ledger = scene.with_census("1000000");
    let second = tempfile::tempdir().expect("a folder");
    ledger.keep_head(&second.path().join("head"), "ann").expect("kept");
    drop(ledger);
    let mut running: Vec<Process> = (0..2).map(|_| start("cut on", &address(&scene))).collect();
    for process in &mut running {
        assert_eq!(process.next().as_deref(), Some("ready"));
    }
    running.iter_mut().for_each(Process::go);
    let (whole, mut state) = (server::address_of(&scene), 1u64);
    for _ in 0..cuts {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((state >> 33) % 30_000));
        terminate(&whole);
    }
    // Whoever is left alone draws, however slow the machine is.
    for process in &mut running {
        assert_eq!(process.next().as_deref(), Some("drawn"));
    }
    let drawn = running.len() + running.into_iter().map(|process| process.kill("drawn")).sum::<usize>();
    let mut ledger = scene.again();
    let paid = paid(&mut ledger);
    eprintln!("{cuts} cuts: {drawn} drawn, {paid} paid");
    assert!(paid >= drawn && paid <= drawn + cuts * 2 + 2, "{drawn} drawn, {paid} paid, {cuts} cuts");
    ledger.verify_chain().expect("a whole chain");
}

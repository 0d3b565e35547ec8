//! What a second person approves is a spec of these data, and is shown before.

use crate::scene::{Scene, by_ann, releasing, sqlite};
use congenial::ledgers::{Address, Amount, Charge, Event, Ledger, NewDataset, Unit};
use congenial::{Kind, Quiet, approve_signed, ask, new_keys, public_key, shown};
use std::fs;
use std::path::Path;

fn asked(spec: &Path) -> u64 {
    ask(spec, &by_ann().paying, &Quiet).unwrap().entry
}

fn address(scene: &Scene) -> Address {
    Address::parse(&scene.with_password).unwrap()
}

#[test]
fn a_second_person_sees_what_is_approved() {
    let scene = sqlite();
    let mut ledger = scene.open("1/1000", true);
    let spec = scene.spec("a");
    let entry = asked(&spec);
    let (_, words) = shown(&address(&scene), entry).unwrap();
    for part in [
        "6 cells: county (3 values) × education (2 values)",
        "by county: 3 totals",
        "0 of 6 cells follow from the totals",
        "it is the first release of these data",
        "ε = 1/2000 per unit of ℓ₁ distance; ε = 1/1000",
        "can be led to give one of them a probability of 50.1 % at most",
        "file:",
        "rows:",
        "path = \"data.csv\"",
    ] {
        assert!(words.contains(part), "`{part}` is not in\n{words}");
    }
    // Nothing of the interior.
    for count in ["15", "17", "38", "24"] {
        assert!(!words.lines().any(|line| line.split_whitespace().any(|word| word == count)), "{count} in\n{words}");
    }
    let pending = scene.status().pending;
    assert_eq!((pending.len(), pending[0].number, pending[0].approved), (1, entry, None));
    let approval = ledger.approve(entry, "bea").unwrap();
    assert_eq!(scene.status().pending[0].approved, Some(approval));
    releasing(&spec, &scene.path("one"), by_ann()).unwrap();
    assert!(scene.status().pending.is_empty());
    // The second release shows what both disclose.
    let second = asked(&scene.spec("b"));
    let (_, words) = shown(&address(&scene), second).unwrap();
    assert!(words.contains("with the exact totals of 1 earlier release"), "{words}");
    assert!(shown(&address(&scene), 1).is_err());
}

#[test]
fn an_edit_of_the_data_or_the_spec_voids_the_approval() {
    let scene = sqlite();
    let mut ledger = scene.open("1", true);
    let spec = scene.spec("a");
    ledger.approve(asked(&spec), "bea").unwrap();
    let data = fs::read_to_string(scene.path("data.csv")).unwrap();
    fs::write(
        scene.path("data.csv"),
        data.replace("Alpha,Low,15", "Alpha,Low,16").replace("Alpha,High,4", "Alpha,High,3"),
    )
    .unwrap();
    let problem = releasing(&spec, &scene.path("one"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("other data than these were approved"), "{problem}");
    fs::write(scene.path("data.csv"), &data).unwrap();
    let edited = fs::read_to_string(&spec)
        .unwrap()
        .replace("[[invariant]]\nby = [\"county\"]", "[[invariant]]\nby = [\"education\"]");
    fs::write(scene.path("edited.toml"), edited).unwrap();
    let problem = releasing(&scene.path("edited.toml"), &scene.path("one"), by_ann()).unwrap_err();
    assert!(problem.message.contains("nobody has approved this release"), "{problem}");
    // The same rows in another file are what was approved.
    let mut lines: Vec<&str> = data.lines().collect();
    lines[1..].reverse();
    fs::write(scene.path("data.csv"), lines.join("\n") + "\n").unwrap();
    releasing(&spec, &scene.path("one"), by_ann()).unwrap();
}

#[test]
fn more_than_is_left_cannot_be_asked_for() {
    let scene = sqlite();
    drop(scene.open("1/4000", true));
    let problem = ask(&scene.spec("a"), &by_ann().paying, &Quiet).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("does not pay for this release"), "{problem}");
    assert!(scene.status().pending.is_empty());
}

#[test]
fn who_looks_like_the_asking_person_approves_nothing_and_an_approval_can_be_signed() {
    let scene = sqlite();
    let mut ledger = scene.open("1", true);
    let entry = asked(&scene.spec("a"));
    for alike in ["Ann", "\u{430}nn", "an\u{200b}n", "ann."] {
        let problem = ledger.approve(entry, alike).unwrap_err();
        assert!(problem.message.contains("somebody else must approve it"), "{alike}: {problem}");
    }
    new_keys(&scene.path("bea.key"), false).unwrap();
    let (approval, key) = approve_signed(&address(&scene), entry, "bea", &scene.path("bea.key")).unwrap();
    let history = ledger.history(None).unwrap();
    let signed = history.iter().find(|entry| entry.number == approval).map(|entry| &entry.event);
    assert!(matches!(signed, Some(Event::Approved { signed: Some(signed), .. }) if signed.key == key));
    releasing(&scene.spec("a"), &scene.path("one"), by_ann()).unwrap();
    ledger.verify_chain().unwrap();
}

#[test]
fn a_dataset_that_demands_a_key_takes_no_other_approval() {
    let scene = sqlite();
    let mut ledger = Ledger::create(&address(&scene), "ann").unwrap();
    for name in ["bea.key", "eve.key"] {
        new_keys(&scene.path(name), false).unwrap();
    }
    let key = public_key(&scene.path("bea.key.pub")).unwrap();
    let budget = Charge { amount: Amount::Pure { epsilon: 1.into() }, per: Unit::L1 };
    let children = NewDataset { name: "children".into(), budget, approval: true, partition: None, by: "ann".into() };
    ledger.open_dataset_with(&children, Some(&key)).unwrap();
    let entry = asked(&scene.spec("a"));
    let (_, shown) = shown(&address(&scene), entry).unwrap();
    assert!(shown.contains(&key), "{shown}");
    ledger.approve(entry, "bea").unwrap_err();
    approve_signed(&address(&scene), entry, "bea", &scene.path("eve.key")).unwrap_err();
    let problem = releasing(&scene.spec("a"), &scene.path("one"), by_ann()).unwrap_err();
    assert!(problem.message.contains("nobody has approved this release"), "{problem}");
    approve_signed(&address(&scene), entry, "bea", &scene.path("bea.key")).unwrap();
    releasing(&scene.spec("a"), &scene.path("one"), by_ann()).unwrap();
    ledger.verify_chain().unwrap();
}

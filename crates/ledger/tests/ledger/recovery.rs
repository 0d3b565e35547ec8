//! What cannot be known costs: a ledger whose heads do not tell what was paid goes on at the price
//! of all that is left.

use crate::heads::{bea, database, head, refuses, set_back};
use crate::scene::{Scene, dataset, pure, request, reserved, spent_and_left, sqlite};
use declare::Kind;
use ledger::{Adopting, Event, Ledger, Unknown};
use std::fs;
use std::path::{Path, PathBuf};

/// A ledger with two datasets and a second head, an older copy of its files, and the ledger after
/// it paid twice more.
struct Lost {
    scene: Scene,
    second: PathBuf,
    /// Database, head and second head of then.
    then: [Vec<u8>; 3],
}

fn lost() -> Lost {
    let scene = sqlite();
    let second = database(&scene).with_file_name("second.head");
    let mut ledger = scene.with_census("1");
    ledger.open_dataset(&dataset("health", pure("1"))).expect("a second dataset");
    ledger.keep_head(&second, "ann").expect("kept");
    reserved(&mut ledger, &request("a", pure("1/8")));
    drop(ledger);
    let read = |path: &Path| fs::read(path).expect("a file");
    let then = [read(&database(&scene)), read(&head(&scene)), read(&second)];
    crate::heads::pay_twice(&scene);
    Lost { scene, second, then }
}

/// Spent and left of both datasets.
fn books(scene: &Scene) -> Vec<String> {
    let status = scene.again().status().expect("a status");
    status.datasets.iter().map(|dataset| format!("{} {}", dataset.spent, dataset.left)).collect()
}

/// Checks that recovery refuses without a decision and writes nothing; that all that is left is
/// booked with one, once; and that nobody gets budget back by restoring the same files twice.
fn costs_everything(scene: &Scene, what: &str) {
    let before = fs::read(database(scene)).expect("the database");
    let mut ledger = scene.again();
    let problem = ledger.adopt(&bea("files were put back")).expect_err(what);
    assert_eq!(problem.kind, Kind::Refused, "{what}: {problem}");
    assert!(problem.message.contains("cannot be known"), "{what}: {problem}");
    assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("--book-all")), "{what}: {problem}");
    assert_eq!(fs::read(database(scene)).expect("the database"), before, "{what}: nothing is written");
    let adopted = ledger.adopt(&Adopting { unknown: Unknown::Booked, ..bea("files were put back") });
    let adopted = adopted.unwrap_or_else(|problem| panic!("{what}: {problem}"));
    let datasets = scene.again().status().expect("a status").datasets.len();
    assert_eq!(adopted.emptied.len(), datasets, "{what}: every dataset");
    for dataset in scene.again().status().expect("a status").datasets {
        assert_eq!(dataset.left, pure("0").amount, "{what}: {}", dataset.name);
    }
    let problem = scene.again().reserve(&request("more", pure("1/1000"))).expect_err("nothing is left");
    assert!(problem.message.contains("does not pay"), "{what}: {problem}");
    scene.again().verify_chain().unwrap_or_else(|problem| panic!("{what}: {problem}"));
}

#[test]
fn an_older_ledger_with_a_lost_or_damaged_head_gives_nothing_back() {
    let (_, _, old) = set_back();
    let cut = |bytes: &[u8], lines: usize| -> Vec<u8> {
        let kept: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        kept[..kept.len() - lines].concat()
    };
    type Damage = Box<dyn Fn(&[u8]) -> Option<Vec<u8>>>;
    let variants: Vec<(&str, Damage)> = vec![
        ("missing", Box::new(|_| None)),
        ("empty", Box::new(|_| Some(Vec::new()))),
        ("garbage", Box::new(|_| Some(b"\xff\xfegarbage\n".repeat(300)))),
        ("every byte changed", Box::new(|good| Some(good.iter().map(|byte| byte ^ 1).collect()))),
        ("that of another ledger", Box::new(move |_| Some(old.clone()))),
        ("cut off in the last line", Box::new(|good| Some(good[..good.len() - 20].to_vec()))),
        ("without its last line, and garbage", Box::new(move |good| Some([&cut(good, 1)[..], b"{}\n"].concat()))),
        (
            "all new lines unreadable",
            Box::new(move |good| {
                let text = String::from_utf8(good.to_vec()).expect("text");
                Some(text.replace("\"entry\":6", "\"entry\":8").replace("\"entry\":4", "\"entry\":9").into_bytes())
            }),
        ),
    ];
    for (what, damage) in variants {
        let (scene, then, _) = set_back();
        let good = fs::read(head(&scene)).expect("the head");
        fs::write(database(&scene), &then).expect("put back");
        match damage(&good) {
            Some(bytes) => fs::write(head(&scene), bytes).expect("written"),
            None => fs::remove_file(head(&scene)).expect("removed"),
        }
        scene.again().reserve(&request("x", pure("1/8"))).expect_err(what);
        costs_everything(&scene, what);
    }
}

#[test]
fn a_lost_head_costs_all_that_is_left_though_the_ledger_is_the_newest() {
    // Nobody can tell it from an older one.
    let (scene, ..) = set_back();
    fs::remove_file(head(&scene)).expect("removed");
    refuses(&scene, "is missing");
    costs_everything(&scene, "the newest");
}

#[test]
fn a_second_head_that_is_whole_proves_what_was_paid() {
    // The first is lost: the second lists everything.
    let Lost { scene, second, then, .. } = lost();
    fs::write(database(&scene), &then[0]).expect("put back");
    fs::remove_file(head(&scene)).expect("removed");
    scene.again().adopt(&bea("a lost head")).expect("the second head tells");
    assert_eq!(books(&scene), ["ε = 3/8 ε = 5/8", "ε = 0 ε = 1"]);
    // Both are there again.
    reserved(&mut scene.again(), &request("d", pure("1/8")));
    assert!(head(&scene).exists() && second.exists());
}

#[test]
fn heads_that_do_not_reach_the_end_prove_nothing() {
    type Damage = fn(&Lost);
    let variants: [(&str, Damage); 6] = [
        ("both deleted", |lost| {
            fs::remove_file(head(&lost.scene)).expect("removed");
            fs::remove_file(&lost.second).expect("removed");
        }),
        ("the first deleted, the second cut off", |lost| {
            fs::remove_file(head(&lost.scene)).expect("removed");
            let good = fs::read(&lost.second).expect("the second");
            fs::write(&lost.second, &good[..good.len() - 9]).expect("cut");
        }),
        ("the first set back, the second deleted", |lost| {
            fs::write(head(&lost.scene), &lost.then[1]).expect("put back");
            fs::remove_file(&lost.second).expect("removed");
        }),
        ("the first set back, the second garbage", |lost| {
            fs::write(head(&lost.scene), &lost.then[1]).expect("put back");
            fs::write(&lost.second, b"garbage\n").expect("damaged");
        }),
        ("the first torn, the second older", |lost| {
            let good = fs::read(head(&lost.scene)).expect("the head");
            fs::write(head(&lost.scene), &good[..good.len() - 20]).expect("cut");
            fs::write(&lost.second, &lost.then[2]).expect("put back");
        }),
        ("a backup and its head in their place", |lost| {
            let folder = tempfile::tempdir().expect("a folder");
            let copy = folder.path().join("copy.db");
            fs::remove_file(&lost.second).expect("removed");
            fs::write(head(&lost.scene), &lost.then[1]).expect("put back");
            fs::write(&lost.second, &lost.then[2]).expect("put back");
            scene_backup(&lost.scene, &copy);
            fs::remove_file(&lost.second).expect("removed");
            fs::copy(&copy, database(&lost.scene)).expect("copied");
            fs::copy(copy.with_extension("db.head"), head(&lost.scene)).expect("copied");
        }),
    ];
    for (what, damage) in variants {
        let lost = lost();
        fs::write(database(&lost.scene), &lost.then[0]).expect("put back");
        damage(&lost);
        lost.scene.again().reserve(&request("x", pure("1/8"))).expect_err(what);
        costs_everything(&lost.scene, what);
    }
}

fn scene_backup(scene: &Scene, copy: &Path) {
    scene.again().backup(copy).expect("a backup of what was put back");
}

#[test]
fn a_newest_ledger_with_its_first_head_deleted_and_an_older_second_is_not_proved() {
    let Lost { scene, second, then, .. } = lost();
    fs::remove_file(head(&scene)).expect("removed");
    fs::write(&second, &then[2]).expect("put back");
    costs_everything(&scene, "the second is older than the ledger");
}

#[test]
fn restoring_twice_books_nothing_twice() {
    let Lost { scene, then, .. } = lost();
    for round in 1..=3 {
        fs::write(database(&scene), &then[0]).expect("put back");
        scene.again().adopt(&bea("once more")).unwrap_or_else(|problem| panic!("round {round}: {problem}"));
        assert_eq!(books(&scene), ["ε = 3/8 ε = 5/8", "ε = 0 ε = 1"], "round {round}");
    }
    // Also what was booked because nobody knew.
    for round in 1..=2 {
        fs::write(database(&scene), &then[0]).expect("put back");
        let _ = fs::remove_file(head(&scene));
        let all = Adopting { unknown: Unknown::Booked, ..bea("and again") };
        let second = fs::read(lost_second(&scene)).expect("the second");
        fs::write(lost_second(&scene), &second[..second.len() - 5]).expect("cut");
        scene.again().adopt(&all).unwrap_or_else(|problem| panic!("round {round}: {problem}"));
        assert_eq!(books(&scene), ["ε = 1 ε = 0", "ε = 1 ε = 0"], "round {round}");
    }
    scene.again().verify_chain().expect("a whole chain");
}

/// The second place that the history names.
fn lost_second(scene: &Scene) -> PathBuf {
    let history = scene.again().history(None).expect("a history");
    let place = history.into_iter().find_map(|entry| match entry.event {
        Event::HeadKept { place } => Some(PathBuf::from(place)),
        _ => None,
    });
    place.expect("a second place")
}

#[test]
fn who_vouches_is_named_for_ever() {
    let (scene, then, _) = set_back();
    fs::write(database(&scene), &then).expect("put back");
    fs::remove_file(head(&scene)).expect("removed");
    let vouching = Adopting { unknown: Unknown::Vouched, ..bea("the tape is of yesterday, nobody worked since") };
    let adopted = scene.again().adopt(&vouching).expect("vouched for");
    assert!(adopted.booked.is_empty() && adopted.emptied.is_empty());
    reserved(&mut scene.again(), &request("d", pure("1/8")));
    let recovered = scene.again().status().expect("a status").recovered;
    let Event::Recovered { vouched: Some(why), reason, .. } = &recovered[0].event else { panic!("{recovered:?}") };
    assert_eq!((recovered[0].by.as_str(), reason.as_str()), ("bea", "the tape is of yesterday, nobody worked since"));
    assert!(why.contains("does not tell"), "{why}");
}

#[test]
fn a_head_that_is_given_up_still_tells_what_it_knows() {
    // The ledger and the file beside it are older; the second place, which knows better, is given
    // up.
    let Lost { scene, second, then, .. } = lost();
    fs::write(database(&scene), &then[0]).expect("put back");
    fs::write(head(&scene), &then[1]).expect("put back");
    let place = [second.to_str().expect("a path").to_string()];
    scene.again().adopt(&Adopting { given_up: &place, ..bea("we need it no longer") }).expect("given up");
    assert_eq!(books(&scene), ["ε = 3/8 ε = 5/8", "ε = 0 ε = 1"]);
}

#[test]
fn a_copy_that_was_adopted_does_not_excuse_another_one_with_the_same_numbers() {
    // Two copies went on from the same file: one was adopted, and then the head of the other
    // appears.
    let (scene, then, old) = set_back();
    let first = fs::read(head(&scene)).expect("the head");
    fs::write(database(&scene), &then).expect("put back");
    fs::write(head(&scene), &old).expect("put back");
    reserved(&mut scene.again(), &request("twin", pure("1/4")));
    let twin = fs::read(head(&scene)).expect("the head of the twin");
    fs::write(database(&scene), &then).expect("put back");
    fs::write(head(&scene), &first).expect("put back");
    scene.again().adopt(&bea("a copy was put back")).expect("adopted");
    assert_eq!(spent_and_left(&mut scene.again()).0, pure("3/8").amount);
    let mut both = fs::read(head(&scene)).expect("the head");
    both.extend_from_slice(&twin[old.len()..]);
    fs::write(head(&scene), both).expect("both heads");
    // The next recovery, whatever its reason, reads every line.
    let second = database(&scene).with_file_name("second.head");
    let mut ledger = scene.again();
    ledger.keep_head(&second, "ann").expect("kept");
    let place = [second.to_str().expect("a path").to_string()];
    ledger.adopt(&Adopting { given_up: &place, ..bea("and there was another") }).expect("adopted");
    assert_eq!(spent_and_left(&mut ledger).0, pure("5/8").amount);
}

#[test]
fn restore_decides_before_it_touches_anything() {
    let Lost { scene, second, .. } = lost();
    let folder = tempfile::tempdir().expect("a folder");
    let backup = folder.path().join("monday.db");
    scene.again().backup(&backup).expect("a backup");
    reserved(&mut scene.again(), &request("d", pure("1/8")));
    fs::remove_file(head(&scene)).expect("removed");
    fs::remove_file(&second).expect("removed");
    let before = fs::read(database(&scene)).expect("the database");
    let problem = Ledger::restore(&scene.address, &backup, Some(&bea("a broken disk"))).expect_err("nobody knows");
    assert!(problem.message.contains("cannot be known"), "{problem}");
    assert_eq!(fs::read(database(&scene)).expect("the database"), before);
    let all = Adopting { unknown: Unknown::Booked, ..bea("a broken disk") };
    let restored = Ledger::restore(&scene.address, &backup, Some(&all)).expect("restored");
    assert_eq!(restored.adopted.expect("adopted").emptied.len(), 2);
    assert_eq!(books(&scene), ["ε = 1 ε = 0", "ε = 1 ε = 0"]);
}

/// A ledger that was put back to before a dataset was opened again, and paid from: the heads know
/// its second budget.
#[test]
fn a_second_opening_that_was_lost_is_entered_again() {
    let scene = sqlite();
    let second = database(&scene).with_file_name("second.head");
    let mut ledger = scene.with_census("1");
    ledger.keep_head(&second, "ann").expect("kept");
    drop(ledger);
    let before = fs::read(database(&scene)).expect("the database");
    let mut ledger = scene.again();
    ledger.reopen_dataset(&dataset("census", pure("3")), None).expect("opened again");
    ledger.verify_chain().expect("a whole chain");
    reserved(&mut ledger, &request("a", pure("2")));
    drop(ledger);
    fs::write(database(&scene), before).expect("put back");
    let mut ledger = scene.again();
    ledger.adopt(&bea("files were put back")).expect("adopted");
    assert_eq!(spent_and_left(&mut ledger), (pure("2").amount, pure("1").amount));
    ledger.verify_chain().expect("a whole chain");
    assert!(ledger.reopen_dataset(&dataset("census", pure("9")), None).is_err());
}

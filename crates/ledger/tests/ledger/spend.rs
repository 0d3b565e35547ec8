//! Spending: reserve, complete, hand back, refuse, give up.

use crate::scene::{concentrated, dataset, everywhere, outcome, pure, request, reserved, spent_and_left, sqlite};
use ledger::{Address, Amount, Answer, Charge, Event, Ledger, NewDataset, Unit};

#[test]
fn a_release_is_paid_for_once_and_handed_back() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let reservation = reserved(&mut ledger, &request("a", pure("1/3")));
        assert_eq!(
            spent_and_left(&mut ledger),
            (pure("1/3").amount, pure("2/3").amount),
            "spent before it is completed"
        );
        let completed = ledger.complete(&reservation, &outcome("2025/release")).expect("completed");
        let Answer::Already(earlier) = scene.again().reserve(&request("a", pure("1/3"))).expect("an answer") else {
            panic!("{}: redrawn", scene.name);
        };
        assert_eq!((earlier.reservation, earlier.completed), (reservation.entry().number, completed));
        assert_eq!((earlier.folder.as_str(), earlier.table.as_str()), ("2025/release", "7ab1e"));
        assert!(earlier.same_data);
        let again = ledger::Request { again: true, ..request("a", pure("1/3")) };
        let second = reserved(&mut ledger, &again);
        ledger.complete(&second, &outcome("2025/second")).expect("completed");
        assert_eq!(spent_and_left(&mut ledger), (pure("2/3").amount, pure("1/3").amount), "a new draw pays again");
        let Answer::Already(latest) = ledger.reserve(&request("a", pure("1/3"))).expect("an answer") else {
            panic!("redrawn");
        };
        assert_eq!(latest.folder, "2025/second");
        reserved(&mut ledger, &request("b", pure("1/3")));
        let problem = ledger.reserve(&request("c", pure("1e-40"))).expect_err("nothing is left");
        insta::allow_duplicates! { insta::assert_snapshot!(problem) };
        assert_eq!(ledger.verify_chain().expect("a whole chain"), scene.again().verify_chain().expect("the same"));
    }
}

#[test]
fn what_is_not_completed_stays_spent_and_visible() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let reservation = reserved(&mut ledger, &request("a", pure("1/2")));
        let number = reservation.entry().number;
        let mut later = scene.again();
        let unfinished = later.unfinished(None).expect("a list");
        assert_eq!(unfinished.len(), 1);
        assert_eq!((unfinished[0].number, unfinished[0].spec.as_str()), (number, "a"));
        let pending = later.reserve(&request("a", pure("1/2"))).expect("an answer");
        assert!(matches!(&pending, Answer::Pending(pending) if pending.reservation == number), "{pending:?}");
        let anew = ledger::Request { again: true, ..request("a", pure("1/2")) };
        assert!(matches!(later.reserve(&anew), Ok(Answer::Reserved(_))), "a new draw was asked for, and pays");
        later.abandon(number, "the machine lost power", "bob").expect("given up");
        assert_eq!(later.unfinished(Some("census")).expect("a list").len(), 1);
        assert_eq!(spent_and_left(&mut later).1, pure("0").amount, "nothing is paid back");
        let status = later.status().expect("a status");
        assert_eq!(
            (status.datasets[0].abandoned, status.datasets[0].unfinished, status.datasets[0].completed),
            (1, 1, 0)
        );
        let late = ledger.complete(&reservation, &outcome("late")).expect_err("given up");
        let twice = later.abandon(number, "once more", "bob").expect_err("given up already");
        assert_eq!(late, twice);
        insta::allow_duplicates! { insta::assert_snapshot!(late) };
    }
}

#[test]
fn a_reservation_is_completed_once_and_where_it_was_made() {
    let (scene, other) = (sqlite(), sqlite());
    let mut ledger = scene.with_census("1");
    let reservation = reserved(&mut ledger, &request("a", pure("1/2")));
    ledger.complete(&reservation, &outcome("release")).expect("completed");
    insta::assert_snapshot!(ledger.complete(&reservation, &outcome("release")).expect_err("twice"));
    let mut elsewhere = other.with_census("1");
    reserved(&mut elsewhere, &request("a", pure("1/2")));
    insta::assert_snapshot!(elsewhere.complete(&reservation, &outcome("release")).expect_err("another ledger"));
    insta::assert_snapshot!(ledger.abandon(1, "a slip", "ann").expect_err("not a reservation"));
    insta::assert_snapshot!(ledger.abandon(99, "a slip", "ann").expect_err("no such entry"));
}

#[test]
fn budgets_are_kept_in_their_definition_and_unit() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        ledger.open_dataset(&dataset("health", concentrated("1/2"))).expect("a dataset");
        let health = |spec: &str, loss| ledger::Request { dataset: "health".to_string(), ..request(spec, loss) };
        reserved(&mut ledger, &health("a", concentrated("3/8")));
        reserved(&mut ledger, &health("b", pure("1/2")));
        let left = ledger.dataset("health").expect("a ledger").expect("a dataset").left;
        assert_eq!(left, Amount::ZeroConcentrated { rho: 0.into() }, "ε = 1/2 counts as ρ = 1/8");
        let refused = [
            ledger.reserve(&request("c", concentrated("1/8"))),
            ledger.reserve(&request("c", Charge { per: Unit::L1, ..pure("1/8") })),
            ledger.reserve(&request("c", pure("-1"))),
        ];
        let text: Vec<String> = refused.map(|answer| answer.expect_err("refused").to_string()).into();
        insta::allow_duplicates! { insta::assert_snapshot!(text.join("\n")) };
        assert_eq!(spent_and_left(&mut ledger).0, pure("0").amount);
        reserved(&mut ledger, &request("only the totals", pure("0")));
        ledger.verify_chain().expect("a whole chain");
    }
}

#[test]
fn datasets_are_opened_once_and_found_by_name() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let problems = [
        ledger.open_dataset(&dataset("census", pure("5"))),
        ledger.open_dataset(&dataset("", pure("5"))),
        ledger.open_dataset(&dataset("other", pure("0"))),
        ledger.open_dataset(&dataset("other", pure("-2"))),
        ledger.reserve(&ledger::Request { dataset: "sensus".to_string(), ..request("a", pure("1")) }).map(|_| 0),
        ledger.reserve(&ledger::Request { dataset: "taxes".to_string(), ..request("a", pure("1")) }).map(|_| 0),
    ];
    let text: Vec<String> = problems.map(|answer| answer.expect_err("refused").to_string()).into();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn a_ledger_is_created_once_and_opened_after() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        reserved(&mut ledger, &request("a", pure("1/2")));
        let mut same = Ledger::create(&scene.address, "bob").expect("the same ledger");
        assert_eq!(spent_and_left(&mut same).0, pure("1/2").amount, "{}", scene.name);
        let history = same.history(None).expect("a history");
        let kinds: Vec<&str> = history.iter().map(|entry| entry.event.kind()).collect();
        assert_eq!(kinds, ["created", "opened", "reserved"]);
        assert!(history.iter().all(|entry| entry.by == "ann" && entry.time.ends_with('Z')));
        let Event::Reserved { charged, .. } = &history[2].event else { panic!("reserved") };
        assert_eq!(*charged, pure("1/2").amount);
        assert_eq!(same.history(Some("census")).expect("a history").len(), 2);
    }
}

#[test]
fn a_ledger_that_is_not_there_is_not_made_by_opening() {
    let scene = sqlite();
    let problem = Ledger::open(&scene.address).expect_err("no file");
    assert!(problem.message.starts_with("there is no ledger at"), "{problem}");
    let path = scene.address.file().expect("a file");
    assert!(!path.exists());
    std::fs::write(path, "").expect("an empty file");
    assert!(Ledger::open(&scene.address).expect_err("no tables").message.ends_with("holds no ledger"));
    std::fs::write(path, "name,count\nAlpha,3\n".repeat(100)).expect("another file");
    assert!(
        Ledger::create(&scene.address, "ann").expect_err("a CSV file").message.ends_with("is not a SQLite database")
    );
    assert!(Address::parse("sqlite:").is_err());
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_the_key() {
    use std::os::unix::fs::PermissionsExt;
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/2")));
    let folder = scene.folder.as_ref().expect("a folder").path();
    for file in std::fs::read_dir(folder).expect("files") {
        let file = file.expect("a file");
        let mode = file.metadata().expect("its mode").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} has mode {mode:o}", file.path().display());
    }
}

#[test]
fn nothing_is_reserved_while_another_release_is_not_known() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let first = match ledger.reserve_after(&request("a", pure("1/4")), Some(0)) {
            Ok(Answer::Reserved(reservation)) => reservation.entry().number,
            other => panic!("{}: {other:?}", scene.name),
        };
        let newer = scene.again().reserve_after(&request("b", pure("1/4")), Some(0)).expect("an answer");
        assert!(matches!(newer, Answer::Newer(number) if number == first), "{}: {newer:?}", scene.name);
        assert_eq!(spent_and_left(&mut ledger).0, pure("1/4").amount, "{}", scene.name);
        let known = scene.again().reserve_after(&request("b", pure("1/4")), Some(first)).expect("an answer");
        assert!(matches!(known, Answer::Reserved(_)), "{}: {known:?}", scene.name);
    }
}

#[test]
fn one_dataset_is_looked_up_without_the_others() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        for number in 0..20 {
            ledger.open_dataset(&dataset(&format!("other {number}"), pure("1"))).expect("a dataset");
        }
        let reservation = reserved(&mut ledger, &request("a", pure("1/4")));
        ledger.complete(&reservation, &outcome("release")).expect("completed");
        let all = ledger.status().expect("a status").datasets;
        assert_eq!(all.len(), 21);
        for known in all {
            assert_eq!(ledger.dataset(&known.name).expect("a status"), Some(known));
        }
        assert_eq!(ledger.dataset("nothing").expect("a status"), None);
    }
}

#[test]
fn a_dataset_is_opened_again_while_nothing_was_paid_or_asked_for() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let wider = NewDataset { budget: pure("3"), ..dataset("census", pure("2")) };
        assert!(ledger.open_dataset(&wider).expect_err("once").hint.expect("a hint").contains("--again"));
        ledger.reopen_dataset(&wider, None).expect("again");
        assert_eq!(spent_and_left(&mut ledger), (pure("0").amount, pure("3").amount));
        ledger.verify_chain().expect("a whole chain");
        // What demands approval goes on to demand it.
        let approved = NewDataset { approval: true, ..wider.clone() };
        ledger.reopen_dataset(&approved, None).expect("stricter");
        assert!(ledger.reopen_dataset(&wider, None).expect_err("laxer").message.contains("approval"));
        ledger.verify_chain().expect("a whole chain");
        let mut other = scene.again();
        other.open_dataset(&NewDataset { name: "survey".into(), ..wider.clone() }).expect("opened");
    }
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/3")));
    let wider = NewDataset { budget: pure("3"), ..dataset("census", pure("2")) };
    assert!(ledger.reopen_dataset(&wider, None).expect_err("spent").message.contains("is spent"));
}

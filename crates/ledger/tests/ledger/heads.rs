//! Ledgers that were set back, copied or lost their head: they pay for nothing until what was lost
//! is booked.

use crate::scene::{Scene, dataset, everywhere, outcome, pure, request, reserved, spent_and_left, sqlite};
use declare::{Kind, Problem};
use ledger::{Address, Adopted, Adopting, Ledger, NewDataset, Payment, Request, Standing, Unknown};
use std::fs;
use std::path::{Path, PathBuf};

pub fn database(scene: &Scene) -> PathBuf {
    scene.address.file().expect("a file").to_path_buf()
}

pub fn head(scene: &Scene) -> PathBuf {
    database(scene).with_extension("db.head")
}

/// How Bea recovers when heads tell everything.
pub fn bea(reason: &str) -> Adopting<'_> {
    Adopting { payments: &[], given_up: &[], unknown: Unknown::Refused, reason, by: "bea" }
}

/// Bea recovers, and nothing is left unknown.
fn recover(ledger: &mut Ledger, reason: &str) -> Adopted {
    ledger.adopt(&bea(reason)).expect("adopted")
}

/// A ledger that has paid 1/8, a copy of its files then, and the ledger after it paid twice more.
pub fn set_back() -> (Scene, Vec<u8>, Vec<u8>) {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/8")));
    drop(ledger);
    let then = (fs::read(database(&scene)).expect("the file"), fs::read(head(&scene)).expect("its head"));
    pay_twice(&scene);
    (scene, then.0, then.1)
}

pub fn pay_twice(scene: &Scene) {
    let mut ledger = scene.again();
    let b = reserved(&mut ledger, &request("b", pure("1/8")));
    ledger.complete(&b, &outcome("b")).expect("completed");
    reserved(&mut ledger, &request("c", pure("1/8")));
}

/// Checks that a ledger refuses to pay and says so everywhere; its message.
pub fn refuses(scene: &Scene, expected: &str) -> Problem {
    let mut ledger = scene.again();
    let problem = ledger.reserve(&request("more", pure("1/8"))).expect_err(expected);
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
    assert!(problem.message.contains(expected) && problem.hint.is_some(), "{problem}");
    for other in [
        ledger.open_dataset(&dataset("health", pure("1"))).map(|_| ()),
        ledger.answer("census", "a question", "what it is about", "bob", false).map(|_| ()),
        ledger.keep_head(Path::new("/elsewhere"), "bob").map(|_| ()),
    ] {
        assert_eq!(other.expect_err("nothing is written"), problem);
    }
    problem
}

#[test]
fn an_older_copy_of_the_database_pays_for_nothing() {
    let (scene, then, _) = set_back();
    fs::write(database(&scene), &then).expect("put back");
    let problem = refuses(&scene, "it was set back: it ends with entry 3");
    let mut ledger = scene.again();
    assert_eq!(ledger.status().expect("a status").refuses, Some(problem.clone()));
    assert_eq!(ledger.verify_chain().expect_err("older than its head"), problem);
    // What was lost is booked, exactly and once.
    let adopted = recover(&mut ledger, "the disk broke");
    assert_eq!((adopted.booked.len(), adopted.emptied.len()), (2, 0));
    assert_eq!(spent_and_left(&mut ledger), (pure("3/8").amount, pure("5/8").amount));
    reserved(&mut ledger, &request("d", pure("1/8")));
    ledger.verify_chain().expect("a whole chain");
    assert_eq!(ledger.status().expect("a status").refuses, None);
    assert!(ledger.adopt(&bea("again")).expect_err("nothing is lost").message.starts_with("nothing is lost"));
    // The same copy, put back after the recovery.
    fs::write(database(&scene), &then).expect("put back");
    refuses(&scene, "knows that it recovered since");
    let mut ledger = scene.again();
    recover(&mut ledger, "once more");
    let (spent, _) = spent_and_left(&mut ledger);
    assert_eq!(spent, pure("4/8").amount, "what was booked then is not booked twice");
    ledger.verify_chain().expect("a whole chain");
}

#[test]
fn database_and_head_put_back_together_are_found_by_the_second_place() {
    for scene in everywhere() {
        let elsewhere = tempfile::tempdir().expect("another disk");
        let second = elsewhere.path().join("watched.log");
        let mut ledger = scene.with_census("1");
        assert!(ledger.keep_head(&second, "ann").expect("kept"));
        assert!(!ledger.keep_head(&second, "ann").expect("kept already"));
        reserved(&mut ledger, &request("a", pure("1/8")));
        drop(ledger);
        if scene.address.file().is_none() {
            // On a server the database is not a file here: the log says what a restored server does
            // not have.
            let before = fs::read(&second).expect("the log");
            pay_twice(&scene);
            assert!(fs::read(&second).expect("the log").len() > before.len());
            fs::write(&second, b"").expect("emptied");
            refuses(&scene, "is damaged");
            fs::write(&second, before).expect("an older log is no reason to refuse");
            reserved(&mut scene.again(), &request("d", pure("1/8")));
            continue;
        }
        let then = (fs::read(database(&scene)).expect("the file"), fs::read(head(&scene)).expect("its head"));
        pay_twice(&scene);
        fs::write(database(&scene), &then.0).expect("put back");
        fs::write(head(&scene), &then.1).expect("put back");
        refuses(&scene, "watched.log` knows entry 7");
        let mut ledger = scene.again();
        recover(&mut ledger, "an old backup");
        assert_eq!(spent_and_left(&mut ledger).0, pure("3/8").amount);
        // A second place that is lost is missed too, and can be given up by name.
        fs::remove_dir_all(elsewhere.path()).expect("a dead disk");
        refuses(&scene, "is missing");
        let mut ledger = scene.again();
        let vouching = Adopting { unknown: Unknown::Vouched, ..bea("a dead disk") };
        let problem = ledger.adopt(&vouching).expect_err("it cannot be made again");
        assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("--give-up-head")), "{problem}");
        let place = [second.to_str().expect("a path").to_string()];
        // The file beside the ledger does not replace the word of the second place.
        ledger.adopt(&Adopting { given_up: &place, ..bea("a dead disk") }).expect_err("who knows what it knew");
        let found = ledger.adopt(&Adopting { given_up: &place, ..vouching }).expect("given up").found;
        assert!(found.ends_with("is given up") && !found.contains("set back"), "{found}");
        reserved(&mut ledger, &request("d", pure("1/8")));
        ledger.verify_chain().expect("a whole chain");
    }
}

#[test]
fn a_head_that_is_lost_or_damaged_is_missed() {
    let (scene, _, old) = set_back();
    let good = fs::read(head(&scene)).expect("the head");
    for (damage, expected) in [
        (None, "is missing"),
        (Some(Vec::new()), "is damaged"),
        (Some(b"\xff\xfegarbage\n".repeat(300)), "is damaged"),
        (Some(good.iter().map(|byte| byte ^ 1).collect()), "is damaged"),
        (Some(old.clone()), "was set back: it ends with entry 3, and the ledger with entry 6"),
    ] {
        match damage {
            Some(bytes) => fs::write(head(&scene), bytes).expect("written"),
            None => fs::remove_file(head(&scene)).expect("removed"),
        }
        refuses(&scene, expected);
        fs::write(head(&scene), &good).expect("put back");
        scene.again().verify_chain().expect("whole again");
    }
    // The end of a line that a crash cut off is no damage.
    let mut torn = good.clone();
    torn.extend_from_slice(&good[..40]);
    fs::write(head(&scene), torn).expect("written");
    reserved(&mut scene.again(), &request("d", pure("1/8")));
    // Cut off in the last line: committed, and not acknowledged.
    let good = fs::read(head(&scene)).expect("the head");
    fs::write(head(&scene), &good[..good.len() - 20]).expect("written");
    reserved(&mut scene.again(), &request("e", pure("1/8")));
    assert_eq!(spent_and_left(&mut scene.again()).0, pure("5/8").amount);
}

#[test]
fn two_copies_that_both_pay_are_found_where_they_meet() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let elsewhere = tempfile::tempdir().expect("a folder");
    ledger.keep_head(&elsewhere.path().join("head"), "ann").expect("kept");
    drop(ledger);
    let copy = elsewhere.path().join("copy.db");
    fs::copy(database(&scene), &copy).expect("copied");
    fs::copy(head(&scene), copy.with_extension("db.head")).expect("copied");
    let mut twin =
        Ledger::open(&Address::parse(&format!("sqlite:{}", copy.display())).expect("an address")).expect("a ledger");
    // Both know the same head until one of them pays.
    reserved(&mut twin, &request("a", pure("1/8")));
    refuses(&scene, "it was set back");
    let mut ledger = scene.again();
    recover(&mut ledger, "there were two");
    assert_eq!(spent_and_left(&mut ledger).0, pure("1/8").amount, "what the twin paid");
    let problem = twin.reserve(&request("b", pure("1/8"))).expect_err("the other went on");
    assert!(problem.message.contains("knows that it recovered since"), "{problem}");
}

#[test]
fn lost_entries_that_nobody_lists_cost_all_that_is_left() {
    let (scene, then, old) = set_back();
    let new = fs::read(head(&scene)).expect("the head");
    fs::write(database(&scene), then).expect("put back");
    // The old head, and of what came after it the last line alone.
    let last = new.split_inclusive(|byte| *byte == b'\n').next_back().expect("a line");
    fs::write(head(&scene), [&old[..], last].concat()).expect("written");
    let mut ledger = scene.again();
    ledger.adopt(&bea("a torn head")).expect_err("nobody knows what was paid");
    let all = Adopting { unknown: Unknown::Booked, ..bea("a torn head") };
    let adopted = ledger.adopt(&all).expect("adopted");
    assert_eq!(adopted.emptied, ["census"]);
    assert_eq!(spent_and_left(&mut ledger).1, pure("0").amount);
    ledger.verify_chain().expect("a whole chain");
}

#[test]
fn certificates_tell_what_a_ledger_without_heads_has_lost() {
    let (scene, then, old) = set_back();
    let history = scene.again().history(None).expect("a history");
    let payment = |number: usize| Payment {
        dataset: "census".into(),
        entry: history[number - 1].number,
        seal: history[number - 1].seal.clone(),
        charged: Some(pure("1/8")),
        source: format!("the certificate of entry {number}"),
    };
    fs::write(database(&scene), then).expect("put back");
    fs::write(head(&scene), old).expect("put back");
    let mut ledger = scene.again();
    reserved(&mut ledger, &request("x", pure("1/16")));
    let known = [payment(3), payment(4), payment(6)];
    use Standing::{Beyond, Booked, Elsewhere, Entered};
    assert_eq!(ledger.standing_of(&known).expect("known"), [Entered, Elsewhere, Beyond]);
    // What lies between the certificates, or after them, nobody knows.
    let adopting = Adopting { payments: &known, ..bea("old files") };
    let problem = ledger.adopt(&adopting).expect_err("more may have been paid");
    assert!(problem.message.contains("no head knows the certificate of entry"), "{problem}");
    let adopted = ledger.adopt(&Adopting { unknown: Unknown::Vouched, ..adopting }).expect("adopted");
    assert_eq!(adopted.booked.len(), 2);
    assert_eq!(spent_and_left(&mut ledger).0, pure("7/16").amount);
    assert!(matches!(ledger.standing_of(&known).expect("known")[..], [Entered, Booked(_), Booked(_)]));
    ledger.verify_chain().expect("a whole chain");
}

#[test]
fn a_lost_dataset_its_data_and_its_parts_are_booked_again() {
    let scene = sqlite();
    drop(scene.with_census("1"));
    let then = fs::read(database(&scene)).expect("the file");
    let mut ledger = scene.again();
    let health = NewDataset { partition: Some("state".into()), ..dataset("health", pure("1")) };
    ledger.open_dataset(&health).expect("opened");
    let mut fingerprint = ledger.fingerprint();
    fingerprint.file(b"Alpha,3\n");
    // Both parts are values of one column of the same files.
    fingerprint.source(&["state"]);
    let prints = fingerprint.finish();
    for (spec, part) in [("a", "Illinois"), ("b", "Ohio")] {
        let wanted = Request {
            dataset: "health".into(),
            part: Some(part.into()),
            prints: prints.clone(),
            ..request(spec, pure("1/4"))
        };
        reserved(&mut ledger, &wanted);
    }
    drop(ledger);
    fs::write(database(&scene), then).expect("put back");
    let mut ledger = scene.again();
    recover(&mut ledger, "an old copy");
    let health = ledger.dataset("health").expect("a status").expect("opened again");
    // Which part paid is lost with the entries: each counts for the whole.
    assert_eq!((health.spent, health.partition.as_deref()), (pure("1/2").amount, Some("state")));
    assert!(ledger.recognise(&prints, ledger::Claim::Public, "eve").is_err(), "the data are still recognised");
    ledger.verify_chain().expect("a whole chain");
}

#[test]
fn backups_are_whole_pay_for_nothing_and_come_back_with_what_was_lost() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/8")));
    let folder = tempfile::tempdir().expect("a folder");
    let backup = folder.path().join("monday.db");
    assert_eq!(ledger.backup(&backup).expect("a backup").entries, 3);
    assert!(ledger.backup(&backup).expect_err("it exists").message.contains("overwrites nothing"));
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::MetadataExt::mode(&fs::metadata(&backup).expect("a file")) & 0o77,
        0,
        "it holds the key"
    );
    drop(ledger);
    let address = Address::parse(&format!("sqlite:{}", backup.display())).expect("an address");
    let mut copy = Ledger::open(&address).expect("a ledger");
    copy.verify_chain().expect("a whole chain");
    let problem = copy.reserve(&request("b", pure("1/8"))).expect_err("a backup pays for nothing");
    assert!(problem.message.contains("it is a backup"), "{problem}");
    // As it was: nothing is lost.
    let back = Ledger::restore(&scene.address, &backup, None).expect("restored");
    assert_eq!((back.entries, back.adopted), (3, None));
    pay_twice(&scene);
    // Behind the head.
    let problem = Ledger::restore(&scene.address, &backup, None).expect_err("older than the head");
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
    assert_eq!(spent_and_left(&mut scene.again()).0, pure("3/8").amount, "nothing was touched");
    fs::write(database(&scene), b"not a database any more").expect("damaged");
    let back = Ledger::restore(&scene.address, &backup, Some(&bea("the disk broke"))).expect("restored");
    assert_eq!(back.adopted.expect("something was lost").booked.len(), 2);
    assert!(back.replaced.is_some_and(|kept| kept.exists()));
    assert_eq!(spent_and_left(&mut scene.again()).0, pure("3/8").amount);
    reserved(&mut scene.again(), &request("d", pure("1/8")));
    // Without any head nobody can tell what is missing.
    let new = folder.path().join("new.db");
    let address = Address::parse(&format!("sqlite:{}", new.display())).expect("an address");
    assert!(Ledger::restore(&address, &backup, None).is_err() && !new.exists());
    let moving = bea("a new machine");
    assert!(Ledger::restore(&address, &backup, Some(&moving)).is_err() && !new.exists());
    let moving = Adopting { unknown: Unknown::Vouched, ..moving };
    Ledger::restore(&address, &backup, Some(&moving)).expect("restored");
    // The head of one ledger and the backup of another.
    let other = sqlite();
    drop(other.with_census("1"));
    assert!(
        Ledger::restore(&other.address, &backup, Some(&bea("a slip")))
            .expect_err("another ledger")
            .message
            .contains("another ledger")
    );
}

#[test]
fn copies_by_other_programs_pay_for_nothing() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/8")));
    drop(ledger);
    let copy = database(&scene).with_extension("copy");
    let connection = rusqlite::Connection::open(database(&scene)).expect("the database");
    connection.execute("VACUUM INTO ?1", [copy.to_str().expect("a path")]).expect("copied");
    let address = Address::parse(&format!("sqlite:{}", copy.display())).expect("an address");
    let problem = Ledger::open(&address).expect("a ledger").reserve(&request("b", pure("1/8"))).expect_err("no head");
    assert!(problem.message.contains("is missing"), "{problem}");
    // Hard links: also the first name pays for nothing while there is a second.
    fs::hard_link(database(&scene), database(&scene).with_extension("link")).expect("linked");
    refuses(&scene, "has several names");
}

#[test]
fn a_ledger_that_was_deleted_is_not_begun_anew_unnoticed() {
    let (scene, ..) = set_back();
    fs::remove_file(database(&scene)).expect("deleted");
    let problem = Ledger::create(&scene.address, "ann").expect_err("its head is there");
    assert!(problem.kind == Kind::Refused && problem.message.contains("is the head of one"), "{problem}");
    assert!(!database(&scene).exists());
    // Whoever looks is told to restore it, and not to open a new one.
    for looking in [Ledger::open(&scene.address), Ledger::open_to_read(&scene.address)] {
        let problem = looking.expect_err("its head is there");
        assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("ledger restore")), "{problem}");
    }
    // A head that cannot be read is one all the same.
    for damaged in ["garbage", "garbage\n", "{\"ledger\":\n"] {
        fs::write(head(&scene), damaged).expect("written");
        Ledger::create(&scene.address, "ann").expect_err(damaged);
        assert_eq!(fs::read_to_string(head(&scene)).expect("the head"), damaged);
    }
}

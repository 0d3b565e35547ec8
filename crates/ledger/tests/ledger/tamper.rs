//! Every way to change a ledger behind its back is detected, each with its own message.

use crate::scene::{Scene, dataset, outcome, postgres, pure, request, reserved, sqlite};
use crate::server;
use ledger::{Claim, Ledger, Override, Request};
use rusqlite::Connection;

/// What is done to the database, and by which statements.
const CHANGES: [(&str, &str); 18] = [
    ("entry edited", "UPDATE congenial_history SET content = replace(content, '1/4', '1/8') WHERE number = 4"),
    (
        "last entry edited",
        "UPDATE congenial_history SET content = replace(content, 'release-2', 'elsewhere') WHERE number = 8",
    ),
    ("budget changed", "UPDATE congenial_history SET content = replace(content, '\"2\"', '\"9\"') WHERE number = 2"),
    ("moved to another dataset", "UPDATE congenial_history SET dataset = 'health' WHERE number = 4"),
    ("entry deleted", "DELETE FROM congenial_history WHERE number = 5"),
    ("entries deleted", "DELETE FROM congenial_history WHERE number IN (4, 5, 6)"),
    ("first entry deleted", "DELETE FROM congenial_history WHERE number = 1"),
    ("last entry cut off", "DELETE FROM congenial_history WHERE number = 8"),
    ("tail cut off", "DELETE FROM congenial_history WHERE number > 5"),
    (
        "entry added at the end",
        "INSERT INTO congenial_history SELECT 9, dataset, kind, subject, reference, content, previous, seal FROM congenial_history WHERE number = 8",
    ),
    (
        "entry inserted in the middle",
        "UPDATE congenial_history SET number = -number WHERE number > 4; \
         UPDATE congenial_history SET number = 1 - number WHERE number < 0; \
         INSERT INTO congenial_history SELECT 5, dataset, kind, subject, reference, '{}', 'abc', seal FROM congenial_history WHERE number = 4",
    ),
    (
        "entries reordered",
        "UPDATE congenial_history SET number = -5 WHERE number = 5; UPDATE congenial_history SET number = 5 WHERE number = 6; \
         UPDATE congenial_history SET number = 6 WHERE number = -5",
    ),
    (
        "tail cut off and the end moved",
        "DELETE FROM congenial_history WHERE number > 6; \
         UPDATE congenial_state SET count = 6, head = (SELECT seal FROM congenial_history WHERE number = 6)",
    ),
    ("end of the history changed", "UPDATE congenial_state SET count = 7"),
    (
        "key replaced",
        "UPDATE congenial_state SET key = '0000000000000000000000000000000000000000000000000000000000000000'",
    ),
    ("balance lowered", "UPDATE congenial_balance SET spent = replace(spent, '1/2', '0')"),
    ("balance deleted", "DELETE FROM congenial_balance WHERE dataset = 'census'"),
    (
        "balance of nothing",
        "INSERT INTO congenial_balance SELECT 'taxes', opened, last, spent, seal FROM congenial_balance",
    ),
];

/// Two completed releases: entries 1 and 2 create and open, 3 recognises, 4 to 5 and 7 to 8
/// release, 6 overrides.
fn history(scene: &Scene) -> Ledger {
    let mut ledger = Ledger::create(&scene.address, "ann").expect("a ledger");
    ledger.open_dataset(&dataset("census", pure("2"))).expect("a dataset");
    let mut fingerprint = ledger.fingerprint();
    fingerprint.file(b"Alpha,3\n");
    let prints = fingerprint.finish();
    let first = reserved(&mut ledger, &Request { prints, ..request("a", pure("1/4")) });
    ledger.complete(&first, &outcome("release-1")).expect("completed");
    let overrides = vec![Override { safeguard: "disclosure".into(), reason: "a cell is public".into() }];
    let second = reserved(&mut ledger, &Request { overrides, ..request("b", pure("1/4")) });
    ledger.complete(&second, &outcome("release-2")).expect("completed");
    ledger
}

fn sqlite_edit(scene: &Scene, statements: &str) {
    let connection = Connection::open(scene.address.file().expect("a file")).expect("the database");
    let triggers =
        "DROP TRIGGER congenial_no_update; DROP TRIGGER congenial_no_delete; DROP TRIGGER congenial_no_closing;";
    connection.execute_batch(triggers).expect("no triggers");
    connection.execute_batch(statements).expect(statements);
}

#[test]
fn each_change_has_its_own_message() {
    let mut messages = Vec::new();
    for (what, statements) in CHANGES {
        let scene = sqlite();
        drop(history(&scene));
        scene.again().verify_chain().expect("whole before");
        sqlite_edit(&scene, statements);
        let problem = scene.again().verify_chain().expect_err(what);
        messages.push(format!("{what}: {}", problem.message));
    }
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn spending_notices_a_changed_end_balance_or_budget() {
    // What reserving looks at: the end of the history, the number of entries, the balance and the
    // opening of its dataset.
    for (what, statements) in CHANGES {
        let unnoticed =
            ["entry edited", "moved to another dataset", "entries reordered", "balance of nothing"].contains(&what);
        let scene = sqlite();
        drop(history(&scene));
        sqlite_edit(&scene, statements);
        let answer = scene.again().reserve(&request("c", pure("1/4")));
        assert_eq!(answer.is_err(), !unnoticed, "{what}: {answer:?}");
    }
}

#[test]
fn an_earlier_balance_cannot_be_put_back() {
    let scene = sqlite();
    let mut ledger = history(&scene);
    let path = scene.address.file().expect("a file");
    let connection = Connection::open(path).expect("the database");
    connection.execute_batch("CREATE TABLE kept AS SELECT * FROM congenial_balance").expect("a copy");
    reserved(&mut ledger, &request("c", pure("1/4")));
    connection
        .execute_batch("UPDATE congenial_balance SET (last, spent, seal) = (SELECT last, spent, seal FROM kept)")
        .expect("an earlier balance");
    let problem = ledger.reserve(&request("d", pure("1/4"))).expect_err("an earlier balance");
    assert!(problem.message.ends_with("the balance of dataset `census` was edited"), "{problem}");
    assert!(ledger.verify_chain().is_err());
    assert!(ledger.status().is_err());
}

#[test]
fn triggers_refuse_changes() {
    let scene = sqlite();
    drop(history(&scene));
    let connection = Connection::open(scene.address.file().expect("a file")).expect("the database");
    for statement in [
        "UPDATE congenial_history SET kind = 'seen'",
        "DELETE FROM congenial_history WHERE number = 8",
        "DELETE FROM congenial_balance",
    ] {
        connection.execute_batch(statement).expect_err(statement);
    }
    scene.again().verify_chain().expect("whole");
}

#[test]
fn a_server_is_watched_in_the_same_way() {
    let Some(scene) = postgres() else { return };
    let mut ledger = history(&scene);
    let address = server::address_of(&scene);
    let mut client = server::client(&address);
    for statement in [
        "UPDATE congenial_history SET kind = 'seen'",
        "DELETE FROM congenial_history WHERE number = 8",
        "TRUNCATE congenial_history",
        "DELETE FROM congenial_balance",
    ] {
        client.batch_execute(statement).expect_err(statement);
    }
    let whole = ledger.verify_chain().expect("whole");
    assert_eq!(whole.entries, 8);
    for (what, statements) in CHANGES {
        let undone = "ALTER TABLE congenial_history DISABLE TRIGGER USER; ALTER TABLE congenial_balance DISABLE TRIGGER USER; \
                      DROP TABLE IF EXISTS kept_history, kept_state, kept_balance; \
                      CREATE TABLE kept_history AS TABLE congenial_history; CREATE TABLE kept_state AS TABLE congenial_state; \
                      CREATE TABLE kept_balance AS TABLE congenial_balance";
        client.batch_execute(undone).expect("kept");
        client.batch_execute(statements).expect(what);
        let problem = Ledger::open(&scene.address).and_then(|mut ledger| ledger.verify_chain()).expect_err(what);
        assert!(problem.message.starts_with("the ledger was changed by another program"), "{what}: {problem}");
        let back = "DELETE FROM congenial_history; DELETE FROM congenial_state; DELETE FROM congenial_balance; \
                    INSERT INTO congenial_history TABLE kept_history; INSERT INTO congenial_state TABLE kept_state; \
                    INSERT INTO congenial_balance TABLE kept_balance";
        client.batch_execute(back).expect("put back");
        assert_eq!(ledger.verify_chain().expect("whole again"), whole);
    }
}

#[test]
fn data_are_not_forgotten_unnoticed() {
    let scene = sqlite();
    drop(history(&scene));
    sqlite_edit(&scene, "DELETE FROM congenial_history WHERE kind = 'seen'");
    let mut ledger = scene.again();
    let mut fingerprint = ledger.fingerprint();
    fingerprint.file(b"Alpha,3\n");
    let problem = ledger.recognise(&fingerprint.finish(), Claim::Public, "eve").expect_err("an entry is missing");
    assert!(problem.message.ends_with("entry 3 was deleted"), "{problem}");
}

//! Whatever a database holds, the ledger answers with a message and never panics.

use crate::scene::{outcome, pure, request, reserved, sqlite};
use ledger::{Address, Claim, Ledger};
use rusqlite::Connection;

/// Does everything that reads or writes; what it answers does not matter.
fn use_all(address: &Address) -> usize {
    let Ok(mut ledger) = Ledger::open(address) else { return 1 };
    let prints = {
        let mut fingerprint = ledger.fingerprint();
        fingerprint.file(b"x");
        fingerprint.finish()
    };
    [
        ledger.status().is_err(),
        ledger.history(None).is_err(),
        ledger.verify_chain().is_err(),
        ledger.unfinished(None).is_err(),
        ledger.recognise(&prints, Claim::Public, "eve").is_err(),
        ledger.answer("census", "a question", "what it is about", "bob", false).is_err(),
        ledger.abandon(3, "reason", "bob").is_err(),
        ledger.approve(3, "bob").is_err(),
        ledger.reserve(&request("b", pure("1/8"))).is_err(),
    ]
    .into_iter()
    .filter(|failed| *failed)
    .count()
}

#[test]
fn no_value_in_any_column_causes_a_panic() {
    let tables = [
        ("congenial_state", "id, version, key, count, head, seal"),
        ("congenial_history", "number, dataset, kind, subject, reference, content, previous, seal"),
        ("congenial_balance", "dataset, opened, last, spent, seal"),
    ];
    let values =
        ["NULL", "''", "-1", "9223372036854775807", "-9223372036854775808", "0.5", "x'ff00fe'", "'{\"time\":1}'"];
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let reservation = reserved(&mut ledger, &request("a", pure("1/4")));
    ledger.complete(&reservation, &outcome("release")).expect("completed");
    drop(ledger);
    let whole = std::fs::read(scene.address.file().expect("a file")).expect("the database");
    let head = std::fs::read(scene.address.file().expect("a file").with_extension("db.head")).expect("its head");
    for (table, columns) in tables {
        for column in columns.split(", ") {
            let loose = tempfile::tempdir().expect("a folder");
            let path = loose.path().join("ledger.db");
            let address = Address::parse(&format!("sqlite:{}", path.display())).expect("an address");
            for value in values {
                std::fs::write(&path, &whole).expect("a copy");
                std::fs::write(path.with_extension("db.head"), &head).expect("a copy");
                // The same tables without types and triggers, so that every value goes in.
                let statements = format!(
                    "PRAGMA synchronous = OFF; BEGIN; CREATE TABLE loose AS SELECT * FROM {table}; DROP TABLE {table}; \
                     ALTER TABLE loose RENAME TO {table}; UPDATE {table} SET {column} = {value}; COMMIT"
                );
                Connection::open(&path).expect("the copy").execute_batch(&statements).expect(&statements);
                assert!(use_all(&address) > 0, "{table}.{column} = {value} went unnoticed");
            }
        }
    }
}

#[test]
fn no_bytes_of_the_file_cause_a_panic() {
    let scene = sqlite();
    drop(scene.with_census("1"));
    let path = scene.address.file().expect("a file");
    let whole = std::fs::read(path).expect("the database");
    let mut state = 1u64;
    for _ in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = (state >> 33) as usize % bytes.len();
            bytes[place] = (state >> 25) as u8;
        }
        for extra in ["-journal", "-wal", "-shm"] {
            let _ = std::fs::remove_file(path.with_extension(format!("db{extra}")));
        }
        std::fs::write(path, &bytes).expect("damaged");
        use_all(&scene.address);
    }
}

#[test]
fn another_version_is_told_apart() {
    let scene = sqlite();
    drop(scene.with_census("1"));
    let connection = Connection::open(scene.address.file().expect("a file")).expect("the database");
    connection.execute_batch("UPDATE congenial_state SET version = 7").expect("a newer version");
    let problem = Ledger::open(&scene.address).expect_err("a newer version");
    assert!(problem.message.ends_with("has a schema of version 7, this program knows version 3"), "{problem}");
    assert_eq!(problem.hint.as_deref(), Some("a newer version of congenial wrote it: use that one"));
    connection.execute_batch("UPDATE congenial_state SET version = 0").expect("no version");
    assert!(Ledger::open(&scene.address).is_err());
    connection.execute_batch("DROP TABLE congenial_state").expect("no ledger");
    let problem = Ledger::open(&scene.address).expect_err("other tables");
    assert!(problem.message.ends_with("of another program, not a ledger"), "{problem}");
}

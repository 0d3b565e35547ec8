//! Roles of a server, as `docs/ledger-roles.sql` makes them: an owner, writers who pay, and readers
//! who never see the key.

use crate::scene::{outcome, postgres, pure, request, reserved};
use crate::server;
use ledger::{Address, Ledger};

/// The script that the documentation gives, with names of this test.
fn script(suffix: &str) -> String {
    let script = include_str!("../../../../docs/ledger-roles.sql");
    ["ledger_owner", "ledger_writer", "ledger_reader"]
        .into_iter()
        .fold(script.to_string(), |text, role| text.replace(role, &format!("{role}_{suffix}")))
}

#[test]
fn owner_writer_and_reader() {
    let Some(scene) = postgres() else { return };
    let whole = server::address_of(&scene);
    let suffix = std::process::id().to_string();
    let mut admin = server::client(&whole);
    let as_role = |role: &str| {
        let (_, rest) = whole.split_once('@').expect("a host");
        Address::parse(&format!("postgres://{role}_{suffix}:secret@{rest}")).expect("an address")
    };
    admin.batch_execute(&format!("CREATE ROLE ledger_owner_{suffix} LOGIN PASSWORD 'secret'; GRANT CREATE ON SCHEMA public TO ledger_owner_{suffix}")).expect("an owner");
    let owner = as_role("ledger_owner");
    let mut ledger = Ledger::create(&owner, "ann").expect("a ledger");
    ledger.open_dataset(&crate::scene::dataset("census", pure("1"))).expect("a dataset");
    let mut as_owner = server::client(&whole.replace("congenial:", &format!("ledger_owner_{suffix}:")));
    for role in ["ledger_writer", "ledger_reader"] {
        admin.batch_execute(&format!("CREATE ROLE {role}_{suffix} LOGIN PASSWORD 'secret'")).expect("a role");
    }
    as_owner.batch_execute(&script(&suffix)).expect("the script of the documentation");
    // A writer pays, and cannot rewrite.
    let mut ledger = Ledger::open(&as_role("ledger_writer")).expect("a ledger");
    let reservation = reserved(&mut ledger, &request("a", pure("1/4")));
    ledger.complete(&reservation, &outcome("release")).expect("completed");
    ledger.verify_chain().expect("a whole chain");
    let mut writer = server::client(&whole.replace("congenial:", &format!("ledger_writer_{suffix}:")));
    for statement in [
        "UPDATE congenial_history SET kind = 'seen'",
        "DELETE FROM congenial_history",
        "TRUNCATE congenial_history",
        "DELETE FROM congenial_balance",
        "ALTER TABLE congenial_history DISABLE TRIGGER USER",
        "UPDATE congenial_state SET key = ''",
        "DELETE FROM congenial_state",
    ] {
        writer.batch_execute(statement).expect_err(statement);
    }
    // A reader sees everything but the key, and writes nothing.
    let mut ledger = Ledger::open_to_read(&as_role("ledger_reader")).expect("a ledger");
    assert!(!ledger.knows_its_key());
    assert_eq!(ledger.status().expect("a status").datasets[0].spent, pure("1/4").amount);
    assert_eq!(ledger.history(None).expect("a history").len(), 4);
    assert_eq!(ledger.verify_chain().expect("links and sums hold").entries, 4);
    assert!(ledger.reserve(&request("b", pure("1/4"))).is_err());
    assert!(Ledger::open(&as_role("ledger_reader")).is_err(), "who opens a ledger to write needs its key");
    let mut reader = server::client(&whole.replace("congenial:", &format!("ledger_reader_{suffix}:")));
    for statement in [
        "SELECT key FROM congenial_state",
        "SELECT * FROM congenial_state",
        "SELECT congenial_state FROM congenial_state",
        "COPY congenial_state TO STDOUT",
        "UPDATE congenial_state SET count = 1",
        "INSERT INTO congenial_balance SELECT * FROM congenial_balance",
        "CREATE TABLE copied AS SELECT key FROM congenial_state",
    ] {
        reader.batch_execute(statement).expect_err(statement);
    }
}

//! Parts of a dataset: what is spent on them counts by the largest, and only where that is sound.

use crate::child::EACH;
use crate::race::race_on_parts;
use crate::scene::{
    Scene, concentrated, dataset, everywhere, outcome, pure, request, reserved, spent_and_left, sqlite,
};
use ledger::{Amount, Answer, Charge, Event, Ledger, NewDataset, Request, Unit};

/// A ledger with the dataset `census` in parts by state.
fn by_state(scene: &Scene, budget: Charge) -> Ledger {
    let mut ledger = Ledger::create(&scene.address, "ann").expect("a ledger");
    ledger.open_dataset(&by_state_dataset(budget)).expect("a dataset");
    ledger
}

fn by_state_dataset(budget: Charge) -> NewDataset {
    NewDataset { partition: Some("state".to_string()), ..dataset("census", budget) }
}

fn of_part(part: &str, spec: &str, loss: Charge) -> Request {
    Request { part: Some(part.to_string()), ..request(spec, loss) }
}

fn spent(ledger: &mut Ledger) -> Amount {
    spent_and_left(ledger).0
}

#[test]
fn parts_count_by_the_largest_and_the_whole_counts_besides() {
    for scene in everywhere() {
        let mut ledger = by_state(&scene, pure("1"));
        reserved(&mut ledger, &of_part("Illinois", "a", pure("1/2")));
        assert_eq!(spent(&mut ledger), pure("1/2").amount);
        reserved(&mut ledger, &of_part("Texas", "b", pure("1/3")));
        assert_eq!(spent(&mut ledger), pure("1/2").amount, "{}: within the largest part", scene.name);
        reserved(&mut ledger, &of_part("Texas", "c", pure("1/3")));
        assert_eq!(spent(&mut ledger), pure("2/3").amount, "Texas is the largest now");
        reserved(&mut ledger, &request("d", pure("1/6")));
        assert_eq!(spent(&mut ledger), pure("5/6").amount, "all rows count besides");
        reserved(&mut scene.again(), &of_part("Illinois", "e", pure("1/3")));
        assert_eq!(spent_and_left(&mut ledger).1, pure("0").amount, "Illinois is at 5/6, all rows at 1/6");
        let problem = ledger.reserve(&of_part("Illinois", "f", pure("1/100"))).expect_err("spent");
        assert!(problem.message.contains("does not pay"), "{problem}");
        reserved(&mut ledger, &of_part("Ohio", "g", pure("5/6")));
        assert!(ledger.reserve(&of_part("Ohio", "h", pure("1/100"))).is_err());
        assert_eq!(ledger.verify_chain().expect("a whole chain"), scene.again().verify_chain().expect("the same"));
        let kinds: Vec<&str> =
            ledger.history(None).expect("a history").iter().map(|entry| entry.event.kind()).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == "part-spent").count(), 5, "{kinds:?}");
    }
}

#[test]
fn a_part_is_handed_back_and_completed_like_any_release() {
    let scene = sqlite();
    let mut ledger = by_state(&scene, concentrated("1/2"));
    let reservation = reserved(&mut ledger, &of_part("Illinois", "a", pure("1/2")));
    ledger.complete(&reservation, &outcome("release")).expect("completed");
    assert_eq!(spent(&mut ledger), concentrated("1/8").amount, "pure ε counts as ε²/2");
    assert!(matches!(ledger.reserve(&of_part("Illinois", "a", pure("1/2"))), Ok(Answer::Already(_))));
    reserved(&mut ledger, &of_part("Texas", "b", concentrated("1/8")));
    assert_eq!(spent(&mut ledger), concentrated("1/8").amount);
    let status = ledger.status().expect("a status");
    assert_eq!((status.datasets[0].completed, status.datasets[0].unfinished), (1, 1));
    ledger.verify_chain().expect("a whole chain");
}

/// A loss at integer orders makes what was spent one at integer orders, even where its part is not
/// the largest.
#[test]
fn losses_at_integer_orders_are_told_apart() {
    let scene = sqlite();
    let mut ledger = by_state(&scene, concentrated("1"));
    let whole = |rho: &str| Amount::IntegerOrder { rho: rho.parse().expect("a number") };
    let of_kind = |rho: &str| Charge { amount: whole(rho), ..concentrated("1") };
    reserved(&mut ledger, &of_part("Illinois", "a", concentrated("1/4")));
    assert_eq!(spent(&mut ledger), concentrated("1/4").amount);
    reserved(&mut ledger, &of_part("Texas", "b", of_kind("1/8")));
    assert_eq!(spent(&mut ledger), whole("1/4"), "the largest part, and the weaker statement");
    reserved(&mut ledger, &request("c", pure("1/2")));
    reserved(&mut scene.again(), &of_part("Illinois", "d", concentrated("1/8")));
    assert_eq!(spent_and_left(&mut ledger), (whole("1/2"), concentrated("1/2").amount));
    assert!(ledger.reserve(&request("e", of_kind("5/8"))).is_err(), "more than is left");
    ledger.verify_chain().expect("a whole chain");
    let status = ledger.status().expect("a status");
    assert_eq!(status.datasets[0].spent.to_string(), "ρ = 1/2 at integer orders");
}

#[test]
fn where_no_proof_says_otherwise_parts_add_up() {
    let scene = sqlite();
    let mut ledger = Ledger::create(&scene.address, "ann").expect("a ledger");
    let owner = |epsilon: &str| Charge { per: Unit::Owner("person".to_string()), ..pure(epsilon) };
    let l2 = |epsilon: &str| Charge { per: Unit::L2, ..pure(epsilon) };
    let approximate = Charge {
        amount: Amount::Approximate { epsilon: 1.into(), delta: "1e-6".parse().expect("a number") },
        per: Unit::Record,
    };
    let refused = [owner("1"), l2("1"), approximate]
        .map(|budget| ledger.open_dataset(&by_state_dataset(budget)).expect_err("parts add up").to_string());
    insta::assert_snapshot!(refused.join("\n"));
    let l2_in_rho = Charge { per: Unit::L2, ..concentrated("1") };
    ledger.open_dataset(&by_state_dataset(l2_in_rho)).expect("a dataset");
    reserved(&mut ledger, &of_part("Illinois", "a", l2("1/2")));
    reserved(&mut ledger, &of_part("Texas", "b", l2("1/2")));
    assert_eq!(spent(&mut ledger), concentrated("1/4").amount, "pure ℓ₂ losses of parts are added");
    let history = ledger.history(None).expect("a history");
    assert!(history.iter().all(|entry| !matches!(&entry.event, Event::Reserved { part: Some(_), .. })));
    ledger.verify_chain().expect("a whole chain");
}

#[test]
fn a_dataset_without_parts_has_none() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    insta::assert_snapshot!(ledger.reserve(&of_part("Illinois", "a", pure("1/2"))).expect_err("no parts"));
    assert!(ledger.reserve(&of_part(" Illinois", "a", pure("1/2"))).is_err(), "no name");
}

#[test]
fn entries_without_parts_are_written_as_before() {
    let opened = Event::Opened { budget: pure("1"), approval: false, partition: None, approver_key: None };
    let text = serde_json::to_string(&opened).expect("JSON");
    assert_eq!(
        text,
        r#"{"kind":"opened","budget":{"amount":{"pure":{"epsilon":"1"}},"per":"record"},"approval":false}"#
    );
    assert_eq!(serde_json::from_str::<Event>(&text).expect("the same"), opened);
    let reserved = r#"{"kind":"reserved","spec":"a","loss":{"amount":{"pure":{"epsilon":"1/2"}},"per":"record"},"charged":{"pure":{"epsilon":"1/2"}},"prints":[],"approval":null,"again":false,"overrides":[],"details":""}"#;
    let event: Event = serde_json::from_str(reserved).expect("an entry of an earlier version");
    assert_eq!(serde_json::to_string(&event).expect("JSON"), reserved);
}

#[test]
fn an_edited_part_is_noticed() {
    let scene = sqlite();
    let mut ledger = by_state(&scene, pure("1"));
    reserved(&mut ledger, &of_part("Illinois", "a", pure("1/2")));
    drop(ledger);
    let path = scene.address.file().expect("a file").to_path_buf();
    let database = rusqlite::Connection::open(path).expect("a database");
    let triggers: Vec<String> = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("triggers");
    for trigger in triggers {
        database.execute_batch(&format!("DROP TRIGGER {trigger}")).expect("dropped");
    }
    let edit = "UPDATE congenial_history SET content = replace(content, '\"spent\":{\"pure\":{\"epsilon\":\"1/2\"}},\"largest\"', \
                '\"spent\":{\"pure\":{\"epsilon\":\"1/4\"}},\"largest\"') WHERE kind = 'part-spent'";
    assert_eq!(database.execute(edit, []).expect("edited"), 1);
    drop(database);
    let problem = scene.again().reserve(&of_part("Illinois", "b", pure("1/2"))).expect_err("edited");
    assert!(problem.message.contains("changed by another program"), "{problem}");
}

#[test]
fn processes_that_race_on_one_part_never_overspend() {
    for scene in everywhere() {
        let mut ledger = by_state(&scene, pure("1"));
        reserved(&mut ledger, &of_part("Illinois", "most of it", pure("99/100")));
        assert_eq!(race_on_parts(&scene, "Illinois", 4, 4), 10, "{}: what is left of {EACH}", scene.name);
        assert_eq!(race_on_parts(&scene, "Texas", 2, 4), 8, "another part has its own");
        assert_eq!(spent_and_left(&mut ledger).1, pure("0").amount);
        ledger.verify_chain().expect("a whole chain");
    }
}

//! Approval by a second person, and overrides that the next certificate names.

use crate::scene::{dataset, everywhere, outcome, pure, request, reserved, spent_and_left};
use ed25519_dalek::{Signer, SigningKey};
use ledger::{Ledger, NewDataset, Override, Request, Signed};

#[test]
fn a_second_person_approves_one_release() {
    for scene in everywhere() {
        let mut ledger = Ledger::create(&scene.address, "ann").expect("a ledger");
        ledger.open_dataset(&NewDataset { approval: true, ..dataset("census", pure("1")) }).expect("a dataset");
        let wanted = request("a", pure("1/4"));
        let unasked = ledger.reserve(&wanted).expect_err("not approved");
        let asked = ledger.ask(&wanted).expect("asked");
        let waiting = ledger.reserve(&wanted).expect_err("not approved yet");
        assert_eq!(unasked, waiting);
        let own = ledger.approve(asked, "Ann").expect_err("the same person");
        let approved = ledger.approve(asked, "bob").expect("approved");
        let twice = ledger.approve(asked, "carol").expect_err("approved already");
        let dearer = ledger.reserve(&request("a", pure("1/2"))).expect_err("another loss");
        let nothing = ledger.approve(approved, "bob").expect_err("not a request");
        let reservation = reserved(&mut ledger, &wanted);
        assert_eq!(reservation.approval().map(|entry| (entry.number, entry.by.as_str())), Some((approved, "bob")));
        let used = ledger.reserve(&Request { again: true, ..wanted }).expect_err("used up");
        let text = [unasked, own, twice, dearer, nothing, used].map(|problem| problem.to_string()).join("\n");
        insta::allow_duplicates! { insta::assert_snapshot!(text) };
        assert_eq!(spent_and_left(&mut ledger).0, pure("1/4").amount);
        ledger.verify_chain().expect("a whole chain");
    }
}

#[test]
fn approval_is_asked_for_where_it_is_needed() {
    let scene = crate::scene::sqlite();
    let mut ledger = scene.with_census("1");
    insta::assert_snapshot!(ledger.ask(&request("a", pure("1/4"))).expect_err("not needed"));
}

#[test]
fn overrides_are_named_until_a_release_is_completed() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let before = reserved(&mut ledger, &request("before", pure("1/10")));
        assert!(before.overrides().is_empty());
        let overriding = |spec: &str, reason: &str| {
            let overrides = vec![Override { safeguard: "disclosure".into(), reason: reason.into() }];
            Request { overrides, by: "bob".into(), ..request(spec, pure("1/10")) }
        };
        let lost = reserved(&mut ledger, &overriding("lost", "cell 3 is public anyway"));
        let number = lost.entry().number - 1;
        ledger.complete(&before, &outcome("before")).expect("completed");
        let named = reserved(&mut ledger, &request("named", pure("1/10")));
        for reservation in [&lost, &named] {
            let [only] = reservation.overrides() else { panic!("{:?}", reservation.overrides()) };
            assert_eq!((only.number, only.name.as_str()), (number, "disclosure"));
            assert_eq!(only.reason, "cell 3 is public anyway");
        }
        ledger.complete(&named, &outcome("named")).expect("completed");
        assert!(reserved(&mut ledger, &request("after", pure("1/10"))).overrides().is_empty());
        assert!(ledger.reserve(&overriding("more", "")).is_err(), "a reason is needed");
    }
}

/// A pair of keys from one byte, and a signature of the approval of an entry.
fn signed(seed: u8, ledger: &mut Ledger, asked: u64) -> Signed {
    let key = SigningKey::from_bytes(&[seed; 32]);
    let (entry, _) = ledger.entry_and_completion(asked).expect("an entry");
    let signature = key.sign(Ledger::approval_statement(&entry.seal).as_bytes());
    Signed { key: hex(key.verifying_key().as_bytes()), signature: hex(&signature.to_bytes()) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_dataset_may_demand_the_key_that_approves() {
    for scene in everywhere() {
        let mut ledger = Ledger::create(&scene.address, "ann").expect("a ledger");
        let census = NewDataset { approval: true, ..dataset("census", pure("1")) };
        let key = hex(SigningKey::from_bytes(&[7; 32]).verifying_key().as_bytes());
        for wrong in ["", "07", &"zz".repeat(32)] {
            ledger.open_dataset_with(&census, Some(wrong)).expect_err("no key");
        }
        let unapproved = NewDataset { approval: false, ..census.clone() };
        ledger.open_dataset_with(&unapproved, Some(&key)).expect_err("nobody approves");
        ledger.open_dataset_with(&census, Some(&key)).expect("a dataset");
        assert_eq!(ledger.status().expect("a status").datasets[0].approver_key.as_ref(), Some(&key));
        let wanted = request("a", pure("1/4"));
        let asked = ledger.ask(&wanted).expect("asked");
        let (own, other) = (signed(7, &mut ledger, asked), signed(8, &mut ledger, asked));
        let forged = Signed { key: own.key.clone(), signature: other.signature.clone() };
        for (signed, expected) in [
            (None, "is not signed"),
            (Some(other), "is signed with another key"),
            (Some(forged), "has a signature that does not hold"),
        ] {
            let problem = ledger.approve_signed(asked, "bob", signed).expect_err(expected);
            assert!(problem.message.contains(expected), "{problem}");
        }
        assert!(ledger.reserve(&wanted).is_err());
        let approved = ledger.approve_signed(asked, "bob", Some(own)).expect("approved");
        assert_eq!(reserved(&mut ledger, &wanted).approval().map(|entry| entry.number), Some(approved));
        ledger.verify_chain().expect("a whole chain, every signature");
        // Who approved is nobody's business who tries to approve.
        let problem = ledger.approve(asked, "carol").expect_err("approved already");
        assert!(!problem.to_string().contains("bob"), "{problem}");
    }
}

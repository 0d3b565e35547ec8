//! Data are recognised under another name, in another order, and when they are declared public.

use crate::scene::{dataset, everywhere, outcome, pure, request, reserved, spent_and_left};
use ledger::{Answer, Claim, Ledger, Print, Request};

fn rows(ledger: &Ledger, rows: &[(&str, i64)]) -> Vec<Print> {
    let mut fingerprint = ledger.fingerprint();
    for (row, times) in rows {
        fingerprint.row(row.split(',').map(str::as_bytes), *times);
    }
    fingerprint.finish()
}

#[test]
fn the_same_data_have_one_budget() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        ledger.open_dataset(&dataset("copy", pure("1"))).expect("a dataset");
        let prints = rows(&ledger, &[("Alpha,Low", 3), ("Beta,High", 1)]);
        reserved(&mut ledger, &Request { prints, ..request("a", pure("1/4")) });
        let shuffled = rows(&ledger, &[("Beta,High", 1), ("Alpha,Low", 1), ("Alpha,Low", 2)]);
        let copy = Request { dataset: "copy".to_string(), prints: shuffled.clone(), ..request("a", pure("1/4")) };
        let renamed = ledger.reserve(&copy).expect_err("the same data");
        let public = ledger.recognise(&shuffled, Claim::Public).expect_err("the same data");
        insta::allow_duplicates! { insta::assert_snapshot!(format!("{renamed}\n{public}")) };
        ledger.recognise(&shuffled, Claim::Dataset("census")).expect("its own data");
        ledger.recognise(&rows(&ledger, &[("Gamma,Low", 3)]), Claim::Public).expect("other data");
        assert!(ledger.note_prints("copy", &shuffled, "ann").is_err());
        assert!(
            ledger.status().expect("a status").datasets[1].spent == pure("0").amount,
            "nothing is spent by a refusal"
        );
        ledger.verify_chain().expect("a whole chain");
    }
}

#[test]
fn a_dataset_has_several_prints_and_says_when_its_data_changed() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        let mut fingerprint = ledger.fingerprint();
        fingerprint.file(b"county,count\n");
        fingerprint.file(b"Alpha,3\n");
        fingerprint.row([b"Alpha".as_slice()], 3);
        let prints = fingerprint.finish();
        assert_eq!(prints.len(), 2);
        let first = Request { prints: prints.clone(), ..request("a", pure("1/4")) };
        let reservation = reserved(&mut ledger, &first);
        ledger.complete(&reservation, &outcome("release")).expect("completed");
        let same_rows = rows(&ledger, &[("Alpha", 3)]);
        let corrected = rows(&ledger, &[("Alpha", 4)]);
        for (prints, same) in [(same_rows, true), (corrected.clone(), false)] {
            let answer = ledger.reserve(&Request { prints, ..request("a", pure("1/4")) }).expect("an answer");
            let Answer::Already(earlier) = answer else { panic!("redrawn") };
            assert_eq!(earlier.same_data, same);
        }
        reserved(&mut ledger, &Request { prints: corrected.clone(), again: true, ..request("a", pure("1/4")) });
        assert!(ledger.recognise(&corrected, Claim::Public).is_err(), "the corrected data are known now");
        let kinds: Vec<&str> =
            ledger.history(None).expect("a history").iter().map(|entry| entry.event.kind()).collect();
        assert_eq!(kinds, ["created", "opened", "seen", "seen", "reserved", "completed", "seen", "reserved"]);
        assert_eq!(spent_and_left(&mut ledger).0, pure("1/2").amount);
    }
}

#[test]
fn no_plain_hash_of_data_is_kept() {
    let scene = crate::scene::sqlite();
    let mut ledger = scene.with_census("1");
    let mut fingerprint = ledger.fingerprint();
    fingerprint.file(b"Alpha,3\n");
    ledger.note_prints("census", &fingerprint.finish(), "ann").expect("noted");
    drop(ledger);
    let plain = <sha2::Sha256 as sha2::Digest>::digest(b"Alpha,3\n");
    let digits: String = plain.iter().map(|byte| format!("{byte:02x}")).collect();
    let bytes = std::fs::read(scene.address.file().expect("a file")).expect("the database");
    assert!(!String::from_utf8_lossy(&bytes).contains(&digits));
    assert!(String::from_utf8_lossy(&bytes).contains("file:"), "the keyed print is there");
}

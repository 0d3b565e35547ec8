//! Data are recognised under another name, in another order, and when they are declared public.

use crate::scene::{dataset, everywhere, outcome, pure, request, reserved, spent_and_left, sqlite};
use ledger::{ANSWERS, Answer, Claim, Counts, Ledger, MOST_ANSWERS, Override, Print, RECOGNITION, Request};
use std::fs;

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
        let public = ledger.recognise(&shuffled, Claim::Public, "eve").expect_err("the same data");
        insta::allow_duplicates! { insta::assert_snapshot!(format!("{renamed}\n{public}")) };
        ledger.recognise(&shuffled, Claim::Dataset("census"), "eve").expect("its own data");
        ledger.recognise(&rows(&ledger, &[("Gamma,Low", 3)]), Claim::Public, "eve").expect("other data");
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
        assert!(ledger.recognise(&corrected, Claim::Public, "eve").is_err(), "the corrected data are known now");
        let kinds: Vec<&str> =
            ledger.history(None).expect("a history").iter().map(|entry| entry.event.kind()).collect();
        assert_eq!(
            kinds,
            ["created", "opened", "seen", "seen", "reserved", "completed", "seen", "reserved", "answered"]
        );
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
    assert!(String::from_utf8_lossy(&bytes).contains("seen:"), "the keyed print is there");
}

/// The prints of a file with these bytes.
fn file(ledger: &Ledger, bytes: &str) -> Vec<Print> {
    let mut fingerprint = ledger.fingerprint();
    fingerprint.file(bytes.as_bytes());
    fingerprint.finish()
}

fn answers(ledger: &mut Ledger, dataset: &str) -> u64 {
    ledger.dataset(dataset).expect("a status").expect("a dataset").answers
}

#[test]
fn every_guess_that_is_right_is_counted_and_the_last_answer_is_always_the_same() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        for name in ["eve", "other"] {
            ledger.open_dataset(&dataset(name, pure("1"))).expect("a dataset");
        }
        for number in 0..MOST_ANSWERS + 4 {
            let prints = file(&ledger, &format!("secret {number}"));
            ledger.note_prints("census", &prints, "ann").expect("noted");
        }
        let prints = file(&ledger, "what eve has");
        ledger.note_prints("eve", &prints, "eve").expect("noted");
        // Every way to ask, in turn.
        for number in 0..MOST_ANSWERS {
            let guess = file(&ledger, &format!("secret {number}"));
            for repeated in 0..2 {
                let refused = match number % 4 {
                    0 => ledger.recognise(&guess, Claim::Public, "eve"),
                    1 => ledger.recognise(&guess, Claim::Elsewhere, "eve"),
                    2 => ledger.note_prints("eve", &guess, "eve"),
                    _ => {
                        let prints = guess.clone();
                        let wanted = Request { dataset: "eve".into(), prints, ..request("a", pure("1/4")) };
                        ledger.reserve(&wanted).map(|_| ())
                    }
                };
                assert!(refused.is_err(), "{number}");
                assert_eq!(answers(&mut ledger, "census"), number + 1, "{number}, {repeated}: counted once");
            }
        }
        // No more: right and wrong guesses are refused in the same words, and nothing is entered.
        let (right, wrong) = (file(&ledger, "secret 17"), file(&ledger, "no secret"));
        let entries = ledger.status().expect("a status").entries;
        for claim in [Claim::Public, Claim::Elsewhere, Claim::Dataset("eve"), Claim::Dataset("other")] {
            let refused = [&right, &wrong].map(|guess| ledger.recognise(guess, claim, "eve").expect_err("refused"));
            assert_eq!(refused[0], refused[1], "{claim:?}");
            assert!(refused[0].message.contains("all that are new are refused"), "{}", refused[0]);
        }
        for name in ["eve", "other"] {
            let refused = [&right, &wrong].map(|guess| ledger.note_prints(name, guess, "eve").expect_err("refused"));
            assert_eq!(refused[0], refused[1]);
            let refused = [&right, &wrong].map(|guess| ledger.check_guess(name, guess).expect_err("refused"));
            assert_eq!(refused[0], refused[1]);
        }
        let asking = |prints: &[Print], overrides: Vec<Override>| Request {
            dataset: "eve".into(),
            prints: prints.to_vec(),
            overrides,
            ..request("b", pure("1/4"))
        };
        let refused = [&right, &wrong].map(|guess| ledger.reserve(&asking(guess, Vec::new())).expect_err("refused"));
        assert_eq!(refused[0], refused[1]);
        assert_eq!(ledger.status().expect("a status").entries, entries);
        // Data that are known as one's own are not new, the dataset itself may be updated, and
        // somebody may answer for it.
        reserved(&mut ledger, &asking(&prints, Vec::new()));
        ledger.note_prints("census", &wrong, "ann").expect("its own");
        let because = vec![Override { safeguard: ANSWERS.into(), reason: "the board decided".into() }];
        let fresh = file(&ledger, "fresh data");
        reserved(&mut ledger, &Request { spec: "c".into(), ..asking(&fresh, because) });
        ledger.verify_chain().expect("a whole chain");
    }
}

#[cfg(unix)]
#[test]
fn a_ledger_that_cannot_count_answers_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let (right, wrong) = (file(&ledger, "secret"), file(&ledger, "no secret"));
    ledger.note_prints("census", &right, "ann").expect("noted");
    drop(ledger);
    // The head is missing: nothing can be entered, whoever asks.
    let database = scene.address.file().expect("a file");
    let head = database.with_extension("db.head");
    let kept = fs::read(&head).expect("the head");
    fs::remove_file(&head).expect("removed");
    let ask = |prints: &[Print]| scene.again().recognise(prints, Claim::Public, "eve").expect_err("refused");
    assert_eq!(ask(&right), ask(&wrong));
    fs::write(&head, kept).expect("put back");
    // Whoever may do everything is not stopped by permissions.
    let allow = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    allow(database, 0o400).expect("read-only");
    let writable = fs::OpenOptions::new().append(true).open(database).is_ok();
    if !writable {
        assert_eq!(ask(&right), ask(&wrong));
    }
    allow(database, 0o600).expect("writable");
    assert_eq!(answers(&mut scene.again(), "census"), 0);
}

#[test]
fn neither_heads_nor_readers_see_prints_or_how_many_there_are() {
    // Two tables: rich in counts, with a print for every row; and poor.
    let lengths = [true, false].map(|rich| {
        let scene = sqlite();
        let second = scene.address.file().expect("a file").with_file_name("second.head");
        let mut ledger = scene.with_census("1");
        ledger.keep_head(&second, "ann").expect("kept");
        let mut fingerprint = ledger.fingerprint();
        fingerprint.file(b"the data");
        fingerprint.source(&["csv"]);
        for row in 0..if rich { 100u8 } else { 3 } {
            fingerprint.one_row([[row].as_slice()], 9);
        }
        match rich {
            true => assert!(fingerprint.counts(Counts::Table, [1, 2, 3])),
            false => fingerprint.absent("table"),
        }
        let prints = fingerprint.finish();
        let wanted = Request { prints: prints.clone(), details: "what is kept".into(), ..request("a", pure("1/4")) };
        reserved(&mut ledger, &wanted);
        let back = ledger.history(None).expect("a history").into_iter().find_map(|entry| match entry.event {
            ledger::Event::Reserved { prints, details, .. } => Some((prints, details)),
            _ => None,
        });
        assert_eq!(back, Some((prints, "what is kept".to_string())), "whoever has the key reads them");
        drop(ledger);
        let connection = rusqlite::Connection::open(scene.address.file().expect("a file")).expect("the database");
        let mut statement = connection.prepare("SELECT subject || content FROM congenial_history").expect("a query");
        let entries: Vec<String> =
            statement.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a text")).collect();
        let head = fs::read_to_string(scene.address.file().expect("a file").with_extension("db.head")).expect("a head");
        let second = fs::read_to_string(second).expect("the second head");
        for text in entries.iter().chain([&head, &second]) {
            for mark in ["file:", "row:", "rows:", "table:", "sums:", "few:", "absent:", "source:", "what is kept"] {
                assert!(!text.contains(mark), "{mark} in {text}");
            }
        }
        let tokens = |text: &str| text.matches("seen:").count();
        // Numbers of files on the disk may have more or fewer digits.
        let lines: Vec<usize> = entries.iter().map(String::len).collect();
        (lines, tokens(&head), tokens(&second))
    });
    assert_eq!(lengths[0], lengths[1]);
}

#[test]
fn changed_data_are_noted_whole_so_that_their_number_tells_nothing() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let prints = |counts: [i64; 3], ledger: &Ledger| {
        let mut fingerprint = ledger.fingerprint();
        for (place, count) in counts.into_iter().enumerate() {
            fingerprint.file(&[place as u8, count as u8]);
            fingerprint.end_of_file();
        }
        fingerprint.finish()
    };
    let seen = |ledger: &mut Ledger| {
        let history = ledger.history(None).expect("a history");
        history.iter().filter(|entry| entry.event.kind() == "seen").count()
    };
    for (counts, expected) in [([1, 2, 3], 3), ([1, 2, 3], 3), ([1, 2, 4], 6), ([5, 6, 7], 9)] {
        let prints = prints(counts, &ledger);
        ledger.note_prints("census", &prints, "ann").expect("noted");
        assert_eq!(seen(&mut ledger), expected, "{counts:?}");
    }
}

#[test]
fn counts_that_are_too_few_to_tell_ask_for_somebody_who_does() {
    for scene in everywhere() {
        let mut ledger = scene.with_census("1");
        ledger.open_dataset(&dataset("copy", pure("1"))).expect("a dataset");
        let few = |ledger: &Ledger, label: &str| {
            let mut fingerprint = ledger.fingerprint();
            fingerprint.file(label.as_bytes());
            fingerprint.counts(Counts::Few, [4, 15, 17, 38]);
            fingerprint.finish()
        };
        let (one, other) = (few(&ledger, "Alpha"), few(&ledger, "A"));
        reserved(&mut ledger, &Request { prints: one, ..request("a", pure("1/4")) });
        let wanted = Request { dataset: "copy".into(), prints: other.clone(), ..request("a", pure("1/4")) };
        let problem = ledger.reserve(&wanted).expect_err("the same counts");
        assert!(problem.message.contains("too few to be told apart"), "{problem}");
        assert_eq!(answers(&mut ledger, "census"), 1);
        assert!(ledger.has_counts_of_another("copy", &other).expect("an answer"));
        ledger.recognise(&other, Claim::Public, "ann").expect("public data may have the same few counts");
        let because = vec![Override { safeguard: RECOGNITION.into(), reason: "another survey".into() }];
        let named = reserved(&mut ledger, &Request { overrides: because, ..wanted.clone() });
        assert_eq!(named.overrides()[0].name, RECOGNITION);
        ledger.complete(&named, &outcome("release")).expect("completed");
        // Vouched for once: they are those of both from now on.
        assert!(!ledger.has_counts_of_another("copy", &other).expect("an answer"));
        reserved(&mut ledger, &Request { spec: "b".into(), ..wanted });
        ledger.verify_chain().expect("a whole chain");
    }
}

#[test]
fn a_name_that_looks_like_another_opens_no_second_budget() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    for alike in ["Census", "c\u{435}nsus", "cen\u{200b}sus", "census\u{a0}\u{2009}\u{200b}x\u{200b}"] {
        let opened = ledger.open_dataset(&dataset(alike, pure("1")));
        if alike.ends_with("x\u{200b}") {
            opened.expect("another name");
            continue;
        }
        let problem = opened.expect_err(alike);
        assert!(problem.message.contains("looks like dataset `census`"), "{problem}");
    }
    ledger.open_dataset(&dataset("census-2", pure("1"))).expect("another name");
}

//! What people do to the files of a ledger after a crash: whatever it is, what was drawn stays
//! spent, or nothing is paid.

use crate::child::start;
use crate::race::address;
use crate::scene::{Scene, pure, request, reserved, sqlite};
use ledger::{Address, Amount, Ledger};
use std::fs;
use std::path::{Path, PathBuf};

/// The database of a scene with more at the end of its name.
fn more(scene: &Scene, end: &str) -> PathBuf {
    PathBuf::from(format!("{}{end}", scene.address.file().expect("a file").display()))
}

/// Files beside the database that are not it, by the start of what their names have more.
fn beside(scene: &Scene, start: &str) -> Vec<PathBuf> {
    let folder = scene.folder.as_ref().expect("a folder").path();
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    files.filter(|path| path.to_string_lossy().contains(&format!("ledger.db{start}"))).collect()
}

/// What somebody does to the files, by name.
type Deed = (&'static str, fn(&Scene) -> PathBuf);

/// Everything that people do, each with the name under which they open the ledger afterwards.
const HOUSEKEEPING: [Deed; 8] = [
    ("nothing", |scene| more(scene, "")),
    ("rm ledger.db-*", |scene| {
        beside(scene, "-").iter().for_each(|path| fs::remove_file(path).expect("removed"));
        more(scene, "")
    }),
    ("rm ledger.db.*", |scene| {
        beside(scene, ".").iter().for_each(|path| fs::remove_file(path).expect("removed"));
        more(scene, "")
    }),
    ("mv ledger.db", |scene| {
        fs::rename(more(scene, ""), more(scene, "moved")).expect("moved");
        more(scene, "moved")
    }),
    ("mv ledger.db and its head", |scene| {
        fs::rename(more(scene, ""), more(scene, "moved")).expect("moved");
        fs::rename(more(scene, ".head"), more(scene, "moved.head")).expect("moved");
        more(scene, "moved")
    }),
    ("cp to a backup", |scene| {
        fs::copy(more(scene, ""), more(scene, "copy")).expect("copied");
        fs::copy(more(scene, ".head"), more(scene, "copy.head")).expect("copied");
        more(scene, "copy")
    }),
    ("a hard link", |scene| {
        fs::hard_link(more(scene, ""), more(scene, "link")).expect("linked");
        more(scene, "link")
    }),
    ("a symbolic link", |scene| {
        #[cfg(unix)]
        std::os::unix::fs::symlink(more(scene, ""), more(scene, "link")).expect("linked");
        #[cfg(not(unix))]
        return more(scene, "");
        more(scene, "link")
    }),
];

fn spent(ledger: &mut Ledger) -> Amount {
    ledger.status().expect("a status").datasets.pop().expect("a dataset").spent
}

fn opened(path: &Path) -> Ledger {
    Ledger::open(&Address::parse(&format!("sqlite:{}", path.display())).expect("an address")).expect("a ledger")
}

#[test]
fn housekeeping_after_a_kill_gives_nothing_back() {
    for (what, tidy) in HOUSEKEEPING {
        for step in ledger::STEPS {
            let scene = sqlite();
            drop(scene.with_census("1"));
            let mut process = start(&format!("stop {step}"), &address(&scene));
            let mut drawn = 0;
            loop {
                match process.next().as_deref() {
                    Some("drawn") => drawn += 1,
                    Some("stopped") => break,
                    other => panic!("{step}: {other:?}"),
                }
            }
            process.kill("completed");
            let path = tidy(&scene);
            let least = Amount::Pure { epsilon: format!("{drawn}/1000").parse().expect("a number") };
            let mut ledger = opened(&path);
            assert!(spent(&mut ledger).left_after(&least).is_some(), "{what} at {step}");
            let paid = ledger.reserve(&request("after", pure("1/2")));
            let refused = ["rm ledger.db.*", "mv ledger.db", "a hard link"].contains(&what);
            assert_eq!(paid.is_err(), refused, "{what} at {step}: {paid:?}");
            match paid {
                Ok(_) => {
                    assert!(spent(&mut ledger).left_after(&least.plus(&pure("1/2").amount).expect("pure")).is_some())
                }
                Err(problem) => assert_eq!(problem.kind, declare::Kind::Refused, "{what} at {step}: {problem}"),
            }
        }
    }
}

#[test]
fn a_journal_that_was_deleted_never_gives_budget_back() {
    // A crash while pages are written leaves some of the new and some of the old, and a journal
    // that would put the old ones back. Without the journal: every page by itself, all but one, and
    // random choices.
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    for number in 0..12 {
        reserved(&mut ledger, &request(&format!("spec {number}"), pure("1/100")));
    }
    drop(ledger);
    let before = fs::read(more(&scene, "")).expect("the database");
    let mut process = start("stop reserve: committed", &address(&scene));
    assert_eq!(process.next().as_deref(), Some("stopped"));
    process.kill("completed");
    let (after, head) =
        (fs::read(more(&scene, "")).expect("the database"), fs::read(more(&scene, ".head")).expect("its head"));
    let size = usize::from(u16::from_be_bytes([after[16], after[17]]));
    let pages: Vec<usize> = (0..after.len() / size)
        .filter(|page| before.get(page * size..(page + 1) * size) != after.get(page * size..(page + 1) * size))
        .collect();
    assert!(pages.len() > 3, "{pages:?}");
    let mut choices: Vec<Vec<usize>> = pages.iter().map(|page| vec![*page]).collect();
    choices.extend(pages.iter().map(|left| pages.iter().copied().filter(|page| page != left).collect()));
    let mut state = 1u64;
    choices.extend((0..40).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        pages
            .iter()
            .enumerate()
            .filter(|(place, _)| state >> (33 + place % 31) & 1 == 1)
            .map(|(_, page)| *page)
            .collect()
    }));
    let least = pure("12/100").amount;
    let (mut refused, mut whole) = (0, 0);
    for choice in choices {
        let mut mixed = before.clone();
        if choice.iter().any(|page| page * size >= mixed.len()) {
            mixed.resize(after.len(), 0);
        }
        for page in &choice {
            mixed[page * size..(page + 1) * size].copy_from_slice(&after[page * size..(page + 1) * size]);
        }
        // In place, so that it is the same file for the head.
        fs::write(more(&scene, ""), &mixed).expect("written");
        fs::write(more(&scene, ".head"), &head).expect("written");
        let Ok(mut ledger) = Ledger::open(&scene.address) else {
            refused += 1;
            continue;
        };
        match ledger.reserve(&request("after", pure("1/2"))) {
            Err(_) => refused += 1,
            Ok(_) => {
                whole += 1;
                ledger.verify_chain().unwrap_or_else(|problem| panic!("{choice:?}: {problem}"));
                assert!(
                    spent(&mut ledger).left_after(&least.plus(&pure("1/2").amount).expect("pure")).is_some(),
                    "{choice:?}"
                );
            }
        }
    }
    assert!(refused > 2 * pages.len(), "{refused} of the mixtures are refused, {whole} are whole");
}

#[test]
fn a_reader_meanwhile_and_a_copy_alone_hold_everything() {
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    let mut reader = rusqlite::Connection::open(more(&scene, "")).expect("a reader");
    let held = reader.transaction().expect("a transaction");
    let count = |connection: &rusqlite::Connection| -> i64 {
        connection.query_row("SELECT count(*) FROM congenial_history", [], |row| row.get(0)).expect("a number")
    };
    assert_eq!(count(&held), 2);
    drop(held);
    reserved(&mut ledger, &request("a", pure("1/4")));
    // Nobody has closed anything: the file alone is copied.
    fs::copy(more(&scene, ""), more(&scene, ".alone")).expect("copied");
    assert_eq!(count(&rusqlite::Connection::open(more(&scene, ".alone")).expect("a copy")), 3);
    assert!(beside(&scene, "-").is_empty(), "no journal is left");
}

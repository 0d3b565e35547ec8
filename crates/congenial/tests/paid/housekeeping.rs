//! What people do to the files of a ledger between a crash and the next release; and ledgers older
//! than what was published.

use crate::child::start;
use crate::crash::{check, steps};
use crate::scene::{Scene, by_ann, releasing, sqlite};
use congenial::ledgers::{Address, Adopting, Ledger, Unknown};
use congenial::{Kind, adopt, read_table_release, verify_against};
use std::fs;

/// What somebody does to the files, by name.
type Deed = (&'static str, fn(&Scene));

/// What is done while nothing runs; afterwards the ledger has its old name again.
const HOUSEKEEPING: [Deed; 3] = [
    ("rm books.db-*", |scene| {
        for entry in fs::read_dir(scene.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("books.db-") {
                fs::remove_file(path).unwrap();
            }
        }
    }),
    ("mv and mv back", |scene| {
        fs::rename(scene.path("books.db"), scene.path("moved.db")).unwrap();
        fs::rename(scene.path("moved.db"), scene.path("books.db")).unwrap();
    }),
    ("cp to a backup and back", |scene| {
        fs::copy(scene.path("books.db"), scene.path("copy.db")).unwrap();
        for end in ["", "-journal", "-wal", "-shm"] {
            let _ = fs::remove_file(scene.path(&format!("books.db{end}")));
        }
        fs::rename(scene.path("copy.db"), scene.path("books.db")).unwrap();
    }),
];

#[test]
fn housekeeping_between_a_kill_and_the_next_release() {
    for (what, tidy) in HOUSEKEEPING {
        let scene = sqlite();
        drop(scene.open("1", false));
        let (order, mut paid) = (steps(), 0);
        let place = |name: &str| order.iter().position(|step| *step == name).unwrap();
        for step in order.iter().copied() {
            let mut process = start(&format!("stop {step}"), scene.folder.path(), &scene.address);
            assert_eq!(process.next().as_deref(), Some("stopped"), "{what}: {step}");
            process.kill();
            tidy(&scene);
            paid += usize::from(place(step) >= place("reserve: committed"));
            assert_eq!(scene.paid(), paid, "{what}: {step}");
            check(&scene, step);
        }
        releasing(&scene.spec("after"), &scene.path("release-after"), by_ann()).unwrap();
        assert_eq!(scene.paid(), paid + 1, "{what}");
        check(&scene, what);
    }
}

#[test]
fn a_ledger_older_than_a_certificate_is_found_and_made_good() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let address = Address::parse(&scene.address).unwrap();
    let release = |name: &str| releasing(&scene.spec(name), &scene.path(&format!("release-{name}")), by_ann());
    release("a").unwrap();
    let published = [scene.folder.path().to_path_buf()];
    let files = ["books.db", "books.db.head"];
    let then = files.map(|name| fs::read(scene.path(name)).unwrap());
    release("b").unwrap();
    release("c").unwrap();
    let whole = verify_against(&address, &published, &read_table_release).unwrap();
    assert_eq!(whole.found, "3 of 3 published payments are entries of this ledger");
    // Database and head, both put back: inside the folder nothing contradicts them.
    for (name, bytes) in files.iter().zip(&then) {
        fs::write(scene.path(name), bytes).unwrap();
    }
    scene.ledger().verify_chain().unwrap();
    assert_eq!(scene.paid(), 1);
    let problem = verify_against(&address, &published, &read_table_release).unwrap_err();
    assert!(problem.kind == Kind::Refused && problem.message.contains("is older than what was published"), "{problem}");
    assert!(problem.message.contains("release-b") && problem.message.contains("release-c"), "{problem}");
    // Certificates say what they say, and not that there are no others.
    let because = "an old backup was restored";
    let problem = adopt(&address, &published, &read_table_release, &[], Unknown::Refused, because, "bea").unwrap_err();
    assert!(problem.message.contains("cannot be known: no head knows the release in"), "{problem}");
    assert_eq!(scene.paid(), 1);
    let adopted = adopt(&address, &published, &read_table_release, &[], Unknown::Vouched, because, "bea").unwrap();
    assert_eq!(adopted.booked.len(), 2);
    assert_eq!(scene.paid(), 3, "what was published is paid again");
    assert!(
        verify_against(&address, &published, &read_table_release)
            .unwrap()
            .found
            .contains("2 booked again after they were lost")
    );
    release("d").unwrap();
    assert_eq!(scene.paid(), 4);
    scene.ledger().verify_chain().unwrap();
    // A certificate that this ledger never paid for.
    let other = sqlite();
    drop(other.open("1", false));
    releasing(&other.spec("x"), &other.path("release-x"), by_ann()).unwrap();
    let problem = verify_against(&address, &[other.path("release-x")], &read_table_release).unwrap_err();
    assert!(problem.message.contains("has other entries in the place"), "{problem}");
}

#[test]
fn the_second_head_of_a_spec_is_kept_and_missed() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let elsewhere = tempfile::tempdir().unwrap();
    let head = elsewhere.path().join("watched.log");
    let more = format!("head = \"{}\"\n", head.display());
    let release =
        |name: &str| releasing(&scene.spec_with(name, &more), &scene.path(&format!("release-{name}")), by_ann());
    release("a").unwrap();
    assert!(fs::read_to_string(&head).unwrap().lines().count() >= 2);
    let files = ["books.db", "books.db.head"];
    let then = files.map(|name| fs::read(scene.path(name)).unwrap());
    release("b").unwrap();
    for (name, bytes) in files.iter().zip(&then) {
        fs::write(scene.path(name), bytes).unwrap();
    }
    // Also a spec that does not name the place is refused: the ledger does.
    for problem in [
        release("c").unwrap_err(),
        releasing(&scene.spec("plain"), &scene.path("release-plain"), by_ann()).unwrap_err(),
    ] {
        assert!(problem.kind == Kind::Refused && problem.message.contains("it was set back"), "{problem}");
    }
    assert_eq!(scene.paid(), 1);
    let mut ledger = Ledger::open(&Address::parse(&scene.address).unwrap()).unwrap();
    let adopting =
        Adopting { payments: &[], given_up: &[], unknown: Unknown::Refused, reason: "an old backup", by: "bea" };
    ledger.adopt(&adopting).unwrap();
    assert_eq!(scene.paid(), 2);
    release("c").unwrap();
    fs::remove_file(&head).unwrap();
    let problem = release("d").unwrap_err();
    assert!(problem.message.contains("is missing"), "{problem}");
    assert_eq!(scene.paid(), 3);
}

#[test]
fn a_head_that_would_overwrite_something_costs_nothing_and_changes_nothing() {
    let scene = sqlite();
    drop(scene.open("1", false));
    fs::write(scene.path("empty.csv"), "").unwrap();
    let files = ["data.csv", "books.db", "books.db.head", "books.db-journal", "empty.csv", "nowhere/head"];
    for named in files {
        let spec = scene.spec_with("a", &format!("head = \"{named}\"\n"));
        if named == "empty.csv" {
            let text = fs::read_to_string(&spec).unwrap().replace("path = \"data.csv\"", "path = \"*.csv\"");
            fs::write(&spec, text).unwrap();
        }
        let read = |name: &str| fs::read(scene.path(name)).ok();
        let before = (files.map(read), fs::read(&spec).unwrap());
        let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
        assert!(problem.message.contains("cannot keep a head"), "{named}: {problem}");
        assert_eq!((files.map(read), fs::read(&spec).unwrap()), before, "{named}");
    }
    let spec = scene.spec_with("a", "head = \"a.toml\"\n");
    let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
    assert!(problem.message.contains("it holds something else"), "{problem}");
    assert!(scene.paid() == 0 && !scene.path("out").exists());
}

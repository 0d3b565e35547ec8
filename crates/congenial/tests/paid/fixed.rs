//! The entry that pays fixes what is drawn: whatever becomes of files and processes, it is the same
//! table, and it is paid for once.

use crate::scene::{Scene, at, by_ann, releasing, releasing_with, sqlite};
use congenial::ledgers::Address;
use congenial::{Finishing, KeptState, Kind, VerifyOptions, finish_release, give_up, recoverable, verify};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

fn address(scene: &Scene) -> Address {
    Address::parse(&scene.with_password).unwrap()
}

fn private(scene: &Scene) -> Vec<PathBuf> {
    let entries = fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".congenial-")).collect()
}

fn table(folder: &Path) -> String {
    fs::read_to_string(folder.join("table.csv")).unwrap()
}

/// Pays for a release that is stopped at a step; says which entry that is.
fn stopped(scene: &Scene, spec: &Path, step: &'static str) -> u64 {
    let steps = at(step, || panic!("a library stops"));
    releasing_with(spec, &scene.path("out"), by_ann(), steps).unwrap_err();
    scene.ledger().unfinished(None).unwrap()[0].number
}

/// The tables that lie in private folders when a release has written its own and stops.
fn drawn_again(scene: &Scene, spec: &Path, out: &str) -> Vec<String> {
    let folder = scene.folder.path().to_path_buf();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let tables = seen.clone();
    let look = move || {
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path().join("release/table.csv"));
        tables.lock().unwrap().extend(entries.filter_map(|file| fs::read_to_string(file).ok()));
        panic!("a library stops");
    };
    releasing_with(spec, &scene.path(out), by_ann(), at("release: table written", look)).unwrap_err();
    let seen = seen.lock().unwrap().clone();
    assert!(!seen.is_empty());
    seen
}

type Damage = (&'static str, fn(&Path));

/// What people do to a folder in which something is pending.
const DAMAGES: [Damage; 8] = [
    ("nothing", |_| {}),
    ("the draw removed", |folder| fs::remove_file(folder.join("draw.sealed")).unwrap()),
    ("the draw removed, and marks of another version written", |folder| {
        fs::remove_file(folder.join("draw.sealed")).unwrap();
        fs::write(folder.join("ready"), fs::read(folder.join("token")).unwrap()).unwrap();
    }),
    ("the draw changed", |folder| fs::write(folder.join("draw.sealed"), "no draw").unwrap()),
    ("the lock removed", |folder| fs::remove_file(folder.join("lock")).unwrap()),
    ("the token changed", |folder| fs::write(folder.join("token"), "another").unwrap()),
    ("the folder moved", |folder| fs::rename(folder, folder.with_file_name("elsewhere")).unwrap()),
    ("the folder removed", |folder| fs::remove_dir_all(folder).unwrap()),
];

#[test]
fn whatever_is_done_to_a_pending_folder_the_same_table_is_drawn() {
    for (what, damage) in DAMAGES {
        let scene = sqlite();
        drop(scene.open("1", false));
        let spec = scene.spec("a");
        stopped(&scene, &spec, "release: kept");
        let first = drawn_again(&scene, &spec, "out");
        let [folder] = private(&scene).try_into().unwrap();
        damage(&folder);
        let again = drawn_again(&scene, &spec, "out");
        assert!(again.iter().chain(&first).all(|table| *table == first[0]), "{what}");
        // And so does the command that comes to the end.
        releasing(&spec, &scene.path("out"), by_ann()).unwrap();
        assert_eq!(table(&scene.path("out")), first[0], "{what}");
        assert_eq!((scene.paid(), scene.status().unfinished), (1, 0), "{what}");
        // A new draw is another one, and pays: `EACH` says how rarely it is equal, here eight times
        // 1.6e-11.
        let mut anew = by_ann();
        anew.paying.again = true;
        releasing(&spec, &scene.path("anew"), anew).unwrap();
        assert_ne!(table(&scene.path("anew")), first[0], "{what}");
        assert_eq!(scene.paid(), 2, "{what}");
    }
}

#[test]
fn a_process_that_ends_while_it_draws_loses_nothing() {
    let scene = sqlite();
    drop(scene.open("1", false));
    for (number, step) in ["release: begun", "release: drawn"].into_iter().enumerate() {
        let (spec, out) = (scene.spec(&format!("s{number}")), scene.path(&format!("out{number}")));
        stopped(&scene, &spec, step);
        let found = recoverable(&address(&scene), None).unwrap();
        assert_eq!(found[0].state, KeptState::Fixed, "{step}");
        let finishing = Finishing { options: by_ann(), cases: None, from: None };
        let refused =
            finish_release(&address(&scene), found[0].unfinished.number, &out, &finishing, "bea").unwrap_err();
        let hint = refused.hint.as_ref().unwrap();
        assert!(hint.starts_with("`congenial release` with the same spec and data makes it"), "{refused} {hint}");
        releasing(&spec, &out, by_ann()).unwrap();
        verify(&out, &VerifyOptions::default()).unwrap();
        assert_eq!((scene.paid(), scene.status().unfinished), (number + 1, 0), "{step}");
    }
}

#[test]
fn two_that_go_on_at_once_without_the_folder_write_one_table() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = scene.spec("a");
    stopped(&scene, &spec, "release: kept");
    for folder in private(&scene) {
        fs::remove_dir_all(folder).unwrap();
    }
    let outs = ["one", "two", "three"].map(|name| scene.path(name));
    std::thread::scope(|scope| {
        let tasks = outs.each_ref().map(|out| scope.spawn(|| releasing(&spec, out, by_ann()).map(|_| ())));
        tasks.into_iter().for_each(|task| task.join().unwrap().unwrap());
    });
    let tables = outs.each_ref().map(|out| table(out));
    assert!(tables.iter().all(|table| *table == tables[0]));
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 0));
    scene.ledger().verify_chain().unwrap();
}

#[test]
fn other_data_do_not_open_what_was_paid_for() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = scene.spec("a");
    stopped(&scene, &spec, "release: begun");
    // Two records moved: the totals are the same.
    let data = fs::read_to_string(scene.path("data.csv")).unwrap();
    fs::write(scene.path("data.csv"), data.replace("Low,15", "Low,16").replace("High,4", "High,3")).unwrap();
    let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
    assert!(problem.message.ends_with("from other data than these"), "{problem}");
    fs::write(scene.path("data.csv"), data).unwrap();
    releasing(&spec, &scene.path("out"), by_ann()).unwrap();
    assert_eq!(scene.paid(), 1);
}

#[test]
fn the_seed_is_sealed_and_no_draw_is_readable_in_the_ledger() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let entry = stopped(&scene, &scene.spec("a"), "release: kept");
    let (entry, _) = scene.ledger().entry_and_completion(entry).unwrap();
    let congenial::ledgers::Event::Reserved { details, place, .. } = entry.event else { panic!("paid") };
    let details: serde_json::Value = serde_json::from_str(&details).unwrap();
    let sealed = details["seed"]["sealed"].as_str().unwrap();
    // A nonce, 32 bytes and a tag: under a key of ledger, place and data.
    assert_eq!(sealed.len(), 2 * (22 + 24 + 32 + 16), "{sealed}");
    let other = scene.ledger().seed_key(&place.unwrap().token, b"other data");
    let sealed: Vec<u8> =
        (0..sealed.len() / 2).map(|at| u8::from_str_radix(&sealed[2 * at..2 * at + 2], 16).unwrap()).collect();
    let key = draw::KeepingKey::new(other);
    assert!(key.open_seed(&sealed).is_none(), "the key of the ledger alone does not open it");
}

#[test]
fn a_folder_that_was_moved_is_finished_from_where_it_is() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let entry = stopped(&scene, &scene.spec("a"), "release: kept");
    let [folder] = private(&scene).try_into().unwrap();
    let moved = scene.path("moved");
    fs::rename(&folder, &moved).unwrap();
    let finish = |from| {
        let finishing = Finishing { options: by_ann(), cases: None, from };
        finish_release(&address(&scene), entry, &scene.path("out"), &finishing, "bea")
    };
    let problem = finish(None).unwrap_err();
    assert!(problem.message.ends_with("which is gone"), "{problem}");
    assert!(problem.hint.as_ref().unwrap().contains(&format!("--finish {entry} --from FOLDER")), "{problem}");
    finish(Some(moved)).unwrap();
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 0));
}

#[test]
fn what_was_given_up_is_not_paid_for_again_unasked() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = scene.spec("a");
    for step in ["release: begun", "release: kept"] {
        let entry = stopped(&scene, &spec, step);
        let refused = give_up(&address(&scene), entry, "nobody needs it", false, "bea").unwrap_err();
        assert_eq!(refused.kind, Kind::Refused);
        assert!(refused.hint.as_ref().unwrap().ends_with("--although-it-can-be-finished"), "{refused}");
        if step == "release: begun" {
            continue;
        }
        give_up(&address(&scene), entry, "nobody needs it", true, "bea").unwrap();
        let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
        assert_eq!((problem.kind, scene.paid()), (Kind::Refused, 1), "{problem}");
        assert!(problem.message.contains(&format!("(entry {entry}, by ann")), "{problem}");
        assert!(problem.message.ends_with("nobody needs it"), "{problem}");
        let mut again = by_ann();
        again.paying.again = true;
        releasing(&spec, &scene.path("out"), again).unwrap();
        assert_eq!(scene.paid(), 2);
        // What was drawn anew is handed back.
        assert!(releasing(&spec, &scene.path("two"), by_ann()).unwrap().handed_back.is_some());
    }
}

#[test]
fn a_release_whose_first_folder_is_gone_is_handed_back_from_a_copy() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = scene.spec("a");
    releasing(&spec, &scene.path("out"), by_ann()).unwrap();
    let first = table(&scene.path("out"));
    let changes = congenial::Changes { title: Some("another title".into()), ..Default::default() };
    congenial::present_as(&scene.path("out"), &scene.path("copy"), &changes, Some((&address(&scene), "ann"))).unwrap();
    fs::remove_dir_all(scene.path("out")).unwrap();
    let back = releasing(&spec, &scene.path("two"), by_ann()).unwrap();
    assert!(back.handed_back.is_some());
    assert_eq!((table(&scene.path("two")), scene.paid()), (first, 1));
    // Neither inside a release, nor where nothing has a name.
    let inside = releasing(&scene.spec("b"), &scene.path("two/inside"), by_ann()).unwrap_err();
    assert_eq!((inside.kind, scene.paid()), (Kind::Bad, 1), "{inside}");
    assert!(releasing(&scene.spec("b"), Path::new("."), by_ann()).unwrap_err().message.starts_with("`.` cannot"));
    let untitled = congenial::Changes { title: Some(" ".into()), ..Default::default() };
    let problem = congenial::present_as(&scene.path("two"), &scene.path("x"), &untitled, None).unwrap_err();
    assert_eq!(problem.message, "the new title is empty");
    // All of them gone: that is said, and where they were.
    for gone in ["copy", "two"] {
        fs::remove_dir_all(scene.path(gone)).unwrap();
    }
    let problem = releasing(&spec, &scene.path("three"), by_ann()).unwrap_err();
    assert!(problem.message.contains("nor in"), "{problem}");
    assert_eq!(scene.paid(), 1);
}

#[test]
fn what_a_kill_leaves_before_paying_is_removed_by_the_next_run() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let mut process = crate::child::start("stop release: prepared", scene.folder.path(), &scene.address);
    assert_eq!(process.next().as_deref(), Some("stopped"));
    process.kill();
    assert_eq!((private(&scene).len(), scene.paid()), (1, 0));
    releasing(&scene.spec("a"), &scene.path("out"), by_ann()).unwrap();
    assert_eq!((private(&scene).len(), scene.paid()), (0, 1));
}

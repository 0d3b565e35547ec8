//! What was paid for is never deleted: whatever fails afterwards, it is kept, named, and becomes
//! the release at no further loss.

use crate::child::{command, started};
use crate::scene::{Scene, at, by_ann, releasing, releasing_with, sqlite};
use congenial::ledgers::Address;
use congenial::{
    Finishing, Format, KeptState, Kind, Options, VerifyOptions, finish_release, look_up, recoverable, verify,
};
use std::fs;
use std::path::{Path, PathBuf};

fn address(scene: &Scene) -> Address {
    Address::parse(&scene.with_password).unwrap()
}

fn table(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("table.csv")).unwrap()
}

/// The private folders of a scene.
fn private(scene: &Scene) -> Vec<PathBuf> {
    let entries = fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".congenial-")).collect()
}

#[test]
fn a_folder_that_is_taken_meanwhile_does_not_destroy_the_draw() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let (spec, out) = (scene.spec("a"), scene.path("out"));
    let theirs = out.clone();
    let steps = at("release: verified", move || {
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("theirs.txt"), "another process was here first").unwrap();
    });
    let problem = releasing_with(&spec, &out, by_ann(), steps).unwrap_err();
    assert!(problem.message.starts_with("the release is made and holds (entry "), "{problem}");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "nothing of theirs is touched");
    let [kept] = private(&scene).try_into().unwrap();
    let kept = kept.join("release");
    assert!(problem.hint.as_ref().unwrap().contains(&kept.display().to_string()), "{problem}");
    look_up(&verify(&kept, &VerifyOptions::default()).unwrap(), &kept, &address(&scene)).unwrap();
    // The same command with another name hands it back.
    let back = releasing(&spec, &scene.path("other"), by_ann()).unwrap();
    assert!(back.handed_back.is_some());
    assert_eq!(table(&kept), table(&scene.path("other")));
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 0));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_given_its_name_is_refused_before_it_is_paid_for() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let (real, link) = (scene.path("real"), scene.path("link"));
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for name in ["link", "link/", "link/.", "link//"] {
        let out = PathBuf::from(format!("{}/{name}", scene.folder.path().display()));
        let problem = releasing(&scene.spec("a"), &out, by_ann()).unwrap_err();
        assert_eq!((problem.kind, scene.paid()), (Kind::Bad, 0), "{name}: {problem}");
    }
    // A folder inside a link is no link, and an empty folder gives way.
    releasing(&scene.spec("a"), &link.join("inside"), by_ann()).unwrap();
    fs::create_dir(scene.path("empty")).unwrap();
    releasing(&scene.spec("b"), &scene.path("empty/"), by_ann()).unwrap();
    assert_eq!((scene.paid(), private(&scene).len()), (2, 0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_mount_point_is_refused_before_it_is_paid_for() {
    // An empty folder that is a file system of its own, where this system has one that may be
    // tried.
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(PathBuf::from);
    let is_empty = |path: &PathBuf| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let Some(point) = points.filter(|path| path.is_dir()).find(is_empty) else { return };
    let scene = sqlite();
    drop(scene.open("1", false));
    assert!(releasing(&scene.spec("a"), &point, by_ann()).is_err());
    assert_eq!(scene.paid(), 0, "{}", point.display());
}

#[test]
fn a_library_that_stops_and_files_that_vanish_lose_nothing() {
    let steps = ["release: kept", "release: table written", "release: certificate written", "release: report written"];
    for (step, stops) in steps.into_iter().flat_map(|step| [(step, true), (step, false)]) {
        let scene = sqlite();
        drop(scene.open("1", false));
        let spec = scene.spec("a");
        let folder = scene.folder.path().to_path_buf();
        let damage = move || {
            assert!(!stops, "15 of a confidential table");
            for private in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if private.join("release").is_dir() {
                    fs::remove_dir_all(private.join("release")).unwrap();
                }
            }
        };
        let problem = releasing_with(&spec, &scene.path("out"), by_ann(), at(step, damage)).unwrap_err();
        let told = format!("{problem} {:?}", problem.hint);
        assert!(!told.contains("15 of"), "{step}: {told}");
        assert!(told.contains("is kept in"), "{step}: {told}");
        let found = recoverable(&address(&scene), None).unwrap();
        let KeptState::Drawn(kept) = &found[0].state else { panic!("{step}: {found:?}") };
        assert!(told.contains(&kept.display().to_string()), "{step}: {told}");
        // The same command goes on, without the entry being paid again; and leaves nothing behind.
        let released = releasing(&spec, &scene.path("out"), by_ann()).unwrap();
        assert!(released.handed_back.is_none());
        let paid = verify(&scene.path("out"), &VerifyOptions::default()).unwrap().certificate.ledger.unwrap();
        assert_eq!(paid.together, None, "{step}: it is no other release than itself");
        assert_eq!((scene.paid(), scene.status().unfinished, private(&scene).len()), (1, 0, 0), "{step}");
    }
}

#[test]
fn a_draw_that_is_kept_is_finished_without_the_data_and_is_one_draw() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let steps = at("release: kept", || panic!("a library stops"));
    releasing_with(&scene.spec("a"), &scene.path("out"), by_ann(), steps).unwrap_err();
    let entry = scene.ledger().unfinished(None).unwrap()[0].number;
    // What is kept says nothing without the key of the ledger.
    let [kept] = private(&scene).try_into().unwrap();
    let sealed = fs::read(kept.join("draw.sealed")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(kept.join("draw.sealed")).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let finishing = |format| Finishing { options: Options { format, ..by_ann() }, cases: None, from: None };
    // Changed by a bit, or kept for another entry, it is no draw.
    let mut changed = sealed.clone();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(kept.join("draw.sealed"), &changed).unwrap();
    let problem =
        finish_release(&address(&scene), entry, &scene.path("out"), &finishing(Format::CSV), "bea").unwrap_err();
    assert!(problem.message.contains("is damaged, or another ledger or entry paid"), "{problem}");
    fs::write(kept.join("draw.sealed"), &sealed).unwrap();
    fs::rename(scene.path("data.csv"), scene.path("elsewhere.csv")).unwrap();
    let released =
        finish_release(&address(&scene), entry, &scene.path("out"), &finishing(Format::PARQUET), "bea").unwrap();
    assert_eq!(released.certificate.ledger.as_ref().unwrap().entry, entry);
    look_up(&verify(&released.folder, &VerifyOptions::default()).unwrap(), &released.folder, &address(&scene)).unwrap();
    assert_eq!((scene.paid(), private(&scene).len()), (1, 0));
    // Finished once.
    let again =
        finish_release(&address(&scene), entry, &scene.path("two"), &finishing(Format::CSV), "bea").unwrap_err();
    assert_eq!(again.kind, Kind::Refused, "{again}");
}

#[test]
fn a_workbook_needs_no_temporary_folder_of_the_system() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let program = std::env::current_exe().unwrap();
    let mut task = command(&program, "workbook 1", scene.folder.path(), &scene.address);
    task.env("TMPDIR", scene.path("nowhere"));
    assert_eq!(started(&mut task).rest(), ["released"]);
    assert_eq!((scene.paid(), private(&scene).len()), (1, 0));
}

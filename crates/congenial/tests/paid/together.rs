//! Releases that disclose nothing alone, and cells together.

use crate::scene::{EACH, Scene, by_ann, overriding, releasing, sqlite};
use congenial::ledgers::{Event, Ledger};
use congenial::{Kind, Quiet, VerifyOptions, ask, verify};
use std::fs;
use std::path::PathBuf;

/// A 2 × 2 × 2 table whose three two-way margins leave one table, and of which any two leave many.
pub fn cube() -> Scene {
    let scene = sqlite();
    let mut data = "a,b,c,n\n".to_string();
    for cell in 0..8usize {
        let count = if cell == 0 || cell == 7 { 0 } else { 3 + cell };
        data += &format!("{},{},{},{count}\n", cell >> 2 & 1, cell >> 1 & 1, cell & 1);
    }
    fs::write(scene.path("data.csv"), data).unwrap();
    scene
}

/// A spec that keeps the margin of two dimensions.
pub fn margin(scene: &Scene, by: [&str; 2], more: &str) -> PathBuf {
    let path = scene.path(&format!("{}{}.toml", by[0], by[1]));
    let text = format!(
        "title = \"by {} and {}\"\n[data]\npath = \"data.csv\"\ncount = \"n\"\n\
         [dimensions]\na = [\"0\", \"1\"]\nb = [\"0\", \"1\"]\nc = [\"0\", \"1\"]\n\
         [[invariant]]\nby = [\"{}\", \"{}\"]\n[constraints]\nnonnegative = false\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{EACH}\"\nper = \"unit\"\n\
         [budget]\ndataset = \"children\"\nledger = \"{}\"\n{more}",
        by[0], by[1], by[0], by[1], scene.address
    );
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_certificate_says_what_all_releases_disclose() {
    let scene = cube();
    drop(scene.open("1", false));
    let release = |by: [&str; 2]| {
        let released = releasing(&margin(&scene, by, ""), &scene.path(by[0]), by_ann()).unwrap();
        assert_eq!(released.certificate.disclosed_cells, 0);
        released.certificate.ledger.unwrap().together
    };
    assert_eq!(release(["a", "b"]), None);
    let two = release(["b", "c"]).unwrap();
    assert_eq!((two.releases, two.cells, two.disclosed_cells), (1, Some(8), Some(0)));
    // The third would leave one table: nothing would be protected.
    let third = margin(&scene, ["c", "a"], "");
    let problem = releasing(&third, &scene.path("c"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("leave one table only"), "{problem}");
    let released = releasing(&third, &scene.path("c"), overriding("disclosure", "all of it is public")).unwrap();
    let three = released.certificate.ledger.unwrap().together.unwrap();
    assert_eq!((three.releases, three.cells, three.disclosed_cells), (2, Some(8), Some(8)));
    assert!(three.left_out.is_empty(), "{three:?}");
}

/// A spec of the cube over some of its dimensions.
fn over(scene: &Scene, title: &str, dimensions: &[&str], by: &[&[&str]], more: &str) -> PathBuf {
    let list = |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let domains: String = dimensions.iter().map(|name| format!("{name} = [\"0\", \"1\"]\n")).collect();
    let kept: String = by.iter().map(|by| format!("[[invariant]]\nby = [{}]\n", list(by))).collect();
    let text = format!(
        "title = \"{title}\"\n[data]\npath = \"data.csv\"\ncount = \"n\"\nduplicates = \"sum\"\n[dimensions]\n{domains}{kept}\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{EACH}\"\n\
         per = \"unit\"\n[budget]\ndataset = \"children\"\nledger = \"{}\"\n{more}",
        scene.address
    );
    let path = scene.path(&format!("{title}.toml"));
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_sensitive_cell_that_is_a_sum_of_finer_ones_is_guarded() {
    let scene = cube();
    drop(scene.open("1", false));
    // The first publishes every sum of a and b exactly, of a finer table.
    let fine = over(&scene, "fine", &["a", "b", "c"], &[&["a", "b"], &["c"]], "");
    releasing(&fine, &scene.path("fine"), by_ann()).unwrap();
    let guarded = "[disclosure]\nsensitive = [\"a = '0'\"]\n";
    let coarse = over(&scene, "coarse", &["a", "b"], &[&["a"]], guarded);
    let problem = releasing(&coarse, &scene.path("coarse"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
    assert_eq!(scene.paid(), 1);
}

#[test]
fn what_an_earlier_spec_calls_sensitive_stays_guarded() {
    let scene = cube();
    drop(scene.open("1", false));
    let guarded = "[disclosure]\nsensitive = [\"a = '1' and b = '1'\"]\nwithin = 2\n";
    let first = over(&scene, "first", &["a", "b"], &[&["a"]], guarded);
    releasing(&first, &scene.path("first"), by_ann()).unwrap();
    let second = over(&scene, "second", &["a", "b", "c"], &[&["a", "b"]], "");
    let problem = releasing(&second, &scene.path("second"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
    assert_eq!(scene.paid(), 1);
}

#[test]
fn an_override_is_entered_with_the_release_it_is_for_and_approved_with_it() {
    let scene = cube();
    let mut ledger = scene.open("1/1000", true);
    let pinned = "[[invariant]]\nby = [\"c\"]\n[disclosure]\nsensitive = [\"a = '0'\"]\nwithin = 1000\n";
    let spec = margin(&scene, ["a", "b"], pinned);
    assert!(ask(&spec, &by_ann().paying, &Quiet).is_err(), "what is refused cannot be asked for");
    let overriding = overriding("disclosure", "the ministry publishes it");
    let asked = ask(&spec, &overriding.paying, &Quiet).unwrap();
    ledger.approve(asked.entry, "bea").unwrap();
    let mut another = overriding.clone();
    another.paying.overrides[0].reason = "another reason".into();
    let problem = releasing(&spec, &scene.path("one"), another).unwrap_err();
    assert!(problem.message.contains("not with the safeguards that it overrides"), "{problem}");
    let entered = |ledger: &mut Ledger| {
        let history = ledger.history(None).unwrap();
        history.iter().filter(|entry| matches!(entry.event, Event::Overridden { .. })).count()
    };
    assert_eq!(entered(&mut ledger), 0, "what is refused enters nothing");
    let released = releasing(&spec, &scene.path("one"), overriding.clone()).unwrap();
    assert_eq!(released.certificate.ledger.unwrap().overrides.len(), 1);
    let report = fs::read_to_string(scene.path("one").join("report.html")).unwrap();
    assert!(report.contains("this safeguard was overridden"), "the report says what is so");
    assert!(!report.contains("leaves each of them an interval wider"));
    // Handed back: nothing is overridden once more.
    assert!(releasing(&spec, &scene.path("two"), overriding).unwrap().handed_back.is_some());
    assert!(releasing(&spec, &scene.path("three"), by_ann()).unwrap().handed_back.is_some());
    assert_eq!(entered(&mut ledger), 1);
}

#[test]
fn data_that_changed_are_said_not_to_be_known_together() {
    let scene = cube();
    drop(scene.open("1", false));
    releasing(&margin(&scene, ["a", "b"], ""), &scene.path("one"), by_ann()).unwrap();
    let data = fs::read_to_string(scene.path("data.csv")).unwrap().replace("0,0,1,4", "0,0,1,5");
    fs::write(scene.path("data.csv"), data).unwrap();
    // Nobody can tell other rows of one dataset from the same rows written anew: somebody must say
    // so.
    let second = margin(&scene, ["b", "c"], "");
    let problem = releasing(&second, &scene.path("two"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("nothing shows that its data were these, or others"), "{problem}");
    let released = releasing(&second, &scene.path("two"), overriding("disclosure", "the data of June")).unwrap();
    let together = released.certificate.ledger.unwrap().together.unwrap();
    assert_eq!((together.releases, together.cells, together.disclosed_cells), (0, Some(8), Some(0)));
    assert!(together.left_out[0].contains("nothing shows that its data were these"), "{together:?}");
}

#[test]
fn sensitive_cells_are_guarded_against_all_releases_together() {
    let scene = cube();
    drop(scene.open("1", false));
    let guarded = "[disclosure]\nsensitive = [\"a = '1' and b = '1' and c = '1'\"]\n";
    releasing(&margin(&scene, ["a", "b"], guarded), &scene.path("one"), by_ann()).unwrap();
    releasing(&margin(&scene, ["b", "c"], guarded), &scene.path("two"), by_ann()).unwrap();
    let third = margin(&scene, ["c", "a"], guarded);
    let problem = releasing(&third, &scene.path("three"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("together with those of 2 earlier releases"), "{problem}");
    assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("--override disclosure")), "{problem}");
    assert_eq!(scene.paid(), 2, "nothing is spent");
    // Overridden: an entry of the ledger, and named on the certificate, which holds.
    let reason = "the cell is published by the ministry";
    let released = releasing(&third, &scene.path("three"), overriding("disclosure", reason)).unwrap();
    let paid = released.certificate.ledger.unwrap();
    assert_eq!((paid.overrides.len(), paid.overrides[0].reason.as_str()), (1, reason));
    verify(&scene.path("three"), &VerifyOptions::default()).unwrap();
    assert!(fs::read_to_string(scene.path("three").join("report.html")).unwrap().contains(reason));
    // It was for one release: what exists is handed back, also with another statement, and a new
    // draw needs another one.
    let again = margin(&scene, ["c", "a"], &format!("chosen = \"by the board\"\n{guarded}"));
    assert!(releasing(&again, &scene.path("four"), by_ann()).unwrap().handed_back.is_some());
    let mut anew = by_ann();
    anew.paying.again = true;
    assert!(releasing(&again, &scene.path("five"), anew).is_err());
    assert_eq!(scene.paid(), 3);
}

#[test]
fn an_override_that_nothing_asks_for_is_not_entered() {
    let scene = cube();
    drop(scene.open("1", false));
    let spec = margin(&scene, ["a", "b"], "");
    let released = releasing(&spec, &scene.path("one"), overriding("disclosure", "to be safe")).unwrap();
    assert!(released.certificate.ledger.unwrap().overrides.is_empty());
}

#[test]
fn a_release_that_pins_a_sensitive_cell_alone_is_refused() {
    let scene = cube();
    drop(scene.open("1", false));
    let all = "[[invariant]]\nby = [\"b\", \"c\"]\n[[invariant]]\nby = [\"a\", \"c\"]\n[disclosure]\nsensitive = [\"a = '0'\"]\n";
    let spec = margin(&scene, ["a", "b"], all);
    let problem = releasing(&spec, &scene.path("one"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
    assert_eq!(scene.paid(), 0);
    assert!(!scene.path("one").exists());
}

//! Releases that disclose nothing alone, and cells together.

use crate::scene::{EACH, Scene, by_ann, overriding, releasing, sqlite};
use congenial::{Kind, verify};
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
    let three = release(["c", "a"]).unwrap();
    assert_eq!((three.releases, three.cells, three.disclosed_cells), (2, Some(8), Some(8)));
    assert!(three.left_out.is_empty(), "{three:?}");
}

#[test]
fn data_that_changed_are_said_not_to_be_known_together() {
    let scene = cube();
    drop(scene.open("1", false));
    releasing(&margin(&scene, ["a", "b"], ""), &scene.path("one"), by_ann()).unwrap();
    let data = fs::read_to_string(scene.path("data.csv")).unwrap().replace("0,0,1,4", "0,0,1,5");
    fs::write(scene.path("data.csv"), data).unwrap();
    let released = releasing(&margin(&scene, ["b", "c"], ""), &scene.path("two"), by_ann()).unwrap();
    let together = released.certificate.ledger.unwrap().together.unwrap();
    assert_eq!((together.releases, together.cells), (0, None));
    assert!(together.left_out[0].contains("the data have changed"), "{together:?}");
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
    verify(&scene.path("three")).unwrap();
    assert!(fs::read_to_string(scene.path("three").join("report.html")).unwrap().contains(reason));
    // It was for one release.
    let again = margin(&scene, ["c", "a"], &format!("chosen = \"by the board\"\n{guarded}"));
    assert!(releasing(&again, &scene.path("four"), by_ann()).is_err());
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

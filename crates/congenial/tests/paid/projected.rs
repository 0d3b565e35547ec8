//! Projections that end without a table: tried on a stand-in before they are paid for, and kept as
//! measurements if not.

use crate::scene::{EACH, Scene, at, by_ann, releasing_with, sqlite};
use congenial::ledgers::Address;
use congenial::{Finishing, KeptState, Kind, VerifyOptions, finish_release, recoverable, release_measurements, verify};
use std::fs;
use std::path::PathBuf;

/// A cube of sides and its spec: three two-way margins are kept.
fn cube(scene: &Scene, sides: [usize; 3], mechanism: &str) -> PathBuf {
    let mut data = "a,b,c,n\n".to_string();
    let mut state = 7u64;
    for cell in 0..sides.iter().product::<usize>() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (a, b, c) = (cell / (sides[1] * sides[2]), cell / sides[2] % sides[1], cell % sides[2]);
        data += &format!("{a},{b},{c},{}\n", (state >> 33) % 5);
    }
    fs::write(scene.path("data.csv"), data).unwrap();
    let values = |side: usize| (0..side).map(|value| format!("\"{value}\"")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "title = \"a cube\"\n[data]\npath = \"data.csv\"\ncount = \"n\"\n\
         [dimensions]\na = [{}]\nb = [{}]\nc = [{}]\n\
         [[invariant]]\nby = [\"a\", \"b\"]\n[[invariant]]\nby = [\"b\", \"c\"]\n[[invariant]]\nby = [\"a\", \"c\"]\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{EACH}\"\nper = \"unit\"\n{mechanism}\n\
         [budget]\ndataset = \"children\"\nledger = \"{}\"\n",
        values(sides[0]),
        values(sides[1]),
        values(sides[2]),
        scene.address
    );
    let path = scene.path("cube.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn measurements_that_no_projection_took_are_kept_projected_later_or_published() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = cube(&scene, [2, 3, 2], "method = \"project\"\nsampler = \"project-nonnegative\"");
    let steps = at("release: kept", || panic!("the projection stops"));
    let problem = releasing_with(&spec, &scene.path("out"), by_ann(), steps).unwrap_err();
    assert!(problem.hint.unwrap().contains("what was drawn is kept in"));
    assert_eq!(scene.paid(), 1);
    let address = Address::parse(&scene.with_password).unwrap();
    let found = recoverable(&address, None).unwrap();
    assert!(matches!(found[0].state, KeptState::Drawn(_)), "{found:?}");
    let entry = found[0].unfinished.number;
    // As measurements: every cell once, each with its noise.
    let published = release_measurements(&address, entry, &scene.path("measurements"), None, "bea").unwrap();
    assert_eq!(published.count, 12);
    let text = fs::read_to_string(scene.path("measurements").join("measurements.csv")).unwrap();
    assert_eq!(text.lines().count(), 13, "{text}");
    let page = fs::read_to_string(scene.path("measurements").join("MEASUREMENTS-README.txt")).unwrap();
    assert!(page.contains(&format!("entry {entry} of the ledger")), "{page}");
    // As a table: with another limit, and without the data.
    fs::remove_file(scene.path("data.csv")).unwrap();
    let finishing = |cases| Finishing { options: by_ann(), cases, from: None };
    let released = finish_release(&address, entry, &scene.path("out"), &finishing(Some(1_000_000)), "bea").unwrap();
    verify(&released.folder, &VerifyOptions::default()).unwrap();
    assert_eq!((scene.paid(), scene.status().unfinished), (1, 0));
}

#[test]
fn a_projection_that_does_not_end_is_refused_before_it_is_paid_for() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = cube(&scene, [3, 16, 12], "method = \"topdown\"");
    let problem = crate::scene::releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
    assert_eq!((problem.kind, scene.paid()), (Kind::Refused, 0), "{problem}");
    assert!(problem.message.contains("on a public stand-in"), "{problem}");
    // The stand-in is made of exact totals that nothing paid for: that it is refused is an answer.
    assert_eq!(scene.status().answers, 1);
}

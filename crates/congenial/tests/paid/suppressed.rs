//! Totals that are published alone cost nothing, whatever the budget is in, and still count in what
//! all releases disclose.

use crate::scene::{by_ann, overriding, releasing, sqlite};
use crate::together::{cube, margin};
use congenial::ledgers::{Address, Amount, Charge, Ledger, NewDataset, Unit};
use congenial::{Kind, VerifyOptions, verify};
use std::fs;
use std::path::{Path, PathBuf};

/// The spec, suppressed.
fn suppressed(spec: &Path) -> PathBuf {
    let text = fs::read_to_string(spec).unwrap();
    let (before, after) = text.split_once("[mechanism]").unwrap();
    let rest = &after[after.find("\n[").unwrap()..];
    let path = spec.with_extension("suppressed.toml");
    fs::write(&path, format!("{before}[mechanism]\nmethod = \"suppress\"{rest}")).unwrap();
    path
}

#[test]
fn suppression_costs_nothing_and_is_handed_back() {
    let scene = sqlite();
    drop(scene.open("1/100", false));
    let spec = suppressed(&scene.spec("a"));
    let released = releasing(&spec, &scene.path("one"), by_ann()).unwrap();
    assert_eq!(released.certificate.choice, "there is no strength to choose: nothing is drawn");
    let paid = released.certificate.ledger.unwrap();
    assert_eq!(paid.charged, "ε = 0 per unit of ℓ₁ distance");
    assert_eq!(scene.paid(), 0);
    verify(&scene.path("one"), &VerifyOptions::default()).unwrap();
    let again = releasing(&spec, &scene.path("two"), by_ann()).unwrap();
    assert!(again.handed_back.is_some());
    // Other data under the same spec are told apart, although nothing of them would be drawn.
    let data = fs::read_to_string(scene.path("data.csv")).unwrap().replace("Alpha,Low,15", "Alpha,Low,16");
    fs::write(scene.path("data.csv"), data).unwrap();
    assert_eq!(releasing(&spec, &scene.path("three"), by_ann()).unwrap_err().kind, Kind::Refused);
    // A budget that is spent to the end still pays nothing.
    let corrected = || overriding("disclosure", "one count was corrected");
    releasing(&scene.spec("b"), &scene.path("drawn"), corrected()).unwrap();
    assert_eq!(scene.paid(), 1);
    releasing(&suppressed(&scene.spec("c")), &scene.path("four"), corrected()).unwrap();
    assert_eq!(scene.paid(), 1);
}

#[test]
fn every_kind_of_budget_pays_nothing() {
    let zero = || "1/8".parse().unwrap();
    for amount in [
        Amount::Pure { epsilon: zero() },
        Amount::ZeroConcentrated { rho: zero() },
        Amount::Approximate { epsilon: zero(), delta: "1/1000".parse().unwrap() },
    ] {
        for per in [Unit::Record, Unit::L1, Unit::L2] {
            let scene = sqlite();
            let mut ledger = Ledger::create(&Address::parse(&scene.address).unwrap(), "ann").unwrap();
            let budget = Charge { amount: amount.clone(), per: per.clone() };
            let name = "children".to_string();
            ledger
                .open_dataset(&NewDataset { name, budget, approval: false, partition: None, by: "ann".into() })
                .unwrap();
            let released = releasing(&suppressed(&scene.spec("a")), &scene.path("one"), by_ann()).unwrap();
            assert_eq!(released.certificate.ledger.unwrap().charged, format!("ε = 0 per {per}"));
            let status = scene.status();
            assert_eq!(status.left.to_string(), status.budget.amount.to_string());
        }
    }
}

#[test]
fn its_totals_count_in_what_all_releases_disclose_together() {
    let scene = cube();
    drop(scene.open("1", false));
    let guarded = "[disclosure]\nsensitive = [\"a = '1' and b = '1' and c = '1'\"]\n";
    releasing(&suppressed(&margin(&scene, ["a", "b"], guarded)), &scene.path("one"), by_ann()).unwrap();
    releasing(&margin(&scene, ["b", "c"], guarded), &scene.path("two"), by_ann()).unwrap();
    // Whether the third draws or not: with the two margins before it, its own gives every cell.
    let third = margin(&scene, ["c", "a"], guarded);
    for spec in [suppressed(&third), third] {
        let problem = releasing(&spec, &scene.path("three"), by_ann()).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused);
        assert!(problem.message.contains("together with those of 2 earlier releases"), "{problem}");
    }
    let open = suppressed(&margin(&scene, ["c", "a"], ""));
    let together = releasing(&open, &scene.path("four"), overriding("disclosure", "all is known"))
        .unwrap()
        .certificate
        .ledger
        .unwrap()
        .together
        .unwrap();
    assert_eq!((together.releases, together.cells, together.disclosed_cells), (2, Some(8), Some(8)));
}

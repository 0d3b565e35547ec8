//! What a ledger answers to a release: paid, handed back, refused, approved; and what the
//! certificate then says.

use crate::scene::{Scene, by_ann, overriding, releasing, sqlite};
use congenial::ledgers::{Amount, Event};
use congenial::{Kind, Quiet, VerifyOptions, ask, simulate, verify};
use pay::public_counts;
use std::fs;

#[test]
fn a_release_is_paid_for_and_the_certificate_says_so() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let out = scene.path("out");
    let chosen = "chosen = \"by the board, before the data were collected\"\n";
    let released = releasing(&scene.spec_with("a", chosen), &out, by_ann()).unwrap();
    let paid = released.certificate.ledger.unwrap();
    assert_eq!((paid.dataset.as_str(), paid.approval, paid.overrides.len()), ("children", None, 0));
    assert_eq!(paid.charged, "ε = 1/2000 per unit of ℓ₁ distance");
    assert_eq!(paid.budget, "ε = 1 per unit of ℓ₁ distance");
    assert_eq!(paid.spent, paid.charged);
    assert!(released.certificate.choice.ends_with("The curator states: by the board, before the data were collected"));
    verify(&out, &VerifyOptions::default()).unwrap();
    // All releases of the dataset together.
    let second = releasing(&scene.spec("b"), &scene.path("out b"), by_ann()).unwrap().certificate;
    assert_eq!(second.ledger.unwrap().spent, "ε = 1/1000 per unit of ℓ₁ distance");
    assert!(second.choice.contains("does not state how it was chosen"), "{}", second.choice);
    assert_eq!(scene.paid(), 2);
    // Nothing of the table is in the ledger but under its key: neither counts nor a plain hash of
    // them.
    let data = fs::read(scene.path("data.csv")).unwrap();
    let hash = certify::sha256(&data);
    for entry in scene.ledger().history(None).unwrap() {
        assert!(!format!("{entry:?}").contains(&hash));
    }
    for file in ["certificate.json", "report.html", "DATA-README.txt"] {
        assert!(!fs::read_to_string(out.join(file)).unwrap().contains(&hash), "{file}");
    }
}

#[test]
fn a_completed_release_is_handed_back_and_never_drawn_again() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = scene.spec("a");
    releasing(&spec, &scene.path("one"), by_ann()).unwrap();
    let again = releasing(&spec, &scene.path("two"), by_ann()).unwrap();
    let earlier = again.handed_back.unwrap();
    assert!(earlier.folder.ends_with("one"), "{earlier:?}");
    for file in ["table.csv", "certificate.json", "report.html"] {
        assert_eq!(fs::read(scene.path("one").join(file)).unwrap(), fs::read(scene.path("two").join(file)).unwrap());
    }
    assert_eq!(scene.paid(), 1);
    // A new draw is wanted, and pays.
    let mut options = by_ann();
    options.paying.again = true;
    let third = releasing(&spec, &scene.path("three"), options).unwrap();
    assert!(third.handed_back.is_none());
    assert_eq!(scene.paid(), 2);
    // The latest is handed back; where it is gone, nothing is drawn.
    fs::rename(scene.path("three"), scene.path("moved")).unwrap();
    let problem = releasing(&spec, &scene.path("four"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("is not there any more"), "{problem}");
    assert!(!scene.path("four").exists());
    fs::rename(scene.path("moved"), scene.path("three")).unwrap();
    // The same spec of other data is not the same release.
    let data = fs::read_to_string(scene.path("data.csv")).unwrap();
    fs::write(scene.path("data.csv"), data.replace("Alpha,Low,15", "Alpha,Low,16")).unwrap();
    let problem = releasing(&spec, &scene.path("five"), by_ann()).unwrap_err();
    assert!(problem.message.contains("from other data than these"), "{problem}");
    assert_eq!(scene.paid(), 2);
}

/// A scene whose data were released once.
fn released() -> Scene {
    let scene = sqlite();
    drop(scene.open("1", false));
    releasing(&scene.spec("a"), &scene.path("one"), by_ann()).unwrap();
    scene
}

/// The text of a spec of the same data that says they are public, and names no ledger.
fn declared_public(scene: &Scene) -> String {
    let text = fs::read_to_string(scene.spec("public")).unwrap();
    let (text, _) = text.split_once("[budget]").unwrap();
    text.replace("count =", "public = true\ncount =")
}

#[test]
fn the_same_data_under_another_name_or_declared_public_are_refused() {
    let scene = released();
    // Another dataset.
    let mut ledger = scene.ledger();
    let budget = ledger.status().unwrap().datasets[0].budget.clone();
    let other = congenial::ledgers::NewDataset {
        name: "other".into(),
        budget,
        approval: false,
        partition: None,
        by: "ann".into(),
    };
    ledger.open_dataset(&other).unwrap();
    drop(ledger);
    let spec = scene.spec("b");
    let text = fs::read_to_string(&spec).unwrap().replace("dataset = \"children\"", "dataset = \"other\"");
    fs::write(&spec, &text).unwrap();
    let problem = releasing(&spec, &scene.path("b"), by_ann()).unwrap_err();
    assert!(problem.message.contains("are those of dataset `children`"), "{problem}");
    // Other bytes with the same counts, in another order and another format.
    let tsv = "education\tcounty\tchildren\nHigh\tGamma\t24\nLow\tAlpha\t15\nHigh\tAlpha\t4\nLow\tBeta\t17\nHigh\tBeta\t38\nLow\tGamma\t1\n";
    fs::write(scene.path("copy.tsv"), tsv).unwrap();
    fs::write(&spec, text.replace("data.csv", "copy.tsv")).unwrap();
    let problem = releasing(&spec, &scene.path("b"), by_ann()).unwrap_err();
    assert!(problem.message.contains("are those of dataset `children`"), "{problem}");
    // Declared public: with the ledger still in the spec …
    let public = scene.path("public.toml");
    let declared = declared_public(&scene);
    let budget = format!("[budget]\ndataset = \"children\"\nledger = \"{}\"\n", scene.address);
    for (text, why) in
        [(declared.clone() + &budget, "in the spec"), (declared.replace("data.csv", "copy.tsv"), "beside it")]
    {
        if why == "beside it" {
            // … or with the usual name beside it.
            for end in ["", ".head"] {
                fs::rename(scene.path(&format!("books.db{end}")), scene.path(&format!("ledger.db{end}"))).unwrap();
            }
        }
        fs::write(&public, text).unwrap();
        let problem = releasing(&public, &scene.path("c"), by_ann()).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{why}");
        assert!(problem.message.contains("confidential dataset `children`"), "{why}: {problem}");
        let problem = simulate(&public, 2, Some(1), &scene.path("draws.csv"), &Quiet).unwrap_err();
        assert!(problem.message.contains("confidential dataset `children`"), "{why}: {problem}");
        let problem = public_counts(&public, None).unwrap_err();
        assert!(problem.message.contains("confidential dataset `children`"), "{why}: {problem}");
    }
    // Other counts are other data.
    let other = tsv.replace("Gamma\t24", "Gamma\t25");
    fs::write(scene.path("copy.tsv"), other).unwrap();
    releasing(&public, &scene.path("c"), by_ann()).unwrap();
}

/// Through a link from another folder the data are those that the ledger beside them knows.
#[cfg(unix)]
#[test]
fn linked_data_are_not_public_because_their_folder_is_another() {
    let scene = released();
    for end in ["", ".head"] {
        fs::rename(scene.path(&format!("books.db{end}")), scene.path(&format!("ledger.db{end}"))).unwrap();
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let public = elsewhere.path().join("public.toml");
    let refused = |link: &str, said: &str| {
        fs::write(&public, declared_public(&scene).replace("data.csv", link)).unwrap();
        let problem = releasing(&public, &elsewhere.path().join("out"), by_ann()).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{problem}");
        assert!(problem.message.contains(said), "{link}: {problem}");
        assert!(!elsewhere.path().join("out").exists());
    };
    std::os::unix::fs::symlink(scene.path("data.csv"), elsewhere.path().join("link.csv")).unwrap();
    std::os::unix::fs::symlink("link.csv", elsewhere.path().join("again.csv")).unwrap();
    std::os::unix::fs::symlink(scene.path(""), elsewhere.path().join("folder")).unwrap();
    for link in ["link.csv", "again.csv", "folder/data.csv", "l*.csv"] {
        refused(link, "confidential dataset `children`");
    }
    fs::hard_link(scene.path("data.csv"), elsewhere.path().join("name.csv")).unwrap();
    refused("name.csv", "has 2 names (hard links)");
}

#[test]
fn another_ledger_gives_the_same_data_no_second_budget() {
    let scene = released();
    // A fresh ledger in the same folder, while the first lies beside the data under the usual name.
    for end in ["", ".head"] {
        fs::rename(scene.path(&format!("books.db{end}")), scene.path(&format!("ledger.db{end}"))).unwrap();
    }
    drop(scene.open("1", false));
    let problem = releasing(&scene.spec("b"), &scene.path("b"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("they would get a second budget"), "{problem}");
    assert_eq!(scene.paid(), 0);
}

#[test]
fn one_changed_file_of_several_is_other_data() {
    let scene = sqlite();
    drop(scene.open("1", false));
    fs::create_dir(scene.path("parts")).unwrap();
    let part = |county: &str, low: u32| format!("county,education,children\n{county},Low,{low}\n{county},High,9\n");
    fs::write(scene.path("parts/a.csv"), part("Alpha", 5)).unwrap();
    fs::write(scene.path("parts/b.csv"), part("Beta", 7)).unwrap();
    let spec = scene.spec("a");
    let text = fs::read_to_string(&spec).unwrap().replace("data.csv", "parts/*.csv");
    fs::write(&spec, text).unwrap();
    releasing(&spec, &scene.path("one"), by_ann()).unwrap();
    fs::write(scene.path("parts/b.csv"), part("Beta", 8)).unwrap();
    let problem = releasing(&spec, &scene.path("two"), by_ann()).unwrap_err();
    assert!(problem.message.contains("from other data than these"), "{problem}");
}

#[test]
fn a_folder_whose_name_the_ledger_would_not_take_costs_nothing() {
    let scene = sqlite();
    drop(scene.open("1", false));
    for name in ["out ", "o\nut"] {
        assert!(releasing(&scene.spec("a"), &scene.path(name), by_ann()).is_err());
    }
    assert_eq!(scene.paid(), 0);
}

#[test]
fn confidential_data_are_not_simulated_or_drawn_again() {
    let scene = released();
    let spec = scene.spec("a");
    for problem in [
        simulate(&spec, 2, Some(1), &scene.path("draws.csv"), &Quiet).unwrap_err(),
        public_counts(&spec, None).unwrap_err(),
    ] {
        assert_eq!(problem.kind, Kind::Refused, "{problem}");
    }
    assert_eq!(scene.paid(), 1);
}

#[test]
fn a_second_person_approves_where_the_dataset_demands_it() {
    let scene = sqlite();
    let mut ledger = scene.open("1", true);
    let spec = scene.spec("a");
    let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
    assert!(problem.message.contains("nobody has approved this release"), "{problem}");
    let asked = ask(&spec, &by_ann().paying, &Quiet).unwrap();
    assert_eq!(asked.loss.to_string(), "ε = 1/2000 per unit of ℓ₁ distance");
    assert!(ledger.approve(asked.entry, "Ann").unwrap_err().message.contains("somebody else"));
    assert_eq!(scene.paid(), 0);
    let approval = ledger.approve(asked.entry, "bea").unwrap();
    let paid = releasing(&spec, &scene.path("out"), by_ann()).unwrap().certificate.ledger.unwrap();
    assert_eq!(paid.approval, Some(approval));
    // One approval, one draw.
    let mut options = by_ann();
    options.paying.again = true;
    let problem = releasing(&spec, &scene.path("again"), options).unwrap_err();
    assert!(problem.message.contains("nobody has approved"), "{problem}");
    assert_eq!(scene.paid(), 1);
}

#[test]
fn nothing_is_released_beyond_the_budget_or_without_a_name() {
    let scene = sqlite();
    let problem = releasing(&scene.spec("a"), &scene.path("out"), by_ann()).unwrap_err();
    assert!(problem.message.starts_with("there is no ledger"), "{problem}");
    let mut ledger = scene.open("3/4000", false);
    let mut nobody = by_ann();
    nobody.paying.by = None;
    let problem = releasing(&scene.spec("a"), &scene.path("out"), nobody).unwrap_err();
    assert!(problem.message.contains("nobody is named"), "{problem}");
    let problem = releasing(&scene.spec("a"), &scene.path("out"), overriding("gravity", "we can")).unwrap_err();
    assert!(problem.message.contains("no safeguard `gravity`"), "{problem}");
    releasing(&scene.spec("a"), &scene.path("out"), by_ann()).unwrap();
    let problem = releasing(&scene.spec("b"), &scene.path("b"), by_ann()).unwrap_err();
    assert!(problem.message.contains("does not pay for this release"), "{problem}");
    assert_eq!(problem.kind, Kind::Refused);
    assert!(!scene.path("b").exists());
    let history = ledger.history(None).unwrap();
    assert_eq!(history.iter().filter(|entry| matches!(entry.event, Event::Reserved { .. })).count(), 1);
    let Amount::Pure { epsilon } = scene.status().left else { panic!("pure") };
    assert_eq!(epsilon, "1/4000".parse().unwrap());
}

#[test]
fn a_small_table_under_other_labels_gets_no_second_budget() {
    let scene = released();
    let mut ledger = scene.ledger();
    let budget = ledger.status().unwrap().datasets[0].budget.clone();
    for name in ["other", "Children", "childr\u{435}n"] {
        let (name, budget) = (name.to_string(), budget.clone());
        let new = congenial::ledgers::NewDataset { name, budget, approval: false, partition: None, by: "ann".into() };
        let opened = ledger.open_dataset(&new);
        assert_eq!(opened.is_ok(), new.name == "other", "{opened:?}");
    }
    drop(ledger);
    // The same counts; every label and the order are others.
    let labels = [("Alpha", "1"), ("Beta", "2"), ("Gamma", "3"), ("Low", "no"), ("High", "yes")];
    let relabelled = |text: &str| labels.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to));
    let data = fs::read_to_string(scene.path("data.csv")).unwrap();
    fs::write(scene.path("other.csv"), relabelled(&data)).unwrap();
    let spec = scene.spec("b");
    let text = fs::read_to_string(&spec).unwrap().replace("dataset = \"children\"", "dataset = \"other\"");
    fs::write(&spec, relabelled(&text).replace("data.csv", "other.csv")).unwrap();
    let problem = releasing(&spec, &scene.path("b"), by_ann()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("too few to be told apart"), "{problem}");
    assert!(!scene.path("b").exists());
    let answers = |scene: &Scene| scene.ledger().dataset("children").unwrap().unwrap().answers;
    assert_eq!(answers(&scene), 1, "that was an answer");
    // Somebody vouches for them by name, and the certificate says so.
    let named = overriding("recognition", "another year, by chance the same");
    let paid = releasing(&spec, &scene.path("b"), named).unwrap().certificate.ledger.unwrap();
    assert_eq!((paid.overrides[0].safeguard.as_str(), paid.overrides.len()), ("recognition", 1));
    // Where it does not stand in the way it is not overridden.
    let named = overriding("recognition", "to be sure");
    let paid = releasing(&scene.spec("c"), &scene.path("c"), named).unwrap().certificate.ledger.unwrap();
    assert!(paid.overrides.is_empty());
}

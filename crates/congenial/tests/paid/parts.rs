//! Parts of a dataset are believed as far as their rows show it.

use crate::scene::{EACH, Scene, by_ann, overriding, releasing, sqlite};
use congenial::ledgers::{Address, Amount, Charge, Ledger, NewDataset, Unit};
use congenial::{Kind, Problem, Released};
use std::fs;

/// A ledger with the dataset `children` in parts by state.
fn by_state() -> Scene {
    let scene = sqlite();
    let mut ledger = Ledger::create(&Address::parse(&scene.address).unwrap(), "ann").unwrap();
    let budget = Charge { amount: Amount::Pure { epsilon: EACH.parse().unwrap() }, per: Unit::L1 };
    let (name, partition) = ("children".to_string(), Some("state".to_string()));
    ledger.open_dataset(&NewDataset { name, budget, approval: false, partition, by: "ann".into() }).unwrap();
    scene
}

fn rows(state: &str, changed: usize) -> String {
    let mut text = String::new();
    for (row, county) in ["a", "b", "c"].iter().enumerate() {
        for (column, level) in ["Low", "Medium", "High"].iter().enumerate() {
            let cell = 3 * row + column;
            let count = 11 + 17 * cell + cell * cell + usize::from(cell < changed);
            text += &format!("{state},{county},{level},{count}\n");
        }
    }
    text
}

fn release(scene: &Scene, file: &str, state: &str, overridden: bool) -> Result<Released, Problem> {
    let text = format!(
        "title = \"{state}\"\n[data]\npath = \"{file}\"\ncount = \"n\"\nwhere = \"state = '{state}'\"\n\
         [dimensions]\ncounty = [\"a\", \"b\", \"c\"]\neducation = [\"Low\", \"Medium\", \"High\"]\n\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{EACH}\"\nper = \"unit\"\n\
         [budget]\ndataset = \"children\"\nledger = \"{}\"\n",
        scene.address
    );
    let spec = scene.path(&format!("{state}.toml"));
    fs::write(&spec, text).unwrap();
    let options = if overridden { overriding("partition", "they are other people") } else { by_ann() };
    releasing(&spec, &scene.path(&format!("out {state}")), options)
}

const HEADER: &str = "state,county,education,n\n";

#[test]
fn the_same_rows_under_another_label_are_refused() {
    type Write<'a> = &'a dyn Fn(&str) -> String;
    let reversed = |label: &str| {
        let text = rows(label, 0);
        let lines: Vec<&str> = text.lines().rev().collect();
        format!("{HEADER}{}\n", lines.join("\n"))
    };
    let ways: [(&str, Write); 4] = [
        ("relabelled", &|label| format!("{HEADER}{}", rows(label, 0))),
        ("in another order", &reversed),
        ("with one count changed", &|label| format!("{HEADER}{}", rows(label, 1))),
        ("with others beside them", &|label| format!("{HEADER}{}Z,a,Low,5\n", rows(label, 0))),
    ];
    for (way, write) in ways {
        let scene = by_state();
        fs::write(scene.path("A.csv"), format!("{HEADER}{}", rows("A", 0))).unwrap();
        release(&scene, "A.csv", "A", false).unwrap();
        for label in ["B", "C"] {
            let file = format!("{label}.csv");
            fs::write(scene.path(&file), write(label)).unwrap();
            let problem = release(&scene, &file, label, false).expect_err(way);
            assert_eq!(problem.kind, Kind::Refused, "{way}: {problem}");
            assert!(problem.message.contains("not shown to be others than those of part `A`"), "{way}: {problem}");
        }
        assert_eq!(scene.paid(), 1, "{way}");
        let named = release(&scene, "B.csv", "B", true).unwrap().certificate.ledger.unwrap().overrides;
        assert_eq!((named.len(), named[0].safeguard.as_str()), (1, "partition"));
    }
}

#[test]
fn parts_of_one_file_and_other_rows_in_other_files_count_by_the_largest() {
    let scene = by_state();
    let other = "C,a,Low,400\nC,a,Medium,211\nC,a,High,37\nC,b,Low,90\nC,b,Medium,1\nC,c,High,77\n";
    // The rows of A and B are the same, and yet others: one file holds both.
    fs::write(scene.path("all.csv"), format!("{HEADER}{}{}", rows("A", 0), rows("B", 0))).unwrap();
    fs::write(scene.path("C.csv"), format!("{HEADER}{other}")).unwrap();
    release(&scene, "all.csv", "A", false).unwrap();
    release(&scene, "all.csv", "B", false).unwrap();
    release(&scene, "C.csv", "C", false).unwrap();
    assert_eq!(scene.paid(), 1, "the largest part");
    // The bytes of one file read as another format may be other rows.
    fs::copy(scene.path("all.csv"), scene.path("all.tsv")).unwrap();
    assert!(release(&scene, "all.tsv", "D", false).is_err());
    // Too few counts to tell.
    fs::write(scene.path("E.csv"), format!("{HEADER}E,a,Low,3\n")).unwrap();
    let problem = release(&scene, "E.csv", "E", false).unwrap_err();
    assert!(problem.message.contains("too little is known of their rows"), "{problem}");
}

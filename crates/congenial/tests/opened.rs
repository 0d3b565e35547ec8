//! Opening a spec: totals pinned to an earlier release, and tables that break their own rules.

use congenial::{Changes, Format, Kind, Opened, Quiet, open_release, present_as, release};
use std::fs;
use std::path::{Path, PathBuf};

/// A spec of four cells with this invariant and these constraints.
fn spec(folder: &Path, invariant: &str, constraints: &str) -> PathBuf {
    fs::write(folder.join("x.csv"), "row,column,n\na,1,5\na,2,7\nb,1,11\nb,2,0\n").unwrap();
    let text = format!(
        "[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
         [dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n[[invariant]]\n{invariant}\n\
         [constraints]\n{constraints}\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\n"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn totals_come_from_the_table_of_an_earlier_release() {
    for format in [Format::CSV, Format::PARQUET] {
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("before");
        let exact = spec(work.path(), "by = [\"row\"]", "nonnegative = false");
        release(&exact, &folder, format, &Quiet).unwrap();
        let later = spec(work.path(), "by = [\"row\"]\nfrom = \"before\"", "nonnegative = false");
        assert_eq!(Opened::open(&later).unwrap().conditions.pinned, [Some(vec![12, 11])]);
        let table = folder.join(format!("table.{}", format.extension()));
        let mut bytes = fs::read(&table).unwrap();
        bytes.push(b'\n');
        fs::write(&table, bytes).unwrap();
        let changed = Opened::open(&later).unwrap_err();
        assert!(changed.message.ends_with("is not the table that was certified: its hash differs"), "{changed}");
        assert!(changed.place.is_some(), "{changed}");
    }
}

#[test]
fn a_table_that_breaks_its_own_rule_is_named_by_the_rule() {
    let work = tempfile::tempdir().unwrap();
    let rule = "[[constraints.rule]]\nby = [\"row\"]\nleft = \"column = '1'\"\nop = \"<=\"\nright = \"column = '2'\"";
    let opened = Opened::open(&spec(work.path(), "by = []", rule)).unwrap();
    let problem = opened.analyse(&Quiet).unwrap_err();
    assert_eq!(problem.kind, Kind::Bad);
    assert_eq!(problem.message, "the data break the rule `sum(column = '1') <= sum(column = '2') by row`");
    let kept = rule.replace("column = '2'", "column in ('1', '2')");
    let opened = Opened::open(&spec(work.path(), "by = []", &kept)).unwrap();
    opened.analyse(&Quiet).unwrap();
}

/// Strong counts come out equal, and a second is long: two draws are two all the same, and copies
/// and other titles of one are one.
#[test]
fn two_draws_in_one_second_are_two() {
    let work = tempfile::tempdir().unwrap();
    let exact = spec(work.path(), "by = [\"row\"]", "nonnegative = false");
    let text = fs::read_to_string(&exact).unwrap().replace("\"1/2\"", "\"100\"");
    fs::write(&exact, text).unwrap();
    let folders = ["one", "two"].map(|name| work.path().join(name));
    let certificates =
        folders.each_ref().map(|folder| release(&exact, folder, Format::CSV, &Quiet).unwrap().certificate);
    assert_eq!(certificates[0].table.sha256, certificates[1].table.sha256, "equal counts");
    let changes = Changes { title: Some("Another title".into()), ..Changes::default() };
    let retitled = work.path().join("retitled");
    present_as(&folders[0], &retitled, &changes, None).unwrap();
    let [one, two] = folders.each_ref().map(|folder| open_release(folder).unwrap());
    let retitled = open_release(&retitled).unwrap();
    assert!(!one.is_same_draw(&two) && one.is_same_draw(&retitled) && !two.is_same_draw(&retitled));
    // An identity is part of what is verified.
    let path = folders[0].join("certificate.json");
    let draw = certificates[0].draw.clone().unwrap();
    let forged = fs::read_to_string(&path).unwrap().replace(&draw, &"G".repeat(32));
    fs::write(&path, forged).unwrap();
    assert!(open_release(&folders[0]).is_err());
}

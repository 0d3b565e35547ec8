//! No refusal tells for nothing what the table is like: declarations are trusted, and what is
//! answered is counted.

use crate::scene::{Scene, by_ann, overriding, releasing, spec_text, sqlite};
use congenial::ledgers::MOST_ANSWERS;
use congenial::{Kind, Problem, Quiet, confirm};
use std::fs;
use std::path::PathBuf;

/// A spec that declares something of the table: Alpha's low count is 15.
fn declaring(scene: &Scene, title: &str, data: &str, constraints: &str) -> PathBuf {
    let text = spec_text(title, &scene.address);
    let text = text.replace("count = \"children\"\n", &format!("count = \"children\"\n{data}"));
    let text = text.replace("nonnegative = false\n", &format!("nonnegative = true\n{constraints}"));
    let path = scene.path(&format!("{title}.toml"));
    fs::write(&path, text).unwrap();
    path
}

fn at_most(bound: i64) -> String {
    let left = "county = 'Alpha' and education = 'Low'";
    format!("[[constraints.rule]]\nby = []\nleft = \"{left}\"\nop = \"<=\"\nright = {bound}\n")
}

#[test]
fn a_rule_that_the_data_break_is_paid_for_like_one_that_they_keep() {
    let scene = sqlite();
    drop(scene.open("1", false));
    // A search for the count by halves, as it recovered nine digits from refusals.
    for (number, bound) in [32, 16, 8, 12, 14, 15].into_iter().enumerate() {
        let spec = declaring(&scene, &format!("rule {bound}"), "", &at_most(bound));
        let released = releasing(&spec, &scene.path(&format!("out {bound}")), by_ann());
        released.unwrap_or_else(|problem| panic!("{bound}: {problem}"));
        assert_eq!(scene.status().completed, number as u64 + 1, "every answer is paid for");
    }
    assert_eq!(scene.status().answers, 0);
    // An equality that the data break.
    let equal = at_most(3).replace("<=", "=");
    releasing(&declaring(&scene, "equal", "", &equal), &scene.path("equal"), by_ann()).unwrap();
}

#[test]
fn rows_that_are_declared_not_to_exist_are_left_out_and_nobody_is_told() {
    let ways = [
        ("outside the domain", "Delta,Low,7\n", "", ""),
        ("without a value", ",Low,7\n", "", ""),
        ("without a count", "Alpha,Low,\n", "", ""),
        ("no number", "Alpha,Low,seven\n", "", ""),
        ("below zero", "Beta,Low,-7\n", "", ""),
        ("a second count", "Beta,Low,0\n", "", ""),
        ("too large", "Beta,Low,9007199254740993\n", "", ""),
        ("a filter that orders text", "Delta,x,7\n", "where = \"education in ('Low', 'High') or county > 3\"\n", ""),
        ("a structural zero", "", "", "zero = [\"county = 'Gamma' and education = 'Low'\"]\n"),
    ];
    for (way, row, data, constraints) in ways {
        let scene = sqlite();
        drop(scene.open("1", false));
        let text = fs::read_to_string(scene.path("data.csv")).unwrap();
        fs::write(scene.path("data.csv"), format!("{text}{row}")).unwrap();
        let spec = declaring(&scene, "a", data, constraints);
        let released = releasing(&spec, &scene.path("out"), by_ann());
        let released = released.unwrap_or_else(|problem| panic!("{way}: {problem}"));
        assert!(released.left_out.is_empty(), "{way}");
        assert_eq!(scene.status().completed, 1);
        // The curator can be told, and that is entered.
        let problem = confirm(&spec, "ann", &Quiet, &mut |_, _| {}).expect_err(way);
        assert_eq!(problem.kind, Kind::Bad, "{way}: {problem}");
        assert_eq!(scene.status().answers, 1, "{way}");
    }
}

#[test]
fn a_unit_with_too_many_rows_gives_as_many_as_it_may() {
    let scene = sqlite();
    drop(scene.open("1", false));
    fs::write(scene.path("data.csv"), "county,education,person\nAlpha,Low,1\nAlpha,High,1\nBeta,Low,1\nBeta,High,2\n")
        .unwrap();
    let text =
        spec_text("a", &scene.address).replace("count = \"children\"\n", "unit = \"person\"\nrows_per_unit = 2\n");
    let text = text.replace("per = \"unit\"", "per = \"record\"");
    let spec = scene.path("a.toml");
    fs::write(&spec, text).unwrap();
    // The budget is per unit of distance, not per owner: what matters here is that reading does not
    // tell.
    let problem = releasing(&spec, &scene.path("out"), by_ann()).unwrap_err();
    assert!(!problem.message.contains("owns more"), "{problem}");
    assert!(confirm(&spec, "ann", &Quiet, &mut |_, _| {}).unwrap_err().message.contains("owns more than 2 rows"));
}

#[test]
fn what_is_answered_is_counted_once_and_limited() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let ask = |bound: i64| confirm(&declaring(&scene, "rule", "", &at_most(bound)), "ann", &Quiet, &mut |_, _| {});
    assert_eq!(ask(100).unwrap().left, Some(MOST_ANSWERS - 1));
    assert_eq!(ask(100).unwrap().left, Some(MOST_ANSWERS - 1), "the same question");
    for bound in 1..MOST_ANSWERS as i64 {
        assert_eq!(ask(bound).is_ok(), bound >= 15);
    }
    let exhausted = |problem: Problem| assert!(problem.message.contains("no other one is"), "{problem}");
    exhausted(ask(50).unwrap_err());
    assert!(ask(100).is_ok(), "what was answered stays answered");
    // A release could be refused, which is an answer too: the data are not read.
    fs::rename(scene.path("data.csv"), scene.path("away.csv")).unwrap();
    exhausted(releasing(&scene.spec("a"), &scene.path("a"), by_ann()).unwrap_err());
    fs::rename(scene.path("away.csv"), scene.path("data.csv")).unwrap();
    let released = releasing(&scene.spec("a"), &scene.path("a"), overriding("answers", "these were tests")).unwrap();
    assert_eq!(released.certificate.ledger.unwrap().overrides[0].safeguard, "answers");
    scene.ledger().verify_chain().unwrap();
}

#[test]
fn a_release_that_its_totals_forbid_is_an_answer() {
    let scene = sqlite();
    drop(scene.open("1", false));
    // Is Alpha's total at most so many? A release would be refused if so, and nothing paid.
    for width in [5, 500] {
        let guarded = format!("[disclosure]\nsensitive = [\"county = 'Alpha'\"]\nwithin = {width}\n");
        let spec = scene.path(&format!("within {width}.toml"));
        let text = spec_text(&format!("within {width}"), &scene.address);
        fs::write(&spec, text.replace("nonnegative = false", "nonnegative = true") + &guarded).unwrap();
        let released = releasing(&spec, &scene.path(&format!("out {width}")), by_ann());
        assert_eq!(released.is_ok(), width == 5, "{released:?}");
        assert_eq!(scene.status().answers, u64::from(width == 500));
        if width == 500 {
            assert!(releasing(&spec, &scene.path("again"), by_ann()).is_err());
            assert_eq!(scene.status().answers, 1, "the same question");
        }
    }
    // So is one that no table satisfies.
    let zero = "[[constraints.rule]]\nby = []\nleft = \"county = 'Alpha'\"\nop = \"<=\"\nright = 1\n";
    let problem = releasing(&declaring(&scene, "none", "", zero), &scene.path("none"), by_ann()).unwrap_err();
    assert_eq!((problem.kind, scene.status().answers), (Kind::Infeasible, 2));
}

#[test]
fn another_presentation_is_handed_back_when_nothing_more_is_answered_and_asks_nothing() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let spec = scene.spec("a");
    releasing(&spec, &scene.path("a"), by_ann()).unwrap();
    for bound in 0..MOST_ANSWERS as i64 {
        let _ = confirm(&declaring(&scene, "rule", "", &at_most(bound)), "ann", &Quiet, &mut |_, _| {});
    }
    assert_eq!(scene.status().answers, MOST_ANSWERS);
    let presented = scene.path("presented.toml");
    let text = fs::read_to_string(&spec).unwrap().replace("title = \"a\"", "title = \"Corrected\"");
    fs::write(&presented, &text).unwrap();
    let released = releasing(&presented, &scene.path("presented"), by_ann()).unwrap();
    assert!(released.handed_back.is_some_and(|back| back.presented));
    // Of other data it is a question like any other: whether their totals confine a cell would be
    // told for nothing.
    let data = fs::read_to_string(scene.path("data.csv")).unwrap();
    fs::write(scene.path("data.csv"), data.replace("Alpha,Low,15", "Alpha,Low,16")).unwrap();
    for width in [5, 500] {
        fs::write(&presented, format!("{text}[disclosure]\nsensitive = [\"county = 'Alpha'\"]\nwithin = {width}\n"))
            .unwrap();
        let problem = releasing(&presented, &scene.path(&format!("other {width}")), by_ann()).unwrap_err();
        assert!(problem.message.contains("no other one is"), "{width}: {problem}");
    }
    assert_eq!((scene.status().answers, scene.paid()), (MOST_ANSWERS, 1));
    fs::write(&presented, &text).unwrap();
    let mut overridden = overriding("answers", "the data were corrected");
    overridden.paying.overrides.extend(overriding("disclosure", "they are nearly the same").paying.overrides);
    let released = releasing(&presented, &scene.path("overridden"), overridden).unwrap();
    let named = released.certificate.ledger.unwrap().overrides;
    assert_eq!(named.iter().map(|named| named.safeguard.as_str()).collect::<Vec<_>>(), ["answers", "disclosure"]);
    assert_eq!(scene.paid(), 2);
}

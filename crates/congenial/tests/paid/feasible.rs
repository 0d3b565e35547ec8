//! What no table satisfies is found before anything is paid; what is hard to draw is tried before.

use crate::scene::{EACH, by_ann, overriding, releasing, spec_text, sqlite};
use congenial::Kind;
use std::fs;

/// A comparison of two sums.
fn rule(left: &str, op: &str, right: &str) -> String {
    format!("[[constraints.rule]]\nleft = \"{left}\"\nop = \"{op}\"\nright = {right}\n")
}

const LOW: &str = "county = 'Alpha' and education = 'Low'";
const HIGH: &str = "county = 'Alpha' and education = 'High'";

#[test]
fn rules_that_the_totals_make_impossible_are_not_paid_for() {
    let quoted = |predicate: &str| format!("\"{predicate}\"");
    // Alpha has 19 children: no two equal halves, by one rule or by two.
    let ways = [
        ("an equality", rule(LOW, "=", &quoted(HIGH))),
        ("two comparisons", rule(LOW, "<=", &quoted(HIGH)) + &rule(LOW, ">=", &quoted(HIGH))),
        ("more than there are", rule("education = 'Low'", ">=", "200")),
        ("a part that is more than the whole", rule(LOW, ">=", &quoted("county = 'Alpha'")) + &rule(HIGH, ">=", "1")),
    ];
    for (way, rules) in ways {
        let scene = sqlite();
        drop(scene.open("1", false));
        let text = spec_text("a", &scene.address).replace("nonnegative = false\n", "nonnegative = true\n");
        let text = text.replace("[mechanism]", &format!("{rules}[mechanism]"));
        let spec = scene.path("a.toml");
        fs::write(&spec, text).unwrap();
        let problem = releasing(&spec, &scene.path("out"), by_ann()).expect_err(way);
        assert_eq!((problem.kind, scene.paid()), (Kind::Infeasible, 0), "{way}: {problem}");
        assert!(!scene.path("out").exists(), "{way}");
        // No override makes a table.
        let problem = releasing(&spec, &scene.path("out"), overriding("stand-in", "we want it")).expect_err(way);
        assert_eq!((problem.kind, scene.paid()), (Kind::Infeasible, 0), "{way}: {problem}");
    }
}

#[test]
fn a_rule_that_the_data_break_has_a_stand_in_before_it_is_paid_for() {
    let scene = sqlite();
    drop(scene.open("1", false));
    let text = spec_text("a", &scene.address).replace("nonnegative = false\n", "nonnegative = true\n");
    let text = text.replace("[mechanism]", &format!("{}[mechanism]", rule(LOW, "<=", "14")));
    let queries = "[[mechanism.query]]\nby = [\"education\"]\nshare = \"1/2\"\n\
                   [[mechanism.query]]\nby = [\"county\", \"education\"]\nshare = \"1/2\"\n";
    let text = text
        .replace("[budget]", &format!("{queries}[budget]"))
        .replace(&format!("epsilon = \"{EACH}\""), "epsilon = \"1/2\"");
    let spec = scene.path("a.toml");
    fs::write(&spec, text).unwrap();
    releasing(&spec, &scene.path("out"), by_ann()).unwrap();
    let table = fs::read_to_string(scene.path("out/table.csv")).unwrap();
    let low: i64 = table.lines().find(|line| line.starts_with("Alpha,Low,")).unwrap()["Alpha,Low,".len()..]
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((0..=14).contains(&low), "{low}");
}

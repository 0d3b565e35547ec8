//! The statistical tests of the tree share one level: they are counted, and no more of them than
//! was planned for.

use super::tree::with_extension;
use std::path::Path;

/// What asks `testkit` for a share.
const CALLS: [&str; 3] = ["level", "deviations", "kolmogorov"];

/// How often a text calls what `testkit` offers, by its full name or by one that it imports.
fn calls(text: &str) -> usize {
    let imported = |name: &str| {
        let imports = text.split("use testkit::").skip(1).filter_map(|rest| rest.split(';').next());
        imports
            .flat_map(|rest| rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
            .any(|word| word == name)
    };
    let of = |name: &str| {
        let called = format!("{name}(");
        let alone =
            |place: usize| !text[..place].ends_with(|before: char| before.is_alphanumeric() || "_.:".contains(before));
        let full = text.matches(&format!("testkit::{called}")).count();
        let short = text.match_indices(&called).filter(|(place, _)| imported(name) && alone(*place)).count();
        full + short
    };
    CALLS.iter().map(|name| of(name)).sum()
}

#[test]
fn no_more_tests_share_the_level_than_it_is_made_for() {
    assert_eq!(calls("use testkit::{Fit, level};\nassert!(p > level(3) && testkit::deviations(2) > x.level(1));"), 2);
    let mut found = 0;
    let mut planned = None;
    for (path, text) in with_extension("rs") {
        if path.starts_with("crates/testkit") {
            let line = text.lines().find_map(|line| line.strip_prefix("pub const TESTS: u32 = "));
            planned = planned.or(line.and_then(|line| line.trim_end_matches(';').parse::<usize>().ok()));
        } else if !path.ends_with(Path::new("house/levels.rs")) {
            found += calls(&text);
        }
    }
    let planned = planned.expect("`testkit` says how many");
    assert!(found <= planned, "{found} tests share a level that is made for {planned}");
    assert!(found + 20 > planned, "{found} tests share a level that is made for {planned}: each could have more");
}

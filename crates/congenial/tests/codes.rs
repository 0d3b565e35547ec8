//! Block groups of the 2010 Census: 220,334 codes whose prefixes are the levels, from the raw file.

use congenial::{Opened, Quiet};
use std::path::Path;

#[test]
fn block_groups_are_a_hierarchy_by_prefix() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let folder = tempfile::tempdir().unwrap();
    let name = "blockgroup_pop_2010.parquet";
    std::fs::copy(data.join(name), folder.path().join(name)).unwrap();
    let spec = folder.path().join("spec.toml");
    let text = r#"
title = "Population by block group"
[data]
path = "blockgroup_pop_2010.parquet"
count = "pop"
public = true
[dimensions]
place = { path = "blockgroup_pop_2010.parquet", key = "geoid", column = "geoid", levels = [{ name = "state", prefix = 2 }, { name = "county", prefix = 5 }, { name = "tract", prefix = 11 }, "geoid"] }
[[invariant]]
by = ["state"]
[constraints]
nonnegative = false
[mechanism]
noise = "double-geometric"
epsilon = "1/4"
[[output]]
name = "counties"
by = ["county"]
"#;
    std::fs::write(&spec, text).unwrap();
    let opened = Opened::open(&spec).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(opened.domain.len(), 220_334);
    assert_eq!(opened.conditions.invariants[0].groups(), 52);
    let canonical = opened.declaration.to_toml();
    assert!(canonical.len() < 4_000_000, "{}", canonical.len());
    let again = congenial::Declaration::parse_alone(&canonical, "canonical").unwrap();
    assert_eq!(again.to_toml(), canonical);
    let counties = &opened.declaration.output_rows(&opened.domain).unwrap()[0];
    assert_eq!(counties.labels.len(), 3_221);
    let analysed = opened.analyse(&Quiet).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(analysed.totals[0].iter().sum::<i64>(), 312_471_327);
}

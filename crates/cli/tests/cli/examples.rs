//! What `infer` tells of examples, one of every kind of release that takes no time;
//! `benches/infer_sweep.py` asks all of them. Their draws are fixed, so an answer that is refused
//! is a change of the program and no chance.

use crate::fixed::{example, fix};
use crate::run::{Folder, ask, json};

/// An example, what its posterior stands on, and how many draws are asked for.
const EXAMPLES: [(&str, &str, u32); 15] = [
    ("bartlett/spec", "listing all", 400),
    ("czech-autoworkers/cascade", "see the diagnoses", 400),
    ("czech-autoworkers/nonnegative", "listing all", 400),
    ("czech-autoworkers/spec", "twelve digits", 400),
    ("delinquent-children/gaussian-nonnegative", "1/Z(x)", 400),
    ("delinquent-children/gaussian", "twelve digits", 400),
    ("delinquent-children/spec", "twelve digits", 400),
    ("five-cells/spec", "twelve digits", 400),
    ("hair-eye/cascade", "see the diagnoses", 400),
    ("hair-eye/gaussian", "1/Z(x)", 400),
    ("illinois/spec", "twelve digits", 400),
    ("illinois/l2", "drawn exactly from the posterior", 400),
    // Pairs under a base measure have unequal weights: fewer draws would tell too little.
    ("pennsylvania/last-month", "a base measure in the release", 2000),
    ("sibling-parts/spec", "1/Z(x)", 400),
    ("taxi/spec", "twelve digits", 400),
];

#[test]
fn examples_have_posteriors_imputations_and_likelihoods() {
    for (name, basis, draws) in EXAMPLES {
        let folder = Folder::new();
        fix(&example(name), &folder.path("r"), 1);
        let known = format!("infer|r|--posterior|--nonnegative|--draws|{draws}");
        let table = ask(&folder, &format!("{known}|--best|consistent|--table|best.csv")).exits(0);
        assert!(table.out.contains(basis), "{name}:\n{}", table.out);
        ask(&folder, &format!("{known}|--impute|3|--out|imputed")).exits(0);
        assert!(folder.path("imputed/imputations.parquet").exists());
        let found = json(&ask(&folder, "infer|r|--likelihood|best.csv|--json").exits(0));
        let log = found["figures"][0]["log_likelihood"].as_f64();
        assert!(log.is_some_and(|log| log < 0.0 || name == "illinois/l2"), "{name}: {found}");
    }
}

/// Draws that tell too little are refused in these words; more of them tell enough.
#[test]
fn too_few_draws_are_refused() {
    let folder = Folder::new();
    fix(&example("hair-eye/gaussian"), &folder.path("r"), 1);
    let said = ask(&folder, "infer|r|--posterior|--nonnegative|--draws|40").exits(3).err;
    assert!(said.contains("independent draws, and at least 50 are needed"), "{said}");
}

//! An operator from outside: one file and one line in the registry, and it is in spec, schema, explain, certificate and verify.

mod completion;

use completion::Completion;
use congenial::{Format, Opened, Prepared, Registry, release, spec_schema, verify};
use draw::TableSampler;
use exact::Seeded;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use testkit::goodness_of_fit;

/// What a program does once, before anything else.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| Registry::standard().with(&Completion).install().unwrap());
}

/// Four cells in two rows whose totals are kept.
fn spec(folder: &Path, sampler: &str) -> PathBuf {
    fs::write(folder.join("x.csv"), "row,column,n\na,1,5\na,2,7\nb,1,11\nb,2,0\n").unwrap();
    let text = format!(
        "title = \"Outside\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
         [dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n[[invariant]]\nby = [\"row\"]\n\
         [constraints]\nnonnegative = false\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nsampler = \"{sampler}\"\n"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn an_operator_from_outside_is_planned_drawn_certified_and_verified() {
    register();
    let work = tempfile::tempdir().unwrap();
    let path = spec(work.path(), "completion");
    let explained = Prepared::open(&path, &mut |_| {}).unwrap().plan.explain_text("Outside");
    assert!(explained.contains("2 blocks of 2 cells with one total each: completion, exact"), "{explained}");
    let folder = work.path().join("release");
    let certificate = release(&path, &folder, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap().certificate;
    let used: Vec<(&str, &str)> =
        certificate.operators.iter().map(|used| (used.operator.as_str(), used.exactness.as_str())).collect();
    assert_eq!(used, [("completion", "exact")]);
    verify(&folder).unwrap();
}

#[test]
fn specs_may_name_it_and_plans_without_it_say_why() {
    register();
    let schema: serde_json::Value = serde_json::from_str(&spec_schema()).unwrap();
    assert!(spec_schema().contains("\"cascade\", \"completion\"]"), "{schema}");
    let work = tempfile::tempdir().unwrap();
    let plan = Prepared::open(&spec(work.path(), "auto"), &mut |_| {}).unwrap().plan;
    let told = "completion is not used: used only when sampler = \"completion\"";
    assert!(plan.explain_text("Outside").contains(told));
    let unknown = Opened::open(&spec(work.path(), "complétion")).unwrap_err();
    assert!(unknown.to_string().contains("completion"), "{unknown}");
    assert!(Registry::standard().install().is_err(), "plans of one process do not differ");
}

/// Rung 4 of the ladder, for what comes from outside too: the noise of two cells with total zero is (z, −z), of weight
/// e^{−2ε'|z|}.
#[test]
fn it_has_the_law_and_keeps_the_totals() {
    register();
    let work = tempfile::tempdir().unwrap();
    let prepared = Prepared::open(&spec(work.path(), "completion"), &mut |_| {}).unwrap();
    let (law, blocks, counts) = (&prepared.plan.law, prepared.blocks(), [5, 7, 11, 0]);
    let sampler = TableSampler::new(law.into(), &blocks, &counts).unwrap();
    let mut observed = vec![0u64; 41];
    for draw in 0..4000 {
        let values = sampler.draw(&Seeded::draw(31, draw), &|_| {}).unwrap().into_values();
        assert_eq!((values[0] + values[1], values[2] + values[3]), (12, 11));
        observed[(values[0] - 5 + 20).clamp(0, 40) as usize] += 1;
    }
    let weights: Vec<f64> = (-20..=20).map(|z| (-2.0 * law.energy(z).to_f64()).exp()).collect();
    let whole: f64 = weights.iter().sum();
    let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole).collect();
    let fit = goodness_of_fit(&observed, &claimed, 4000);
    assert!(fit.p_value > 1e-4, "{fit:?}");
    let wrong: Vec<f64> = (-20..=20).map(|z| (-law.energy(z).to_f64()).exp()).collect();
    let whole: f64 = wrong.iter().sum();
    let wrong: Vec<f64> = wrong.iter().map(|weight| weight / whole).collect();
    assert!(goodness_of_fit(&observed, &wrong, 4000).p_value < 1e-6, "the mutant without the last cell's weight");
}

//! A noise law and an operator from outside: one file each and one line in the registry, and they
//! are in spec, schema, explain, certificate and verify.

mod completion;
mod plateau;

use completion::Completion;
use congenial::{Format, Opened, Prepared, Quiet, Registry, VerifyOptions, release, spec_schema, verify};
use draw::{NoiseLaw, TableSampler};
use exact::{Rational, Seeded};
use plateau::PLATEAU;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use testkit::goodness_of_fit;

/// What a program does once, before anything else.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| Registry::standard().with(&Completion).with_law(&PLATEAU).install().unwrap());
}

/// Four cells in two rows whose totals are kept.
fn spec(folder: &Path, sampler: &str) -> PathBuf {
    spec_of(folder, "double-geometric", &format!("sampler = \"{sampler}\"\n"), "nonnegative = false\n")
}

fn spec_of(folder: &Path, noise: &str, more: &str, constraints: &str) -> PathBuf {
    fs::write(folder.join("x.csv"), "row,column,n\na,1,5\na,2,7\nb,1,11\nb,2,0\n").unwrap();
    let text = format!(
        "title = \"Outside\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
         [dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n[[invariant]]\nby = [\"row\"]\n\
         [constraints]\n{constraints}[mechanism]\nnoise = \"{noise}\"\nepsilon = \"1/2\"\n{more}"
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
    let explained = Prepared::open(&path, &Quiet).unwrap().plan.explain_text("Outside");
    assert!(explained.contains("2 blocks of 2 cells with one total each: completion, exact"), "{explained}");
    let folder = work.path().join("release");
    let certificate = release(&path, &folder, Format::CSV, &Quiet).unwrap().certificate;
    let used: Vec<(&str, &str)> =
        certificate.operators.iter().map(|used| (used.operator.as_str(), used.exactness.as_str())).collect();
    assert_eq!(used, [("completion", "exact")]);
    verify(&folder, &VerifyOptions::default()).unwrap();
}

#[test]
fn specs_may_name_it_and_plans_without_it_say_why() {
    register();
    let schema: serde_json::Value = serde_json::from_str(&spec_schema()).unwrap();
    assert!(spec_schema().contains("\"cascade\", \"completion\"]"), "{schema}");
    assert!(spec_schema().contains("\"gaussian\", \"plateau\"]"), "{schema}");
    let work = tempfile::tempdir().unwrap();
    let plan = Prepared::open(&spec(work.path(), "auto"), &Quiet).unwrap().plan;
    let told = "completion is not used: used only when sampler = \"completion\"";
    assert!(plan.explain_text("Outside").contains(told));
    let unknown = Opened::open(&spec(work.path(), "complétion")).unwrap_err();
    assert!(unknown.to_string().contains("completion"), "{unknown}");
    assert!(Registry::standard().install().is_err(), "plans of one process do not differ");
}

/// Rung 4 of the ladder, for what comes from outside too: the noise of two cells with total zero is
/// (z, −z), of weight e^{−2ε'|z|}.
#[test]
fn it_has_the_law_and_keeps_the_totals() {
    register();
    let work = tempfile::tempdir().unwrap();
    let prepared = Prepared::open(&spec(work.path(), "completion"), &Quiet).unwrap();
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
    assert!(fit.p_value > testkit::level(1), "{fit:?}");
    let wrong: Vec<f64> = (-20..=20).map(|z| (-law.energy(z).to_f64()).exp()).collect();
    let whole: f64 = wrong.iter().sum();
    let wrong: Vec<f64> = wrong.iter().map(|weight| weight / whole).collect();
    assert!(goodness_of_fit(&observed, &wrong, 4000).p_value < 1e-6, "the mutant without the last cell's weight");
}

#[test]
fn a_law_from_outside_is_planned_drawn_certified_and_verified() {
    register();
    let work = tempfile::tempdir().unwrap();
    let path = spec_of(work.path(), "plateau", "", "");
    let plan = Prepared::open(&path, &Quiet).unwrap().plan;
    let explained = plan.explain_text("Outside");
    let told = "noise: plateau, P(u) ∝ e^(−ε'·max(|u| − 1, 0)) with ε' = 1/8 (0.125)";
    assert!(explained.contains(told) && explained.contains("enumerate, exact"), "{explained}");
    let folder = work.path().join("release");
    let certificate = release(&path, &folder, Format::CSV, &Quiet).unwrap().certificate;
    assert!(certificate.guarantee.noise.starts_with("plateau in every cell"), "{}", certificate.guarantee.noise);
    verify(&folder, &VerifyOptions::default()).unwrap();
    // Without bounds no operator of this version draws it, and every one says why.
    let unbounded = Prepared::open(&spec_of(work.path(), "plateau", "", "nonnegative = false\n"), &Quiet);
    let refused = unbounded.unwrap_err().to_string();
    assert!(refused.contains("closed-form: sums of plateau noise have no closed form"), "{refused}");
    assert!(refused.contains("messages: its weights are not those of plateau noise"), "{refused}");
}

/// Rung 3 of the ladder: between all tables of small fibres the law loses at most what its rate
/// says, twice where inequalities move the normaliser.
#[test]
fn the_law_loses_no_more_than_is_certified() {
    let law = NoiseLaw::new(&PLATEAU, Rational::new(1, 8u8));
    let rate = law.rate().to_f64();
    let mut largest: f64 = 0.0;
    for total in [1i64, 7, 12] {
        let probability = |centre: i64| -> Vec<f64> {
            // Two cells with this total, both at least zero: the first says all.
            let weight = |value: i64| {
                let moved = value - centre;
                (-(law.energy(moved).to_f64() + law.energy(-moved).to_f64())).exp()
            };
            let weights: Vec<f64> = (0..=total).map(weight).collect();
            let whole: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / whole).collect()
        };
        for (one, other) in (0..=total).flat_map(|one| (0..=total).map(move |other| (one, other))) {
            let distance = 2.0 * one.abs_diff(other) as f64;
            for (p, q) in probability(one).iter().zip(probability(other)) {
                assert!((p / q).ln() <= 2.0 * rate * distance + 1e-12, "{total}: {one} and {other}");
                largest = largest.max((p / q).ln() / (2.0 * rate * distance).max(rate));
            }
        }
    }
    assert!(largest > 0.4, "the bound is not idle: {largest}");
}

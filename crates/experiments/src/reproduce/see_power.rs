//! Tests on releases: the usual chi-square test beside one that knows the noise, and how much power
//! noisy counts, projections and conditional releases leave (Seeman's theorem on post-processing,
//! repaired).

use super::Rehearsal;
use super::findings::{Findings, number};
use crate::beside::counted;
use ::infer::Release;
use ::infer::testing::{Association, Hypothesis, Statistic, Trial, chi_square, statistics};
use declare::Problem;
use plan::Case;

const CHILDREN: [&str; 2] = [
    include_str!("../../../../examples/delinquent-children/margins.toml"),
    include_str!("../../../../data/fcsm_wp22_delinquent_children.csv"),
];
const HAIR_EYE: [&str; 2] =
    [include_str!("../../../../examples/hair-eye/spec.toml"), include_str!("../../../../data/hair_eye.csv")];
/// The level of all tests.
const LEVEL: f64 = 0.05;
/// Fresh releases for every pair that is asked for.
const DRAWS: u64 = 30;
/// Noise is listed as far as this.
const REACH: i64 = 200;

/// A study of one table with both margins exact.
struct Study {
    name: &'static str,
    files: [&'static str; 2],
    dimensions: [&'static str; 2],
    /// By a second program: the usual test, ours, the critical value, and the power on the true
    /// table.
    second: [&'static str; 4],
}

const STUDIES: [Study; 2] = [
    Study {
        name: "delinquent children",
        files: CHILDREN,
        dimensions: ["county", "education"],
        second: ["0.76", "0.052", "66.8", "0.27"],
    },
    Study {
        name: "hair and eye colour",
        files: HAIR_EYE,
        dimensions: ["eye", "hair"],
        second: ["0.35", "0.048", "31.4", "1.000"],
    },
];

/// What a study found.
struct Sizes {
    /// Pearson's statistic of the true table.
    truth: f64,
    /// How often the usual test and ours reject a true hypothesis.
    usual: f64,
    ours: f64,
    critical: f64,
    /// How often ours rejects on releases of the true table.
    power: f64,
}

/// A table as a release without noise, which has the plan and the exact totals of every other.
fn table(files: [&str; 2]) -> Result<Release, Problem> {
    let [spec, data] = files;
    let (declaration, values) = counted(spec, &[("data.csv", data)])?;
    let case = Case::of(declaration)?;
    let plan = case.plan(&case.analyse(&case.totals(&values)?)?)?;
    Release::new("table", case, plan, values)
}

fn sizes(study: &Study, draws: u64) -> Result<Sizes, Problem> {
    let release = table(study.files)?;
    let [rows, columns] = study.dimensions.map(|name| vec![name.to_string()]);
    let hypothesis = Hypothesis::association(&release.domain, Association::Independence, &rows, &columns, &[])?;
    let drawn = |truth: Option<&[i64]>, seed: u64| {
        statistics(&release, &hypothesis, &Statistic::Pearson, truth, Trial::new(draws, seed, LEVEL, None)?)
    };
    let mut null = drawn(None, 1)?;
    null.sort_unstable_by(f64::total_cmp);
    let critical = null[((1.0 - LEVEL) * draws as f64) as usize];
    let share =
        |values: &[f64], least: f64| values.iter().filter(|value| **value > least).count() as f64 / draws as f64;
    let others = drawn(None, 2)?;
    let freedom = ((release.plan.cells as f64).sqrt() - 1.0).powi(2);
    let expected = ::infer::testing::test(&release, &hypothesis, &Statistic::Pearson, Trial::new(19, 1, LEVEL, None)?)?;
    Ok(Sizes {
        truth: expected.value,
        usual: share(&others, chi_square::critical(LEVEL, freedom)),
        ours: share(&others, critical),
        critical,
        power: share(&drawn(Some(&release.values), 3)?, critical),
    })
}

/// The binomial law.
fn binomial(trials: usize, chance: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for _ in 0..trials {
        let mut next = vec![0.0; law.len() + 1];
        for (place, mass) in law.iter().enumerate() {
            next[place] += mass * (1.0 - chance);
            next[place + 1] += mass * chance;
        }
        law = next;
    }
    law
}

/// Noise with weights e^{−energy}, from −reach to reach.
fn noise(energy: impl Fn(f64) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (-REACH..=REACH).map(|away| (-energy(away as f64)).exp()).collect();
    let all: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / all).collect()
}

/// The law of a sum.
fn sum(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut law = vec![0.0; one.len() + other.len() - 1];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            law[i + j] += a * b;
        }
    }
    law
}

/// Everything below 0 counts as 0, everything above n as n.
fn clipped(law: &[f64], n: usize) -> Vec<f64> {
    let mut kept = vec![0.0; n + 1];
    for (place, mass) in law.iter().enumerate() {
        kept[(place as i64 - REACH).clamp(0, n as i64) as usize] += mass;
    }
    kept
}

/// The power of the best test at the level (Neyman and Pearson), with randomisation where a value
/// would be too much.
fn power(null: &[f64], other: &[f64]) -> f64 {
    let mut pairs: Vec<(f64, f64)> =
        null.iter().copied().zip(other.iter().copied()).filter(|(null, other)| *null > 0.0 || *other > 0.0).collect();
    pairs.sort_by(|(a, b), (c, d)| (d / c).total_cmp(&(b / a)));
    let (mut left, mut found) = (LEVEL, 0.0);
    for (null, other) in pairs {
        if null >= left {
            return found + other * left / null;
        }
        left -= null;
        found += other;
    }
    found
}

/// Two bins with a public total: the best test of θ = ½ against 0.65 on both noisy counts, on their
/// ℓ₂ projection and on the conditional release, all with the same loss.
fn two_bins(total: usize, epsilon: f64) -> [f64; 3] {
    let cell = noise(|away| epsilon * away.abs());
    let line = noise(|away| 2.0 * epsilon * away.abs());
    let apart = sum(&cell, &cell);
    let laws = |chance: f64| {
        let counts = binomial(total, chance);
        let width = total + cell.len();
        let mut both = vec![0.0; width * width];
        let mut projected = vec![0.0; 2 * total + apart.len()];
        for (count, mass) in counts.iter().enumerate() {
            for (i, a) in cell.iter().enumerate() {
                for (j, b) in cell.iter().enumerate() {
                    both[(count + i) * width + total - count + j] += mass * a * b;
                }
            }
            apart.iter().enumerate().for_each(|(place, share)| projected[2 * count + place] += mass * share);
        }
        [both, projected, sum(&counts, &line)]
    };
    let (null, other) = (laws(0.5), laws(0.65));
    [0, 1, 2].map(|kind| power(&null[kind], &other[kind]))
}

/// The power for θ = ½ against 0.9 on a noisy binomial count and on the same after clipping to 0 …
/// n.
fn clipping(n: usize, noise: &[f64]) -> [f64; 2] {
    let [null, other] = [0.5, 0.9].map(|chance| sum(&binomial(n, chance), noise));
    [power(&null, &other), power(&clipped(&null, n), &clipped(&other, n))]
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let draws = DRAWS * run.pairs;
    let mut findings = run.findings(&[
            "Independence in 4×4 tables whose margins are both exact, ε' = ¼ per unit, level 5 %: Pearson's statistic on releases of tables under the \
             hypothesis (hypergeometric given the margins, released by the plan). The critical value is found from one set of releases and tried on another.",
            "Two bins: N records, the total public, θ = ½ against 0.65: the power of the best test, enumerated, on two noisy counts, on their ℓ₂ projection \
             and on the release given the total, at equal loss. Clipping: one binomial count, θ = ½ against 0.9, with noise, before and after it is made 0 … n.",
            "The paper has no such figures: they stand beside those of a second program, written apart.",
            "Verdict: the usual chi-square test on a release rejects true hypotheses far too often, and one that draws tables under the hypothesis and releases \
             them by the plan keeps its level. At equal loss the conditional release leaves more power than the noisy counts, and a projection less. Seeman's \
             theorem that post-processing strictly loses power is not strict for double geometric noise, where clipping is sufficient, and is so for Gaussian noise.",
        ]);
    run.stage("see-power", STUDIES.len() as u64 + 4);
    for study in &STUDIES {
        let found = sizes(study, draws)?;
        let [usual, ours, critical, power] = study.second;
        let name = study.name;
        let made = number(draws);
        findings.checked(
            format!("{name}: true hypotheses that the usual test rejects ({made} releases)"),
            format!("{:.3}", found.usual),
            usual,
        );
        findings.checked(format!("{name}: that ours rejects"), format!("{:.3}", found.ours), ours);
        findings.checked(
            format!("{name}: critical value (the usual one is 16.9)"),
            format!("{:.1}", found.critical),
            critical,
        );
        findings.checked(
            format!("{name}: power for the true table, χ² = {:.2}", found.truth),
            format!("{:.3}", found.power),
            power,
        );
        run.done(1);
    }
    for (total, epsilon, shown, second) in [
        (20, 0.5, "½", "0.2743 / 0.2538 / 0.3035"),
        (20, 0.25, "¼", "0.1781 / 0.1465 / 0.1922"),
        (50, 0.25, "¼", "0.4444 / 0.4055 / 0.5163"),
    ] {
        let [both, projected, given] = two_bins(total, epsilon);
        findings.checked(
            format!(
                "two bins, N = {total}, ε' = {shown}: power on both noisy counts / their projection / given the total"
            ),
            format!("{both:.4} / {projected:.4} / {given:.4}"),
            second,
        );
        run.done(1);
    }
    let [plain, clipped] = clipping(10, &noise(|away| 0.25 * away.abs()));
    findings.checked(
        "Bin(10, θ) with double geometric noise, ε' = ¼: power / after clipping to 0 … 10",
        format!("{plain:.5} / {clipped:.5}: clipping loses nothing"),
        "0.12908 / 0.12908",
    );
    let [plain, clipped] = clipping(5, &noise(|away| away * away / 16.0));
    findings.checked(
        "Bin(5, θ) with discrete Gaussian noise, σ² = 8: power / after clipping to 0 … 5",
        format!("{plain:.5} / {clipped:.5}: clipping loses"),
        "0.15117 / 0.09838",
    );
    run.done(1);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::{STUDIES, clipping, noise, sizes, two_bins};

    #[test]
    fn enumerated_powers_are_those_of_a_second_program() {
        for (total, epsilon, expected) in [(20, 0.5, [0.2743, 0.2538, 0.3035]), (20, 0.25, [0.1781, 0.1465, 0.1922])] {
            let found = two_bins(total, epsilon);
            assert!(found.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 6e-5), "{found:?}");
        }
        let [plain, clipped] = clipping(10, &noise(|away| 0.25 * away.abs()));
        assert!((plain - 0.12908).abs() < 6e-6 && (plain - clipped).abs() < 1e-12, "{plain} {clipped}");
        let [plain, clipped] = clipping(5, &noise(|away| away * away / 16.0));
        assert!((plain - 0.15117).abs() < 6e-6 && (clipped - 0.09838).abs() < 6e-6, "{plain} {clipped}");
    }

    #[test]
    fn sizes_are_those_of_a_second_program_within_their_errors() {
        for study in &STUDIES {
            let found = sizes(study, 3000).unwrap();
            let second: Vec<f64> = study.second.iter().map(|text| text.parse().unwrap()).collect();
            assert!((found.usual - second[0]).abs() < 0.04, "{}: {}", study.name, found.usual);
            assert!((found.ours - 0.05).abs() < 0.025, "{}: {}", study.name, found.ours);
            assert!((found.critical / second[2] - 1.0).abs() < 0.08, "{}: {}", study.name, found.critical);
            assert!((found.power - second[3]).abs() < 0.05, "{}: {}", study.name, found.power);
        }
    }
}

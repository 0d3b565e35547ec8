//! Seeman, case study 10: small counties and a test of race by case status, with lung cancer in
//! Pennsylvania in place of Alaska's mortality.

use super::Rehearsal;
use super::findings::Findings;
use ::infer::{Cancel, Field, Knowledge, Posterior, Query, Release, Wanted};
use declare::{Declaration, Problem};
use exact::Seeded;
use plan::Case;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const TABLE: &str = include_str!("../../../../data/pa_county_lung_cancer_2002_by_race_sex_age.csv");
/// The counties of the study: those with the smallest white populations.
const COUNTIES: usize = 20;
/// Releases of the second study.
const REPLICATES: u64 = 100;
/// Noise of smaller probability is left out of sums.
const DEPTH: f64 = 45.0;

/// Cases and population of a county by race.
#[derive(Debug, Clone, Default)]
struct County {
    name: String,
    white: (i64, i64),
    other: (i64, i64),
}

fn counties() -> Result<Vec<County>, Problem> {
    let mut found: BTreeMap<&str, County> = BTreeMap::new();
    for line in TABLE.lines().skip(1).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |place: usize| fields.get(place).and_then(|field| field.parse::<i64>().ok());
        let (Some(name), Some(cases), Some(people), Some(race)) = (fields.first(), number(1), number(2), fields.get(3))
        else {
            return Err(Problem::bad(format!("the lung cancer table has a line that is not read: {line}")));
        };
        let county = found.entry(name).or_insert_with(|| County { name: (*name).to_string(), ..County::default() });
        let own = if *race == "w" { &mut county.white } else { &mut county.other };
        (own.0, own.1) = (own.0 + cases, own.1 + people);
    }
    Ok(found.into_values().collect())
}

/// P(θ > limit) for a rate that is gamma with shape x + ½ and rate `exposure`; zero where there is
/// no such law.
fn above(x: i64, exposure: f64, limit: f64) -> f64 {
    if x < 0 {
        return 0.0;
    }
    let (shape, z) = (x as f64 + 0.5, exposure * limit);
    // e^{−z}·z^a/Γ(a + 1)·Σ z^k/((a + 1)…(a + k)), summed while it grows and until it is nothing.
    let mut log = 0.5 * std::f64::consts::PI.ln();
    (0..=x).for_each(|step| log += (0.5 + step as f64).ln());
    let mut term = (shape * z.ln() - z - log).exp();
    let (mut sum, mut step) = (0.0, 0.0);
    loop {
        sum += term;
        step += 1.0;
        term *= z / (shape + step);
        if term <= 1e-17 * sum {
            return (1.0 - sum).max(0.0);
        }
    }
}

/// What is believed of a county's count before the release.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Before {
    Flat,
    /// Negative binomial with this mean and size.
    NegativeBinomial(f64, f64),
}

impl Before {
    /// Logarithms of weights of 0, 1, ….
    fn logs(self, length: usize) -> Vec<f64> {
        match self {
            Before::Flat => vec![0.0; length],
            Before::NegativeBinomial(mean, size) => {
                let mut log = 0.0;
                let step = (mean / (size + mean)).ln();
                (0..length)
                    .map(|count| {
                        let own = log;
                        log += ((size + count as f64) / (count as f64 + 1.0)).ln() + step;
                        own
                    })
                    .collect()
            }
        }
    }
}

/// Mean squared error of a figure over all noise, its variance and the square of its bias.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Errors {
    mean_square: f64,
    variance: f64,
    bias: f64,
}

impl Errors {
    fn of(values: impl Iterator<Item = (f64, f64)>, truth: f64) -> Errors {
        let (mut whole, mut sum, mut squares) = (0.0, 0.0, 0.0);
        values.for_each(|(value, weight)| {
            (whole, sum, squares) =
                (whole + weight, sum + weight * value, squares + weight * (value - truth) * (value - truth));
        });
        let (mean, mean_square) = (sum / whole, squares / whole);
        let bias = (mean - truth) * (mean - truth);
        Errors { mean_square, variance: mean_square - bias, bias }
    }
}

/// Errors of drawn figures, with their standard errors: of the mean of squared errors, of the
/// variance by the fourth moment, and of the squared bias by that of the bias.
fn drawn_errors(figures: &[f64], truth: f64) -> String {
    let count = figures.len() as f64;
    let over = |of: &dyn Fn(f64) -> f64| figures.iter().map(|figure| of(*figure)).sum::<f64>() / count;
    let mean = over(&|figure| figure);
    let variance = over(&|figure| (figure - mean).powi(2));
    let fourth = over(&|figure| (figure - mean).powi(4));
    let square = over(&|figure| (figure - truth).powi(2));
    let spread = over(&|figure| ((figure - truth).powi(2) - square).powi(2));
    let bias = mean - truth;
    let told = |value: f64, error: f64| format!("{value:.1} ± {error:.1}");
    [
        told(square, (spread / count).sqrt()),
        told(variance, ((fourth - variance * variance) / count).sqrt()),
        told(bias * bias, 2.0 * bias.abs() * (variance / count).sqrt()),
    ]
    .join(" / ")
}

/// Errors of P(θ > limit) in a county: noisy count as it is, at least zero, and what is believed
/// under priors. Sums over all noise.
fn errors(cases: i64, people: i64, limit: f64, epsilon: f64, before: &[Before]) -> Vec<Errors> {
    let reach = (DEPTH / epsilon) as i64;
    let exposure = people as f64;
    let longest = (cases + 2 * reach + 1) as usize;
    let told: Vec<f64> = (0..longest as i64).map(|x| above(x, exposure, limit)).collect();
    let truth = told[cases as usize];
    let noise = |away: i64| (-epsilon * away.abs() as f64).exp();
    let over = |figure: &dyn Fn(i64) -> f64| {
        Errors::of((-reach..=reach).map(|away| (figure(cases + away), noise(away))), truth)
    };
    let mut found = vec![over(&|y| if y < 0 { 0.0 } else { told[y as usize] }), over(&|y| told[y.max(0) as usize])];
    for prior in before {
        let logs = prior.logs(longest);
        let believed = |y: i64| {
            let weigh = |x: usize| logs[x] - epsilon * (y - x as i64).abs() as f64;
            let top = (0..longest).map(weigh).fold(f64::NEG_INFINITY, f64::max);
            let (mut whole, mut sum) = (0.0, 0.0);
            for (x, told) in told.iter().enumerate() {
                let weight = (weigh(x) - top).exp();
                (whole, sum) = (whole + weight, sum + weight * told);
            }
            sum / whole
        };
        found.push(over(&believed));
    }
    found
}

/// Pearson's χ² of race by case status, given all cases and how many of them are white.
fn chi_square(white_cases: f64, other_cases: f64, people: [f64; 2]) -> f64 {
    let all: f64 = people.iter().sum();
    let share = (white_cases + other_cases) / all;
    [white_cases, other_cases]
        .into_iter()
        .zip(people)
        .map(|(cases, people)| (cases - people * share).powi(2) / (people * share * (1.0 - share)))
        .sum()
}

/// A release in memory of cases by county and race.
fn release(counts: &[i64], names: &[String], total: bool, epsilon: &str) -> Result<Release, Problem> {
    let labels: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let text = format!(
        "title = \"cases\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\ncounty = [{}]\nrace = [\"w\", \"o\"]\n{}\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n",
        labels.join(", "),
        if total { "[[invariant]]\nby = []\n" } else { "" }
    );
    let case = Case::of(Declaration::parse(&text, "see-alaska", Path::new("."))?)?;
    let plan = case.plan(&case.analyse(&case.totals(counts)?)?)?;
    Release::new("see-alaska", case, plan, counts.to_vec())
}

/// The nearest numbers at or above zero with this sum.
fn projected(noisy: &[i64], total: f64) -> Vec<f64> {
    let mut sorted: Vec<f64> = noisy.iter().map(|count| *count as f64).collect();
    sorted.sort_unstable_by(|one, two| two.total_cmp(one));
    let (mut sum, mut level) = (0.0, 0.0);
    for (place, value) in sorted.iter().enumerate() {
        sum += value;
        let own = (sum - total) / (place + 1) as f64;
        if value - own > 0.0 {
            level = own;
        }
    }
    noisy.iter().map(|count| (*count as f64 - level).max(0.0)).collect()
}

/// What Table 1 prints of χ² in 100 releases of Alaskan mortality by race, and of its constrained
/// posterior, which is not repeated.
const TABLE_1: [(&str, &str); 4] = [
    ("noisy counts (Naive)", "1053 / 986 / 77"),
    ("nearest with the total (PostProcessed)", "201 / 130 / 72"),
    ("flat prior and bounds, given the total", ""),
    ("flat prior, given the total", ""),
];
const CONSTRAINED: &str = "102 / 62 / 41";

/// The published errors of P(H₁) in three Alaskan boroughs: naive, post-processed, constrained
/// posterior.
const TABLE_2: [(&str, [f64; 3]); 3] =
    [("Haines", [0.33, 0.32, 0.04]), ("Nome", [0.31, 0.31, 0.03]), ("Prince of Wales", [0.17, 0.17, 0.06])];

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "Alaska's mortality by race is not at hand: lung cancer in Pennsylvania, 2002, by county and race stands in for it, so the published figures are of another table and \
             stand beside ours for their order alone.",
            "Counties: white cases in the 20 counties with the smallest white populations, noise on every count, H₁: the rate is above the state's; P(H₁ | x) is that of a gamma rate \
             with shape x + ½ and the population as its rate. Errors are sums over all noise; nothing is drawn.",
            "χ²: race by case status from cases by county and race, all cases and populations public, ε' = ¼; 100 releases. The noisy counts have noise of their own, their projection is \
             the nearest table at or above zero with the total, the last two are of a release drawn given the total, under a flat prior: with the bounds at zero, and with the total alone. The \
             paper's ConstrainedPosterior is another method (Algorithm 6: noise of its own on every count, populations private too, a prior that is not printed) and is not repeated: nothing \
             here speaks for or against its rows.",
            "Verdict: a posterior that knows the noise lowers the error in the mean over counties, most with a prior that knows the state's rate; in single counties it can lose, so the same \
             order in every county is no criterion. Of χ², a flat prior with bounds lifts every cell of the smaller race near zero, and that bias is larger than all noise.",
        ]);
    let mut all = counties()?;
    let [white, other] = [|county: &County| county.white, |county: &County| county.other]
        .map(|of| all.iter().map(of).fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1)));
    let rate = white.0 as f64 / white.1 as f64;
    findings.measured("white cases / population / rate of the state", format!("{} / {} / {rate:.9}", white.0, white.1));
    all.sort_by_key(|county| county.white.1);
    run.stage("see-alaska, counties", 2 * COUNTIES as u64);
    let mut table = "county,cases,population,epsilon,method,mse,variance,squared_bias\n".to_owned();
    let methods = ["naive", "clipped", "posterior, flat", "posterior, size 10", "posterior, size 1"];
    for (epsilon, shown) in [(0.25, "¼"), (0.5, "½")] {
        let mut means = [0.0; 5];
        let (mut lost, mut cameron) = (0, [0.0; 5]);
        let mut smallest = Vec::new();
        for (place, county) in all[..COUNTIES].iter().enumerate() {
            let (cases, people) = county.white;
            let mean = rate * people as f64;
            let before = [Before::Flat, Before::NegativeBinomial(mean, 10.0), Before::NegativeBinomial(mean, 1.0)];
            let found = errors(cases, people, rate, epsilon, &before);
            for ((own, method), sum) in found.iter().zip(methods).zip(&mut means) {
                *sum += own.mean_square / COUNTIES as f64;
                // Writing to a String cannot fail.
                let _ = writeln!(
                    table,
                    "{},{cases},{people},{epsilon},\"{method}\",{:.6},{:.6},{:.6}",
                    county.name, own.mean_square, own.variance, own.bias
                );
            }
            lost += usize::from(found[2].mean_square > found[0].mean_square);
            if county.name == "cameron" {
                cameron.iter_mut().zip(&found).for_each(|(own, found)| *own = found.mean_square);
            }
            if place < TABLE_2.len() {
                smallest.push((county.name.clone(), found.clone()));
            }
            run.done(1);
        }
        findings.measured(
            format!("mean squared error of P(H₁), ε' = {shown}: naive / clipped"),
            format!("{:.4} / {:.4}", means[0], means[1]),
        );
        findings.measured(
            format!(
                "the same, posterior: flat / negative binomial at the state's rate, size 10 / size 1, ε' = {shown}"
            ),
            format!("{:.4} / {:.4} / {:.4}", means[2], means[3], means[4]),
        );
        findings.measured(
            format!("counties of {COUNTIES} in which the flat posterior is worse than naive, ε' = {shown}"),
            lost.to_string(),
        );
        findings.measured(
            format!("Cameron, ε' = {shown}: naive / posterior: flat / size 10 / size 1"),
            format!("{:.3} / {:.3} / {:.3} / {:.3}", cameron[0], cameron[2], cameron[3], cameron[4]),
        );
        if epsilon == 0.25 {
            for ((borough, published), (name, found)) in TABLE_2.iter().zip(&smallest) {
                findings.row(
                    format!(
                        "table 2, {borough}: naive / post-processed / constrained; {name}: naive / clipped / flat / size 10"
                    ),
                    &published.map(|figure| format!("{figure:.2}")).join(" / "),
                    [found[0], found[1], found[2], found[3]].map(|own| format!("{:.3}", own.mean_square)).join(" / "),
                );
            }
        }
    }
    findings.file("-counties.csv", table);
    all.sort_by(|one, two| one.name.cmp(&two.name));
    test_of_race(run, &mut findings, &all, white, other)?;
    Ok(findings)
}

/// χ² of race by case status from releases.
fn test_of_race(
    run: &Rehearsal<'_>,
    findings: &mut Findings,
    all: &[County],
    white: (i64, i64),
    other: (i64, i64),
) -> Result<(), Problem> {
    let people = [white.1 as f64, other.1 as f64];
    let truth = chi_square(white.0 as f64, other.0 as f64, people);
    findings.row(
        "χ² of race by case status on the true table (1 degree of freedom)",
        "964 on 2 degrees of freedom",
        format!("{truth:.2}"),
    );
    let counts: Vec<i64> = all.iter().flat_map(|county| [county.white.0, county.other.0]).collect();
    let names: Vec<String> = all.iter().map(|county| county.name.clone()).collect();
    let (free, kept) = (release(&counts, &names, false, "1/4")?, release(&counts, &names, true, "1/4")?);
    let (noise, given) = (Field::of_release(&free)?, Field::of_release(&kept)?);
    let (noisy, conditional) = (noise.sampler()?, given.sampler()?);
    let query = Query::new("white", (0..counts.len() as u32).step_by(2).map(|cell| (cell, 1)))?;
    let sum = |counts: &[f64], first: usize| counts.iter().skip(first).step_by(2).sum::<f64>();
    let total = (white.0 + other.0) as f64;
    run.stage("see-alaska, releases", REPLICATES);
    let known = [Knowledge { nonnegative: true, ..Knowledge::default() }, Knowledge::default()];
    let mut found: [Vec<f64>; 4] = Default::default();
    let mut table = "release,naive,projected,posterior_bounds,posterior_total\n".to_owned();
    for draw in 0..REPLICATES {
        let raw = noisy.draw(&Seeded::draw(10, draw), &|_| {})?.into_values();
        let plain: Vec<f64> = raw.iter().map(|count| *count as f64).collect();
        let nearest = projected(&raw, total);
        let drawn =
            [Release { values: conditional.draw(&Seeded::draw(11, draw), &|_| {})?.into_values(), ..kept.clone() }];
        let wanted = Wanted { cancel: Cancel::Automatic, draws: 4000, seed: draw };
        let mut figures = vec![
            chi_square(sum(&plain, 0), sum(&plain, 1), people),
            chi_square(sum(&nearest, 0), sum(&nearest, 1), people),
        ];
        for knowledge in &known {
            let posterior = Posterior::new(&drawn, knowledge, wanted)?;
            let law = posterior
                .laws(std::slice::from_ref(&query))
                .pop()
                .flatten()
                .ok_or_else(|| Problem::refused("the law of the white cases is not listed"))?;
            let told = |cases: i64| chi_square(cases as f64, total - cases as f64, people);
            figures.push(law.listed().map(|(cases, mass)| mass * told(cases)).sum::<f64>());
        }
        let listed: Vec<String> = figures.iter().map(|figure| format!("{figure:.4}")).collect();
        let _ = writeln!(table, "{draw},{}", listed.join(","));
        found.iter_mut().zip(figures).for_each(|(all, figure)| all.push(figure));
        run.done(1);
    }
    for (figures, (name, published)) in found.iter().zip(TABLE_1) {
        findings.row(
            format!("χ², mean squared error / variance / squared bias: {name}"),
            published,
            drawn_errors(figures, truth),
        );
    }
    findings.row("table 1, ConstrainedPosterior", CONSTRAINED, "not repeated");
    findings.file("-chi-square.csv", table);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_one_that_is_described() {
        let all = counties().unwrap();
        assert_eq!(all.len(), 67);
        let cases: i64 = all.iter().map(|county| county.white.0 + county.other.0).sum();
        let people: i64 = all.iter().map(|county| county.white.1 + county.other.1).sum();
        assert_eq!((cases, people), (10_279, 12_281_054));
    }

    #[test]
    fn tails_of_gamma_rates() {
        // Shape ½: P(rate·θ > z) = erfc(√z); erfc(1) and erfc(½).
        assert!((above(0, 1.0, 1.0) - 0.157_299_207_050_285).abs() < 1e-13);
        assert!((above(0, 2.0, 0.125) - 0.479_500_122_186_953).abs() < 1e-13);
        // Shape 3/2: erfc(√z) + 2√(z/π)e^{−z}.
        let expected = 0.157_299_207_050_285 + 2.0 * (1.0 / std::f64::consts::PI).sqrt() * f64::exp(-1.0);
        assert!((above(1, 4.0, 0.25) - expected).abs() < 1e-13);
        assert!(above(2000, 1.0, 1.0) > 1.0 - 1e-12 && above(-1, 1.0, 1.0) == 0.0);
    }

    #[test]
    fn posteriors_lower_the_error_in_the_mean() {
        let mut all = counties().unwrap();
        let white = all.iter().fold((0, 0), |sum, county| (sum.0 + county.white.0, sum.1 + county.white.1));
        let rate = white.0 as f64 / white.1 as f64;
        assert!((rate - 0.000_875_317).abs() < 5e-10, "{rate}");
        all.sort_by_key(|county| county.white.1);
        // By a second program, written apart; four of them differ from rounded reference figures by
        // 1e-4.
        for (epsilon, expected) in
            [(0.25, [0.06933, 0.06929, 0.05381, 0.04748]), (0.5, [0.02710, 0.02708, 0.02326, 0.02174])]
        {
            let mut means = [0.0; 4];
            for county in &all[..COUNTIES] {
                let mean = rate * county.white.1 as f64;
                let before = [Before::Flat, Before::NegativeBinomial(mean, 10.0)];
                let found = errors(county.white.0, county.white.1, rate, epsilon, &before);
                means.iter_mut().zip(&found).for_each(|(sum, own)| *sum += own.mean_square / COUNTIES as f64);
            }
            for (found, expected) in means.iter().zip(expected) {
                assert!((found - expected).abs() < 6e-6, "{epsilon}: {means:?}");
            }
        }
    }

    #[test]
    fn drawn_errors_have_standard_errors() {
        // Of 0, 2 and 4 around 1: squared errors 1, 1, 9; variance 8/3, fourth moment 32/3; bias 1.
        let expected = "3.7 ± 2.2 / 2.7 ± 1.1 / 1.0 ± 1.9";
        assert_eq!(drawn_errors(&[0.0, 2.0, 4.0], 1.0), expected);
    }

    #[test]
    fn projections_keep_the_total() {
        let found = projected(&[-3, 4, 10, 0], 9.0);
        assert!((found.iter().sum::<f64>() - 9.0).abs() < 1e-12);
        assert_eq!(found, [0.0, 1.5, 7.5, 0.0]);
    }
}

//! Seeman, case study 11: Pennsylvania's counties month by month, noise with post-processing beside
//! base measures.

use super::Rehearsal;
use super::findings::{Findings, number};
use analyse::{Demand, Ground, Network};
use audit::measure::Summary;
use declare::{Declaration, Method, Per, Problem, Strength};
use draw::{Ladder, NetworkSampler, TableNoise};
use exact::{Rational, Seeded};
use prepare::Mechanism;
use report::chart::{Axis, Chart, Series};
use std::fmt::Write;

const SPEC: &str = include_str!("../../../../examples/pennsylvania/last-month.toml");
const MONTHLY: &str = include_str!("../../../../data/pa_county_monthly.csv");
const FILE: &str = "../../data/pa_county_monthly.csv";

/// The methods in the figure, by their places in the list.
const SHOWN: [usize; 4] = [0, 2, 4, 5];

/// A month of the study: its name, and cases and deaths of every county in turn.
struct Month {
    name: String,
    counts: Vec<i64>,
}

/// What a mechanism does to a month, in expectation.
#[derive(Debug, Clone, Copy, Default)]
struct Errors {
    cases: f64,
    deaths: f64,
    /// Counties with cases that get none, with deaths that get none, and with fewer deaths than
    /// cases that get as many.
    case_zeros: f64,
    death_zeros: f64,
    rates: f64,
    below_zero: f64,
}

impl Errors {
    fn figures(&self) -> [f64; 6] {
        [self.cases, self.deaths, self.case_zeros, self.death_zeros, self.rates, self.below_zero]
    }
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "New cases and deaths in the 67 counties of Pennsylvania, April 2020 to June 2021, every month by itself: deaths at most cases, no count below zero, \
             the state's cases exact; ε = 1 per replaced record, which may be counted as a case and as a death. Monthly figures that are corrections below \
             zero are 0; Montour in June 2021 then has a death and no case, and gets one case. Base measures: (38) none, all integers; (39) all tables that keep what must \
             hold; (40) the same, weighted by the Dirichlet-multinomial law around the cases of the month before, each plus ½, with weight α. Post-processing: free noise, then \
             the nearest table that keeps everything (`project-nonnegative`).",
            "Exact, by messages, but for post-processing, which is measured by draws. L1: expected Σ|error| over all counties. Contracted: counties with cases, or deaths, \
             above zero that get zero, and counties with fewer deaths than cases that get as many of both.",
            "Verdict: at an equal certified loss base measures have no smaller errors than post-processing, and they do not keep counties from being made zero: where α(X + ½) is below 1 the \
             Dirichlet-multinomial law has a peak at zero and adds zeros. The absence of contraction to zero in the paper is an artefact of the printed (41), whose \
             1/Γ(Y) in the place of 1/Γ(Y + 1) gives every zero the weight 0: no table with a zero could be released, not even the true one. What is gained is a law that is known.",
        ]);
    let months = months()?;
    let methods: [(&'static str, Option<&str>); 7] = [
        ("post-processing", None),
        ("(38)", None),
        ("(39)", None),
        ("(39), with the noise of (40)", None),
        ("(40), α = 1/100", Some("1/100")),
        ("(40), α = 1/10", Some("1/10")),
        ("(40), α = 1", Some("1")),
    ];
    let folder = cleaned(&months)?;
    run.stage("see-covid, months", (months.len() as u64 - 1) * methods.len() as u64);
    let mut sums = [[0.0; 6]; 7];
    let mut by_month: Vec<Vec<f64>> = vec![Vec::new(); methods.len()];
    let mut lines =
        "month,method,l1_cases,l1_deaths,contracted_case_zeros,contracted_death_zeros,contracted_rates,below_zero\n"
            .to_string();
    for (before, month) in months.iter().zip(&months[1..]) {
        for (place, (name, alpha)) in methods.iter().enumerate() {
            let declaration = declaration(folder.path(), &before.name, &month.name, *alpha)?;
            let errors = match place {
                0 => projected(declaration, &month.counts, run.pairs)?,
                1 => unconstrained(declaration, &month.counts)?,
                3 => exact(at_plain_rate(declaration), &month.counts)?,
                _ => exact(declaration, &month.counts)?,
            };
            let listed: Vec<String> = errors.figures().iter().map(|figure| format!("{figure:.4}")).collect();
            let _ = writeln!(lines, "{},\"{name}\",{}", month.name, listed.join(","));
            sums[place].iter_mut().zip(errors.figures()).for_each(|(sum, figure)| *sum += figure);
            by_month[place].push(errors.cases + errors.deaths);
            run.done(1);
        }
    }
    let count = by_month[0].len() as f64;
    for ((name, _), sum) in methods.iter().zip(&sums) {
        let [cases, deaths, case_zeros, death_zeros, rates, _] = sum.map(|sum| sum / count);
        let how = match *name {
            "post-processing" => format!(", {} draws a month", number(run.pairs)),
            _ => String::new(),
        };
        findings
            .measured(format!("{name}: mean L1 of cases / deaths a month{how}"), format!("{cases:.1} / {deaths:.1}"));
        let published = if name.starts_with("(40)") { "no contraction to 0 (figure)" } else { "" };
        findings.row(
            format!("{name}: contracted cases / deaths / rates a month"),
            published,
            format!("{case_zeros:.2} / {death_zeros:.2} / {rates:.2}"),
        );
    }
    findings.measured("(38): counts below zero a month", format!("{:.1}", sums[1][5] / count));
    findings.measured("(41) as printed: weight of any table with a county without cases", "0");
    findings.file(".svg", figure(&SHOWN.map(|place| (methods[place].0, by_month[place].as_slice()))));
    findings.file(".csv", lines);
    Ok(findings)
}

/// All months of the file, cleaned.
fn months() -> Result<Vec<Month>, Problem> {
    let damaged = || Problem::system("the data of the repository are damaged: pa_county_monthly.csv");
    let mut months: Vec<Month> = Vec::new();
    for line in MONTHLY.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [county, _, month, cases, deaths, ..] = fields.as_slice() else { return Err(damaged()) };
        let count = |field: &str| field.parse::<i64>().map(|count| count.max(0)).map_err(|_| damaged());
        let (mut cases, deaths) = (count(cases)?, count(deaths)?);
        if (*county, *month) == ("Montour", "2021-06") {
            cases = cases.max(deaths);
        }
        let place = match months.iter().position(|known| known.name == *month) {
            Some(place) => place,
            None => {
                months.push(Month { name: (*month).to_owned(), counts: Vec::new() });
                months.len() - 1
            }
        };
        months[place].counts.extend([cases, deaths]);
    }
    let whole = months.len() == 16 && months.iter().all(|month| month.counts.len() == 134);
    if whole { Ok(months) } else { Err(damaged()) }
}

/// A folder with the cleaned months, as public files are read.
fn cleaned(months: &[Month]) -> Result<tempfile::TempDir, Problem> {
    let folder = publish::private_folder("congenial-", &std::env::temp_dir())?;
    let counties: Vec<&str> = MONTHLY
        .lines()
        .skip(1)
        .filter(|line| line.contains(",2020-03,"))
        .filter_map(|line| line.split(',').next())
        .collect();
    let mut text = "county,month,new_cases,new_deaths\n".to_string();
    for month in months {
        for (county, pair) in counties.iter().zip(month.counts.chunks(2)) {
            let _ = writeln!(text, "{county},{},{},{}", month.name, pair[0], pair[1]);
        }
    }
    std::fs::write(folder.path().join("months.csv"), text).map_err(|error| Problem::system(error.to_string()))?;
    Ok(folder)
}

/// The spec of one month, weighted by the month before or not.
fn declaration(
    folder: &std::path::Path,
    before: &str,
    month: &str,
    alpha: Option<&str>,
) -> Result<Declaration, Problem> {
    let spec = SPEC.replace(FILE, "months.csv").replace("2020-08", month).replace("2020-07", before);
    let spec = spec.replace("alpha = \"1/100\"", &format!("alpha = \"{}\"", alpha.unwrap_or("1")));
    let mut declaration = Declaration::parse(&spec, "spec.toml", folder)?;
    if alpha.is_none() {
        declaration.mechanism.base = None;
    }
    Ok(declaration)
}

/// Noise of rate 1/8, which the plain factor 2 buys for ε = 1 per record that moves four counts.
fn at_plain_rate(mut declaration: Declaration) -> Declaration {
    declaration.mechanism.per = Per::Unit;
    declaration.mechanism.strength = Strength::Epsilon(Rational::new(1, 8u8));
    declaration
}

/// Exact figures of a conditional law.
fn exact(declaration: Declaration, counts: &[i64]) -> Result<Errors, Problem> {
    let mechanism = Mechanism::new(declaration, counts.to_vec())?;
    let Mechanism { case, analysis, plan, .. } = &mechanism;
    let conditions = &case.conditions;
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let mut errors = Errors::default();
    for block in &analysis.blocks {
        let network = Network::new(conditions, &ground, &block.cells)?;
        let sampler = NetworkSampler::new(&network, TableNoise::from(&plan.law), counts, Ladder::Standard)?;
        let found = sampler.quantities().ok_or_else(|| Problem::system("a month has no exact laws"))?;
        for (cell, law) in &found.cells {
            let x = counts[*cell as usize];
            let (error, made_zero) = (law.mean_absolute(x), if x > 0 { law.probability(0) } else { 0.0 });
            match cell % 2 {
                0 => (errors.cases, errors.case_zeros) = (errors.cases + error, errors.case_zeros + made_zero),
                _ => (errors.deaths, errors.death_zeros) = (errors.deaths + error, errors.death_zeros + made_zero),
            }
        }
        for (row, law) in &found.rows {
            let row = &network.rows[*row as usize];
            let class = row.entries.first().map(|(class, _)| &network.classes[*class as usize]);
            let county = class.and_then(|class| class.cells.first()).map_or(0, |cell| *cell as usize / 2);
            let differ = counts[2 * county] != counts[2 * county + 1];
            if matches!(row.demand, Demand::AtMost(0) | Demand::AtLeast(0)) && row.entries.len() == 2 && differ {
                errors.rates += law.probability(0);
            }
        }
    }
    Ok(errors)
}

/// Figures of free noise, by its law.
fn unconstrained(mut declaration: Declaration, counts: &[i64]) -> Result<Errors, Problem> {
    declaration.mechanism.method = Method::Unconstrained;
    let mechanism = Mechanism::new(declaration, counts.to_vec())?;
    let a = (-mechanism.plan.law.parameter().to_f64()).exp();
    let probability = |noise: i64| (1.0 - a) / (1.0 + a) * a.powi(noise.unsigned_abs() as i32);
    let mut errors = Errors::default();
    for pair in counts.chunks(2) {
        let absolute = 2.0 * a / (1.0 - a * a);
        (errors.cases, errors.deaths) = (errors.cases + absolute, errors.deaths + absolute);
        let zero = |x: i64| if x > 0 { probability(x) } else { 0.0 };
        errors.case_zeros += zero(pair[0]);
        errors.death_zeros += zero(pair[1]);
        errors.below_zero += pair.iter().map(|x| a.powi(*x as i32 + 1) / (1.0 + a)).sum::<f64>();
        let gap = pair[0] - pair[1];
        if gap != 0 {
            // What is beyond weighs less than 10^−30.
            errors.rates += (-400..=400).map(|noise| probability(noise) * probability(noise + gap)).sum::<f64>();
        }
    }
    Ok(errors)
}

/// Means over draws of free noise that is then projected.
fn projected(mut declaration: Declaration, counts: &[i64], draws: u64) -> Result<Errors, Problem> {
    declaration.mechanism.method = Method::Project;
    declaration.mechanism.sampler = Some("project-nonnegative".to_owned());
    let mechanism = Mechanism::new(declaration, counts.to_vec())?;
    let noisy = mechanism.noisy_sums()?;
    let sampling = mechanism.sampling(&noisy)?;
    let mut means: [Summary; 5] = Default::default();
    for draw in 0..draws {
        let values = sampling.draw(&Seeded::draw(41, draw), &|_| {})?.into_values();
        let mut found = [0.0; 5];
        for (released, true_counts) in values.chunks(2).zip(counts.chunks(2)) {
            for measure in 0..2 {
                found[measure] += released[measure].abs_diff(true_counts[measure]) as f64;
                found[2 + measure] += f64::from(u8::from(released[measure] == 0 && true_counts[measure] > 0));
            }
            let differ = true_counts[0] != true_counts[1];
            found[4] += f64::from(u8::from(released[0] == released[1] && differ));
        }
        means.iter_mut().zip(found).for_each(|(mean, figure)| mean.push(figure));
    }
    let [cases, deaths, case_zeros, death_zeros, rates] = means.each_ref().map(Summary::mean);
    Ok(Errors { cases, deaths, case_zeros, death_zeros, rates, below_zero: 0.0 })
}

fn figure(shown: &[(&'static str, &[f64])]) -> String {
    let line = |(name, values): &(&'static str, &[f64])| {
        (*name, values.iter().enumerate().map(|(month, value)| (month as f64 + 1.0, *value)).collect())
    };
    let chart = Chart {
        label: "Pennsylvania, April 2020 to June 2021: expected Σ|error| by month",
        size: (640.0, 320.0),
        across: Axis::linear("month", 1.0, 15.0),
        up: Axis::linear("Σ|error|", 0.0, 2000.0),
        series: Series::lines(shown.iter().map(line)),
    };
    chart.file()
}

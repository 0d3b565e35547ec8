//! One law, whoever says it: on random small specs of every method the draws, the likelihood, the
//! posterior and the intervals of a release are those of one enumerated law. `CONGENIAL_SPECS` says
//! how many specs.

use crate::making::{WANTED, assert_law, energy, law, spec, tables};
use declare::{Declaration, Kind, Problem};
use infer::{Asked, Diagnosis, Field, How, Knowledge, Likelihood, Posterior, Query, Release, intervals, likelihood};
use plan::Case;
use std::collections::BTreeMap;
use testkit::{Random, goodness_of_fit};

/// Specs that every run of the tests tries.
const SPECS: u64 = 500;

/// How far noise without bounds is listed.
const FAR: i64 = 6;

/// The most tables that are weighed against each other.
const MOST: usize = 500;

/// Draws of every spec.
const DRAWS: u64 = 400;

type Weighed = Vec<(Vec<i64>, f64)>;

/// What a random spec declares, as the oracle knows it.
struct Declared {
    text: String,
    truth: Vec<i64>,
    bounded: bool,
    /// One ℓ₂ norm over all cells.
    norm: bool,
    /// By splits: its law is its own likelihood, that of the others is written here once more.
    cascade: bool,
    /// The means of a Poisson base measure, by cell.
    base: Option<Vec<f64>>,
}

fn pick<T: Copy>(chance: &mut Random, from: &[T]) -> T {
    from[chance.below(from.len() as u64) as usize]
}

/// A random spec.
fn declared(chance: &mut Random) -> Declared {
    let (rows, columns) = pick(chance, &[(1, 3), (1, 4), (2, 2), (2, 2), (2, 3)]);
    let bounded = rows * columns > 4 || chance.below(2) == 0;
    let totals = pick(
        chance,
        &[
            "[[invariant]]\nby = []\n",
            "[[invariant]]\nby = [\"row\"]\n",
            "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n",
            "[[invariant]]\nby = [\"row\"]\n",
            "[[invariant]]\nby = []\n[[invariant]]\nby = []\nwhere = \"column = 'c0'\"\n",
        ],
    );
    let most = if rows * columns > 4 { 2 } else { 4 };
    let mut truth: Vec<i64> = (0..rows * columns).map(|_| chance.below(most) as i64).collect();
    let mut rest = totals.to_string();
    if bounded && rows == 2 && chance.below(4) == 0 {
        rest += "[[constraints.rule]]\nby = [\"column\"]\nleft = \"row = 'r1'\"\nop = \"<=\"\nright = \"row = 'r0'\"\n";
        (0..columns).for_each(|column| truth[columns + column] = truth[columns + column].min(truth[column]));
    }
    let (mut norm, mut cascade, mut base) = (false, false, None);
    let queries = "[[mechanism.query]]\nby = [\"row\"]\nTERM = \"A\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nTERM = \"B\"\n";
    let mut mechanism = match chance.below(7) {
        0 | 1 => {
            format!("noise = \"double-geometric\"\nper = \"unit\"\nepsilon = \"{}\"\n", pick(chance, &["2", "5/2"]))
        }
        2 => format!("noise = \"discrete-gaussian\"\nper = \"unit\"\nrho = \"{}\"\n", pick(chance, &["1/2", "1"])),
        3 => {
            norm = true;
            format!("noise = \"lattice-laplace\"\nper = \"unit\"\nepsilon = \"{}\"\n", pick(chance, &["3", "7/2"]))
        }
        4 => {
            let queries = queries.replace("TERM", "epsilon").replace('A', "2").replace('B', "9/4");
            format!("noise = \"double-geometric\"\nper = \"unit\"\n{queries}")
        }
        _ => {
            cascade = true;
            let levels = rows == 2 && totals.contains("[]") && chance.below(2) == 0;
            let queries = queries.replace("TERM", "share").replace('A', "1/4").replace('B', "3/4");
            let queries = if levels { queries } else { String::new() };
            let order = if chance.below(2) == 0 { String::new() } else { order(chance, columns) };
            let rho = pick(chance, &["1/2", "1"]);
            format!(
                "method = \"cascade\"\nnoise = \"discrete-gaussian\"\nper = \"record\"\nrho = \"{rho}\"\n{order}{queries}"
            )
        }
    };
    if bounded
        && !norm
        && !cascade
        && mechanism.contains("geometric")
        && !mechanism.contains("query")
        && chance.below(3) == 0
    {
        let means: Vec<u64> = (0..columns).map(|_| 1 + chance.below(3)).collect();
        let lines: Vec<String> =
            means.iter().enumerate().map(|(column, mean)| format!("[\"c{column}\", \"{mean}\"]")).collect();
        mechanism += &format!(
            "[mechanism.base]\nlaw = \"poisson\"\nalpha = \"1\"\nadd = \"0\"\nvalues = {{ by = [\"column\"], rows = [{}] }}\n",
            lines.join(", ")
        );
        base = Some((0..rows * columns).map(|cell| means[cell % columns] as f64).collect());
    }
    rest += &format!("[constraints]\nnonnegative = {bounded}\n[mechanism]\n{mechanism}");
    // Rules stand in their own section, which was begun.
    if let Some((before, rule)) = rest.clone().split_once("[[constraints.rule]]") {
        let (rule, after) = rule.split_once("[constraints]").unwrap();
        rest = format!("{before}[constraints]{after}\n[[constraints.rule]]{rule}");
    }
    Declared { text: spec(rows, columns, &rest), truth, bounded, norm, cascade, base }
}

/// The values of a public order of the columns.
fn order(chance: &mut Random, columns: usize) -> String {
    let values: Vec<String> = (0..columns).map(|_| chance.below(4).to_string()).collect();
    format!(
        "order_by = {{ path = \"last.csv\", value = \"n\", sha256 = \"{}\", by = [\"column\"], values = \"{}\" }}\n",
        "0f".repeat(32),
        values.join(" ")
    )
}

impl Declared {
    /// The release of these counts, as it is read back from its canonical spec.
    fn release(&self, values: &[i64]) -> Result<Release, Problem> {
        let written = Declaration::parse_alone(&self.text, "spec")?.to_toml();
        let case = Case::of(Declaration::parse_alone(&written, "certificate")?)?;
        let plan = case.plan(&case.analyse(&case.totals(&self.truth)?)?)?;
        Release::new("r", case, plan, values.to_vec())
    }

    /// Minus the logarithm of the weight of a release of a table.
    fn log_weight(&self, release: &Release, y: &[i64], x: &[i64]) -> f64 {
        let noise = match self.norm {
            true => {
                let squares: i64 = y.iter().zip(x).map(|(a, b)| (a - b).pow(2)).sum();
                release.plan.law.parameter().to_f64() * (squares as f64).sqrt()
            }
            false => energy(release, y, x),
        };
        let base = self
            .base
            .iter()
            .flatten()
            .zip(y)
            .map(|(mean, count)| *count as f64 * mean.ln() - (1..=*count).map(|k| (k as f64).ln()).sum::<f64>());
        base.sum::<f64>() - noise
    }

    /// The tables that can be released of a table, and those that it can be of: without bounds as
    /// far as weights matter.
    fn possible(&self, release: &Release, around: &[i64]) -> Vec<Vec<i64>> {
        if self.bounded {
            let most = around.iter().sum::<i64>();
            let keep = |table: &[i64]| release.conditions.check_table(table).is_ok();
            return tables(&release.conditions, around, 0, most, &keep);
        }
        let zero = vec![0; around.len()];
        let noise = tables(&release.conditions, &zero, -FAR, FAR, &|_| true);
        noise.into_iter().map(|noise| noise.iter().zip(around).map(|(a, b)| a + b).collect()).collect()
    }

    /// ln P(y | x) for every y that can be released of x.
    fn law_of(&self, release: &Release, all: &[Vec<i64>], x: &[i64]) -> Result<BTreeMap<Vec<i64>, f64>, Problem> {
        if self.cascade {
            let log = |y: &Vec<i64>| {
                let one = Release { values: y.clone(), ..release.clone() };
                Ok((y.clone(), told(&one, x)?.unwrap_or(f64::NEG_INFINITY)))
            };
            return all.iter().map(log).collect();
        }
        let logs: Vec<f64> = all.iter().map(|y| self.log_weight(release, y, x)).collect();
        let z = logs.iter().map(|log| log.exp()).sum::<f64>().ln();
        Ok(all.iter().cloned().zip(logs).map(|(y, log)| (y, log - z)).collect())
    }
}

/// ln P of a release, as a reader is told; `None`: it is estimated, or known up to a number.
fn told(release: &Release, x: &[i64]) -> Result<Option<f64>, Problem> {
    Ok(match likelihood(release, &Field::of_release(release)?, x)? {
        Likelihood::Log(log) => Some(log),
        Likelihood::Impossible(_) => Some(f64::NEG_INFINITY),
        Likelihood::Relative(_) | Likelihood::Estimated(..) => None,
    })
}

/// How much was met.
#[derive(Debug, Default)]
struct Met {
    specs: u64,
    refused: u64,
    cascades: u64,
    draws: u64,
    likelihoods: u64,
    posteriors: u64,
    intervals: u64,
}

#[test]
fn draws_likelihoods_posteriors_and_intervals_are_of_one_law() {
    let wanted = std::env::var("CONGENIAL_SPECS").ok().and_then(|text| text.parse().ok()).unwrap_or(SPECS);
    let (mut chance, mut met) = (Random(2024), Met::default());
    for number in 0..wanted {
        let declared = declared(&mut chance);
        let release = match declared.release(&declared.truth) {
            Ok(release) => release,
            Err(problem) if problem.kind == Kind::Refused => {
                met.refused += 1;
                continue;
            }
            Err(problem) => panic!("{number}: {problem}\n{}", declared.text),
        };
        met.specs += 1;
        met.cascades += u64::from(declared.cascade);
        if let Err(problem) = check(&declared, &release, number, &mut met) {
            assert_eq!(problem.kind, Kind::Refused, "{number}: {problem}\n{}", declared.text);
            met.refused += 1;
        }
    }
    let enough =
        [met.specs, 4 * met.cascades, 2 * met.draws, 3 * met.likelihoods, 3 * met.posteriors, 8 * met.intervals];
    assert!(enough.iter().all(|count| 2 * count >= wanted), "{met:?}");
}

fn check(declared: &Declared, release: &Release, number: u64, met: &mut Met) -> Result<(), Problem> {
    let say = |what: &str| format!("{what} of {number}\n{}\n{:?}", declared.text, declared.truth);
    let truth = &declared.truth;
    let all = declared.possible(release, truth);
    if all.len() > MOST && (declared.bounded || declared.cascade) {
        return Ok(());
    }
    let law_of_truth = declared.law_of(release, &all, truth)?;
    let whole: f64 = law_of_truth.values().map(|log| log.exp()).sum();
    if declared.bounded {
        assert!((whole - 1.0).abs() < 1e-8, "{whole}: {}", say("all releases"));
    }
    // Draws.
    let field = Field::of_release(release)?;
    let sampler = field.sampler()?;
    let mut seen: BTreeMap<&[i64], u64> = BTreeMap::new();
    let mut last = truth.clone();
    for draw in 0..DRAWS {
        last = sampler.draw(&exact::Seeded::draw(number, draw), &|_| {}).unwrap().into_values();
        match law_of_truth.get_key_value(&last) {
            Some((table, log)) if log.is_finite() => *seen.entry(table).or_insert(0) += 1,
            // Far noise has next to no weight.
            _ => assert!(!declared.bounded, "{last:?}: {}", say("an impossible draw")),
        }
    }
    let counts: Vec<u64> = law_of_truth.keys().map(|table| seen.get(table.as_slice()).copied().unwrap_or(0)).collect();
    let masses: Vec<f64> = law_of_truth.values().map(|log| log.exp()).collect();
    if masses.iter().filter(|mass| **mass * DRAWS as f64 > 10.0).count() >= 2 {
        let masses: Vec<f64> = masses.iter().map(|mass| mass.min(1.0 - 1e-12)).collect();
        let fit = goodness_of_fit(&counts, &masses, DRAWS);
        assert!(fit.p_value > testkit::level(1000), "{fit:?}: {}", say("draws"));
        met.draws += 1;
    }
    // The likelihood of every table that the last draw may be of.
    let released = Release { values: last.clone(), ..release.clone() };
    let field = Field::of_release(&released)?;
    let mut weighed: Weighed = Vec::new();
    let mut checked = 0;
    for x in declared.possible(release, &last) {
        let expected = match declared.cascade {
            true => match likelihood(&released, &field, &x)? {
                Likelihood::Log(log) => log,
                _ => f64::NEG_INFINITY,
            },
            // Without bounds the noise is the same around every table.
            false if !declared.bounded => {
                declared.log_weight(release, &last, &x) - declared.log_weight(release, truth, truth)
                    + law_of_truth[truth]
            }
            false => declared.law_of(release, &all, &x)?[&last],
        };
        if checked < 60
            && let Likelihood::Log(log) = likelihood(&released, &field, &x)?
        {
            checked += 1;
            assert!((log - expected).abs() < 1e-7, "{log} {expected} {x:?}: {}", say("the likelihood"));
        }
        weighed.push((x, expected.exp()));
    }
    met.likelihoods += u64::from(checked > 0);
    // What a reader may believe who knows that no count is below zero.
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    weighed.retain(|(x, _)| x.iter().all(|count| *count >= 0));
    let releases = [released];
    let queries = Query::cells(&release.domain);
    match Posterior::new(&releases, &knowledge, WANTED) {
        Err(problem) if matches!(problem.kind, Kind::Refused) => {}
        Err(problem) => panic!("{problem}: {}", say("the posterior")),
        Ok(posterior) => {
            met.posteriors += 1;
            let laws = posterior.laws(&queries);
            for ((query, law_told), believed) in
                queries.iter().zip(laws).zip(posterior.believed(&queries, 0.9, WANTED)?)
            {
                let expected = law(&weighed, query);
                let mean: f64 = expected.iter().map(|(value, mass)| *value as f64 * mass).sum();
                let variance: f64 = expected.iter().map(|(value, mass)| (*value as f64 - mean).powi(2) * mass).sum();
                let effective = posterior.basis.diagnoses.iter().map(|diagnosis| match diagnosis {
                    Diagnosis::Importance { draws, effective } => *draws as f64 * effective,
                    Diagnosis::Exchange { effective, .. } => *effective,
                    _ => 50.0,
                });
                let effective = effective.fold(WANTED.draws as f64, f64::min);
                if let (Some(found), true) = (law_told, posterior.basis.exact) {
                    assert_law(&found, &expected, 1e-5);
                }
                let error = if posterior.basis.exact && believed.draws.is_none() {
                    1e-4
                } else {
                    (variance / effective).sqrt()
                };
                assert!(
                    (believed.mean - mean).abs() <= testkit::deviations(20_000) * error + 1e-4,
                    "{believed:?} {mean} ± {error}, {:?}: {}",
                    posterior.basis,
                    say("the mean")
                );
            }
        }
    }
    // Intervals, where they do not depend on the truth.
    if declared.bounded {
        return Ok(());
    }
    let asked = Asked::new(0.9, 999, 1).unwrap();
    let across = Query::new("q", (0..truth.len() as u32).map(|cell| (cell, [2, 0, -1, 1][cell as usize % 4]))).unwrap();
    let queries: Vec<Query> = queries.into_iter().chain([across]).collect();
    match intervals(release, &queries, asked) {
        Err(problem) if problem.kind == Kind::Refused => {}
        Err(problem) => panic!("{problem}: {}", say("intervals")),
        Ok(found) => {
            met.intervals += 1;
            for (query, interval) in queries.iter().zip(found) {
                let own = query.value(truth);
                let within = |reach: i128| {
                    let held = law_of_truth.iter().filter(|(y, _)| (query.value(y) - own).abs() <= reach);
                    held.map(|(_, log)| log.exp()).sum::<f64>() / whole
                };
                let reach = i128::from(interval.reach);
                let slack = if interval.how == How::Exact { 1e-6 } else { 0.1 };
                assert!(within(reach) >= 0.9 - slack, "{interval:?} {}: {}", within(reach), say("an interval"));
                if interval.how == How::Exact && reach > 0 {
                    assert!(within(reach - 1) < 0.9 + slack, "{interval:?}: {}", say("an interval too long"));
                }
            }
        }
    }
    Ok(())
}

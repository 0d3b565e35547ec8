//! Releases weighted by a base measure against enumeration: normalisers, likelihoods, posteriors of
//! every kind, models and tests; and the mutants that must fail.

use crate::making::{WANTED, assert_law, drawn, energy, law, release, spec, tables, try_release};
use infer::model::{Asking, Below, Model, Sampler, Sought, Wished, fit};
use infer::testing::{Association, Hypothesis, Statistic, Trial, test};
use infer::{
    Cancel, Diagnosis, Field, Knowledge, KnownTotals, Likelihood, Posterior, Prior, Query, Release, Wanted, likelihood,
};

const TOTAL: &str = "[[invariant]]\nby = []\n";
const PAIRS: &str = "[[invariant]]\nby = []\nwhere = \"row = 'r0'\"\n[[constraints.rule]]\nby = [\"column\"]\nleft = \"row = 'r1'\"\nop = \"<=\"\n\
                     right = \"row = 'r0'\"\n";
const MARGINS: &str = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";

/// What weighs the counts of one cell, written once more.
#[derive(Clone, Debug)]
enum Weight {
    Rising(f64),
    Poisson(f64),
    Listed(Vec<(i64, f64)>),
    One,
}

impl Weight {
    fn log(&self, y: i64) -> f64 {
        match self {
            Weight::Rising(a) => (0..y).map(|k| ((k as f64 + a) / (k as f64 + 1.0)).ln()).sum(),
            Weight::Poisson(a) => (0..y).map(|k| (a / (k as f64 + 1.0)).ln()).sum(),
            Weight::Listed(weights) => {
                weights.iter().find(|(value, _)| *value == y).map_or(0.0, |(_, weight)| weight.ln())
            }
            Weight::One => 0.0,
        }
    }
}

/// A weighted spec, and the weights of its cells.
struct Weighted {
    text: String,
    weights: Vec<Weight>,
}

/// The law of a base measure, by which public counts or weights of columns in the first row become
/// weights of cells.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Rising,
    Poisson,
    Listed,
}

/// Public counts by column weigh the cells of the first row, or of all rows.
fn weighted(rows: usize, columns: usize, rest: &str, epsilon: &str, kind: Kind, counts: &[i64], all: bool) -> Weighted {
    let (alpha, add) = (0.2, 0.5);
    let value = |count: i64| alpha * (count as f64 + add);
    let listed = |count: i64| vec![(0, count as f64), (1, 2.5), (count + 1, 3.0)];
    let weight = |column: usize| match kind {
        Kind::Rising => Weight::Rising(value(counts[column])),
        Kind::Poisson => Weight::Poisson(value(counts[column])),
        Kind::Listed => Weight::Listed(listed(counts[column])),
    };
    let of = |cell: usize| if all || cell < columns { weight(cell % columns) } else { Weight::One };
    let cells = if all { String::new() } else { "cells = \"row = 'r0'\"\n".to_string() };
    let lines = |column: usize| match kind {
        Kind::Listed => {
            let row = |(value, weight): (i64, f64)| format!("[\"c{column}\", \"{value}\", \"{weight}\"]");
            listed(counts[column]).into_iter().map(row).collect::<Vec<_>>()
        }
        _ => vec![format!("[\"c{column}\", \"{}\"]", counts[column])],
    };
    let values = (0..columns).flat_map(lines).collect::<Vec<_>>().join(", ");
    let law = match kind {
        Kind::Rising => "law = \"dirichlet-multinomial\"\nalpha = \"1/5\"\nadd = \"1/2\"\n",
        Kind::Poisson => "law = \"poisson\"\nalpha = \"1/5\"\nadd = \"1/2\"\n",
        Kind::Listed => "law = \"weights\"\n",
    };
    let rest = format!(
        "{rest}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n[mechanism.base]\n{law}{cells}\
         values = {{ by = [\"column\"], rows = [{values}] }}\n"
    );
    Weighted { text: spec(rows, columns, &rest), weights: (0..rows * columns).map(of).collect() }
}

impl Weighted {
    fn log_base(&self, y: &[i64]) -> f64 {
        y.iter().zip(&self.weights).map(|(count, weight)| weight.log(*count)).sum()
    }

    /// ln Z with the base measure to some power: 1 is right, 0 leaves it out of Z, 2 counts it
    /// twice.
    fn log_z(&self, release: &Release, all: &[Vec<i64>], x: &[i64], power: f64) -> f64 {
        let log = |y: &Vec<i64>| {
            let base = self.log_base(y);
            (if power == 0.0 { 0.0 } else { power * base }) - energy(release, y, x)
        };
        let logs: Vec<f64> = all.iter().map(log).collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + logs.iter().map(|log| (log - top).exp()).sum::<f64>().ln()
    }

    /// All true tables with the weights of the posterior, or of a mutant.
    fn posterior(
        &self,
        release: &Release,
        all: &[Vec<i64>],
        mutant: Mutant,
        beside: &dyn Fn(&[i64]) -> f64,
    ) -> Vec<(Vec<i64>, f64)> {
        let log = |x: &Vec<i64>| {
            let z = match mutant {
                Mutant::None => self.log_z(release, all, x, 1.0),
                Mutant::WithoutZ => 0.0,
                Mutant::ZWithoutBase => self.log_z(release, all, x, 0.0),
                Mutant::BaseTwice => self.log_z(release, all, x, 2.0),
                Mutant::BaseOfTheTruth => self.log_z(release, all, x, 1.0) - self.log_base(x),
            };
            -energy(release, &release.values, x) - z + beside(x)
        };
        all.iter().map(|x| (x.clone(), log(x).exp())).collect()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mutant {
    None,
    WithoutZ,
    ZWithoutBase,
    BaseTwice,
    BaseOfTheTruth,
}

const MUTANTS: [Mutant; 4] = [Mutant::WithoutZ, Mutant::ZWithoutBase, Mutant::BaseTwice, Mutant::BaseOfTheTruth];

fn possible(release: &Release, high: i64) -> Vec<Vec<i64>> {
    tables(&release.conditions, &release.values, 0, high, &|table| release.conditions.check_table(table).is_ok())
}

/// The largest difference of laws of single cells.
fn apart(one: &[(Vec<i64>, f64)], two: &[(Vec<i64>, f64)], cells: usize) -> f64 {
    let of = |cell: usize| {
        let query = Query::new("q", [(cell as u32, 1)]).unwrap();
        let (one, two) = (law(one, &query), law(two, &query));
        one.iter().map(|(value, mass)| (mass - two.get(value).unwrap_or(&0.0)).abs()).fold(0.0, f64::max)
    };
    (0..cells).map(of).fold(0.0, f64::max)
}

/// Random small declarations: totals, pairs with a rule, margins that cross, no total; every law;
/// some or all cells weighted.
fn settings() -> Vec<(Weighted, Vec<i64>)> {
    let mut random = testkit::Random(20);
    let mut found = Vec::new();
    for round in 0..36 {
        let kind = [Kind::Rising, Kind::Poisson, Kind::Listed][round % 3];
        let epsilon = ["1", "3/2", "5/2"][random.below(3) as usize];
        let (rows, columns, rest) =
            [(1, 3, TOTAL), (2, 2, PAIRS), (2, 2, TOTAL), (2, 3, MARGINS)][random.below(4) as usize];
        let counts: Vec<i64> = (0..columns).map(|_| 1 + random.below(6) as i64).collect();
        let mut values: Vec<i64> = (0..rows * columns).map(|_| random.below(4) as i64).collect();
        if rest == PAIRS {
            (0..columns).for_each(|column| values[columns + column] = values[columns + column].min(values[column]));
        }
        let made = weighted(rows, columns, rest, epsilon, kind, &counts, random.below(2) == 0);
        // Where totals alone give the table away there is no release.
        match try_release(&made.text, &values) {
            Ok(_) => found.push((made, values)),
            Err(problem) => assert!(problem.message.contains("alone give every cell"), "{problem}"),
        }
    }
    assert!(found.len() > 24, "{}", found.len());
    found
}

#[test]
fn likelihoods_hold_the_base_measure_in_release_and_normaliser() {
    for (number, (made, values)) in settings().into_iter().enumerate() {
        let release = release(&made.text, &values);
        let field = Field::of_release(&release).unwrap();
        let all = possible(&release, values.iter().sum::<i64>().max(1));
        let fixed: Vec<usize> = release.plan.fixed.iter().map(|(cell, _)| *cell).collect();
        for x in all.iter().step_by(all.len() / 5 + 1) {
            let direct = made.log_base(&values) - energy(&release, &values, x) - made.log_z(&release, &all, x, 1.0);
            let found = likelihood(&release, &field, x).unwrap();
            let Likelihood::Log(found) = found else { panic!("{found:?}") };
            assert!(
                (found - direct).abs() < 1e-12 * direct.abs().max(1.0),
                "{number}, {x:?}: {found} {direct}, {fixed:?}"
            );
        }
        // All probabilities of one table add up to one.
        let x = &all[0];
        let logs = all.iter().map(|y| {
            let other = Release { values: y.clone(), ..release.clone() };
            likelihood(&other, &Field::of_release(&other).unwrap(), x).unwrap().value().unwrap()
        });
        let whole: f64 = logs.map(f64::exp).sum();
        assert!((whole - 1.0).abs() < 1e-11, "{number}: {whole}");
    }
}

#[test]
fn posteriors_of_few_tables_are_listed() {
    let poisson = |means: &[f64], x: &[i64]| -> f64 {
        x.iter().zip(means).map(|(n, mean)| (1..=*n).map(|k| (mean / k as f64).ln()).sum::<f64>()).sum()
    };
    for (number, (made, values)) in settings().into_iter().enumerate() {
        let releases = [release(&made.text, &values)];
        let all = possible(&releases[0], values.iter().sum::<i64>().max(1));
        let means: Vec<f64> = (0..values.len()).map(|cell| 0.7 + cell as f64).collect();
        for prior in [Prior::Flat, Prior::Poisson { means: means.clone() }] {
            let beside = |x: &[i64]| if prior == Prior::Flat { 0.0 } else { poisson(&means, x) };
            let expected = made.posterior(&releases[0], &all, Mutant::None, &beside);
            let knowledge = Knowledge { prior: prior.clone(), nonnegative: number % 2 == 0, ..Knowledge::default() };
            let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
            assert!(posterior.basis.exact && posterior.basis.fact.starts_with("a base measure"), "{number}");
            for (query, found) in
                Query::cells(&releases[0].domain).iter().zip(posterior.laws(&Query::cells(&releases[0].domain)))
            {
                assert_law(&found.unwrap(), &law(&expected, query), 1e-11);
            }
            // Most mutants are other posteriors; where a fibre is small enough some agree.
            if all.len() > 30 && prior == Prior::Flat {
                let differ = MUTANTS.iter().filter(|mutant| {
                    apart(&expected, &made.posterior(&releases[0], &all, **mutant, &beside), values.len()) > 1e-3
                });
                assert!(differ.count() >= 3, "{number}");
            }
        }
    }
}

/// Draws weighted by 1/Z(x) and chains in which it cancels have the enumerated posterior; each
/// mutant is rejected by the same test.
#[test]
fn draws_and_chains_have_the_enumerated_posterior() {
    let cases = [
        (weighted(1, 3, TOTAL, "1/2", Kind::Rising, &[1, 6, 2], true), vec![0, 7, 2]),
        (weighted(2, 2, PAIRS, "1", Kind::Rising, &[1, 3], false), vec![1, 6, 0, 2]),
        (weighted(1, 3, TOTAL, "1/2", Kind::Poisson, &[20, 2, 9], true), vec![0, 7, 2]),
        (weighted(1, 3, TOTAL, "1/2", Kind::Listed, &[7, 1, 3], true), vec![0, 7, 2]),
        (weighted(2, 3, MARGINS, "1", Kind::Rising, &[4, 1, 1], true), vec![0, 4, 1, 5, 0, 2]),
    ];
    for (number, (made, values)) in cases.into_iter().enumerate() {
        let releases = [release(&made.text, &values)];
        let all = possible(&releases[0], values.iter().sum());
        let expected = made.posterior(&releases[0], &all, Mutant::None, &|_| 0.0);
        for (cancel, draws, tolerance) in [(Cancel::Importance, 20_000, 0.015), (Cancel::Exchange, 40_000, 0.03)] {
            let knowledge = Knowledge::default();
            let posterior = Posterior::new(&releases, &knowledge, Wanted { cancel, draws, seed: 6 }).unwrap();
            assert!(!posterior.basis.exact);
            match &posterior.basis.diagnoses[0] {
                Diagnosis::Importance { effective, .. } => assert!(*effective > 0.5, "{number}: {effective}"),
                Diagnosis::Exchange { effective, .. } => assert!(*effective > 1000.0, "{number}: {effective}"),
                other => panic!("{other:?}"),
            }
            for query in Query::cells(&releases[0].domain) {
                let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
                assert_law(&found, &law(&expected, &query), tolerance);
            }
        }
        for (place, mutant) in MUTANTS.into_iter().enumerate() {
            // Squares of Poisson weights are hardly told from them by so few counts: the listed
            // posteriors above tell them apart.
            if mutant == Mutant::BaseTwice && number == 2 {
                continue;
            }
            let other = made.posterior(&releases[0], &all, mutant, &|_| 0.0);
            assert!(apart(&expected, &other, values.len()) > 0.025, "{number}: mutant {place} is not told apart");
        }
    }
}

/// Without a total the fibre has no end: every cell by itself.
#[test]
fn cells_by_themselves_under_a_base_measure() {
    for kind in [Kind::Rising, Kind::Listed] {
        let made = weighted(1, 3, "", "1/2", kind, &[3, 1, 8], true);
        let releases = [release(&made.text, &[0, 4, 9])];
        let epsilon = releases[0].plan.law.energy(1).to_f64();
        let noise = |away: i64| -epsilon * away.abs() as f64;
        let knowledge = Knowledge::default();
        let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
        assert!(posterior.basis.exact && matches!(posterior.basis.diagnoses[0], Diagnosis::Alone { cells: 3 }));
        let laws = posterior.laws(&Query::cells(&releases[0].domain));
        let field = Field::of_release(&releases[0]).unwrap();
        let log_zeta = |cell: usize, x: i64| -> f64 {
            (0..600).map(|y| (made.weights[cell].log(y) + noise(y - x)).exp()).sum::<f64>().ln()
        };
        for ((cell, y), found) in releases[0].values.iter().enumerate().zip(laws) {
            let weights: Vec<f64> = (0..300).map(|x| (noise(y - x) - log_zeta(cell, x)).exp()).collect();
            let whole: f64 = weights.iter().sum();
            let found = found.unwrap();
            for (x, weight) in weights.iter().enumerate() {
                assert!((found.probability(x as i64) - weight / whole).abs() < 1e-12, "{kind:?} {cell} {x}");
            }
        }
        let x = [2, 0, 11];
        let direct: f64 = (0..3)
            .map(|cell| {
                let y = releases[0].values[cell];
                made.weights[cell].log(y) + noise(y - x[cell]) - log_zeta(cell, x[cell])
            })
            .sum();
        let found = likelihood(&releases[0], &field, &x).unwrap().value().unwrap();
        assert!((found - direct).abs() < 1e-12 * direct.abs().max(1.0), "{kind:?}: {found} {direct}");
    }
    // Poisson weights outweigh the noise: any large true count is as likely, and that is said.
    let made = weighted(1, 3, "", "1/2", Kind::Poisson, &[3, 1, 8], true);
    let releases = [release(&made.text, &[0, 4, 9])];
    let problem = Posterior::new(&releases, &Knowledge::default(), WANTED).unwrap_err();
    assert!(problem.message.contains("no flat prior gives a posterior"), "{problem}");
    assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("--prior poisson:FILE")), "{problem:?}");
    let knowledge = Knowledge { prior: Prior::Poisson { means: vec![2.0, 3.0, 7.0] }, ..Knowledge::default() };
    assert!(Posterior::new(&releases, &knowledge, WANTED).unwrap().basis.exact);
}

/// No interval comes from the noise: the law of the release is not a shifted one, bounds or not.
#[test]
fn facts_of_a_location_family_are_not_claimed() {
    let made = weighted(1, 3, TOTAL, "1/2", Kind::Rising, &[1, 6, 2], true);
    let release = release(&made.text, &[0, 7, 2]);
    assert!(!release.is_free() && matches!(release.known, infer::Known::Bounded { .. }));
    assert!(release.known.in_words().contains("a base measure"), "{}", release.known.in_words());
    let problem = infer::check_free(&release).unwrap_err();
    assert!(problem.message.contains("base measure"), "{problem}");
}

/// A weighted release, one without bounds and one weighted otherwise, of one table.
#[test]
fn several_releases_multiply() {
    let one = weighted(1, 3, TOTAL, "1", Kind::Rising, &[1, 6, 2], true);
    let two = weighted(1, 3, TOTAL, "3/2", Kind::Poisson, &[9, 2, 2], true);
    let free = spec(1, 3, &crate::making::free(TOTAL, "1/2"));
    let releases = [release(&one.text, &[0, 6, 2]), release(&two.text, &[3, 4, 1]), release(&free, &[-1, 8, 1])];
    let all = possible(&releases[0], 8);
    for number in [2, 3] {
        // The first with the one without bounds, then all three.
        let chosen = match number {
            2 => vec![releases[0].clone(), releases[2].clone()],
            _ => releases.to_vec(),
        };
        let beside = |x: &[i64]| {
            let second = if number == 3 {
                -energy(&releases[1], &releases[1].values, x) - two.log_z(&releases[1], &all, x, 1.0)
            } else {
                0.0
            };
            second - energy(&releases[2], &releases[2].values, x)
        };
        let expected = one.posterior(&releases[0], &all, Mutant::None, &beside);
        let knowledge = Knowledge::default();
        for (cancel, tolerance) in [(Cancel::Automatic, 1e-10), (Cancel::Importance, 0.02), (Cancel::Exchange, 0.03)] {
            let posterior = Posterior::new(&chosen, &knowledge, Wanted { cancel, draws: 20_000, seed: 8 }).unwrap();
            for query in Query::cells(&releases[0].domain) {
                let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
                assert_law(&found, &law(&expected, &query), tolerance);
            }
        }
    }
}

/// Rules and totals that a reader adds.
#[test]
fn a_reader_knows_more() {
    let made = weighted(2, 2, TOTAL, "1", Kind::Rising, &[4, 1], true);
    let releases = [release(&made.text, &[2, 0, 1, 4])];
    let file = std::env::temp_dir().join(format!("infer-base-{}.csv", std::process::id()));
    std::fs::write(&file, "column,value\nc0,4\nc1,3\n").unwrap();
    let all = possible(&releases[0], 7);
    let knowledge = Knowledge {
        rules: vec!["sum(row = 'r1') <= sum(row = 'r0') by column".into()],
        totals: vec![KnownTotals { file: file.clone(), by: vec!["column".into()], filter: None }],
        ..Knowledge::default()
    };
    let holds = |x: &[i64]| x[2] <= x[0] && x[3] <= x[1] && x[0] + x[2] == 4 && x[1] + x[3] == 3;
    let mut expected = made.posterior(&releases[0], &all, Mutant::None, &|_| 0.0);
    expected.retain(|(x, _)| holds(x));
    for (cancel, tolerance) in [(Cancel::Automatic, 1e-11), (Cancel::Importance, 0.02), (Cancel::Exchange, 0.03)] {
        let posterior = Posterior::new(&releases, &knowledge, Wanted { cancel, draws: 40_000, seed: 8 }).unwrap();
        for query in Query::cells(&releases[0].domain) {
            let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
            assert_law(&found, &law(&expected, &query), tolerance);
        }
    }
    std::fs::remove_file(file).unwrap();
}

/// So many counts that nothing is listed: normalisers by the circle are those of messages, around
/// the release and far from it.
#[test]
fn normalisers_of_many_weighted_cells_are_those_of_messages() {
    let counts: Vec<i64> = (0..25).map(|cell| [2, 3, 40, 150][cell % 4]).collect();
    for (rows, rest, kind) in
        [(1, TOTAL, Kind::Rising), (2, PAIRS, Kind::Rising), (1, TOTAL, Kind::Poisson), (1, TOTAL, Kind::Listed)]
    {
        let made = weighted(rows, 25, rest, "1/4", kind, &counts, rows == 1);
        let values: Vec<i64> =
            (0..rows * 25).map(|cell| if cell < 25 { counts[cell] / 2 + 2 } else { counts[cell - 25] / 8 }).collect();
        let mut far = values.clone();
        let moved: i64 = far[3] - 2;
        (far[3], far[0]) = (2, far[0] + moved);
        if rows == 2 {
            far[28] = far[28].min(2);
        }
        for table in [values.clone(), far] {
            let release = release(&made.text, &table);
            let field = Field::of_release(&release).unwrap();
            let told = field.cell_laws().unwrap().log_normaliser.unwrap();
            let like = Release { values: values.clone(), ..release.clone() };
            let found = likelihood(&like, &Field::of_release(&like).unwrap(), &table).unwrap().value().unwrap();
            let direct = made.log_base(&values) - energy(&release, &values, &table) - told;
            assert!((found - direct).abs() < 1e-10 * direct.abs().max(1.0), "{kind:?} {rows}: {found} {direct}");
        }
        // And draws of it keep what the release keeps.
        let releases = [release(&made.text, &values)];
        let knowledge = Knowledge::default();
        let wanted = Wanted { cancel: Cancel::Automatic, draws: 400, seed: 5 };
        let posterior = Posterior::new(&releases, &knowledge, wanted)
            .unwrap_or_else(|problem| panic!("{kind:?} in {rows} rows: {problem}"));
        match &posterior.basis.diagnoses[0] {
            Diagnosis::Importance { draws: 400, effective } => assert!(*effective > 0.15, "{kind:?}: {effective}"),
            other => panic!("{other:?}"),
        }
        posterior
            .draw(50, 8, &mut |_, table| {
                assert!(releases[0].conditions.check_table(table).is_ok());
                assert_eq!(table[..25].iter().sum::<i64>(), values[..25].iter().sum::<i64>());
                Ok(())
            })
            .unwrap();
    }
}

/// Simulation-based calibration: the rank of the truth among posterior draws is uniform when the
/// truth comes from the flat prior.
#[test]
fn ranks_are_uniform_under_a_base_measure() {
    let total = weighted(1, 3, TOTAL, "1", Kind::Rising, &[1, 6, 2], true);
    let soft = weighted(1, 3, TOTAL, "1/2", Kind::Rising, &[3, 6, 4], true);
    let pairs = weighted(2, 2, PAIRS, "1", Kind::Poisson, &[4, 1], false);
    let settings = [
        ("listed", &total, vec![3, 3, 3], Cancel::Automatic),
        ("importance", &total, vec![3, 3, 3], Cancel::Importance),
        ("exchange", &soft, vec![3, 3, 3], Cancel::Exchange),
        ("pairs", &pairs, vec![3, 3, 1, 1], Cancel::Importance),
    ];
    for (name, made, like, cancel) in settings {
        let like = release(&made.text, &like);
        let all = possible(&like, 9);
        let chain = cancel == Cancel::Exchange;
        let wanted = Wanted { cancel, draws: if chain { 3000 } else { 600 }, seed: 3 };
        let rounds = if chain { 1u64 } else { 5 };
        let mut counts = [0u64; 5];
        let mut random = testkit::Random(98);
        for round in 0..rounds {
            for (number, x) in all.iter().enumerate() {
                let seed = round * 1000 + number as u64;
                let releases = [drawn(&release(&made.text, x), 43, seed)];
                let knowledge = Knowledge::default();
                let posterior = Posterior::new(&releases, &knowledge, Wanted { seed, ..wanted }).unwrap();
                let (mut below, mut equal) = (0u64, 0u64);
                posterior
                    .draw(4, seed, &mut |_, table| {
                        below += u64::from(table[0] < x[0]);
                        equal += u64::from(table[0] == x[0]);
                        Ok(())
                    })
                    .unwrap();
                counts[(below + random.below(equal + 1)) as usize] += 1;
            }
        }
        let total: u64 = counts.iter().sum();
        let fit = testkit::goodness_of_fit(&counts, &[0.2; 5], total);
        assert!(fit.p_value > 1e-4, "{name}: {counts:?}");
    }
}

/// Rates learnt from a weighted release, by chains that compute Z, that let it cancel, and from
/// lists.
#[test]
fn models_learn_from_weighted_releases() {
    let made = weighted(1, 3, TOTAL, "1", Kind::Rising, &[1, 6, 2], true);
    let releases = [release(&made.text, &[0, 7, 2])];
    let all = possible(&releases[0], 9);
    let (shape, rate) = (2.0, 1.0);
    let log_gamma = statrs::function::gamma::ln_gamma;
    // Rates of cells are gamma: given the table each has mean (shape + n)/(rate + 1).
    let beside = |x: &[i64]| -> f64 {
        x.iter()
            .map(|n| {
                log_gamma(shape + *n as f64) - log_gamma(*n as f64 + 1.0) - (shape + *n as f64) * f64::ln(rate + 1.0)
            })
            .sum()
    };
    let expected = made.posterior(&releases[0], &all, Mutant::None, &beside);
    let whole: f64 = expected.iter().map(|(_, weight)| weight).sum();
    let sought = |cell: u32| Sought { name: format!("rate {cell}"), above: vec![cell], below: Below::Exposures };
    let asking = Asking {
        model: Model::PoissonGamma { shape, rate },
        group_of: vec![0, 1, 2],
        exposures: vec![1.0; 3],
        family_of: vec![0; 3],
        families: vec![String::new()],
        sought: (0..3).map(sought).collect(),
    };
    for (sampler, cancel) in [
        (Sampler::Gibbs, Cancel::Automatic),
        (Sampler::Gibbs, Cancel::Exchange),
        (Sampler::Importance, Cancel::Automatic),
    ] {
        let wished = Wished { draws: 20_000, seed: 5, sampler, cancel, level: 0.9, against: None };
        let fitted = fit(&releases, &Knowledge::default(), &asking, &wished).unwrap();
        for (cell, found) in fitted.rates.iter().enumerate() {
            let mean = expected.iter().map(|(x, weight)| weight * (shape + x[cell] as f64) / (rate + 1.0)).sum::<f64>()
                / whole;
            let error = found.deviation / found.effective.sqrt();
            assert!(
                (found.mean - mean).abs() < 4.5 * error,
                "{sampler:?} {cancel:?} {cell}: {} {mean} ± {error}",
                found.mean
            );
        }
    }
}

/// Tests release tables under the hypothesis by the plan, base measure and all: p-values of true
/// hypotheses are valid.
#[test]
fn tests_draw_releases_with_the_base_measure() {
    let made = weighted(2, 3, MARGINS, "1", Kind::Rising, &[4, 1, 1], true);
    let truth = release(&made.text, &[3, 2, 1, 6, 4, 2]);
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_string()).collect::<Vec<String>>();
    let (rows, columns) = (names(&["row"]), names(&["column"]));
    let hypothesis = Hypothesis::association(&truth.domain, Association::Independence, &rows, &columns, &[]).unwrap();
    let mut small = 0;
    const RUNS: u64 = 150;
    for run in 0..RUNS {
        let of_table = |seed: u64| {
            // A table with these margins under independence: labels paired at random.
            let mut random = testkit::Random(1000 + seed);
            let mut columns: Vec<usize> = [vec![0; 9], vec![1; 6], vec![2; 3]].concat();
            for place in (1..columns.len()).rev() {
                columns.swap(place, random.below(place as u64 + 1) as usize);
            }
            let mut table = vec![0i64; 6];
            columns.iter().enumerate().for_each(|(person, column)| table[if person < 6 { 0 } else { 3 } + column] += 1);
            table
        };
        let released = drawn(&release(&made.text, &of_table(run)), 44, run);
        let statistic = if run % 2 == 0 { Statistic::Pearson } else { Statistic::LikelihoodRatio };
        let found = test(&released, &hypothesis, &statistic, Trial::new(19, run, 0.05, None).unwrap()).unwrap();
        assert!(found.exact);
        small += u64::from(found.p_value <= 0.0501);
    }
    // One in twenty, and four standard deviations more.
    assert!(small as f64 <= RUNS as f64 * 0.05 + 4.0 * (RUNS as f64 * 0.05 * 0.95).sqrt(), "{small}");
}

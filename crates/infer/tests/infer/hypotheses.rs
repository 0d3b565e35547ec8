//! Tests of hypotheses: sizes over fresh releases of many kinds, mutants, published values, and
//! what is refused.

use crate::making::{free, release, spec, try_release};
use exact::urn::{multinomial, two_way};
use exact::{Seeded, Source};
use infer::testing::{
    Approximation, Association, Hypothesis, Statistic, Tested, Trial, statistics, test, test_equality,
};
use infer::{Origin, Query, Release};

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_string()).collect()
}

fn two_by(release: &Release) -> Hypothesis {
    Hypothesis::association(&release.domain, Association::Independence, &names(&["row"]), &names(&["column"]), &[])
        .unwrap()
}

fn trial(draws: u64, seed: u64) -> Trial {
    Trial::new(draws, seed, 0.05, None).unwrap()
}

/// A release of a table whose true counts are `truth`: drawn by its own plan.
fn drawn(text: &str, truth: &[i64], seed: u64, draw: u64) -> Release {
    crate::making::drawn(&release(text, truth), seed, draw)
}

/// A release, or nothing where the exact totals alone give the table away: that depends on them
/// alone.
fn perhaps_drawn(text: &str, truth: &[i64], seed: u64, draw: u64) -> Option<Release> {
    match try_release(text, truth) {
        Ok(release) => Some(crate::making::drawn(&release, seed, draw)),
        Err(problem) => {
            assert!(problem.message.contains("alone give every cell"), "{}", problem.message);
            None
        }
    }
}

/// Both margins exact, with noise, bounds or another method.
const MARGINS: &str = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";

fn bounded(invariants: &str, epsilon: &str) -> String {
    format!("{invariants}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n")
}

fn strata(rows: usize, columns: usize, strata: usize, rest: &str) -> String {
    let labels: Vec<String> = (0..strata).map(|number| format!("\"s{number}\"")).collect();
    spec(rows, columns, &format!("stratum = [{}]\n{rest}", labels.join(", ")))
}

/// Tables with random margins, as independence has them: every record gets a row and a column by
/// itself.
fn independent(rows: &[u64], columns: &[u64], records: u64, seed: u64, draw: u64) -> Vec<i64> {
    let mut bits = Seeded::draw(seed, draw).stream(7).unwrap();
    let rows = multinomial(&mut bits, records, rows);
    let columns = multinomial(&mut bits, records, columns);
    two_way(&mut bits, &rows, &columns).into_iter().map(|count| count as i64).collect()
}

/// So many releases of true hypotheses in every setting, each tested with so few draws.
const RELEASES: u64 = 200;
const DRAWS: u64 = 39;

/// Whether p-values are at most α too often to be valid: by too many standard errors at any of some
/// levels.
fn too_small(p_values: &[f64]) -> Option<f64> {
    // Twelve settings, four levels.
    let (all, allowed) = (p_values.len() as f64, testkit::deviations(48));
    [0.05f64, 0.1, 0.25, 0.5].into_iter().find(|level| {
        let below = p_values.iter().filter(|p| **p <= level + 1e-9).count() as f64;
        below > all * level + allowed * (all * level * (1.0 - level)).sqrt()
    })
}

struct Setting {
    name: &'static str,
    text: String,
    truth: Box<dyn Fn(u64) -> Vec<i64>>,
    hypothesis: Box<dyn Fn(&Release) -> Hypothesis>,
    statistic: Statistic,
}

fn settings() -> Vec<Setting> {
    let table = |seed: u64, rows: Vec<u64>, columns: Vec<u64>, records: u64| -> Box<dyn Fn(u64) -> Vec<i64>> {
        Box::new(move |draw| independent(&rows, &columns, records, seed, draw))
    };
    let in_strata = |association: Association| -> Box<dyn Fn(&Release) -> Hypothesis> {
        Box::new(move |release| {
            let (rows, columns, strata) = (names(&["row"]), names(&["column"]), names(&["stratum"]));
            Hypothesis::association(&release.domain, association, &rows, &columns, &strata).unwrap()
        })
    };
    // The strata run fastest: a table of two strata with chances of their own.
    let stratified = |seed: u64, rows: usize, columns: usize| -> Box<dyn Fn(u64) -> Vec<i64>> {
        Box::new(move |draw| {
            let chances = |first: u64, count: usize| (0..count as u64).map(|place| first + place).collect::<Vec<_>>();
            let one = independent(&chances(1, rows), &chances(2, columns), 15, seed, draw);
            let two = independent(&chances(4, rows), &chances(1, columns), 9, seed ^ 1, draw);
            one.into_iter().zip(two).flat_map(|(one, two)| [one, two]).collect()
        })
    };
    let by_strata = "[[invariant]]\nby = [\"row\", \"stratum\"]\n[[invariant]]\nby = [\"column\", \"stratum\"]\n";
    let gaussian = format!(
        "{MARGINS}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n"
    );
    let cascade = format!(
        "{MARGINS}[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n"
    );
    let fit = |weights: Vec<u64>| -> Box<dyn Fn(&Release) -> Hypothesis> {
        Box::new(move |release| Hypothesis::fit(&release.domain, weights.clone()).unwrap())
    };
    let spread = |weights: Vec<u64>, records: u64, seed: u64| -> Box<dyn Fn(u64) -> Vec<i64>> {
        Box::new(move |draw| {
            let mut bits = Seeded::draw(seed, draw).stream(7).unwrap();
            multinomial(&mut bits, records, &weights).into_iter().map(|count| count as i64).collect()
        })
    };
    let total = "[[invariant]]\nby = []\n";
    let independence = || -> Box<dyn Fn(&Release) -> Hypothesis> { Box::new(two_by) };
    vec![
        Setting {
            name: "free 2×3",
            text: spec(2, 3, &free(MARGINS, "1/2")),
            truth: table(1, vec![1, 2], vec![3, 2, 1], 20),
            hypothesis: independence(),
            statistic: Statistic::Pearson,
        },
        Setting {
            name: "bounded 2×2, small counts",
            text: spec(2, 2, &bounded(MARGINS, "1/2")),
            truth: table(2, vec![1, 3], vec![1, 4], 12),
            hypothesis: independence(),
            statistic: Statistic::Pearson,
        },
        Setting {
            name: "bounded 3×3",
            text: spec(3, 3, &bounded(MARGINS, "1")),
            truth: table(3, vec![1, 1, 2], vec![1, 2, 2], 30),
            hypothesis: independence(),
            statistic: Statistic::Pearson,
        },
        Setting {
            name: "divide 4×4",
            text: spec(4, 4, &free(MARGINS, "1/4")),
            truth: table(4, vec![1, 2, 3, 4], vec![4, 3, 2, 1], 100),
            hypothesis: independence(),
            statistic: Statistic::Pearson,
        },
        Setting {
            name: "Gaussian 3×3, likelihood",
            text: spec(3, 3, &gaussian),
            truth: table(5, vec![1, 1, 2], vec![1, 2, 2], 30),
            hypothesis: independence(),
            statistic: Statistic::LikelihoodRatio,
        },
        Setting {
            name: "bounded 2×2, likelihood",
            text: spec(2, 2, &bounded(MARGINS, "1")),
            truth: table(6, vec![1, 1], vec![1, 2], 10),
            hypothesis: independence(),
            statistic: Statistic::LikelihoodRatio,
        },
        Setting {
            name: "cascade 3×3",
            text: spec(3, 3, &cascade),
            truth: table(7, vec![2, 1, 1], vec![1, 2, 1], 24),
            hypothesis: independence(),
            statistic: Statistic::Pearson,
        },
        Setting {
            name: "strata, Mantel and Haenszel, bounded",
            text: strata(2, 2, 2, &bounded(by_strata, "1")),
            truth: stratified(8, 2, 2),
            hypothesis: in_strata(Association::Homogeneity),
            statistic: Statistic::Mantel,
        },
        Setting {
            name: "strata, trend, free",
            text: strata(2, 3, 2, &free(by_strata, "1/2")),
            truth: stratified(9, 2, 3),
            hypothesis: in_strata(Association::Trend),
            statistic: Statistic::Trend { rows: None, columns: Some(vec![0, 1, 3]) },
        },
        Setting {
            name: "a public distribution, bounded",
            text: spec(1, 4, &bounded(total, "1/2")),
            truth: spread(vec![1, 2, 3, 4], 15, 10),
            hypothesis: fit(vec![1, 2, 3, 4]),
            statistic: Statistic::Pearson,
        },
        Setting {
            name: "a public distribution beside margins, listed",
            text: spec(2, 2, &free(MARGINS, "1/2")),
            truth: spread(vec![1, 2, 3, 4], 15, 11),
            hypothesis: fit(vec![1, 2, 3, 4]),
            statistic: Statistic::Query(Query::new("q", [(0, 1), (3, 1)]).unwrap()),
        },
        Setting {
            name: "one margin more than the hypothesis needs",
            text: spec(
                2,
                3,
                &free(&format!("{MARGINS}[[invariant]]\nby = []\nwhere = \"row = 'r0' and column = 'c0'\"\n"), "1/2"),
            ),
            truth: table(12, vec![1, 2], vec![3, 2, 1], 20),
            hypothesis: independence(),
            statistic: Statistic::Pearson,
        },
    ]
}

#[test]
fn p_values_are_valid_whatever_the_release() {
    let mut lines = Vec::new();
    for Setting { name, text, truth, hypothesis, statistic } in settings() {
        let mut p_values = Vec::new();
        let mut naive = 0;
        for number in 0..RELEASES {
            let Some(release) = perhaps_drawn(&text, &truth(number), 77, number) else { continue };
            let tested = test(&release, &hypothesis(&release), &statistic, trial(DRAWS, 1000 + number)).unwrap();
            assert!(tested.exact, "{name}: {tested:?}");
            p_values.push(tested.p_value);
            naive += u64::from(tested.naive.is_some_and(|(_, p)| p <= 0.05));
        }
        let below = p_values.iter().filter(|p| **p <= 0.05 + 1e-9).count();
        assert!(p_values.len() as u64 > RELEASES / 2, "{name}: {}", p_values.len());
        let share = |count: u64| count as f64 / p_values.len() as f64;
        lines.push(format!("{name}: rejected {:.3} at 5 %; usual chi-square {:.3}", share(below as u64), share(naive)));
        assert_eq!(too_small(&p_values), None, "{lines:?}");
        // Not far above either: a test that never rejects would be valid too. Ties of few tables
        // make p-values larger.
        let mean = p_values.iter().sum::<f64>() / p_values.len() as f64;
        assert!((0.45..0.85).contains(&mean), "{name}: {mean}");
    }
    if let Ok(file) = std::env::var("CONGENIAL_FIGURES") {
        std::fs::write(file, lines.join("\n")).unwrap();
    }
}

/// No interaction of three dimensions, every two-way margin exact: true tables by a walk, which is
/// told and not called exact.
#[test]
fn three_way_tables_are_walked_and_said_to_be() {
    let pairs = "[[invariant]]\nby = [\"row\", \"column\"]\n[[invariant]]\nby = [\"row\", \"stratum\"]\n[[invariant]]\nby = [\"column\", \"stratum\"]\n";
    let text = strata(
        4,
        4,
        3,
        &format!(
            "{pairs}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/16\"\nper = \"unit\"\n"
        ),
    );
    let margins = [names(&["row", "column"]), names(&["row", "stratum"]), names(&["column", "stratum"])];
    let chances: Vec<u64> =
        (1..=4u64).flat_map(|a| (1..=4u64).flat_map(move |b| (2..=4u64).map(move |c| a * b * c))).collect();
    let mut p_values = Vec::new();
    for number in 0..3 {
        let mut bits = Seeded::draw(31, number).stream(7).unwrap();
        let truth: Vec<i64> = multinomial(&mut bits, 2000, &chances).into_iter().map(|count| count as i64).collect();
        let release = drawn(&text, &truth, 32, number);
        let hypothesis = Hypothesis::log_linear(&release.domain, &margins).unwrap();
        let tested = test(&release, &hypothesis, &Statistic::Pearson, trial(99, number)).unwrap();
        assert!(!tested.exact && tested.basis.iter().any(|line| line.contains("a walk visited")), "{tested:?}");
        assert_eq!(tested.naive.unwrap().0, 18.0);
        p_values.push(tested.p_value);
        // The mean of a cell under the hypothesis is near what the fit expects; of one that is
        // large, to a few hundredths.
        let cell = Query::new("q", [(47, 1)]).unwrap();
        let values = statistics(&release, &hypothesis, &Statistic::Query(cell), None, trial(999, number)).unwrap();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        let expected = fitted(&truth)[47];
        assert!((mean - expected).abs() < 1.0 + 6.0 * (variance / 400.0).sqrt(), "{mean} {expected}");
    }
    assert_eq!(too_small(&p_values), None, "{p_values:?}");
}

/// What no interaction expects of a 4×4×3 table, by proportional fitting.
fn fitted(truth: &[i64]) -> Vec<f64> {
    let place = |cell: usize| [cell / 12, cell / 3 % 4, cell % 3];
    let mut expected = vec![1.0; truth.len()];
    for round in 0..300 {
        let out = round % 3;
        let group = |cell: usize| {
            let mut at = place(cell);
            at[out] = 0;
            (at[0] * 4 + at[1]) * 4 + at[2]
        };
        let (mut own, mut wanted) = ([0.0; 64], [0.0; 64]);
        for cell in 0..truth.len() {
            own[group(cell)] += expected[cell];
            wanted[group(cell)] += truth[cell] as f64;
        }
        (0..truth.len()).for_each(|cell| expected[cell] *= wanted[group(cell)] / own[group(cell)]);
    }
    expected
}

/// The harness with p-values that are computed wrongly, from the same parts.
#[test]
fn mutants_are_not_valid() {
    let value = |table: &[i64]| (table[0] * 10 - 3).pow(2);
    let p_values_at = |rate: &str, mutant: &str| -> Vec<f64> {
        let geometric = exact::Geometric::new(rate.parse().unwrap());
        (0..800u64)
            .map(|number| {
                let truth = two_way(&mut Seeded::draw(3, number).stream(0).unwrap(), &[3, 7], &[1, 9]);
                let truth: Vec<i64> = truth.into_iter().map(|count| count as i64).collect();
                // For every cell the same number of bits: noise in one direction, by the law of a
                // 2×2 table.
                let noise = |seed: u64, draw: u64| {
                    let mut bits = Seeded::draw(seed, draw).stream(1).unwrap();
                    geometric.draw(&mut bits) as i64 - geometric.draw(&mut bits) as i64
                };
                let own = value(&[truth[0] + noise(4, number)]);
                let values: Vec<i64> = (0..19u64)
                    .map(|draw| {
                        let draw = number * 19 + draw;
                        let fresh = two_way(&mut Seeded::draw(5, draw).stream(0).unwrap(), &[3, 7], &[1, 9])[0] as i64;
                        let noise = noise(6, draw);
                        value(&[match mutant {
                            "no table" => noise,
                            "no noise" => fresh,
                            _ => fresh + noise,
                        }])
                    })
                    .collect();
                let above = values.iter().filter(|other| **other > own).count() as f64;
                let at_least = values.iter().filter(|other| **other >= own).count() as f64;
                match mutant {
                    "ties do not count" => (1.0 + above) / 20.0,
                    "the release does not count" => at_least / 19.0,
                    _ => (1.0 + at_least) / 20.0,
                }
            })
            .collect()
    };
    let p_values = |mutant: &str| p_values_at("8", mutant);
    assert_eq!(too_small(&p_values("none")), None);
    // Much noise, and a test that takes it for data.
    assert_eq!(too_small(&p_values_at("1/2", "none")), None);
    assert!(too_small(&p_values_at("1/2", "no noise")).is_some());
    for mutant in ["ties do not count", "no table"] {
        assert!(too_small(&p_values(mutant)).is_some(), "{mutant}");
    }
    // Without its own place a p-value may be 0, which no level allows: with many ties it shows at
    // no usual level, so count zeros.
    assert!(p_values("the release does not count").contains(&0.0) && !p_values("none").contains(&0.0));
}

/// Penicillin and rabbits (Mantel 1963), as in the examples of R's mantelhaen.test: exact = TRUE
/// gives S = 16 and p = 0.03994.
#[test]
fn rabbits_as_in_r() {
    let rabbits: [[i64; 4]; 5] = [[0, 6, 0, 5], [3, 3, 0, 6], [6, 0, 2, 4], [5, 1, 6, 0], [2, 0, 5, 0]];
    let choose = |n: i64, k: i64| (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64);
    // The law of S, the number of cured rabbits among those without delay.
    let mut law = std::collections::BTreeMap::from([(0i64, 1.0f64)]);
    for [a, b, c, d] in rabbits {
        let (row, column, all) = (a + b, a + c, a + b + c + d);
        let mut next = std::collections::BTreeMap::new();
        for (sum, mass) in &law {
            for j in (column - (all - row)).max(0)..=row.min(column) {
                let share = choose(column, j) * choose(all - column, row - j) / choose(all, row);
                *next.entry(sum + j).or_insert(0.0) += mass * share;
            }
        }
        law = next;
    }
    let of_r: f64 = law.values().filter(|mass| **mass <= law[&16] * (1.0 + 1e-7)).sum();
    assert!((of_r - 0.039_94).abs() < 5e-6, "{of_r}");
    let mean: f64 = law.iter().map(|(sum, mass)| *sum as f64 * mass).sum();
    let variance: f64 = law.iter().map(|(sum, mass)| (*sum as f64 - mean).powi(2) * mass).sum();
    let beyond: f64 =
        law.iter().filter(|(sum, _)| (**sum as f64 - mean).abs() >= 16.0 - mean - 1e-9).map(|(_, mass)| mass).sum();
    // No noise worth speaking of: the conditional test of R.
    let by_strata = "[[invariant]]\nby = [\"row\", \"stratum\"]\n[[invariant]]\nby = [\"column\", \"stratum\"]\n";
    let table: Vec<i64> = (0..4).flat_map(|cell| rabbits.iter().map(move |stratum| stratum[cell])).collect();
    let release = release(&strata(2, 2, 5, &free(by_strata, "40")), &table);
    let (rows, columns, strata) = (names(&["row"]), names(&["column"]), names(&["stratum"]));
    let hypothesis =
        Hypothesis::association(&release.domain, Association::Homogeneity, &rows, &columns, &strata).unwrap();
    let tested = test(&release, &hypothesis, &Statistic::Mantel, trial(19_999, 5)).unwrap();
    assert!((tested.value - (16.0 - mean).powi(2) / variance).abs() < 1e-6, "{tested:?}");
    // Without the correction for continuity, with which R prints 3.9286.
    assert!((tested.value - 5.6571).abs() < 1e-3 && (((16.0 - mean - 0.5).powi(2) / variance) - 3.9286).abs() < 1e-4);
    assert!(
        (tested.p_value - beyond).abs() < testkit::deviations(1) * (beyond / 20_000.0).sqrt(),
        "{} {beyond}",
        tested.p_value
    );
    let (freedom, naive) = tested.naive.unwrap();
    assert!(freedom == 1.0 && (naive - 0.017_384).abs() < 1e-5, "{naive}");
}

/// Hair and eye colours of 592 students (Snee 1974): χ² = 138.29 with 9 degrees of freedom.
#[test]
fn the_statistics_are_the_known_ones() {
    let hair_eye = [68, 119, 26, 7, 20, 84, 17, 94, 15, 54, 14, 10, 5, 29, 14, 16];
    let release = release(&spec(4, 4, &free(MARGINS, "1/4")), &hair_eye);
    let tested = test(&release, &two_by(&release), &Statistic::Pearson, trial(199, 1)).unwrap();
    assert!((tested.value - 138.289_8).abs() < 1e-3, "{tested:?}");
    assert_eq!((tested.p_value, tested.at_least), (1.0 / 200.0, 0));
    assert!(tested.rejected() && tested.naive.unwrap().0 == 9.0 && tested.naive.unwrap().1 < 1e-24);
    // The squared correlation of scores, times n − 1.
    let (rows, columns) = (names(&["row"]), names(&["column"]));
    let trend = Hypothesis::association(&release.domain, Association::Trend, &rows, &columns, &[]).unwrap();
    let statistic = Statistic::Trend { rows: None, columns: None };
    let found = test(&release, &trend, &statistic, trial(199, 1)).unwrap().value;
    let moment = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        hair_eye.iter().enumerate().map(|(cell, n)| *n as f64 * f((cell / 4) as f64, (cell % 4) as f64)).sum::<f64>()
            / 592.0
    };
    let (u, v) = (moment(&|u, _| u), moment(&|_, v| v));
    let correlation =
        moment(&|a, b| (a - u) * (b - v)).powi(2) / (moment(&|a, _| (a - u).powi(2)) * moment(&|_, b| (b - v).powi(2)));
    assert!((found - 591.0 * correlation).abs() < 1e-6, "{found}");
    // A single stratum: Mantel and Haenszel's statistic is Pearson's times (n − 1)/n.
    let independence = two_by(&release);
    let mantel = test(&release, &independence, &Statistic::Mantel, trial(199, 1)).unwrap();
    assert!((mantel.value - 138.289_8 * 591.0 / 592.0).abs() < 1e-3 && mantel.naive.unwrap().0 == 9.0);
}

#[test]
fn equality_of_two_releases() {
    let text = spec(1, 4, &free("[[invariant]]\nby = []\n", "1/2"));
    // Small tables can have the same noise twice: their times tell them apart.
    let at = |time: &str, release: Release| release.with_origin(Origin { time: time.into(), draw: None, seal: None });
    let truth = [9, 4, 0, 7];
    let mut p_values = Vec::new();
    for number in 0..RELEASES {
        let releases = [at("1", drawn(&text, &truth, 1, number)), at("2", drawn(&text, &truth, 2, number))];
        p_values.push(test_equality(&releases, &Statistic::Pearson, trial(DRAWS, number)).unwrap().p_value);
    }
    assert_eq!(too_small(&p_values), None);
    let other = [drawn(&text, &truth, 1, 0), drawn(&text, &[0, 0, 0, 20], 2, 0)];
    assert!(test_equality(&other, &Statistic::Pearson, trial(999, 1)).unwrap().rejected());
    let totals = [drawn(&text, &truth, 1, 0), drawn(&text, &[9, 4, 0, 8], 2, 0)];
    let certain = test_equality(&totals, &Statistic::Pearson, trial(999, 1)).unwrap();
    assert!(certain.p_value == 0.0 && certain.basis[1].contains("certainly false"));
    let same = [totals[0].clone(), totals[0].clone()];
    assert!(test_equality(&same, &Statistic::Pearson, trial(999, 1)).unwrap_err().message.contains("same draw"));
    let bound = [release(&spec(1, 4, &bounded("[[invariant]]\nby = []\n", "1/2")), &truth), totals[0].clone()];
    assert!(test_equality(&bound, &Statistic::Pearson, trial(999, 1)).is_err());
}

/// Only the total exact: how often approximate tests reject true hypotheses at 5 %. Printed for
/// docs/infer.md.
#[test]
fn sizes_of_approximate_tests() {
    let settings: [(&str, String, u64); 3] = [
        ("2×2, 40 records, ε' = 1/2", spec(2, 2, &free("[[invariant]]\nby = []\n", "1/2")), 40),
        ("3×3, 200 records, ε' = 1/2", spec(3, 3, &free("[[invariant]]\nby = []\n", "1/2")), 200),
        ("3×3, 200 records, bounded, ε' = 1/2", spec(3, 3, &bounded("[[invariant]]\nby = []\n", "1/2")), 200),
    ];
    let releases = std::env::var("CONGENIAL_RELEASES").map_or(60, |number| number.parse().unwrap());
    let mut lines = Vec::new();
    for (name, text, records) in settings {
        let size = if records == 40 { 2 } else { 3 };
        let chances: Vec<u64> = (1..=size).collect();
        for approximation in [Approximation::Bootstrap, Approximation::Predictive] {
            let mut rejected = 0;
            for number in 0..releases {
                let truth = independent(&chances, &chances, records, 50, number);
                let release = drawn(&text, &truth, 51, number);
                let trial = Trial::new(99, number, 0.05, Some(approximation)).unwrap();
                let tested = test(&release, &two_by(&release), &Statistic::Pearson, trial).unwrap();
                assert!(!tested.exact && tested.basis.iter().any(|line| line.contains("approximate")));
                rejected += u64::from(tested.rejected());
            }
            let share = rejected as f64 / releases as f64;
            lines.push(format!("{name}, {approximation:?}: {share:.3} of {releases}"));
            assert!(share <= 0.2, "{lines:?}");
        }
    }
    if let Ok(file) = std::env::var("CONGENIAL_FIGURES") {
        std::fs::write(file, lines.join("\n")).unwrap();
    }
}

#[test]
fn empty_strata_are_named() {
    let by_strata = "[[invariant]]\nby = [\"row\", \"stratum\"]\n[[invariant]]\nby = [\"column\", \"stratum\"]\n";
    let text = strata(2, 2, 2, &free(by_strata, "1"));
    let (rows, columns, of) = (names(&["row"]), names(&["column"]), names(&["stratum"]));
    let tested = |counts: &[i64], statistic: Statistic| {
        let release = release(&text, counts);
        let hypothesis =
            Hypothesis::association(&release.domain, Association::Homogeneity, &rows, &columns, &of).unwrap();
        test(&release, &hypothesis, &statistic, trial(99, 1))
    };
    let told = tested(&[9, 0, 2, 0, 3, 0, 8, 0], Statistic::Mantel).unwrap();
    assert!(
        told.basis.iter().any(|line| line.contains("1 of 2 strata are empty and tell nothing: stratum = s1")),
        "{told:?}"
    );
}

#[test]
fn what_cannot_be_tested_says_why() {
    let fails = |text: &str, hypothesis: &dyn Fn(&Release) -> Result<Hypothesis, declare::Problem>| -> String {
        let release = try_release(text, &[4, 3, 2, 1]).unwrap();
        let found = hypothesis(&release).and_then(|hypothesis| {
            test(&release, &hypothesis, &Statistic::Pearson, trial(99, 1)).map(|tested: Tested| tested.p_value)
        });
        let problem = found.unwrap_err();
        format!("{} | {}", problem.message, problem.hint.unwrap_or_default())
    };
    let by = |rows: &'static str, columns: &'static str| {
        move |release: &Release| {
            let (rows, columns) = (names(&[rows]), names(&[columns]));
            Hypothesis::association(&release.domain, Association::Independence, &rows, &columns, &[])
        }
    };
    let free_total = spec(2, 2, &free("[[invariant]]\nby = []\n", "1"));
    let said = fails(&free_total, &by("row", "column"));
    assert!(said.contains("`by row` and `by column`") && said.contains("--approximate bootstrap"), "{said}");
    let one = spec(2, 2, &free("[[invariant]]\nby = [\"row\"]\n", "1"));
    assert!(fails(&one, &by("row", "column")).contains("sums `by column` that"));
    let both = spec(2, 2, &free(MARGINS, "1"));
    assert!(fails(&both, &by("age", "column")).contains("no dimension `age` | it has row, column"));
    assert!(fails(&both, &by("row", "row")).contains("named twice"));
    let three = strata(2, 2, 1, &free(MARGINS, "1"));
    assert!(fails(&three, &by("row", "column")).contains("the table also has `stratum`"));
    let projected = spec(
        2,
        2,
        &format!(
            "{MARGINS}[mechanism]\nmethod = \"project\"\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\n"
        ),
    );
    assert!(fails(&projected, &by("row", "column")).contains("projection"));
    assert!(Trial::new(18, 1, 0.05, None).unwrap_err().hint.unwrap().contains("--draws 19"));
    assert!(Trial::new(19, 1, 0.05, None).is_ok() && Trial::new(19, 1, 1.5, None).is_err());
    let fewer = try_release(&both, &[4, 3, 2, 1]).unwrap();
    let scores = Statistic::Trend { rows: None, columns: Some(vec![1, 2, 3]) };
    let trend = two_by(&fewer);
    assert!(
        test(&fewer, &trend, &scores, trial(99, 1)).unwrap_err().message.contains("3 scores are given for 2 columns")
    );
}

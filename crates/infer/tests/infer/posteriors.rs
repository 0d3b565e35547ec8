//! Posteriors of every kind against enumeration: flat, priors, two releases, bounds with Z, rules;
//! and the mutants that must fail.

use crate::making::{WANTED, assert_law, cell_laws, energy, free, law, release, spec, tables, try_release};
use infer::{Cancel, Diagnosis, Knowledge, KnownTotals, Origin, Posterior, Prior, Query, Release, Wanted, likelihood};

const TOTAL: &str = "[[invariant]]\nby = []\n";

fn bounded(rest: &str, epsilon: &str) -> String {
    format!("{TOTAL}{rest}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n")
}

/// The posterior by enumeration: tables with a log-weight each.
fn weighted(tables: Vec<Vec<i64>>, log: &dyn Fn(&[i64]) -> f64) -> Vec<(Vec<i64>, f64)> {
    tables.into_iter().map(|table| (log(&table).exp(), table)).map(|(weight, table)| (table, weight)).collect()
}

#[track_caller]
fn assert_cells(releases: &[Release], knowledge: &Knowledge, expected: &[(Vec<i64>, f64)], tolerance: f64) {
    for (query, found) in Query::cells(&releases[0].domain).iter().zip(cell_laws(releases, knowledge)) {
        assert_law(&found, &law(expected, query), tolerance);
    }
}

/// Sums and draws agree with the enumeration too.
#[track_caller]
fn assert_sums_and_draws(releases: &[Release], knowledge: &Knowledge, expected: &[(Vec<i64>, f64)]) {
    let posterior = Posterior::new(releases, knowledge, WANTED).unwrap();
    let cells = releases[0].values.len() as u32;
    let query =
        Query::new("q", (0..cells).map(|cell| (cell, if cell == 0 { 2 } else { i64::from(cell % 2) }))).unwrap();
    let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().expect("a law of the sum");
    assert_law(&found, &law(expected, &query), 1e-6);
    let mut sum = 0.0;
    posterior
        .draw(4000, 9, &mut |_, table| {
            sum += query.value(table) as f64;
            Ok(())
        })
        .unwrap();
    let (mean, deviation) = (found.mean(), found.variance().sqrt());
    assert!(
        (sum / 4000.0 - mean).abs() < testkit::deviations(20) * deviation / 4000f64.sqrt(),
        "{} {mean}",
        sum / 4000.0
    );
}

#[test]
fn bounds_that_a_reader_knows() {
    let release = release(&spec(1, 4, &free(TOTAL, "1/2")), &[-2, 5, 1, 3]);
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let all = tables(&release.conditions, &release.values, 0, 7, &|_| true);
    let expected = weighted(all, &|table| -energy(&release, &release.values, table));
    let releases = [release];
    assert_cells(&releases, &knowledge, &expected, 1e-9);
    assert_sums_and_draws(&releases, &knowledge, &expected);
}

#[test]
fn rules_and_totals_that_a_reader_knows() {
    let release = release(&spec(2, 2, &free(TOTAL, "1/2")), &[3, 4, 5, -1]);
    let folder = std::env::temp_dir().join(format!("infer-totals-{}.csv", std::process::id()));
    std::fs::write(&folder, "column,value\nc0,6\nc1,5\n").unwrap();
    let knowledge = Knowledge {
        nonnegative: true,
        rules: vec!["sum(row = 'r1') <= sum(row = 'r0') by column".into()],
        totals: vec![KnownTotals { file: folder.clone(), by: vec!["column".into()], filter: None }],
        prior: Prior::Flat,
    };
    let holds = |table: &[i64]| {
        table[2] <= table[0] && table[3] <= table[1] && table[0] + table[2] == 6 && table[1] + table[3] == 5
    };
    let all = tables(&release.conditions, &release.values, 0, 11, &holds);
    assert_eq!(all.len(), 12);
    let expected = weighted(all, &|table| -energy(&release, &release.values, table));
    let releases = [release];
    assert_cells(&releases, &knowledge, &expected, 1e-9);
    std::fs::remove_file(folder).unwrap();
}

#[test]
fn noisy_sums_with_bounds() {
    let sums = "[[invariant]]\nby = []\n[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nper = \"unit\"\n\
                [[mechanism.query]]\nby = [\"row\"]\nepsilon = \"1\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nepsilon = \"1/2\"\n";
    let release = release(&spec(2, 2, sums), &[6, -2, 0, 3]);
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let all = tables(&release.conditions, &release.values, 0, 7, &|_| true);
    let expected = weighted(all, &|table| -energy(&release, &release.values, table));
    assert_cells(&[release], &knowledge, &expected, 1e-9);
}

#[test]
fn priors_are_weights_of_tables() {
    let release = release(&spec(1, 3, &free(TOTAL, "1/2")), &[-1, 6, 4]);
    let factorial = |n: i64| (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
    let rising = |n: i64, a: f64| (0..n).map(|k| (a + k as f64).ln()).sum::<f64>() - factorial(n);
    let means = vec![0.5, 3.0, 6.0];
    let parameters = vec![0.3, 2.0, 5.0];
    type LogPrior<'a> = Box<dyn Fn(&[i64]) -> f64 + 'a>;
    let log_priors: [(Prior, LogPrior<'_>); 3] = [
        (
            Prior::Poisson { means: means.clone() },
            Box::new(move |table| {
                table.iter().zip(&means).map(|(n, mean)| *n as f64 * f64::ln(*mean) - factorial(*n)).sum()
            }),
        ),
        (Prior::GammaPoisson { shape: 0.7 }, Box::new(move |table| table.iter().map(|n| rising(*n, 0.7)).sum())),
        (
            Prior::DirichletMultinomial { parameters: parameters.clone() },
            Box::new(move |table| table.iter().zip(&parameters).map(|(n, a)| rising(*n, *a)).sum()),
        ),
    ];
    let releases = [release];
    for (prior, log_prior) in log_priors {
        let release = &releases[0];
        let all = tables(&release.conditions, &release.values, 0, 9, &|_| true);
        let expected = weighted(all, &|table| log_prior(table) - energy(release, &release.values, table));
        let knowledge = Knowledge { prior, ..Knowledge::default() };
        assert_cells(&releases, &knowledge, &expected, 1e-9);
        assert_sums_and_draws(&releases, &knowledge, &expected);
    }
}

#[test]
fn a_prior_given_totals_needs_them() {
    let releases = [release(&spec(1, 3, &free("", "1/2")), &[1, 2, 3])];
    let knowledge = Knowledge { prior: Prior::GammaPoisson { shape: 1.0 }, ..Knowledge::default() };
    let problem = Posterior::new(&releases, &knowledge, WANTED).unwrap_err();
    assert!(problem.message.contains("in no exact total"), "{problem}");
}

#[test]
fn two_releases_multiply_and_one_counted_twice_is_another_posterior() {
    let gaussian = format!(
        "{TOTAL}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n"
    );
    let one = release(&spec(1, 3, &free(TOTAL, "3/4")), &[2, 5, 1]);
    for text in [free(TOTAL, "1/2"), gaussian] {
        let two = release(&spec(1, 3, &text), &[4, 2, 2]);
        let all = tables(&one.conditions, &one.values, -25, 30, &|_| true);
        let expected = weighted(all, &|table| -energy(&one, &one.values, table) - energy(&two, &two.values, table));
        let releases = [one.clone(), two.clone()];
        assert_cells(&releases, &Knowledge::default(), &expected, 1e-7);
        assert_sums_and_draws(&releases, &Knowledge::default(), &expected);
        // The mutant: another draw with the counts of the first, as if that were counted twice.
        let at = |time: &str| one.clone().with_origin(Origin { time: time.into(), draw: None, seal: None });
        let twice = cell_laws(&[at("1"), at("2")], &Knowledge::default());
        let right = cell_laws(&releases, &Knowledge::default());
        assert!((twice[0].probability(2) - right[0].probability(2)).abs() > 0.01);
    }
    let other = release(&spec(1, 3, &free(TOTAL, "1/2")), &[4, 2, 3]);
    let problem = Posterior::new(&[one.clone(), other], &Knowledge::default(), WANTED).unwrap_err();
    assert!(problem.message.contains("disagree"), "{problem}");
    let wider = release(&spec(1, 4, &free(TOTAL, "1/2")), &[4, 2, 2, 0]);
    let problem = Posterior::new(&[one, wider], &Knowledge::default(), WANTED).unwrap_err();
    assert!(problem.message.contains("dimensions or values differ"), "{problem}");
}

#[test]
fn one_draw_is_not_counted_twice() {
    let one = release(&spec(1, 3, &free(TOTAL, "1/2")), &[2, 5, 1]);
    let origin =
        |time: &str, seal: Option<&str>| Origin { time: time.into(), draw: None, seal: seal.map(str::to_string) };
    let refused = |one: &Release, two: &Release| {
        let releases = [one.clone(), two.clone()];
        let knowledge = Knowledge::default();
        let found = Posterior::new(&releases, &knowledge, WANTED);
        found.is_err_and(|problem| problem.message.contains("the same draw"))
    };
    assert!(refused(&one, &one));
    // Another title, derived table or statement is a presentation of the same draw.
    let mut retitled = one.clone().with_origin(origin("t", None));
    retitled.declaration.title = "Corrected".into();
    assert!(refused(&one.clone().with_origin(origin("t", None)), &retitled));
    // The same counts by another law, at another time, or paid by another entry are another draw.
    let law = release(&spec(1, 3, &free(TOTAL, "1/3")), &[2, 5, 1]);
    assert!(!refused(&one, &law));
    let at = |time: &str, seal| one.clone().with_origin(origin(time, seal));
    assert!(!refused(&at("s", None), &at("t", None)));
    // Equal counts in one second are two draws where their identities differ.
    let drawn = |draw: &str| one.clone().with_origin(Origin { draw: Some(draw.into()), ..origin("s", None) });
    assert!(!refused(&drawn("1"), &drawn("2")) && refused(&drawn("1"), &drawn("1")));
    assert!(refused(&drawn("1"), &at("s", None)), "of a version without identities");
    assert!(!refused(&at("t", Some("a")), &at("t", Some("b"))) && refused(&at("s", Some("a")), &at("t", Some("a"))));
    // The same law alone is no reason: other counts are another draw.
    assert!(!refused(&one, &Release { values: vec![3, 4, 1], ..one.clone() }));
}

/// Log-weights with 1/Z(x): all tables of a fibre with bounds are possible releases of each.
fn with_normaliser(release: &Release, all: Vec<Vec<i64>>) -> Vec<(Vec<i64>, f64)> {
    let z = |x: &[i64]| all.iter().map(|y| (-energy(release, y, x)).exp()).sum::<f64>();
    weighted(all.clone(), &|table| -energy(release, &release.values, table) - z(table).ln())
}

#[test]
fn bounds_in_the_release_carry_one_over_z() {
    let cases = [
        (spec(1, 3, &bounded("", "1/2")), vec![0, 2, 4]),
        (
            spec(
                1,
                4,
                &bounded(
                    "[[constraints.rule]]\nleft = \"column = 'c0'\"\nop = \"<=\"\nright = \"column = 'c1'\"\n",
                    "1/2",
                ),
            ),
            vec![0, 2, 1, 2],
        ),
    ];
    for (text, values) in cases {
        let release = release(&text, &values);
        let total: i64 = values.iter().sum();
        let holds = |table: &[i64]| release.conditions.check_table(table).is_ok();
        let all = tables(&release.conditions, &values, 0, total, &holds);
        let expected = with_normaliser(&release, all.clone());
        let dropped = weighted(all, &|table| -energy(&release, &values, table));
        let releases = [release];
        assert_cells(&releases, &Knowledge::default(), &expected, 1e-9);
        assert_sums_and_draws(&releases, &Knowledge::default(), &expected);
        // The mutant: Z dropped, which is also what a supremum over releases for every table gives.
        let query = Query::new("q", [(0, 1)]).unwrap();
        let apart = law(&expected, &query)[&0] - law(&dropped, &query)[&0];
        assert!(apart.abs() > 0.01, "{apart}");
        for cancel in [Cancel::Importance, Cancel::Exchange] {
            let wanted = Wanted { cancel, draws: 20_000, seed: 11 };
            let knowledge = Knowledge::default();
            let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
            let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
            assert_law(&found, &law(&expected, &query), 0.02);
            match &posterior.basis.diagnoses[0] {
                Diagnosis::Importance { effective, .. } => assert!(*effective > 0.8),
                Diagnosis::Exchange { accepted, effective, .. } => assert!(*accepted > 0.5 && *effective > 2000.0),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn cells_at_or_above_zero_by_themselves() {
    let text = spec(1, 3, "[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n");
    let release = release(&text, &[0, 2, 30]);
    let epsilon = release.plan.law.energy(1).to_f64();
    let z = |x: i64| (0..400).map(|y: i64| (-epsilon * (y - x).abs() as f64).exp()).sum::<f64>();
    let laws = cell_laws(std::slice::from_ref(&release), &Knowledge::default());
    for (y, found) in release.values.iter().zip(laws) {
        let weights: Vec<f64> = (0..300).map(|x| (-epsilon * (y - x).abs() as f64).exp() / z(x)).collect();
        let whole: f64 = weights.iter().sum();
        for (x, weight) in weights.iter().enumerate() {
            assert!((found.probability(x as i64) - weight / whole).abs() < 1e-12, "{y} {x}");
        }
    }
}

#[test]
fn pinned_totals_of_a_release_are_none_of_the_truth() {
    let rest = "[[invariant]]\nby = []\nvalues = { rows = [[12]] }\n[constraints]\nnonnegative = false\n[mechanism]\n\
                noise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n";
    let release = try_release(&spec(1, 3, rest), &[4, 4, 4]).unwrap();
    let problem = Posterior::new(std::slice::from_ref(&release), &Knowledge::default(), WANTED).unwrap_err();
    assert!(problem.message.contains("nothing about the true totals"), "{problem}");
    // A likelihood there is, also of tables with another total; they all have the same where only
    // the total moves.
    let field = infer::Field::of_release(&release).unwrap();
    let log = |table: &[i64]| likelihood(&release, &field, table).unwrap().value().unwrap();
    let all = tables(&release.conditions, &[4, 4, 4], -22, 30, &|_| true);
    for x in [[4, 4, 4], [5, 5, 5], [3, 6, 2], [0, 0, 0]] {
        let z: f64 = all.iter().map(|y| (-energy(&release, y, &x)).exp()).sum();
        let direct = -energy(&release, &release.values, &x) - z.ln();
        assert!((log(&x) - direct).abs() < 1e-5, "{x:?}: {} {direct}", log(&x));
    }
}

#[test]
fn likelihoods_are_probabilities_of_the_release() {
    let free = release(&spec(1, 3, &free(TOTAL, "1")), &[2, 5, 1]);
    let gaussian = format!("{TOTAL}[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n");
    let gaussian = release(&spec(1, 3, &gaussian), &[2, 5, 1]);
    let bounded = release(&spec(1, 3, &bounded("", "1/2")), &[2, 5, 1]);
    for release in [free, bounded, gaussian] {
        let field = infer::Field::of_release(&release).unwrap();
        let low = if release.conditions.nonnegative { 0 } else { -25 };
        let high = if release.conditions.nonnegative { 8 } else { 33 };
        let all = tables(&release.conditions, &release.values, low, high, &|_| true);
        for x in [[2, 5, 1], [0, 8, 0], [4, 4, 0]] {
            let z: f64 = all.iter().map(|y| (-energy(&release, y, &x)).exp()).sum();
            let direct = -energy(&release, &release.values, &x) - z.ln();
            let found = likelihood(&release, &field, &x).unwrap().value().unwrap();
            assert!((found - direct).abs() < 1e-9, "{x:?}: {found} {direct}");
        }
        assert_eq!(likelihood(&release, &field, &[2, 5, 2]).unwrap().value(), None);
    }
}

/// Deaths at most cases, of which the total is exact: pairs with a rule, and one cell of each in no
/// total.
const PAIRS: &str = "[[invariant]]\nby = []\nwhere = \"row = 'r0'\"\n[[constraints.rule]]\nby = [\"column\"]\nleft = \"row = 'r1'\"\nop = \"<=\"\n\
                     right = \"row = 'r0'\"\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"2\"\nper = \"unit\"\n";

#[test]
fn normalisers_of_pairs_are_sums_over_all_tables() {
    let release = release(&spec(2, 2, PAIRS), &[3, 4, 0, 2]);
    let field = infer::Field::of_release(&release).unwrap();
    let holds = |table: &[i64]| release.conditions.check_table(table).is_ok();
    let all = tables(&release.conditions, &release.values, 0, 7, &holds);
    for x in [[3, 4, 0, 2], [7, 0, 7, 0], [2, 5, 2, 0], [0, 7, 0, 7]] {
        let z: f64 = all.iter().map(|y| (-energy(&release, y, &x)).exp()).sum();
        let direct = -energy(&release, &release.values, &x) - z.ln();
        let found = likelihood(&release, &field, &x).unwrap().value().unwrap();
        assert!((found - direct).abs() < 1e-10, "{x:?}: {found} {direct}");
    }
    // Draws weighted by them have the posterior that is enumerated.
    let expected = with_normaliser(&release, all);
    let releases = [release];
    let knowledge = Knowledge::default();
    let wanted = Wanted { cancel: Cancel::Importance, draws: 20_000, seed: 5 };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    for cell in 0..4 {
        let query = Query::new("q", [(cell, 1)]).unwrap();
        let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
        assert_law(&found, &law(&expected, &query), 0.02);
    }
}

#[test]
fn normalisers_of_many_cells_are_those_of_messages() {
    // Small and large counts, bounds that bind and bounds that do not, so many cells that few nodes
    // of the circle matter.
    for (text, columns) in [(spec(1, 30, &bounded("", "1/4")), 30), (spec(2, 20, PAIRS), 40)] {
        let values: Vec<i64> = match columns {
            30 => (0..30).map(|cell| if cell % 3 == 0 { 0 } else { 40 * (cell % 5) }).collect(),
            _ => (0..40).map(|cell| if cell < 20 { 3 * cell } else { (cell - 20) / 2 }).collect(),
        };
        let release = release(&text, &values);
        let field = infer::Field::of_release(&release).unwrap();
        let told = field.cell_laws().unwrap().log_normaliser.unwrap();
        let found = likelihood(&release, &field, &values).unwrap().value().unwrap();
        assert!((found + told).abs() < 1e-9 * told.abs().max(1.0), "{columns}: {found} {told}");
    }
}

/// A two-way table with both margins and counts at or above zero, drawn by `divide`.
fn two_way() -> Release {
    let rest = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\n\
                per = \"unit\"\nsampler = \"divide\"\n";
    release(&spec(3, 3, rest), &[3, 0, 0, 0, 3, 0, 0, 0, 3])
}

#[test]
fn two_way_tables_are_weighted_without_bias() {
    let release = two_way();
    assert!(release.plan.blocks.iter().all(|block| block.operator() == "divide"));
    let all = tables(&release.conditions, &release.values, 0, 3, &|_| true);
    let expected = with_normaliser(&release, all.clone());
    let dropped = weighted(all.clone(), &|table| -energy(&release, &release.values, table));
    let field = infer::Field::of_release(&release).unwrap();
    // Likelihoods are told up to a number that is the same for every table, with their error.
    let log_z = |x: &[i64]| all.iter().map(|y| (-energy(&release, y, x)).exp()).sum::<f64>().ln();
    let found = |x: &[i64]| match likelihood(&release, &field, x).unwrap() {
        infer::Likelihood::Estimated(log, error) => (log + energy(&release, &release.values, x) + log_z(x), error),
        other => panic!("{other:?}"),
    };
    let (first, error) = found(&all[0]);
    for x in &all[1..] {
        let (other, more) = found(x);
        assert!((other - first).abs() < testkit::deviations(all.len()) * error.hypot(more), "{x:?}: {other} {first}");
    }
    let releases = [release];
    let knowledge = Knowledge::default();
    let wanted = Wanted { cancel: Cancel::Importance, draws: 20_000, seed: 6 };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    let query = Query::new("q", [(0, 1)]).unwrap();
    let law_of = |tables: &[(Vec<i64>, f64)]| law(tables, &query);
    let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
    assert_law(&found, &law_of(&expected), 0.015);
    let apart = (law_of(&expected)[&3] - law_of(&dropped)[&3]).abs();
    assert!(apart > 0.03, "the mutant without Z is another: {apart}");
    // Listed, it is the enumerated one.
    assert_cells(&releases, &knowledge, &expected, 1e-9);
}

fn cascade(rest: &str) -> String {
    format!("{rest}[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n")
}

#[test]
fn cascades_have_likelihoods_and_posteriors() {
    let by_row = "[[invariant]]\nby = [\"row\"]\n";
    let released = release(&spec(2, 3, &cascade(by_row)), &[0, 2, 3, 4, 0, 1]);
    let all = tables(&released.conditions, &released.values, 0, 5, &|_| true);
    let probability = |x: &[i64], y: &[i64]| {
        let release = Release { values: y.to_vec(), ..released.clone() };
        let field = infer::Field::of_release(&release).unwrap();
        likelihood(&release, &field, x).unwrap().value().unwrap().exp()
    };
    let whole: f64 = all.iter().map(|y| probability(&all[7], y)).sum();
    assert!((whole - 1.0).abs() < 1e-9, "the probabilities of all releases add up to {whole}");
    let expected: Vec<(Vec<i64>, f64)> = all.iter().map(|x| (x.clone(), probability(x, &released.values))).collect();
    let back: Vec<(Vec<i64>, f64)> = all.iter().map(|x| (x.clone(), probability(&released.values, x))).collect();
    let releases = [released];
    let knowledge = Knowledge::default();
    let wanted = Wanted { draws: 20_000, cancel: Cancel::Importance, ..WANTED };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    assert_eq!(posterior.basis.diagnoses.len(), 2, "the rows do not meet");
    let mut apart: f64 = 0.0;
    for cell in 0..6 {
        let query = Query::new("q", [(cell, 1)]).unwrap();
        let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
        assert_law(&found, &law(&expected, &query), 0.02);
        apart = apart.max((law(&expected, &query)[&0] - law(&back, &query)[&0]).abs());
    }
    assert!(apart > 0.03, "the mutant: draws that are not weighted, {apart}");
    let other = Release { values: vec![1, 2, 2, 3, 1, 1], ..releases[0].clone() };
    let both = [releases[0].clone(), other];
    assert!(Posterior::new(&both, &knowledge, wanted).unwrap_err().message.contains("cascade"));
}

#[test]
fn a_prior_that_no_table_has_leaves_none() {
    // Noise took the exact total of two cells below zero in no release, but an exact total may be
    // below zero in itself.
    let release = release(&spec(1, 3, &free(TOTAL, "1/2")), &[-1, -2, 0]);
    let releases = [release];
    let knowledge = Knowledge { prior: Prior::Poisson { means: vec![1.0; 3] }, ..Knowledge::default() };
    let problem = Posterior::new(&releases, &knowledge, WANTED).unwrap_err();
    assert_eq!(problem.kind, declare::Kind::Infeasible, "{problem}");
}

#[test]
fn weights_that_leave_too_few_draws_are_refused() {
    let releases = [release(&spec(1, 3, &bounded("", "1/2")), &[0, 2, 4])];
    let wanted = Wanted { cancel: Cancel::Importance, draws: 30, seed: 1 };
    let problem = Posterior::new(&releases, &Knowledge::default(), wanted).unwrap_err();
    assert!(problem.message.contains("independent draws"), "{problem}");
}

#[test]
fn rates_are_believed_as_tables_are() {
    let release = release(&spec(1, 3, &free(TOTAL, "1")), &[3, 5, 4]);
    let all = tables(&release.conditions, &release.values, 0, 12, &|_| true);
    let expected = weighted(all, &|table| -energy(&release, &release.values, table));
    let releases = [release];
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let wanted = Wanted { draws: 20_000, ..WANTED };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    let cell = |cell: u32| Query::new("q", [(cell, 1)]).unwrap();
    let found = posterior.rates(&[("r".into(), cell(0), cell(1))], 0.9, wanted).unwrap().remove(0);
    let (mut below, mut upto, mut without, mut whole) = (0.0, 0.0, 0.0, 0.0);
    for (table, weight) in &expected {
        whole += weight;
        match table[1] {
            0 => without += weight,
            n => {
                let rate = table[0] as f64 / n as f64;
                below += if rate < found.median { *weight } else { 0.0 };
                upto += if rate <= found.median { *weight } else { 0.0 };
            }
        }
    }
    let with = whole - without;
    assert!(below / with < 0.5 + 0.02 && upto / with > 0.5 - 0.02, "{found:?}");
    assert!((found.without - without / whole).abs() < 0.01, "{found:?}");
    assert!(found.interval[0] < found.median && found.median < found.interval[1]);
}

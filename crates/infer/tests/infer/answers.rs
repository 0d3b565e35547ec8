//! Comparisons and regressions: against enumeration, closed forms, and coverage over many releases.

use crate::making::{WANTED, drawn, energy, free, law, release, spec, tables};
use infer::{Asked, Combined, Family, Knowledge, Model, Pair, Posterior, Query, Release, Wanted, compare, intervals};

const TOTAL: &str = "[[invariant]]\nby = []\n";

fn cells(name: &str, cells: &[u32]) -> Query {
    Query::new(name, cells.iter().map(|cell| (*cell, 1))).unwrap()
}

fn weighted(release: &Release, all: Vec<Vec<i64>>) -> Vec<(Vec<i64>, f64)> {
    all.into_iter().map(|x| (x.clone(), (-energy(release, &release.values, &x)).exp())).collect()
}

/// P(above zero) and P(zero) of a query by enumeration.
fn chances(expected: &[(Vec<i64>, f64)], query: &Query) -> (f64, f64) {
    let law = law(expected, query);
    (law.range(1..).map(|(_, mass)| mass).sum(), law.get(&0).copied().unwrap_or(0.0))
}

#[test]
fn differences_have_exact_intervals_and_probabilities() {
    let released = release(&spec(1, 4, &free(TOTAL, "1/2")), &[3, 5, 4, 0]);
    let (first, second) = (cells("a", &[0, 1]), cells("b", &[1, 2]));
    let pair = Pair::new("p", first.clone(), second.clone()).unwrap();
    let asked = Asked::new(0.9, 999, 1).unwrap();
    let found = compare(&released, std::slice::from_ref(&pair), asked, WANTED).unwrap().remove(0);
    // The cell in both cancels: it is the interval of the other two.
    let difference = Query::new("d", [(0, 1), (2, -1)]).unwrap();
    let interval = intervals(&released, std::slice::from_ref(&difference), asked).unwrap().remove(0);
    assert_eq!(found.difference, [interval.lower(), interval.upper()]);
    assert_eq!((found.figures, found.draws), ([8.0, 9.0], None));
    let all = tables(&released.conditions, &released.values, -12, 18, &|_| true);
    let (greater, equal) = chances(&weighted(&released, all), &difference);
    assert!(
        (found.greater - greater).abs() < 2e-3 && (found.equal - equal).abs() < 2e-3,
        "{found:?} {greater} {equal}"
    );
    // The mutant that counts ties for the first.
    assert!((found.greater + found.equal - greater).abs() > 0.05);
    assert!(Pair::new("p", first.clone(), first).unwrap_err().message.contains("same cells"));
    let bounded = release_bounded();
    assert!(compare(&bounded, &[pair], asked, WANTED).is_err(), "bounds: no interval without a posterior");
}

fn release_bounded() -> Release {
    release(
        &spec(
            1,
            4,
            &format!(
                "{TOTAL}[constraints]\nnonnegative = true\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n"
            ),
        ),
        &[3, 5, 4, 0],
    )
}

#[test]
fn pairs_under_a_posterior_are_those_of_its_tables() {
    let released = release(&spec(1, 3, &free(TOTAL, "1/2")), &[3, 5, 4]);
    let all = tables(&released.conditions, &released.values, 0, 12, &|_| true);
    let expected = weighted(&released, all);
    let releases = [released];
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let wanted = Wanted { draws: 20_000, ..WANTED };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    let (first, second) = (cells("a", &[0, 1]), cells("b", &[2]));
    let difference = Query::new("d", [(0, 1), (1, 1), (2, -1)]).unwrap();
    let pair = Pair::new("p", first, second).unwrap();
    let found = posterior.compare(&[pair], 0.9, wanted).unwrap().remove(0);
    let (greater, equal) = chances(&expected, &difference);
    assert_eq!(found.draws, None, "the law of the difference is listed");
    assert!((found.greater - greater).abs() < 1e-9 && (found.equal - equal).abs() < 1e-9, "{found:?} {greater}");
    let own = law(&expected, &difference);
    let upto = |value: i128| own.range(..=value as i64).map(|(_, mass)| mass).sum::<f64>();
    assert!(upto(found.difference[0] - 1) < 0.05 && upto(found.difference[0]) >= 0.05 - 1e-12);
    assert!(upto(found.difference[1] - 1) < 0.95 && upto(found.difference[1]) >= 0.95 - 1e-12);
    // The second may be zero: the ratio has no end.
    assert_eq!(found.ratio, None);
    let far = release(&spec(1, 3, &free(TOTAL, "1")), &[300, 500, 400]);
    let releases = [far];
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    let pair = Pair::new("p", cells("a", &[0]), cells("b", &[1])).unwrap();
    let found = posterior.compare(&[pair], 0.9, wanted).unwrap().remove(0);
    let [low, high] = found.ratio.unwrap();
    assert!(low < 0.6 && high > 0.6 && high - low < 0.02, "{found:?}");
    assert!(found.greater < 1e-9);
}

/// Over many releases of one table, the share whose interval covers a sum: imputations combined by
/// Rubin's rules, and exact intervals.
#[test]
fn imputations_cover_linear_queries_as_intervals_do() {
    const RELEASES: u64 = 4000;
    const IMPUTATIONS: u64 = 20;
    let truth = [30, 50, 40, 20];
    let released = release(&spec(1, 4, &free(TOTAL, "1/3")), &truth);
    let query = Query::new("q", [(0, 2), (1, 1), (3, -1)]).unwrap();
    let value = query.value(&truth);
    let asked = Asked::new(0.9, 999, 1).unwrap();
    let reach = intervals(&released, std::slice::from_ref(&query), asked).unwrap().remove(0).reach;
    // The noise has one law, whatever the table: the noise of a release, and that of its
    // imputations around it.
    let releases = [released];
    let knowledge = Knowledge::default();
    let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
    let mut noise: Vec<i128> = Vec::new();
    posterior
        .draw(RELEASES * (IMPUTATIONS + 1), 9, &mut |_, table| {
            noise.push(query.value(table) - value);
            Ok(())
        })
        .unwrap();
    let (mut exact, mut combined) = (0u64, 0u64);
    for drawn in noise.chunks(IMPUTATIONS as usize + 1) {
        exact += u64::from(drawn[0].unsigned_abs() <= u128::from(reach));
        let figures: Vec<f64> = drawn[1..].iter().map(|noise| (value + drawn[0] - noise) as f64).collect();
        let [low, high] = Combined::new("q", &figures).unwrap().interval(0.9);
        combined += u64::from(low <= value as f64 && value as f64 <= high);
    }
    let share = |count: u64| count as f64 / RELEASES as f64;
    // Four standard errors of 0.9 in 4,000 trials are 0.019; whole numbers make exact intervals
    // cover a little more.
    assert!(share(exact) > 0.9 - 0.019 && share(exact) < 0.95, "exact {}", share(exact));
    assert!(share(combined) > 0.9 - 0.019 && share(combined) < 0.9 + 0.025, "combined {}", share(combined));
}

fn slope(rows: usize) -> Model {
    let row = |row: usize| Query::new("r", [(row as u32, 1)]).unwrap();
    let x: Vec<f64> = (0..rows).map(|row| (row / 2) as f64).collect();
    Model {
        family: Family::LeastSquares,
        rows: (0..rows).map(row).collect(),
        response: (0..rows).map(|row| (row % 2) as f64).collect(),
        columns: vec![("(constant)".into(), vec![1.0; rows]), ("x".into(), x)],
    }
}

#[test]
fn models_of_imputations_add_the_noise_to_their_errors() {
    // Rows: x = 0, 1, 2 and a response of 0 or 1; with hardly any noise the fit is that of the
    // table itself.
    let counts = [40, 10, 25, 25, 10, 40];
    let model = slope(6);
    let own = model.fit(&counts.map(|count| count as f64)).unwrap();
    // The shares with response 1 are 0.2, 0.5 and 0.8: the slope is 0.3.
    assert!((own.estimates[1] - 0.3).abs() < 1e-12 && (own.estimates[0] - 0.2).abs() < 1e-12);
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let still = [release(&spec(1, 6, &free(TOTAL, "30")), &counts)];
    let posterior = Posterior::new(&still, &knowledge, WANTED).unwrap();
    let found = posterior.regress(&model, 20, 0.9, 4).unwrap();
    assert!((found.coefficients[1].estimate - 0.3).abs() < 1e-9 && found.coefficients[1].between < 1e-12);
    assert!((found.coefficients[1].total - own.variances[1]).abs() < 1e-9);
    let noisy = [release(&spec(1, 6, &free(TOTAL, "1/4")), &counts)];
    let posterior = Posterior::new(&noisy, &knowledge, WANTED).unwrap();
    let found = posterior.regress(&model, 50, 0.9, 4).unwrap();
    let slope = &found.coefficients[1];
    assert!((slope.total - slope.within - 1.02 * slope.between).abs() < 1e-12 && slope.between > 1e-5);
    assert!(slope.interval[0] < 0.3 && slope.interval[1] > 0.3 && slope.freedom > 49.0, "{slope:?}");
    assert!(posterior.regress(&model, 1, 0.9, 4).unwrap_err().message.contains("at least two"));
    // Without bounds imputed counts may be below zero.
    let low = [release(&spec(1, 6, &free(TOTAL, "1/4")), &[40, 0, 0, 0, 0, 40])];
    let nothing = Knowledge::default();
    let posterior = Posterior::new(&low, &nothing, WANTED).unwrap();
    assert!(posterior.regress(&model, 20, 0.9, 4).unwrap_err().message.contains("below zero"));
}

/// Over many releases, the share whose interval covers the slope that the true table has: with the
/// noise alone as error it is nominal.
#[test]
fn slopes_are_covered_when_noise_is_added_and_not_when_it_is_left_out() {
    const RELEASES: u64 = 400;
    let truth = [40, 10, 25, 25, 10, 40];
    let released = release(&spec(1, 6, &free(TOTAL, "1/5")), &truth);
    let model = slope(6);
    let own = model.fit(&truth.map(|count| count as f64)).unwrap().estimates[1];
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let (mut with, mut without) = (0u64, 0u64);
    for number in 0..RELEASES {
        let releases = [drawn(&released, 5, number)];
        let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
        let found = posterior.regress(&model, 20, 0.9, number).unwrap().coefficients.remove(1);
        // The error of the noise alone: what is covered is the figure of the true table itself.
        let reach = 1.729 * (found.total - found.within).sqrt();
        with += u64::from((found.estimate - own).abs() <= reach);
        // The mutant: the variance of the mean of imputations, B/M, in place of that of the figure.
        without += u64::from((found.estimate - own).abs() <= 1.729 * (found.between / 20.0).sqrt());
    }
    let share = |count: u64| count as f64 / RELEASES as f64;
    assert!(share(with) > 0.85 && share(with) < 0.96, "{}", share(with));
    assert!(share(without) < 0.5, "{}", share(without));
}

//! Cascades whose totals nest: laws from split to split against enumeration, draws of whole tables,
//! and what would be wrong.

use crate::making::{WANTED, assert_law, law, release, spec, tables};
use infer::{Field, Knowledge, Posterior, Prior, Query, Release, Wanted, likelihood};
use std::collections::BTreeMap;

const TOTAL: &str = "[[invariant]]\nby = []\n";

/// Noise on rows and on cells: tracts in counties.
fn two_levels(invariants: &str, nonnegative: bool, rho: &str) -> String {
    format!(
        "{invariants}[constraints]\nnonnegative = {nonnegative}\n[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \
         \"{rho}\"\nper = \"record\"\n[[mechanism.query]]\nby = [\"row\"]\nshare = \"1/4\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nshare = \
         \"3/4\"\n"
    )
}

/// Tables with the logarithm of a weight beside the likelihood, as weights.
fn weighed(release: &Release, all: Vec<Vec<i64>>, beside: &dyn Fn(&[i64]) -> f64) -> Vec<(Vec<i64>, f64)> {
    let field = Field::of_release(release).unwrap();
    let weigh = |x: Vec<i64>| {
        let log = likelihood(release, &field, &x).unwrap().value().map_or(f64::NEG_INFINITY, |log| log + beside(&x));
        (x, log.exp())
    };
    all.into_iter().map(weigh).collect()
}

/// Every cell, every row and every pair of rows' cells against the enumerated tables.
fn assert_nested(release: Release, knowledge: &Knowledge, expected: &[(Vec<i64>, f64)], rows: usize) {
    let cells = release.values.len() as u32;
    let columns = cells / rows as u32;
    let releases = [release];
    let posterior = Posterior::new(&releases, knowledge, WANTED).unwrap();
    assert!(posterior.basis.exact && posterior.basis.diagnoses.is_empty(), "{:?}", posterior.basis);
    let one = |cell: u32| Query::new("cell", [(cell, 1)]).unwrap();
    let row = |row: u32| Query::new("row", (0..columns).map(|column| (row * columns + column, -2))).unwrap();
    let queries: Vec<Query> = (0..cells).map(one).chain((0..rows as u32).map(row)).collect();
    for (query, found) in queries.iter().zip(posterior.laws(&queries)) {
        assert_law(&found.expect("a law of every cell and row"), &law(expected, query), 1e-10);
    }
}

#[test]
fn tracts_in_counties_in_a_state() {
    // Counties of three, two and one tract, as totals of different sizes: row sums with noise of
    // their own.
    let released = release(&spec(2, 3, &two_levels(TOTAL, true, "1/8")), &[0, 3, 1, 0, 0, 2]);
    let all = tables(&released.conditions, &released.values, 0, 6, &|_| true);
    let expected = weighed(&released, all.clone(), &|_| 0.0);
    // The mutant without what bounds add to the probability: a Gaussian for every noise.
    let without = |x: &Vec<i64>| {
        let off: Vec<f64> = x.iter().zip(&released.values).map(|(x, y)| (x - y) as f64).collect();
        let rows: f64 = [&off[..3], &off[3..]].iter().map(|row| row.iter().sum::<f64>().powi(2)).sum();
        let cells: f64 = off.iter().map(|off| off * off).sum();
        (x.clone(), (-rows / 32.0 - cells * 3.0 / 32.0).exp())
    };
    let dropped: Vec<(Vec<i64>, f64)> = all.iter().map(without).collect();
    let query = Query::new("q", [(1, 1)]).unwrap();
    let apart = law(&expected, &query)[&0] - law(&dropped, &query)[&0];
    assert!(apart.abs() > 0.01, "the mutant without Z is another: {apart}");
    assert_nested(released.clone(), &Knowledge::default(), &expected, 2);
    let means = vec![0.5, 2.0, 1.0, 0.2, 0.4, 3.0];
    let log = |x: &[i64]| {
        let factorial = |n: i64| (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
        x.iter().zip(&means).map(|(n, mean)| *n as f64 * f64::ln(*mean) - factorial(*n)).sum()
    };
    let expected = weighed(&released, all, &log);
    let knowledge = Knowledge { prior: Prior::Poisson { means: means.clone() }, ..Knowledge::default() };
    assert_nested(released, &knowledge, &expected, 2);
}

#[test]
fn three_counties_with_exact_totals() {
    let by_row = "[[invariant]]\nby = [\"row\"]\n";
    let rest = format!(
        "{by_row}[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n"
    );
    let released = release(&spec(3, 2, &rest), &[0, 4, 3, 2, 0, 0]);
    let all = tables(&released.conditions, &released.values, 0, 5, &|_| true);
    assert_nested(released.clone(), &Knowledge::default(), &weighed(&released, all, &|_| 0.0), 3);
}

#[test]
fn sums_that_are_not_exact_and_bounds_of_the_reader() {
    // No total is exact, and the release has counts below zero that the reader knows to be
    // impossible.
    let released = release(&spec(2, 2, &two_levels("", false, "1/2")), &[-2, 3, 1, -1]);
    let all = tables(&released.conditions, &released.values, 0, 17, &|_| true);
    let expected = weighed(&released, all, &|_| 0.0);
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    assert_nested(released, &knowledge, &expected, 2);
    let bounded = release(&spec(2, 2, &two_levels("", true, "1/2")), &[0, 3, 0, 0]);
    let all = tables(&bounded.conditions, &bounded.values, 0, 17, &|_| true);
    let expected = weighed(&bounded, all, &|_| 0.0);
    assert_nested(bounded, &Knowledge::default(), &expected, 2);
}

#[test]
fn whole_tables_are_drawn_from_their_law() {
    let released = release(&spec(2, 2, &two_levels(TOTAL, true, "1/4")), &[0, 3, 1, 0]);
    let all = tables(&released.conditions, &released.values, 0, 4, &|_| true);
    let expected = weighed(&released, all, &|_| 0.0);
    let whole: f64 = expected.iter().map(|(_, weight)| weight).sum();
    let releases = [released];
    let knowledge = Knowledge::default();
    let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
    let draws = 40_000;
    let mut seen: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    posterior
        .draw(draws, 11, &mut |_, table| {
            *seen.entry(table.to_vec()).or_default() += 1;
            Ok(())
        })
        .unwrap();
    // Pearson's statistic of 34 free tables: its mean is 34, and 80 is above its 0.99999 quantile.
    let cell = |(table, weight): &(Vec<i64>, f64)| {
        let mean = draws as f64 * weight / whole;
        (seen.get(table).copied().unwrap_or(0) as f64 - mean).powi(2) / mean
    };
    let statistic: f64 = expected.iter().map(cell).sum();
    assert_eq!(expected.len(), 35);
    assert!(statistic < 80.0 && statistic > 10.0, "{statistic}");
    // The same seed gives the same tables.
    let mut again = Vec::new();
    posterior
        .draw(3, 11, &mut |_, table| {
            again.push(table.to_vec());
            Ok(())
        })
        .unwrap();
    let mut first = Vec::new();
    posterior
        .draw(2, 11, &mut |_, table| {
            first.push(table.to_vec());
            Ok(())
        })
        .unwrap();
    assert_eq!(again[..2], first[..]);
}

#[test]
fn many_cells_near_zero_and_far_from_it() {
    // 400 cells in 20 rows under one total, where windows are wide and bounds are near: means add
    // up, and draws have the laws.
    let values: Vec<i64> = (0..400).map(|cell| if cell % 3 == 0 { 0 } else { (cell % 7) * (cell % 5) }).collect();
    let released = release(&spec(20, 20, &two_levels(TOTAL, true, "1/50")), &values);
    let total: i64 = values.iter().sum();
    let releases = [released];
    let knowledge = Knowledge::default();
    let wanted = Wanted { draws: 1500, ..WANTED };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    assert!(posterior.basis.exact);
    let cells = Query::cells(&releases[0].domain);
    let laws: Vec<draw::Law> = posterior.laws(&cells).into_iter().map(Option::unwrap).collect();
    let mean: f64 = laws.iter().map(draw::Law::mean).sum();
    assert!((mean - total as f64).abs() < 1e-8 * total as f64, "{mean} {total}");
    let (mut sums, mut zeros) = (vec![0.0; 400], vec![0.0; 400]);
    posterior
        .draw(wanted.draws, 5, &mut |_, table| {
            assert_eq!(table.iter().sum::<i64>(), total);
            for (cell, count) in table.iter().enumerate() {
                assert!(*count >= 0);
                sums[cell] += *count as f64;
                zeros[cell] += f64::from(*count == 0);
            }
            Ok(())
        })
        .unwrap();
    let draws = wanted.draws as f64;
    for (cell, law) in laws.iter().enumerate() {
        // 800 comparisons: five standard errors.
        let error = 5.0 * (law.variance() / draws).sqrt();
        assert!((sums[cell] / draws - law.mean()).abs() < error, "{cell}: {} {}", sums[cell] / draws, law.mean());
        let zero = law.probability(0);
        let error = 5.0 * (zero * (1.0 - zero) / draws).sqrt() + 1.0 / draws;
        assert!((zeros[cell] / draws - zero).abs() < error, "{cell}: {} {zero}", zeros[cell] / draws);
    }
}

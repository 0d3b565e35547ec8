//! Numbers that were derived apart from this code and must come out.

use crate::making::{WANTED, cell_laws, energy, free, law, release, spec, tables};
use infer::{Asked, Cancel, Diagnosis, Field, Knowledge, Posterior, Query, Release, Sums, Wanted, intervals};

const TOTAL: &str = "[[invariant]]\nby = []\n";

#[test]
fn counties_of_illinois() {
    let release = release(&spec(1, 102, &free(TOTAL, "0.192")), &[1000; 102]);
    let sum = |counties: u32| Query::new("sum", (0..counties).map(|cell| (cell, 1))).unwrap();
    let queries = [sum(1), sum(10), sum(51), sum(102)];
    let at = |level: f64| {
        let found = intervals(&release, &queries, Asked::new(level, 99, 1).unwrap()).unwrap();
        found.iter().map(|interval| (interval.reach, interval.deviation.unwrap())).collect::<Vec<_>>()
    };
    let (ninety, more) = (at(0.9), at(0.95));
    assert_eq!(ninety.iter().map(|(reach, _)| *reach).collect::<Vec<_>>(), [12, 36, 61, 0]);
    assert_eq!(more.iter().map(|(reach, _)| *reach).collect::<Vec<_>>(), [15, 43, 72, 0]);
    for ((_, deviation), expected) in ninety.iter().zip([7.2644, 21.925, 36.865, 0.0]) {
        assert!((deviation - expected).abs() < 5e-4, "{deviation} {expected}");
    }
    // k of n cells have k(n − k)/(n − 1) times the variance of one.
    for (counties, (_, deviation)) in [1.0, 10.0, 51.0].iter().zip(&ninety) {
        let expected = counties * (102.0 - counties) / 101.0 * ninety[0].1.powi(2);
        assert!((deviation * deviation / expected - 1.0).abs() < 1e-9);
    }
}

#[test]
fn delinquent_children_by_education() {
    let release = release(&spec(4, 4, &free("[[invariant]]\nby = [\"row\"]\n", "1/4")), &[5; 16]);
    let education = Query::new("education", (0..4).map(|row| (4 * row, 1))).unwrap();
    for (level, reach) in [(0.9, 13), (0.95, 16)] {
        let asked = Asked::new(level, 99, 1).unwrap();
        let found = intervals(&release, std::slice::from_ref(&education), asked).unwrap();
        assert_eq!(found[0].reach, reach);
        assert!((found[0].deviation.unwrap() - 8.1559).abs() < 5e-5);
    }
}

#[test]
fn two_releases_of_two_cells() {
    // Two cells and their total: one number, whose noise has rate 1/2 in each release.
    let text = spec(1, 2, &free(TOTAL, "1/4"));
    let (mut covered, mut length, mut whole) = (0.0, 0.0, 0.0);
    for apart in -40i64..=40 {
        let drawn_at = |time: &str| infer::Origin { time: time.into(), draw: None, seal: None };
        let releases = [
            release(&text, &[50, 50]).with_origin(drawn_at("first")),
            release(&text, &[50 + apart, 50 - apart]).with_origin(drawn_at("second")),
        ];
        let law = cell_laws(&releases, &Knowledge::default()).swap_remove(0);
        let [lower, upper] = [0.05, 0.95].map(|probability| law.quantile(probability));
        let [lower, upper] = [lower - 50, upper - 50];
        // The truth is at `at` above the first release.
        for at in -60i64..=60 {
            let weight = (-0.5 * (at.abs() + (apart - at).abs()) as f64).exp();
            whole += weight;
            covered += if (lower..=upper).contains(&at) { weight } else { 0.0 };
            length += weight * (upper - lower + 1) as f64;
        }
    }
    assert!((covered / whole - 0.9415).abs() < 5e-5, "{}", covered / whole);
    assert!((length / whole - 6.97).abs() < 5e-3, "{}", length / whole);
}

/// Twelve people in three cells, ε' = ½, released as (0, 5, 7).
fn twelve() -> Release {
    let text =
        spec(1, 3, &format!("{TOTAL}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n"));
    let mut release = release(&text, &[0, 5, 7]);
    // The price of bounds is not what is looked at here: the noise itself has rate ½.
    release.plan.law = draw::NoiseLaw::double_geometric(exact::Rational::new(1, 2u8));
    release
}

fn means(release: &Release, wanted: Wanted) -> (Vec<f64>, f64, Vec<Diagnosis>) {
    let releases = std::slice::from_ref(release);
    let knowledge = Knowledge::default();
    let posterior = Posterior::new(releases, &knowledge, wanted).unwrap();
    let laws: Vec<draw::Law> =
        posterior.laws(&Query::cells(&release.domain)).into_iter().map(|law| law.expect("a law")).collect();
    (laws.iter().map(draw::Law::mean).collect(), laws[0].probability(0), posterior.basis.diagnoses.clone())
}

#[test]
fn twelve_people_in_three_cells() {
    let release = twelve();
    let all = tables(&release.conditions, &release.values, 0, 12, &|_| true);
    assert_eq!(all.len(), 91);
    let z = |x: &[i64]| all.iter().map(|y| (-energy(&release, y, x)).exp()).sum::<f64>();
    let weigh = |with: bool| -> Vec<(Vec<i64>, f64)> {
        let weight = |x: &Vec<i64>| (-energy(&release, &release.values, x)).exp() / if with { z(x) } else { 1.0 };
        all.iter().map(|x| (x.clone(), weight(x))).collect()
    };
    let cell = |cell: u32| Query::new("cell", [(cell, 1)]).unwrap();
    let mean = |tables: &[(Vec<i64>, f64)], place: u32| {
        law(tables, &cell(place)).iter().map(|(x, mass)| *x as f64 * mass).sum::<f64>()
    };
    let expected = [0.7601, 4.6120, 6.6279];
    let dropped = [0.8919, 4.5821, 6.5259];
    for place in 0..3 {
        assert!((mean(&weigh(true), place) - expected[place as usize]).abs() < 5e-5);
        assert!((mean(&weigh(false), place) - dropped[place as usize]).abs() < 5e-5);
    }
    let (with, without) = (weigh(true), weigh(false));
    assert!((law(&with, &cell(0))[&0] - 0.5682).abs() < 5e-5 && (law(&without, &cell(0))[&0] - 0.5014).abs() < 5e-5);
    let whole = |tables: &[(Vec<i64>, f64)]| tables.iter().map(|(_, weight)| weight).sum::<f64>();
    let distance: f64 =
        with.iter().zip(&without).map(|(one, two)| (one.1 / whole(&with) - two.1 / whole(&without)).abs()).sum::<f64>()
            / 2.0;
    assert!((distance - 0.0691).abs() < 5e-5, "{distance}");

    // The effective share of draws without Z that are weighted by 1/Z(x).
    let (first, second) = without
        .iter()
        .fold((0.0, 0.0), |(first, second), (x, weight)| (first + weight / z(x), second + weight / z(x).powi(2)));
    let share = first * first / (second * whole(&without));
    assert!((share - 0.9785).abs() < 5e-5, "{share}");

    // What the program says: listed, to four digits and beyond.
    let (found, at_zero, diagnoses) = means(&release, WANTED);
    assert_eq!(diagnoses, [Diagnosis::Listed { tables: 91 }]);
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 5e-5, "{found} {expected}");
    }
    assert!((at_zero - 0.5682).abs() < 5e-5);
    // By importance and by exchange: within their Monte Carlo errors, of which the four digits
    // would be the last.
    for (cancel, draws) in [(Cancel::Importance, 60_000), (Cancel::Exchange, 30_000)] {
        let (found, at_zero, diagnoses) = means(&release, Wanted { cancel, draws, seed: 4 });
        let effective = match &diagnoses[0] {
            Diagnosis::Importance { draws, effective } => {
                // Draws that know the bounds of single cells: 1/Z(x) alone would leave 0.9785, by
                // enumeration.
                assert!(*effective > 0.999, "{effective}");
                *draws as f64 * effective
            }
            Diagnosis::Exchange { accepted, effective, .. } => {
                assert!((accepted - 0.489).abs() < 0.02, "{accepted}");
                *effective / 2.0
            }
            other => panic!("{other:?}"),
        };
        // Standard deviations of the cells are at most 2.6; four of the error, both sides.
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < testkit::deviations(12) * 2.6 / effective.sqrt(),
                "{cancel:?}: {found} {expected}"
            );
        }
        assert!((at_zero - 0.5682).abs() < testkit::deviations(2) * 0.5 / effective.sqrt(), "{cancel:?}: {at_zero}");
    }
}

#[test]
fn released_tables_are_the_centre_and_not_the_truth() {
    // The mutant "y for x in the centre": around the truth the law of a cell is another.
    let truth = release(&spec(1, 3, &free(TOTAL, "1/2")), &[4, 4, 4]);
    let released = Release { values: vec![6, 1, 5], ..truth.clone() };
    let law = |release: &Release| {
        let field = Field::of_release(release).unwrap();
        Sums::new(&field).law(&Query::new("q", [(0, 1)]).unwrap()).unwrap()
    };
    assert_eq!((law(&truth).mean().round(), law(&released).mean().round()), (4.0, 6.0));
}

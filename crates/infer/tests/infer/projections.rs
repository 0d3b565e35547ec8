//! Projections of small public tables: rejection against the enumerated posterior, and what
//! projecting costs.

use crate::making::{WANTED, assert_law, energy, free, law, release, spec, tables};
use infer::{Diagnosis, Knowledge, Posterior, Query, Release, Wanted};
use std::collections::HashMap;

const TOTAL: &str = "[[invariant]]\nby = []\n";

fn projected(cells: usize, values: &[i64]) -> Release {
    let rest = format!(
        "{TOTAL}[constraints]\nnonnegative = true\n[mechanism]\nmethod = \"project\"\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n"
    );
    release(&spec(1, cells, &rest), values)
}

/// The probability of every release for every table: all noise up to 25 in every cell, projected.
fn laws(release: &Release, all: &[Vec<i64>]) -> HashMap<Vec<i64>, HashMap<Vec<i64>, f64>> {
    const REACH: i64 = 25;
    let projection = release.plan.blocks[0].projection().unwrap().unwrap();
    let most = release.values.iter().sum::<i64>();
    let axis: Vec<i64> = (-REACH..=most + REACH).collect();
    let cells = release.values.len();
    let mut found: HashMap<Vec<i64>, HashMap<Vec<i64>, f64>> = HashMap::new();
    let mut place = vec![0usize; cells];
    loop {
        let measured: Vec<i64> = place.iter().map(|place| axis[*place]).collect();
        let becomes = projection.integer(&measured).unwrap();
        for x in all {
            let away: i64 = measured.iter().zip(x).map(|(one, two)| (one - two).abs()).sum();
            if away < 3 * REACH {
                *found.entry(x.clone()).or_default().entry(becomes.clone()).or_default() += (-0.5 * away as f64).exp();
            }
        }
        let Some(next) = place.iter().position(|place| *place + 1 < axis.len()) else { break };
        place[next] += 1;
        place[..next].iter_mut().for_each(|place| *place = 0);
    }
    for law in found.values_mut() {
        let whole: f64 = law.values().sum();
        law.values_mut().for_each(|mass| *mass /= whole);
    }
    found
}

#[test]
fn tables_that_become_the_release_have_its_posterior() {
    let released = projected(2, &[0, 7]);
    let all = tables(&released.conditions, &released.values, 0, 7, &|_| true);
    let laws = laws(&released, &all);
    let probability = |x: &Vec<i64>| laws[x].get(&released.values).copied().unwrap_or(0.0);
    let expected: Vec<(Vec<i64>, f64)> = all.iter().map(|x| (x.clone(), probability(x))).collect();
    // The mutant: the projected table taken for one without bounds, minus noise.
    let naive: Vec<(Vec<i64>, f64)> =
        all.iter().map(|x| (x.clone(), (-energy(&released, &released.values, x)).exp())).collect();
    let query = Query::new("q", [(0, 1)]).unwrap();
    let apart = (law(&expected, &query)[&0] - law(&naive, &query)[&0]).abs();
    assert!(apart > 0.05, "{apart}");
    let releases = [released];
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let wanted = Wanted { draws: 10_000, ..WANTED };
    let posterior = Posterior::projected(&releases, &knowledge, wanted).unwrap();
    assert!(
        matches!(posterior.basis.diagnoses[..], [Diagnosis::Rejection { draws: 10_000, .. }]) && !posterior.basis.exact
    );
    let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
    assert_law(&found, &law(&expected, &query), 0.02);
}

#[test]
fn what_is_no_small_public_projection_is_refused() {
    let knowledge = Knowledge::default();
    let mut confidential = projected(2, &[0, 7]);
    confidential.declaration.data.public = false;
    let problem = Posterior::projected(std::slice::from_ref(&confidential), &knowledge, WANTED).unwrap_err();
    assert!(problem.message.contains("confidential"), "{problem}");
    let free = [release(&spec(1, 2, &free(TOTAL, "1/2")), &[0, 7])];
    assert!(Posterior::projected(&free, &knowledge, WANTED).unwrap_err().message.contains("no projection"));
    let large = [projected(6, &[500; 6])];
    assert!(Posterior::projected(&large, &knowledge, WANTED).unwrap_err().message.contains("too many"));
    let plain = Posterior::new(&large, &knowledge, WANTED).unwrap_err();
    assert!(plain.message.contains("law of its errors is not known"), "{plain}");
}

/// The mean over tables and releases of the variance that is left of the counts, summed over cells.
fn left(all: &[Vec<i64>], laws: &HashMap<Vec<i64>, HashMap<Vec<i64>, f64>>) -> f64 {
    let mut by_release: HashMap<&Vec<i64>, Vec<(&Vec<i64>, f64)>> = HashMap::new();
    for x in all {
        laws[x].iter().for_each(|(y, mass)| by_release.entry(y).or_default().push((x, *mass)));
    }
    let mut sum = 0.0;
    for tables in by_release.values() {
        let whole: f64 = tables.iter().map(|(_, mass)| mass).sum();
        for cell in 0..all[0].len() {
            let moment = |power: i32| -> f64 {
                tables.iter().map(|(x, mass)| mass / whole * (x[cell] as f64).powi(power)).sum()
            };
            sum += whole * (moment(2) - moment(1).powi(2));
        }
    }
    sum / all.len() as f64
}

/// 12 people in 3 cells, ε' = ½, all tables alike before: what a release leaves unknown.
/// docs/infer.md prints these numbers.
#[test]
fn projecting_costs_information() {
    let released = projected(3, &[0, 5, 7]);
    let all = tables(&released.conditions, &released.values, 0, 12, &|_| true);
    assert_eq!(all.len(), 91);
    let projected = left(&all, &laws(&released, &all));
    // The release with equalities alone, at the same loss: noise on the plane of the total.
    let plane = release(&spec(1, 3, &free(TOTAL, "1/2")), &[0, 5, 7]);
    let reached = tables(&plane.conditions, &plane.values, -28, 40, &|_| true);
    let law = |x: &Vec<i64>| {
        let masses: Vec<(Vec<i64>, f64)> = reached.iter().map(|y| (y.clone(), (-energy(&plane, y, x)).exp())).collect();
        let whole: f64 = masses.iter().map(|(_, mass)| mass).sum();
        (x.clone(), masses.into_iter().map(|(y, mass)| (y, mass / whole)).collect())
    };
    let conditioned = left(&all, &all.iter().map(law).collect());
    let nothing = left(&all, &all.iter().map(|x| (x.clone(), [(vec![0], 1.0)].into())).collect());
    let measured = left_by_measurements(&all);
    let found = [nothing, projected, measured, conditioned].map(|left| format!("{left:.2}"));
    assert_eq!(found, ["30.00", "9.10", "8.50", "6.08"]);
}

/// Where the noisy counts themselves are published, and the total is known.
fn left_by_measurements(all: &[Vec<i64>]) -> f64 {
    let axis = -25i64..=37;
    let norm = |count: i64| axis.clone().map(|at| (-0.5 * (at - count).abs() as f64).exp()).sum::<f64>();
    let weight = |at: i64, count: i64| (-0.5 * (at - count).abs() as f64).exp() / norm(count);
    let listed: Vec<Vec<f64>> = axis.clone().map(|at| (0..=12).map(|count| weight(at, count)).collect()).collect();
    let mut sum = 0.0;
    for (one, two) in (0..listed.len()).flat_map(|one| (0..listed.len()).map(move |two| (one, two))) {
        for three in &listed {
            let of = |x: &Vec<i64>| listed[one][x[0] as usize] * listed[two][x[1] as usize] * three[x[2] as usize];
            let (mut whole, mut first, mut second) = (0.0, [0.0; 3], [0.0; 3]);
            for x in all {
                let mass = of(x);
                whole += mass;
                for cell in 0..3 {
                    first[cell] += mass * x[cell] as f64;
                    second[cell] += mass * (x[cell] * x[cell]) as f64;
                }
            }
            sum += (0..3).map(|cell| second[cell] - first[cell] * first[cell] / whole).sum::<f64>();
        }
    }
    sum / all.len() as f64
}

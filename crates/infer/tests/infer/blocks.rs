//! Blocks whose normaliser takes more than one total: trees of totals, noisy sums with bounds, many
//! cells, and chains of a cascade.

use crate::making::{assert_law, energy, law, release, spec, tables};
use infer::{Cancel, Diagnosis, Field, Knowledge, Posterior, Query, Release, Wanted, likelihood};

/// Every table of a fibre with bounds, weighed with 1/Z(x).
fn with_normaliser(release: &Release, all: &[Vec<i64>], times: f64) -> Vec<(Vec<i64>, f64)> {
    let log_z = |x: &[i64]| all.iter().map(|y| (-energy(release, y, x)).exp()).sum::<f64>().ln();
    let weigh = |x: &Vec<i64>| (x.clone(), (-energy(release, &release.values, x) - times * log_z(x)).exp());
    all.iter().map(weigh).collect()
}

/// Likelihoods to nine digits, and draws weighted by them; mutants with Z left out, or twice (a
/// supremum over releases), are others.
#[track_caller]
fn assert_block(release: Release, all: &[Vec<i64>], effective: f64) {
    let field = Field::of_release(&release).unwrap();
    for x in all.iter().step_by(all.len() / 7 + 1) {
        let z: f64 = all.iter().map(|y| (-energy(&release, y, x)).exp()).sum();
        let direct = -energy(&release, &release.values, x) - z.ln();
        let found = likelihood(&release, &field, x).unwrap().value().unwrap();
        assert!((found - direct).abs() < 1e-9, "{x:?}: {found} {direct}");
    }
    let [expected, without, twice] = [1.0, 0.0, 2.0].map(|times| with_normaliser(&release, all, times));
    let releases = [release];
    let knowledge = Knowledge::default();
    let wanted = Wanted { cancel: Cancel::Importance, draws: 60_000, seed: 4 };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    let Diagnosis::Importance { effective: found, .. } = &posterior.basis.diagnoses[0] else {
        panic!("weighted draws")
    };
    assert!(*found > effective, "{found}");
    let mut apart = [0.0f64; 2];
    for cell in 0..releases[0].values.len() as u32 {
        let query = Query::new("q", [(cell, 1)]).unwrap();
        let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
        assert_law(&found, &law(&expected, &query), 0.008);
        for (apart, mutant) in apart.iter_mut().zip([&without, &twice]) {
            let (right, wrong) = (law(&expected, &query), law(mutant, &query));
            *apart = apart.max(right.iter().map(|(value, mass)| (mass - wrong[value]).abs()).fold(0.0, f64::max));
        }
    }
    assert!(apart.iter().all(|apart| *apart > 0.012), "the mutants are other posteriors: {apart:?}");
}

/// Two ages, two schools, two incomes: ages and incomes are exact, schools are alike.
#[test]
fn totals_that_cross_in_a_tree() {
    let text = "title = \"t\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nage = [\"a\", \"b\"]\nschool = [\"s\", \"t\"]\n\
                income = [\"i\", \"j\"]\n[[invariant]]\nby = [\"age\"]\n[[invariant]]\nby = [\"income\"]\n[mechanism]\n\
                noise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\nsampler = \"messages\"\n";
    let values = [1, 0, 0, 2, 0, 0, 3, 1];
    let release = release(text, &values);
    let all = tables(&release.conditions, &values, 0, 4, &|_| true);
    assert!(all.len() > 100, "{}", all.len());
    assert_block(release, &all, 0.8);
}

/// Noise on rows and on cells, counts at or above zero, one exact total.
#[test]
fn noisy_sums_with_bounds_in_the_release() {
    let rest = "[[invariant]]\nby = []\n[mechanism]\nnoise = \"double-geometric\"\nper = \"unit\"\n\
                [[mechanism.query]]\nby = [\"row\"]\nepsilon = \"1\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nepsilon = \"1/2\"\n";
    let values = [5, 0, 0, 1];
    let release = release(&spec(2, 2, rest), &values);
    let all = tables(&release.conditions, &values, 0, 6, &|_| true);
    assert_block(release, &all, 0.8);
}

/// So many cells under one total that it hardly binds one of them: the law of a cell is that of a
/// cell by itself.
#[test]
fn many_cells_with_one_total() {
    const CELLS: usize = 6000;
    let rest = "[[invariant]]\nby = []\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\n";
    let values: Vec<i64> = (0..CELLS as i64).map(|cell| if cell % 100 == 0 { 0 } else { 500 + cell }).collect();
    let releases = [release(&spec(60, 100, rest), &values)];
    let knowledge = Knowledge::default();
    let wanted = Wanted { cancel: Cancel::Automatic, draws: 600, seed: 2 };
    let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
    match &posterior.basis.diagnoses[0] {
        Diagnosis::Importance { draws: 600, effective } => assert!(*effective > 0.9, "{effective}"),
        other => panic!("{other:?}"),
    }
    let mut sums = [0i64; 2];
    posterior
        .draw(200, 8, &mut |_, table| {
            assert_eq!(table.iter().sum::<i64>(), values.iter().sum::<i64>());
            assert!(table.iter().all(|count| *count >= 0));
            sums[0] += (0..CELLS).step_by(100).filter(|cell| table[*cell] == 0).count() as i64;
            sums[1] += (1..CELLS).step_by(100).filter(|cell| table[*cell] == values[*cell]).count() as i64;
            Ok(())
        })
        .unwrap();
    let epsilon = releases[0].plan.law.energy(1).to_f64();
    let weight = |away: i64| (-epsilon * away as f64).exp();
    let z = |x: i64| (0..200).map(|y: i64| weight((y - x).abs())).sum::<f64>();
    let at_zero = 1.0 / z(0) / (0..100).map(|x| weight(x) / z(x)).sum::<f64>();
    let far = 1.0 / (1.0 + 2.0 * (1..200).map(weight).sum::<f64>());
    for (sum, expected) in sums.into_iter().zip([at_zero, far]) {
        let share = sum as f64 / 200.0 / 60.0;
        assert!((share - expected).abs() < 0.02, "{share} {expected}");
    }
}

/// A chain of short steps has the law that is enumerated, and so have weighted draws.
#[test]
fn chains_of_a_cascade() {
    let rest = "[[invariant]]\nby = [\"row\"]\n[[constraints.rule]]\nby = [\"column\"]\nleft = \"row = 'r1'\"\nop = \"<=\"\nright = \"row = 'r0'\"\n\
                [mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n";
    let values = [0, 2, 4, 0, 1, 1];
    let released = release(&spec(2, 3, rest), &values);
    let holds = |table: &[i64]| released.conditions.check_table(table).is_ok();
    let all = tables(&released.conditions, &values, 0, 6, &holds);
    let field = Field::of_release(&released).unwrap();
    let weigh = |x: &Vec<i64>| (x.clone(), likelihood(&released, &field, x).unwrap().value().unwrap().exp());
    let expected: Vec<(Vec<i64>, f64)> = all.iter().map(weigh).collect();
    let releases = [released];
    let knowledge = Knowledge::default();
    for (cancel, draws) in [(Cancel::Importance, 20_000), (Cancel::Exchange, 20_000)] {
        let posterior = Posterior::new(&releases, &knowledge, Wanted { cancel, draws, seed: 3 }).unwrap();
        let chains = matches!(posterior.basis.diagnoses[0], Diagnosis::Chain { .. });
        assert_eq!(chains, cancel == Cancel::Exchange);
        for cell in 0..6 {
            let query = Query::new("q", [(cell, 1)]).unwrap();
            let found = posterior.laws(std::slice::from_ref(&query)).pop().unwrap().unwrap();
            assert_law(&found, &law(&expected, &query), 0.02);
        }
    }
}

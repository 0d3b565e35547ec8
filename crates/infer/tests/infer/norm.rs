//! Noise by one norm over all cells: the law of the whole table against enumeration, and mutants.

use crate::making::{WANTED, assert_law, drawn, law, release, spec, tables, try_release};
use infer::{Cancel, Diagnosis, Knowledge, KnownTotals, Posterior, Prior, Query, Release, Wanted, likelihood};
use testkit::Random;

type Weighed = Vec<(Vec<i64>, f64)>;
fn norm(one: &[i64], two: &[i64]) -> f64 {
    one.iter().zip(two).map(|(a, b)| ((a - b) as f64).powi(2)).sum::<f64>().sqrt()
}

fn rate(release: &Release) -> f64 {
    release.plan.law.parameter().to_f64()
}

const ROWS: &str = "[[invariant]]\nby = [\"row\"]\n";
fn laplace(invariants: &str, bounds: bool, epsilon: &str, per: &str) -> String {
    let constraints = if bounds { "" } else { "[constraints]\nnonnegative = false\n" };
    format!(
        "{invariants}{constraints}[mechanism]\nnoise = \"lattice-laplace\"\nepsilon = \"{epsilon}\"\nper = \"{per}\"\n"
    )
}

/// A random small declaration with totals that do not cross, and a release of it.
struct Small {
    release: Release,
    columns: usize,
    /// Whether some cells are in no total.
    open: bool,
}

/// Totals by row, by column, by both, or of the first row alone. Bounds in a release need totals of
/// all cells here, so that its tables can be listed.
fn random(chance: &mut Random, bounds: bool) -> Small {
    let open = !bounds && chance.below(3) == 0;
    let (rows, columns) = if open { (2, 2) } else { [(2, 2), (2, 3), (3, 2)][chance.below(3) as usize] };
    let invariants = match (open, chance.below(3)) {
        (true, _) => "[[invariant]]\nby = []\nwhere = \"row = 'r0'\"\n",
        (false, 0) => ROWS,
        (false, 1) => "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n",
        (false, _) => "[[invariant]]\nby = [\"column\"]\n",
    };
    let epsilon = ["1/2", "1", "3/2"][chance.below(3) as usize];
    let epsilon = if open { "3/2" } else { epsilon };
    let per = ["unit", "record"][chance.below(2) as usize];
    let text = spec(rows, columns, &laplace(invariants, bounds, epsilon, if open { "unit" } else { per }));
    // A table that is not the only one with its totals.
    let truth = loop {
        let counts: Vec<i64> = (0..rows * columns).map(|_| chance.below(4) as i64).collect();
        if let Ok(found) = try_release(&text, &counts) {
            break found;
        }
    };
    // Noise may move counts below zero where no bound is kept.
    let release = drawn(&truth, 5, chance.below(1 << 20));
    Small { release, columns, open }
}

impl Small {
    /// All tables with counts at or above zero that pass a test.
    fn tables(&self, keep: &dyn Fn(&[i64]) -> bool) -> Vec<Vec<i64>> {
        let values = &self.release.values;
        let sums = self.release.conditions.invariants[0].totals(values);
        let most = sums.into_iter().max().unwrap() as i64;
        // Cells in no total go as far as weights matter.
        let far = values.iter().copied().max().unwrap().max(0) + 16;
        tables(&self.release.conditions, values, 0, if self.open { far.max(most) } else { most }, keep)
    }
}

/// The weight of every true table: with Z over the tables that can be released, where there are
/// bounds.
fn weighed(release: &Release, all: Vec<Vec<i64>>, possible: Option<&[Vec<i64>]>) -> Weighed {
    let rate = rate(release);
    let weight = |x: &Vec<i64>| {
        let z = possible.map_or(1.0, |all| all.iter().map(|y| (-rate * norm(y, x)).exp()).sum::<f64>());
        (-rate * norm(&release.values, x)).exp() / z
    };
    all.into_iter().map(|x| (weight(&x), x)).map(|(weight, x)| (x, weight)).collect()
}

/// The mean and the standard deviation of a query.
fn moments(expected: &Weighed, query: &Query) -> (f64, f64) {
    let whole: f64 = expected.iter().map(|(_, weight)| weight).sum();
    let moment = |power: i32, from: f64| {
        expected.iter().map(|(x, weight)| weight * (query.value(x) as f64 - from).powi(power)).sum::<f64>() / whole
    };
    let mean = moment(1, 0.0);
    (mean, moment(2, mean).sqrt())
}

/// Laws of cells and of a sum across all totals, and draws.
#[track_caller]
fn assert_all(releases: &[Release], knowledge: &Knowledge, expected: &Weighed, tolerance: f64) {
    let cells = releases[0].values.len() as u32;
    let across = Query::new("q", (0..cells).map(|cell| (cell, [2, 0, -1, 1][cell as usize % 4]))).unwrap();
    let queries: Vec<Query> = Query::cells(&releases[0].domain).into_iter().chain([across.clone()]).collect();
    let posterior = Posterior::new(releases, knowledge, WANTED).unwrap();
    assert!(posterior.basis.exact, "{:?}", posterior.basis);
    for (query, believed) in queries.iter().zip(posterior.believed(&queries, 0.9, WANTED).unwrap()) {
        let (mean, deviation) = moments(expected, query);
        assert_eq!(believed.draws, None, "a law of every sum");
        assert!((believed.mean - mean).abs() < tolerance, "{} instead of {mean}", believed.mean);
        assert!((believed.deviation - deviation).abs() < 10.0 * tolerance, "{} {deviation}", believed.deviation);
    }
    for (query, told) in queries.iter().zip(posterior.laws(&queries)) {
        assert_law(&told.unwrap(), &law(expected, query), tolerance);
    }
    let (mut sum, draws) = (0.0, 1000);
    let add = |_: u64, table: &[i64]| {
        sum += across.value(table) as f64;
        Ok(())
    };
    posterior.draw(draws, 9, &mut { add }).unwrap();
    let (mean, deviation) = moments(expected, &across);
    let error = deviation / (draws as f64).sqrt();
    assert!((sum / draws as f64 - mean).abs() < testkit::deviations(200) * error + 1e-9, "{sum} {mean}");
}

#[test]
fn what_a_reader_knows_is_weighed_over_the_whole_table() {
    let mut chance = Random(7);
    let (mut met, mut apart) = (0, 0.0f64);
    for round in 0..24 {
        let small = random(&mut chance, false);
        let (one, other) = (&small.release, small.columns);
        let is_ruled = round % 3 == 1;
        let all = small.tables(&|x| !is_ruled || x[other] <= x[1]);
        if all.is_empty() {
            continue;
        }
        let rule = "sum(row = 'r1' and column = 'c0') <= sum(row = 'r0' and column = 'c1')";
        let prior = match round % 3 {
            2 => Prior::Poisson { means: (0..one.values.len()).map(|cell| 1.0 + cell as f64).collect() },
            _ => Prior::Flat,
        };
        let rules = if is_ruled { vec![rule.to_string()] } else { Vec::new() };
        let mut expected = weighed(one, all, None);
        for (x, weight) in &mut expected {
            *weight *= x.iter().enumerate().map(|(cell, n)| prior.log_weight(cell, *n)).sum::<f64>().exp();
        }
        let knowledge = Knowledge { nonnegative: true, rules, prior, ..Knowledge::default() };
        assert_all(std::slice::from_ref(one), &knowledge, &expected, if small.open { 1e-5 } else { 1e-9 });
        met += 1;
        // The mutant: a norm for every total by itself.
        if !small.open && one.conditions.invariants.len() == 1 && knowledge.prior == Prior::Flat {
            let groups = &one.conditions.invariants[0].group_of;
            let part = |x: &[i64], group: u32| -> Vec<i64> {
                x.iter().zip(groups).filter(|(_, own)| **own == group).map(|(n, _)| *n).collect()
            };
            let parts = |x: &[i64]| -> f64 { (0..3).map(|of| norm(&part(x, of), &part(&one.values, of))).sum() };
            let mutant = expected.iter().map(|(x, _)| (x.clone(), (-rate(one) * parts(x)).exp())).collect();
            let query = Query::new("q", [(0, 1)]).unwrap();
            apart = apart.max((moments(&mutant, &query).1 - moments(&expected, &query).1).abs());
        }
    }
    assert!(met > 12 && apart > 0.1, "{met} {apart}");
}

#[test]
fn two_rows_with_their_totals() {
    // The figures of an enumeration by hand.
    let cell = [Query::new("q", [(0, 1)]).unwrap()];
    let one = [release(&spec(2, 2, &laplace(ROWS, false, "1/2", "unit")), &[4, 3, 3, 4])];
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let found = Posterior::new(&one, &knowledge, WANTED).unwrap().believed(&cell, 0.9, WANTED).unwrap();
    assert!((found[0].mean - 3.873584).abs() < 1e-6 && (found[0].deviation - 1.670776).abs() < 1e-6, "{found:?}");
    let one = [release(&spec(2, 2, &laplace(ROWS, true, "1/2", "unit")), &[6, 1, 1, 6])];
    let knowledge = Knowledge::default();
    let found = Posterior::new(&one, &knowledge, WANTED).unwrap().believed(&cell, 0.9, WANTED).unwrap();
    assert!((found[0].mean - 5.408426).abs() < 1e-6, "{found:?}");
    let wanted = Wanted { cancel: Cancel::Exchange, draws: 20_000, seed: 1 };
    let found = Posterior::new(&one, &knowledge, wanted).unwrap().believed(&cell, 0.9, wanted).unwrap();
    assert!((found[0].mean - 5.408426).abs() < 0.08, "{found:?}");
}

#[test]
fn bounds_in_a_release_carry_z_of_the_whole_table() {
    let mut chance = Random(11);
    for round in 0..12 {
        let small = random(&mut chance, true);
        let releases = [small.release.clone()];
        let possible = small.tables(&|_| true);
        let expected = weighed(&releases[0], possible.clone(), Some(&possible));
        assert_all(&releases, &Knowledge::default(), &expected, 1e-9);
        // Its likelihood.
        let field = infer::Field::of_release(&releases[0]).unwrap();
        for (x, weight) in expected.iter().take(5) {
            let told = likelihood(&releases[0], &field, x).unwrap().value().unwrap();
            assert!((told - weight.ln()).abs() < 1e-9, "{told} {}", weight.ln());
        }
        // A reader who knows more than the release.
        let rules = vec!["sum(row = 'r1' and column = 'c0') <= sum(row = 'r0' and column = 'c1')".to_string()];
        let fewer = small.tables(&|x| x[small.columns] <= x[1]);
        if fewer.is_empty() {
            continue;
        }
        let knowledge = Knowledge { rules, ..Knowledge::default() };
        let ruled = weighed(&releases[0], fewer, Some(&possible));
        assert_all(&releases, &knowledge, &ruled, 1e-9);
        if round % 4 > 0 {
            continue;
        }
        let cells = Query::cells(&releases[0].domain);
        for (cancel, knowledge, expected) in [
            (Cancel::Importance, Knowledge::default(), &expected),
            (Cancel::Exchange, Knowledge::default(), &expected),
            (Cancel::Importance, knowledge.clone(), &ruled),
            (Cancel::Exchange, knowledge.clone(), &ruled),
        ] {
            let wanted = Wanted { cancel, draws: 4000, seed: 2 };
            let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
            let effective = match posterior.basis.diagnoses.as_slice() {
                [Diagnosis::Importance { draws, effective }] => *draws as f64 * effective,
                [Diagnosis::Exchange { effective, .. }] => *effective,
                other => panic!("{other:?}"),
            };
            for (query, believed) in cells.iter().zip(posterior.believed(&cells, 0.9, wanted).unwrap()) {
                let (mean, deviation) = moments(expected, query);
                let error = deviation / effective.sqrt();
                let away = (believed.mean - mean).abs();
                assert!(away < testkit::deviations(200) * error + 1e-9, "{cancel:?}: {believed:?}, {mean} ± {error}");
            }
        }
    }
}

/// The truth is uniform on the tables that the reader knows to be possible: then 90 % intervals
/// hold it at least as often, on average.
#[test]
fn intervals_cover_on_average() {
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let cell = [Query::new("q", [(0, 1)]).unwrap()];
    // Without bounds in the release: by fresh releases.
    let text = spec(2, 2, &laplace(ROWS, false, "1", "unit"));
    let like = release(&text, &[2, 2, 1, 2]);
    let all = tables(&like.conditions, &like.values, 0, 4, &|_| true);
    let (mut covered, mut asked) = (0u64, 0u64);
    for round in 0..20 {
        for (number, x) in all.iter().enumerate() {
            let one = [drawn(&release(&text, x), 61, round * 100 + number as u64)];
            let found = Posterior::new(&one, &knowledge, WANTED).unwrap().believed(&cell, 0.9, WANTED).unwrap();
            let [lower, upper] = found[0].interval;
            covered += u64::from((lower..=upper).contains(&x[0]));
            asked += 1;
        }
    }
    let slack = testkit::deviations(2) * (0.09 / asked as f64).sqrt();
    assert!(covered as f64 / asked as f64 > 0.9 - slack, "{covered} of {asked}");
    // With them: all releases of all tables.
    let like = release(&spec(2, 2, &laplace(ROWS, true, "1", "unit")), &[2, 2, 1, 2]);
    let rate = rate(&like);
    let mut covered = 0.0;
    for y in &all {
        let one = [Release { values: y.clone(), ..like.clone() }];
        let knowledge = Knowledge::default();
        let found = Posterior::new(&one, &knowledge, WANTED).unwrap().believed(&cell, 0.9, WANTED).unwrap();
        let [lower, upper] = found[0].interval;
        for x in all.iter().filter(|x| (lower..=upper).contains(&x[0])) {
            let z: f64 = all.iter().map(|other| (-rate * norm(other, x)).exp()).sum();
            covered += (-rate * norm(y, x)).exp() / z / all.len() as f64;
        }
    }
    assert!(covered >= 0.9, "{covered}");
}

#[test]
fn one_norm_with_other_releases_and_two_norms() {
    let text = spec(2, 2, &laplace(ROWS, false, "1", "unit"));
    let one = release(&text, &[4, 1, -1, 3]);
    let geometric = format!(
        "{ROWS}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n"
    );
    let two = release(&spec(2, 2, &geometric), &[2, 3, 1, 1]);
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let all = tables(&one.conditions, &one.values, 0, 5, &|_| true);
    let mut expected = weighed(&one, all, None);
    for (x, weight) in &mut expected {
        *weight *= (-0.5 * x.iter().zip(&two.values).map(|(a, b)| (a - b).abs() as f64).sum::<f64>()).exp();
    }
    assert_all(&[one.clone(), two], &knowledge, &expected, 1e-9);
    let other = release(&text, &[3, 2, 1, 1]);
    let problem = Posterior::new(&[one, other], &knowledge, WANTED).unwrap_err();
    assert!(problem.message.contains("two of them are not put together"), "{problem}");
}

#[test]
fn tables_of_many_cells_are_drawn_whole() {
    // Too many sums for messages. Far from zero noise is drawn again until it fits, near zero
    // chains walk: both by the norm of the whole table.
    let (rows, columns) = (2, 40);
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    let sum = [Query::new("q", (0..20).map(|cell| (cell, 1))).unwrap()];
    let far: Vec<i64> = (0..80).map(|cell| 900 + 10 * cell).collect();
    let one = [release(&spec(rows, columns, &laplace(ROWS, false, "1", "unit")), &far)];
    let posterior = Posterior::new(&one, &knowledge, WANTED).unwrap();
    let found = posterior.believed(&sum, 0.9, WANTED).unwrap().remove(0);
    assert!((found.mean - sum[0].value(&far) as f64).abs() < 0.2 * found.deviation, "{found:?}");
    // Without bounds |z| has a gamma law of as many parts as there are directions.
    let expected = (79.0 * 10.0f64).sqrt();
    assert!((found.deviation / expected - 1.0).abs() < 0.1, "{found:?} {expected}");
    let near: Vec<i64> = (0..80).map(|cell| [-3, 60][cell % 2]).collect();
    let one = [release(&spec(rows, columns, &laplace(ROWS, false, "1/2", "unit")), &near)];
    let posterior = Posterior::new(&one, &knowledge, WANTED).unwrap();
    assert!(matches!(posterior.basis.diagnoses.as_slice(), [Diagnosis::Chain { .. }]), "{:?}", posterior.basis);
    let holds = |table: &[i64]| table.iter().all(|count| *count >= 0) && table[..40].iter().sum::<i64>() == 20 * 57;
    let check = |_: u64, table: &[i64]| {
        assert!(holds(table), "{table:?}");
        Ok(())
    };
    posterior.draw(50, 3, &mut { check }).unwrap();
}

/// A file of totals that a reader knows, gone when it is dropped.
struct Known(std::path::PathBuf);

impl Known {
    fn new(name: &str, text: &str) -> Known {
        let file = std::env::temp_dir().join(format!("congenial-norm-{}-{name}.csv", std::process::id()));
        std::fs::write(&file, text).unwrap();
        Known(file)
    }

    fn totals(&self, by: &[&str], filter: Option<&str>) -> KnownTotals {
        let by = by.iter().map(|name| (*name).to_string()).collect();
        KnownTotals { file: self.0.clone(), by, filter: filter.map(str::to_string) }
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const WHOLE: &str = "[[invariant]]\nby = []\n";

#[test]
fn a_cell_that_a_reader_knows_is_in_the_norm() {
    // The figures of an enumeration by hand: c0 is 3, and the release says −3.
    let made = release(&spec(1, 3, &laplace(WHOLE, false, "1/2", "unit")), &[3, 2, 2]);
    let one = [Release { values: vec![-3, 4, 6], ..made }];
    let known = Known::new("one", "value\n3\n");
    let by_total =
        Knowledge { nonnegative: true, totals: vec![known.totals(&[], Some("column = 'c0'"))], ..Knowledge::default() };
    let rules = vec!["sum(column = 'c0') = 3".to_string()];
    let by_rule = Knowledge { nonnegative: true, rules, ..Knowledge::default() };
    let all = tables(&one[0].conditions, &one[0].values, 0, 7, &|x| x[0] == 3);
    let expected = weighed(&one[0], all, None);
    for knowledge in [by_total, by_rule] {
        let cell = [Query::new("q", [(1, 1)]).unwrap()];
        let found = Posterior::new(&one, &knowledge, WANTED).unwrap().believed(&cell, 0.9, WANTED).unwrap();
        assert!((found[0].mean - 1.7698).abs() < 1e-4 && (found[0].deviation - 1.3401).abs() < 1e-4, "{found:?}");
        assert_all(&one, &knowledge, &expected, 1e-9);
    }
}

/// A random small declaration and what a reader knows of the table that it is of, which leaves more
/// than one table.
struct Learnt {
    release: Release,
    truth: Vec<i64>,
    rules: Vec<String>,
    /// By row, of a column.
    totals: Option<KnownTotals>,
    /// What these say.
    known: Vec<(Vec<usize>, i64)>,
    _file: Option<Known>,
}

/// One total, totals by row or column, both of them, or all of a row beside the whole.
fn learnt(chance: &mut Random, bounds: bool, epsilon: &str, number: u64) -> Option<Learnt> {
    let (rows, columns) = [(1, 4), (2, 2), (2, 3), (3, 2)][chance.below(4) as usize];
    let invariants = match chance.below(7) {
        0 => WHOLE,
        1 => ROWS,
        2 => "[[invariant]]\nby = [\"column\"]\n",
        3..6 => "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n",
        _ => "[[invariant]]\nby = []\n[[invariant]]\nby = []\nwhere = \"row = 'r0'\"\n",
    };
    let per = ["unit", "record"][chance.below(2) as usize];
    let text = spec(rows, columns, &laplace(invariants, bounds, epsilon, per));
    let truth: Vec<i64> = (0..rows * columns).map(|_| chance.below(4) as i64).collect();
    let release = drawn(&try_release(&text, &truth).ok()?, 6, chance.below(1 << 20));
    let cell = |row: usize, column: usize| row * columns + column;
    let (mut rules, mut known) = (Vec::new(), Vec::new());
    let sum = |cells: &[usize]| cells.iter().map(|cell| truth[*cell]).sum::<i64>();
    // Cells and pairs of them by rules.
    let crosses = invariants.contains("by = [\"row\"]\n[[");
    for _ in 0..if crosses { 1 } else { 1 + chance.below(2) } {
        let (row, column) = (chance.below(rows as u64) as usize, chance.below(columns as u64) as usize);
        let cells = match chance.below(3) {
            0 if columns > 2 => vec![cell(row, 0), cell(row, columns - 1)],
            _ => vec![cell(row, column)],
        };
        let predicate = match cells.as_slice() {
            [_] => format!("row = 'r{row}' and column = 'c{column}'"),
            _ => format!("row = 'r{row}' and column in ('c0', 'c{}')", columns - 1),
        };
        rules.push(format!("sum({predicate}) = {}", sum(&cells)));
        let value = sum(&cells);
        known.push((cells, value));
    }
    // A column by totals.
    let file = (chance.below(3) == 0).then(|| {
        let line = |row: usize| format!("r{row},{}\n", truth[cell(row, 0)]);
        let text: String = std::iter::once("row,value\n".to_string()).chain((0..rows).map(line)).collect();
        known.extend((0..rows).map(|row| (vec![cell(row, 0)], truth[cell(row, 0)])));
        Known::new(&format!("{bounds}-{number}"), &text)
    });
    let totals = file.as_ref().map(|file| file.totals(&["row"], Some("column = 'c0'")));
    Some(Learnt { release, truth, rules, totals, known, _file: file })
}

impl Learnt {
    fn holds(&self, x: &[i64]) -> bool {
        self.known.iter().all(|(cells, value)| cells.iter().map(|cell| x[*cell]).sum::<i64>() == *value)
    }

    fn tables(&self, keep: &dyn Fn(&[i64]) -> bool) -> Vec<Vec<i64>> {
        let most = self.truth.iter().sum();
        tables(&self.release.conditions, &self.release.values, 0, most, keep)
    }

    fn knowledge(&self, prior: Prior) -> Knowledge {
        let totals = self.totals.iter().cloned().collect();
        Knowledge { nonnegative: true, rules: self.rules.clone(), totals, prior }
    }

    /// The squared distance of cells that are the same in all tables.
    fn away(&self, all: &[Vec<i64>]) -> i64 {
        let is_fixed = |cell: &usize| all.iter().all(|x| x[*cell] == all[0][*cell]);
        let cells = (0..self.truth.len()).filter(is_fixed);
        cells.map(|cell| (self.release.values[cell] - all[0][cell]).pow(2)).sum()
    }
}

#[test]
fn cells_that_a_reader_knows_are_in_the_norm() {
    let mut chance = Random(41);
    let (mut met, mut crossing, mut lists, mut apart) = (0, 0, 0, 0.0f64);
    for round in 0..80 {
        // So sharp that machine numbers hold no sum over widths: tables are listed.
        let epsilon = ["1/2", "1", "3/2", "250"][round as usize % 4];
        let Some(mut small) = learnt(&mut chance, false, epsilon, round) else { continue };
        if epsilon == "250" {
            // Noise of such a law is nothing: a release that is farther away.
            let like = learnt_values(&small, &mut chance);
            small.release.values = like;
        }
        let prior = match round % 3 {
            2 if epsilon != "250" => {
                Prior::Poisson { means: (0..small.truth.len()).map(|cell| 1.0 + cell as f64).collect() }
            }
            _ => Prior::Flat,
        };
        let all = small.tables(&|x| small.holds(x));
        // Lists of the engine of releases have no laws of sums.
        if all.len() < 2 || (epsilon == "250" && small.away(&all) == 0) {
            continue;
        }
        lists += i32::from(epsilon == "250");
        let one = std::slice::from_ref(&small.release);
        let mut expected = logs(&small.release, &all);
        for (x, log) in &mut expected {
            *log += x.iter().enumerate().map(|(cell, n)| prior.log_weight(cell, *n)).sum::<f64>();
        }
        let expected = relative(expected);
        let knowledge = small.knowledge(prior);
        assert_all(one, &knowledge, &expected, 1e-9);
        // Likelihoods say the same of pairs of tables.
        if knowledge.prior == Prior::Flat {
            let field = infer::Field::of_release(&small.release).unwrap();
            let told = |x: &[i64]| likelihood(&small.release, &field, x).unwrap().value().unwrap();
            for (x, weight) in expected.iter().filter(|(_, weight)| *weight > 1e-200) {
                let apart = told(x) - told(&expected[0].0) - weight.ln() + expected[0].1.ln();
                assert!(expected[0].1 < 1e-200 || apart.abs() < 1e-8, "{apart}");
            }
        }
        met += 1;
        let crosses = small.release.conditions.invariants.iter().filter(|margin| margin.groups() > 1).count() == 2;
        crossing += i32::from(crosses);
        // The mutant: fixed cells left out.
        if small.away(&all) > 0 && knowledge.prior == Prior::Flat {
            let rate = rate(&small.release);
            let square = |x: &[i64]| norm(x, &small.release.values).powi(2) - small.away(&all) as f64;
            let mutant = all.iter().map(|x| (x.clone(), -rate * square(x).max(0.0).sqrt())).collect();
            let mutant = relative(mutant);
            for cell in 0..small.truth.len() as u32 {
                let query = Query::new("q", [(cell, 1)]).unwrap();
                apart = apart.max((moments(&mutant, &query).0 - moments(&expected, &query).0).abs());
            }
        }
    }
    assert!(met > 25 && crossing > 3 && lists > 3 && apart > 0.1, "{met} {crossing} {lists} {apart}");
}

/// Values with the totals of a release that are a few steps away: moved along a table that has no
/// totals.
fn learnt_values(small: &Learnt, chance: &mut Random) -> Vec<i64> {
    let all = tables(&small.release.conditions, &small.truth, -1, 4, &|_| true);
    all[chance.below(all.len() as u64) as usize].clone()
}

/// The logarithms of the weights of true tables.
fn logs(release: &Release, all: &[Vec<i64>]) -> Weighed {
    all.iter().map(|x| (x.clone(), -rate(release) * norm(&release.values, x))).collect()
}

/// Weights from their logarithms, the largest one.
fn relative(logs: Weighed) -> Weighed {
    let largest = logs.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
    logs.into_iter().map(|(x, log)| (x, (log - largest).exp())).collect()
}

#[test]
fn cells_that_a_reader_knows_beside_bounds_in_the_release() {
    let mut chance = Random(43);
    let (mut met, mut drawn) = (0, 0);
    for round in 0..40 {
        let Some(small) = learnt(&mut chance, true, ["1/2", "1"][round as usize % 2], round) else { continue };
        let (possible, all) = (small.tables(&|_| true), small.tables(&|x| small.holds(x)));
        if all.len() < 2 {
            continue;
        }
        let one = std::slice::from_ref(&small.release);
        let expected = weighed(&small.release, all.clone(), Some(&possible));
        let knowledge = small.knowledge(Prior::Flat);
        assert_all(one, &knowledge, &expected, 1e-9);
        met += 1;
        // A chain between two tables of one weight cannot tell how fast it moves.
        if small.away(&all) == 0 || all.len() < 4 || drawn > 4 {
            continue;
        }
        drawn += 1;
        let cells = Query::cells(&small.release.domain);
        for cancel in [Cancel::Importance, Cancel::Exchange] {
            let wanted = Wanted { cancel, draws: 8000, seed: 4 };
            let posterior = Posterior::new(one, &knowledge, wanted).unwrap();
            let effective = match posterior.basis.diagnoses.as_slice() {
                [Diagnosis::Importance { draws, effective }] => *draws as f64 * effective,
                [Diagnosis::Exchange { effective, .. }] => *effective,
                other => panic!("{other:?}"),
            };
            for (query, believed) in cells.iter().zip(posterior.believed(&cells, 0.9, wanted).unwrap()) {
                let (mean, deviation) = moments(&expected, query);
                let error = deviation / effective.sqrt();
                let away = (believed.mean - mean).abs();
                assert!(away < testkit::deviations(100) * error + 1e-9, "{cancel:?}: {believed:?}, {mean} ± {error}");
            }
        }
    }
    assert!(met > 12 && drawn > 2, "{met} {drawn}");
}

#[test]
fn cells_that_another_release_gives_away_are_in_the_norm() {
    let text = spec(1, 4, &laplace(WHOLE, false, "1", "unit"));
    let one = Release { values: vec![-2, 4, 1, 5], ..release(&text, &[2, 2, 2, 2]) };
    let other = format!(
        "{WHOLE}[[invariant]]\nby = []\nwhere = \"column = 'c0'\"\n[constraints]\nnonnegative = false\n[mechanism]\n\
         noise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n"
    );
    let two = release(&spec(1, 4, &other), &[2, 1, 2, 3]);
    let all = tables(&one.conditions, &one.values, 0, 8, &|x| x[0] == 2);
    let mut expected = weighed(&one, all, None);
    for (x, weight) in &mut expected {
        *weight *= (-0.5 * x.iter().zip(&two.values).map(|(a, b)| (a - b).abs() as f64).sum::<f64>()).exp();
    }
    let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
    assert_all(&[one.clone(), two.clone()], &knowledge, &expected, 1e-9);
    assert_all(&[two.clone(), one], &knowledge, &expected, 1e-9);
    // Bounds in the release and another one beside it are not put together.
    let bounded = release(&spec(1, 4, &laplace(WHOLE, true, "1", "unit")), &[1, 1, 3, 3]);
    let problem = Posterior::new(&[bounded, two], &knowledge, WANTED).unwrap_err();
    assert!(problem.message.contains("depends on the true table"), "{problem}");
}

#[test]
fn chains_keep_what_a_reader_knows() {
    // Too many sums for messages, and too few tables to be met by chance.
    let (rows, columns) = (2, 40);
    let near: Vec<i64> = (0..80).map(|cell| [-3, 60][cell % 2]).collect();
    let one = [release(&spec(rows, columns, &laplace(ROWS, false, "1/2", "unit")), &near)];
    let holds = |table: &[i64]| {
        table.iter().all(|count| *count >= 0)
            && [0, 40].iter().all(|first| table[*first..first + 40].iter().sum::<i64>() == 20 * 57)
            && table[0] == 5
            && table[1] + table[2] == 40
    };
    let rules = ["= 'c0') = 5", "in ('c1', 'c2')) = 40"].map(|rule| format!("sum(row = 'r0' and column {rule}"));
    let knowledge = Knowledge { nonnegative: true, rules: rules.to_vec(), ..Knowledge::default() };
    let posterior = Posterior::new(&one, &knowledge, WANTED).unwrap();
    assert!(matches!(posterior.basis.diagnoses.as_slice(), [Diagnosis::Chain { .. }]), "{:?}", posterior.basis);
    let check = |_: u64, table: &[i64]| {
        assert!(holds(table), "{table:?}");
        Ok(())
    };
    posterior.draw(50, 3, &mut { check }).unwrap();
}

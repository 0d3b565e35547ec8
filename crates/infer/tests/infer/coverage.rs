//! Coverage: rank intervals over all samples of a tiny lattice, intervals and posteriors over fresh
//! releases, calibration by ranks.

use crate::laws::declarations;
use crate::making::{WANTED, drawn, energy, free, release, spec, tables};
use infer::{Asked, Cancel, Knowledge, Posterior, Prior, Query, Release, Wanted, intervals};

#[test]
fn rank_intervals_cover_over_all_samples_of_a_tiny_lattice() {
    // |noise| of one of two cells with a total, cut at 4: every sample of N fresh draws and the release's own.
    let rate = 0.8f64;
    let masses: Vec<f64> =
        (0..5).map(|size| if size == 0 { 1.0 } else { 2.0 * (-2.0 * rate * f64::from(size)).exp() }).collect();
    let whole: f64 = masses.iter().sum();
    for (draws, level) in [(3u64, 0.5), (3, 0.75), (4, 0.8), (4, 0.6)] {
        let place = infer::rank::place(draws, level).unwrap() as usize;
        let covered_at = |place: usize| {
            let mut covered = 0.0;
            let mut sample = vec![0usize; draws as usize + 1];
            loop {
                let mass: f64 = sample.iter().map(|size| masses[*size] / whole).product();
                let mut fresh = sample[1..].to_vec();
                fresh.sort_unstable();
                covered += if place > 0 && sample[0] <= fresh[place - 1] { mass } else { 0.0 };
                let Some(next) = sample.iter().position(|size| *size < 4) else { return covered };
                sample[next] += 1;
                sample[..next].iter_mut().for_each(|size| *size = 0);
            }
        };
        assert!(covered_at(place) >= level - 1e-12, "{draws} {level}: {}", covered_at(place));
        // Without ties coverage is m/(N + 1): one place less would not do for every law.
        assert!((place - 1) as f64 / (draws + 1) as f64 <= level - 1e-9);
    }
}

/// So many fresh releases in every setting.
const RELEASES: u64 = 300;

/// Four standard errors of a coverage of 90 %.
fn slack() -> f64 {
    4.0 * (0.9 * 0.1 / RELEASES as f64).sqrt()
}

#[test]
fn intervals_cover_whatever_the_table() {
    // Small and large counts of eight structures: sixteen settings. Beside them the naive interval,
    // of cells with noise of their own as if no total bound it: under a total it is longer than it
    // need be, and no shorter interval could be had from it.
    let mut lines = Vec::new();
    for (name, text, small) in declarations() {
        let large: Vec<i64> = small.iter().map(|count| 1000 * count + 17).collect();
        for truth in [small, large] {
            let true_release = release(&text, &truth);
            let query = Query::new("q", [(0, 1), (truth.len() as u32 - 1, 2)]).unwrap();
            let (asked, own) = (Asked::new(0.9, 999, 1).unwrap(), query.value(&truth));
            let (mut covered, mut naively, mut length) = (0, 0, 0);
            let naive = naive_reach(&true_release, &query);
            for draw in 0..RELEASES {
                let fresh = drawn(&true_release, 21, draw);
                let interval = intervals(&fresh, std::slice::from_ref(&query), asked).unwrap().remove(0);
                covered += u64::from((interval.lower()..=interval.upper()).contains(&own));
                naively += u64::from((query.value(&fresh.values) - own).abs() <= naive);
                length += interval.upper() - interval.lower() + 1;
            }
            let share = |count: u64| count as f64 / RELEASES as f64;
            let mean = length as f64 / RELEASES as f64;
            lines.push(format!(
                "{name}, counts to {}: {:.3} covered by intervals of mean length {mean:.1}; naive {:.3} of {}",
                truth.iter().max().unwrap(),
                share(covered),
                share(naively),
                2 * naive + 1
            ));
            assert!(share(covered) >= 0.9 - slack(), "{lines:?}");
            let has_totals = !true_release.conditions.invariants.is_empty();
            assert!(!has_totals || (2 * naive + 1) as f64 > mean, "a total leaves less noise: {lines:?}");
        }
    }
    if let Ok(file) = std::env::var("CONGENIAL_FIGURES") {
        std::fs::write(file, lines.join("\n")).unwrap();
    }
}

/// The 90 % reach of a query by a normal law with the variance of independent cells: what is done
/// without the exact law.
fn naive_reach(release: &Release, query: &Query) -> i128 {
    let cell = |away: i64| (-release.plan.law.energy(away).to_f64()).exp();
    let rate: f64 = release.plan.queries.iter().map(|query| query.rate.to_f64()).fold(f64::NAN, f64::min);
    let weight = |away: i64| if rate.is_nan() { cell(away) } else { (-rate * away as f64).exp() };
    let moment = |power: i32| (1..400).map(|away| 2.0 * weight(away) * (away as f64).powi(power)).sum::<f64>();
    let variance = moment(2) / (1.0 + moment(0));
    let all: f64 = query.entries.iter().map(|(_, times)| (*times as f64).powi(2) * variance).sum();
    (1.645 * all.sqrt()).ceil() as i128
}

#[test]
fn two_releases_cover_whatever_the_table() {
    let truth = [4, 9, 2];
    let one = release(&spec(1, 3, &free("[[invariant]]\nby = []\n", "1/2")), &truth);
    let two = release(&spec(1, 3, &free("[[invariant]]\nby = []\n", "1/3")), &truth);
    let query = Query::new("q", [(0, 1)]).unwrap();
    let mut covered = 0;
    for draw in 0..RELEASES {
        let releases = [drawn(&one, 31, draw), drawn(&two, 32, draw)];
        let knowledge = Knowledge::default();
        let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
        let [lower, upper] = posterior.believed(std::slice::from_ref(&query), 0.9, WANTED).unwrap()[0].interval;
        covered += u64::from((lower..=upper).contains(&truth[0]));
    }
    assert!(covered as f64 / RELEASES as f64 >= 0.9 - slack(), "{covered}");
}

/// The coverage of 90 % intervals of the first cell, averaged over a flat prior on all tables of a
/// fibre with bounds: exactly. What naive intervals cover under bounds is in `pennsylvania.rs`:
/// 0.8604.
#[test]
fn posteriors_with_bounds_cover_on_average() {
    let text = spec(
        1,
        3,
        "[[invariant]]\nby = []\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n",
    );
    let release = release(&text, &[2, 2, 2]);
    let all = tables(&release.conditions, &release.values, 0, 6, &|_| true);
    let query = Query::new("q", [(0, 1)]).unwrap();
    let mut covered = 0.0;
    for y in &all {
        let releases = [Release { values: y.clone(), ..release.clone() }];
        let knowledge = Knowledge::default();
        let posterior = Posterior::new(&releases, &knowledge, WANTED).unwrap();
        let [lower, upper] = posterior.believed(std::slice::from_ref(&query), 0.9, WANTED).unwrap()[0].interval;
        for x in &all {
            let z: f64 = all.iter().map(|other| (-energy(&release, other, x)).exp()).sum();
            let mass = (-energy(&release, y, x)).exp() / z / all.len() as f64;
            covered += if (lower..=upper).contains(&x[0]) { mass } else { 0.0 };
        }
    }
    assert!(covered >= 0.9, "{covered}");
}

/// Simulation-based calibration: the rank of the truth among posterior draws is uniform, when the
/// truth comes from the prior.
#[test]
fn ranks_are_uniform_for_every_sampler() {
    let bounded =
        "[[invariant]]\nby = []\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\n";
    let total = "[[invariant]]\nby = []\n";
    let cascade = format!(
        "{total}[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n"
    );
    let free = || spec(1, 3, &free(total, "1"));
    let cross = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n\
                 per = \"unit\"\n";
    let settings: [(&str, String, bool, Prior, Cancel); 9] = [
        ("exact", free(), true, Prior::Flat, Cancel::Automatic),
        ("listed", spec(1, 3, bounded), false, Prior::Flat, Cancel::Automatic),
        ("importance", spec(1, 3, bounded), false, Prior::Flat, Cancel::Importance),
        ("exchange", spec(1, 3, bounded), false, Prior::Flat, Cancel::Exchange),
        ("weighted", free(), true, Prior::GammaPoisson { shape: 1.0 }, Cancel::Automatic),
        ("nested", spec(1, 3, &cascade), false, Prior::Flat, Cancel::Automatic),
        ("cascade", spec(1, 3, &cascade), false, Prior::Flat, Cancel::Importance),
        ("chain", spec(1, 3, &cascade), false, Prior::Flat, Cancel::Exchange),
        ("tree", spec(3, 2, cross), false, Prior::Flat, Cancel::Importance),
    ];
    for (name, text, nonnegative, prior, cancel) in settings {
        // A draw from few weighted draws or a short chain is not quite one from the posterior.
        let chain = cancel == Cancel::Exchange;
        let wanted = Wanted { cancel, draws: if chain { 3000 } else { 600 }, seed: 3 };
        let rounds = if chain { 1u64 } else { 6 };
        let like = if name == "tree" { release(&text, &[2, 2, 2, 2, 2, 2]) } else { release(&text, &[3, 3, 3]) };
        let all = tables(&like.conditions, &like.values, 0, if name == "tree" { 4 } else { 9 }, &|_| true);
        let knowledge = Knowledge { nonnegative, prior, ..Knowledge::default() };
        let mut counts = [0u64; 5];
        // Every table of the fibre as the truth, equally often: the flat prior (which shape one is
        // too).
        let mut random = testkit::Random(99);
        for round in 0..rounds {
            for (number, x) in all.iter().enumerate() {
                let truth = release(&text, x);
                let seed = round * 1000 + number as u64;
                let releases = [drawn(&truth, 41, seed)];
                // Nothing is run again: choosing chains by how they look would choose among their
                // draws.
                let posterior = Posterior::new(&releases, &knowledge, Wanted { seed, ..wanted }).unwrap();
                let (mut below, mut equal) = (0u64, 0u64);
                posterior
                    .draw(4, seed, &mut |_, table| {
                        below += u64::from(table[0] < x[0]);
                        equal += u64::from(table[0] == x[0]);
                        Ok(())
                    })
                    .unwrap();
                // Ties are broken evenly.
                counts[(below + random.below(equal + 1)) as usize] += 1;
            }
        }
        let total: u64 = counts.iter().sum();
        let fit = testkit::goodness_of_fit(&counts, &[0.2; 5], total);
        assert!(fit.p_value > testkit::level(9), "{name}: {counts:?}");
    }
}

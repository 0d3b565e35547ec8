//! Coverage: rank intervals over all samples of a tiny lattice, intervals and posteriors over fresh releases, calibration by ranks.

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
    // Small and large counts of eight structures: sixteen settings.
    for (name, text, small) in declarations() {
        let large: Vec<i64> = small.iter().map(|count| 1000 * count + 17).collect();
        for truth in [small, large] {
            let true_release = release(&text, &truth);
            let query = Query::new("q", [(0, 1), (truth.len() as u32 - 1, 2)]).unwrap();
            let (asked, own) = (Asked::new(0.9, 999, 1).unwrap(), query.value(&truth));
            let mut covered = 0;
            for draw in 0..RELEASES {
                let interval =
                    intervals(&drawn(&true_release, 21, draw), std::slice::from_ref(&query), asked).unwrap().remove(0);
                covered += u64::from((interval.lower()..=interval.upper()).contains(&own));
            }
            let share = covered as f64 / RELEASES as f64;
            assert!(share >= 0.9 - slack(), "{name}: {share}");
        }
    }
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

/// The coverage of 90 % intervals of the first cell, averaged over a flat prior on all tables of a fibre with bounds: exactly.
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

/// Simulation-based calibration: the rank of the truth among posterior draws is uniform, when the truth comes from the prior.
#[test]
fn ranks_are_uniform_for_every_sampler() {
    let bounded =
        "[[invariant]]\nby = []\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\n";
    let total = "[[invariant]]\nby = []\n";
    let cascade = format!(
        "{total}[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"\n"
    );
    let free = || spec(1, 3, &free(total, "1"));
    let settings: [(&str, String, bool, Prior, Cancel); 6] = [
        ("exact", free(), true, Prior::Flat, Cancel::Automatic),
        ("listed", spec(1, 3, bounded), false, Prior::Flat, Cancel::Automatic),
        ("importance", spec(1, 3, bounded), false, Prior::Flat, Cancel::Importance),
        ("exchange", spec(1, 3, bounded), false, Prior::Flat, Cancel::Exchange),
        ("weighted", free(), true, Prior::GammaPoisson { shape: 1.0 }, Cancel::Automatic),
        ("cascade", spec(1, 3, &cascade), false, Prior::Flat, Cancel::Automatic),
    ];
    for (name, text, nonnegative, prior, cancel) in settings {
        // A draw from few weighted draws or a short chain is not quite one from the posterior.
        let wanted = Wanted { cancel, draws: if cancel == Cancel::Exchange { 1500 } else { 600 }, seed: 3 };
        let rounds = if cancel == Cancel::Exchange { 1u64 } else { 6 };
        let like = release(&text, &[3, 3, 3]);
        let all = tables(&like.conditions, &like.values, 0, 9, &|_| true);
        let knowledge = Knowledge { nonnegative, prior, ..Knowledge::default() };
        let mut counts = [0u64; 5];
        // Every table of the fibre as the truth, equally often: the flat prior (which shape one is too).
        let mut random = testkit::Random(99);
        for round in 0..rounds {
            for (number, x) in all.iter().enumerate() {
                let truth = release(&text, x);
                let seed = round * 1000 + number as u64;
                let releases = [drawn(&truth, 41, seed)];
                // A chain that happens to look slow is refused, and run with another seed.
                let run = |again: u64| {
                    Posterior::new(&releases, &knowledge, Wanted { seed: seed + again * 1_000_000, ..wanted }).ok()
                };
                let posterior = (0..5).find_map(run).expect("a posterior");
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
        assert!(fit.p_value > 1e-4, "{name}: {counts:?}");
    }
}

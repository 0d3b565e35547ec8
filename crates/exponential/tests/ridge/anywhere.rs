//! Wherever the estimate lies: few tries, and the law itself.

use exact::{Entropy, Seeded, Source, Stream};
use exponential::{Attempt, Moments, Ridge, RidgeSettings, Shells, Target, draw};
use testkit::{goodness_of_fit, level};

fn number(stream: &mut Stream) -> f64 {
    stream.bits(32) as f64 / f64::from(u32::MAX) * 2.0 - 1.0
}

/// How columns hang together.
#[derive(Debug, Clone, Copy)]
enum Design {
    Independent,
    /// Nearly the same.
    Alike,
    /// Indicators that are seldom 1.
    Rare,
    /// Waves of one number.
    Waves,
}

const DESIGNS: [Design; 4] = [Design::Independent, Design::Alike, Design::Rare, Design::Waves];

/// A regression of some records whose response has slopes of about this size.
fn drawn(settings: &RidgeSettings, design: Design, size: f64, seed: u64) -> Ridge {
    let (p, steps) = (settings.predictors, settings.resolution);
    let mut stream = Seeded::new(seed).stream(0).unwrap();
    let slopes: Vec<f64> = (0..p).map(|_| size * number(&mut stream)).collect();
    let mut moments = Moments::new(p, steps);
    for _ in 0..settings.records {
        let shared = number(&mut stream);
        let column = |j: usize, own: f64| match design {
            Design::Independent => own,
            Design::Alike => 0.95 * shared + 0.05 * own,
            Design::Rare => {
                if own > 0.8 {
                    1.0
                } else {
                    -1.0
                }
            }
            Design::Waves => (j as f64 * 0.3 + shared).sin(),
        };
        let x: Vec<f64> = (0..p).map(|j| column(j, number(&mut stream))).collect();
        let z: f64 = x.iter().zip(&slopes).map(|(x, slope)| x * slope).sum::<f64>() + 0.1 * number(&mut stream);
        let whole = |value: f64| (value.clamp(-1.0, 1.0) * steps as f64).round() as i64;
        moments.add(&x.iter().map(|x| whole(*x)).collect::<Vec<_>>(), whole(z));
    }
    Ridge::new(settings.clone(), &moments).unwrap()
}

fn settings(predictors: usize, records: u64, epsilon: &str, radius: &str, grid: u64) -> RidgeSettings {
    let [epsilon, radius, penalty] = [epsilon, radius, "1"].map(|text| text.parse().unwrap());
    RidgeSettings { epsilon, radius, penalty, grid, resolution: 10_000, records, predictors, is_padded: false }
}

/// Tries for twenty draws by shells, on average.
fn tries(target: &Ridge, seed: u64) -> f64 {
    let mut shells = Shells::new(target).unwrap();
    let mut stream = Seeded::new(seed).stream(0).unwrap();
    (0..20).map(|_| draw(&mut stream, &mut shells).tries).sum::<u64>() as f64 / 20.0
}

#[test]
fn few_tries_wherever_the_estimate_lies() {
    for p in 1..=6usize {
        // What is predicted before anything is paid for.
        let predicted = settings(p, 28_155, "1", "1", 1000).predicted_tries();
        for (number, design) in DESIGNS.into_iter().enumerate() {
            for (size, epsilon, radius, grid) in [
                (0.1, "1", "1", 1000),
                (3.0, "1", "1", 1000),
                (50.0, "1", "1/3", 1000),
                (1.0, "10", "1", 1000),
                (5.0, "1/100", "2", 1000),
                (2.0, "100", "1", 50),
                (1.0, "10000", "1", 50),
            ] {
                let settings = settings(p, 400, epsilon, radius, grid);
                let tries = tries(&drawn(&settings, design, size, 7 * p as u64 + number as u64), 3);
                assert!(tries < predicted, "{p} {design:?} {size} {epsilon} {radius} {grid}: {tries} {predicted}");
            }
        }
    }
}

#[test]
fn many_records_far_outside_are_drawn_at_once() {
    for (p, n, design) in [(4, 20_000, Design::Independent), (6, 28_155, Design::Alike), (6, 28_155, Design::Rare)] {
        let settings = settings(p, n, "1", "1", 1000);
        let target = drawn(&settings, design, 3.0, 5);
        let mut stream = Seeded::new(1).stream(0).unwrap();
        let tries: u64 = (0..5).map(|_| target.draw_with(&mut stream).tries).sum();
        assert!((tries as f64) < 5.0 * 4.0 * settings.predicted_tries(), "{tries}");
    }
}

/// The law around the best point, where it can be listed.
fn listed(target: &Ridge) -> Vec<(Vec<i64>, f64)> {
    let mut points = Vec::new();
    target
        .space()
        .for_each(|point| points.push((point.to_vec(), target.log_weight(point, 64).lower_rational().to_f64())));
    let best = points.iter().map(|(_, weight)| *weight).fold(f64::MIN, f64::max);
    points.iter_mut().for_each(|(_, weight)| *weight = (*weight - best).exp());
    let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
    points.iter_mut().for_each(|(_, weight)| *weight /= sum);
    points
}

#[test]
fn the_law_is_that_of_all_points_listed() {
    let cases = [
        (1, "1", 400, 1.0),
        (1, "30", 400, 9.0),
        (2, "1", 40, 0.2),
        (2, "5", 40, 5.0),
        (2, "40", 40, 1.5),
        (3, "4", 12, 3.0),
    ];
    for (p, epsilon, grid, size) in cases {
        for (number, design) in DESIGNS.into_iter().enumerate() {
            let target = drawn(&settings(p, 60, epsilon, "1", grid), design, size, 11 + number as u64);
            let mut law = listed(&target);
            law.sort_by(|one, other| other.1.total_cmp(&one.1));
            let place: std::collections::BTreeMap<Vec<i64>, usize> =
                law.iter().enumerate().map(|(place, (point, _))| (point.clone(), place)).collect();
            let shares: Vec<f64> = law.iter().map(|(_, share)| *share).collect();
            let mut shells = Shells::new(&target).unwrap();
            let mut stream = Seeded::new(41).stream(number as u64).unwrap();
            let (mut counts, rounds, mut point) = (vec![0u64; law.len()], 3000, Vec::new());
            for _ in 0..rounds {
                while !shells.attempt(&mut stream, &mut point) {}
                counts[place[&point]] += 1;
            }
            let fit = goodness_of_fit(&counts, &shares, rounds).p_value;
            assert!(fit > level(24), "{p} {epsilon} {size} {design:?}: {fit}");
            // Thrown away too seldom, the law would be another.
            if shares[0] < 0.5 {
                let flat = vec![1.0 / shares.len() as f64; shares.len()];
                assert!(goodness_of_fit(&counts, &flat, rounds).p_value < 1e-6, "{p} {epsilon} {size} {design:?}");
            }
        }
    }
}

//! Few tries, and a public acceptance that holds for every table.

use super::designs::{DESIGNS, Design, drawn, settings};
use super::settings::{record, ridge, tiny};
use exact::{Seeded, Source};
use exponential::{Ridge, RidgeSettings, Shells, Target, draw};

#[test]
fn a_ridge_estimate_outside_the_ball_is_drawn_in_few_tries() {
    // The response is twice what the ball allows: the weight sits on its boundary, far from every
    // uniform or Gaussian-like proposal.
    let settings = RidgeSettings { resolution: 1000, grid: 200, ..tiny(20_000, 200, "4") };
    let records: Vec<_> = (0..20_000i64)
        .map(|i| ([if i % 2 == 0 { 500 } else { -500 }, i % 700], if i % 2 == 0 { 900 } else { -900 }))
        .collect();
    let target = ridge(&settings, &records);
    let mut stream = Seeded::new(31).stream(0).unwrap();
    for _ in 0..20 {
        let drawn = target.draw_with(&mut stream);
        assert!(target.space().contains(&drawn.point));
        assert!(drawn.tries < 20_000, "{}", drawn.tries);
    }
}

#[test]
fn the_public_acceptance_holds_for_every_table() {
    let settings = RidgeSettings { is_padded: true, ..tiny(2, 4, "3") };
    let q = settings.public_acceptance().to_f64();
    for code in 0..729 {
        let target = ridge(&settings, &[record(code % 27), record(code / 27)]);
        let mut sum = 0.0;
        target.space().for_each(|point| sum += target.relative(point, 80).to_f64());
        assert!(sum / 41.0 >= q, "{code}");
    }
}

/// Tries for ten draws by shells, on average.
fn tries(target: &Ridge, seed: u64) -> f64 {
    let mut shells = Shells::new(target).unwrap();
    let mut stream = Seeded::new(seed).stream(0).unwrap();
    (0..10).map(|_| draw(&mut stream, &mut shells).tries).sum::<u64>() as f64 / 10.0
}

#[test]
fn few_tries_wherever_the_estimate_lies() {
    for p in 1..=6usize {
        // What is predicted before anything is paid for.
        let predicted = settings(p, 28_155, "1", "1", 1000).predicted_tries();
        for (number, design) in DESIGNS.into_iter().enumerate() {
            let cases = [
                (0.1, "1", "1", 1000),
                (3.0, "1", "1", 1000),
                (50.0, "1", "1/3", 1000),
                (1.0, "10", "1", 1000),
                (5.0, "1/100", "2", 1000),
                (2.0, "100", "1", 50),
                (1.0, "10000", "1", 50),
            ];
            for (size, epsilon, radius, grid) in cases.into_iter().skip((p + number) % 3).step_by(3) {
                let settings = settings(p, 200, epsilon, radius, grid);
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

//! Few tries, and a public acceptance that holds for every table.

use super::settings::{record, ridge, tiny};
use exact::{Seeded, Source};
use exponential::{RidgeSettings, Target};

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

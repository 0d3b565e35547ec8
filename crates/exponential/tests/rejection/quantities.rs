//! Tries of the published examples.

use crate::tables::targets::truncated;
use exact::{Seeded, Source};
use exponential::{Target, Uniform, draw};
use testkit::deviations;

#[test]
fn tries_of_the_published_examples() {
    // Truncated double geometric on 21 points: R = 21/Z.
    for (centre, epsilon, published) in [(0, "0.1", 2.28), (0, "0.5", 8.26), (10, "0.5", 5.17)] {
        let target = truncated(21, centre, epsilon);
        let mean: f64 = (0..21).map(|k| target.relative(&[k], 80).to_f64()).sum::<f64>() / 21.0;
        assert!((1.0 / mean - published).abs() < 0.005, "{}", 1.0 / mean);
        let mut stream = Seeded::new(5).stream(0).unwrap();
        let rounds = 20_000;
        let tries: u64 = (0..rounds).map(|_| draw(&mut stream, &mut Uniform(&target)).tries).sum();
        let deviation = published / (rounds as f64).sqrt();
        assert!((tries as f64 / rounds as f64 - published).abs() < deviations(3) * deviation + 0.005);
    }
}

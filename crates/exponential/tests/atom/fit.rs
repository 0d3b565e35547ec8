//! Draws by the atom have the law and take the steps foreseen.

use super::law::{ends, residual};
use crate::tables::targets::{law, number, truncated};
use exact::{Seeded, Source};
use exponential::Atom;
use testkit::{deviations, goodness_of_fit, level};

#[test]
fn draws_have_the_law_and_the_steps() {
    let target = truncated(9, 2, "0.4");
    let expected: Vec<f64> = law(&target).into_iter().map(|(_, share)| share).collect();
    for (kappa, share) in [("0.3", "1/2"), ("1", "1")] {
        let atom = Atom::new(&target, number(kappa), &number(share));
        let mut stream = Seeded::new(11).stream(0).unwrap();
        let rounds = 6000;
        let (mut counts, mut steps) = ([0u64; 9], 0);
        for _ in 0..rounds {
            let tour = atom.draw(&mut stream);
            counts[tour.point[0] as usize] += 1;
            steps += tour.steps;
        }
        let fit = goodness_of_fit(&counts, &expected, rounds);
        assert!(fit.p_value > level(2), "{}", fit.p_value);
        let end = ends(&residual(&target, &atom), atom.beta().to_f64());
        let mean = 1.0 / (atom.beta().to_f64() * end[..9].iter().sum::<f64>());
        let seen = steps as f64 / rounds as f64;
        assert!((seen / mean - 1.0).abs() < deviations(2) * 1.2 / (rounds as f64).sqrt(), "{seen} {mean}");
    }
}

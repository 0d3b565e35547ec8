//! Plain rejection is cheaper than the atom.

use super::law::{ends, residual};
use crate::tables::targets::{number, truncated};
use exponential::{Atom, Target};

pub fn max(law: &[(Vec<i64>, f64)]) -> f64 {
    law.iter().map(|(_, share)| *share).fold(0.0, f64::max)
}

#[test]
fn plain_rejection_is_cheaper() {
    for (centre, epsilon, tries, published) in [(0, "0.1", 2.28, 6.8), (0, "0.5", 8.26, 18.8), (10, "0.5", 5.17, 12.6)]
    {
        let target = truncated(21, centre, epsilon);
        let mean: f64 = (0..21).map(|k| target.relative(&[k], 80).to_f64()).sum::<f64>() / 21.0;
        let steps = |kappa: &str, share: &str| {
            let atom = Atom::new(&target, number(kappa), &number(share));
            let end = ends(&residual(&target, &atom), atom.beta().to_f64());
            1.0 / (atom.beta().to_f64() * end[..21].iter().sum::<f64>())
        };
        // Never below 2(1 + R), which κ = sup f/g and β = ½ attain.
        let bound = 2.0 * (1.0 + 1.0 / mean);
        assert!((steps("1", "1") - bound).abs() < 1e-9 && bound > 2.0 * tries);
        for (kappa, share) in [("0.2", "1"), ("0.885", "1"), ("1", "1/2"), ("1.5", "1"), ("4", "1/2")] {
            assert!(steps(kappa, share) > bound, "{kappa} {share}");
        }
        // The figures of the first computation, which took κ = 0.885: 2/κ + 2R.
        assert!((steps("0.885", "1") - published).abs() < 0.05, "{}", steps("0.885", "1"));
    }
}

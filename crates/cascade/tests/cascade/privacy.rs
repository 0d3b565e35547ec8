//! No pair of tables loses more than is certified.

use super::samples::{STRUCTURES, Sample, trials};
use testkit::Random;

const ORDERS: [f64; 9] = [1.01, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0];

/// The divergence of order α between two laws, given by logarithms.
fn divergence(one: &[f64], other: &[f64], order: f64) -> f64 {
    let exponents: Vec<f64> = one.iter().zip(other).map(|(p, q)| order * p + (1.0 - order) * q).collect();
    let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = exponents.iter().map(|exponent| (exponent - top).exp()).sum();
    (top + sum.ln()) / (order - 1.0)
}

/// The largest quotient of a divergence and what is certified, over all pairs of tables.
fn worst(sample: &Sample, fibre: &[Vec<i64>]) -> f64 {
    let cascade = sample.cascade().unwrap();
    let laws: Vec<Vec<f64>> = fibre
        .iter()
        .map(|counts| fibre.iter().map(|table| cascade.log_likelihood(counts, table).unwrap()).collect())
        .collect();
    let mut worst = 0.0f64;
    for (one, law) in fibre.iter().zip(&laws) {
        for (other, beside) in fibre.iter().zip(&laws) {
            if one == other {
                continue;
            }
            let change: Vec<(u32, i64)> =
                one.iter().zip(other).enumerate().map(|(cell, (one, other))| (cell as u32, one - other)).collect();
            let certified = cascade.loss(&change).to_f64();
            for order in ORDERS {
                worst = worst.max(divergence(law, beside, order) / (order * certified));
            }
        }
    }
    worst
}

#[test]
fn no_pair_of_tables_loses_more_than_is_certified() {
    for (name, make) in STRUCTURES {
        let mut random = Random(101);
        let (mut done, mut most) = (0, 0.0f64);
        while done < trials(25) {
            let sample = make(&mut random);
            let Some(fibre) = sample.fibre(30) else { continue };
            if fibre.len() < 2 {
                continue;
            }
            let worst = worst(&sample, &fibre);
            assert!(worst <= 1.0 + 1e-9, "{name}: {worst} of what is certified\n{sample:?}");
            most = most.max(worst);
            done += 1;
        }
        // The bound is nearly attained somewhere: it is not merely loose.
        assert!(most > 0.3, "{name}: {most}");
    }
}

#[test]
fn the_bound_is_close_where_bounds_are_far() {
    // Two cells with a large total: nothing is cut off, and a whole unit of noise is paid for.
    let mut random = Random(5);
    let mut sample = super::samples::one_total(&mut random);
    sample.exact = vec![vec![0, 0]];
    sample.noise = vec![(None, exact::Rational::integer(4))];
    (sample.low, sample.high) = (vec![0, 0], vec![cascade::NO_HIGH; 2]);
    (sample.counts, sample.order) = (vec![20, 20], None);
    let fibre = sample.fibre(100).unwrap();
    let cascade = sample.cascade().unwrap();
    let law = |counts: &[i64]| -> Vec<f64> {
        fibre.iter().map(|table| cascade.log_likelihood(counts, table).unwrap()).collect()
    };
    let loss = cascade.loss(&[(0, 1), (1, -1)]).to_f64();
    assert!((loss - 0.25).abs() < 1e-6, "(1 + κ)·2/(2·4)");
    let quotient = divergence(&law(&[20, 20]), &law(&[21, 19]), 2.0) / (2.0 * loss);
    assert!(quotient > 0.999 && quotient <= 1.0, "{quotient}");
}

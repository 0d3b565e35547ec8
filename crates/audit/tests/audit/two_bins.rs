//! Gong and Meng's Table 2 and density (A.1): by formula, by quadrature, by simulation.

use crate::projected::{agrees, onto_total};
use audit::measure::Summary;
use audit::two_bins::TwoBins;
use exact::{Seeded, Source};
use testkit::goodness_of_fit;

const BETAS: [f64; 6] = [0.0, 0.2, 0.5, 0.5 + 1e-9, 0.75, 1.0];

/// `∫ g(u) p(u) du` over both sides by Simpson's rule, for an even function.
fn integral(bins: TwoBins, beta: f64, g: impl Fn(f64) -> f64) -> f64 {
    let (steps, end) = (200_000, 160.0 / bins.epsilon);
    let width = end / steps as f64;
    let value = |step: usize| {
        let u = step as f64 * width;
        g(u) * bins.l1_density(beta, u)
    };
    let inner: f64 = (1..steps).map(|step| value(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
    2.0 * (value(0) + inner + value(steps)) * width / 3.0
}

#[test]
fn table_2_by_formula() {
    let bins = TwoBins { epsilon: 0.5 };
    assert_eq!(bins.conditioning_variance(), 8.0);
    assert_eq!(bins.l2_variance(), 16.0);
    assert_eq!(bins.l1_variance(0.5), bins.l2_variance());
    assert_eq!((bins.l1_variance(0.0), bins.l1_variance(1.0)), (32.0, 32.0));
    assert!((0..=100).map(|part| bins.l1_variance(part as f64 / 100.0)).all(|found| (16.0..=32.0).contains(&found)));
    assert_eq!((bins.l1_loss(0.5), bins.l1_loss(1.0), bins.l1_loss(0.0)), (0.5, 0.25, 0.25));
    assert_eq!(bins.l1_loss(0.75), 0.5 / 1.5);
}

#[test]
fn density_a1_by_quadrature() {
    for epsilon in [0.5, 2.0] {
        let bins = TwoBins { epsilon };
        for beta in BETAS {
            assert!((integral(bins, beta, |_| 1.0) - 1.0).abs() < 1e-9, "{epsilon} {beta}");
            let variance = integral(bins, beta, |u| u * u);
            assert!((variance / bins.l1_variance(beta) - 1.0).abs() < 1e-8, "{epsilon} {beta}: {variance}");
        }
    }
}

#[test]
fn density_a1_as_printed() {
    let bins = TwoBins { epsilon: 1.3 };
    for beta in [0.1f64, 0.3, 0.7, 0.9] {
        for u in [0.0f64, 0.4, -2.0, 9.0] {
            let term = |share: f64| share * (-1.3 * u.abs() / (2.0 * share)).exp();
            let printed = 1.3 / (4.0 * (2.0 * beta - 1.0)) * (term(beta) - term(1.0 - beta));
            assert!((bins.l1_density(beta, u) / printed - 1.0).abs() < 1e-12, "{beta} {u}");
        }
    }
    // (A.2)
    let printed = 1.3 / 4.0 * (1.0 + 1.3 * 2.0) * (-1.3f64 * 2.0).exp();
    assert!((bins.l1_density(0.5, 2.0) / printed - 1.0).abs() < 1e-12);
}

#[test]
fn the_loss_is_attained() {
    let bins = TwoBins { epsilon: 0.8 };
    for beta in BETAS {
        let log = |u: f64| bins.l1_log_density(beta, u);
        let ratio = |u: f64| (log(u) - log(u - 1.0)).abs();
        // A fine grid near the centre, and powers of two far out, where the supremum is approached.
        let near = (-40_000..40_000).map(|step| step as f64 / 1_000.0);
        let far = (0..24).flat_map(|power| [f64::powi(2.0, power), -f64::powi(2.0, power)]);
        let largest = near.chain(far).map(ratio).fold(0.0, f64::max);
        let claimed = bins.l1_loss(beta);
        assert!(largest <= claimed + 1e-9 && largest > claimed - 1e-6, "{beta}: {largest} of {claimed}");
    }
    let ratio = |u: f64| (bins.conditioning_density(u) / bins.conditioning_density(u - 1.0)).ln().abs();
    let largest = (-4_000..4_000).map(|step| ratio(step as f64 / 100.0)).fold(0.0, f64::max);
    assert!((largest - bins.conditioning_loss()).abs() < 1e-9);
}

#[test]
fn simulated_projections() {
    let bins = TwoBins { epsilon: 1.0 };
    let draws = 40_000u64;
    let truth = [5.0, 9.0];
    let mut entropy = Seeded::new(21).stream(0).unwrap();
    for beta in [0.2, 0.5, 1.0] {
        let mut found = [Summary::default(); 2];
        let edges: Vec<f64> = (-16..=16).map(|edge| edge as f64 / 2.0).collect();
        let mut counts = vec![0u64; edges.len() - 1];
        for _ in 0..draws {
            let noise = draw::laplace(&mut entropy, 2.0 / bins.epsilon, 2, false);
            let noise = beta * noise[0] - (1.0 - beta) * noise[1];
            found[0].push(truth[0] + noise);
            found[1].push(truth[1] - noise);
            if let Some(bin) = (0..counts.len()).find(|bin| edges[*bin] <= noise && noise < edges[bin + 1]) {
                counts[bin] += 1;
            }
        }
        for (cell, truth) in found.iter().zip(truth) {
            // The means are the counts, not their average.
            assert!(agrees(cell.mean(), cell.mean_error(), truth + TwoBins::BIAS), "{beta}");
            assert!(agrees(cell.variance(), cell.variance_error(), bins.l1_variance(beta)), "{beta}");
        }
        let share = |bin: usize| {
            let point = |step: usize| bins.l1_density(beta, edges[bin] + step as f64 * 0.5 / 20.0);
            let inner: f64 = (1..20).map(|step| point(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
            (point(0) + inner + point(20)) * 0.5 / 60.0
        };
        let claimed: Vec<f64> = (0..counts.len()).map(share).collect();
        assert!(goodness_of_fit(&counts, &claimed, draws).p_value > testkit::level(8), "{beta}");
    }
}

#[test]
fn the_middle_of_the_family_is_the_l2_projection() {
    let noisy = [3.0 + 1.7, 8.0 - 0.4];
    let moved = onto_total(&noisy, 11.0);
    assert!((moved[0] - (3.0 + 0.5 * 1.7 - 0.5 * -0.4)).abs() < 1e-12 && (moved[0] + moved[1] - 11.0).abs() < 1e-12);
}

#[test]
fn simulated_conditioning() {
    let bins = TwoBins { epsilon: 1.0 };
    let mut entropy = Seeded::new(22).stream(0).unwrap();
    let found: Summary = (0..40_000).map(|_| draw::laplace(&mut entropy, 2.0, 2, true)[0]).collect();
    assert!(agrees(found.variance(), found.variance_error(), bins.conditioning_variance()));
    assert!(agrees(found.mean(), found.mean_error(), TwoBins::BIAS));
}

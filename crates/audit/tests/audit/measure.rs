//! Measures of error: against direct computation, merged in any way, and beside theory.

use crate::projected::{agrees, onto_total};
use audit::measure::{
    Errors, IN_NO_TOTAL, Partition, Summary, broken, group_sizes, noise_atoms, wasserstein_by_chance,
    wasserstein_to_noise,
};
use audit::theory::{Method, variance};
use draw::{ClosedForm, NoiseLaw, Sampler};
use exact::{DiscreteGaussian, Geometric, Rational, Seeded, Source};
use testkit::Random;

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + other.abs())
}

#[test]
fn summaries_are_moments() {
    let mut random = Random(1);
    let values: Vec<f64> = (0..500).map(|_| random.below(1_000) as f64 / 7.0 - 30.0).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let power = |exponent| values.iter().map(|value| (value - mean).powi(exponent)).sum::<f64>();
    let variance = power(2) / (n - 1.0);
    let error = ((power(4) / n - variance * variance * (n - 3.0) / (n - 1.0)) / n).sqrt();
    // Whole, and in parts of every size.
    for cut in [0usize, 1, 2, 137, 499, 500] {
        let mut found: Summary = values[..cut].iter().copied().collect();
        found.merge(&values[cut..].iter().copied().collect());
        assert_eq!(found.count(), 500);
        assert!(close(found.mean(), mean) && close(found.variance(), variance), "{cut}");
        assert!(close(found.mean_error(), (variance / n).sqrt()) && close(found.variance_error(), error), "{cut}");
    }
    let one: Summary = [3.0].into_iter().collect();
    assert_eq!((one.mean(), one.variance(), one.mean_error()), (3.0, 0.0, f64::INFINITY));
    // A large offset does not cancel.
    let shifted: Summary = values.iter().map(|value| value + 1e9).collect();
    assert!((shifted.variance() / variance - 1.0).abs() < 1e-6);
}

#[test]
fn standard_errors_are_standard_errors() {
    // Over many repetitions the spread of the estimates is the standard error that each states.
    let noise = Geometric::new(Rational::new(1, 2u8));
    let mut entropy = Seeded::new(2).stream(0).unwrap();
    let (mut means, mut variances) = (Summary::default(), Summary::default());
    let (mut mean_errors, mut variance_errors) = (Summary::default(), Summary::default());
    for _ in 0..2_000 {
        let found: Summary = (0..200).map(|_| noise.draw_double(&mut entropy) as f64).collect();
        means.push(found.mean());
        variances.push(found.variance());
        mean_errors.push(found.mean_error());
        variance_errors.push(found.variance_error());
    }
    assert!((means.variance().sqrt() / mean_errors.mean() - 1.0).abs() < 0.08);
    assert!((variances.variance().sqrt() / variance_errors.mean() - 1.0).abs() < 0.15);
}

#[test]
fn errors_of_tables_by_hand() {
    let mut errors = Errors::new(&[3, 0, 5], &[]);
    errors.add(&[0.0, 0.0, 8.0], 0);
    errors.add(&[3.5, -0.5, 5.0], 1);
    assert_eq!(errors.draws(), 2);
    assert_eq!(errors.l1().mean(), 3.5);
    assert_eq!(errors.l2_squared().mean(), (18.0 + 0.5) / 2.0);
    assert!(close(errors.l2().mean(), (18f64.sqrt() + 0.5f64.sqrt()) / 2.0));
    assert_eq!(errors.cells()[0].mean(), -1.25);
    assert_eq!(errors.forced_to_zero().mean(), 0.5);
    assert_eq!((errors.zeros().mean(), errors.negatives().mean(), errors.broken().mean()), (1.0, 0.5, 0.5));
    assert_eq!(broken(&[3.0, 4.0], &[3.0, 4.0 + 1e-9], 0.0), 1);
    assert_eq!(broken(&[3.0, 4.0], &[3.0, 4.0 + 1e-9], 1e-6), 0);
    assert!(Errors::new(&[1], &[]).most_biased().is_none());
}

#[test]
fn partitions() {
    let groups = [0, 0, 1, 1, 1, 2, IN_NO_TOTAL];
    assert_eq!(group_sizes(&groups), [2, 2, 3, 3, 3, 1, 0]);
    let partition = Partition::by_sizes(&group_sizes(&groups));
    let sizes: Vec<(u64, u64, u64)> =
        partition.parts().iter().map(|part| (part.least, part.most, part.cells)).collect();
    assert_eq!(sizes, [(0, 0, 1), (1, 1, 1), (2, 2, 2), (3, 3, 3)]);
    assert_eq!(partition.part_of(), [2, 2, 3, 3, 3, 1, 0]);
    // Many sizes are joined by powers of two.
    let many = Partition::by_sizes(&(1..=40).collect::<Vec<u64>>());
    let ranges: Vec<(u64, u64)> = many.parts().iter().map(|part| (part.least, part.most)).collect();
    assert_eq!(ranges, [(1, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 40)]);
    let counts = Partition::by_count(&[0, 9, 1, 10, 4_000, 0, 12]);
    let ranges: Vec<(u64, u64, u64)> = counts.parts().iter().map(|part| (part.least, part.most, part.cells)).collect();
    assert_eq!(ranges, [(0, 0, 2), (1, 9, 2), (10, 12, 2), (4_000, 4_000, 1)]);
    let known = |cell: usize| (cell != 4).then_some(cell as f64);
    assert_eq!(counts.means(known), [Some(2.5), Some(1.5), Some(4.5), None]);
    assert!(Partition::by_count(&[]).parts().is_empty());
}

#[test]
fn the_variance_of_a_part_is_the_mean_of_its_cells() {
    let mut random = Random(3);
    let truth = [4i64, 0, 77, 12, 950];
    let mut errors = Errors::new(&truth, &[Partition::by_count(&truth)]);
    for _ in 0..300 {
        let released: Vec<f64> = truth.iter().map(|count| *count as f64 + random.below(90) as f64 / 10.0).collect();
        errors.add(&released, 0);
    }
    let parts = &errors.parts()[0];
    for (number, found) in parts.variance().iter().enumerate() {
        let of_part = parts.partition().part_of().iter().map(|part| *part as usize == number);
        let cells: Summary =
            errors.cells().iter().zip(of_part).filter(|pair| pair.1).map(|pair| pair.0.variance()).collect();
        assert_eq!(found.count(), 299);
        assert!(close(found.mean(), cells.mean()), "{number}");
    }
}

#[test]
fn smaller_groups_have_less_variance_as_theory_says() {
    // Groups of 2, 5 and 20 cells, each with its total kept: conditioning and projection beside
    // their formulas.
    let groups: Vec<u32> = [2usize, 5, 20].into_iter().enumerate().flat_map(|(g, n)| vec![g as u32; n]).collect();
    let truth: Vec<i64> = (0..27).map(|cell| 1_000 + 10 * cell).collect();
    let epsilon = Rational::new(1, 2u8);
    let law = NoiseLaw::double_geometric(epsilon.clone());
    let partition = Partition::by_sizes(&group_sizes(&groups));
    let sizes = group_sizes(&groups);
    let (sampler, noise) = (ClosedForm::new(&epsilon), Geometric::new(epsilon));
    for method in [Method::Unconstrained, Method::Conditioning, Method::Projection] {
        // Two halves, merged, as parallel draws would be.
        let mut halves = [5u64, 6].map(|seed| {
            let mut entropy = Seeded::new(seed).stream(0).unwrap();
            let mut errors = Errors::new(&truth, &[partition.clone(), Partition::by_count(&truth)]);
            for _ in 0..8_000 {
                let mut released: Vec<f64> = truth.iter().map(|count| *count as f64).collect();
                for cells in [0..2usize, 2..7, 7..27] {
                    let mut drawn = vec![0i64; cells.len()];
                    match method {
                        Method::Conditioning => sampler.draw_block(&mut entropy, 0, &mut drawn),
                        _ => drawn.iter_mut().for_each(|cell| *cell = noise.draw_double(&mut entropy)),
                    }
                    let drawn: Vec<f64> = drawn.into_iter().map(|noise| noise as f64).collect();
                    let moved = if method == Method::Projection { onto_total(&drawn, 0.0) } else { drawn };
                    released[cells].iter_mut().zip(moved).for_each(|(cell, noise)| *cell += noise);
                }
                errors.add(&released, 0);
            }
            errors
        });
        let [errors, other] = &mut halves;
        errors.merge(other);
        assert_eq!(errors.draws(), 16_000);
        let theory = partition.means(|cell| variance(method, &law, sizes[cell]));
        let parts = &errors.parts()[0];
        for (part, theory) in theory.iter().enumerate() {
            let (bias, spread) = (parts.bias()[part], parts.variance()[part]);
            assert_eq!((bias.count(), spread.count()), (16_000, 15_998));
            assert!(
                agrees(spread.mean(), spread.mean_error(), theory.unwrap()),
                "{method:?} {part}: {spread:?} {theory:?}"
            );
            // A kept total has no error at all, and neither has the mean of its cells.
            assert!(
                bias.mean().abs() <= testkit::deviations(20) * bias.mean_error() + 1e-9,
                "{method:?} {part}: {bias:?}"
            );
        }
        let ordered = parts.variance().windows(2).all(|pair| pair[0].mean() < pair[1].mean());
        assert!(ordered || method == Method::Unconstrained);
    }
}

#[test]
fn wasserstein_by_hand() {
    // All errors zero: the distance is the mean absolute value of the noise.
    let laplace = NoiseLaw::laplace(Rational::new(1, 3u8));
    assert!(close(wasserstein_to_noise(&[0.0], &laplace).unwrap(), 3.0));
    assert!(close(wasserstein_to_noise(&[0.0; 7], &laplace).unwrap(), 3.0));
    let geometric = NoiseLaw::double_geometric(Rational::integer(1));
    let a = (-1.0f64).exp();
    assert!(close(wasserstein_to_noise(&[0.0, 0.0], &geometric).unwrap(), 2.0 * a / (1.0 - a * a)));
    // Far away: the shift.
    assert!(close(wasserstein_to_noise(&[1e6], &laplace).unwrap(), 1e6));
    assert!(close(wasserstein_to_noise(&[-1e6], &geometric).unwrap(), 1e6));
    // A quantile sample of the law itself is close to it.
    let quantile = |u: f64| if u < 0.5 { (2.0 * u).ln() } else { -(2.0 * (1.0 - u)).ln() };
    let sample: Vec<f64> = (0..20_000).map(|i| 3.0 * quantile((f64::from(i) + 0.5) / 20_000.0)).collect();
    assert!(wasserstein_to_noise(&sample, &laplace).unwrap() < 1e-3);
    assert!(wasserstein_to_noise(&[], &laplace).is_none());
    let gaussian = NoiseLaw::gaussian(Rational::integer(1));
    assert!(wasserstein_to_noise(&[0.0], &gaussian).is_none());
    let lattice = NoiseLaw::lattice_laplace(Rational::integer(1));
    assert!(wasserstein_to_noise(&[0.0], &lattice).is_none() && noise_atoms(&lattice).is_none());
}

#[test]
fn draws_of_the_noise_are_as_far_from_it_as_chance_makes_them() {
    let mut entropy = Seeded::new(8).stream(0).unwrap();
    let half = Rational::new(1, 2u8);
    let (geometric, gaussian) = (Geometric::new(half.clone()), DiscreteGaussian::new(&Rational::integer(9)));
    let draws = 20_000u64;
    let samples: [(NoiseLaw, Vec<f64>); 3] = [
        (
            NoiseLaw::double_geometric(half.clone()),
            (0..draws).map(|_| geometric.draw_double(&mut entropy) as f64).collect(),
        ),
        (
            NoiseLaw::discrete_gaussian(Rational::integer(9)),
            (0..draws).map(|_| gaussian.draw(&mut entropy) as f64).collect(),
        ),
        (NoiseLaw::laplace(half), draw::laplace(&mut entropy, 2.0, draws as usize, false)),
    ];
    for (law, sample) in samples {
        let distance = wasserstein_to_noise(&sample, &law).unwrap();
        let chance = wasserstein_by_chance(draws, &law).unwrap();
        assert!(distance < 2.5 * chance && distance > 0.1 * chance, "{}: {distance} {chance}", law.name());
        // Noise that is a tenth too wide is farther away.
        let wide: Vec<f64> = sample.iter().map(|error| 1.1 * error).collect();
        assert!(wasserstein_to_noise(&wide, &law).unwrap() > 5.0 * chance, "{}", law.name());
    }
}

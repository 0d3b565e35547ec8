//! Blocks far beyond enumeration: the variance of a cell against the exact one, and quick bounds of sums against fine ones.

use draw::{BlockDraw, NoiseLaw, PlannedNoise, Prospect, SumLaw, draw_table, gaussian, laplace, operators};
use exact::integer::below;
use exact::lazy::Bounds;
use exact::{Integer, Rational, Seeded, Source};

static CLOSED_FORM: PlannedNoise = operators::ClosedForm::noise(Prospect::exact("closed-form"));
static MESSAGES: PlannedNoise = operators::Messages::noise(Prospect::exact("messages"));

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// Checks the totals and returns by how many standard errors the mean square of the cells exceeds a claimed variance.
fn deviation(law: &NoiseLaw, work: &PlannedNoise, cells: usize, draws: u64) -> impl Fn(f64) -> f64 {
    let block: Vec<u32> = (0..cells as u32).collect();
    let blocks = [BlockDraw { cells: &block, work }];
    let squares: Vec<f64> = (0..draws)
        .map(|draw| {
            let source = Seeded::draw(77, draw);
            let values = draw_table(law, &blocks, &vec![0; cells], &source, &|_| {}).unwrap().into_values();
            assert_eq!(values.iter().sum::<i64>(), 0);
            values.iter().map(|z| (z * z) as f64).sum::<f64>() / cells as f64
        })
        .collect();
    let count = draws as f64;
    let mean = squares.iter().sum::<f64>() / count;
    let spread = squares.iter().map(|square| (square - mean).powi(2)).sum::<f64>() / (count - 1.0);
    move |variance| (mean - variance) / (spread / count).sqrt()
}

/// The variance of one of n cells of double-geometric noise with total zero: 2·E[k(n+k)]·(n−1)/(n²(n+1)), where k has
/// weight C(n+k−1, k)²·a^{2k}.
fn closed_form_variance(n: u64, epsilon: f64) -> f64 {
    let n = n as f64;
    let rise = |k: f64| (-2.0 * epsilon).exp() * ((n + k) / (k + 1.0)).powi(2);
    let mut mode = 0.0;
    while rise(mode) > 1.0 {
        mode += 1.0;
    }
    let (mut total, mut moment) = (0.0, 0.0);
    let mut add = |k: f64, weight: f64| {
        total += weight;
        moment += weight * k * (n + k);
    };
    let (mut weight, mut k) = (1.0, mode);
    while weight > 1e-18 {
        add(k, weight);
        weight *= rise(k);
        k += 1.0;
    }
    (weight, k) = (1.0, mode);
    while weight > 1e-18 && k > 0.0 {
        k -= 1.0;
        weight /= rise(k);
        add(k, weight);
    }
    2.0 * moment / total * (n - 1.0) / (n * n * (n + 1.0))
}

#[test]
fn the_exact_variance_is_that_of_the_continuous_law_for_small_epsilon() {
    // (2n−1)(n−1)/(n(n+1))·λ²: two ways to the same number.
    for n in [2u64, 3, 10] {
        let (size, scale) = (n as f64, 1e4);
        let continuous = (2.0 * size - 1.0) * (size - 1.0) / (size * (size + 1.0)) * scale * scale;
        let discrete = closed_form_variance(n, 1.0 / scale);
        assert!((discrete / continuous - 1.0).abs() < 1e-3, "{discrete} {continuous}");
    }
}

/// The claimed variance passes at 4.5 standard errors, one that is off by five per cent does not.
fn assert_variance(law: &NoiseLaw, work: &PlannedNoise, cells: usize, draws: u64, variance: f64) {
    let off = deviation(law, work, cells, draws);
    assert!(off(variance).abs() < 4.5, "{cells} cells, {law:?}: {} standard errors", off(variance));
    assert!(
        off(variance * 1.05) < -4.5 && off(variance * 0.95) > 4.5,
        "{cells} cells, {law:?}: five per cent go unseen"
    );
}

#[test]
fn double_geometric_cells_have_the_exact_variance() {
    for (cells, epsilon, draws) in
        [(2_000u64, "1/2", 200), (2_000, "1/50", 100), (40_000, "1/2", 20), (40_000, "2", 20)]
    {
        let epsilon = rational(epsilon);
        let variance = closed_form_variance(cells, epsilon.to_f64());
        let law = NoiseLaw::double_geometric(epsilon);
        assert_variance(&law, &CLOSED_FORM, cells as usize, draws, variance);
    }
}

#[test]
fn discrete_gaussian_cells_have_the_exact_variance() {
    // With σ² ≥ 2 sums of cells differ from Gaussian ones by less than 10⁻¹⁷: the variance of a cell is σ²(1 − 1/n).
    for (cells, variance, draws) in
        [(100usize, "3", 500), (129, "2", 400), (300, "20000", 100), (2_000, "10", 50), (40_000, "3", 10)]
    {
        let variance = rational(variance);
        let expected = variance.to_f64() * (1.0 - 1.0 / cells as f64);
        let law = NoiseLaw::discrete_gaussian(variance);
        assert_variance(&law, &MESSAGES, cells, draws, expected);
    }
}

#[test]
fn quick_bounds_of_sums_contain_the_fine_ones_and_are_narrow() {
    let mut entropy = Seeded::new(12).stream(0).unwrap();
    for (variance, cells) in
        [("1/20", 3u64), ("1/20", 32_768), ("1/2", 1), ("3", 128), ("1000000", 1_000), ("7/3", 1 << 30)]
    {
        let law = SumLaw::new(&rational(variance), cells);
        let spread = (rational(variance).to_f64() * cells as f64).sqrt().max(1.0);
        for _ in 0..100 {
            let c = below(&mut entropy, (9.0 * spread) as u64 + 1) as i64;
            let (bounds, fine) = (law.bounds(c), law.ratio(c, 160));
            assert_eq!(bounds, law.bounds(-c), "the law is symmetric");
            let what = format!("σ² = {variance}, {cells} cells, sum {c}");
            let (floor, last) = (Integer::from(bounds.floor), Integer::from(bounds.last));
            assert!(floor << 96usize <= *fine.upper(), "{what}");
            assert!((last + Integer::ONE) << 96usize >= *fine.lower(), "{what}");
            assert!(bounds == Bounds::UNKNOWN || bounds.last - bounds.floor < 4, "{what}: {bounds:?}");
            assert!(fine.width() < Integer::ONE << 8usize, "{what}: {fine:?}");
            // Far from lattice effects the ratio is that of the Gaussian.
            if variance == "1000000" {
                let gaussian = (-((c * c) as f64) / (2.0 * spread * spread)).exp();
                assert!((fine.to_f64() - gaussian).abs() < 1e-9, "{what}");
            }
        }
    }
}

/// The law of the sum of 2^doublings cells on ±radius, by repeated convolution in floating point.
fn doubled(law: &NoiseLaw, doublings: u32, radius: i64) -> Vec<f64> {
    let weights = (-radius..=radius).map(|z| (-law.energy(z).to_f64()).exp());
    let mut sum: Vec<f64> = weights.collect();
    let total: f64 = sum.iter().sum();
    sum.iter_mut().for_each(|weight| *weight /= total);
    for _ in 0..doublings {
        let half = |c: i64| sum.get((c + radius) as usize).copied().unwrap_or(0.0);
        sum = (-radius..=radius).map(|c| (-radius..=radius).map(|z| half(z) * half(c - z)).sum()).collect();
    }
    sum
}

#[test]
fn sums_of_many_cells_agree_with_repeated_convolution() {
    // Few cells move at all, some do, and nearly Gaussian sums.
    for (variance, doublings, radius) in [("1/20", 15, 60), ("1/8", 10, 90), ("1/2", 8, 130), ("3", 6, 160)] {
        let variance = rational(variance);
        let law = NoiseLaw::discrete_gaussian(variance.clone());
        let sums = SumLaw::new(&variance, 1 << doublings);
        let expected = doubled(&law, doublings, radius);
        for c in -radius / 2..=radius / 2 {
            let claimed = sums.probability(c, 128).to_f64();
            let expected = expected[(c + radius) as usize];
            assert!(
                (claimed - expected).abs() < 1e-11,
                "σ² = {variance}, 2^{doublings} cells, sum {c}: {claimed} {expected}"
            );
        }
    }
}

#[test]
fn real_valued_noise_has_the_variance_of_the_closed_form() {
    let mut entropy = Seeded::new(13).stream(0).unwrap();
    for n in [2usize, 3, 10] {
        let (size, draws) = (n as f64, 20_000);
        let conditioned = (2.0 * size - 1.0) * (size - 1.0) / (size * (size + 1.0));
        for kept in [true, false] {
            let (mut laplace_square, mut gaussian_square) = (0.0, 0.0);
            for _ in 0..draws {
                let (one, two) = (laplace(&mut entropy, 3.0, n, kept), gaussian(&mut entropy, 3.0, n, kept));
                if kept {
                    assert!(one.iter().sum::<f64>().abs() < 1e-9 && two.iter().sum::<f64>().abs() < 1e-9);
                }
                laplace_square += one.iter().map(|z| z * z).sum::<f64>();
                gaussian_square += two.iter().map(|z| z * z).sum::<f64>();
            }
            let scale = 9.0 * draws as f64 * size;
            let (expected_laplace, expected_gaussian) = if kept { (conditioned, 1.0 - 1.0 / size) } else { (2.0, 1.0) };
            // The relative standard error is below 1.6 %.
            assert!((laplace_square / scale / expected_laplace - 1.0).abs() < 0.07, "Laplace, {n} cells, {kept}");
            assert!((gaussian_square / scale / expected_gaussian - 1.0).abs() < 0.05, "Gaussian, {n} cells, {kept}");
        }
    }
}

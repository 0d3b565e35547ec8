//! Real-valued noise against the variances of its closed form.

use draw::{gaussian, laplace};
use exact::{Seeded, Source};

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

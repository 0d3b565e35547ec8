//! Continuous Laplace and Gaussian noise, free or with total zero: research on public data, never
//! certified.
//!
//! Laplace(λ) given sum zero is `s·(D₁ − D₂)` with s Gamma of shape 2n − 1 and scale λ/2 and D₁, D₂
//! uniform on the simplex; Gaussian given sum zero is the draw minus its mean. Floating-point noise
//! leaks (Mironov 2012), so these laws are for comparison only and their exactness is `Unproven`.

use crate::law::{Growth, NoiseLaw};
use crate::table::BlockDraw;
use analyse::Fibre;
use declare::Problem;
use exact::{Entropy, Source};

/// Draws real-valued noise around `centre` on the given blocks; other cells keep their value.
pub fn draw_reals<S: Source>(
    law: &NoiseLaw,
    blocks: &[BlockDraw<'_>],
    centre: &[i64],
    source: &S,
) -> Result<Vec<f64>, Problem> {
    let mut values: Vec<f64> = centre.iter().map(|value| *value as f64).collect();
    for (number, block) in blocks.iter().enumerate() {
        let mut entropy = source.stream(number as u64).map_err(|error| Problem::system(error.to_string()))?;
        let kept = block.work.noise().is_some_and(|noise| noise.keeps_total);
        let noise = noise(law, &mut entropy, block.cells.len(), kept)?;
        for (cell, noise) in block.cells.iter().zip(noise) {
            values[*cell as usize] += noise;
        }
    }
    Ok(values)
}

/// Measures every block with real-valued noise in every cell: the real-valued twin of
/// [`crate::measure`].
pub fn measure_reals<S: Source>(
    law: &NoiseLaw,
    fibres: &[&Fibre],
    centre: &[i64],
    source: &S,
) -> Result<Vec<Vec<f64>>, Problem> {
    let blocks = fibres.iter().enumerate();
    let measured = blocks.map(|(number, fibre)| -> Result<Vec<f64>, Problem> {
        if !fibre.noise_on_cells {
            return Err(Problem::refused(format!("{} noise cannot sit on sums of cells", law.name())));
        }
        let mut entropy = source.stream(number as u64).map_err(|error| Problem::system(error.to_string()))?;
        let noise = noise(law, &mut entropy, fibre.cells.len(), false)?;
        let counts = fibre.cells.iter().map(|cell| centre[*cell as usize] as f64);
        Ok(counts.zip(noise).map(|(count, noise)| count + noise).collect())
    });
    measured.collect()
}

fn noise<E: Entropy>(law: &NoiseLaw, entropy: &mut E, cells: usize, kept: bool) -> Result<Vec<f64>, Problem> {
    let parameter = law.parameter().to_f64();
    match law.growth() {
        Growth::Absolute if !law.is_integer() => Ok(laplace(entropy, 1.0 / parameter, cells, kept)),
        Growth::Square if !law.is_integer() => Ok(gaussian(entropy, parameter.sqrt(), cells, kept)),
        _ => Err(Problem::refused(format!("{} noise is not real-valued", law.name()))),
    }
}

/// Laplace noise of scale λ, given sum zero if `kept`.
pub fn laplace<E: Entropy>(entropy: &mut E, scale: f64, cells: usize, kept: bool) -> Vec<f64> {
    if !kept {
        return (0..cells).map(|_| scale * (exponential(entropy) - exponential(entropy))).collect();
    }
    let size: f64 = (1..2 * cells).map(|_| exponential(entropy)).sum::<f64>() * scale / 2.0;
    let (up, down) = (simplex(entropy, cells), simplex(entropy, cells));
    up.iter().zip(&down).map(|(up, down)| size * (up - down)).collect()
}

/// Gaussian noise of standard deviation σ, given sum zero if `kept`.
pub fn gaussian<E: Entropy>(entropy: &mut E, deviation: f64, cells: usize, kept: bool) -> Vec<f64> {
    let draws: Vec<f64> = (0..cells).map(|_| deviation * normal(entropy)).collect();
    let mean = if kept { draws.iter().sum::<f64>() / cells as f64 } else { 0.0 };
    draws.iter().map(|draw| draw - mean).collect()
}

/// A uniform point of the simplex.
fn simplex<E: Entropy>(entropy: &mut E, cells: usize) -> Vec<f64> {
    let draws: Vec<f64> = (0..cells).map(|_| exponential(entropy)).collect();
    let sum: f64 = draws.iter().sum();
    draws.iter().map(|draw| draw / sum).collect()
}

/// A uniform number in (0, 1).
fn uniform<E: Entropy>(entropy: &mut E) -> f64 {
    (entropy.bits(52) as f64 + 0.5) / (1u64 << 52) as f64
}

fn exponential<E: Entropy>(entropy: &mut E) -> f64 {
    -uniform(entropy).ln()
}

fn normal<E: Entropy>(entropy: &mut E) -> f64 {
    (2.0 * exponential(entropy)).sqrt() * (std::f64::consts::TAU * uniform(entropy)).cos()
}

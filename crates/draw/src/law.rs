//! `NoiseLaw`: the law of the noise in one cell before conditioning, a value that owns its
//! log-weight, reach, moments and words.
//!
//! A law is a [`LawFamily`] and its parameter. What draws and what prices a law ask how its energy
//! grows ([`Growth`]), never for its name: a new family is one file and one line in the registry of
//! `plan`.

mod base;
mod families;

pub use base::Base;
pub use families::{DISCRETE_GAUSSIAN, DOUBLE_GEOMETRIC, GAUSSIAN, LAPLACE, LATTICE_LAPLACE};

use crate::sums::CellNoise;
use declare::Noise;
use exact::Rational;
use std::fmt;
use std::sync::Arc;

/// A family of laws with one parameter: the energy of one unit (ε'), or σ² where energies grow with
/// squares.
#[derive(Debug)]
pub struct LawFamily {
    /// The word of specs.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The law in words, for messages and explanations.
    pub in_words: &'static str,
    /// The formula for `explain`, and what the parameter is called in it.
    pub formula: (&'static str, &'static str),
    /// The formula for certificates, with `{}` where they write the parameter.
    pub certified: &'static str,
    /// How its energy grows.
    pub growth: Growth,
    /// Whether the noise is integer-valued: only such a law can be certified.
    pub is_integer: bool,
    /// The energy of noise z in one cell, in whole units of the rate.
    ///
    /// Contract for [`Growth::Other`], on which its price rests: zero at zero, the same for z and
    /// −z, from z to z + 1 more by zero or one, and by one from some z on.
    pub units: fn(i64) -> u128,
}

impl LawFamily {
    /// The formula for certificates, with the parameter as they write it.
    pub fn certified(&self, parameter: &str) -> String {
        self.certified.replace("{}", parameter)
    }
}

/// How the energy of noise grows with its size: what samplers and prices must know of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// ε'|z| in every cell.
    Absolute,
    /// z²/2σ² in every cell.
    Square,
    /// ε'‖z‖₂ over all cells together: not a law of single cells.
    Norm,
    /// ε' times [`LawFamily::units`] in every cell.
    Other,
}

/// The law of the noise in one cell, before conditioning on the invariants.
#[derive(Clone)]
pub struct NoiseLaw {
    family: &'static LawFamily,
    parameter: Rational,
    base: Option<Arc<Base>>,
}

impl fmt::Debug for NoiseLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), self.parameter)?;
        self.base.as_ref().map_or(Ok(()), |base| write!(f, " weighted by {}", base.in_words()))
    }
}

impl PartialEq for NoiseLaw {
    fn eq(&self, other: &NoiseLaw) -> bool {
        self.name() == other.name() && self.parameter == other.parameter && self.base == other.base
    }
}

impl Eq for NoiseLaw {}

impl NoiseLaw {
    /// A law of a family: with this ε', or this σ² where energies grow with squares.
    pub fn new(family: &'static LawFamily, parameter: Rational) -> NoiseLaw {
        NoiseLaw { family, parameter, base: None }
    }

    /// This law with the weights of tables multiplied by those of a base measure: then it is no
    /// noise that is added, and [`NoiseLaw::energy`] is that of the noise alone.
    pub fn weighted_by(self, base: Base) -> NoiseLaw {
        NoiseLaw { base: Some(Arc::new(base)), ..self }
    }

    /// The base measure, if there is one.
    pub fn base(&self) -> Option<&Base> {
        self.base.as_deref()
    }

    /// `P(u) ∝ e^{−ε'|u|}` on the integers; ε' is the loss per unit of ℓ₁ distance.
    pub fn double_geometric(epsilon: Rational) -> NoiseLaw {
        NoiseLaw::new(&DOUBLE_GEOMETRIC, epsilon)
    }

    /// `P(z) ∝ e^{−z²/2σ²}` on the integers.
    pub fn discrete_gaussian(variance: Rational) -> NoiseLaw {
        NoiseLaw::new(&DISCRETE_GAUSSIAN, variance)
    }

    /// `P(z) ∝ e^{−ε'‖z‖₂}` on the integers, of all cells together; ε' is the loss per unit of ℓ₂
    /// distance.
    pub fn lattice_laplace(epsilon: Rational) -> NoiseLaw {
        NoiseLaw::new(&LATTICE_LAPLACE, epsilon)
    }

    /// Density `∝ e^{−ε'|u|}` on the reals; never certified.
    pub fn laplace(epsilon: Rational) -> NoiseLaw {
        NoiseLaw::new(&LAPLACE, epsilon)
    }

    /// Density `∝ e^{−z²/2σ²}` on the reals; never certified.
    pub fn gaussian(variance: Rational) -> NoiseLaw {
        NoiseLaw::new(&GAUSSIAN, variance)
    }

    /// The family.
    pub fn family(&self) -> &'static LawFamily {
        self.family
    }

    /// The word of specs.
    pub fn name(&self) -> &'static str {
        self.family.name
    }

    /// The law in words, for messages and explanations.
    pub fn in_words(&self) -> &'static str {
        self.family.in_words
    }

    /// ε', or σ² where energies grow with squares.
    pub fn parameter(&self) -> &Rational {
        &self.parameter
    }

    /// How its energy grows.
    pub fn growth(&self) -> Growth {
        self.family.growth
    }

    /// Whether the noise is integer-valued: only such a law can be certified.
    pub fn is_integer(&self) -> bool {
        self.family.is_integer
    }

    /// Whether it is a product over cells, so that independent parts of the fibre have independent
    /// noise.
    pub fn is_product(&self) -> bool {
        self.growth() != Growth::Norm
    }

    /// ε' of the double geometric; `None` for other laws.
    pub fn geometric(&self) -> Option<&Rational> {
        (self.is_integer() && self.growth() == Growth::Absolute).then_some(&self.parameter)
    }

    /// σ² of the discrete Gaussian; `None` for other laws.
    pub fn gaussian_variance(&self) -> Option<&Rational> {
        (self.is_integer() && self.growth() == Growth::Square).then_some(&self.parameter)
    }

    /// The noise of a cell as weights of sums carry it; `None` where they do not.
    pub fn cell_noise(&self) -> Option<CellNoise> {
        let parameter = || self.parameter.clone();
        match self.growth() {
            Growth::Absolute | Growth::Norm => Some(CellNoise::Geometric { up: parameter(), down: parameter() }),
            Growth::Square => Some(CellNoise::Gaussian { variance: parameter() }),
            Growth::Other => None,
        }
    }

    /// The energy of one unit.
    pub fn rate(&self) -> Rational {
        match self.growth() {
            Growth::Square => &Rational::integer(1) / &(&self.parameter + &self.parameter),
            Growth::Absolute | Growth::Norm | Growth::Other => self.parameter.clone(),
        }
    }

    /// The energy of noise z in one cell, in whole units of [`NoiseLaw::rate`].
    pub fn units(&self, z: i64) -> u128 {
        (self.family.units)(z)
    }

    /// The negative log-weight of noise z in one cell and none elsewhere: the single home of the
    /// law's formula.
    pub fn energy(&self, z: i64) -> Rational {
        &self.rate() * &Rational::integer(self.units(z))
    }

    /// The energy of noise in several cells together, in machine numbers.
    pub fn energy_of(&self, noise: impl Iterator<Item = i64>) -> f64 {
        let rate = self.rate().to_f64();
        match self.growth() {
            Growth::Norm => rate * noise.map(|z| (z as f64).powi(2)).sum::<f64>().sqrt(),
            Growth::Absolute | Growth::Square | Growth::Other => {
                rate * noise.map(|z| self.units(z) as f64).sum::<f64>()
            }
        }
    }

    /// How far from zero the energy of one cell is at most this deep, about.
    pub fn reach(&self, depth: f64) -> f64 {
        let parameter = self.parameter.to_f64();
        match self.growth() {
            Growth::Square => (2.0 * parameter * depth).sqrt(),
            Growth::Absolute | Growth::Norm => depth / parameter,
            Growth::Other => {
                // Beyond the flat part every step adds a unit.
                let units = depth / parameter;
                let flat = (0..63).map(|power| 1i64 << power).find(|z| self.units(*z) as f64 >= units);
                flat.map_or(f64::INFINITY, |z| z as f64)
            }
        }
    }

    /// The scale of the noise, about: one over the rate at which weights fall.
    pub fn scale(&self) -> f64 {
        let parameter = self.parameter.to_f64();
        if self.growth() == Growth::Square { parameter.sqrt() / 4.0 } else { 1.0 / parameter }
    }

    /// The logarithm of `Σ_z e^{−energy(z)}` over all integers: the normaliser of one cell's noise
    /// by itself.
    pub fn log_normaliser(&self) -> f64 {
        let parameter = self.parameter.to_f64();
        match self.growth() {
            Growth::Absolute | Growth::Norm => (1.0 + (-parameter).exp()).ln() - (-(-parameter).exp_m1()).ln(),
            Growth::Square => {
                let last = (9.0 * parameter.sqrt()).ceil().max(9.0) as u64;
                // From the smallest: nothing is lost.
                let side: f64 = (1..=last).rev().map(|z| (-((z * z) as f64) / (2.0 * parameter)).exp()).sum();
                (1.0 + 2.0 * side).ln()
            }
            Growth::Other => self.sum_of(|_| 1.0).ln(),
        }
    }

    /// The variance of the noise in one cell; `None` for laws that are not of single cells.
    pub fn variance(&self) -> Option<f64> {
        let parameter = self.parameter.to_f64();
        match (self.growth(), self.is_integer()) {
            (Growth::Norm, _) => None,
            (Growth::Absolute, true) => Some(0.5 / (parameter / 2.0).sinh().powi(2)),
            (Growth::Absolute, false) => Some(2.0 / parameter.powi(2)),
            (Growth::Square, false) => Some(parameter),
            (Growth::Square | Growth::Other, _) => Some(self.sum_of(|z| z * z) / self.sum_of(|_| 1.0)),
        }
    }

    /// `Σ_z value(z)·e^{−energy(z)}` over all integers, for even values; from the smallest weights:
    /// nothing is lost.
    fn sum_of(&self, value: impl Fn(f64) -> f64) -> f64 {
        let rate = self.rate().to_f64();
        let last = self.reach(NEGLIGIBLE).min(MOST_TERMS).ceil() as i64;
        let term = |z: i64| value(z as f64) * (-rate * self.units(z) as f64).exp();
        2.0 * (1..=last).rev().map(term).sum::<f64>() + value(0.0)
    }

    /// The law as specs name it.
    pub fn word(family: &LawFamily) -> Noise {
        Noise {
            name: family.name,
            takes_rho: family.growth == Growth::Square,
            is_continuous: !family.is_integer,
            is_product: family.growth != Growth::Norm,
        }
    }
}

/// Energies beyond this are left out of sums that are read.
const NEGLIGIBLE: f64 = 45.0;

/// The most terms of such a sum.
const MOST_TERMS: f64 = (1u32 << 24) as f64;

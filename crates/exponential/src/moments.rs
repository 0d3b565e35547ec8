//! `Moments`: all that a ridge regression knows of the data: the sums of products of scaled
//! columns, in whole numbers.
//!
//! Every record is mapped by itself: a value is scaled from its declared bounds to [−1, 1],
//! clamped, and rounded to a declared resolution. What one record can add is bounded by the
//! declaration alone, so the loss does not depend on what the data hold.

use exact::{Integer, Rational};

/// How the values of a column become whole numbers between −resolution and resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaling {
    middle: Rational,
    /// Whole numbers per unit of the column.
    factor: Rational,
    resolution: i64,
}

impl Scaling {
    /// Maps `low` to −1 and `high` to 1, in steps of 1/`resolution`; `None` unless low is below
    /// high and the resolution positive.
    pub fn new(low: &Rational, high: &Rational, resolution: i64) -> Option<Self> {
        if low >= high || resolution <= 0 {
            return None;
        }
        let half = &(high - low) * &Rational::new(1, 2u8);
        let factor = &Rational::integer(resolution) / &half;
        Some(Scaling { middle: &(low + high) * &Rational::new(1, 2u8), factor, resolution })
    }

    /// The value as a whole number: scaled, rounded to the nearest (halves upwards), clamped.
    pub fn scaled(&self, value: &Rational) -> i64 {
        let exact = &(&(value - &self.middle) * &self.factor) + &Rational::new(1, 2u8);
        let most = Integer::from(self.resolution);
        i64::try_from(exact.floor().clamp(-most.clone(), most)).unwrap_or(0)
    }

    /// Whether the value lies outside the declared bounds.
    pub fn is_outside(&self, value: &Rational) -> bool {
        (&(value - &self.middle) * &self.factor).abs() > Rational::integer(self.resolution)
    }
}

/// Sums of products of the predictors with each other and with the response.
#[derive(Clone, PartialEq, Eq)]
pub struct Moments {
    pub(crate) resolution: i64,
    records: u64,
    products: Vec<i128>,
    /// Σ xᵢ·z, in units of the squared resolution.
    pub(crate) with_response: Vec<i128>,
}

impl std::fmt::Debug for Moments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Moments(withheld)")
    }
}

impl Moments {
    /// No records yet, of `predictors` columns.
    pub fn new(predictors: usize, resolution: i64) -> Self {
        Moments {
            resolution,
            records: 0,
            products: vec![0; predictors * predictors],
            with_response: vec![0; predictors],
        }
    }

    /// Adds a record. What is outside ±resolution is clamped: the loss relies on it.
    ///
    /// # Panics
    /// When the record has another number of predictors.
    pub fn add(&mut self, predictors: &[i64], response: i64) {
        let size = self.with_response.len();
        assert_eq!(predictors.len(), size, "a record has every predictor");
        let clamped = |value: i64| i128::from(value.clamp(-self.resolution, self.resolution));
        let response = clamped(response);
        for (i, one) in predictors.iter().enumerate() {
            let one = clamped(*one);
            self.with_response[i] += one * response;
            for (j, other) in predictors.iter().enumerate() {
                self.products[i * size + j] += one * clamped(*other);
            }
        }
        self.records += 1;
    }

    /// Hands every sum on, and the number of records: data with the same ones have the same law.
    pub fn for_each(&self, mut sum: impl FnMut(i128)) {
        self.products.iter().chain(&self.with_response).copied().for_each(&mut sum);
        sum(i128::from(self.records));
    }

    /// The number of records: public, because a record is replaced and never added.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Σ xᵢ·xⱼ, in units of the squared resolution.
    pub fn product(&self, i: usize, j: usize) -> i128 {
        self.products[i * self.with_response.len() + j]
    }
}

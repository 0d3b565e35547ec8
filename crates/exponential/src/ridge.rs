//! `Ridge`: ridge regression in an ℓ₁ ball by the K-norm gradient mechanism, on a grid.
//!
//! ```text
//! f(y) ∝ exp(−ε‖Xᵀ(Xy − z) + λy‖₁ / (4(1 + B)p)),   ‖y‖₁ ≤ B,   y on the grid of 1/g
//! ```
//!
//! With columns in [−1, 1], a record adds `x·(xᵀy − z)` to the gradient, of ℓ₁ norm at most p·(B +
//! 1); replaced, it moves the gradient by at most 2(1 + B)p: loss ε. Columns are multiples of 1/Q
//! and y of 1/g, so the gradient is `M·k − w` in whole numbers of 1/(Q²gλ₀), λ₀ the denominator of
//! λ, and the exponent is a fraction: no rounding at all. Proof: `proofs/ridge.md`.

use crate::moments::Moments;
use crate::padding::MOST_SUMMED;
use crate::space::Space;
use crate::target::Target;
use declare::{Problem, RunTime};
use exact::lazy::Bounds;
use exact::{Enclosure, Integer, Natural, Powers, Rational};

/// Of more predictors a box holds far more points than those that matter in it.
pub(crate) const MOST_PREDICTORS: usize = 10;

/// The public side of a ridge regression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RidgeSettings {
    /// The loss per replaced record.
    pub epsilon: Rational,
    /// The radius B of the ℓ₁ ball.
    pub radius: Rational,
    /// The penalty λ.
    pub penalty: Rational,
    /// Steps of the grid per unit.
    pub grid: u64,
    /// Steps of a scaled column per unit.
    pub resolution: i64,
    /// The number of records, which is public.
    pub records: u64,
    /// The number of predictors.
    pub predictors: usize,
    /// Whether the number of tries is padded.
    pub is_padded: bool,
}

/// More tries are refused: 10⁹ are minutes.
const MOST_TRIES: f64 = 1e9;
/// So many boxes of the shells stand for one that is filled: more than in any measured case.
const OVERLAP: f64 = 64.0;
/// The geometric law of a proposed gradient stays within 64 bits above this rate.
const LEAST_RATE_BITS: usize = 56;

impl RidgeSettings {
    /// Whether the mechanism can be drawn, from public values alone.
    pub fn check(&self) -> Result<(), Problem> {
        for (name, value) in [("epsilon", &self.epsilon), ("radius", &self.radius), ("penalty", &self.penalty)] {
            if !value.is_positive() {
                return Err(Problem::bad(format!("`{name}` is {value}; it must be above zero")));
            }
        }
        if self.predictors == 0 || self.records == 0 || self.grid == 0 || self.resolution <= 0 {
            return Err(Problem::bad("a regression needs predictors, records, a grid and a resolution"));
        }
        if self.steps() == 0 {
            return Err(Problem::bad(format!(
                "the ball of radius {} holds no point of the grid of 1/{} but zero",
                self.radius, self.grid
            ))
            .hint("a finer `grid`, or a larger `radius`"));
        }
        if self.most_units() >= Natural::ONE << 63 || self.rate() < Rational::new(1, Natural::ONE << LEAST_RATE_BITS) {
            return Err(Problem::refused(format!(
                "exponents would exceed 2^63: {} records, {} predictors, a grid of 1/{} and a resolution of 1/{}",
                self.records, self.predictors, self.grid, self.resolution
            ))
            .hint("a coarser `grid`, a coarser `resolution`, or a penalty with fewer digits"));
        }
        if !self.is_padded && self.predicted_tries() > MOST_TRIES {
            return Err(Problem::refused(format!(
                "with {} predictors and {} records a draw may take {:.1e} tries, wherever the estimate lies: the curse of dimensionality",
                self.predictors,
                self.records,
                self.predicted_tries()
            ))
            .hint(format!("{MOST_PREDICTORS} predictors or fewer, a smaller `epsilon`, or fewer records")));
        }
        if self.is_padded {
            self.check_padding()?;
        }
        Ok(())
    }

    fn check_padding(&self) -> Result<(), Problem> {
        let count = self.space().count().clone();
        if count > Natural::from(MOST_SUMMED) {
            return Err(Problem::refused(format!(
                "`run_time = \"padded\"` needs the acceptance of a try, a sum over the grid, which has {count} points: more than {MOST_SUMMED}"
            ))
            .hint("a coarser `grid`, fewer predictors, or leave `run_time` out"));
        }
        let public = self.public_acceptance().to_f64();
        if public < 1.0 / MOST_TRIES {
            return Err(Problem::refused(format!(
                "`run_time = \"padded\"` would take {:.1e} tries on average: the acceptance that holds for every table is {public:.1e}",
                1.0 / public
            ))
            .hint("a smaller `epsilon`, a coarser `grid`, or leave `run_time` out"));
        }
        Ok(())
    }

    /// The sensitivity of the gradient: 2(1 + B)p in ℓ₁ per replaced record.
    pub fn sensitivity(&self) -> Rational {
        &(&Rational::integer(2) * &(&Rational::integer(1) + &self.radius)) * &Rational::integer(self.predictors as u64)
    }

    /// The rate ε/(2Δ) of the gradient's norm: ε/(4(1 + B)p).
    pub fn gradient_rate(&self) -> Rational {
        &self.epsilon / &(&Rational::integer(2) * &self.sensitivity())
    }

    /// The exponent of one whole unit of the gradient.
    fn rate(&self) -> Rational {
        let units = Natural::from(self.resolution.unsigned_abs()).pow(2) * Natural::from(self.grid);
        &self.gradient_rate() / &Rational::integer(units * self.penalty.denominator())
    }

    /// The radius of the ball in steps of the grid.
    fn steps(&self) -> u64 {
        u64::try_from((&self.radius * &Rational::integer(self.grid)).floor()).unwrap_or(u64::MAX)
    }

    /// The grid points of the ball.
    pub fn space(&self) -> Space {
        Space::ball(self.predictors, self.steps())
    }

    /// A number of units that no gradient exceeds, nor any number on the way to it.
    fn most_units(&self) -> Natural {
        let squared = Natural::from(self.resolution.unsigned_abs()).pow(2);
        let (above, below) = (self.penalty.numerator().clone(), self.penalty.denominator().clone());
        let data = below * Natural::from(self.records) * (Natural::from(self.steps()) + Natural::from(self.grid));
        let penalty = Natural::try_from(above).unwrap_or(Natural::ZERO) * Natural::from(self.steps());
        (data + penalty) * squared * Natural::from(self.predictors)
    }

    /// How fast the log-weight may fall per step of the grid: ‖(XᵀX + λ)δ‖₁ ≤ (np + λ)‖δ‖₁ times
    /// the rate.
    fn steepness(&self) -> Rational {
        let slope = &Rational::integer(Natural::from(self.records) * Natural::from(self.predictors)) + &self.penalty;
        &(&slope * &self.gradient_rate()) / &Rational::integer(self.grid)
    }

    /// A lower bound, for every table, of the mean weight relative to the largest: see
    /// `proofs/padding.md`.
    pub fn public_acceptance(&self) -> Rational {
        let (steps, p) = (self.steps(), self.predictors as u64);
        let count = Rational::integer(self.space().count().clone());
        let mut best = Rational::integer(1);
        // A ball of ρ steps about a point between the best and the centre lies in the space, within
        // 2ρ of the best.
        for part in 1..=64u64 {
            let reach = (u128::from(steps) * u128::from(part) / 64) as u64;
            let Some(inner) = reach.checked_sub(p.div_ceil(2)) else { continue };
            let points = Rational::integer(Space::ball(self.predictors, inner).count().clone());
            let fall = &self.steepness() * &Rational::integer(2 * reach);
            let lowest = Enclosure::exp_rational(&-fall, 192).lower_rational();
            best = best.max(&points * &lowest);
        }
        // A fraction with few digits, rounded down: its coin is tossed often.
        let share = &best / &count;
        let fine = Natural::ONE << 60;
        Rational::new((&share * &Rational::integer(fine.clone())).floor().max(Integer::ONE), fine)
    }

    /// How many tries of one kind a draw is predicted to take on average, at most, whatever the
    /// data are. A uniform point succeeds with probability e^−Φ at least, Φ the largest exponent
    /// of any data and point; that is proved. Of the shells 1/(64·p!) is what was measured.
    pub fn predicted_tries(&self) -> f64 {
        if self.is_padded {
            return 1.0 / self.public_acceptance().to_f64();
        }
        let records = &Rational::integer(self.records) * &Rational::integer(self.predictors as u64);
        let largest = &(&records * &(&Rational::integer(1) + &self.radius)) + &(&self.penalty * &self.radius);
        let uniform = (&largest * &self.gradient_rate()).to_f64().exp();
        match self.predictors <= MOST_PREDICTORS {
            true => uniform.min(OVERLAP * (1..=self.predictors).map(|factor| factor as f64).product::<f64>()),
            false => uniform,
        }
    }

    /// What the number of tries tells.
    pub fn run_time(&self) -> RunTime {
        if self.is_padded { RunTime::Independent } else { RunTime::DependsOnTheTable }
    }
}

/// The law of the coefficients around the data.
pub struct Ridge {
    settings: RidgeSettings,
    space: Space,
    /// The matrix M, by rows.
    matrix: Vec<i64>,
    /// The vector w.
    pub(crate) offset: Vec<i64>,
    /// The exponents per unit.
    pub(crate) powers: Powers,
    /// The least norm of a gradient that upper bounds use: zero, or that of the best point of the
    /// grid.
    least: u64,
}

impl std::fmt::Debug for Ridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ridge(withheld)")
    }
}

impl Ridge {
    /// The law for the moments of the data, or what is wrong with the settings: a function of
    /// public values.
    pub fn new(settings: RidgeSettings, moments: &Moments) -> Result<Self, Problem> {
        settings.check()?;
        if (moments.records(), moments.with_response.len(), moments.resolution)
            != (settings.records, settings.predictors, settings.resolution)
        {
            return Err(Problem::bad("the data have another number of records or columns than was declared"));
        }
        let p = settings.predictors;
        let whole = |value: &Integer| i128::try_from(value).unwrap_or(i128::MAX);
        let below = whole(&settings.penalty.denominator().clone().into());
        let squared = i128::from(settings.resolution).pow(2);
        let diagonal = whole(settings.penalty.numerator()) * squared;
        // `check` has shown that all of these are below 2⁶³.
        let narrow = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
        let entry = |i: usize, j: usize| below * moments.product(i, j) + if i == j { diagonal } else { 0 };
        let matrix = (0..p * p).map(|place| narrow(entry(place / p, place % p))).collect();
        let grid = i128::from(settings.grid);
        let offset = (0..p).map(|i| narrow(below * grid * moments.with_response[i])).collect();
        let (space, powers) = (settings.space(), Powers::new(settings.rate(), 8));
        let mut ridge = Ridge { settings, space, matrix, offset, powers, least: 0 };
        if ridge.settings.is_padded {
            let mut least = u64::MAX;
            ridge.space.for_each(|point| least = least.min(ridge.units(point)));
            ridge.least = least;
        }
        Ok(ridge)
    }

    /// The public side.
    pub fn settings(&self) -> &RidgeSettings {
        &self.settings
    }

    /// Row i of M.
    pub(crate) fn row(&self, i: usize) -> &[i64] {
        &self.matrix[i * self.offset.len()..(i + 1) * self.offset.len()]
    }

    /// The ℓ₁ norm of the gradient, in units.
    #[inline]
    pub(crate) fn units(&self, point: &[i64]) -> u64 {
        let row_sum = |row: &[i64]| row.iter().zip(point).map(|(entry, value)| entry * value).sum::<i64>();
        let rows = self.matrix.chunks_exact(self.offset.len());
        rows.zip(&self.offset).map(|(row, offset)| (row_sum(row) - offset).unsigned_abs()).sum()
    }
}

impl Target for Ridge {
    fn space(&self) -> &Space {
        &self.space
    }

    fn log_weight(&self, point: &[i64], bits: usize) -> Enclosure {
        Enclosure::from_rational(&-(self.powers.rate() * &Rational::integer(self.units(point))), bits)
    }

    fn upper(&self) -> Rational {
        -(self.powers.rate() * &Rational::integer(self.least))
    }

    #[inline]
    fn bounds(&self, point: &[i64]) -> Bounds {
        self.powers.bounds(self.units(point) - self.least)
    }
}

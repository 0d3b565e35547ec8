//! `Mean`: the mean of n records of [0, 1]^d by the ℓ₁ loss, on a grid: Seeman's example of run
//! times.
//!
//! A replaced record moves `‖x̄ − y‖₁` by at most d/n, so the mechanism is
//! `∝ e^{−(εn/2d)·‖x̄ − y‖₁}` on {0, 1/g, …, 1}^d.

use crate::space::Space;
use crate::target::Target;
use exact::lazy::Bounds;
use exact::{Enclosure, Integer, Powers, Rational};

/// The law around a mean, in steps of the grid.
#[derive(Debug)]
pub struct Mean {
    space: Space,
    /// n·g times the mean, per coordinate.
    centre: Vec<u64>,
    records: u64,
    grid: u64,
    powers: Powers,
}

impl Mean {
    /// The mechanism with loss `epsilon` for `records` records whose sums are `sums[j]/unit`, on
    /// the grid of 1/`grid`.
    ///
    /// # Panics
    /// When there are no records, a sum is above their number, or `grid` or `epsilon` is not
    /// positive.
    pub fn new(sums: &[u64], unit: u64, records: u64, grid: u64, epsilon: &Rational) -> Self {
        let most = unit.checked_mul(records).and_then(|most| most.checked_mul(grid)).expect("numbers within 64 bits");
        assert!(records > 0 && grid > 0 && epsilon.is_positive() && unit > 0 && !sums.is_empty());
        assert!(sums.iter().all(|sum| *sum <= unit * records), "values are in [0, 1]");
        let d = sums.len() as u64;
        // One unit of the exponent is a distance of 1/(unit·n·g).
        let rate = &(epsilon * &Rational::new(records, 2 * d)) / &Rational::integer(most);
        let centre = sums.iter().map(|sum| sum * grid).collect();
        Mean {
            space: Space::cube(sums.len(), grid),
            centre,
            records: unit * records,
            grid,
            powers: Powers::new(rate, 8),
        }
    }

    /// The ℓ₁ distance from the mean in units.
    fn units(&self, point: &[i64]) -> u64 {
        point.iter().zip(&self.centre).map(|(value, centre)| (*value as u64 * self.records).abs_diff(*centre)).sum()
    }

    /// The ℓ₁ distance of a point from the mean.
    pub fn loss(&self, point: &[i64]) -> Rational {
        Rational::new(Integer::from(self.units(point)), self.records * self.grid)
    }
}

impl Target for Mean {
    fn space(&self) -> &Space {
        &self.space
    }

    fn log_weight(&self, point: &[i64], bits: usize) -> Enclosure {
        Enclosure::from_rational(&-(self.powers.rate() * &Rational::integer(self.units(point))), bits)
    }

    fn upper(&self) -> Rational {
        Rational::integer(0)
    }

    #[inline]
    fn bounds(&self, point: &[i64]) -> Bounds {
        self.powers.bounds(self.units(point))
    }
}

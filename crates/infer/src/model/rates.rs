//! Poisson counts whose rates are gamma distributed, each group with its own; multinomial counts
//! with Dirichlet shares are the same given totals.
//!
//! Given a table, the rate of a group with the sum X and the exposure E is gamma with shape a + X
//! and rate b + E. Where every group lies in one block its rate is integrated out: the sum then
//! weighs Γ(a + X)/(b + E)^{a + X}, tables are independent draws from the posterior itself, and
//! rates are drawn beside them. Elsewhere rates and tables are drawn in turn.

use super::chance::log_gamma_number;
use super::parameters::{Parameters, linear, rising};
use exact::Stream;

/// Rates that are independent before anything is seen.
#[derive(Debug)]
pub(crate) struct Rates {
    pub(crate) shape: f64,
    pub(crate) rate: f64,
    /// The exposure of every group.
    pub(crate) exposures: Vec<f64>,
    /// Whether rates are integrated out while tables are drawn.
    pub(crate) collapsed: bool,
}

/// ln of a gamma number with this shape and rate.
pub(crate) fn log_rate(shape: f64, rate: f64, bits: &mut Stream) -> f64 {
    log_gamma_number(shape, bits) - rate.ln()
}

impl Rates {
    fn given(&self, sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        for ((own, sum), exposure) in rates.iter_mut().zip(sums).zip(&self.exposures) {
            *own = log_rate(self.shape + *sum as f64, self.rate + exposure, bits);
        }
    }
}

impl Parameters for Rates {
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64> {
        if self.collapsed {
            return Vec::new();
        }
        // Around what was released, four times as wide as the table itself would leave a rate.
        let start = |(sum, exposure): (&i64, &f64)| {
            let shape = (*sum).max(0) as f64 + self.shape + 0.5;
            log_rate(shape / 16.0, (self.rate + exposure) / 16.0, bits).max((1e-3 / (self.rate + exposure)).ln())
        };
        sums.iter().zip(&self.exposures).map(start).collect()
    }

    fn log_factors(&self, state: &[f64], group: usize, first: i64, factors: &mut [f64]) {
        match self.collapsed {
            true => rising(self.shape, -(self.rate + self.exposures[group]).ln(), first, factors),
            false => linear(state[group], first, factors),
        }
    }

    fn changes(&self) -> bool {
        !self.collapsed
    }

    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream) {
        if !self.collapsed {
            self.given(sums, bits, state);
        }
    }

    fn seconds(&self) -> f64 {
        1e-7 * self.exposures.len() as f64
    }

    fn log_rates(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        match self.collapsed {
            true => self.given(sums, bits, rates),
            false => rates.copy_from_slice(state),
        }
    }
}

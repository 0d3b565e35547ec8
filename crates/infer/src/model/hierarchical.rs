//! Rates of small areas that lend each other strength: gamma around a common mean, whose shape and mean are learnt from all of them.
//!
//! θ_g is gamma with shape α and mean m. Public priors: m is gamma with the shape and rate that are given, α has the density
//! (1/10)(1 + α/10)^{−2}, whose median is 10 and which leaves both no pooling and full pooling possible. α and m are drawn given the sums
//! with all θ integrated out, by Metropolis steps of three lengths; θ given α, m and the sums is gamma.

use super::chance::{normal, positive};
use super::parameters::Parameters;
use super::rates::log_rate;
use crate::belief::uniform;
use crate::knowledge::log_gamma;
use exact::Stream;

/// Rates around a common mean.
#[derive(Debug)]
pub(crate) struct Hierarchical {
    /// The gamma law of the mean.
    pub(crate) shape: f64,
    pub(crate) rate: f64,
    pub(crate) exposures: Vec<f64>,
    /// Whether rates are integrated out while tables are drawn. Else they follow the shape and the mean in the state.
    pub(crate) collapsed: bool,
}

/// The median of the shape before anything is seen.
pub(crate) const MIDDLE_SHAPE: f64 = 10.0;
/// Metropolis steps for every table, and their lengths.
const STEPS: usize = 12;
const LENGTHS: [f64; 3] = [0.08, 0.3, 1.2];
/// The logarithms of the shape and the mean are kept within machine numbers.
const LONGEST: f64 = 60.0;

impl Hierarchical {
    /// The logarithm of the density of ln α and ln m given the sums, up to a constant.
    fn log_density(&self, log_shape: f64, log_mean: f64, sums: &[i64]) -> f64 {
        if log_shape.abs() > LONGEST || log_mean.abs() > LONGEST {
            return f64::NEG_INFINITY;
        }
        let (shape, mean) = (log_shape.exp(), log_mean.exp());
        let inverse_scale = shape / mean;
        let prior = log_shape - 2.0 * (1.0 + shape / MIDDLE_SHAPE).ln() + self.shape * log_mean - self.rate * mean;
        let own = |(sum, exposure): (&i64, &f64)| {
            let sum = *sum as f64;
            // Written so that a shape without end leaves the Poisson law of the mean, and nothing is lost in between.
            log_gamma(shape + sum) - log_gamma(shape) - (shape + sum) * (exposure / inverse_scale).ln_1p()
                - sum * inverse_scale.ln()
        };
        prior + sums.iter().zip(&self.exposures).map(own).sum::<f64>()
    }

    fn given(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        let (shape, inverse_scale) = (state[0].exp(), (state[0] - state[1]).exp());
        for ((own, sum), exposure) in rates.iter_mut().zip(sums).zip(&self.exposures) {
            *own = log_rate(shape + *sum as f64, inverse_scale + exposure, bits);
        }
    }
}

impl Parameters for Hierarchical {
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64> {
        let seen: f64 = sums.iter().map(|sum| (*sum).max(0) as f64).sum();
        let exposure: f64 = self.exposures.iter().sum();
        let mean = ((seen + 0.5) / (exposure + self.rate)).ln() + 0.5 * normal(bits);
        let shape = MIDDLE_SHAPE.ln() + 4.0 * (uniform(bits) - 0.5);
        let mut state = vec![shape, mean];
        if !self.collapsed {
            let mut rates = vec![0.0; sums.len()];
            let sums: Vec<i64> = sums.iter().map(|sum| (*sum).max(0)).collect();
            self.given(&state, &sums, bits, &mut rates);
            state.extend(rates);
        }
        state
    }

    fn log_factor(&self, state: &[f64], group: usize, sum: i64) -> f64 {
        let sum = sum as f64;
        match self.collapsed {
            true => {
                let (shape, inverse_scale) = (state[0].exp(), (state[0] - state[1]).exp());
                log_gamma(shape + sum) - sum * (inverse_scale + self.exposures[group]).ln()
            }
            false => sum * state[2 + group],
        }
    }

    fn changes(&self) -> bool {
        true
    }

    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream) {
        let mut now = self.log_density(state[0], state[1], sums);
        for step in 0..STEPS {
            let length = LENGTHS[step % LENGTHS.len()];
            let (shape, mean) = (state[0] + 2.0 * length * normal(bits), state[1] + 0.5 * length * normal(bits));
            let next = self.log_density(shape, mean, sums);
            if positive(bits).ln() < next - now {
                (state[0], state[1], now) = (shape, mean, next);
            }
        }
        if !self.collapsed {
            let (own, rates) = state.split_at_mut(2);
            self.given(own, sums, bits, rates);
        }
    }

    fn log_rates(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        match self.collapsed {
            true => self.given(state, sums, bits, rates),
            false => rates.copy_from_slice(&state[2..]),
        }
    }

    fn names(&self) -> Vec<String> {
        vec!["shape of the law of rates".into(), "mean of the law of rates".into()]
    }

    fn values(&self, state: &[f64]) -> Vec<f64> {
        vec![state[0].exp(), state[1].exp()]
    }
}

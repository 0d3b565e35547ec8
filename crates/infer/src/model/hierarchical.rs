//! Rates of small areas that lend each other strength: gamma around a common mean, whose shape and
//! mean are learnt from all of them.
//!
//! θ_g is gamma with shape α and mean m. Public priors: m is gamma with the shape and rate that are
//! given, α has the density (1/10)(1 + α/10)^{−2}, whose median is 10 and which leaves both no
//! pooling and full pooling possible. α and m are drawn given the sums with all θ integrated out,
//! by Metropolis steps of three lengths; θ given α, m and the sums is gamma.

use super::chance::{normal, positive};
use super::parameters::{Parameters, linear, rising};
use super::rates::log_rate;
use crate::knowledge::log_gamma;
use crate::pick::uniform;
use exact::Stream;

/// Rates around a common mean.
#[derive(Debug)]
pub(crate) struct Hierarchical {
    /// The gamma law of the mean.
    pub(crate) shape: f64,
    pub(crate) rate: f64,
    pub(crate) exposures: Vec<f64>,
    /// Which shape and mean every group has, and how they are called.
    pub(crate) family_of: Vec<u32>,
    pub(crate) families: Vec<String>,
    /// Whether rates are integrated out while tables are drawn. Else they follow the shape and the
    /// mean in the state.
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
    /// The logarithm of the density of ln α and ln m of a family given the sums, up to a constant.
    fn log_density(&self, family: usize, log_shape: f64, log_mean: f64, sums: &[i64]) -> f64 {
        if log_shape.abs() > LONGEST || log_mean.abs() > LONGEST {
            return f64::NEG_INFINITY;
        }
        let (shape, mean) = (log_shape.exp(), log_mean.exp());
        let inverse_scale = shape / mean;
        let prior = log_shape - 2.0 * (1.0 + shape / MIDDLE_SHAPE).ln() + self.shape * log_mean - self.rate * mean;
        let own = |(sum, exposure): (&i64, &f64)| {
            let sum = *sum as f64;
            // Written so that a shape without end leaves the Poisson law of the mean, and nothing
            // is lost in between.
            log_gamma(shape + sum)
                - log_gamma(shape)
                - (shape + sum) * (exposure / inverse_scale).ln_1p()
                - sum * inverse_scale.ln()
        };
        let here = sums.iter().zip(&self.exposures).zip(&self.family_of).filter(|(_, of)| **of as usize == family);
        prior + here.map(|(group, _)| own(group)).sum::<f64>()
    }

    /// The shape and the inverse scale of the rates of a group.
    fn law_of(&self, state: &[f64], group: usize) -> (f64, f64) {
        let place = 2 * self.family_of[group] as usize;
        (state[place].exp(), (state[place] - state[place + 1]).exp())
    }

    fn given(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        for (group, ((own, sum), exposure)) in rates.iter_mut().zip(sums).zip(&self.exposures).enumerate() {
            let (shape, inverse_scale) = self.law_of(state, group);
            *own = log_rate(shape + *sum as f64, inverse_scale + exposure, bits);
        }
    }
}

impl Parameters for Hierarchical {
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64> {
        let mut state = Vec::new();
        for family in 0..self.families.len() {
            let (mut seen, mut exposure) = (0.5, self.rate);
            let groups = sums.iter().zip(&self.exposures).zip(&self.family_of);
            groups.filter(|(_, of)| **of as usize == family).for_each(|((sum, own), _)| {
                (seen, exposure) = (seen + (*sum).max(0) as f64, exposure + own);
            });
            let mean = (seen / exposure.max(1e-300)).ln() + 0.5 * normal(bits);
            state.extend([MIDDLE_SHAPE.ln() + 4.0 * (uniform(bits) - 0.5), mean]);
        }
        if !self.collapsed {
            let mut rates = vec![0.0; sums.len()];
            let sums: Vec<i64> = sums.iter().map(|sum| (*sum).max(0)).collect();
            self.given(&state, &sums, bits, &mut rates);
            state.extend(rates);
        }
        state
    }

    fn log_factors(&self, state: &[f64], group: usize, first: i64, factors: &mut [f64]) {
        match self.collapsed {
            true => {
                let (shape, inverse_scale) = self.law_of(state, group);
                rising(shape, -(inverse_scale + self.exposures[group]).ln(), first, factors);
            }
            false => linear(state[2 * self.families.len() + group], first, factors),
        }
    }

    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream) {
        for family in 0..self.families.len() {
            let own = &mut state[2 * family..2 * family + 2];
            let mut now = self.log_density(family, own[0], own[1], sums);
            for step in 0..STEPS {
                let length = LENGTHS[step % LENGTHS.len()];
                let (shape, mean) = (own[0] + 2.0 * length * normal(bits), own[1] + 0.5 * length * normal(bits));
                let next = self.log_density(family, shape, mean, sums);
                if positive(bits).ln() < next - now {
                    (own[0], own[1], now) = (shape, mean, next);
                }
            }
        }
        if !self.collapsed {
            let (own, rates) = state.split_at_mut(2 * self.families.len());
            self.given(own, sums, bits, rates);
        }
    }

    fn log_rates(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        match self.collapsed {
            true => self.given(state, sums, bits, rates),
            false => rates.copy_from_slice(&state[2 * self.families.len()..]),
        }
    }

    fn names(&self) -> Vec<String> {
        let of = |family: &String| {
            let more = if family.is_empty() { String::new() } else { format!(", {family}") };
            [format!("shape of the law of rates{more}"), format!("mean of the law of rates{more}")]
        };
        self.families.iter().flat_map(of).collect()
    }

    fn values(&self, state: &[f64]) -> Vec<f64> {
        state[..2 * self.families.len()].iter().map(|log| log.exp()).collect()
    }
}

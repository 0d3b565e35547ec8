//! Rates of small areas that lend each other strength: gamma around a common mean, whose shape and
//! mean are learnt from all of them.
//!
//! θ_g is gamma with shape α and mean m. Public priors, all proper (`proofs/propriety.md`): ln m is
//! normal, or m is gamma with the shape and rate that are given; α has the density
//! (1/10)(1 + α/10)^{−2}, whose median is 10 and which leaves both no pooling and full pooling
//! possible. α and m are drawn given the sums with all θ integrated out, by Metropolis steps of
//! several lengths; θ given α, m and the sums is gamma. Told are logarithms: α itself has no mean.

use super::MeanPrior;
use super::chance::{log_gamma_number, normal, positive};
use super::parameters::{Parameters, linear, rising};
use crate::knowledge::log_rising;
use crate::pick::uniform;
use exact::Stream;

/// Rates around a common mean.
#[derive(Debug)]
pub(crate) struct Hierarchical {
    pub(crate) mean: MeanPrior,
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
/// How long the Metropolis steps for every table are, in ln α and ln m: each is made in one, in the
/// other, and in both. The longest cross the ranges that few groups leave open.
const LENGTHS: [(f64, f64); 4] = [(0.16, 0.04), (0.6, 0.15), (2.4, 0.6), (6.0, 6.0)];
/// A prior that spreads ln m farther has steps of its own.
const WIDE: f64 = 10.0;
const ALONG: [(f64, f64); 3] = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];

/// ln(1 + e^x).
fn log_one_plus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

impl Hierarchical {
    /// The logarithm of the density of ln α and ln m of a family given the sums, up to a constant.
    fn log_density(&self, family: usize, log_shape: f64, log_mean: f64, sums: &[i64]) -> f64 {
        let shape = log_shape.exp();
        let prior = log_shape - 2.0 * log_one_plus(log_shape - MIDDLE_SHAPE.ln())
            + match self.mean {
                MeanPrior::Normal { deviation } => -0.5 * (log_mean / deviation).powi(2),
                MeanPrior::Gamma { shape, rate } => shape * log_mean - rate * log_mean.exp(),
            };
        let own = |(sum, exposure): (&i64, &f64)| {
            let sum = *sum as f64;
            // Written so that a shape without end leaves the Poisson law of the mean, and nothing
            // is lost in between.
            let scaled = log_one_plus(exposure.ln() + log_mean - log_shape);
            log_rising(shape, sum) + sum * log_mean - (shape + sum) * scaled
        };
        let here = sums.iter().zip(&self.exposures).zip(&self.family_of).filter(|(_, of)| **of as usize == family);
        prior + here.map(|(group, _)| own(group)).sum::<f64>()
    }

    /// The shape of the rates of a group, and the logarithm of their inverse scale and the exposure
    /// together: machine numbers hold no inverse scale of a mean below e^{−700}.
    fn law_of(&self, state: &[f64], group: usize) -> (f64, f64) {
        let place = 2 * self.family_of[group] as usize;
        let exposure = self.exposures[group].ln();
        (state[place].exp(), exposure + log_one_plus(state[place] - state[place + 1] - exposure))
    }

    /// How far the prior spreads ln m.
    fn spread(&self) -> f64 {
        match self.mean {
            MeanPrior::Normal { deviation } => deviation,
            MeanPrior::Gamma { shape, .. } => 1.0 / shape,
        }
    }

    fn given(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
        for (group, (own, sum)) in rates.iter_mut().zip(sums).enumerate() {
            let (shape, log_inverse) = self.law_of(state, group);
            *own = log_gamma_number(shape + *sum as f64, bits) - log_inverse;
        }
    }
}

impl Parameters for Hierarchical {
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64> {
        let mut state = Vec::new();
        for family in 0..self.families.len() {
            let (mut seen, mut exposure) = (0.5, 0.0);
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
                let (shape, log_inverse) = self.law_of(state, group);
                rising(shape, -log_inverse, first, factors);
            }
            false => linear(state[2 * self.families.len() + group], first, factors),
        }
    }

    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream) {
        for family in 0..self.families.len() {
            let own = &mut state[2 * family..2 * family + 2];
            let mut now = self.log_density(family, own[0], own[1], sums);
            // Steps as long as a prior is wide, where all others are short beside it.
            let wide = Some((6.0, self.spread())).filter(|(_, spread)| *spread > WIDE);
            let lengths = LENGTHS.into_iter().chain(wide);
            for (length, along) in lengths.flat_map(|length| ALONG.map(|along| (length, along))) {
                let shape = own[0] + length.0 * along.0 * normal(bits);
                let mean = own[1] + length.1 * along.1 * normal(bits);
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

    fn seconds(&self) -> f64 {
        // Every step looks at all groups of its family.
        5e-8 * ((LENGTHS.len() * ALONG.len() + 2) * self.exposures.len()) as f64
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
            [format!("ln shape of the law of rates{more}"), format!("ln mean of the law of rates{more}")]
        };
        self.families.iter().flat_map(of).collect()
    }

    fn values(&self, state: &[f64]) -> Vec<f64> {
        state[..2 * self.families.len()].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_are_cut_nowhere() {
        let of = |mean: MeanPrior| Hierarchical {
            mean,
            exposures: vec![1.0, 2.5, 0.5],
            family_of: vec![0; 3],
            families: vec![String::new()],
            collapsed: true,
        };
        let (sums, deviation) = ([0i64, 6, 0], 10.0);
        let (normal, gamma) = (of(MeanPrior::Normal { deviation }), of(MeanPrior::Gamma { shape: 2.0, rate: 0.5 }));
        // Far out, by what is left of all logarithms: of no pooling under a large mean …
        let log = |shape: f64, mean: f64| normal.log_density(0, shape, mean, &sums);
        let slope = |own: &dyn Fn(f64) -> f64, at: f64| own(at + 1.0) - own(at);
        for at in [-300.0, -100.0, -70.0] {
            // … α, and one group of three that is not empty: α².
            assert!((slope(&|shape| log(shape, 3.0), at) - 2.0).abs() < 1e-9, "{at}");
        }
        // … of full pooling, where α tells nothing more than its prior, e^{−ln α}.
        for at in [40.0, 70.0, 300.0] {
            assert!((slope(&|shape| log(shape, 0.3), at) + 1.0).abs() < 1e-9, "{at}");
        }
        // … of means without end: the prior and m^{−kα}; and of none: m⁶.
        for at in [70.0, 150.0] {
            let prior = -(2.0 * at + 1.0) / 2.0 / (deviation * deviation);
            assert!((slope(&|mean| log(-3.0, mean), at) - prior + 3.0 * (-3f64).exp()).abs() < 1e-9, "{at}");
            assert!((slope(&|mean| log(1.0, mean), -at) - (2.0 * at - 1.0) / 200.0 - 6.0).abs() < 1e-9, "{at}");
        }
        assert!((gamma.log_density(0, 1.0, -90.0, &sums) - gamma.log_density(0, 1.0, -91.0, &sums) - 8.0).abs() < 1e-9);
    }
}

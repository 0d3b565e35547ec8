//! Cumulative weights of a list as enclosures, ever narrower, and where a uniform number falls
//! among them.

use super::energy::BlockEnergy;
use crate::remembered::Remembered;
use crate::sums::coin::first_above;
use exact::lazy::Uniform;
use exact::{Decision, Enclosure};
use std::sync::{Arc, OnceLock};

/// Fraction bits of the first level; every further level has twice as many.
const FIRST_BITS: usize = 96;

/// The weights of a list of tables. Tables of one kind have the same weight.
#[derive(Debug)]
pub(super) struct Weights {
    energy: BlockEnergy,
    units: Vec<Vec<i128>>,
    kind_of: Vec<u32>,
    /// The kind whose weight is one: the heaviest, as far as machine numbers tell. Any would do.
    base: usize,
    first: OnceLock<Vec<Enclosure>>,
    finer: Remembered<usize, Arc<Vec<Enclosure>>>,
}

impl Weights {
    pub(super) fn new(energy: BlockEnergy, units: Vec<Vec<i128>>, kind_of: Vec<u32>) -> Weights {
        let value = |kind: &usize| energy.to_f64(&units[*kind]);
        let base = (0..units.len()).min_by(|one, two| value(one).total_cmp(&value(two))).unwrap_or(0);
        Weights { energy, units, kind_of, base, first: OnceLock::new(), finer: Remembered::up_to(usize::MAX) }
    }

    /// Where a uniform number falls, if this level can tell.
    pub(super) fn decide(&self, level: usize, uniform: &Uniform) -> Decision {
        match level {
            0 => place(self.first.get_or_init(|| self.cumulative(FIRST_BITS)), uniform),
            _ => place(&self.finer.get(level, || Arc::new(self.cumulative(FIRST_BITS << level))), uniform),
        }
    }

    /// The sums of the weights of the first table, of the first two, and so on.
    fn cumulative(&self, bits: usize) -> Vec<Enclosure> {
        let weight = |units: &Vec<i128>| self.energy.weight(units, &self.units[self.base], bits);
        let weights: Vec<Enclosure> = self.units.iter().map(weight).collect();
        let mut sum = Enclosure::from_integer(0, bits);
        let add = |kind: &u32| {
            sum = &sum + &weights[*kind as usize];
            sum.clone()
        };
        self.kind_of.iter().map(add).collect()
    }

    /// The weights as machine numbers that add up to one.
    pub(super) fn relative(&self) -> Vec<f64> {
        let base = self.energy.to_f64(&self.units[self.base]);
        let of_kind: Vec<f64> = self.units.iter().map(|units| (base - self.energy.to_f64(units)).exp()).collect();
        let weights = || self.kind_of.iter().map(|kind| of_kind[*kind as usize]);
        let sum: f64 = weights().sum();
        weights().map(|weight| weight / sum).collect()
    }

    /// The logarithm of the sum of all weights, the base's energy included.
    pub(super) fn log_sum(&self) -> f64 {
        let base = self.energy.to_f64(&self.units[self.base]);
        let weight = |kind: &u32| (base - self.energy.to_f64(&self.units[*kind as usize])).exp();
        self.kind_of.iter().map(weight).sum::<f64>().ln() - base
    }
}

/// The first place whose cumulative share is above the number, if all before it are certainly not.
fn place(sums: &[Enclosure], uniform: &Uniform) -> Decision {
    let Some((whole, before)) = sums.split_last() else { return Decision::MorePrecision };
    first_above(uniform, before, whole).map_or_else(|undecided| undecided, Decision::Index)
}

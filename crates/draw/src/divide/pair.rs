//! Two rows with prescribed column sums: how much all their tables weigh together, and a draw of
//! one of them.
//!
//! In column j the upper row holds u_j and the lower row d_j − u_j. The weight of (u_j) is the
//! product of the columns' weights, given that the u_j add up to zero. Prefix messages: the weights
//! of u_1 + … + u_j, for every j.

use super::spectrum::Spectrum;
use super::weights::{ChainMessage, Halves, Shifted, Weights, product_missing, reach, shifted_products};
use crate::law::NoiseLaw;
use crate::sums::coin::{Approximate, below, quotient};
use crate::sums::{Ladder, Precision, rounded_up};
use exact::lazy::Uniform;
use exact::{Decision, Entropy, Positive, Weighted, Wide, choose};
use std::sync::{Arc, OnceLock};

/// More levels than any draw can climb.
pub(super) const LEVELS: usize = 20;

/// Two rows of a grid.
#[derive(Debug)]
pub(super) struct Pair {
    law: NoiseLaw,
    ladder: Ladder,
    /// The cells of the upper and of the lower row in every column.
    columns: Vec<[u32; 2]>,
    levels: [OnceLock<Level>; LEVELS],
    spectrum: OnceLock<Option<Spectrum>>,
}

#[derive(Debug)]
pub(super) enum Level {
    Machine(Box<PairLevel<f64>>),
    Wide(Box<PairLevel<Wide>>),
}

/// Weights at one level, and all there is to know when every column sum is zero.
#[derive(Debug)]
pub(super) struct PairLevel<T> {
    weights: Weights<T>,
    pub(super) at_zero: Arc<Chain<T>>,
}

/// Messages at one level for given column sums.
#[derive(Debug)]
pub(super) struct Chain<T> {
    /// The weights of u_1 + … + u_j, for j up to the last column but one.
    prefixes: Vec<Shifted<T>>,
    /// The weights of u in every column that has been asked for; always in the last.
    columns: Vec<OnceLock<Shifted<T>>>,
    /// The weight of all tables.
    pub(super) whole: Approximate<T>,
}

/// The chains met so far for given column sums, by level.
#[derive(Debug)]
pub(super) struct Chains {
    sums: Vec<i64>,
    levels: Vec<AnyChain>,
}

#[derive(Debug)]
pub(super) enum AnyChain {
    Machine(Arc<Chain<f64>>),
    Wide(Arc<Chain<Wide>>),
}

impl<T: Positive> Chain<T> {
    /// From the prefixes, the columns that are known by now but for the last, the last, and what
    /// all u add up to.
    pub(super) fn new(
        prefixes: Vec<Shifted<T>>,
        mut columns: Vec<OnceLock<Shifted<T>>>,
        last: Shifted<T>,
        total: i64,
    ) -> Chain<T> {
        let before = &prefixes[prefixes.len() - 1];
        let (_, terms) = shifted_products(&last, before, total);
        let whole = Approximate {
            value: terms.iter().fold(T::zero(), |sum, term| sum.plus(term)),
            roundings: last.message.roundings + before.message.roundings + 1 + terms.len() as u64,
            missing: product_missing(&last.message, &before.message),
            scale: last.message.scale + before.message.scale,
        };
        columns.push(last.into());
        Chain { prefixes, columns, whole }
    }

    /// What a level says about u in one column, which is known, given that it and all columns
    /// before it add up to `rest`.
    pub(super) fn decide(&self, column: usize, rest: i64, bits: u32, uniform: &Uniform) -> (i64, Decision) {
        let Some(here) = self.columns[column].get() else { return (0, Decision::MorePrecision) };
        let before = &self.prefixes[column - 1];
        let (first, weights) = shifted_products(here, before, rest);
        let roundings = here.message.roundings + before.message.roundings + 1;
        let missing = product_missing(&here.message, &before.message);
        (first, Weighted { weights, roundings, missing, bits }.decide(uniform))
    }
}

/// The precision of a level: before those of the ladder one that is quick and decides nearly all.
pub(super) fn precision(ladder: Ladder, level: usize) -> Precision {
    match (ladder, level) {
        (Ladder::Standard, 0) => Precision { machine: true, bits: 53, trim: 24 },
        (Ladder::Standard, level) => ladder.level(level - 1),
        (Ladder::Coarse, level) => ladder.level(level),
    }
}

impl Pair {
    pub(super) fn new(columns: Vec<[u32; 2]>, law: &NoiseLaw, ladder: Ladder) -> Self {
        Pair { law: law.clone(), ladder, columns, levels: Default::default(), spectrum: OnceLock::new() }
    }

    /// How many multiplications the messages of one attempt take at the first level, about.
    pub(super) fn operations(&self) -> f64 {
        let reach = 2.0 * reach(&self.law, precision(self.ladder, 0).trim) as f64;
        let gaussian = self.law.gaussian_variance().is_some();
        let single = self.columns.iter().all(|cells| *cells == [1, 1]);
        let (mut spread, mut operations) = (0.0, 0.0);
        for [upper, lower] in self.columns.iter().map(|cells| cells.map(f64::from)) {
            // The variance of u given d, in units of that of two single cells.
            let part = if upper + lower > 0.0 { 2.0 * upper * lower / (upper + lower) } else { 0.0 };
            spread += part;
            let (own, before) = (reach * part.sqrt(), reach * f64::sqrt(spread));
            operations += if single || !gaussian && (upper, lower) == (1.0, 1.0) { 8.0 * before } else { own * before };
        }
        operations
    }

    /// Starts with the given column sums, which add up to zero.
    pub(super) fn chains(&self, sums: Vec<i64>) -> Chains {
        Chains { sums, levels: Vec::new() }
    }

    /// True with probability `Z(sums)/Z(0)`, Z the weight of all tables.
    pub(super) fn accept<E: Entropy>(&self, entropy: &mut E, chains: &mut Chains) -> bool {
        let spectrum = self.spectrum();
        choose(entropy, |level, uniform| {
            // What it can tell, levels would say of the same bits.
            let quick = spectrum.filter(|_| level == 0).and_then(|spectrum| spectrum.decide(uniform, &chains.sums));
            quick.unwrap_or_else(|| self.compare(level, uniform, self.chain(level, chains)))
        }) == 0
    }

    /// What tells acceptances without messages, where it is quicker.
    fn spectrum(&self) -> Option<&Spectrum> {
        let made = || {
            let epsilon = self.law.geometric().filter(|_| self.ladder == Ladder::Standard)?;
            let single = self.columns.iter().all(|cells| *cells == [1, 1]);
            let spectrum = if single { Spectrum::new(epsilon, self.columns.len()) } else { None };
            spectrum.filter(|spectrum| spectrum.operations(self.columns.len()) < self.operations() / 2.0)
        };
        self.spectrum.get_or_init(made).as_ref()
    }

    /// How many multiplications the coin of an attempt takes, about.
    pub(super) fn coin_operations(&self) -> f64 {
        self.spectrum().map_or_else(|| self.operations(), |spectrum| spectrum.operations(self.columns.len()))
    }

    /// Whether a uniform number is below the weight of a chain of this level over Z(0), if this
    /// level can tell.
    pub(super) fn compare(&self, level: usize, uniform: &Uniform, chain: &AnyChain) -> Decision {
        let bits = precision(self.ladder, level).bits;
        match (self.level(level), chain) {
            (Level::Machine(known), AnyChain::Machine(chain)) => {
                below(uniform, &chain.whole, &known.at_zero.whole, bits)
            }
            (Level::Wide(known), AnyChain::Wide(chain)) => below(uniform, &chain.whole, &known.at_zero.whole, bits),
            _ => Decision::MorePrecision,
        }
    }

    /// `Z(sums)/Z(0)` by machine numbers, for planning.
    pub(super) fn acceptance(&self, sums: &[i64]) -> f64 {
        self.share(self.chain(0, &mut self.chains(sums.to_vec())))
    }

    /// The weight of a chain of the first level over Z(0), by machine numbers.
    pub(super) fn share(&self, chain: &AnyChain) -> f64 {
        match (self.level(0), chain) {
            (Level::Machine(known), AnyChain::Machine(chain)) => quotient(&chain.whole, &known.at_zero.whole),
            (Level::Wide(known), AnyChain::Wide(chain)) => quotient(&chain.whole, &known.at_zero.whole),
            _ => 0.0,
        }
    }

    /// The logarithm of Z(0) by machine numbers, with cells of weight one at zero.
    pub(super) fn log_normaliser(&self) -> f64 {
        let log = |value: f64, scale: i64| value.ln() + scale as f64 * std::f64::consts::LN_2;
        // The first level leaves out some 2^−24; the next is as good as machine numbers.
        match self.level(1) {
            Level::Machine(known) => log(known.at_zero.whole.value, known.at_zero.whole.scale),
            Level::Wide(known) => {
                let Approximate { value, scale, .. } = &known.at_zero.whole;
                let magnitude = value.magnitude().unwrap_or(0);
                log(value.shifted(-magnitude).to_f64(), scale + magnitude)
            }
        }
    }

    /// Draws the upper row.
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E, chains: &mut Chains) -> Vec<i64> {
        let mut row = vec![0; self.columns.len()];
        let mut rest = 0;
        for column in (1..self.columns.len()).rev() {
            let (mut first, sum) = (0, chains.sums[column]);
            let index = choose(entropy, |level, uniform| {
                let (start, decision) = match (self.level(level), self.chain(level, chains)) {
                    (Level::Machine(known), AnyChain::Machine(chain)) => {
                        self.decide(known, chain, (column, sum), rest, uniform)
                    }
                    (Level::Wide(known), AnyChain::Wide(chain)) => {
                        self.decide(known, chain, (column, sum), rest, uniform)
                    }
                    _ => (0, Decision::MorePrecision),
                };
                first = start;
                decision
            });
            row[column] = first + index as i64;
            rest -= row[column];
        }
        row[0] = rest;
        row
    }

    /// What a level says about u in one column, with this sum.
    fn decide<T: Positive>(
        &self,
        known: &PairLevel<T>,
        chain: &Chain<T>,
        (column, sum): (usize, i64),
        rest: i64,
        uniform: &Uniform,
    ) -> (i64, Decision) {
        chain.columns[column].get_or_init(|| self.column(&known.weights, column, sum));
        chain.decide(column, rest, known.weights.precision.bits, uniform)
    }

    pub(super) fn level(&self, level: usize) -> &Level {
        let level = level.min(LEVELS - 1);
        self.levels[level].get_or_init(|| {
            let precision = precision(self.ladder, level);
            if precision.machine {
                Level::Machine(Box::new(self.know(precision)))
            } else {
                Level::Wide(Box::new(self.know(precision)))
            }
        })
    }

    fn know<T: Positive>(&self, precision: Precision) -> PairLevel<T> {
        let weights = Weights::new(&self.law, precision, self.columns.iter().flatten().copied());
        let at_zero = Arc::new(self.link(&weights, &vec![0; self.columns.len()]));
        PairLevel { weights, at_zero }
    }

    fn chain<'a>(&self, level: usize, chains: &'a mut Chains) -> &'a AnyChain {
        let zero = chains.sums.iter().all(|sum| *sum == 0);
        while chains.levels.len() <= level {
            let next = match self.level(chains.levels.len()) {
                Level::Machine(known) if zero => AnyChain::Machine(known.at_zero.clone()),
                Level::Machine(known) => AnyChain::Machine(Arc::new(self.link(&known.weights, &chains.sums))),
                Level::Wide(known) if zero => AnyChain::Wide(known.at_zero.clone()),
                Level::Wide(known) => AnyChain::Wide(Arc::new(self.link(&known.weights, &chains.sums))),
            };
            chains.levels.push(next);
        }
        &chains.levels[level]
    }

    /// What makes all columns quick at once, if anything does.
    fn halves<'a, T>(&self, weights: &'a Weights<T>) -> Option<&'a Halves<T>> {
        weights.halves.as_ref().filter(|_| self.columns.iter().all(|cells| *cells == [1, 1]))
    }

    /// The weights of u in one column, up to a constant.
    fn column<T: Positive>(&self, weights: &Weights<T>, column: usize, sum: i64) -> Shifted<T> {
        match self.halves(weights) {
            Some(halves) => {
                let counts = if sum.rem_euclid(2) == 0 { [1, 0] } else { [0, 1] };
                Shifted { message: ChainMessage::Shared(weights.shape(halves, counts)), shift: sum.div_euclid(2) }
            }
            None => weights.column(self.columns[column], sum).into(),
        }
    }

    /// The prefix messages, up to constants.
    fn prefixes<T: Positive>(&self, weights: &Weights<T>, sums: &[i64]) -> Vec<Shifted<T>> {
        let ends = self.columns.len() - 1;
        let mut prefixes: Vec<Shifted<T>> = Vec::with_capacity(ends);
        if let Some(halves) = self.halves(weights) {
            let (mut counts, mut shift) = ([0, 0], 0);
            for sum in &sums[..ends] {
                counts[sum.rem_euclid(2) as usize] += 1;
                shift += sum.div_euclid(2);
                prefixes.push(Shifted { message: ChainMessage::Shared(weights.shape(halves, counts)), shift });
            }
            return prefixes;
        }
        for (cells, sum) in self.columns[..ends].iter().zip(sums) {
            let next = match prefixes.last() {
                Some(before) => weights.after(&before.message, *cells, *sum),
                None => weights.column(*cells, *sum),
            };
            prefixes.push(next.into());
        }
        prefixes
    }

    /// One pass over the columns.
    fn link<T: Positive>(&self, weights: &Weights<T>, sums: &[i64]) -> Chain<T> {
        let ends = self.columns.len() - 1;
        let columns = (0..ends).map(|_| OnceLock::new()).collect();
        let last = self.column(weights, ends, sums[ends]);
        let mut chain = Chain::new(self.prefixes(weights, sums), columns, last, 0);
        if let Some(halves) = self.halves(weights) {
            chain.whole = scaled(chain.whole, &halves.factor(sums, weights.precision.bits));
        }
        chain
    }
}

/// A weight times a factor of at most one that is known within one rounding; a machine number may
/// have lost it.
pub(super) fn scaled<T: Positive>(weight: Approximate<T>, factor: &T) -> Approximate<T> {
    let Some(magnitude) = factor.magnitude() else {
        let lost = T::least().map_or_else(T::one, |least| least.shifted(2));
        let missing = rounded_up(&weight.value.plus(&weight.missing).shifted(1).times(&lost));
        return Approximate { value: T::zero(), missing, ..weight };
    };
    // The factor's size goes to the scale; what is left of it is below two.
    Approximate {
        value: weight.value.times(&factor.shifted(-magnitude)),
        roundings: weight.roundings + 2,
        missing: weight.missing.shifted(2),
        scale: weight.scale + magnitude,
    }
}

#[cfg(test)]
mod tests;

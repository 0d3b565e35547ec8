//! Two rows with prescribed column sums: how much all their tables weigh together, and a draw of one of them.
//!
//! In column j the upper row holds u_j and the lower row d_j − u_j. The weight of (u_j) is the product of the columns' weights,
//! given that the u_j add up to zero. Prefix messages: the weights of u_1 + … + u_j, for every j.

use super::weights::{Weights, product_missing, products};
use crate::law::NoiseLaw;
use crate::sums::coin::{Approximate, below, quotient};
use crate::sums::{Ladder, Message, Precision, rounded_up};
use exact::lazy::Uniform;
use exact::{Decision, Entropy, Positive, Weighted, Wide, choose};
use std::sync::OnceLock;

/// More levels than any draw can climb.
const LEVELS: usize = 20;

/// Two rows of a grid.
#[derive(Debug)]
pub(super) struct Pair {
    law: NoiseLaw,
    ladder: Ladder,
    /// The cells of the upper and of the lower row in every column.
    columns: Vec<[u32; 2]>,
    levels: [OnceLock<Level>; LEVELS],
}

#[derive(Debug)]
enum Level {
    Machine(Box<Known<f64>>),
    Wide(Box<Known<Wide>>),
}

/// Weights at one level, and all there is to know when every column sum is zero.
#[derive(Debug)]
struct Known<T> {
    weights: Weights<T>,
    at_zero: Chain<T>,
}

/// Messages at one level for given column sums.
#[derive(Debug)]
struct Chain<T> {
    /// The weights of u_1 + … + u_j, for j up to the last column but one.
    prefixes: Vec<Message<T>>,
    /// The weights of u in the last column.
    last: Message<T>,
    /// The weight of all tables.
    whole: Approximate<T>,
}

/// The chains met so far for given column sums, by level.
#[derive(Debug)]
pub(super) struct Chains {
    sums: Vec<i64>,
    levels: Vec<AnyChain>,
}

#[derive(Debug)]
enum AnyChain {
    Machine(Chain<f64>),
    Wide(Chain<Wide>),
}

/// The precision of a level: before those of the ladder one that is quick and decides nearly all.
fn precision(ladder: Ladder, level: usize) -> Precision {
    match (ladder, level) {
        (Ladder::Standard, 0) => Precision { machine: true, bits: 53, trim: 24 },
        (Ladder::Standard, level) => ladder.level(level - 1),
        (Ladder::Coarse, level) => ladder.level(level),
    }
}

impl Pair {
    pub(super) fn new(columns: Vec<[u32; 2]>, law: &NoiseLaw, ladder: Ladder) -> Self {
        Pair { law: law.clone(), ladder, columns, levels: Default::default() }
    }

    /// Starts with the given column sums, which add up to zero.
    pub(super) fn chains(&self, sums: Vec<i64>) -> Chains {
        Chains { sums, levels: Vec::new() }
    }

    /// True with probability `Z(sums)/Z(0)`, Z the weight of all tables.
    pub(super) fn accept<E: Entropy>(&self, entropy: &mut E, chains: &mut Chains) -> bool {
        choose(entropy, |level, uniform| self.compare(level, uniform, chains)) == 0
    }

    fn compare(&self, level: usize, uniform: &Uniform, chains: &mut Chains) -> Decision {
        let bits = precision(self.ladder, level).bits;
        match (self.level(level), self.chain(level, chains)) {
            (Level::Machine(known), AnyChain::Machine(chain)) => {
                below(uniform, &chain.whole, &known.at_zero.whole, bits)
            }
            (Level::Wide(known), AnyChain::Wide(chain)) => below(uniform, &chain.whole, &known.at_zero.whole, bits),
            _ => Decision::MorePrecision,
        }
    }

    /// `Z(sums)/Z(0)` by machine numbers, for planning.
    pub(super) fn acceptance(&self, sums: &[i64]) -> f64 {
        let mut chains = self.chains(sums.to_vec());
        match (self.level(0), self.chain(0, &mut chains)) {
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
                        self.decide(known, chain, column, rest, sum, uniform)
                    }
                    (Level::Wide(known), AnyChain::Wide(chain)) => {
                        self.decide(known, chain, column, rest, sum, uniform)
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

    /// What a level says about u in one column, given that it and all columns before it add up to `rest`.
    fn decide<T: Positive>(
        &self,
        known: &Known<T>,
        chain: &Chain<T>,
        column: usize,
        rest: i64,
        sum: i64,
        uniform: &Uniform,
    ) -> (i64, Decision) {
        let computed;
        let here = if column + 1 == self.columns.len() {
            &chain.last
        } else {
            computed = known.weights.column(self.columns[column], sum);
            &computed
        };
        let before = &chain.prefixes[column - 1];
        let (first, weights) = products(here, before, rest);
        let weighted = Weighted {
            weights,
            roundings: here.roundings + before.roundings + 1,
            missing: product_missing(here, before),
            bits: known.weights.precision.bits,
        };
        (first, weighted.decide(uniform))
    }

    fn level(&self, level: usize) -> &Level {
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

    fn know<T: Positive>(&self, precision: Precision) -> Known<T> {
        let weights = Weights::new(&self.law, precision, self.columns.iter().flatten().copied());
        let at_zero = self.link(&weights, &vec![0; self.columns.len()]);
        Known { weights, at_zero }
    }

    fn chain<'a>(&self, level: usize, chains: &'a mut Chains) -> &'a AnyChain {
        while chains.levels.len() <= level {
            let next = match self.level(chains.levels.len()) {
                Level::Machine(known) => AnyChain::Machine(self.link(&known.weights, &chains.sums)),
                Level::Wide(known) => AnyChain::Wide(self.link(&known.weights, &chains.sums)),
            };
            chains.levels.push(next);
        }
        &chains.levels[level]
    }

    /// One pass over the columns.
    fn link<T: Positive>(&self, weights: &Weights<T>, sums: &[i64]) -> Chain<T> {
        let ends = self.columns.len() - 1;
        let mut prefixes: Vec<Message<T>> = Vec::with_capacity(ends);
        for (cells, sum) in self.columns[..ends].iter().zip(sums) {
            let next = match prefixes.last() {
                Some(before) => weights.after(before, *cells, *sum),
                None => weights.column(*cells, *sum),
            };
            prefixes.push(next);
        }
        let last = weights.column(self.columns[ends], sums[ends]);
        let before = prefixes.last().cloned().unwrap_or_else(|| Message::point(0));
        let (_, terms) = products(&last, &before, 0);
        let whole = Approximate {
            value: terms.iter().fold(T::zero(), |sum, term| sum.plus(term)),
            roundings: last.roundings + before.roundings + 1 + terms.len() as u64,
            missing: product_missing(&last, &before),
            scale: last.scale + before.scale,
        };
        Chain { prefixes, last, whole: Approximate { missing: rounded_up(&whole.missing), ..whole } }
    }
}

#[cfg(test)]
mod tests;

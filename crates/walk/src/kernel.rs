//! `Kernel`: one Markov step that leaves a law on a fibre as it is, its coupling, and its exact
//! transition rows for tests.

use exact::Entropy;

/// What the kinds of moves of a kernel are called.
pub type Kinds = &'static [&'static str];

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Which of the kernel's kinds of moves it was.
    pub kind: usize,
    /// Whether the proposal was accepted.
    pub accepted: bool,
}

/// One Markov step on the tables of a fibre.
pub trait Kernel: Sync {
    /// A table, with what the kernel keeps up to date about it.
    type State: Clone + Send + Sync;

    /// What its kinds of moves are called.
    fn kinds(&self) -> Kinds;

    /// The state with these values of the block's cells.
    fn start(&self, values: Vec<i64>) -> Self::State;

    /// The values of a state.
    fn values<'s>(&self, state: &'s Self::State) -> &'s [i64];

    /// Minus the logarithm of the weight, for reading.
    fn energy(&self, state: &Self::State) -> f64;

    /// Makes one step.
    fn step<E: Entropy>(&self, state: &mut Self::State, entropy: &mut E) -> Moved;

    /// Makes one step of two chains: each by itself moves as by [`Kernel::step`], and equal chains
    /// stay equal.
    fn couple<E: Entropy>(&self, one: &mut Self::State, two: &mut Self::State, entropy: &mut E);

    /// The probabilities of one step from a table to each of `states`, which must be all tables of
    /// a finite fibre: computed from the law and the proposals, not by the code that draws.
    fn row(&self, from: &[i64], states: &[Vec<i64>]) -> Vec<f64>;
}

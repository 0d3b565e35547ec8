//! The hierarchy walk of Liu (Algorithm 1, M_MH): all leaves proposed around the present ones,
//! summed upward.
//!
//! ```text
//! propose every leaf moved by an independent double geometric step
//! sum     upward to every node that carries noise; a bound or a rule broken: stay
//! accept  with probability min(1, product of the nodes' weights, proposed over present)
//! ```
//!
//! Steps are as likely as their opposites, so the proposal cancels. Every table can be proposed
//! from every other.

use super::kernel::{Kernel, Kinds, Moved};
use super::lattice_kernel::Proposal;
use super::rows::{double_geometric, with_rest};
use super::space::{Space, State, Tracked, within};
use super::target::Target;
use exact::lazy::Shared;
use exact::{Entropy, Rational};

/// Everything about a hierarchy walk that does not depend on the table.
#[derive(Debug)]
pub struct HierarchyMoves {
    pub(super) space: Space,
    rates: Vec<Rational>,
    rate: Rational,
    steps: Proposal,
}

impl HierarchyMoves {
    pub(super) fn new(space: Space, rates: Vec<Rational>, rate: Rational) -> HierarchyMoves {
        HierarchyMoves { space, rates, steps: Proposal::new(rate.clone()), rate }
    }

    /// The rate of the steps of leaves.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// The walk around the leaves of the block (values in the order of its cells), with noisy sums
    /// around `sums[query][group]`.
    pub fn kernel(&self, centre: Vec<i64>, sums: &[Vec<i64>]) -> HierarchyKernel<'_> {
        HierarchyKernel { moves: self, target: Target::new(&self.space, None, &self.rates, centre, sums) }
    }
}

/// The hierarchy walk around a centre.
#[derive(Debug)]
pub struct HierarchyKernel<'a> {
    moves: &'a HierarchyMoves,
    target: Target,
}

impl HierarchyKernel<'_> {
    /// By how much every noisy sum is off, with its query.
    pub(super) fn errors<'s>(&'s self, state: &'s State) -> impl Iterator<Item = (usize, i64)> + 's {
        let noisy = |(row, tracked): (usize, &Tracked)| match tracked {
            Tracked::Noisy { query, .. } => {
                Some((*query as usize, (state.sums[row] - self.target.row_centres[row]).abs()))
            }
            _ => None,
        };
        self.moves.space.rows.iter().enumerate().filter_map(noisy)
    }

    /// Moves every leaf by its step, if bounds allow it and the shared number accepts it.
    fn metropolis<E: Entropy>(
        &self,
        state: &mut State,
        steps: impl Iterator<Item = i64>,
        uniform: &mut Shared,
        entropy: &mut E,
    ) -> bool {
        let space = &self.moves.space;
        let values: Vec<i64> = state.values.iter().zip(steps).map(|(value, step)| value + step).collect();
        if !values.iter().zip(&space.bounds).all(|(value, bounds)| within(*value, *bounds)) {
            return false;
        }
        let proposed = self.start(values);
        if !space.keeps(&proposed.sums) {
            return false;
        }
        let mut units = vec![0i128; self.target.rates.len()];
        for ((query, before), (_, after)) in self.errors(state).zip(self.errors(&proposed)) {
            units[1 + query] += i128::from(after - before);
        }
        let accepted = self.target.accepts(&self.target.measured(units, 0, None), uniform, entropy);
        if accepted {
            *state = proposed;
        }
        accepted
    }
}

impl Kernel for HierarchyKernel<'_> {
    type State = State;

    fn kinds(&self) -> Kinds {
        &["all leaves at once"]
    }

    fn start(&self, values: Vec<i64>) -> State {
        self.target.state(&self.moves.space, values)
    }

    fn values<'s>(&self, state: &'s State) -> &'s [i64] {
        &state.values
    }

    fn energy(&self, state: &State) -> f64 {
        self.target.energy(&self.moves.space, state)
    }

    fn step<E: Entropy>(&self, state: &mut State, entropy: &mut E) -> Moved {
        let steps: Vec<i64> = state.values.iter().map(|_| self.moves.steps.draw(entropy)).collect();
        let accepted = self.metropolis(state, steps.into_iter(), &mut Shared::new(), entropy);
        Moved { kind: 0, accepted }
    }

    /// Every leaf of the second chain is proposed, with the largest possible probability, where
    /// that of the first is; one number decides for both.
    fn couple<E: Entropy>(&self, one: &mut State, two: &mut State, entropy: &mut E) {
        let leaves = one.values.iter().zip(&two.values);
        let steps: Vec<(i64, i64)> = leaves.map(|(one, two)| self.moves.steps.coupled(one - two, entropy)).collect();
        let mut uniform = Shared::new();
        self.metropolis(one, steps.iter().map(|(step, _)| *step), &mut uniform, entropy);
        self.metropolis(two, steps.iter().map(|(_, step)| *step), &mut uniform, entropy);
    }

    fn row(&self, from: &[i64], states: &[Vec<i64>]) -> Vec<f64> {
        let parameter = (-self.moves.rate.to_f64()).exp();
        let energy = |values: &[i64]| self.energy(&self.start(values.to_vec()));
        let here = energy(from);
        let moved = |to: &Vec<i64>| {
            let steps = to.iter().zip(from).map(|(to, from)| double_geometric(parameter, to - from));
            if to == from { 0.0 } else { steps.product::<f64>() * (here - energy(to)).exp().min(1.0) }
        };
        with_rest(states.iter().map(moved).collect(), from, states)
    }
}

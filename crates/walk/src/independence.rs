//! The independence walk of Gong and Meng (Algorithm 1): all free cells proposed at once around the
//! table, the rest solved for.
//!
//! ```text
//! propose ỹ_I = x_I + independent double geometrics with parameter ε̃
//! solve   A ỹ = a for the other cells; no table of integers, or a bound broken: stay
//! accept  with probability min(1, p(ỹ) q(y) / (p(y) q(ỹ)))
//! ```
//!
//! `p(y) ∝ e^{−ε‖y − x‖₁}` and `q(y) ∝ e^{−ε̃‖y_I − x_I‖₁}`, so the ratio is e to whole units of ε
//! and ε̃: it is decided exactly. A table is proposed whatever the present one is, with positive
//! probability: the walk reaches every table.

use super::complete::Completion;
use super::kernel::{Kernel, Kinds, Moved};
use super::rows::{double_geometric, with_rest};
use super::space::{Space, within};
use super::target::Target;
use draw::NoiseLaw;
use exact::lazy::Shared;
use exact::{Entropy, Geometric, Rational};

/// Everything about an independence walk that does not depend on the table.
#[derive(Debug)]
pub struct IndependenceMoves {
    space: Space,
    completion: Completion,
    law: NoiseLaw,
    rate: Rational,
    units: Geometric,
}

impl IndependenceMoves {
    pub(super) fn new(space: Space, completion: Completion, epsilon: Rational, rate: Rational) -> IndependenceMoves {
        let units = Geometric::new(rate.clone());
        let law = NoiseLaw::double_geometric(epsilon);
        IndependenceMoves { space, completion, law, rate, units }
    }

    /// ε̃.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// The walk around a table of the block (values in the order of its cells).
    pub fn kernel(&self, centre: Vec<i64>) -> IndependenceKernel<'_> {
        // No sums carry noise: ε̃ takes the place of a query's rate.
        let target = Target::new(&self.space, Some(&self.law), std::slice::from_ref(&self.rate), centre, &[]);
        IndependenceKernel { moves: self, target }
    }
}

/// The independence walk around a centre.
#[derive(Debug)]
pub struct IndependenceKernel<'a> {
    moves: &'a IndependenceMoves,
    target: Target,
}

/// A table, and how far it and its free cells are from the centre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    values: Vec<i64>,
    /// `‖y − x‖₁` and `‖y_I − x_I‖₁`.
    distance: i128,
    free_distance: i128,
}

impl IndependenceKernel<'_> {
    /// A proposed table, if the other cells are whole and it keeps every bound and rule.
    fn propose<E: Entropy>(&self, entropy: &mut E) -> Option<Offered> {
        let free: Vec<i64> = self.moves.completion.free.iter().map(|_| self.moves.units.draw_double(entropy)).collect();
        let centre = &self.target.centre;
        let mut values = self.moves.completion.complete(centre.len(), &free)?;
        for ((value, centre), bounds) in values.iter_mut().zip(centre).zip(&self.moves.space.bounds) {
            *value = value.checked_add(*centre).filter(|value| within(*value, *bounds))?;
        }
        self.moves.space.keeps_rules(&values).then(|| self.start(values))
    }

    /// Replaces the present table by the proposed one, if the shared number accepts it.
    fn replace<E: Entropy>(
        &self,
        present: &mut Offered,
        proposed: &Offered,
        uniform: &mut Shared,
        entropy: &mut E,
    ) -> bool {
        let further = proposed.distance - present.distance;
        let free_further = proposed.free_distance - present.free_distance;
        let change = self.target.measured(vec![further, -free_further, 0], 0, None);
        let accepted = self.target.accepts(&change, uniform, entropy);
        if accepted {
            present.clone_from(proposed);
        }
        accepted
    }
}

impl Kernel for IndependenceKernel<'_> {
    type State = Offered;

    fn kinds(&self) -> Kinds {
        &["all free cells at once"]
    }

    fn start(&self, values: Vec<i64>) -> Offered {
        let far = |place: usize| i128::from((values[place] - self.target.centre[place]).abs());
        let distance = (0..values.len()).map(far).sum();
        let free_distance = self.moves.completion.free.iter().map(|place| far(*place as usize)).sum();
        Offered { values, distance, free_distance }
    }

    fn values<'s>(&self, state: &'s Offered) -> &'s [i64] {
        &state.values
    }

    fn energy(&self, state: &Offered) -> f64 {
        self.target.quick[0] * state.distance as f64
    }

    fn step<E: Entropy>(&self, state: &mut Offered, entropy: &mut E) -> Moved {
        let accepted = match self.propose(entropy) {
            Some(proposed) => self.replace(state, &proposed, &mut Shared::new(), entropy),
            None => false,
        };
        Moved { kind: 0, accepted }
    }

    /// The proposal does not depend on the chains: both are offered the same table, and one number
    /// decides for both.
    fn couple<E: Entropy>(&self, one: &mut Offered, two: &mut Offered, entropy: &mut E) {
        if let Some(proposed) = self.propose(entropy) {
            let mut uniform = Shared::new();
            self.replace(one, &proposed, &mut uniform, entropy);
            self.replace(two, &proposed, &mut uniform, entropy);
        }
    }

    fn row(&self, from: &[i64], states: &[Vec<i64>]) -> Vec<f64> {
        let parameter = (-self.moves.rate.to_f64()).exp();
        let offset = |values: &[i64], place: usize| values[place] - self.target.centre[place];
        let proposed = |values: &[i64]| -> f64 {
            let free = &self.moves.completion.free;
            free.iter().map(|place| double_geometric(parameter, offset(values, *place as usize))).product()
        };
        let weight = |values: &[i64]| {
            let energy = |place| self.moves.law.energy(offset(values, place)).to_f64();
            (-(0..values.len()).map(energy).sum::<f64>()).exp()
        };
        let here = weight(from) / proposed(from);
        let moved = |to: &Vec<i64>| match to == from {
            true => 0.0,
            false => proposed(to) * (weight(to) / proposed(to) / here).min(1.0),
        };
        with_rest(states.iter().map(moved).collect(), from, states)
    }
}

//! The lattice walk: steps along short vectors, now and then along all at once, and whole lines by
//! messages.
//!
//! Every step first chooses, by fair bits, what kind of move to make, then which one; each move
//! leaves the law as it is and is reversible, so the step is too. A move along one basis vector
//! proposes a double geometric number of units and is accepted by Metropolis' rule. A *full* move
//! proposes independent double geometric units of **all** basis vectors at once: every table of the
//! fibre can be proposed from every other, but hardly ever is. Where the tables within bounds are
//! the flows of a graph a step may go round a cycle of it: these join all tables by single units. A
//! line is redrawn exactly, or, where the law is a norm, by laws that stand in for it. Proof:
//! `proofs/walks.md`.

use super::coordinates::coordinates;
use super::kernel::{Kernel, Kinds, Moved};
use super::line::{Line, NodeWeights, Present, Tree, kept, redraw, redraw_both};
use super::score::Score;
use super::space::{Space, State, Step, added_up};
use super::stand_in::StandIn;
use super::target::{OnCells, Target};
use super::whole::Whole;
use analyse::{Circulation, Cycle, Family};
use exact::lazy::Shared;
use exact::{Entropy, Geometric, Powers, Rational, integer};
use std::sync::OnceLock;

/// Everything about a lattice walk that does not depend on the table: kernels around centres borrow
/// it.
#[derive(Debug)]
pub struct WalkMoves {
    pub(crate) space: Space,
    pub(crate) basis: Vec<Step>,
    /// Which of `proposals` each basis vector uses.
    proposal: Vec<u32>,
    proposals: Vec<Proposal>,
    full: Geometric,
    full_rate: Rational,
    pub(crate) lines: Vec<Line>,
    /// Families of totals for whole-table proposals; none: there are no such moves.
    pub(crate) families: Vec<Family>,
    /// What stands in for a norm when lines are redrawn, in fine units.
    precisions: Vec<i64>,
    /// The units of every basis vector as sums over cells, where they are known.
    coordinates: Option<Vec<Vec<(u32, i64)>>>,
    /// The graph whose cycles join all tables within bounds, where it is one.
    pub(crate) circuits: Option<Circuits>,
    /// Out of 65,536 steps so many are full moves, so many redraw lines, and so many go round
    /// cycles.
    full_chance: u64,
    line_chance: u64,
    circuit_chance: u64,
    /// The seconds that redrawing a line and proposing a whole table take, about.
    line_seconds: f64,
    whole_seconds: f64,
}

/// Cycles of a graph, chosen by bits alone, and the units that go round them.
#[derive(Debug)]
pub(crate) struct Circuits {
    graph: Circulation,
    proposal: Proposal,
    /// All cycles with their probabilities, once a transition row asks for them.
    listed: OnceLock<Vec<(Cycle, f64)>>,
}

impl Circuits {
    fn choose<E: Entropy>(&self, space: &Space, entropy: &mut E) -> Option<Step> {
        let cycle = self.graph.cycle(&mut |ways| integer::below(entropy, ways as u64) as usize)?;
        Some(space.step(&cycle))
    }

    /// All cycles with their probabilities, and the parameter `a` of their units.
    pub(crate) fn law(&self) -> (&[(Cycle, f64)], f64) {
        let listed = self.listed.get_or_init(|| self.graph.cycles());
        (listed, (-self.proposal.powers.rate().to_f64()).exp())
    }
}

/// The units that a move along a vector proposes.
#[derive(Debug)]
pub(super) struct Proposal {
    units: Geometric,
    powers: Powers,
}

/// All chances of a step are out of so many.
const CHANCES: u64 = 1 << 16;

/// A kind of move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Full,
    Line,
    Vector,
    Whole,
    Circuit,
}

const KINDS: Kinds = &["all vectors at once", "lines redrawn", "single vectors", "whole tables", "cycles"];

/// Gaps of coordinates beyond this are not closed in one step.
const FARTHEST_GAP: i64 = 1 << 40;

/// Where whole tables can be proposed, one step in so many does.
pub(super) const WHOLE_STEPS: u64 = 16;

/// In so few dimensions single vectors soon meet under a norm, and cost a thousandth of a line
/// whose weights are not kept.
const FEW_DIMENSIONS: usize = 12;

impl WalkMoves {
    /// `rates` are those of the proposals along each basis vector.
    pub(crate) fn new(
        space: Space,
        basis: &[Vec<(u32, i64)>],
        rates: Vec<Rational>,
        (lines, families, precisions): (Vec<Line>, Vec<Family>, Vec<i64>),
        (line_seconds, whole_seconds): (f64, f64),
    ) -> WalkMoves {
        let mut known: Vec<Rational> = Vec::new();
        let mut proposal = Vec::with_capacity(rates.len());
        for rate in rates {
            let index = known.iter().position(|known| *known == rate).unwrap_or_else(|| {
                known.push(rate.clone());
                known.len() - 1
            });
            proposal.push(index as u32);
        }
        let proposals = known.into_iter().map(Proposal::new).collect();
        let coordinates = coordinates(space.bounds.len(), basis);
        let basis: Vec<Step> = basis.iter().map(|vector| space.step(vector)).collect();
        // About two vectors take part in a full move.
        let size = basis.len().max(2) as f64;
        let full_rate = Rational::new((size.ln() * 16.0).ceil().max(8.0) as u64, 16u8);
        let full_chance = CHANCES / (16 * (basis.len() as u64 / 256).max(1)).min(CHANCES);
        let by_stand_ins = !precisions.is_empty() && lines.iter().any(|line| !line.free);
        // Lines that leave directions to single vectors leave them half of the steps.
        let lined: usize = lines.iter().map(|line| line.columns.len() - 1).sum();
        let line_chance = match (CHANCES - full_chance) / 8 {
            _ if lines.is_empty() => 0,
            eighth if by_stand_ins && basis.len() <= FEW_DIMENSIONS => eighth,
            eighth if lined < basis.len() => 4 * eighth,
            eighth => 7 * eighth,
        };
        WalkMoves {
            full: Geometric::new(full_rate.clone()),
            full_rate,
            space,
            basis,
            proposal,
            proposals,
            lines,
            families,
            precisions,
            coordinates,
            circuits: None,
            full_chance,
            line_chance,
            circuit_chance: 0,
            line_seconds,
            whole_seconds,
        }
    }

    /// These moves, and half as many single vectors: the other half of their steps goes round
    /// cycles of a graph.
    pub(crate) fn with_circuits(mut self, graph: Circulation) -> WalkMoves {
        let mut rates: Vec<&Rational> =
            self.proposal.iter().map(|index| self.proposals[*index as usize].powers.rate()).collect();
        rates.sort_unstable();
        if let Some(rate) = rates.get(rates.len() / 2) {
            let proposal = Proposal::new((*rate).clone());
            self.circuits = Some(Circuits { graph, proposal, listed: OnceLock::new() });
            self.circuit_chance = (CHANCES - self.full_chance - self.line_chance) / 2;
        }
        self
    }

    fn kind<E: Entropy>(&self, entropy: &mut E) -> Kind {
        match entropy.bits(16) {
            chance if chance < self.full_chance => Kind::Full,
            chance if chance < self.full_chance + self.line_chance => Kind::Line,
            chance if chance < self.full_chance + self.line_chance + self.circuit_chance => Kind::Circuit,
            _ => Kind::Vector,
        }
    }

    fn proposal_of(&self, vector: usize) -> &Proposal {
        &self.proposals[self.proposal[vector] as usize]
    }

    /// The units of every vector that a full move proposes, together one direction.
    fn full_move<E: Entropy>(&self, entropy: &mut E) -> Step {
        let mut cells: Vec<(u32, i64)> = Vec::new();
        for vector in &self.basis {
            let units = self.full.draw_double(entropy);
            if units != 0 {
                cells.extend(vector.cells.iter().map(|(place, times)| (*place, units * times)));
            }
        }
        self.space.step(&added_up(cells))
    }
}

/// The lattice walk around a centre.
#[derive(Debug)]
pub struct LatticeKernel<'a> {
    pub(crate) moves: &'a WalkMoves,
    pub(crate) target: Target,
    pub(crate) whole: Option<Whole>,
    /// What stands in for the law when lines are redrawn; nothing where it is a product over cells.
    pub(crate) stand_ins: Vec<StandIn>,
    /// The weights of every free line under every law that redraws it.
    kept: Vec<OnceLock<NodeWeights>>,
}

impl<'a> LatticeKernel<'a> {
    pub(crate) fn new(moves: &'a WalkMoves, target: Target) -> LatticeKernel<'a> {
        let whole = if moves.families.is_empty() { None } else { Whole::new(&moves.space, &target, &moves.families) };
        let norm = matches!(target.cells, OnCells::Norm);
        let precisions = if norm { moves.precisions.as_slice() } else { &[] };
        let stand_ins: Vec<StandIn> = precisions.iter().map(|precision| StandIn::new(&target, *precision)).collect();
        let kept = (0..moves.lines.len() * stand_ins.len().max(1)).map(|_| OnceLock::new()).collect();
        LatticeKernel { moves, target, whole, stand_ins, kept }
    }

    fn kind<E: Entropy>(&self, entropy: &mut E) -> Kind {
        if self.whole.is_some() && integer::below(entropy, WHOLE_STEPS) == 0 {
            return Kind::Whole;
        }
        self.moves.kind(entropy)
    }

    /// Replaces the present table by a proposed one, if the shared number accepts it.
    fn replace<E: Entropy>(
        &self,
        whole: &Whole,
        state: &mut State,
        (values, score): &(Vec<i64>, Score),
        uniform: &mut Shared,
        entropy: &mut E,
    ) -> bool {
        let space = &self.moves.space;
        // A table that is never proposed weighs infinitely more than its proposal: it is kept.
        let Some(present) = whole.score(space, &self.target, &state.values) else { return false };
        let accepted = whole.accepts(space, &self.target, (values, score), (&state.values, &present), uniform, entropy);
        if accepted {
            *state = self.start(values.clone());
        }
        accepted
    }

    /// The logarithm of a table's weight over the probability of proposing it, for reading.
    pub(super) fn log_score(&self, whole: &Whole, values: &[i64]) -> Option<f64> {
        whole.score(&self.moves.space, &self.target, values).map(|score| score.logarithm(&self.target))
    }

    /// A proposed whole table, if its last cells complete their totals and it keeps every rule.
    pub(super) fn proposed<E: Entropy>(
        &self,
        whole: &Whole,
        state: &State,
        entropy: &mut E,
    ) -> Option<(Vec<i64>, Score)> {
        let space = &self.moves.space;
        let proposed = whole.propose(space, &self.target, state, entropy)?;
        space.keeps_rules(&proposed.0).then_some(proposed)
    }

    /// Metropolis' rule with a shared uniform number.
    #[inline]
    pub(super) fn metropolis<E: Entropy>(
        &self,
        state: &mut State,
        step: &Step,
        units: i64,
        uniform: &mut Shared,
        entropy: &mut E,
    ) -> bool {
        if units == 0 {
            return true;
        }
        if !self.moves.space.allows(state, step, units) {
            return false;
        }
        let change = self.target.change(&self.moves.space, state, step, units);
        let accepted = self.target.accepts(&change, uniform, entropy);
        if accepted {
            self.target.apply(state, step, units);
        }
        accepted
    }

    /// By how many units of a vector the second chain must go further, to come where the first
    /// goes: in the coordinate of this vector, or in one of its cells where coordinates are not
    /// known.
    fn gap<E: Entropy>(&self, one: &State, two: &State, vector: usize, entropy: &mut E) -> i64 {
        let apart = |place: &u32| one.values[*place as usize] - two.values[*place as usize];
        if let Some(coordinates) = &self.moves.coordinates {
            let gap: i128 =
                coordinates[vector].iter().map(|(place, times)| i128::from(*times) * i128::from(apart(place))).sum();
            // Chains that are so far apart come nearer by other steps first.
            return i64::try_from(gap).ok().filter(|gap| gap.abs() < FARTHEST_GAP).unwrap_or(0);
        }
        self.gap_in_a_cell(one, two, &self.moves.basis[vector].cells, entropy)
    }

    /// How far apart two tables are in one cell of a direction, chosen by bits.
    fn gap_in_a_cell<E: Entropy>(&self, one: &State, two: &State, cells: &[(u32, i64)], entropy: &mut E) -> i64 {
        let (place, times) = &cells[integer::below(entropy, cells.len() as u64) as usize];
        let gap = one.values[*place as usize] - two.values[*place as usize];
        if gap % times == 0 { gap / times } else { 0 }
    }

    /// Which line to redraw, and which of the stand-ins redraws it.
    fn choose<E: Entropy>(&self, entropy: &mut E) -> Redraw<'_> {
        let line = integer::below(entropy, self.moves.lines.len() as u64) as usize;
        let law = match self.stand_ins.len() as u64 {
            0 => 0,
            laws => integer::below(entropy, laws) as usize,
        };
        let kept = &self.kept[line * self.stand_ins.len().max(1) + law];
        Redraw { line: &self.moves.lines[line], stand_in: self.stand_ins.get(law), kept }
    }

    fn present<'b>(&'b self, redraw: &Redraw<'b>, state: &State) -> Present<'b> {
        let target = redraw.stand_in.map_or(&self.target, |stand_in| &stand_in.target);
        Present::new(&self.moves.space, target, redraw.line, state)
    }

    /// Moves the columns of a line, if what stood in for the law does not object.
    fn apply<E: Entropy>(
        &self,
        state: &mut State,
        redraw: &Redraw<'_>,
        units: &[i64],
        uniform: &mut Shared,
        entropy: &mut E,
    ) -> bool {
        let moved = |state: &mut State| {
            redraw.line.columns.iter().zip(units).for_each(|(column, units)| self.target.apply(state, column, *units));
        };
        let Some(stand_in) = redraw.stand_in else {
            moved(state);
            return true;
        };
        let mut proposed = state.clone();
        moved(&mut proposed);
        let change = stand_in.change(&self.target, state.squares, proposed.squares);
        let accepted = self.target.accepts(&change, uniform, entropy);
        if accepted {
            *state = proposed;
        }
        accepted
    }
}

/// A line, the law that redraws it, and its weights where they are the same around every table.
struct Redraw<'a> {
    line: &'a Line,
    /// `None`: the law itself.
    stand_in: Option<&'a StandIn>,
    kept: &'a OnceLock<NodeWeights>,
}

impl<'a> Redraw<'a> {
    fn kept(&self, present: &Present<'_>) -> Option<&'a NodeWeights> {
        self.line.free.then(|| self.kept.get_or_init(|| kept(present)))
    }
}

impl Kernel for LatticeKernel<'_> {
    type State = State;

    fn kinds(&self) -> Kinds {
        KINDS
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
        let kind = self.kind(entropy);
        let mut uniform = Shared::new();
        let accepted = match kind {
            Kind::Full => {
                let step = self.moves.full_move(entropy);
                self.metropolis(state, &step, 1, &mut uniform, entropy)
            }
            Kind::Vector => {
                let index = integer::below(entropy, self.moves.basis.len() as u64) as usize;
                let units = self.moves.proposal_of(index).draw(entropy);
                self.metropolis(state, &self.moves.basis[index], units, &mut uniform, entropy)
            }
            Kind::Line => {
                let chosen = self.choose(entropy);
                let present = self.present(&chosen, state);
                let tree = Tree::plain(chosen.line.columns.len());
                let units = redraw(&present, &tree, chosen.kept(&present), entropy);
                self.apply(state, &chosen, &units, &mut uniform, entropy)
            }
            Kind::Whole => self.whole.as_ref().is_some_and(|whole| {
                let proposed = self.proposed(whole, state, entropy);
                proposed.is_some_and(|proposed| self.replace(whole, state, &proposed, &mut uniform, entropy))
            }),
            Kind::Circuit => self.moves.circuits.as_ref().is_some_and(|circuits| {
                circuits.choose(&self.moves.space, entropy).is_some_and(|step| {
                    let units = circuits.proposal.draw(entropy);
                    self.metropolis(state, &step, units, &mut uniform, entropy)
                })
            }),
        };
        Moved { kind: kind as usize, accepted }
    }

    fn couple<E: Entropy>(&self, one: &mut State, two: &mut State, entropy: &mut E) {
        let kind = self.kind(entropy);
        let mut uniform = Shared::new();
        match kind {
            // The same proposal and the same number: the chains keep their difference or one of
            // them moves.
            Kind::Full => {
                let step = self.moves.full_move(entropy);
                self.metropolis(one, &step, 1, &mut uniform, entropy);
                self.metropolis(two, &step, 1, &mut uniform, entropy);
            }
            Kind::Vector => {
                let index = integer::below(entropy, self.moves.basis.len() as u64) as usize;
                let vector = &self.moves.basis[index];
                let gap = self.gap(one, two, index, entropy);
                let (first, second) = self.moves.proposal_of(index).coupled(gap, entropy);
                self.metropolis(one, vector, first, &mut uniform, entropy);
                self.metropolis(two, vector, second, &mut uniform, entropy);
            }
            Kind::Line => {
                let chosen = self.choose(entropy);
                let (ahead, behind) = (self.present(&chosen, one), self.present(&chosen, two));
                let (first, second) = redraw_both(&ahead, &behind, chosen.kept(&ahead), entropy);
                self.apply(one, &chosen, &first, &mut uniform, entropy);
                self.apply(two, &chosen, &second, &mut uniform, entropy);
            }
            // The same cycle; units that bring one of its cells, chosen by shared bits, to the same
            // value as often as possible.
            Kind::Circuit => {
                if let Some(circuits) = &self.moves.circuits
                    && let Some(step) = circuits.choose(&self.moves.space, entropy)
                {
                    let gap = self.gap_in_a_cell(one, two, &step.cells, entropy);
                    let (first, second) = circuits.proposal.coupled(gap, entropy);
                    self.metropolis(one, &step, first, &mut uniform, entropy);
                    self.metropolis(two, &step, second, &mut uniform, entropy);
                }
            }
            // The proposal does not depend on the chains: both are offered the same table.
            Kind::Whole => {
                if let Some(whole) = &self.whole
                    && let Some(proposed) = self.proposed(whole, one, entropy)
                {
                    let alike = one.values == two.values;
                    self.replace(whole, one, &proposed, &mut uniform, entropy);
                    if alike {
                        *two = one.clone();
                    } else {
                        self.replace(whole, two, &proposed, &mut uniform, entropy);
                    }
                }
            }
        }
    }

    fn row(&self, from: &[i64], states: &[Vec<i64>]) -> Vec<f64> {
        super::rows::lattice(self, from, states)
    }
}

impl Proposal {
    pub(super) fn new(rate: Rational) -> Proposal {
        Proposal { units: Geometric::new(rate.clone()), powers: Powers::new(rate, 4) }
    }

    /// One draw.
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        self.units.draw_double(entropy)
    }

    /// Two draws, each double geometric, with the largest possible probability that the second is
    /// `gap` above the first.
    pub(super) fn coupled<E: Entropy>(&self, gap: i64, entropy: &mut E) -> (i64, i64) {
        let first = self.units.draw_double(entropy);
        if gap == 0 {
            return (first, first);
        }
        if self.coin(first + gap, first, entropy) {
            return (first, first + gap);
        }
        loop {
            let second = self.units.draw_double(entropy);
            if !self.coin(second - gap, second, entropy) {
                return (first, second);
            }
        }
    }

    /// True with probability `min(1, P(to) / P(from))`.
    fn coin<E: Entropy>(&self, to: i64, from: i64, entropy: &mut E) -> bool {
        let further = to.unsigned_abs().saturating_sub(from.unsigned_abs());
        self.powers.coin(entropy, further)
    }
}

/// What the chances of moves are, for exact rows of the kernel.
impl WalkMoves {
    /// The chances of full moves, lines, single vectors and cycles, where no whole table is
    /// proposed.
    pub(crate) fn chances(&self) -> [f64; 4] {
        let chance = |part: u64| part as f64 / CHANCES as f64;
        let rest = CHANCES - self.full_chance - self.line_chance - self.circuit_chance;
        [chance(self.full_chance), chance(self.line_chance), chance(rest), chance(self.circuit_chance)]
    }

    /// The seconds of a step, about: machine numbers added per line, and a little for every vector.
    pub(crate) fn step_seconds(&self) -> f64 {
        let [full, line, vector, circuit] = self.chances();
        let whole = if self.families.is_empty() { 0.0 } else { self.whole_seconds };
        let nodes = self.circuits.as_ref().map_or(0, |circuits| circuits.graph.nodes()) as f64;
        full * 20e-9 * self.basis.len() as f64
            + line * self.line_seconds
            + vector * 150e-9
            + circuit * (300e-9 + 2e-9 * nodes)
            + whole / WHOLE_STEPS as f64
    }

    /// The parameter `a` of the units of a full move.
    pub(crate) fn full_parameter(&self) -> f64 {
        (-self.full_rate.to_f64()).exp()
    }

    /// The parameter `a` of the units of a move along a basis vector.
    pub(crate) fn parameter(&self, vector: usize) -> f64 {
        (-self.proposal_of(vector).powers.rate().to_f64()).exp()
    }
}

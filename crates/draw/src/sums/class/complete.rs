//! Splits a sum among the cells of a class: small classes cell by cell, large ones by free draws
//! and a completion.
//!
//! Most cells of a large class are drawn from their own laws. What is left of the sum must come
//! from a group of m cells; the attempt is accepted with probability W(rest)/bound, W the weight of
//! the sum of the group. With m cells of n in the group about √(n/m) attempts are needed. Where
//! more cells than that are far from their bounds these make up the sum: `shared.rs`.

use super::bound::Bound;
use super::chain::Chain;
use super::free::FreeCells;
use super::shape::{Cell, CellShape, Centre, Tilted};
use super::shared::Shared;
use super::tilt::Rough;
use crate::sums::Ladder;
use exact::attention::look;
use exact::{Entropy, bernoulli_exp, choose};

/// The most cells whose messages are kept.
const MOST_CHAINED: usize = 512;
/// About how many weights the messages of a chain may have.
const MOST_WEIGHTS: f64 = 2e6;
/// The width of a message in standard deviations of the sum.
const WIDTH: f64 = 24.0;

/// How a class is split at one tilt.
#[derive(Debug)]
pub(super) struct Splitter {
    modes: Vec<i64>,
    method: Method,
}

#[derive(Debug)]
enum Method {
    Chain(Chain),
    Completion {
        free: Box<FreeCells>,
        /// The cells that are drawn freely.
        free_cells: Vec<u32>,
        /// The cells of the completion.
        group: Vec<u32>,
        completion: Box<Completion>,
    },
    /// Cells far from their bounds share one sum.
    Shared(Box<Shared>),
}

/// The law of the sum of the group.
#[derive(Debug)]
enum Completion {
    /// One cell: its own law, without any table, however wide it is.
    One(Tilted, CellShape),
    Chain(Chain, Bound),
}

impl Completion {
    fn accepts<E: Entropy>(&self, entropy: &mut E, rest: i64) -> bool {
        match self {
            Completion::One(tilted, shape) => {
                tilted.exponent(shape, rest).is_some_and(|exponent| bernoulli_exp(entropy, &exponent))
            }
            Completion::Chain(chain, bound) => {
                choose(entropy, |level, uniform| chain.coin(level, rest, bound, uniform)) == 0
            }
        }
    }
}

impl Splitter {
    pub(super) fn new(tilted: Tilted, centres: &[Centre], ladder: Ladder) -> Self {
        let cells: Vec<Cell> = centres.iter().map(|centre| tilted.cell(*centre)).collect();
        let most = most_chained(&tilted, &cells);
        look();
        // Upward numbers alone vary half as much as whole cells.
        if cells.len() > most
            && let Some(shared) = Shared::new(&tilted, &cells, centres, 2 * most)
        {
            return Splitter::shared(&cells, shared);
        }
        Self::with_group(tilted, centres, ladder, most)
    }

    /// Cells far from their bounds share one sum.
    pub(super) fn shared(cells: &[Cell], shared: Shared) -> Self {
        Splitter { modes: cells.iter().map(|cell| cell.mode).collect(), method: Method::Shared(Box::new(shared)) }
    }

    /// At most so many cells are drawn one by one.
    pub(super) fn with_group(tilted: Tilted, centres: &[Centre], ladder: Ladder, most: usize) -> Self {
        look();
        let cells: Vec<Cell> = centres.iter().map(|centre| tilted.cell(*centre)).collect();
        let modes = cells.iter().map(|cell| cell.mode).collect();
        if cells.len() <= most {
            return Splitter { modes, method: Method::Chain(Chain::new(tilted, cells, ladder)) };
        }
        // Every n/m-th cell in the order of centres: the group is as varied as the class.
        look();
        let mut order: Vec<u32> = (0..cells.len() as u32).collect();
        order.sort_by_cached_key(|cell| (centres[*cell as usize], *cell));
        look();
        let mut chosen = vec![false; cells.len()];
        for index in 0..most {
            chosen[order[(2 * index + 1) * cells.len() / (2 * most)] as usize] = true;
        }
        let (group, free_cells): (Vec<u32>, Vec<u32>) =
            (0..cells.len() as u32).partition(|cell| chosen[*cell as usize]);
        let of = |list: &[u32]| -> Vec<Cell> { list.iter().map(|cell| cells[*cell as usize]).collect() };
        let free = Box::new(FreeCells::new(&tilted, &of(&free_cells)));
        let completion = match group.as_slice() {
            [last] if !matches!(cells[*last as usize].shape, CellShape::Weighted { .. }) => {
                Completion::One(tilted, cells[*last as usize].shape)
            }
            _ => {
                let chain = Chain::new(tilted, of(&group), ladder);
                let bound = chain.bound();
                Completion::Chain(chain, bound)
            }
        };
        Splitter { modes, method: Method::Completion { free, free_cells, group, completion: Box::new(completion) } }
    }

    /// About the bytes of the messages that it keeps.
    pub(super) fn bytes(&self) -> usize {
        match &self.method {
            Method::Chain(chain) => chain.bytes(),
            Method::Completion { completion, .. } => match &**completion {
                Completion::One(..) => 0,
                Completion::Chain(chain, _) => chain.bytes(),
            },
            Method::Shared(_) => 0,
        }
    }

    /// Draws the cells given their sum, which must be possible.
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E, sum: i64, cells: &mut [i64]) {
        while !self.attempt(entropy, sum, cells) {}
    }

    /// One attempt: whether the cells were drawn. A chain always succeeds.
    pub(super) fn attempt<E: Entropy>(&self, entropy: &mut E, sum: i64, cells: &mut [i64]) -> bool {
        let offsets = sum - self.modes.iter().sum::<i64>();
        match &self.method {
            Method::Chain(chain) => chain.draw(entropy, offsets, |cell, offset| cells[cell] = offset),
            Method::Shared(shared) => {
                if !shared.attempt(entropy, &self.modes, offsets, cells) {
                    return false;
                }
            }
            Method::Completion { free, free_cells, group, completion } => {
                let mut rest = offsets;
                for (index, cell) in free_cells.iter().enumerate() {
                    let offset = free.draw(entropy, index);
                    cells[*cell as usize] = offset;
                    rest -= offset;
                }
                if !completion.accepts(entropy, rest) {
                    return false;
                }
                match &**completion {
                    Completion::One(..) => cells[group[0] as usize] = rest,
                    Completion::Chain(chain, _) => {
                        chain.draw(entropy, rest, |cell, offset| cells[group[cell] as usize] = offset);
                    }
                }
            }
        }
        for (cell, mode) in cells.iter_mut().zip(&self.modes) {
            *cell += mode;
        }
        true
    }
}

/// How many cells like these may have their messages kept.
fn most_chained(tilted: &Tilted, cells: &[Cell]) -> usize {
    let stride = (cells.len() / 256).max(1);
    let rough = Rough::new(tilted);
    let variance = |cell: &Cell| rough.moments(tilted, &cell.shape).variance;
    let sample: Vec<f64> = cells.iter().step_by(stride).map(variance).collect();
    most_chained_with((sample.iter().sum::<f64>() / sample.len() as f64).sqrt())
}

/// How many cells with this standard deviation may have their messages kept.
pub(crate) fn most_chained_with(deviation: f64) -> usize {
    // m messages of up to WIDTH·√m standard deviations.
    (1..=MOST_CHAINED)
        .take_while(|m| (*m as f64) * (*m as f64).sqrt() * WIDTH * deviation <= MOST_WEIGHTS)
        .count()
        .max(1)
}

//! `divide`: noise on a two-way grid with every row sum and every column sum zero, exactly.
//!
//! All rows but two are drawn by themselves, each with sum zero. The last two must make up for
//! their column sums: in column j the upper holds u_j and the lower d_j − u_j. Let Z(d) be the
//! weight of all such pairs of rows. The rows drawn so far are accepted with probability
//! `Z(d)/Z(0)`, at most one because the characteristic functions of the noise are positive; then
//! the pair is drawn column by column. A position of the grid may hold no cell (a structural zero)
//! or several (a class, whose sum alone enters; it is divided among the cells at the end). Proof:
//! `proofs/divide.md`.
//!
//! ```text
//! shape.rs    which way round, and which two rows come last
//! weights.rs  weights of the sums of a few cells, at one level
//! pair.rs     the last two rows: Z and their draw
//! spectrum.rs Z(d)/Z(0) by frequencies, for wide noise
//! bounded.rs  the same for counts at or above zero
//! ```

mod bounded;
mod pair;
mod shape;
mod spectrum;
mod weights;

use crate::closed_form::ClosedForm;
use crate::law::NoiseLaw;
use crate::messages::Messages;
use crate::sampler::Sampler;
use crate::sums::Ladder;
use declare::Problem;
use exact::{Entropy, Seeded, Source};
use pair::Pair;
use shape::UprightGrid;

pub use bounded::{BoundedDivide, BoundedShape};

/// Grids that need more attempts than this are refused.
pub const MOST_ATTEMPTS: f64 = 1e5;

/// Noise that reaches farther than this many units from zero is refused: the messages would be too
/// long.
const FARTHEST: f64 = (1 << 14) as f64;

/// Two rows keep about this many weights at most.
const MOST_WEIGHTS: f64 = (1 << 23) as f64;

/// At least and at most so many proposals, with a seed of their own, estimate the number of
/// attempts.
const PROPOSALS: [f64; 2] = [256.0, 4096.0];

/// The estimate costs about this many operations, and at most so many times more where fewest
/// proposals need them.
const MOST_OPERATIONS: f64 = 5e8;
const MORE_OPERATIONS: f64 = 4.0;

/// What a proposed cell costs, in multiplications of a message.
const CELL: f64 = 100.0;

/// One attempt, and what each cell adds to it.
const ATTEMPT_SECONDS: f64 = 20e-6;
const CELL_SECONDS: f64 = 0.5e-6;

/// A grid, whatever its proposals.
const PREPARED_SECONDS: f64 = 0.3e-3;

/// What is multiplied and added for a weight of a message, or for a frequency.
const OPERATION_SECONDS: f64 = 1.5e-9;

/// Noise on a grid with every row sum and every column sum zero.
#[derive(Debug)]
pub struct Divide {
    shape: UprightGrid,
    row: OneTotal,
    pair: Pair,
    attempts: f64,
}

/// Noise on some cells with one total.
#[derive(Debug)]
pub(crate) enum OneTotal {
    DoubleGeometric(ClosedForm),
    DiscreteGaussian(Box<Messages>),
}

impl OneTotal {
    /// The noise of a law, if its sums are known.
    pub(crate) fn of(law: &NoiseLaw) -> Option<OneTotal> {
        match (law.geometric(), law.gaussian_variance()) {
            (Some(epsilon), _) => Some(OneTotal::DoubleGeometric(ClosedForm::new(epsilon))),
            (_, Some(variance)) => Some(OneTotal::DiscreteGaussian(Box::new(Messages::new(variance)))),
            _ => None,
        }
    }

    /// Draws the cells.
    pub(crate) fn draw<E: Entropy>(&self, entropy: &mut E, total: i64, cells: &mut [i64]) {
        match self {
            OneTotal::DoubleGeometric(sampler) => sampler.draw_block(entropy, total, cells),
            OneTotal::DiscreteGaussian(sampler) => sampler.draw_block(entropy, total, cells),
        }
    }
}

impl Divide {
    /// Noise on the cells of a block: `positions[row·columns + column]` lists the cells at that
    /// position, by their places in the block; every cell has one position. The ladder decides the
    /// cost, never the law.
    ///
    /// # Errors
    /// Bad when the positions are no grid; refused when the noise is not integer-valued or too
    /// wide, or when the draw would take too many attempts.
    pub fn new(columns: usize, positions: &[Vec<u32>], law: &NoiseLaw, ladder: Ladder) -> Result<Divide, Problem> {
        let row = OneTotal::of(law).ok_or_else(|| Problem::refused("`divide` draws integer noise only"))?;
        let (shape, log_attempts) = UprightGrid::best(columns, positions, law)?;
        let across = shape.rows[0].len();
        // Sums of the n cells of a position reach √n times as far as one cell.
        let largest = shape.rows.iter().flatten().map(Vec::len).max().unwrap_or(1);
        let reach = weights::reach(law, 30) as f64 * (largest as f64).sqrt();
        if reach > FARTHEST || (across as f64).powf(1.5) * reach > MOST_WEIGHTS {
            return Err(Problem::refused(format!(
                "`divide` keeps the weights of all sums of two rows, and with {across} columns and noise whose sums reach \
                 {reach:.0} units from zero there are too many"
            ))
            .hint("a larger budget makes the noise narrower"));
        }
        let pair_of = |column: usize| shape.last.map(|row| shape.rows[row][column].len() as u32);
        let pair = Pair::new((0..across).map(pair_of).collect(), law, ladder);
        let mut divide = Divide { shape, row, pair, attempts: log_attempts.exp() };
        if divide.pair.operations() > MORE_OPERATIONS * MOST_OPERATIONS / PROPOSALS[0] {
            return Err(Problem::refused(format!(
                "`divide` would take about {:.0e} multiplications for every attempt on {} × {columns} totals that cross",
                divide.pair.operations(),
                positions.len() / columns
            ))
            .hint("a larger budget makes the noise narrower"));
        }
        // The formula is good for the Gaussian and below the truth for the double geometric.
        if divide.attempts <= MOST_ATTEMPTS {
            divide.attempts = divide.estimate();
        }
        if divide.attempts > MOST_ATTEMPTS {
            return Err(Problem::refused(format!(
                "`divide` would take about {:.0e} attempts a draw on {} × {} totals that cross, and {MOST_ATTEMPTS:.0e} is \
                 the most it may",
                divide.attempts,
                positions.len() / columns,
                columns
            ))
            .hint("keep fewer or coarser totals"));
        }
        Ok(divide)
    }

    /// The predicted seconds of what is prepared, and of a draw on a grid of so many cells, as they
    /// were measured.
    pub(crate) fn measured_seconds(&self, cells: usize) -> (f64, f64) {
        let drawn = CELL_SECONDS * cells as f64;
        let pair = OPERATION_SECONDS * self.pair.operations();
        let coin = if self.shape.rows.len() > 2 { OPERATION_SECONDS * self.pair.coin_operations() } else { 0.0 };
        (PREPARED_SECONDS + self.proposals() * (drawn + pair), self.attempts * (ATTEMPT_SECONDS + drawn + coin) + pair)
    }

    /// The predicted seconds of a draw on a grid of so many cells, as operators are compared by
    /// them.
    pub(crate) fn draw_seconds(&self, cells: usize) -> f64 {
        (ATTEMPT_SECONDS + CELL_SECONDS * cells as f64) * self.attempts
    }

    /// How many attempts a draw takes on average, about. It depends on the grid and the law alone.
    pub fn expected_attempts(&self) -> f64 {
        self.attempts
    }

    /// How many multiplications of machine numbers an attempt takes, about.
    fn operations(&self) -> f64 {
        self.pair.operations() + CELL * self.shape.cells as f64
    }

    /// The logarithm of the weight of all noise tables, every cell with weight one at zero; known
    /// for two rows or columns only.
    pub fn log_normaliser(&self) -> Option<f64> {
        (self.shape.rows.len() == 2).then(|| self.pair.log_normaliser())
    }

    /// Draws the noise of all cells of the block.
    pub fn draw<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) {
        while !self.attempt(entropy, noise) {}
    }

    /// One attempt at a draw; whether it succeeded. Attempts are independent, and the noise of the
    /// first that succeeds has exactly the law. The noise of one that failed means nothing.
    pub fn attempt<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) -> bool {
        assert_eq!(noise.len(), self.shape.cells, "one number for every cell of the block");
        let sums = self.propose(entropy, noise);
        let mut chains = self.pair.chains(sums.clone());
        // With two rows there is nothing to accept.
        if self.shape.rows.len() > 2 && !self.pair.accept(entropy, &mut chains) {
            return false;
        }
        let [upper, lower] = self.shape.last.map(|row| &self.shape.rows[row]);
        let row = self.pair.draw(entropy, &mut chains);
        for (column, u) in row.into_iter().enumerate() {
            self.share_out(entropy, u, &upper[column], noise);
            self.share_out(entropy, sums[column] - u, &lower[column], noise);
        }
        true
    }

    /// Draws all rows but the last two; the column sums that are left for these.
    fn propose<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) -> Vec<i64> {
        let mut sums = vec![0; self.shape.rows[0].len()];
        let mut drawn = Vec::new();
        let others = self.shape.rows.iter().enumerate().filter(|(row, _)| !self.shape.last.contains(row));
        for (_, row) in others {
            drawn.clear();
            drawn.resize(row.iter().map(Vec::len).sum(), 0);
            self.row.draw(entropy, 0, &mut drawn);
            let mut values = drawn.iter();
            for (sum, cells) in sums.iter_mut().zip(row) {
                for (cell, value) in cells.iter().zip(&mut values) {
                    noise[*cell as usize] = *value;
                    *sum -= value;
                }
            }
        }
        sums
    }

    /// Divides a sum among the cells of one position.
    fn share_out<E: Entropy>(&self, entropy: &mut E, sum: i64, cells: &[u32], noise: &mut [i64]) {
        match cells {
            [] => {}
            [cell] => noise[*cell as usize] = sum,
            _ => {
                let mut values = vec![0; cells.len()];
                self.row.draw(entropy, sum, &mut values);
                cells.iter().zip(values).for_each(|(cell, value)| noise[*cell as usize] = value);
            }
        }
    }

    /// How many proposals estimate the number of attempts that is known by now.
    fn proposals(&self) -> f64 {
        let affordable = (MOST_OPERATIONS / self.operations()).clamp(PROPOSALS[0], PROPOSALS[1]);
        (16.0 * self.attempts).clamp(PROPOSALS[0], PROPOSALS[1]).min(affordable)
    }

    /// The inverse of the mean acceptance of some proposals with a fixed seed.
    fn estimate(&self) -> f64 {
        if self.shape.rows.len() == 2 {
            return 1.0;
        }
        let Ok(mut entropy) = Seeded::new(0x6469_7669_6465).stream(0) else { return self.attempts };
        let mut noise = vec![0; self.shape.cells];
        // The rarer an acceptance, the more its probability varies from proposal to proposal.
        let proposals = self.proposals() as usize;
        let acceptances = (0..proposals).map(|_| {
            let sums = self.propose(&mut entropy, &mut noise);
            self.pair.acceptance(&sums)
        });
        proposals as f64 / acceptances.sum::<f64>()
    }
}

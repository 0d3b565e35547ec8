//! Two-way tables with bounds, whose normaliser no pass of messages tells in time: 1/Z(x) without
//! bias, from attempts that might fail.
//!
//! `divide` with bounds proposes all rows but two by themselves and accepts them with a probability
//! α that it computes. So Z(x) = Z(0)·∏ Z_row(x)·E α with Z(0) the same for every table, and for
//! independent α₁, α₂, … `E Σ_k (1 − α₁)⋯(1 − α_k) = Σ_k (1 − E α)^k = 1/E α`: an estimate of
//! 1/Z(x) that is right on average, whatever α. Weights that are right on average weigh draws as
//! the exact ones do; what they add in variance shows in the effective size. Proof:
//! `proofs/posterior.md`.

use crate::field::Field;
use crate::pick::stream;
use analyse::grid;
use declare::Problem;
use draw::{BoundedDivide, BoundedShape, Ladder};

/// A block whose 1/Z(x) is estimated.
#[derive(Debug)]
pub(crate) struct Counted {
    shape: BoundedShape,
    cells: Vec<u32>,
}

/// Sums of attempts that go on longer than this leave out nothing that matters.
const LONGEST: usize = 100_000;
const NOTHING: f64 = 1e-9;
/// Sums of attempts that are averaged for one table.
const SUMS: u64 = 4;
/// What separates the bits of attempts from those of other draws.
const SALT: u64 = 0xc0;

impl Counted {
    /// The block of a release, if `divide` with bounds draws it.
    pub(crate) fn new(field: &Field, block: usize) -> Option<Counted> {
        let planned = &field.blocks[block];
        if planned.operator() != "divide" || !field.conditions.nonnegative {
            return None;
        }
        let grid = grid(&planned.block, &field.conditions.invariants)?;
        let cells = planned.block.cells.clone();
        let centre: Vec<i64> = cells.iter().map(|cell| field.centre[*cell as usize]).collect();
        let (mut rows, mut columns) = (vec![0; grid.rows], vec![0; grid.columns]);
        for (position, places) in grid.cells.iter().enumerate() {
            let own: i64 = places.iter().map(|place| centre[*place as usize]).sum();
            rows[position / grid.columns] += own;
            columns[position % grid.columns] += own;
        }
        let shapes = BoundedDivide::shapes(grid.columns, &grid.cells, [&rows, &columns]).ok()?;
        let cost = |shape: &BoundedShape| {
            let ready = BoundedDivide::new(shape, &field.law, &centre, Ladder::Standard).ok()?;
            Some(ready.expected_attempts() * ready.operations())
        };
        let shape = shapes.into_iter().filter_map(|shape| Some((cost(&shape)?, shape)));
        let (_, shape) = shape.min_by(|one, two| one.0.total_cmp(&two.0))?;
        Some(Counted { shape, cells })
    }

    fn ready(&self, field: &Field, table: &[i64]) -> Result<BoundedDivide, Problem> {
        let centre: Vec<i64> = self.cells.iter().map(|cell| table[*cell as usize]).collect();
        BoundedDivide::new(&self.shape, &field.law, &centre, Ladder::Standard)
    }

    /// The logarithm of an estimate of 1/Z(x), up to a number that is the same for every table,
    /// that is right on average.
    pub(crate) fn log_inverse(&self, field: &Field, table: &[i64], seed: u64, draw: u64) -> Result<f64, Problem> {
        let ready = self.ready(field, table)?;
        let mut bits = stream(seed ^ SALT, draw)?;
        let mut sum = 0.0;
        for _ in 0..SUMS {
            let (mut failed, mut steps) = (1.0, 0);
            while failed > NOTHING && steps < LONGEST {
                sum += failed;
                failed *= 1.0 - ready.acceptance(&mut bits);
                steps += 1;
            }
        }
        Ok((sum / SUMS as f64).ln() - ready.log_rows())
    }

    /// ln Z(x), up to a number that is the same for every table, from the mean acceptance of so
    /// many proposals; and its standard error.
    pub(crate) fn log_normaliser(
        &self,
        field: &Field,
        table: &[i64],
        draws: u64,
        seed: u64,
    ) -> Result<(f64, f64), Problem> {
        let ready = self.ready(field, table)?;
        let mut bits = stream(seed ^ SALT, 0)?;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..draws {
            let one = ready.acceptance(&mut bits);
            (sum, squares) = (sum + one, squares + one * one);
        }
        let count = draws as f64;
        let mean = sum / count;
        let error = ((squares / count - mean * mean).max(0.0) / count).sqrt() / mean;
        Ok((mean.ln() + ready.log_rows(), error))
    }
}

//! What a draw costs: the measured constants of every operator, in one place.

use draw::Operator;

/// Seconds that a draw takes however small the block is, and seconds for every cell.
struct Cost {
    start: f64,
    per_cell: f64,
}

/// Blocks of more cells than this need laws of sums under `messages`, one for every halving.
const HALVED_ABOVE: f64 = 128.0;

/// The predicted seconds for the first draw of a block of this many cells, on one core of a common machine. Later draws of
/// the same plan are cheaper: what is made ready once is the larger part of a small block.
pub(crate) fn seconds(operator: Operator, cells: usize) -> f64 {
    let halvings = (cells as f64 / HALVED_ABOVE).log2().max(0.0);
    let cost = match operator {
        Operator::Independent => Cost { start: 0.5e-3, per_cell: 30e-9 },
        Operator::ClosedForm => Cost { start: 60e-6, per_cell: 40e-9 },
        Operator::Messages => Cost { start: 0.3e-3 + 3e-3 * halvings, per_cell: 60e-9 },
    };
    cost.start + cost.per_cell * cells as f64
}

//! What a draw costs: the measured constants of every operator, in one place.

use draw::Operator;

/// Seconds that a draw takes however small the block is, and seconds for every cell.
struct Cost {
    start: f64,
    per_cell: f64,
}

/// The predicted seconds for a block of this many cells, on one core of a common machine.
pub(crate) fn seconds(operator: Operator, cells: usize) -> f64 {
    let cost = match operator {
        Operator::Independent => Cost { start: 0.0, per_cell: 25e-9 },
        Operator::ClosedForm => Cost { start: 20e-6, per_cell: 60e-9 },
        Operator::Messages => Cost { start: 2e-3, per_cell: 150e-9 },
    };
    cost.start + cost.per_cell * cells as f64
}

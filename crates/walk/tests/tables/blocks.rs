//! Small blocks for the walks of the literature: margins, a weighted total, a tree.

use analyse::{Demand, Fibre, FibreRow, Lattice};
use draw::NoiseLaw;
use exact::Rational;
use walk::{Steps, Walk};

pub(crate) fn ratio(numerator: u64, denominator: u64) -> Rational {
    Rational::new(numerator, denominator)
}

pub(crate) fn row(entries: &[(u32, i64)], demand: Demand) -> FibreRow {
    FibreRow { entries: entries.to_vec(), demand }
}

pub(crate) fn ones(cells: impl IntoIterator<Item = u32>) -> Vec<(u32, i64)> {
    cells.into_iter().map(|cell| (cell, 1)).collect()
}

pub(crate) fn block(bounds: Vec<(Option<i64>, Option<i64>)>, rows: Vec<FibreRow>, noise_on_cells: bool) -> Fibre {
    Fibre { cells: (0..bounds.len() as u32).collect(), bounds, rows, noise_on_cells }
}

pub(crate) fn walk(steps: Steps, fibre: &Fibre, rates: &[Rational]) -> Result<Walk, String> {
    let lattice = Lattice::of_fibre(fibre).unwrap();
    let law = NoiseLaw::double_geometric(ratio(1, 2));
    Walk::new(steps, fibre.clone(), lattice, &law, rates)
}

/// Both margins of a 2 × 3 table, one rule, no count below zero.
pub(crate) fn margins() -> Fibre {
    let rows = vec![
        row(&ones([0, 1, 2]), Demand::Equal(4)),
        row(&ones([3, 4, 5]), Demand::Equal(3)),
        row(&ones([0, 3]), Demand::Equal(2)),
        row(&ones([1, 4]), Demand::Equal(2)),
        row(&ones([2, 5]), Demand::Equal(3)),
        row(&[(0, 1), (4, -1)], Demand::AtLeast(-1)),
    ];
    block(vec![(Some(0), None); 6], rows, true)
}

/// A weighted total: with cells 0 and 1 free, cell 2 is not always whole.
pub(crate) fn weighted() -> Fibre {
    block(vec![(Some(0), None); 3], vec![row(&[(0, 1), (1, 2), (2, 3)], Demand::Equal(9))], true)
}

/// Noise on three leaves, on two of them together and on all, with a rule.
pub(crate) fn tree() -> Fibre {
    let noisy = |query, group| Demand::Noisy { query, group, fixed: 0 };
    let rows = vec![
        row(&ones([0, 1, 2]), noisy(0, 0)),
        row(&ones([0, 1]), noisy(1, 0)),
        row(&ones([0]), noisy(2, 0)),
        row(&ones([1]), noisy(2, 1)),
        row(&ones([2]), noisy(2, 2)),
        row(&ones([1, 2]), Demand::AtMost(5)),
    ];
    block(vec![(Some(0), Some(3)), (Some(0), Some(4)), (Some(0), Some(3))], rows, false)
}

pub(crate) fn tree_rates() -> Vec<Rational> {
    vec![ratio(1, 3), ratio(1, 2), ratio(3, 4)]
}

pub(crate) const MARGINS: [i64; 6] = [1, 2, 1, 1, 0, 2];

pub(crate) const WEIGHTED: [i64; 3] = [4, 1, 1];

pub(crate) const TREE: [i64; 3] = [1, 3, 0];

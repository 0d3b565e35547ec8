//! Tables with all margins that sum out one dimension, for several ladders.

use analyse::{Demand, Fibre, FibreRow};

/// All margins that sum out one dimension of a table; its total when there is one dimension.
pub fn margins(sizes: &[usize]) -> Fibre {
    let out: Vec<Vec<usize>> = (0..sizes.len()).map(|axis| vec![axis]).collect();
    margins_without(sizes, &out)
}

/// The margins of a table that sum out these dimensions.
pub fn margins_without(sizes: &[usize], summed_out: &[Vec<usize>]) -> Fibre {
    let cells: usize = sizes.iter().product();
    let digits = |mut cell: usize| {
        let mut digits = vec![0; sizes.len()];
        for (digit, size) in digits.iter_mut().zip(sizes).rev() {
            *digit = cell % size;
            cell /= size;
        }
        digits
    };
    let mut rows = Vec::new();
    for out in summed_out {
        for first in (0..cells).filter(|cell| out.iter().all(|axis| digits(*cell)[*axis] == 0)) {
            let same = |cell: &usize| {
                (0..sizes.len()).all(|axis| out.contains(&axis) || digits(*cell)[axis] == digits(first)[axis])
            };
            let entries = (0..cells).filter(same).map(|cell| (cell as u32, 1)).collect();
            rows.push(FibreRow { entries, demand: Demand::Equal(0) });
        }
    }
    Fibre { cells: (0..cells as u32).collect(), bounds: vec![(None, None); cells], rows, noise_on_cells: true }
}

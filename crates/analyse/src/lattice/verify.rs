//! What shows vectors to be a basis of a kernel, and the exact check of it: `proofs/lattice.md`.

use super::Vector;
use super::core::Large;
use super::modular::{independent, is_unimodular};
use super::pivots::subtract;
use crate::sums::columns;
use declare::Problem;
use exact::Integer;
use std::collections::HashMap;

/// Why vectors generate a whole kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claim {
    /// The vectors in groups, in order.
    pub(crate) groups: Vec<Group>,
    /// Columns that are independent, as many as the rank, with the rows in which their pivots are
    /// expected.
    pub(crate) rank_columns: Vec<(u32, Option<u32>)>,
}

/// Rows of the matrix W for neighbouring vectors. They vanish on the vectors of all later groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// Cells, one for each of the first vectors: such a vector is 1 or −1 at its own, and every
    /// later one is 0 there.
    pub(crate) leads: Vec<u32>,
    /// For each further vector a row that gives 1 with it and 0 with the other further ones.
    pub(crate) duals: Vec<Large>,
    /// How the vectors came from those that `leads` and `duals` are about.
    pub(crate) how: How,
}

/// How vectors were combined anew.
#[derive(Debug, Clone, Default)]
pub(crate) enum How {
    /// By these steps, in order: from the first so many times the second was taken. None: not at
    /// all.
    Steps(Vec<(u32, i64, u32)>),
    /// By steps that nobody kept: the product with W must be unimodular as it is.
    #[default]
    Anew,
}

impl Group {
    fn len(&self) -> usize {
        self.leads.len() + self.duals.len()
    }
}

/// Checks a claim in full.
pub(crate) fn verify(cells: usize, rows: &[&[(u32, i64)]], basis: &[Vector], claim: &Claim) -> Result<(), Problem> {
    let columns = columns(cells, rows.iter().copied());
    let sound = basis.iter().all(|vector| is_tidy(cells, vector) && vanishes(vector, &columns))
        && is_saturated(basis, &claim.groups)
        && is_everything(rows.len(), &columns, basis.len(), &claim.rank_columns);
    if sound {
        return Ok(());
    }
    Err(Problem::refused("the steps between tables that were found for a block could not be verified")
        .hint("this is a mistake in Congenial: please report it together with the spec"))
}

fn is_tidy(cells: usize, vector: &[(u32, i64)]) -> bool {
    vector.windows(2).all(|pair| pair[0].0 < pair[1].0)
        && vector.iter().all(|(cell, value)| (*cell as usize) < cells && *value != 0)
}

/// Whether every row's sum is zero.
fn vanishes(vector: &[(u32, i64)], columns: &[Vector]) -> bool {
    let mut sums: HashMap<u32, i128> = HashMap::new();
    for (cell, value) in vector {
        for (row, times) in &columns[*cell as usize] {
            let sum = sums.entry(*row).or_default();
            match sum.checked_add(i128::from(*times) * i128::from(*value)) {
                Some(changed) => *sum = changed,
                None => return false,
            }
        }
    }
    sums.values().all(|sum| *sum == 0)
}

/// Whether `W·B` is unimodular.
fn is_saturated(basis: &[Vector], groups: &[Group]) -> bool {
    if groups.iter().map(Group::len).sum::<usize>() != basis.len() {
        return false;
    }
    // Which group's rows of W are not zero at a cell.
    let mut touched: HashMap<u32, usize> = HashMap::new();
    let mut first = 0;
    for (number, group) in groups.iter().enumerate() {
        let vectors = &basis[first..first + group.len()];
        first += group.len();
        if vectors.iter().flatten().any(|(cell, _)| touched.contains_key(cell)) {
            return false;
        }
        let holds = match &group.how {
            How::Steps(steps) if steps.is_empty() => is_triangular(vectors, group),
            How::Steps(steps) => undone(vectors, steps).is_some_and(|vectors| is_triangular(&vectors, group)),
            How::Anew => is_unimodular(&product(vectors, group)),
        };
        if !holds {
            return false;
        }
        let dual_cells = group.duals.iter().flatten().map(|(cell, _)| *cell);
        touched.extend(group.leads.iter().copied().chain(dual_cells).map(|cell| (cell, number)));
    }
    true
}

/// The vectors before the steps were made.
fn undone(vectors: &[Vector], steps: &[(u32, i64, u32)]) -> Option<Vec<Vector>> {
    let mut vectors = vectors.to_vec();
    for (target, times, source) in steps.iter().rev() {
        if target == source {
            return None;
        }
        let taken = vectors.get(*source as usize)?;
        vectors[*target as usize] = subtract(vectors.get(*target as usize)?, times.checked_neg()?, taken)?;
    }
    Some(vectors)
}

/// Whether the product with W is triangular with ±1 on its diagonal.
fn is_triangular(vectors: &[Vector], group: &Group) -> bool {
    let lead: HashMap<u32, usize> = group.leads.iter().enumerate().map(|(number, cell)| (*cell, number)).collect();
    let later_vanish = |(number, vector): (usize, &Vector)| {
        let own = group.leads.get(number);
        let is_unit = own.is_none_or(|own| vector.iter().any(|(cell, value)| cell == own && matches!(value, 1 | -1)));
        is_unit && vector.iter().all(|(cell, _)| lead.get(cell).is_none_or(|lead| *lead >= number))
    };
    let further = &vectors[group.leads.len()..];
    let one = |row: usize, column: usize| if row == column { Integer::ONE } else { Integer::ZERO };
    lead.len() == group.leads.len()
        && vectors.iter().enumerate().all(later_vanish)
        && group.duals.iter().enumerate().all(|(row, dual)| {
            further.iter().enumerate().all(|(column, vector)| inner(dual, vector) == one(row, column))
        })
}

/// The product with W.
fn product(vectors: &[Vector], group: &Group) -> Vec<Vec<Integer>> {
    let value_at = |vector: &Vector, cell: u32| {
        Integer::from(vector.binary_search_by_key(&cell, |(cell, _)| *cell).map_or(0, |place| vector[place].1))
    };
    let leads = group.leads.iter().map(|cell| vectors.iter().map(|vector| value_at(vector, *cell)).collect());
    let duals = group.duals.iter().map(|dual| vectors.iter().map(|vector| inner(dual, vector)).collect());
    leads.chain(duals).collect()
}

fn inner(dual: &Large, vector: &Vector) -> Integer {
    let place = |cell: &u32| vector.binary_search_by_key(cell, |(cell, _)| *cell).ok();
    dual.iter().filter_map(|(cell, factor)| place(cell).map(|place| factor * vector[place].1)).sum()
}

/// Whether the rank is at least the number of cells less that of vectors.
fn is_everything(rows: usize, columns: &[Vector], vectors: usize, rank_columns: &[(u32, Option<u32>)]) -> bool {
    let chosen: Vec<&[(u32, i64)]> = rank_columns.iter().map(|(cell, _)| columns[*cell as usize].as_slice()).collect();
    let pivots: Vec<Option<u32>> = rank_columns.iter().map(|(_, row)| *row).collect();
    rank_columns.len() + vectors == columns.len() && independent(rows, &chosen, &pivots)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cells and one row, 2·a + 3·b: the kernel is (3, −2).
    fn claim() -> (Vec<Vector>, Claim) {
        let dual = vec![(0, Integer::ONE), (1, Integer::ONE)];
        let group = Group { duals: vec![dual], ..Group::default() };
        (vec![vec![(0, 3), (1, -2)]], Claim { groups: vec![group], rank_columns: vec![(0, None)] })
    }

    const ROW: &[(u32, i64)] = &[(0, 2), (1, 3)];

    #[test]
    fn a_basis_is_accepted() {
        let (basis, claim) = claim();
        assert!(verify(2, &[ROW], &basis, &claim).is_ok());
    }

    #[test]
    fn mutants_are_rejected() {
        let (basis, claim) = claim();
        let twice = vec![vec![(0, 6), (1, -4)]];
        assert!(verify(2, &[ROW], &twice, &claim).is_err(), "an index-2 sublattice");
        assert!(verify(2, &[ROW], &[vec![(0, 3), (1, -1)]], &claim).is_err(), "a sum that is not zero");
        assert!(verify(2, &[ROW], &[], &Claim { groups: Vec::new(), ..claim.clone() }).is_err(), "a missing vector");
        let more: &[(u32, i64)] = &[(0, 1)];
        assert!(verify(2, &[ROW, more], &basis, &claim).is_err(), "another row");
        let wrong = Claim { rank_columns: vec![], ..claim.clone() };
        assert!(verify(2, &[ROW], &basis, &wrong).is_err(), "a rank that nobody showed");
        let untidy = vec![vec![(1, -2), (0, 3)]];
        assert!(verify(2, &[ROW], &untidy, &claim).is_err(), "places that do not increase");
    }

    #[test]
    fn leads_and_steps_are_checked() {
        let row: &[(u32, i64)] = &[(0, 1), (1, 1), (2, 1)];
        let basis = vec![vec![(0, -1), (1, 1)], vec![(0, -1), (2, 1)]];
        let of = |how: How, leads: Vec<u32>| Claim {
            groups: vec![Group { leads, duals: vec![], how }],
            rank_columns: vec![(0, Some(0))],
        };
        let none = || How::Steps(vec![]);
        assert!(verify(3, &[row], &basis, &of(none(), vec![1, 2])).is_ok());
        assert!(verify(3, &[row], &basis, &of(none(), vec![0, 2])).is_err(), "the second vector has the first lead");
        assert!(verify(3, &[row], &basis, &of(none(), vec![1, 1])).is_err());
        let combined = vec![vec![(1, 1), (2, -1)], vec![(0, -1), (2, 1)]];
        assert!(verify(3, &[row], &combined, &of(How::Steps(vec![(0, 1, 1)]), vec![1, 2])).is_ok());
        assert!(verify(3, &[row], &combined, &of(How::Anew, vec![1, 2])).is_ok());
        // Sum and difference generate every second table only.
        let half = vec![vec![(1, 1), (2, -1)], vec![(0, -2), (1, 1), (2, 1)]];
        assert!(verify(3, &[row], &half, &of(How::Anew, vec![1, 2])).is_err());
    }
}

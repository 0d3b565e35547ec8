//! Small fibres are decided: fractions by the simplex method, integers by telling cases apart.

use super::simplex::{self, Answer};
use super::witness::Witness;
use crate::fibre::Fibre;

/// The largest tableau, in entries.
const LARGEST: usize = 120_000;
/// The most changes of entries in one search.
const MOST_WORK: usize = 400_000_000;
/// The most cases of one search.
const MOST_CASES: usize = 2_000;

/// What a search came to.
pub(super) enum CaseSearch {
    Table(Vec<i64>),
    Impossible(Witness),
    /// The number of cases that were looked at.
    Undecided(usize),
}

/// Whether a fibre is small enough for exact search.
pub(super) fn is_small(fibre: &Fibre) -> bool {
    simplex::size(fibre) <= LARGEST
}

/// Looks for a table, splitting at a cell that is a fraction: it is at most the integer below or at
/// least the one above.
pub(super) fn search(fibre: &Fibre) -> CaseSearch {
    let mut case = fibre.clone();
    let mut open = vec![fibre.bounds.clone()];
    let (mut work, mut cases, mut excluded) = (MOST_WORK, 0, 0);
    while let Some(bounds) = open.pop() {
        cases += 1;
        case.bounds = bounds;
        if cases > MOST_CASES {
            return CaseSearch::Undecided(MOST_CASES);
        }
        match simplex::solve(&case, &mut work) {
            Answer::Unfinished => return CaseSearch::Undecided(cases - 1),
            Answer::Contradiction(rows) => {
                let witness = Witness::Bounds(rows);
                if !witness.holds(&case) && !has_crossed_bounds(&case) {
                    return CaseSearch::Undecided(cases);
                }
                if cases == 1 {
                    return CaseSearch::Impossible(witness);
                }
                excluded += 1;
            }
            Answer::Point(point) => {
                let Some(cell) = point.iter().position(|value| !value.is_integer()) else {
                    let table: Option<Vec<i64>> =
                        point.iter().map(|value| i64::try_from(value.numerator()).ok()).collect();
                    return table.map_or(CaseSearch::Undecided(cases), CaseSearch::Table);
                };
                let Ok(below) = i64::try_from(point[cell].floor()) else {
                    return CaseSearch::Undecided(cases);
                };
                let (mut lower, mut upper) = (case.bounds.clone(), case.bounds.clone());
                lower[cell].1 = Some(below);
                upper[cell].0 = Some(below + 1);
                open.extend([upper, lower]);
            }
        }
    }
    CaseSearch::Impossible(Witness::Cases(excluded))
}

fn has_crossed_bounds(fibre: &Fibre) -> bool {
    fibre.bounds.iter().any(|(low, high)| low.zip(*high).is_some_and(|(low, high)| low > high))
}

//! A table next to a given one that keeps everything exact: the pair on which privacy is measured.

use analyse::{Fibre, Ground, Lattice};
use declare::Problem;
use prepare::Mechanism;
use walk::added_up;

/// Blocks with more cells are not looked at: their lattices would take long, and a pair inside a
/// smaller one, or of a few of their cells, shows as much.
const MOST_CELLS: usize = 2_000;
/// So many exchanges are tried at most.
const MOST_EXCHANGES: usize = 200_000;

/// Cells and by how much they change.
type Change = Vec<(usize, i64)>;

/// The neighbour at the smallest distance found whose changed counts are smallest: noise near
/// bounds tells most.
pub(super) fn neighbour(mechanism: &Mechanism) -> Result<Option<Vec<i64>>, Problem> {
    let Mechanism { case, analysis, counts, .. } = mechanism;
    let conditions = &case.conditions;
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let mut best: Option<((u64, i64), Change)> = None;
    for block in &analysis.blocks {
        // Cells of a large block that no total tells apart from each other are as good as all of
        // them.
        let cells = &block.cells[..block.cells.len().min(MOST_CELLS)];
        let fibre = Fibre::new(conditions, &ground, &block.cells)?;
        let steps: Vec<Vec<(u32, i64)>> = match block.cells.len() > MOST_CELLS {
            true => pairs(&fibre, counts, cells.len()),
            false => Lattice::of_fibre(&fibre)?.basis().iter().cloned().chain(exchanges(&fibre)).collect(),
        };
        for step in steps {
            for sign in [1, -1] {
                let change: Change =
                    step.iter().map(|(place, times)| (block.cells[*place as usize] as usize, sign * times)).collect();
                let length = change.iter().map(|(_, units)| units.unsigned_abs()).sum::<u64>();
                let size = change.iter().map(|(cell, _)| counts[*cell]).sum::<i64>();
                if best.as_ref().is_some_and(|(known, _)| *known <= (length, size)) {
                    continue;
                }
                let mut values: Vec<i64> = block.cells.iter().map(|cell| counts[*cell as usize]).collect();
                step.iter().for_each(|(place, times)| values[*place as usize] += sign * times);
                if fibre.contains(&values) {
                    best = Some(((length, size), change));
                }
            }
        }
    }
    Ok(best.map(|(_, change)| {
        let mut other = counts.clone();
        change.iter().for_each(|(cell, units)| other[*cell] += units);
        other
    }))
}

/// Exchanges along lines of the block: one unit of a column of a line for one of another. Among
/// them are all swaps of two rows and two columns, of which a basis has few.
fn exchanges(fibre: &Fibre) -> Vec<Vec<(u32, i64)>> {
    let mut found = Vec::new();
    for line in analyse::lines(fibre) {
        for (place, one) in line.iter().enumerate() {
            for two in &line[..place] {
                if found.len() >= MOST_EXCHANGES {
                    return found;
                }
                let back = two.iter().map(|(place, times)| (*place, -times));
                found.push(added_up(one.iter().copied().chain(back).collect()));
            }
        }
    }
    found
}

/// Single cells, and pairs of one cell with each other: whether they keep what is exact is looked
/// at afterwards.
fn pairs(fibre: &Fibre, counts: &[i64], most: usize) -> Vec<Vec<(u32, i64)>> {
    let mut places: Vec<u32> = (0..fibre.cells.len() as u32).collect();
    places.sort_by_key(|place| counts[fibre.cells[*place as usize] as usize]);
    let places = &places[..places.len().min(most)];
    let alone = places.iter().take(1).map(|place| vec![(*place, 1)]);
    let pairs = places.iter().skip(1).map(|place| vec![(places[0], 1), (*place, -1)]);
    alone.chain(pairs).collect()
}

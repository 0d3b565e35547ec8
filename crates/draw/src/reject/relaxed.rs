//! `Relaxed`: a block without its bounds and rules, as the parts that its equalities alone leave.

use super::Form;
use crate::lattice_noise::MOST_CELLS;
use crate::operator::Task;
use analyse::{Block, Demand, Fibre, FibreRow, Lattice, Structure, Union, grid};
use std::collections::BTreeMap;

/// A block, and what becomes of it when its bounds and rules are taken away.
#[derive(Debug, Clone)]
pub struct Relaxed {
    /// The block with its bounds and rules.
    pub(crate) fibre: Fibre,
    /// Cells that bounds and totals together leave one value: they have it in every table.
    pub(crate) settled: Vec<(u32, i64)>,
    /// The parts of the other cells, by place in the block.
    pub(crate) parts: Vec<(Vec<u32>, Form)>,
}

/// Larger blocks are not drawn again and again.
const MOST_DRAWN: usize = 1 << 20;

/// `thin` draws few dimensions: larger parts are not made a lattice of for double geometric noise
/// where `divide` may draw them.
const MOST_THIN: usize = 64;

/// Nor are larger parts of a block, whose rank is not known.
const MOST_RANKED: usize = 512;

impl Relaxed {
    /// The block of a task.
    ///
    /// # Errors
    /// In words, when noise does not sit on the cells, or there is nothing to relax.
    pub fn new(task: &Task) -> Result<Relaxed, String> {
        let block = task.block;
        if !task.rates.is_empty() {
            return Err("noise sits on sums of cells, not on every cell alone".to_owned());
        }
        if task.pinned {
            return Err("totals are pinned to values that are not the table's own".to_owned());
        }
        if block.size != block.cells.len() || block.size > MOST_DRAWN {
            return Err(format!("tables of more than {MOST_DRAWN} cells are not drawn again and again"));
        }
        let fibre = Fibre::new(task.conditions, task.ground, &block.cells).map_err(|problem| problem.message)?;
        let bounded = fibre.bounds.iter().any(|bounds| *bounds != (None, None));
        if !bounded && fibre.rows.iter().all(|row| matches!(row.demand, Demand::Equal(_))) {
            return Err("no bound or rule holds: there is nothing to reject".to_owned());
        }
        let settled = settled(&fibre);
        let one_part = !task.law.is_product();
        let mut parts = Vec::new();
        for places in components(&fibre, &settled, one_part) {
            let form = form(task, &fibre, &places, one_part)?;
            parts.push((places, form));
        }
        if parts.is_empty() {
            return Err("totals and bounds leave one table alone".to_owned());
        }
        let settled = settled.into_iter().enumerate().filter_map(|(place, value)| Some((place as u32, value?)));
        Ok(Relaxed { settled: settled.collect(), fibre, parts })
    }
}

/// The cells that one equality after another confines to their least value, because nothing is left
/// above it.
fn settled(fibre: &Fibre) -> Vec<Option<i64>> {
    let mut known: Vec<Option<i64>> = vec![None; fibre.cells.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (entries, value) in fibre.equalities() {
            let mut rest = i128::from(value);
            let mut open = false;
            let mut one_sign = true;
            for (place, times) in entries {
                let place = *place as usize;
                let least = known[place].or(fibre.bounds[place].0);
                open |= known[place].is_none();
                one_sign &= *times > 0 && least.is_some();
                rest -= i128::from(*times) * i128::from(least.unwrap_or(0));
            }
            if open && one_sign && rest == 0 {
                entries.iter().for_each(|(place, _)| {
                    let place = *place as usize;
                    known[place] = known[place].or(fibre.bounds[place].0);
                });
                changed = true;
            }
        }
    }
    known
}

/// The cells that are not settled, by which of them equalities tie together; all as one where the
/// noise itself does.
fn components(fibre: &Fibre, settled: &[Option<i64>], one_part: bool) -> Vec<Vec<u32>> {
    let mut connected = Union::new(fibre.cells.len());
    let open = |place: &u32| settled[*place as usize].is_none();
    let rows = fibre.equalities().map(|(entries, _)| entries.iter().map(|(place, _)| *place).collect::<Vec<u32>>());
    for row in rows.chain(one_part.then(|| (0..fibre.cells.len() as u32).collect())) {
        let places: Vec<u32> = row.into_iter().filter(open).collect();
        places.windows(2).for_each(|pair| {
            connected.join(pair[0], pair[1]);
        });
    }
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for place in (0..fibre.cells.len() as u32).filter(open) {
        found.entry(connected.top(place)).or_default().push(place);
    }
    // Cells in no total at all are one part: each has noise of its own.
    let mut tied = vec![one_part; fibre.cells.len()];
    fibre.equalities().flat_map(|(entries, _)| entries).for_each(|(place, _)| tied[*place as usize] = true);
    let (alone, mut parts): (Vec<Vec<u32>>, Vec<Vec<u32>>) =
        found.into_values().partition(|places| places.len() == 1 && !tied[places[0] as usize]);
    if !alone.is_empty() {
        parts.push(alone.into_iter().flatten().collect());
    }
    parts
}

/// What the equalities say of a part.
fn form(task: &Task, fibre: &Fibre, places: &[u32], one_part: bool) -> Result<Form, String> {
    let rows = rows_of(fibre, places);
    if !one_part {
        if rows.is_empty() {
            return Ok(Form::Free);
        }
        let whole = |row: &FibreRow| {
            row.entries.len() == places.len() && row.entries.iter().all(|(_, times)| *times == row.entries[0].1)
        };
        if rows.iter().all(whole) {
            return Ok(Form::OneTotal);
        }
        let geometric = task.law.geometric().is_some();
        if geometric && places.len() == fibre.cells.len() && places.len() > MOST_THIN && task.grid.is_some() {
            return Ok(Form::Crossing { grid: task.grid.cloned(), lattice: None });
        }
        if geometric && places.len() > MOST_RANKED {
            return Err(format!("without bounds totals cross in {} cells, and nothing draws them", places.len()));
        }
    }
    if places.len() > MOST_CELLS {
        return Err(format!("a lattice of at most {MOST_CELLS} cells is made, not of {}", places.len()));
    }
    let cells: Vec<u32> = places.iter().map(|place| fibre.cells[*place as usize]).collect();
    let part = Fibre { cells: cells.clone(), bounds: vec![(None, None); cells.len()], rows, noise_on_cells: true };
    let lattice = Lattice::of_fibre(&part).map_err(|problem| problem.message)?;
    if lattice.dimension() == 0 {
        return Err("the totals leave one table alone: there is no noise to draw".to_owned());
    }
    let structure = Structure::Crossing { invariants: Vec::new(), rank: cells.len() - lattice.dimension() };
    let block = Block::new(cells, places.len(), structure);
    let grid = if one_part { None } else { grid(&block, &task.conditions.invariants) };
    Ok(Form::Crossing { grid, lattice: Some(lattice) })
}

/// The equalities on the cells of a part, by their places in it. Values are not needed: noise adds
/// up to zero.
fn rows_of(fibre: &Fibre, places: &[u32]) -> Vec<FibreRow> {
    let within = |(place, times): &(u32, i64)| {
        let found = places.binary_search(place).ok()?;
        Some((found as u32, *times))
    };
    let row = |(entries, _): (&[(u32, i64)], i64)| {
        let entries: Vec<(u32, i64)> = entries.iter().filter_map(within).collect();
        (!entries.is_empty()).then_some(FibreRow { entries, demand: Demand::Equal(0) })
    };
    fibre.equalities().filter_map(row).collect()
}

//! `Component`: what of a fibre hangs together, with the noisy measurements that speak of it; parts
//! are projected one by one.

use crate::faults::{LARGEST, check_weights, infeasible, stopped, unsolved};
use crate::program::Failure;
use analyse::{Demand, Fibre, FibreRow, Union};
use declare::Problem;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A sum over cells that was measured with noise.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    /// Its number among all that is measured.
    pub measured: usize,
    /// The number of its query, [`CELLS`] for noise on the cells.
    pub query: u32,
    /// Places of cells with their coefficients.
    pub entries: Vec<(u32, i64)>,
    /// 1/variance.
    pub weight: f64,
    /// What cells outside the fibre add to the measured sum.
    pub fixed: i64,
}

/// Stands for the query of noise on the cells.
pub(crate) const CELLS: u32 = u32::MAX;

impl Term {
    /// What was measured of the cells of the fibre.
    pub fn target(&self, measured: &[f64]) -> f64 {
        measured[self.measured] - self.fixed as f64
    }
}

/// A fibre of its own, and what was measured of it.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    /// Its cells are places in the whole fibre; it has no noisy rows.
    pub fibre: Fibre,
    /// Over places in this part.
    pub terms: Vec<Term>,
    /// For every row its number among the rows of the whole.
    pub rows_of: Vec<usize>,
}

/// Everything that is measured of a fibre, in order, and its weights.
pub(crate) fn terms(fibre: &Fibre, weights: &[f64]) -> Result<Vec<Term>, Problem> {
    let queries = fibre.rows.iter().filter_map(|row| match row.demand {
        Demand::Noisy { query, .. } => Some(query as usize + 1),
        _ => None,
    });
    check_weights(weights, queries.max().unwrap_or(0))?;
    let mut terms = Vec::new();
    if fibre.noise_on_cells {
        let cell = |place: usize| Term {
            measured: place,
            query: CELLS,
            entries: vec![(place as u32, 1)],
            weight: 1.0,
            fixed: 0,
        };
        terms.extend((0..fibre.cells.len()).map(cell));
    }
    for row in &fibre.rows {
        if let Demand::Noisy { query, fixed, .. } = row.demand {
            let (measured, weight) = (terms.len(), weights[query as usize]);
            terms.push(Term { measured, query, entries: row.entries.clone(), weight, fixed });
        }
    }
    Ok(terms)
}

/// Checks that public values are small enough for machine numbers to hold them exactly.
pub(crate) fn check_public(fibre: &Fibre) -> Result<(), Problem> {
    let small = |value: i64| (-LARGEST..=LARGEST).contains(&value);
    let row = |row: &FibreRow| match row.demand {
        Demand::Equal(value) | Demand::AtLeast(value) | Demand::AtMost(value) => small(value),
        Demand::Noisy { fixed, .. } => small(fixed),
    };
    let bound = |bound: &(Option<i64>, Option<i64>)| bound.0.is_none_or(small) && bound.1.is_none_or(small);
    match fibre.rows.iter().all(row) && fibre.bounds.iter().all(bound) {
        true => Ok(()),
        false => Err(Problem::refused("a total or a bound is beyond 2^52, where machine numbers skip integers")
            .hint("projections take numbers up to 2^52; count in larger units")),
    }
}

/// The connected parts of a fibre, in order of their first cells. Rows and measured sums connect;
/// noisy rows are left to `terms`.
pub(crate) fn split(fibre: &Fibre, terms: Vec<Term>) -> Vec<Component> {
    let cells = fibre.cells.len();
    let mut tied = Union::new(cells);
    let asked = |row: &&FibreRow| !matches!(row.demand, Demand::Noisy { .. });
    let rows = fibre.rows.iter().filter(asked).map(|row| &row.entries);
    for pair in rows.chain(terms.iter().map(|term| &term.entries)).flat_map(|entries| entries.windows(2)) {
        tied.join(pair[0].0, pair[1].0);
    }
    let mut parts: Vec<Component> = Vec::new();
    let mut number_of = vec![u32::MAX; cells];
    let mut place_of = vec![(0u32, 0u32); cells];
    for (cell, place) in place_of.iter_mut().enumerate() {
        let root = tied.top(cell as u32) as usize;
        if number_of[root] == u32::MAX {
            number_of[root] = parts.len() as u32;
            parts.push(Component { fibre: part_of(fibre, Vec::new()), terms: Vec::new(), rows_of: Vec::new() });
        }
        let part = &mut parts[number_of[root] as usize].fibre;
        *place = (number_of[root], part.cells.len() as u32);
        part.cells.push(cell as u32);
        part.bounds.push(fibre.bounds[cell]);
    }
    let inside = |entries: &[(u32, i64)]| -> Vec<(u32, i64)> {
        entries.iter().map(|(cell, times)| (place_of[*cell as usize].1, *times)).collect()
    };
    let mut seen: HashMap<(u32, Vec<(u32, i64)>), usize> = HashMap::new();
    for (number, row) in fibre.rows.iter().enumerate().filter(|(_, row)| asked(row)) {
        // A row over no cells belongs to no part: where it asks what nothing has, an empty fibre of
        // its own says so.
        let Some((first, _)) = row.entries.first() else {
            if implied(Demand::Equal(0), row.demand) {
                continue;
            }
            let fibre = part_of(fibre, vec![row.clone()]);
            parts.push(Component { fibre, terms: Vec::new(), rows_of: vec![number] });
            continue;
        };
        let part = place_of[*first as usize].0;
        let entries = inside(&row.entries);
        let rows = &mut parts[part as usize];
        match seen.entry((part, entries.clone())) {
            Entry::Occupied(earlier) if implied(rows.fibre.rows[*earlier.get()].demand, row.demand) => continue,
            Entry::Occupied(_) => {}
            Entry::Vacant(vacant) => {
                vacant.insert(rows.fibre.rows.len());
            }
        }
        rows.fibre.rows.push(FibreRow { entries, demand: row.demand });
        rows.rows_of.push(number);
    }
    for mut term in terms {
        if let Some((first, _)) = term.entries.first() {
            let part = place_of[*first as usize].0 as usize;
            term.entries = inside(&term.entries);
            parts[part].terms.push(term);
        }
    }
    parts
}

/// A fibre without cells, of the same kind.
fn part_of(fibre: &Fibre, rows: Vec<FibreRow>) -> Fibre {
    Fibre { cells: Vec::new(), bounds: Vec::new(), rows, noise_on_cells: fibre.noise_on_cells }
}

/// Whether what is asked of a sum already grants what is asked of it again.
fn implied(known: Demand, asked: Demand) -> bool {
    match (known, asked) {
        (Demand::Equal(value), Demand::Equal(asked)) => value == asked,
        (Demand::Equal(value) | Demand::AtLeast(value), Demand::AtLeast(least)) => value >= least,
        (Demand::Equal(value) | Demand::AtMost(value), Demand::AtMost(most)) => value <= most,
        _ => false,
    }
}

/// What was measured of the single cells of a part.
pub(crate) struct Own {
    /// The weight of every cell; zero where nothing was measured of the cell alone.
    pub weight: Vec<f64>,
    /// The weighted mean of what was measured.
    pub centre: Vec<f64>,
}

impl Component {
    /// What was measured of single cells, taken together.
    pub fn own(&self, measured: &[f64]) -> Own {
        let cells = self.fibre.cells.len();
        let mut own = Own { weight: vec![0.0; cells], centre: vec![0.0; cells] };
        for term in &self.terms {
            if let [(place, times)] = term.entries[..] {
                let (place, times) = (place as usize, times as f64);
                own.weight[place] += term.weight * times * times;
                own.centre[place] += term.weight * times * term.target(measured);
            }
        }
        for (centre, weight) in own.centre.iter_mut().zip(&own.weight).filter(|(_, weight)| **weight > 0.0) {
            *centre /= weight;
        }
        own
    }

    /// The measured sums over several cells.
    pub fn sums(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter().filter(|term| term.entries.len() > 1)
    }

    /// Whether every cell is measured by itself, and at most one row is asked: then sorting solves.
    pub fn is_single(&self) -> bool {
        self.fibre.rows.len() <= 1 && self.terms.iter().all(|term| term.entries.len() == 1) && {
            let mut known = vec![false; self.fibre.cells.len()];
            self.terms.iter().for_each(|term| known[term.entries[0].0 as usize] = true);
            known.into_iter().all(|known| known)
        }
    }

    /// Integers that were found, if they keep all that is asked; otherwise why there are none.
    pub fn checked(&self, found: Result<Vec<i64>, Failure>, names: &[String], what: &str) -> Result<Vec<i64>, Problem> {
        let why = match found {
            Ok(values) if self.fibre.contains(&values) => return Ok(values),
            Ok(_) => unsolved(what, "the integers that were found do not keep all totals, bounds and rules"),
            Err(Failure::Infeasible) => return Err(infeasible(&self.fibre, &self.names(names))),
            Err(Failure::Stopped(problem)) => problem,
        };
        Err(stopped(&self.fibre, &self.names(names), why))
    }

    /// The names of the rows among the names of the whole.
    pub fn names(&self, names: &[String]) -> Vec<String> {
        let name = |row: &usize| names.get(*row).cloned().unwrap_or_else(|| format!("row {}", row + 1));
        self.rows_of.iter().map(name).collect()
    }
}

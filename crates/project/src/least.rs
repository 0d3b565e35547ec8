//! Least squares of one part: with equalities alone, or with bounds and rules too.

use crate::component::Component;
use crate::factor::{Factored, Row};
use crate::faults::{infeasible, stopped};
use crate::integer_form::Limits;
use crate::quadratic::Quadratic;
use crate::single::Single;
use analyse::{Demand, Fibre};
use declare::Problem;

/// The most iterations of the interior point method.
const MOST_ITERATIONS: u32 = 200;

/// The weight, relative to the least one, that cells without measurement get for a moment.
const FAINT: f64 = 1e-6;

/// A part made ready for least squares under its equalities.
#[derive(Debug)]
pub(crate) enum Plain {
    /// One total: directly.
    Single,
    /// Several: factorised.
    Factored(Box<Factored>, Vec<f64>),
}

impl Plain {
    /// Of a part without bounds and rules.
    pub fn new(part: &Component) -> Result<Plain, Problem> {
        if part.is_single() {
            return Ok(Plain::Single);
        }
        let own = part.own(&vec![0.0; part.terms.iter().map(|term| term.measured + 1).max().unwrap_or(0)]);
        let sums = part.sums().map(|term| (real(&term.entries), term.weight)).collect();
        let (rows, values) = part.fibre.equalities().map(|(entries, value)| (real(entries), value as f64)).unzip();
        Ok(Plain::Factored(Box::new(Factored::new(&own.weight, sums, rows)?), values))
    }

    /// The nearest values with these totals.
    pub fn solve(&self, part: &Component, measured: &[f64], names: &[String]) -> Result<Vec<f64>, Problem> {
        let own = part.own(measured);
        match self {
            Plain::Single => {
                let found = Single::new(&part.fibre).least_squares(&own.weight, &own.centre);
                found.ok_or_else(|| infeasible(&part.fibre, &part.names(names)))
            }
            Plain::Factored(factors, values) => {
                let targets: Vec<f64> = part.sums().map(|term| term.target(measured)).collect();
                let found = factors.solve(&own.centre, &targets, values);
                // Refinement ends far from totals that contradict each other.
                found.map(|found| found.values).map_err(|problem| stopped(&part.fibre, &part.names(names), problem))
            }
        }
    }
}

/// The nearest values of a part that keep its totals, bounds and rules.
pub(crate) fn nonnegative(part: &Component, measured: &[f64], names: &[String]) -> Result<Vec<f64>, Problem> {
    let own = part.own(measured);
    let none = || infeasible(&part.fibre, &part.names(names));
    if part.is_single() {
        return Single::new(&part.fibre).least_squares(&own.weight, &own.centre).ok_or_else(none);
    }
    let bounds = forced(&part.fibre).ok_or_else(none)?;
    let (mut quadratic, free, mut values) =
        Quadratic::of(part, &own.weight, &own.centre, &bounds, measured).ok_or_else(none)?;
    let solve = |quadratic: &Quadratic| {
        quadratic.solve(MOST_ITERATIONS).map_err(|problem| stopped(&part.fibre, &part.names(names), problem))
    };
    let unmeasured: Vec<usize> = (0..free.len()).filter(|cell| quadratic.weight[*cell] == 0.0).collect();
    let mut found = if free.is_empty() {
        Vec::new()
    } else {
        // Cells that nothing measures are drawn to zero, faintly; then to where that put them, so
        // that it leaves no trace in what is measured. So of all nearest tables the one with the
        // least sum of squares in these cells is taken.
        let weights = quadratic.weight.iter().copied().chain(quadratic.sums.iter().map(|sum| sum.1));
        let least = weights.filter(|weight| *weight > 0.0).fold(f64::INFINITY, f64::min);
        let faint = if least.is_finite() { FAINT * least } else { 1.0 };
        unmeasured.iter().for_each(|cell| quadratic.weight[*cell] = faint);
        solve(&quadratic)?
    };
    if !unmeasured.is_empty() && !quadratic.sums.is_empty() {
        unmeasured.iter().for_each(|cell| quadratic.centre[*cell] = found[*cell]);
        found = solve(&quadratic)?;
    }
    free.iter().zip(found).for_each(|(cell, value)| values[*cell as usize] = value);
    Ok(values)
}

impl Quadratic {
    /// The problem of a part without the cells that bounds fix, those cells' numbers, and the
    /// values of all with the fixed ones set. `None` when the fixed cells contradict a row.
    fn of(
        part: &Component,
        weight: &[f64],
        centre: &[f64],
        bounds: &[Limits],
        measured: &[f64],
    ) -> Option<(Quadratic, Vec<u32>, Vec<f64>)> {
        let mut quadratic = Quadratic::default();
        let (mut free, mut place) = (Vec::new(), vec![None; bounds.len()]);
        let mut values = vec![0.0; bounds.len()];
        for (cell, (low, high)) in bounds.iter().enumerate() {
            match (low, high) {
                (Some(low), Some(high)) if low == high => values[cell] = *low as f64,
                _ => {
                    place[cell] = Some(free.len() as u32);
                    free.push(cell as u32);
                    quadratic.weight.push(weight[cell]);
                    quadratic.centre.push(centre[cell]);
                    let end = |bound: &Option<i64>, none: f64| bound.map_or(none, |bound| bound as f64);
                    quadratic.bounds.push((end(low, f64::NEG_INFINITY), end(high, f64::INFINITY)));
                }
            }
        }
        let inside = |entries: &[(u32, i64)]| -> (Row, f64) {
            let (mut row, mut fixed) = (Row::new(), 0.0);
            for (cell, times) in entries {
                match place[*cell as usize] {
                    Some(place) => row.push((place, *times as f64)),
                    None => fixed += values[*cell as usize] * *times as f64,
                }
            }
            (row, fixed)
        };
        for term in part.sums() {
            let (row, fixed) = inside(&term.entries);
            match row[..] {
                [] => {}
                [(cell, times)] => {
                    let (cell, more, target) =
                        (cell as usize, term.weight * times * times, (term.target(measured) - fixed) / times);
                    let sum = quadratic.weight[cell] + more;
                    quadratic.centre[cell] = (quadratic.weight[cell] * quadratic.centre[cell] + more * target) / sum;
                    quadratic.weight[cell] = sum;
                }
                _ => quadratic.sums.push((row, term.weight, term.target(measured) - fixed)),
            }
        }
        for row in &part.fibre.rows {
            let (entries, fixed) = inside(&row.entries);
            let negative = || entries.iter().map(|(cell, times)| (*cell, -times)).collect();
            let holds = match row.demand {
                Demand::Equal(value) => fixed == value as f64,
                Demand::AtLeast(value) => fixed >= value as f64,
                Demand::AtMost(value) => fixed <= value as f64,
                Demand::Noisy { .. } => true,
            };
            match row.demand {
                _ if entries.is_empty() => {
                    if !holds {
                        return None;
                    }
                }
                Demand::Equal(value) => quadratic.equal.push((entries, value as f64 - fixed)),
                Demand::AtLeast(value) => quadratic.at_least.push((entries, value as f64 - fixed)),
                Demand::AtMost(value) => quadratic.at_least.push((negative(), fixed - value as f64)),
                Demand::Noisy { .. } => {}
            }
        }
        Some((quadratic, free, values))
    }
}

/// Bounds with all cells fixed that a row forces to its end: a total that its cells can only just
/// reach. `None`: out of reach.
///
/// An interior point method needs an interior; totals of zero over counts are the usual way to have
/// none.
fn forced(fibre: &Fibre) -> Option<Vec<Limits>> {
    let mut bounds = fibre.bounds.clone();
    if bounds.iter().any(|(low, high)| low.zip(*high).is_some_and(|(low, high)| low > high)) {
        return None;
    }
    loop {
        let mut changed = false;
        for row in &fibre.rows {
            let (least, most) = match row.demand {
                Demand::Equal(value) => (Some(value), Some(value)),
                Demand::AtLeast(value) => (Some(value), None),
                Demand::AtMost(value) => (None, Some(value)),
                Demand::Noisy { .. } => continue,
            };
            // The sum must not be above `most`: its least possible value; and the same from below.
            for (limit, sign) in [(most, 1), (least, -1)] {
                let Some(limit) = limit else { continue };
                let end = |bounds: &[Limits], cell: u32, times: i64| {
                    let (low, high) = bounds[cell as usize];
                    if times * sign > 0 { low } else { high }
                };
                let Some(reached) = row.entries.iter().try_fold(0i128, |sum, (cell, times)| {
                    end(&bounds, *cell, *times).map(|end| sum + i128::from(end) * i128::from(times * sign))
                }) else {
                    continue;
                };
                let limit = i128::from(limit) * i128::from(sign);
                if reached > limit {
                    return None;
                }
                if reached == limit {
                    for (cell, times) in &row.entries {
                        let end = end(&bounds, *cell, *times);
                        changed |= bounds[*cell as usize] != (end, end);
                        bounds[*cell as usize] = (end, end);
                    }
                }
            }
        }
        if !changed {
            return Some(bounds);
        }
    }
}

fn real(entries: &[(u32, i64)]) -> Row {
    entries.iter().map(|(cell, times)| (*cell, *times as f64)).collect()
}

//! `IntegerForm`: the rows of a part as integer programs see them, and the network that they are,
//! if they are one.

use crate::bundle::CellArc;
use crate::convex::{Convex, UNIT, whole_weights};
use crate::network::{Network, Sum};
use crate::program::{Failure, Measured, Program};
use crate::redundant::independent;
use analyse::{Demand, Fibre};
use std::collections::HashSet;

/// A bound of a cell or a sum below and above.
pub(crate) type Limits = (Option<i64>, Option<i64>);

/// Which rows and measured sums are over several cells, and the network of these.
#[derive(Debug)]
pub(crate) struct IntegerForm {
    /// Rows of the fibre, and the size of their coefficients where that is one number.
    rows: Vec<(usize, i64)>,
    /// Measured sums likewise.
    terms: Vec<(usize, i64)>,
    network: Option<Network>,
}

/// A measured sum: entries, weight, target.
pub(crate) type Wish<'a> = (&'a [(u32, i64)], f64, i64);

impl IntegerForm {
    /// Of the rows of a fibre without noisy rows, and of sums that have costs.
    pub fn new(fibre: &Fibre, terms: &[&[(u32, i64)]]) -> IntegerForm {
        let several = |(number, entries): (usize, &[(u32, i64)])| (entries.len() > 1).then(|| (number, size(entries)));
        let entries = fibre.rows.iter().map(|row| row.entries.as_slice());
        let rows: Vec<(usize, i64)> = entries.enumerate().filter_map(several).collect();
        let sums: Vec<(usize, i64)> = terms.iter().copied().enumerate().filter_map(several).collect();
        let all = IntegerForm { rows, terms: sums, network: None }.recognised(fibre, terms);
        if all.network.is_some() {
            return all;
        }
        // Totals that repeat others, and measured sums of totals, grant or cost nothing, but may
        // cross what is a network.
        let is_total = |row: usize| matches!(fibre.rows[row].demand, Demand::Equal(_));
        let totals: Vec<usize> = all.rows.iter().map(|(row, _)| *row).filter(|row| is_total(*row)).collect();
        let of_totals: Vec<&[(u32, i64)]> = totals.iter().map(|row| fibre.rows[*row].entries.as_slice()).collect();
        let of_terms: Vec<&[(u32, i64)]> = all.terms.iter().map(|(term, _)| terms[*term]).collect();
        let (kept, free) = independent(fibre.cells.len(), &of_totals, &of_terms);
        let repeated: HashSet<usize> =
            totals.into_iter().zip(kept).filter(|(_, kept)| !kept).map(|(row, _)| row).collect();
        let rows = all.rows.into_iter().filter(|(row, _)| !repeated.contains(row)).collect();
        let terms_left = all.terms.into_iter().zip(free).filter(|(_, free)| *free).map(|(term, _)| term).collect();
        IntegerForm { rows, terms: terms_left, network: None }.recognised(fibre, terms)
    }

    /// Finds its network, if it is one.
    fn recognised(mut self, fibre: &Fibre, terms: &[&[(u32, i64)]]) -> IntegerForm {
        let plain = |entries: &[(u32, i64)], size: i64| -> Vec<(u32, i64)> {
            entries.iter().map(|(cell, times)| (*cell, times / size)).collect()
        };
        if self.rows.iter().chain(&self.terms).all(|(_, size)| *size != 0) {
            let asked = self.rows.iter().map(|(row, size)| plain(&fibre.rows[*row].entries, *size));
            let measured = self.terms.iter().map(|(term, size)| plain(terms[*term], *size));
            self.network = Network::new(fibre.cells.len(), &asked.chain(measured).collect::<Vec<_>>());
        }
        self
    }

    /// Integers within limits under the rows of a fibre, with the least `Σ weight·|sum − target|`.
    /// A search tells at most so many cases apart.
    pub fn least_absolute(&self, fibre: &Fibre, wishes: &[Wish<'_>], most_cases: u64) -> Result<Vec<i64>, Failure> {
        let mut near = vec![0i64; fibre.cells.len()];
        for (entries, _, target) in wishes {
            if let [(cell, times)] = entries {
                near[*cell as usize] = target.div_euclid(*times);
            }
        }
        let Some(network) = &self.network else {
            let terms = wishes.iter().map(|(entries, weight, target)| (*entries, *weight, *target as f64)).collect();
            return searched(fibre, fibre.bounds.clone(), terms, near, most_cases);
        };
        let (limits, mut sums) = self.limited(fibre, &fibre.bounds).ok_or(Failure::Infeasible)?;
        let weights: Vec<f64> = wishes.iter().map(|(_, weight, _)| *weight).collect();
        let weights = whole_weights(&weights);
        let mut costs = vec![Convex::default(); fibre.cells.len()];
        for ((entries, _, target), weight) in wishes.iter().zip(&weights) {
            if let [(cell, times)] = entries {
                costs[*cell as usize].add_distance(*weight, *times, *target);
            }
        }
        for (term, size) in &self.terms {
            let mut cost = Convex::default();
            cost.add_distance(weights[*term], *size, wishes[*term].2);
            sums.push(Sum { low: None, high: None, cost });
        }
        let cells: Vec<CellArc> = costs
            .into_iter()
            .zip(limits)
            .zip(&near)
            .map(|((cost, (low, high)), wish)| CellArc { low, high, cost, wish: *wish })
            .collect();
        network.cheapest(&cells, &sums).ok_or(Failure::Infeasible)
    }

    /// Integers within limits under the rows of a fibre, nearest to real values.
    pub fn nearest(
        &self,
        fibre: &Fibre,
        limits: Vec<Limits>,
        real: &[f64],
        most_cases: u64,
    ) -> Result<Vec<i64>, Failure> {
        let near: Vec<i64> = real.iter().map(|value| value.round() as i64).collect();
        let Some(network) = &self.network else {
            let cells: Vec<[(u32, i64); 1]> = (0..real.len() as u32).map(|cell| [(cell, 1)]).collect();
            let terms = cells.iter().zip(real).map(|(cell, value)| (&cell[..], 1.0, *value)).collect();
            return searched(fibre, limits, terms, near, most_cases);
        };
        let (limits, sums) = self.limited(fibre, &limits).ok_or(Failure::Infeasible)?;
        let cell = |((value, (low, high)), wish): ((&f64, Limits), &i64)| {
            let mut cost = Convex::default();
            cost.add_distance_to_real(UNIT, *value);
            CellArc { low, high, cost, wish: *wish }
        };
        let cells: Vec<CellArc> = real.iter().zip(limits).zip(&near).map(cell).collect();
        network.cheapest(&cells, &sums).ok_or(Failure::Infeasible)
    }

    /// Limits of cells and of sums over several cells; `None` when a row contradicts itself.
    fn limited(&self, fibre: &Fibre, bounds: &[Limits]) -> Option<(Vec<Limits>, Vec<Sum>)> {
        let mut bounds = bounds.to_vec();
        for row in fibre.rows.iter().filter(|row| row.entries.len() <= 1) {
            let (low, high) = divided(row.demand, row.entries.first().map_or(1, |(_, times)| *times))?;
            match row.entries.first() {
                Some((cell, _)) => bounds[*cell as usize] = within(bounds[*cell as usize], (low, high)),
                None if low.is_some_and(|low| low > 0) || high.is_some_and(|high| high < 0) => return None,
                None => {}
            }
        }
        let sum = |(row, size): &(usize, i64)| {
            let (low, high) = divided(fibre.rows[*row].demand, *size)?;
            Some(Sum { low, high, cost: Convex::default() })
        };
        Some((bounds, self.rows.iter().map(sum).collect::<Option<Vec<Sum>>>()?))
    }
}

/// By branch and bound, as integers.
fn searched(
    fibre: &Fibre,
    bounds: Vec<Limits>,
    terms: Vec<Measured<'_>>,
    near: Vec<i64>,
    most_cases: u64,
) -> Result<Vec<i64>, Failure> {
    let program = Program { rows: &fibre.rows, bounds, terms, near, whole: true, most_cases };
    Ok(program.solve()?.iter().map(|value| *value as i64).collect())
}

/// Both limits together.
pub(crate) fn within(one: Limits, other: Limits) -> Limits {
    (one.0.max(other.0), [one.1, other.1].into_iter().flatten().min())
}

/// What a demand on `times·f` asks of f; `None` when no integer has it.
fn divided(demand: Demand, times: i64) -> Option<Limits> {
    let up = |value: i64| -(-value).div_euclid(times.abs());
    let down = |value: i64| value.div_euclid(times.abs());
    let (low, high) = match demand {
        Demand::Equal(value) if value % times != 0 => return None,
        Demand::Equal(value) => (Some(value / times.abs()), Some(value / times.abs())),
        Demand::AtLeast(value) => (Some(up(value)), None),
        Demand::AtMost(value) => (None, Some(down(value))),
        Demand::Noisy { .. } => (None, None),
    };
    Some(if times > 0 { (low, high) } else { (high.map(|high| -high), low.map(|low| -low)) })
}

/// The size of all coefficients, zero where they differ.
fn size(entries: &[(u32, i64)]) -> i64 {
    let first = entries.first().map_or(1, |(_, times)| times.abs());
    if entries.iter().all(|(_, times)| times.abs() == first) { first } else { 0 }
}

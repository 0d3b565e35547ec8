//! Makes the moves of a lattice walk ready: proposals tuned on public quantities, and the lines that can be used.

use super::lattice_kernel::{Choice, Moves};
use super::line::Line;
use super::space::{Space, Step, Tracked};
use super::{Ready, Walk};
use crate::law::NoiseLaw;
use exact::Rational;
use std::collections::HashMap;

impl Walk {
    /// Makes the moves ready.
    pub fn ready(&self) -> Ready {
        let space = Space::new(&self.fibre);
        let rates = self.proposal_rates(&space);
        let product = self.law.as_ref().is_none_or(NoiseLaw::is_product);
        let lines = if product && self.lines { analyse::lines(&self.fibre) } else { Vec::new() };
        let lines = lines.iter().filter_map(|line| self.usable(&space, line)).collect();
        let choice = if self.lines { Choice::All } else { Choice::Coordinates };
        let families = if self.law.is_some() && product { analyse::families(&self.fibre) } else { Vec::new() };
        Ready { moves: Moves::new(space, self.lattice.basis(), rates, lines, families, choice) }
    }

    /// The smallest and the largest rate of the double geometric units that moves along single vectors propose: tuned on public
    /// quantities alone.
    pub fn proposals(&self) -> Option<(Rational, Rational)> {
        let rates = self.proposal_rates(&Space::new(&self.fibre));
        rates.iter().min().cloned().zip(rates.iter().max().cloned())
    }

    fn proposal_rates(&self, space: &Space) -> Vec<Rational> {
        let basis = self.lattice.basis();
        basis.iter().map(|vector| self.proposal_rate(space, &space.step(vector), basis.len())).collect()
    }

    /// A line as the walk uses it: a bounded or noisy sum may depend on one column, or move as the (zero) sum of all units.
    fn usable(&self, space: &Space, line: &analyse::Line) -> Option<Line> {
        let mut columns: Vec<Step> = line.iter().map(|vector| space.step(vector)).collect();
        let mut seen: HashMap<u32, Vec<i64>> = HashMap::new();
        for column in &columns {
            column.rows.iter().for_each(|(row, times)| seen.entry(*row).or_default().push(*times));
        }
        let all = columns.len();
        let cancels = |times: &[i64]| times.len() == all && times.iter().all(|other| *other == times[0]);
        if seen.values().any(|times| times.len() > 1 && !cancels(times)) {
            return None;
        }
        for column in &mut columns {
            column.rows.retain(|(row, _)| seen[row].len() == 1);
        }
        let held = |column: &Step| {
            let noisy = |(row, _): &(u32, i64)| matches!(space.rows[*row as usize], Tracked::Noisy { .. });
            let bounded = |sign: i64| {
                column.cells.iter().any(|(place, times)| {
                    let (low, high) = space.bounds[*place as usize];
                    if times * sign > 0 { high.is_some() } else { low.is_some() }
                })
            };
            self.law.is_some() || column.rows.iter().any(noisy) || bounded(1) && bounded(-1)
        };
        columns.iter().all(held).then_some(Line { columns })
    }

    /// How far a move along a vector reaches, from public values alone: about as far as the noise does.
    fn proposal_rate(&self, space: &Space, step: &Step, dimension: usize) -> Rational {
        let length: f64 = step.cells.iter().map(|(_, times)| times.abs() as f64).sum();
        let squared: f64 = step.cells.iter().map(|(_, times)| (times * times) as f64).sum();
        let cells = match &self.law {
            Some(NoiseLaw::DoubleGeometric { epsilon } | NoiseLaw::Laplace { epsilon }) => epsilon.to_f64() * length,
            Some(NoiseLaw::DiscreteGaussian { variance } | NoiseLaw::Gaussian { variance }) => {
                0.6 * (squared / variance.to_f64()).sqrt()
            }
            Some(NoiseLaw::LatticeLaplace { epsilon }) => epsilon.to_f64() * (squared / dimension as f64).sqrt(),
            None => 0.0,
        };
        let noisy = step.rows.iter().map(|(row, times)| match space.rows[*row as usize] {
            Tracked::Noisy { query, .. } => self.rates[query as usize].to_f64() * times.abs() as f64,
            _ => 0.0,
        });
        let rate = (cells + noisy.sum::<f64>()).clamp(1.0 / 4096.0, 3.0);
        Rational::new((rate * 4096.0).round() as u64, 4096u32)
    }
}

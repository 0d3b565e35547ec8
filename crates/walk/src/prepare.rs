//! Makes the moves of a lattice walk ready: proposals tuned on public quantities, and the lines
//! that can be used.

use super::Walk;
use super::lattice_kernel::WalkMoves;
use super::line::{FIRST_TRIM, Line, PROPOSED_DEPTH};
use super::space::{Space, Step, Tracked};
use super::stand_in::{precisions, rate};
use draw::{Growth, NoiseLaw};
use exact::Rational;
use std::collections::HashMap;

/// Lines whose columns reach farther are not redrawn.
const LONGEST_REACH: f64 = 256.0;
/// The longest reach of free lines, whose weights are added up once.
const LONGEST_FREE_REACH: f64 = 1024.0;

/// Whether all columns of a line change the totals alike, so that units that add up to zero change
/// none.
fn keeps_totals(totals: &[Vec<(u32, i64)>], line: &analyse::Line) -> bool {
    let change = |column: &Vec<(u32, i64)>| {
        let mut change: HashMap<u32, i64> = HashMap::new();
        for (place, units) in column {
            totals[*place as usize].iter().for_each(|(row, times)| *change.entry(*row).or_default() += units * times);
        }
        change.retain(|_, change| *change != 0);
        change
    };
    let Some(first) = line.first().map(change) else { return false };
    line.iter().skip(1).all(|column| change(column) == first)
}

impl Walk {
    /// Makes the moves ready.
    pub fn ready(&self) -> WalkMoves {
        let space = Space::new(&self.fibre);
        let rates = self.proposal_rates(&space);
        let product = self.law.as_ref().is_none_or(NoiseLaw::is_product);
        // A norm is no product over cells: discrete Gaussian laws stand in for it.
        let precisions = self.stand_ins();
        let lines =
            if (product || !precisions.is_empty()) && self.lines { analyse::lines(&self.fibre) } else { Vec::new() };
        let totals = self.totals_of();
        let keeps = |line: &&analyse::Line| keeps_totals(&totals, line);
        let lines: Vec<Line> = lines.iter().filter(keeps).filter_map(|line| self.usable(&space, line)).collect();
        let proposes_whole = self.lines && self.whole && self.law.is_some() && product;
        let families = if proposes_whole { analyse::families(&self.fibre) } else { Vec::new() };
        let families = if families.len() > 1 && self.are_all(&families) { families } else { Vec::new() };
        let seconds = (self.line_seconds(&space, &lines), self.whole_seconds());
        let bounded = space.is_bounded();
        let moves = WalkMoves::new(space, self.lattice.basis(), rates, (lines, families, precisions), seconds);
        // Without bounds the vectors of the basis join all tables.
        match &self.circulation {
            Ok(graph) if bounded && self.lines => moves.with_circuits(graph.clone()),
            _ => moves,
        }
    }

    /// The equalities that every place is in, with its coefficients.
    fn totals_of(&self) -> Vec<Vec<(u32, i64)>> {
        let mut totals = vec![Vec::new(); self.fibre.cells.len()];
        for (row, (entries, _)) in self.fibre.equalities().enumerate() {
            entries.iter().for_each(|(place, times)| totals[*place as usize].push((row as u32, *times)));
        }
        totals
    }

    /// Whether families of totals say all that the equalities do: every total is made of whole
    /// groups of one of them.
    fn are_all(&self, families: &[analyse::Family]) -> bool {
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        families.iter().flatten().for_each(|group| *sizes.entry(*group).or_default() += 1);
        self.fibre.equalities().all(|(entries, _)| {
            families.iter().any(|family| {
                let mut inside: HashMap<u32, usize> = HashMap::new();
                entries.iter().for_each(|(place, _)| *inside.entry(family[*place as usize]).or_default() += 1);
                inside.iter().all(|(group, cells)| *group != declare::NO_GROUP && sizes[group] == *cells)
                    && entries.iter().all(|(_, times)| *times == 1)
            })
        })
    }

    /// What stands in for the law when lines are redrawn; nothing where it is a product over cells.
    fn stand_ins(&self) -> Vec<i64> {
        match &self.law {
            Some(law) if !law.is_product() => precisions(law.parameter(), self.lattice.basis().len()),
            _ => Vec::new(),
        }
    }

    /// How far from its likeliest value a column's weights reach, from public values alone.
    fn reach(&self, space: &Space, column: &Step) -> f64 {
        let depth = f64::from(FIRST_TRIM) * std::f64::consts::LN_2;
        let cells = column.cells.len() as f64;
        let parameter = self.law.as_ref().map_or(0.0, |law| law.parameter().to_f64());
        let slope = match self.law.as_ref().map(NoiseLaw::growth) {
            Some(Growth::Square) => return (2.0 * depth * parameter / cells).sqrt(),
            Some(Growth::Norm) => {
                let least = self.stand_ins().first().map_or(0.0, |precision| rate(*precision).to_f64());
                return (depth / (least * cells)).sqrt();
            }
            Some(Growth::Absolute | Growth::Other) => parameter * cells,
            None => 0.0,
        };
        depth / (slope + self.noisy_rate(space, column))
    }

    /// The rates of the noisy sums that a unit of a direction changes, together.
    fn noisy_rate(&self, space: &Space, step: &Step) -> f64 {
        let noisy = step.rows.iter().map(|(row, times)| match space.rows[*row as usize] {
            Tracked::Noisy { query, .. } => self.rates[query as usize].to_f64() * times.abs() as f64,
            _ => 0.0,
        });
        noisy.sum()
    }

    /// The seconds that redrawing a line takes, about: sums of products of weights.
    fn line_seconds(&self, space: &Space, lines: &[Line]) -> f64 {
        let seconds = |line: &Line| {
            let width = 2.0 * line.columns.iter().map(|column| self.reach(space, column)).fold(0.0, f64::max) + 1.0;
            // Weights of free lines are added up once; then every node chooses among as many sums
            // as a few columns reach.
            let each = if line.free { width * 3e-9 } else { width * 40e-9 + width * width * 1e-9 };
            line.columns.len() as f64 * (200e-9 + each)
        };
        lines.iter().map(seconds).sum::<f64>() / lines.len().max(1) as f64
    }

    /// The seconds that proposing and weighing a whole table takes, about.
    fn whole_seconds(&self) -> f64 {
        let width = match &self.law {
            Some(law) if law.is_product() => 2.0 * law.reach(PROPOSED_DEPTH),
            _ => 1.0,
        };
        self.fibre.cells.len() as f64 * (width * 80e-9 + width * width * 0.5e-9)
    }

    /// The smallest and the largest rate of the double geometric units that moves along single
    /// vectors propose: tuned on public quantities alone.
    pub fn proposals(&self) -> Option<(Rational, Rational)> {
        let rates = self.proposal_rates(&Space::new(&self.fibre));
        rates.iter().min().cloned().zip(rates.iter().max().cloned())
    }

    fn proposal_rates(&self, space: &Space) -> Vec<Rational> {
        let basis = self.lattice.basis();
        basis.iter().map(|vector| self.proposal_rate(space, &space.step(vector), basis.len())).collect()
    }

    /// A line as the walk uses it: a bounded or noisy sum may depend on one column, or move as the
    /// (zero) sum of all units.
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
        // Weights that reach too far, or have no end but the bounds, would take too long to add up.
        let alone = |column: &Step| {
            let place = column.cells[0].0 as usize;
            column.cells.len() == 1 && column.rows.is_empty() && space.bounds[place] == (None, None)
        };
        let free = columns.iter().all(alone);
        let longest = if free { LONGEST_FREE_REACH } else { LONGEST_REACH };
        let short = |column: &Step| self.reach(space, column) <= longest;
        columns.iter().all(short).then_some(Line { columns, free })
    }

    /// How far a move along a vector reaches, from public values alone: about as far as the noise
    /// does.
    fn proposal_rate(&self, space: &Space, step: &Step, dimension: usize) -> Rational {
        let length: f64 = step.cells.iter().map(|(_, times)| times.abs() as f64).sum();
        let squared: f64 = step.cells.iter().map(|(_, times)| (times * times) as f64).sum();
        let parameter = self.law.as_ref().map_or(0.0, |law| law.parameter().to_f64());
        let cells = match self.law.as_ref().map(NoiseLaw::growth) {
            Some(Growth::Absolute | Growth::Other) => parameter * length,
            Some(Growth::Square) => 0.6 * (squared / parameter).sqrt(),
            Some(Growth::Norm) => parameter * (squared / dimension as f64).sqrt(),
            None => 0.0,
        };
        let rate = (cells + self.noisy_rate(space, step)).clamp(1.0 / 4096.0, 3.0);
        Rational::new((rate * 4096.0).round() as u64, 4096u32)
    }
}

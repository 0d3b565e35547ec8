//! Chains for posteriors that nothing draws from directly: totals of three dimensions that cross,
//! cascades with many small counts.
//!
//! A chain of short steps of the lattice of the totals, accepted by the quotient of weights
//! (Metropolis). It may leave bounds and rules, at a price e^{−β·violation}, and what it visits
//! outside them is left out: so the verified basis of the lattice joins all tables, whatever the
//! bounds, and the tables that are kept have the posterior's weights in the long run. β is doubled
//! until many are kept. Several chains run side by side; how many independent draws they are as
//! good as is told, and too few are refused. Proof: `proofs/posterior.md`.

use crate::pick::{stream, uniform};
use analyse::{Demand, Fibre, Lattice};
use declare::Problem;
use exact::{Entropy, Stream};
use rayon::prelude::*;
use std::collections::HashMap;
use walk::effective_size;

/// Cells by their place in a block, with how far each is moved.
type Steps = Vec<(u32, i64)>;

/// What weighs tables of a block, step by step.
pub(crate) trait Target: Sync {
    /// What is kept of a table between steps.
    type State: Send;

    fn start(&self, values: &[i64]) -> Self::State;

    /// The logarithm of the weight after a step less that before it.
    fn gain(&self, state: &mut Self::State, values: &[i64], step: &[(u32, i64)], times: i64) -> f64;

    /// The step that was just weighed is made.
    fn accept(&self, _: &mut Self::State) {}

    /// What weighing one step takes, about.
    fn seconds(&self) -> f64;

    /// How far counts vary, about: steps are taken so many times at once.
    fn scale(&self) -> f64;
}

/// How long, and how much is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Tables to keep, at most.
    pub(crate) draws: u64,
    pub(crate) seed: u64,
    /// What all chains together may be predicted to take.
    pub(crate) seconds: f64,
}

/// Tables that were kept.
#[derive(Debug)]
pub(crate) struct Visited {
    pub(crate) tables: Vec<Vec<i64>>,
    /// The share of looked-at tables that were within bounds and rules.
    pub(crate) inside: f64,
    /// The effective number of independent draws, of the cell that moves most slowly.
    pub(crate) effective: f64,
}

/// What separates the bits of chains from those of other draws.
const SALT: u64 = 0xcba1;
const CHAINS: u64 = 4;
/// Between two tables that are looked at: at most so many times the steps that would move every
/// direction twice.
const SWEEPS: f64 = 20.0;
/// The share of a chain that is left out at its beginning, one part of so many.
const BURNED: u64 = 5;
/// Tables looked at while β is found, and the share that must be inside.
const PILOT: u64 = 200;
const INSIDE: f64 = 0.3;
const LARGEST_BETA: f64 = 64.0;
/// Chains that are as good as fewer independent draws are run so many times as long.
const ENOUGH: f64 = 80.0;
const LONGER: [f64; 2] = [3.0, 9.0];
/// Cells whose traces are looked at.
const TRACED: usize = 400;
/// Sums of two vectors of the basis that are tried as steps too, for every vector.
const JOINED: usize = 16;
/// A step is taken at most so many scales at once.
const LONGEST: f64 = 2.5;

/// Sums of distances that differ by less are the same.
const EQUAL: f64 = 1e-9;

/// A block with its steps.
#[derive(Debug)]
pub(crate) struct Walkable<'f> {
    fibre: &'f Fibre,
    moves: Vec<Steps>,
    dimension: usize,
    /// For every cell the rows that bind it, with its coefficient.
    rows_of: Vec<Vec<(usize, i64)>>,
}

impl<'f> Walkable<'f> {
    /// # Errors
    /// Refused when its lattice is not found.
    pub(crate) fn new(fibre: &'f Fibre, seed: u64) -> Result<Walkable<'f>, Problem> {
        let lattice = Lattice::of_fibre(fibre)?;
        let basis = lattice.basis();
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); fibre.cells.len()];
        for (number, vector) in basis.iter().enumerate() {
            vector.iter().for_each(|(cell, _)| touching[*cell as usize].push(number));
        }
        let mut moves = basis.to_vec();
        let mut bits = stream(seed ^ SALT, 0)?;
        for vector in basis {
            for _ in 0..JOINED {
                let (cell, own) = vector[below(&mut bits, vector.len())];
                let beside = &touching[cell as usize];
                let other = &basis[beside[below(&mut bits, beside.len())]];
                let theirs = other.iter().find(|(place, _)| *place == cell).map_or(1, |(_, times)| *times);
                let sum = added(vector, other, if own * theirs > 0 { -1 } else { 1 });
                if !sum.is_empty() && sum.len() <= vector.len().max(other.len()) {
                    moves.push(sum);
                }
            }
        }
        let mut rows_of: Vec<Vec<(usize, i64)>> = vec![Vec::new(); fibre.cells.len()];
        for (number, row) in fibre.rows.iter().enumerate() {
            if matches!(row.demand, Demand::AtLeast(_) | Demand::AtMost(_)) {
                row.entries.iter().for_each(|(cell, times)| rows_of[*cell as usize].push((number, *times)));
            }
        }
        Ok(Walkable { fibre, moves, dimension: basis.len(), rows_of })
    }

    fn outside_of_cell(&self, cell: usize, value: i64) -> i64 {
        let (low, high) = self.fibre.bounds[cell];
        low.map_or(0, |low| (low - value).max(0)) + high.map_or(0, |high| (value - high).max(0))
    }

    fn outside_of_row(&self, row: usize, sum: i64) -> i64 {
        match self.fibre.rows[row].demand {
            Demand::AtLeast(bound) => (bound - sum).max(0),
            Demand::AtMost(bound) => (sum - bound).max(0),
            Demand::Equal(_) | Demand::Noisy { .. } => 0,
        }
    }

    fn begin(&self, values: &[i64]) -> Position {
        let sum =
            |row: &analyse::FibreRow| row.entries.iter().map(|(cell, times)| values[*cell as usize] * times).sum();
        let sums: Vec<i64> = self.fibre.rows.iter().map(sum).collect();
        let cells: i64 = values.iter().enumerate().map(|(cell, value)| self.outside_of_cell(cell, *value)).sum();
        let rows: i64 = sums.iter().enumerate().map(|(row, sum)| self.outside_of_row(row, *sum)).sum();
        Position { values: values.to_vec(), sums, outside: cells + rows }
    }

    /// How much farther outside bounds and rules a step leads.
    fn farther(&self, position: &Position, step: &[(u32, i64)], times: i64) -> i64 {
        let mut farther = 0;
        let mut rows: Vec<(usize, i64)> = Vec::new();
        for (cell, moved) in step {
            let (place, value) = (*cell as usize, position.values[*cell as usize]);
            farther += self.outside_of_cell(place, value + times * moved) - self.outside_of_cell(place, value);
            for (row, taken) in &self.rows_of[place] {
                match rows.iter_mut().find(|(known, _)| known == row) {
                    Some((_, sum)) => *sum += taken * times * moved,
                    None => rows.push((*row, taken * times * moved)),
                }
            }
        }
        for (row, moved) in rows {
            let sum = position.sums[row];
            farther += self.outside_of_row(row, sum + moved) - self.outside_of_row(row, sum);
        }
        farther
    }

    fn make(&self, position: &mut Position, step: &[(u32, i64)], times: i64, farther: i64) {
        for (cell, moved) in step {
            position.values[*cell as usize] += times * moved;
            for (row, taken) in &self.rows_of[*cell as usize] {
                position.sums[*row] += taken * times * moved;
            }
        }
        position.outside += farther;
    }

    /// Runs chains from a table that has the totals.
    ///
    /// # Errors
    /// Refused when hardly any table that is visited is within bounds and rules.
    pub(crate) fn run<T: Target>(&self, target: &T, from: &[i64], plan: Plan) -> Result<Visited, Problem> {
        let sweep = 2.0 * self.dimension.max(1) as f64;
        let each = (plan.draws / CHAINS).max(25);
        let affordable = plan.seconds / CHAINS as f64 / target.seconds() / (each + each / BURNED) as f64;
        let between = affordable.min(SWEEPS * sweep).max(1.0) as u64;
        // As far inside as the price of leaving brings it, found once.
        let mut beta = 0.5;
        let mut start = from.to_vec();
        loop {
            let mut pilot = Walker::new(self, target, &start, beta, stream(plan.seed ^ SALT, 1 + beta.to_bits())?);
            let inside = (0..PILOT).filter(|_| pilot.walk((between / 4).max(1)) == 0).count();
            start = pilot.position.values;
            if inside as f64 >= INSIDE * PILOT as f64 {
                break;
            }
            if beta >= LARGEST_BETA {
                return Err(Problem::refused(
                    "a chain of tables finds hardly any within bounds and rules near the release",
                )
                .hint("ask for less: without --nonnegative or --rule"));
            }
            beta *= 2.0;
        }
        let chain = |number: u64| {
            let mut walker = Walker::new(self, target, &start, beta, stream(plan.seed ^ SALT, 1000 + number)?);
            for _ in 0..each / BURNED {
                walker.walk(between);
            }
            let look = |_| (walker.walk(between) == 0).then(|| walker.position.values.clone());
            Ok((0..each).filter_map(look).collect())
        };
        let chains: Vec<Vec<Vec<i64>>> = (0..CHAINS).into_par_iter().map(chain).collect::<Result<_, Problem>>()?;
        let kept: usize = chains.iter().map(Vec::len).sum();
        let effective = self.effective(&chains).min(kept as f64);
        let inside = kept as f64 / (each * CHAINS) as f64;
        Ok(Visited { tables: chains.into_iter().flatten().collect(), inside, effective })
    }

    /// Chains that are longer where short ones move too slowly.
    ///
    /// # Errors
    /// As [`Walkable::run`].
    pub(crate) fn run_long<T: Target>(&self, target: &T, from: &[i64], plan: Plan) -> Result<Visited, Problem> {
        let mut found = self.run(target, from, plan)?;
        for times in LONGER {
            if found.effective >= ENOUGH {
                break;
            }
            found = self.run(target, from, Plan { seconds: plan.seconds * times, ..plan })?;
        }
        Ok(found)
    }

    /// From a table within bounds and rules to one from which no step leads nearer to a point, by
    /// the sum of all distances and, where that is the same, of their squares. So many rounds at
    /// most.
    pub(crate) fn nearer(&self, from: &[i64], point: &[f64]) -> Vec<i64> {
        const ROUNDS: usize = 1000;
        let mut position = self.begin(from);
        for _ in 0..ROUNDS {
            let mut moved = false;
            for step in &self.moves {
                for times in [1, -1] {
                    let (mut sum, mut squares) = (0.0, 0.0);
                    for (cell, by) in step {
                        let away = position.values[*cell as usize] as f64 - point[*cell as usize];
                        let after = away + (times * by) as f64;
                        (sum, squares) = (sum + after.abs() - away.abs(), squares + after * after - away * away);
                    }
                    let better = sum < -EQUAL || (sum < EQUAL && squares < -EQUAL);
                    if better && self.farther(&position, step, times) == 0 {
                        self.make(&mut position, step, times, 0);
                        moved = true;
                    }
                }
            }
            if !moved {
                break;
            }
        }
        position.values
    }

    /// Of the cell that moves most slowly, among many.
    fn effective(&self, chains: &[Vec<Vec<i64>>]) -> f64 {
        let shortest = chains.iter().map(Vec::len).min().unwrap_or(0);
        let cells = self.fibre.cells.len();
        let stride = cells.div_ceil(TRACED).max(1);
        let of_cell = |cell: usize| {
            let trace = |chain: &Vec<Vec<i64>>| chain[..shortest].iter().map(|values| values[cell] as f64).collect();
            let traces: Vec<Vec<f64>> = chains.iter().map(trace).collect();
            // A cell that never moved tells nothing of how fast others move.
            let first = traces.iter().flatten().next().copied();
            let still = traces.iter().flatten().all(|value| Some(*value) == first);
            (!still).then(|| effective_size(&traces))
        };
        let cells: Vec<usize> = (0..cells).step_by(stride).collect();
        cells.into_par_iter().filter_map(of_cell).reduce(|| f64::INFINITY, f64::min)
    }
}

/// Where a chain is.
#[derive(Debug)]
struct Position {
    values: Vec<i64>,
    sums: Vec<i64>,
    /// How far it is outside bounds and rules.
    outside: i64,
}

struct Walker<'w, 'f, T: Target> {
    block: &'w Walkable<'f>,
    target: &'w T,
    state: T::State,
    position: Position,
    beta: f64,
    /// A step is taken up to 1, 2, 4, … times at once: so many of these.
    lengths: usize,
    bits: Stream,
}

impl<'w, 'f, T: Target> Walker<'w, 'f, T> {
    fn new(block: &'w Walkable<'f>, target: &'w T, from: &[i64], beta: f64, bits: Stream) -> Walker<'w, 'f, T> {
        let lengths = 1 + (LONGEST * target.scale()).max(1.0).log2().clamp(0.0, 20.0) as usize;
        Walker { block, target, state: target.start(from), position: block.begin(from), beta, lengths, bits }
    }

    /// Tries so many steps; how far outside it ends.
    fn walk(&mut self, steps: u64) -> i64 {
        for _ in 0..steps {
            let step = &self.block.moves[below(&mut self.bits, self.block.moves.len())];
            let longest = 1 << below(&mut self.bits, self.lengths);
            let size = 1 + below(&mut self.bits, longest) as i64;
            let times = if self.bits.bits(1) == 1 { size } else { -size };
            let farther = self.block.farther(&self.position, step, times);
            let gain = self.target.gain(&mut self.state, &self.position.values, step, times);
            if uniform(&mut self.bits).ln() < gain - self.beta * farther as f64 {
                self.target.accept(&mut self.state);
                self.block.make(&mut self.position, step, times, farther);
            }
        }
        self.position.outside
    }
}

fn below(bits: &mut Stream, count: usize) -> usize {
    ((uniform(bits) * count as f64) as usize).min(count.saturating_sub(1))
}

fn added(one: &[(u32, i64)], two: &[(u32, i64)], times: i64) -> Steps {
    let mut sum: HashMap<u32, i64> = one.iter().copied().collect();
    two.iter().for_each(|(cell, moved)| *sum.entry(*cell).or_default() += times * moved);
    let mut sum: Steps = sum.into_iter().filter(|(_, moved)| *moved != 0).collect();
    sum.sort_unstable();
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_to_the_nearest_table() {
        // Three by three with both margins, where flows tell the nearest table too.
        let line = |cells: [u32; 3], sum: i64| analyse::FibreRow {
            entries: cells.map(|cell| (cell, 1)).to_vec(),
            demand: Demand::Equal(sum),
        };
        let rows = vec![
            line([0, 1, 2], 6),
            line([3, 4, 5], 5),
            line([6, 7, 8], 7),
            line([0, 3, 6], 4),
            line([1, 4, 7], 8),
            line([2, 5, 8], 6),
        ];
        let fibre = Fibre { cells: (0..9).collect(), bounds: vec![(Some(0), None); 9], rows, noise_on_cells: true };
        let point = [0.3, 3.5, 2.2, 2.1, 0.7, 2.2, 1.6, 3.8, 1.6];
        let from = [4, 2, 0, 0, 5, 0, 0, 1, 6];
        assert!(fibre.contains(&from));
        let found = Walkable::new(&fibre, 1).unwrap().nearer(&from, &point);
        assert!(fibre.contains(&found));
        let away = |table: &[i64]| table.iter().zip(&point).map(|(one, two)| (*one as f64 - two).abs()).sum::<f64>();
        let nearest = project::round(&fibre, &point).unwrap();
        assert!((away(&found) - away(&nearest)).abs() < 1e-9, "{found:?} {nearest:?}");
        assert!(away(&found) < away(&from));
    }
}

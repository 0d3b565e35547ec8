//! `Quadratic`: least squares under totals, bounds and rules: an interior point finds what binds, a
//! factorisation the values.
//!
//! The interior point method (Clarabel) ends a small distance from the optimum. Which bounds and
//! rules bind there is taken from it, the rest is an equality problem for `factor`, and what binds
//! is corrected until all conditions of an optimum hold: cells within their bounds, rules kept, and
//! no bound or rule that pulls the wrong way. Then equalities hold to the last digits.

use crate::factor::{Factored, Row, Solution};
use crate::faults::unsolved;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use declare::Problem;

/// `min Σ weight·(y − centre)² + Σ weight·(sum − target)²` where equalities, `sum ≥ value` and
/// bounds hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quadratic {
    pub weight: Vec<f64>,
    pub centre: Vec<f64>,
    /// Measured sums with weights and targets.
    pub sums: Vec<(Row, f64, f64)>,
    pub equal: Vec<(Row, f64)>,
    pub at_least: Vec<(Row, f64)>,
    /// Infinite where there is none.
    pub bounds: Vec<(f64, f64)>,
}

/// How a bound binds its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Free,
    Low,
    High,
}

/// What binds: cells at their bounds, and rules.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Binding {
    cells: Vec<Held>,
    rules: Vec<bool>,
}

/// The most corrections of what binds.
const MOST_CORRECTIONS: usize = 40;

/// How far, of the largest number involved, a value may be beyond its bound or a multiplier on the
/// wrong side and count as on it.
const SLACK: f64 = 1e-9;

/// How far bounds are moved out where nothing is within all of them; counts are whole numbers.
const ROOM: f64 = 1e-6;

impl Quadratic {
    /// The optimum; `most_iterations` of the interior point method.
    pub fn solve(&self, most_iterations: u32) -> Result<Vec<f64>, Problem> {
        match self.interior(most_iterations, 0.0) {
            Ok((values, binding)) => self.corrected(binding).map_or_else(|| self.settled(values), Ok),
            Err(stopped) => self.widened(most_iterations).ok_or(stopped),
        }
    }

    /// Where totals leave a cell on its bound there is no interior, and the method may come no
    /// nearer: what binds is taken from bounds that are a little wider, and counts if all
    /// conditions of an optimum hold for the true ones.
    fn widened(&self, most_iterations: u32) -> Option<Vec<f64>> {
        let (_, binding) = self.interior(most_iterations, ROOM).ok()?;
        self.corrected(binding)
    }

    /// Values near the optimum, and what binds there, with so much room beyond all bounds and
    /// rules.
    fn interior(&self, most_iterations: u32, room: f64) -> Result<(Vec<f64>, Binding), Problem> {
        let (cells, sums) = (self.weight.len(), self.sums.len());
        let unit = self.weight.iter().copied().chain(self.sums.iter().map(|sum| sum.1)).fold(0.0, f64::max);
        let unit = if unit > 0.0 { unit } else { 1.0 };
        // Around the centres numbers are as small as the noise, and tolerances mean something.
        let shifted = |row: &Row| -> f64 { row.iter().map(|(cell, times)| times * self.centre[*cell as usize]).sum() };
        let mut rows: Vec<(Vec<(usize, f64)>, f64)> = Vec::new();
        let plain = |row: &Row, sign: f64| row.iter().map(|(cell, times)| (*cell as usize, sign * times)).collect();
        for (number, (row, _, target)) in self.sums.iter().enumerate() {
            let mut entries: Vec<(usize, f64)> = plain(row, 1.0);
            entries.push((cells + number, -1.0));
            rows.push((entries, target - shifted(row)));
        }
        rows.extend(self.equal.iter().map(|(row, value)| (plain(row, 1.0), value - shifted(row))));
        let equalities = rows.len();
        rows.extend(self.at_least.iter().map(|(row, value)| (plain(row, -1.0), shifted(row) - value + room)));
        for (cell, (low, high)) in self.bounds.iter().enumerate() {
            if low.is_finite() {
                rows.push((vec![(cell, -1.0)], self.centre[cell] - low + room));
            }
            if high.is_finite() {
                rows.push((vec![(cell, 1.0)], high - self.centre[cell] + room));
            }
        }
        let diagonal: Vec<f64> =
            self.weight.iter().copied().chain(self.sums.iter().map(|sum| sum.1)).map(|w| w / unit).collect();
        let size = cells + sums;
        let hessian = CscMatrix::new(size, size, (0..=size).collect(), (0..size).collect(), diagonal);
        let matrix = by_columns(&rows, size);
        let right: Vec<f64> = rows.iter().map(|(_, value)| *value).collect();
        let cones = [ZeroConeT(equalities), NonnegativeConeT(rows.len() - equalities)];
        let settings = DefaultSettings {
            verbose: false,
            max_iter: most_iterations,
            tol_gap_abs: 1e-9,
            tol_gap_rel: 1e-9,
            tol_feas: 1e-9,
            presolve_enable: false,
            max_threads: 1,
            ..DefaultSettings::default()
        };
        let stopped = |reason: String| unsolved("the interior point method", reason);
        let mut solver = DefaultSolver::new(&hessian, &vec![0.0; size], &matrix, &right, &cones, settings)
            .map_err(|error| stopped(error.to_string()))?;
        solver.solve();
        let found = &solver.solution;
        if found.status != SolverStatus::Solved {
            // Machine numbers prove nothing: whether there is no table, exact arithmetic says.
            return Err(stopped(format!("{}", found.status)));
        }
        let binds = |row: usize| found.z[row] > found.s[row];
        let rules: Vec<bool> = (0..self.at_least.len()).map(|rule| binds(equalities + rule)).collect();
        let mut row = equalities + rules.len();
        let mut held = Vec::with_capacity(cells);
        for (low, high) in &self.bounds {
            let mut state = Held::Free;
            for (bound, at) in [(low, Held::Low), (high, Held::High)] {
                if bound.is_finite() {
                    if binds(row) {
                        state = at;
                    }
                    row += 1;
                }
            }
            held.push(state);
        }
        let values = found.x[..cells].iter().zip(&self.centre).map(|(step, centre)| centre + step).collect();
        Ok((values, Binding { cells: held, rules }))
    }

    /// The values where exactly this binds.
    fn bound_by(&self, binding: &Binding) -> Result<(Vec<f64>, Solution, Vec<u32>), Problem> {
        let mut free = Vec::new();
        let mut place = vec![u32::MAX; self.weight.len()];
        let mut values = self.centre.clone();
        for (cell, held) in binding.cells.iter().enumerate() {
            match held {
                Held::Low => values[cell] = self.bounds[cell].0,
                Held::High => values[cell] = self.bounds[cell].1,
                Held::Free => {
                    place[cell] = free.len() as u32;
                    free.push(cell as u32);
                }
            }
        }
        let inside = |row: &Row, value: f64| -> (Row, f64) {
            let is_free = |cell: &u32| place[*cell as usize] != u32::MAX;
            let fixed: f64 =
                row.iter().filter(|(cell, _)| !is_free(cell)).map(|(cell, times)| times * values[*cell as usize]).sum();
            let left =
                row.iter().filter(|(cell, _)| is_free(cell)).map(|(cell, times)| (place[*cell as usize], *times));
            (left.collect(), value - fixed)
        };
        let (mut sums, mut targets) = (Vec::new(), Vec::new());
        for (row, weight, target) in &self.sums {
            let (row, target) = inside(row, *target);
            sums.push((row, *weight));
            targets.push(target);
        }
        let binding_rules = self.at_least.iter().zip(&binding.rules).filter(|(_, binds)| **binds).map(|(rule, _)| rule);
        let (rows, right): (Vec<Row>, Vec<f64>) =
            self.equal.iter().chain(binding_rules).map(|(row, value)| inside(row, *value)).unzip();
        let weight: Vec<f64> = free.iter().map(|cell| self.weight[*cell as usize]).collect();
        let centre: Vec<f64> = free.iter().map(|cell| self.centre[*cell as usize]).collect();
        let solution = Factored::new(&weight, sums, rows)?.solve(&centre, &targets, &right)?;
        free.iter().zip(&solution.values).for_each(|(cell, value)| values[*cell as usize] = *value);
        Ok((values, solution, free))
    }

    /// Corrects what binds until the conditions of an optimum hold; `None` when they do not come to
    /// hold.
    fn corrected(&self, mut binding: Binding) -> Option<Vec<f64>> {
        for _ in 0..MOST_CORRECTIONS {
            let (mut values, solution, _) = self.bound_by(&binding).ok()?;
            let scale = values.iter().fold(1.0, |scale: f64, value| scale.max(value.abs()));
            let pull = self.pull(&values, &solution, &binding);
            let heavy = pull.iter().fold(0.0, |most: f64, pull| most.max(pull.abs())).max(f64::MIN_POSITIVE);
            let mut next = binding.clone();
            for (cell, (low, high)) in self.bounds.iter().enumerate() {
                next.cells[cell] = match binding.cells[cell] {
                    Held::Free if values[cell] < low - SLACK * scale => Held::Low,
                    Held::Free if values[cell] > high + SLACK * scale => Held::High,
                    Held::Low if pull[cell] < -SLACK * heavy && low < high => Held::Free,
                    Held::High if pull[cell] > SLACK * heavy && low < high => Held::Free,
                    held => held,
                };
            }
            let mut multipliers = solution.multipliers[self.equal.len()..].iter();
            for (number, (row, least)) in self.at_least.iter().enumerate() {
                next.rules[number] = match binding.rules[number] {
                    true => multipliers.next().is_some_and(|multiplier| *multiplier <= SLACK * heavy),
                    false => sum(row, &values) < least - SLACK * scale,
                };
            }
            if next == binding {
                self.clamp(&mut values);
                return self.keeps_equalities(&values).then_some(values);
            }
            binding = next;
        }
        None
    }

    /// The gradient less what equalities and rules take: positive where the cell would rather be
    /// smaller.
    fn pull(&self, values: &[f64], solution: &Solution, binding: &Binding) -> Vec<f64> {
        let mut pull: Vec<f64> = values
            .iter()
            .zip(&self.centre)
            .zip(&self.weight)
            .map(|((value, centre), w)| w * (value - centre))
            .collect();
        let mut add =
            |row: &Row, factor: f64| row.iter().for_each(|(cell, times)| pull[*cell as usize] += times * factor);
        self.sums.iter().zip(&solution.pulls).for_each(|((row, _, _), factor)| add(row, *factor));
        let rules = self.at_least.iter().zip(&binding.rules).filter(|(_, binds)| **binds).map(|(rule, _)| rule);
        self.equal.iter().chain(rules).zip(&solution.multipliers).for_each(|((row, _), factor)| add(row, *factor));
        pull
    }

    fn keeps_equalities(&self, values: &[f64]) -> bool {
        let holds = |(row, value): &(Row, f64)| {
            let scale =
                row.iter().fold(value.abs().max(1.0), |s, (cell, times)| s.max((times * values[*cell as usize]).abs()));
            (sum(row, values) - value).abs() <= SLACK * scale
        };
        self.equal.iter().all(holds)
    }

    /// Where bounds and rules bind in so many ways that the corrections go round in circles: the
    /// interior point, with its equalities put right by the least change, counted relative to how
    /// far cells are from their bounds, if that leaves them within.
    fn settled(&self, mut values: Vec<f64>) -> Result<Vec<f64>, Problem> {
        self.clamp(&mut values);
        let solved = values;
        let room =
            |(value, (low, high)): (&f64, &(f64, f64))| 1.0 / (value - low).min(high - value).clamp(1e-6, 1.0).powi(2);
        let weight: Vec<f64> = solved.iter().zip(&self.bounds).map(room).collect();
        let (rows, right): (Vec<Row>, Vec<f64>) = self.equal.iter().cloned().unzip();
        let mut values = Factored::new(&weight, Vec::new(), rows)?.solve(&solved, &[], &right)?.values;
        let scale = values.iter().fold(1.0, |scale: f64, value| scale.max(value.abs()));
        let within = values
            .iter()
            .zip(&self.bounds)
            .all(|(v, (low, high))| *v >= low - SLACK * scale && *v <= high + SLACK * scale);
        let kept = self.at_least.iter().all(|(row, least)| sum(row, &values) >= least - 1e-6 * scale);
        self.clamp(&mut values);
        // Otherwise the solver's optimum itself, whose equalities hold to its tolerance.
        Ok(if within && kept { values } else { solved })
    }

    fn clamp(&self, values: &mut [f64]) {
        for (value, (low, high)) in values.iter_mut().zip(&self.bounds) {
            *value = value.max(*low).min(*high);
        }
    }
}

fn sum(row: &Row, values: &[f64]) -> f64 {
    row.iter().map(|(cell, times)| times * values[*cell as usize]).sum()
}

/// Rows as a matrix by columns.
fn by_columns(rows: &[(Vec<(usize, f64)>, f64)], columns: usize) -> CscMatrix<f64> {
    let mut starts = vec![0usize; columns + 1];
    rows.iter().flat_map(|(entries, _)| entries).for_each(|(column, _)| starts[column + 1] += 1);
    (0..columns).for_each(|column| starts[column + 1] += starts[column]);
    let entries = starts[columns];
    let (mut places, mut numbers, mut next) = (vec![0; entries], vec![0.0; entries], starts.clone());
    for (row, (entries, _)) in rows.iter().enumerate() {
        for (column, number) in entries {
            places[next[*column]] = row;
            numbers[next[*column]] = *number;
            next[*column] += 1;
        }
    }
    CscMatrix::new(rows.len(), columns, starts, places, numbers)
}

#[cfg(test)]
mod tests {
    use super::Quadratic;

    fn square() -> Quadratic {
        let all = |value: f64| (vec![(0u32, 1.0), (1, 1.0), (2, 1.0)], value);
        Quadratic {
            weight: vec![1.0; 3],
            centre: vec![5.0, -1.0, 2.0],
            equal: vec![all(3.0), (vec![(0, 1.0), (1, -1.0)], 1.0)],
            bounds: vec![(0.0, f64::INFINITY); 3],
            ..Quadratic::default()
        }
    }

    #[test]
    fn solved_within_its_iterations() {
        let found = square().solve(200).expect("an optimum");
        assert!(found.iter().zip([1.5, 0.5, 1.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{found:?}");
    }

    /// Two totals leave the second cell on its bound, so that nothing is within all bounds: found
    /// by random tests.
    #[test]
    fn without_an_interior_what_binds_is_enough() {
        let degenerate = Quadratic {
            weight: vec![1.0; 3],
            centre: vec![6.0, 0.0, -3.0],
            equal: vec![(vec![(0, 1.0), (2, 1.0)], 0.0), (vec![(0, 1.0), (1, 1.0), (2, 1.0)], 0.0)],
            at_least: vec![(vec![(0, -1.0), (1, -2.0)], 0.0)],
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY), (f64::NEG_INFINITY, 0.0), (-1.0, f64::INFINITY)],
            ..Quadratic::default()
        };
        let found = degenerate.solve(200).expect("an optimum");
        assert!(found.iter().all(|value| value.abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn an_iteration_limit_is_an_error() {
        let Err(problem) = square().solve(2) else { panic!("an optimum in two iterations") };
        assert!(problem.message.starts_with("the interior point method ended without an optimum"), "{problem}");
    }

    #[test]
    fn an_empty_set_is_told_apart() {
        let mut empty = square();
        empty.equal.push((vec![(2, 1.0)], -2.0));
        assert!(empty.solve(200).is_err());
    }
}

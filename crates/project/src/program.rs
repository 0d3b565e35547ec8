//! Integer programs for rows that are no network, by branch and bound (microlp); what comes back is
//! checked by whoever asked.

use crate::faults::unsolved;
use analyse::{Demand, FibreRow};
use declare::Problem;
use microlp::{
    ComparisonOp, Error, OptimizationDirection, SolutionStatus, SolveOptions, SolveOutcome, TerminationReason, Variable,
};

/// The most cases that are told apart before the search is given up; a number, so that no clock
/// decides.
pub const MOST_CASES: u64 = 20_000;

/// A measured sum: entries, weight, target.
pub(crate) type Measured<'a> = (&'a [(u32, i64)], f64, f64);

/// `min Σ weight·|sum − target|` over cells within bounds under rows.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub rows: &'a [FibreRow],
    pub bounds: Vec<(Option<i64>, Option<i64>)>,
    pub terms: Vec<Measured<'a>>,
    /// Values near which the cells are expected: numbers are counted from there.
    pub near: Vec<i64>,
    /// Whether cells must be integers.
    pub whole: bool,
    /// The most cases of the search.
    pub most_cases: u64,
}

/// Why there is no solution.
#[derive(Debug)]
pub(crate) enum Failure {
    /// No values fit.
    Infeasible,
    /// The search ended elsewhere.
    Stopped(Problem),
}

impl Program<'_> {
    /// The optimum, as real numbers; with `whole` each is an integer.
    pub fn solve(&self) -> Result<Vec<f64>, Failure> {
        let stopped =
            |reason: &dyn std::fmt::Display| Failure::Stopped(unsolved("the search for the nearest table", reason));
        let mut problem = microlp::Problem::new(OptimizationDirection::Minimize);
        let mut cells = Vec::with_capacity(self.bounds.len());
        let mut is_clipped = false;
        for ((low, high), near) in self.bounds.iter().zip(&self.near) {
            if low.zip(*high).is_some_and(|(low, high)| low > high) {
                return Err(Failure::Infeasible);
            }
            let from_near = |bound: &Option<i64>| bound.map(|bound| bound - near);
            let (low, high) = (from_near(low), from_near(high));
            cells.push(if self.whole {
                let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
                is_clipped |= low.is_none_or(|low| low < least) || high.is_none_or(|high| high > most);
                let clip = |bound: i64| bound.clamp(least, most) as i32;
                problem.add_integer_var(0.0, (low.map_or(i32::MIN, clip), high.map_or(i32::MAX, clip)))
            } else {
                let real = |bound: i64| bound as f64;
                problem.add_var(0.0, (low.map_or(f64::NEG_INFINITY, real), high.map_or(f64::INFINITY, real)))
            });
        }
        let expression = |entries: &[(u32, i64)]| -> Vec<(Variable, f64)> {
            entries.iter().map(|(cell, times)| (cells[*cell as usize], *times as f64)).collect()
        };
        let at_near = |entries: &[(u32, i64)]| -> i128 {
            entries.iter().map(|(cell, times)| i128::from(*times) * i128::from(self.near[*cell as usize])).sum()
        };
        for row in self.rows {
            let (relation, value) = match row.demand {
                Demand::Equal(value) => (ComparisonOp::Eq, value),
                Demand::AtLeast(value) => (ComparisonOp::Ge, value),
                Demand::AtMost(value) => (ComparisonOp::Le, value),
                Demand::Noisy { .. } => continue,
            };
            let right = (i128::from(value) - at_near(&row.entries)) as f64;
            problem.add_constraint(expression(&row.entries), relation, right);
        }
        let most = self.terms.iter().map(|(_, weight, _)| *weight).fold(f64::MIN_POSITIVE, f64::max);
        for (entries, weight, target) in &self.terms {
            let target = target - at_near(entries) as f64;
            let over = problem.add_var(weight / most, (0.0, f64::INFINITY));
            let under = problem.add_var(weight / most, (0.0, f64::INFINITY));
            let mut terms = expression(entries);
            terms.extend([(over, -1.0), (under, 1.0)]);
            problem.add_constraint(terms, ComparisonOp::Eq, target);
        }
        let mut options = SolveOptions::default();
        options.node_limit = Some(self.most_cases);
        let solution = match problem.solve_with(options) {
            Ok(SolveOutcome::Solution(solution)) => solution,
            Ok(SolveOutcome::Interrupted(_)) => {
                return Err(stopped(&format!("nothing was found in {} cases", self.most_cases)));
            }
            Err(Error::Infeasible) if is_clipped => {
                return Err(stopped(&"there is no table within 2^31 of the measurements"));
            }
            Err(Error::Infeasible) => return Err(Failure::Infeasible),
            Err(error) => return Err(stopped(&error)),
        };
        if solution.status() != SolutionStatus::Optimal
            || solution.termination_reason() != TerminationReason::ProvenOptimal
        {
            return Err(stopped(&format!("it was not over after {} cases", self.most_cases)));
        }
        let value = |(variable, near): (&Variable, &i64)| {
            let value = solution.var_value(*variable);
            *near as f64 + if self.whole { value.round() } else { value }
        };
        Ok(cells.iter().zip(&self.near).map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Program};
    use analyse::{Demand, FibreRow};

    /// Weighings with large coefficients: cases must be told apart.
    fn rows() -> Vec<FibreRow> {
        let entries = (0u32..12).map(|cell| (cell, 101 + 37 * i64::from(cell) % 91)).collect();
        vec![FibreRow { entries, demand: Demand::Equal(1234) }]
    }

    fn program(rows: &[FibreRow], most_cases: u64) -> Program<'_> {
        let bounds = vec![(Some(0), Some(3)); 12];
        Program { rows, bounds, terms: Vec::new(), near: vec![0; 12], whole: true, most_cases }
    }

    #[test]
    fn a_limit_of_cases_is_an_error() {
        let rows = rows();
        let cells: Vec<[(u32, i64); 1]> = (0..12).map(|cell| [(cell, 1)]).collect();
        let mut program = program(&rows, 1);
        program.terms = cells.iter().map(|cell| (&cell[..], 1.0, 0.4)).collect();
        let Err(Failure::Stopped(problem)) = program.solve() else { panic!("an optimum in one case") };
        assert!(problem.message.contains("1 cases"), "{problem}");
    }

    #[test]
    fn out_of_reach_is_infeasible() {
        let mut rows = rows();
        rows[0].demand = Demand::Equal(-1);
        assert!(matches!(program(&rows, 100).solve(), Err(Failure::Infeasible)));
    }
}

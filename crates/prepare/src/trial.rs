//! What can be tried before anything is paid is tried: the solver and the samplers, on stand-ins
//! made of public values.

use crate::analysed::Analysed;
use crate::prepared::Prepared;
use crate::sampling::{NoisySums, Projections, Sampling, sampling};
use analyse::{Searched, search_table, some_table};
use declare::{Kind, Problem};
use draw::{BlockDraw, TableNoise, TableSampler};
use exact::Seeded;
use plan::{Case, Plan, PlannedBlock};
use project::{MOST_CASES, Norm, Projector};
use tabulate::survived;

/// The safeguard that something stands in for data that break what is declared of them.
pub const STAND_IN: &str = "stand-in";

/// A stand-in must be projected in this part of the cases that a release may take: other
/// measurements may take more.
const PART_OF_CASES: u64 = 20;

impl Prepared {
    /// Projects noisy measurements of stand-ins as the release will be: a solver that does not end
    /// is found before anything is paid.
    ///
    /// The first stand-in is the smoothest table that keeps what must hold, the second what became
    /// of the first: rough and with zeros. Both are functions of the plan, which is public, and of
    /// fixed seeds; so is what is said here.
    ///
    /// # Errors
    /// Refused when a solver finds no table for a stand-in.
    pub fn try_projection(&self) -> Result<(), Problem> {
        let plan = &self.plan;
        if !plan.is_projected() || !plan.law.is_integer() {
            return Ok(());
        }
        let mut counts = smooth(plan);
        for seed in 0..2 {
            let noisy = self.noisy_sums_of(&counts)?;
            let stopped = || Err(Problem::refused("a library stopped while a stand-in was projected"));
            counts = survived(|| projected(plan, &counts, &noisy, seed)).unwrap_or_else(stopped).map_err(untried)?;
        }
        Ok(())
    }

    /// Draws around a table made of public values, as the release will be drawn, the blocks whose
    /// weights of several sums are hard to foresee: a draw that does not end here, or for which
    /// there is not enough memory, has cost nothing.
    ///
    /// # Errors
    /// Infeasible when no table is found that keeps what must hold.
    pub fn try_draw(&self) -> Result<(), Problem> {
        let Case { conditions, fold, .. } = &self.opened().case;
        let plan = &self.plan;
        if fold.is_some() || plan.is_projected() || plan.is_suppressed() || !plan.law.is_integer() {
            return Ok(());
        }
        let several = |block: &BlockDraw<'_>| block.work.is_tried_before();
        let blocks: Vec<BlockDraw<'_>> = plan.blocks.iter().map(PlannedBlock::to_draw).filter(several).collect();
        if blocks.is_empty() {
            return Ok(());
        }
        let Some(counts) = some_table(conditions, &self.analysed.totals) else { return Ok(()) };
        let noisy = self.noisy_sums_of(&counts)?;
        let noise = TableNoise { law: &plan.law, rates: &noisy.rates, sums: &noisy.sums };
        let drawn = survived(|| TableSampler::once(noise, &blocks, &counts)?.draw(&Seeded::new(0), &|_| {}).map(drop));
        drawn.unwrap_or_else(|| Err(Problem::refused("a library stopped while a stand-in was drawn"))).map_err(
            |problem| {
                let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
                problem.hint(format!("nothing was drawn of the data, or spent{hint}"))
            },
        )
    }
}

/// Why no table that follows from public values can stand in for data that break a rule, if that is
/// so.
///
/// # Errors
/// Infeasible when no table at all keeps what must hold.
pub fn without_stand_in(analysed: &Analysed) -> Result<Option<Problem>, Problem> {
    let Case { conditions, fold, .. } = &analysed.opened.case;
    let free = conditions.rules.is_empty() && conditions.pinned.iter().all(Option::is_none);
    if free || fold.is_some() || !analysed.opened.method().conditions {
        return Ok(None);
    }
    match search_table(conditions, &analysed.totals) {
        Searched::Found(_) => Ok(None),
        Searched::Impossible(why) => {
            let message = format!("no table satisfies all totals, bounds and rules together: {why}");
            Err(Problem::new(Kind::Infeasible, message)
                .hint("nothing was drawn or spent; take a rule out of [constraints], or correct what is pinned"))
        }
        Searched::NotFound(tried) => Ok(Some(
            Problem::refused(format!(
                "it is not known whether any table satisfies all totals, bounds and rules together: {tried}"
            ))
            .hint(
                "nothing was drawn or spent; use fewer or simpler rules, or method = \"project\"; or, after `congenial check SPEC \
                 --data` has said that the data are as declared, --override stand-in --because TEXT",
            ),
        )),
    }
}

fn projected(plan: &Plan, counts: &[i64], noisy: &NoisySums, seed: u64) -> Result<Vec<i64>, Problem> {
    let Sampling::Projected(measurements, _) = sampling(plan, counts, noisy)? else { return Ok(counts.to_vec()) };
    let projections = Projections::new(plan)?.limited_to(MOST_CASES / PART_OF_CASES);
    Sampling::Projected(measurements, projections).draw(&Seeded::new(seed), &|_| {}).map(draw::Drawn::into_values)
}

/// A smooth table over all cells: the least squares of what must hold, rounded. It need not keep it
/// to the last unit.
fn smooth(plan: &Plan) -> Vec<i64> {
    let mut counts = vec![0i64; plan.cells];
    plan.fixed.iter().for_each(|(cell, value)| counts[*cell] = *value);
    for planned in plan.blocks.iter().filter_map(PlannedBlock::planned_projection) {
        let solved = Projector::new(&planned.fibre, &planned.weights, Norm::Nonnegative)
            .and_then(|projector| projector.real(&vec![0.0; projector.measured()]));
        // Where not even this is found, measurements around zero are tried.
        let values = solved.unwrap_or_else(|_| vec![0.0; planned.fibre.cells.len()]);
        planned.fibre.cells.iter().zip(values).for_each(|(cell, value)| counts[*cell as usize] = value.round() as i64);
    }
    counts
}

fn untried(problem: Problem) -> Problem {
    let message = format!(
        "the projection is not tried on the data, because it does not end with a table on a public stand-in: {}",
        problem.message
    );
    Problem::refused(message).hint(
        "nothing was drawn or spent; declare fewer totals that cross, sampler = \"project-l2\" where negative counts will do, or \
         method = \"condition\"",
    )
}

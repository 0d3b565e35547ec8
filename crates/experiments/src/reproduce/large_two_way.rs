//! A 30×30 table with both margins and no count below zero: more than exact operators can do.

use super::Rehearsal;

use super::findings::Findings;
use super::spaces::{margins, nonnegative, seeded_counts, walk};
use super::worth;
use declare::Problem;
use draw::NoiseLaw;
use exact::Rational;

const SIDE: usize = 30;

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "30×30 cells with both margins exact and no count below zero, 841 free dimensions; seeded counts, uniform from 0 to 10; double \
             geometric noise, ε' = 1/4. Chains start from four tables made from the margins alone.",
            "A step redraws a line of two rows or columns exactly, proposes a whole table, or moves along single vectors. The walk by single \
             vectors alone is the coordinate walk of the literature.",
        ]);
    let counts = seeded_counts(SIDE * SIDE)?;
    let fibre = nonnegative(&counts, &margins(&[SIDE, SIDE], &[&[0], &[1]]));
    let all = walk(&fibre, &NoiseLaw::double_geometric(Rational::new(1, 4u8)))?;
    worth::measured(run, &mut findings, "30×30", &all)?;
    Ok(findings)
}

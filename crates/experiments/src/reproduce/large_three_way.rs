//! A 12×12×6 table with all two-way margins: a fibre without structure that an exact operator could
//! use.

use super::Rehearsal;
use super::curves::{Tried, attempt};
use super::findings::Findings;
use super::spaces::{margins, noise, nonnegative, seeded_counts, walk};
use super::worth;
use declare::Problem;
use draw::NoiseLaw;
use exact::Rational;

const SIZES: [usize; 3] = [12, 12, 6];

/// How pairs of the harder laws are tried.
const FEW: Tried = Tried { lag: 100, most: 3000 };

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "12×12×6 cells with all two-way margins exact, 605 free dimensions; discrete Gaussian noise, σ² = 8, no bounds. The law of the noise \
             does not depend on the counts, so chains start without noise.",
            "Harder laws on the same margins are reported beside: double geometric noise, ε' = 1/4, without bounds, and with no count below zero \
             (seeded counts, uniform from 0 to 10). Where pairs do not meet, nothing is known about the distance of the walk from its law, and a \
             release is refused.",
        ]);
    let cells = SIZES.iter().product();
    let sums = margins(&SIZES, &[&[0, 1], &[0, 2], &[1, 2]]);
    let free = noise(cells, &sums);
    let all = walk(&free, &NoiseLaw::discrete_gaussian(Rational::integer(8)))?;
    worth::measured(run, &mut findings, "12×12×6, discrete Gaussian", &all)?;
    let geometric = NoiseLaw::double_geometric(Rational::new(1, 4u8));
    attempt(run, &mut findings, "12×12×6, double geometric, no bounds", &walk(&free, &geometric)?, FEW)?;
    let bounded = nonnegative(&seeded_counts(cells)?, &sums);
    attempt(run, &mut findings, "12×12×6, double geometric, no negative count", &walk(&bounded, &geometric)?, FEW)?;
    Ok(findings)
}

//! ISDP, delinquent children: a 4×4 table with both margins, ε' = 1/4.

use super::Rehearsal;
use super::findings::Findings;
use super::isdp;
use super::spaces::{margins, noise};
use declare::Problem;
use exact::Rational;

const SPEC: &str = include_str!("../../../../examples/delinquent-children/margins.toml");
const PUBLISHED: [&str; 2] = ["about 10⁴ iterations, stable in L (figure 1)", "in the paper's appendix"];

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "Delinquent children by county and education of the household head (FCSM Working Paper 22), 4×4 cells with both margins exact, \
             9 free dimensions, ε' = 1/4. The law of the noise does not depend on the counts, so chains start without noise.",
            "A step proposes one move. The coordinate walk moves along one of 9 swaps of two rows and two columns per step (now and then along \
             all), as the paper's; an iteration of the paper may be a sweep of 9 such steps.",
        ]);
    let fibre = noise(16, &margins(&[4, 4], &[&[0], &[1]]));
    isdp::both_norms(run, &mut findings, &fibre, &Rational::new(1, 4u8), PUBLISHED, SPEC)?;
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::SPEC;
    use crate::reproduce::agree;
    use crate::reproduce::spaces::{margins, noise, norms, walk};
    use exact::Rational;
    use walk::Wanted;

    #[test]
    fn the_walk_agrees_with_the_exact_operator_and_a_wrong_scale_does_not() {
        let fibre = noise(16, &margins(&[4, 4], &[&[0], &[1]]));
        let [(_, _, law), _] = norms(&Rational::new(1, 4u8));
        let walked = walk(&fibre, &law).unwrap();
        let wanted = Wanted { pairs: 100, distance: Rational::new(1, 1000u32), lag: None };
        let steps = walked.lagged(None, &wanted, &|_| {}).unwrap().steps_for(1e-3);
        let (operator, drawn) = agree::exact(SPEC, 4000).unwrap();
        assert_eq!(operator, "divide");
        let agreement = agree::compare(&agree::endpoints(&walked, steps, 1000, &|_| {}).unwrap(), &drawn);
        assert!(agreement.means > 0.001 && agreement.cells > 0.001, "{agreement:?}");
        let [(_, _, wider), _] = norms(&Rational::new(1, 5u8));
        let mutant = walk(&fibre, &wider).unwrap();
        let agreement = agree::compare(&agree::endpoints(&mutant, steps, 1000, &|_| {}).unwrap(), &drawn);
        assert!(agreement.means < 1e-6, "{agreement:?}");
    }
}

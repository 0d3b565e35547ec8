//! Zhu, Van Hentenryck and Fioretto: counties projected onto their state's total, variance by
//! formula and by simulation.

use super::Rehearsal;
use super::findings::{Findings, number};
use super::spaces::{margin, noise};
use audit::measure::Errors;
use audit::zhu;
use declare::Problem;
use draw::laplace;
use exact::{Seeded, Source};
use project::{Norm, Projector};

/// Draws for every pair that is asked for.
const DRAWS: u64 = 250;
const SCALE: f64 = 10.0;
const STATES: [(&str, usize, &str); 2] =
    [("Arizona", 15, "186.67 (empirical 186.88)"), ("Texas", 254, "199.21 (empirical 199.32)")];

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let draws = DRAWS * run.pairs;
    let mut findings = run.findings(&[
            "Laplace noise of scale λ = 10 on every county of a state, projected onto the state's total (`project-l2`): the variance of a county, \
             2λ²(1 − 1/n), by formula and as the mean over all counties of many draws. Larger states get more variance: that is the unfairness \
             that the paper points out. Conditioning on the same total beside it.",
        ]);
    let mut bits = Seeded::new(43).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    for (state, counties, published) in STATES {
        run.stage(&format!("zhu-counties, {state}"), draws);
        let projector = Projector::new(&noise(counties, &margin(&[counties], &[])), &[], Norm::L2)?;
        let truth = vec![0; counties];
        let (mut projected, mut given) = (Errors::new(&truth, &[]), Errors::new(&truth, &[]));
        for _ in 0..draws {
            projected.add(&projector.real(&laplace(&mut bits, SCALE, counties, false))?, 0);
            given.add(&laplace(&mut bits, SCALE, counties, true), 0);
            run.done(1);
        }
        let mean = |errors: &Errors| errors.l2_squared().mean() / counties as f64;
        let error = |errors: &Errors| errors.l2_squared().mean_error() / counties as f64;
        findings.row(
            format!("{state}, {counties} counties: variance after projection"),
            published,
            format!(
                "formula {:.2}, simulated {:.2} ± {:.2} ({} draws)",
                zhu::variance(2.0 * SCALE * SCALE, counties as u64),
                mean(&projected),
                error(&projected),
                number(draws)
            ),
        );
        findings.measured(
            format!("{state}: variance by conditioning"),
            format!("simulated {:.2} ± {:.2}", mean(&given), error(&given)),
        );
    }
    let bound = zhu::bias_bound(7_289_112.0, zhu::ball::laplace(348.0, 33, 5.0));
    findings.row(
        "New Mexico, 33 counties, λ = 5: bound of the bias (theorem 11)",
        "0.29",
        format!("{bound:.2} from the printed inputs (C' = 7,289,112): the printed bound does not follow from them"),
    );
    Ok(findings)
}

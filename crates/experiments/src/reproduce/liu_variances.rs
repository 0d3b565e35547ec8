//! Liu, section 4: cells whose total is kept, conditioning beside projection, and the conjecture
//! about their variances.

use super::Rehearsal;
use super::findings::{Findings, number, variance};
use audit::conditional::{
    conjecture_holds_for_double_geometric, conjecture_holds_for_laplace, double_geometric_variance, laplace,
};
use audit::measure::Summary;
use audit::zhu;
use declare::Problem;
use exact::{Rational, Seeded, Source};

/// Draws for every pair that is asked for.
const DRAWS: u64 = 8000;
/// Groups that the conjecture is computed for.
const MOST_CELLS: u64 = 1000;

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let draws = DRAWS * run.pairs;
    let mut findings = run.findings(&[
            "n cells whose total is kept, Laplace noise of scale λ = 1: the variance of a cell given the total (conditioning) and after projection \
             onto it. The conjecture is that conditioning always leaves less; it is computed in fractions for Laplace noise, and in enclosures for \
             double geometric noise.",
        ]);
    run.stage("liu-variances, draws", draws);
    let mut bits = Seeded::new(42).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    for (cells, published) in [(2usize, ""), (3, "5λ²/6"), (10, ""), (100, "")] {
        let (mut given, mut projected) = (Summary::default(), Summary::default());
        for _ in 0..draws / 4 {
            given.push(draw::laplace(&mut bits, 1.0, cells, true)[0]);
            let noise = draw::laplace(&mut bits, 1.0, cells, false);
            projected.push(noise[0] - noise.iter().sum::<f64>() / cells as f64);
            run.done(1);
        }
        let size = cells as u64;
        let formula = laplace(&Rational::integer(1), size);
        findings.row(
            format!("n = {cells}, conditioning: variance of a cell"),
            published,
            format!("formula {formula} = {:.4}, simulated {}", formula.to_f64(), variance(&given)),
        );
        let formula = zhu::exact_variance(&Rational::integer(2), size);
        findings.row(
            format!("n = {cells}, projection: variance of a cell"),
            "2λ²(1 − 1/n)",
            format!("formula {formula} = {:.4}, simulated {}", formula.to_f64(), variance(&projected)),
        );
    }
    let holds = |holds: Option<bool>| match holds {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "undecided",
    };
    findings.row(
        format!("conjecture, Laplace, n = 2, …, {}", number(MOST_CELLS)),
        "conjectured",
        format!("{}, in fractions", holds(Some(conjecture_holds_for_laplace(MOST_CELLS)))),
    );
    for epsilon in ["1/10", "1", "3"] {
        let rate: Rational = epsilon.parse().map_err(|error| Problem::bad(format!("{error}")))?;
        let held = conjecture_holds_for_double_geometric(&rate, MOST_CELLS, 4096);
        findings.measured(
            format!("the same, double geometric, ε' = {epsilon}"),
            format!("{}; n = 3: {:.5}", holds(held), double_geometric_variance(&rate, 3)),
        );
    }
    Ok(findings)
}

//! ISDP, county populations: the 102 counties of Illinois with the state's total, ε' = 0.192.

use super::Rehearsal;
use super::agree;
use super::curves::{Curve, Tried, attempt, measure};
use super::findings::{Findings, number};
use super::spaces::{margin, noise, norms, walk};
use audit::measure::Summary;
use declare::Problem;
use exact::Rational;
use walk::{Lagged, Walk};

const POPULATIONS: &str = include_str!("../../../../data/county_pop_2010.csv");
const PUBLISHED: [&str; 2] = ["no figure; draws thinned at 0.01 %", ""];
/// Chains by single vectors meet after millions of steps: a few pairs show that, all would take
/// hours.
const SINGLE: Tried = Tried { lag: 1_000_000, most: 3_000_000 };
/// Endpoints of chains for the norm of the noise, for every pair.
const CHAINS: u64 = 10;

/// The codes of the counties of Illinois.
fn counties() -> Vec<&'static str> {
    let of_state = |line: &&str| line.split(',').nth(2) == Some("Illinois");
    POPULATIONS.lines().filter(of_state).filter_map(|line| line.split(',').next()).collect()
}

/// These codes as the values of a dimension.
pub fn illinois() -> String {
    counties().iter().map(|county| format!("\"{county}\"")).collect::<Vec<_>>().join(", ")
}

fn spec() -> String {
    format!(
        "title = \"Illinois\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\ncounty = [{}]\n[[invariant]]\nby = []\n\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"0.192\"\nper = \"unit\"\n",
        illinois()
    )
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "The 102 counties of Illinois with the state's population exact, 101 free dimensions, ε' = 0.192. The law of the noise does not depend \
             on the populations, so chains start without noise.",
            "A step proposes one move; an iteration of the paper may be a sweep of 101 such steps. By single vectors, as published, pairs of chains \
             meet after millions of steps: a few are tried (proposals are tuned, the paper's are a = e^−2.5). All moves redraw all counties at once, \
             given their total: by the law itself for ℓ₁, which is an exact draw; for ℓ₂ by discrete Gaussian laws that stand in for the norm, \
             accepted by their weight.",
            "`closed-form` draws the ℓ₁ law exactly. The ℓ₂ norm of the noise has the mean 101/ε' = 526.04 and the standard deviation \
             √101/ε' = 52.34 of a gamma law, but for terms below 10⁻¹⁰⁰ (by Poisson summation).",
        ]);
    let fibre = noise(counties().len(), &margin(&[counties().len()], &[]));
    for ((key, norm, law), published) in norms(&Rational::new(24, 125u8)).into_iter().zip(PUBLISHED) {
        let all = walk(&fibre, &law)?;
        attempt(run, &mut findings, &format!("{norm}, single vectors"), &all.clone().without_lines(), SINGLE)?;
        let title = format!("{norm}, all moves");
        let key = format!("{key}-all");
        let case = Curve { key: &key, title: title.clone(), published, walk: &all, several: true };
        if let Some(evidence) = measure(run, &mut findings, &case)? {
            match law.is_product() {
                true => agree::check(run, &mut findings, &title, &all, &evidence, &spec())?,
                false => norm_of_noise(run, &mut findings, &title, &all, &evidence)?,
            }
        }
    }
    Ok(findings)
}

/// The ℓ₂ norm of the noise at the ends of independent chains, beside its law.
fn norm_of_noise(
    run: &Rehearsal<'_>,
    findings: &mut Findings,
    title: &str,
    walk: &Walk,
    evidence: &Lagged,
) -> Result<(), Problem> {
    let (chains, steps) = (CHAINS * run.pairs, evidence.steps_for(1e-3));
    run.stage(&format!("{}, {title}, norm of the noise", findings.name), chains);
    let mut norms = Summary::default();
    for noise in agree::endpoints(walk, steps, chains, &|chains| run.done(chains))? {
        norms.push((noise.iter().map(|value| value * value).sum::<i64>() as f64).sqrt());
    }
    findings.measured(
        format!("{title}: norm of the noise"),
        format!(
            "mean {:.1} ± {:.1}, standard deviation {:.1} ({} chains of {} steps); by its law 526.0 and 52.3",
            norms.mean(),
            norms.mean_error(),
            norms.variance().sqrt(),
            number(chains),
            number(steps)
        ),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{counties, spec};
    use crate::reproduce::agree;

    #[test]
    fn illinois_has_102_counties_and_one_total() {
        assert_eq!(counties().len(), 102);
        let (operator, drawn) = agree::exact(&spec(), 1).unwrap();
        assert_eq!((operator, drawn[0].iter().sum::<i64>()), ("closed-form", 0));
    }
}

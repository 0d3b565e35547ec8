//! ISDP, county populations: the 102 counties of Illinois with the state's total, ε' = 0.192.

use super::Run;
use super::findings::Findings;
use super::isdp;
use super::spaces::{margin, noise};
use declare::Problem;
use exact::Rational;

const POPULATIONS: &str = include_str!("../../../../data/county_pop_2010.csv");
const PUBLISHED: [&str; 2] = ["not stated (1,000 draws, thinned at 0.01 %)", "not in the paper"];

/// The codes of the counties of Illinois.
fn counties() -> Vec<&'static str> {
    let of_state = |line: &&str| line.split(',').nth(2) == Some("Illinois");
    POPULATIONS.lines().filter(of_state).filter_map(|line| line.split(',').next()).collect()
}

fn spec() -> String {
    let counties: Vec<String> = counties().iter().map(|county| format!("\"{county}\"")).collect();
    format!(
        "title = \"Illinois\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\ncounty = [{}]\n[[invariant]]\nby = []\n\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"0.192\"\nper = \"unit\"\n",
        counties.join(", ")
    )
}

pub(super) fn run(run: &Run<'_>) -> Result<Findings, Problem> {
    let mut findings = Findings::new(
        "isdp-counties",
        &[
            "The 102 counties of Illinois with the state's population exact, 101 free dimensions, ε' = 0.192. The law of the noise does not depend \
             on the populations, so chains start without noise.",
            "A step proposes one move; an iteration of the paper may be a sweep of 101 such steps. Proposals are tuned, the paper's are \
             a = e^−2.5. `closed-form` draws the ℓ₁ law exactly.",
        ],
    );
    let fibre = noise(counties().len(), &margin(&[counties().len()], &[]));
    isdp::both_norms(run, &mut findings, &fibre, &Rational::new(24, 125u8), PUBLISHED, &spec())?;
    Ok(findings)
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

//! Seeman, sensitivities under dependence: what a secret loses when records depend on each other.

use super::Rehearsal;
use super::findings::Findings;
use declare::Problem;
use exact::Rational;
use report::chart::{Axis, Chart, Series};
use secrets::{Binary, Normal};

const RECORDS: u32 = 100;

fn hundredths(value: u32) -> Rational {
    Rational::new(value, 100u32)
}

/// Δ_z in records at ½ ± half, in hundredths.
fn apart(records: u32, half: u32, any: bool) -> Result<u64, Problem> {
    Ok(Binary::new(records, hundredths(50 - half), hundredths(50 + half), any)?.distance())
}

/// Δ_z of a mean as a part of the width, at a correlation in thousandths.
fn share(thousandths: u32, noise: Option<&Rational>) -> Result<f64, Problem> {
    let correlation = Rational::new(thousandths, 1000u32);
    Ok(Normal::new(RECORDS, Rational::integer(1), correlation, noise.cloned())?.share().to_f64())
}

/// The printed formula at public value z: the whole vector (Δ, z) is multiplied, so that the term
/// in z stays.
fn printed(thousandths: u32, noise: f64, z: f64) -> f64 {
    let joint = (1.0 + f64::from(RECORDS - 1) * f64::from(thousandths) / 1000.0) / f64::from(RECORDS);
    let determinant = joint + noise - joint * joint;
    ((joint * noise + (joint - joint * joint) * z) / determinant).abs()
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "What a release with a loss of ε per record loses about one record when records depend on each other: ε times Δ_z, the distance between the laws of the \
             table given the two answers (ε-TP). 100 records; all figures are exact and nothing is drawn.",
            "Verdict: little dependence costs much. Yes or no records that move each other's probability by two hundredths lose three times the loss of a record, by a \
             fifth 21 times; without independence given the secret all hundred. For the mean of normal values a public noisy mean *lowers* the loss, because it already \
             tells what the secret would; the printed formula keeps a term in the public value z, which cancels between the two answers and would make the loss depend on z.",
        ]);
    run.stage("see-secrets", 52);
    let mut table = "z1_minus_z0,binary,any_dependence\n".to_owned();
    let (mut curve, mut anything) = (Vec::new(), Vec::new());
    for half in 0..=50 {
        let (given, any) = (apart(RECORDS, half, false)?, apart(RECORDS, half, true)?);
        let spread = f64::from(2 * half) / 100.0;
        table += &format!("{spread},{given},{any}\n");
        curve.push((spread, given as f64));
        anything.push((spread, any as f64));
        run.done(1);
    }
    for half in [0, 1, 5, 10, 30] {
        findings.measured(
            format!("Δ_z in records, n = 100, z = ½ ± {}", f64::from(half) / 100.0),
            format!("{}; any dependence: {}", apart(RECORDS, half, false)?, apart(RECORDS, half, true)?),
        );
    }
    let noise = Rational::new(1, 100u32);
    for thousandths in [0, 10, 100] {
        findings.measured(
            format!(
                "Δ_z / width of the mean, correlation {}: alone / beside a public mean",
                f64::from(thousandths) / 1000.0
            ),
            format!("{:.5} / {:.5}", share(thousandths, None)?, share(thousandths, Some(&noise))?),
        );
    }
    findings.measured(
        "ours, and the printed formula at z = 0 / 1 / 5, correlation 0.01, width 1",
        format!(
            "{:.5}, and {:.5} / {:.5} / {:.5}",
            share(10, Some(&noise))?,
            printed(10, 0.01, 0.0),
            printed(10, 0.01, 1.0),
            printed(10, 0.01, 5.0)
        ),
    );
    findings.measured("a family that is mistaken by 0.1: ε·Δ_z + 2·0.1, ε = 1, z = ½ ± 0.1", {
        let loss =
            secrets::inflated(&Rational::integer(1), &Rational::integer(apart(RECORDS, 10, false)?), &hundredths(10));
        format!("{}", loss.to_f64())
    });
    findings.file("-binary.csv", table);
    findings.file(
        "-binary.svg",
        figure(
            "Yes or no records: n = 100",
            "z1 - z0",
            "losses of one record",
            [("independent given the secret", curve), ("any dependence", anything)],
        ),
    );
    let mut table = "correlation,alone,beside_public_mean\n".to_owned();
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for thousandths in (0..1000).step_by(10) {
        let (without, with) = (share(thousandths, None)?, share(thousandths, Some(&noise))?);
        let at = f64::from(thousandths) / 1000.0;
        table += &format!("{at},{without:.8},{with:.8}\n");
        alone.push((at, without * f64::from(RECORDS)));
        beside.push((at, with * f64::from(RECORDS)));
    }
    run.done(1);
    findings.file("-normal.csv", table);
    findings.file(
        "-normal.svg",
        figure(
            "The mean of normal values: n = 100",
            "correlation",
            "losses of one value",
            [("alone", alone), ("beside a public mean with noise", beside)],
        ),
    );
    Ok(findings)
}

fn figure(title: &str, across: &str, up: &str, curves: [(&str, Vec<(f64, f64)>); 2]) -> String {
    let top = curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.1)).fold(1.0, f64::max);
    let chart = Chart {
        label: title,
        size: (640.0, 320.0),
        across: Axis::linear(across, 0.0, 1.0),
        up: Axis::linear(up, 0.0, top),
        series: Series::lines(curves),
    };
    chart.file()
}

#[cfg(test)]
mod tests {
    use super::{apart, printed, share};
    use exact::Rational;

    #[test]
    fn the_figures_of_the_issue() {
        assert_eq!([0, 1, 5, 10, 30].map(|half| apart(100, half, false).unwrap()), [1, 3, 11, 21, 61]);
        let noise = Rational::new(1, 100u32);
        assert!((share(10, Some(&noise)).unwrap() - printed(10, 0.01, 0.0)).abs() < 1e-12, "without z they agree");
        assert!(
            (share(10, Some(&noise)).unwrap() - printed(10, 0.01, 1.0)).abs() > 0.1,
            "z does not cancel as printed"
        );
    }
}

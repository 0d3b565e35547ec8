//! How close the draw is to its law, where that is estimated: what it means, the curve of coupled
//! chains, how well chains move.

use crate::Release;
use crate::chart::{Axis, Chart, SMALL, Series, Shape};
use crate::markup::{Head, Markup};
use crate::words::{approximate, counted, number};
use certify::CertifiedEvidence;

/// Points of a curve.
const POINTS: u64 = 60;

/// The whole section.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    page.element("div", &[("class", "notice")], |page| {
        page.paragraph("This release is estimated, not exact. Its noise comes from a walk: a long chain of small random steps among the tables that \
             keep what is exact. The longer it walks, the closer its law comes to the stated one, but it never reaches it.",
        );
    });
    page.paragraph("The steps of this walk are proved to join all these tables. How close it came was measured on other chains, run in pairs before \
         the release: two chains that began far apart, or at different moments, move with the same random choices until they meet, and \
         from then on they are one. The time until they meet bounds how long a walk remembers where it began. Pairs that had not met were \
         followed further, several times each, for as long as the walk of the release. These chains used public information only, never \
         the confidential counts.",
    );
    page.paragraph("What it means: whatever somebody looks for in the release, its probability is at most the distance below away from what the \
         stated law gives. The guarantee pays for that with its δ. It is evidence, not proof: it rests on the assumption stated with it, \
         which was tested on these pairs and not on all there could be.",
    );
    for (place, evidence) in certificate.evidence.iter().enumerate() {
        if certificate.evidence.len() > 1 {
            page.leaf("h3", &[], &format!("Walk {} of {}", place + 1, certificate.evidence.len()));
        }
        walk(page, evidence);
    }
}

fn walk(page: &mut Markup, evidence: &CertifiedEvidence) {
    let percent = evidence.confidence;
    let starts = match evidence.starts {
        1 => "1: the noise is the same for every table".to_owned(),
        starts => {
            format!("{}, made from the public totals: weaker evidence about other tables", number(starts as i128))
        }
    };
    let pairs = format!(
        "{}, in blocks of {} steps; those that met in the first block did after {} steps on average",
        number(evidence.pairs as i128),
        number(evidence.block as i128),
        evidence.mean_meeting
    );
    page.element("dl", &[("class", "facts")], |page| {
        page.fact("Walk", &format!("{}, {}", evidence.operator, counted(evidence.cells, "cell", "cells")));
        page.fact("Steps of the release", &number(evidence.steps as i128));
        let distance = scientific(&evidence.distance);
        let distance = format!("at most {distance} (total variation, {percent} % confidence)");
        page.fact("Distance from the stated law", &distance);
        page.fact("Pairs of chains", &pairs);
        page.fact("Tables they walked around", &starts);
        page.fact("Assumption", &evidence.assumption);
    });
    curve(page, evidence);
    trace(page, evidence);
    moves(page, evidence);
}

/// The share of pairs that have not met over the steps, and the upper limit of the distance from
/// the law.
fn curve(page: &mut Markup, certified: &CertifiedEvidence) {
    let Some(evidence) = certified.restored() else { return };
    let end = (evidence.steps.max(1) as f64 * 1.08).ceil();
    let at = |point: u64| (end * point as f64 / POINTS as f64).round();
    let upper = (0..=POINTS).map(at).map(|steps| (steps, evidence.bound(steps as u64))).collect();
    let share = (0..=POINTS).map(at).map(|steps| (steps, evidence.share(steps as u64)));
    let share = share.take_while(|(_, share)| *share > 0.0).collect();
    let reached = approximate(&certified.distance).unwrap_or(1.0).max(1e-60).log10();
    let chart = Chart {
        label: "Distance of the walk from the stated law, over its steps: it falls to the stated distance at the steps of the release",
        size: SMALL,
        across: Axis::linear("steps of the walk", 0.0, end),
        up: Axis::logarithmic("distance", reached.floor() as i32 - 1, 0),
        series: vec![
            Series::new("used", Shape::Mark(evidence.steps as f64, "the release".to_owned())),
            Series::new("estimate", Shape::Line(share)),
            Series::new("upper", Shape::Line(upper)),
        ],
    };
    let (blocks, _) = evidence.seen();
    let caption = format!(
        "Total variation distance from the stated law. Solid: the upper limit at {} % confidence, which the guarantee uses. Dashed: the \
         share of pairs that have not met; after each of the {} blocks that were looked at, those that had not were followed further.",
        certified.confidence,
        number(blocks as i128)
    );
    chart.figure(page, "", &caption);
}

/// The energy of one chain over its steps.
fn trace(page: &mut Markup, certified: &CertifiedEvidence) {
    let numbers = certified.mixing.trace.split_ascii_whitespace().filter_map(|text| text.parse().ok());
    let energies: Vec<f64> = numbers.filter(|energy: &f64| energy.is_finite()).collect();
    if energies.len() < 2 {
        return;
    }
    let low = energies.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let high = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
    let every = certified.mixing.every as f64;
    let points: Vec<(f64, f64)> =
        energies.iter().zip(1u32..).map(|(energy, at)| (f64::from(at) * every, *energy)).collect();
    let steps = points.last().map_or(1.0, |(steps, _)| *steps);
    let chart = Chart {
        label: "Energy of one chain over its steps",
        size: SMALL,
        across: Axis::linear("steps of the walk", 0.0, steps),
        up: Axis::linear("energy", low, high.max(low + 1.0)),
        series: vec![Series::new("trace", Shape::Line(points))],
    };
    let caption = "The energy of one of these chains (minus the logarithm of its weight). A chain that has forgotten its start moves around one level \
                   without drifting.";
    chart.figure(page, "", caption);
}

fn moves(page: &mut Markup, certified: &CertifiedEvidence) {
    let mixing = &certified.mixing;
    let numbers = ["Proposed", "Accepted", "Share"].map(Head::Numbers);
    page.table("plain", "How the chains move", [Head::Words("Kind of step")].into_iter().chain(numbers), |page| {
        for kind in &certified.moves {
            let share = 100.0 * kind.accepted as f64 / kind.proposed.max(1) as f64;
            page.row(|page| {
                page.row_name(&kind.kind);
                page.number(&number(kind.proposed as i128));
                page.number(&number(kind.accepted as i128));
                page.number(&format!("{share:.1} %"));
            });
        }
    });
    page.note(&format!(
        "Of {}, the energies are worth {} independent ones; split-R̂ is {} (1 when chains and their halves agree).",
        counted(mixing.chains as usize, "chain", "chains"),
        mixing.effective,
        mixing.r_hat
    ));
}

/// A small decimal as `1.19e-7`, rounded up.
fn scientific(text: &str) -> String {
    match approximate(text) {
        Some(value) if value > 0.0 && value < 1e-3 => {
            let power = value.log10().floor();
            let digits = (value / 10f64.powf(power) * 100.0).ceil() / 100.0;
            format!("{digits:.2}e{power:.0}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::scientific;

    #[test]
    fn small_distances_are_written_short_and_rounded_up() {
        assert_eq!(scientific("0.000000118805"), "1.19e-7");
        assert_eq!(scientific("0.25"), "0.25");
        assert_eq!(scientific("0"), "0");
    }
}

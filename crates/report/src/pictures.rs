//! The noise law and what the guarantee means, as pictures.

use crate::Release;
use crate::chart::{Axis, Chart, SMALL, Series, Shape};
use crate::known::Noise;
use crate::margins;
use crate::markup::Markup;
use crate::table::is_shown_fully;
use crate::words::{approximate, number};
use certify::{CertifiedMeaning, Guarantee};

/// More points are drawn as a line instead of bars.
const MOST_BARS: usize = 60;

/// Points of a curve.
const POINTS: u32 = 50;

/// What the pictures show, and nothing where nothing can be shown; then the counts along a
/// dimension. The bars of a list of counts stand in the table itself.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    page.element("div", &[("class", "multiples")], |page| {
        if let Some(noise) = &release.known.noise {
            law(page, noise, release);
        }
        meaning(page, &release.certificate.guarantee);
    });
    if is_shown_fully(release) && release.domain.schema.dimensions.len() > 1 {
        margins::section(page, release);
    }
}

/// Whether there is anything to show.
pub(crate) fn any(release: &Release) -> bool {
    release.known.noise.is_some() || release.certificate.guarantee.meaning.is_some()
}

/// The probabilities of the noise of one count.
fn law(page: &mut Markup, noise: &Noise, release: &Release) {
    let within = noise.quantile(0.9);
    let reach = noise.quantile(0.998).max(within + 1);
    let probability = |at: i64| 100.0 * noise.half.get(at.unsigned_abs() as usize).copied().unwrap_or(0.0);
    let points = |range: std::ops::RangeInclusive<i64>| range.map(|at| (at as f64, probability(at)));
    let (near, far) = (within as i64, reach as i64);
    let series = match 2 * reach < MOST_BARS {
        true => vec![
            Series::new("bars-near", Shape::Bars(points(-near..=near).collect(), 0.8)),
            Series::new("bars-far", Shape::Bars(points(-far..=-near - 1).chain(points(near + 1..=far)).collect(), 0.8)),
        ],
        false => {
            let band = |from: i64, to: i64| Shape::Band(points(from..=to).map(|(at, up)| (at, 0.0, up)).collect());
            vec![
                Series::new("bars-far", band(-far, -near)),
                Series::new("bars-near", band(-near, near)),
                Series::new("bars-far", band(near, far)),
            ]
        }
    };
    let mut across = Axis::linear("noise added to a count", -(far as f64), far as f64);
    across.ends = (-(far as f64) - 0.5, far as f64 + 0.5);
    let label = format!("The law of the noise of one count: within ±{within} nine times in ten");
    let up = Axis::linear("probability, %", 0.0, probability(0));
    let when = match noise.before {
        true if release.certificate.is_projected() => " before counts were moved so that totals hold",
        true => " before totals, bounds and rules are made to hold",
        false => "",
    };
    let within = number(within as i128);
    let caption = format!(
        "The noise of one count{when}. Nine times in ten it is in the strongly coloured part, within ±{within}."
    );
    let chart = Chart { label: &label, size: SMALL, across, up, series };
    chart.figure(page, "How much noise a count carries", &caption);
}

/// The largest factor by which odds change that is drawn: beyond it the picture is full.
const MOST_ODDS: f64 = 1e12;

/// By what factor the odds of the two tables that the certificate speaks of change at most.
fn odds(meaning: &CertifiedMeaning) -> Option<f64> {
    let [before, after] = [&meaning.prior, &meaning.posterior].map(|number| approximate(number));
    let odds = |belief: f64| belief / (1.0 - belief);
    let (before, after) = (before?, after?);
    let known = before > 0.0 && before < 1.0 && (0.0..=1.0).contains(&after);
    known.then(|| (odds(after) / odds(before)).clamp(1.0, MOST_ODDS))
}

/// What can be concluded at most of the two tables that the certificate speaks of.
fn meaning(page: &mut Markup, guarantee: &Guarantee) {
    let Some(meaning) = &guarantee.meaning else { return };
    let (Some(odds), Some(most)) = (odds(meaning), meaning.posterior_in_percent()) else { return };
    let after = |before: f64, odds: f64| 100.0 * before * odds / (before * odds + 1.0 - before);
    let points: Vec<(f64, f64, f64)> = (0..=POINTS)
        .map(|point| f64::from(point) / f64::from(POINTS))
        .map(|before| (100.0 * before, after(before, 1.0 / odds), after(before, odds)))
        .collect();
    let edge = |upper: bool| {
        Shape::Line(points.iter().map(|(at, low, high)| (*at, if upper { *high } else { *low })).collect())
    };
    let series = vec![
        Series::new("reachable", Shape::Band(points.clone())),
        Series::new("threshold", Shape::Line(vec![(0.0, 0.0), (100.0, 100.0)])),
        Series::new("c0", edge(true)),
        Series::new("c0", edge(false)),
    ];
    let label = format!("What the release can change: a belief of 50 % becomes at most {most}");
    let percent = |title: &str| {
        let ticks = (0..=4).map(|tick| (f64::from(tick) * 25.0, (tick * 25).to_string())).collect();
        Axis { title: title.to_owned(), spread: crate::chart::Spread::Linear, ends: (0.0, 100.0), ticks }
    };
    let (across, up) = (percent("belief before the release, %"), percent("belief after it, %"));
    let caption = format!("{} On the dashed line nothing is learnt.", meaning.sentence);
    let chart = Chart { label: &label, size: SMALL, across, up, series };
    chart.figure(page, "What the guarantee means", &caption);
}

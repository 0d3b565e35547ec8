//! The noise law and what ε means, as pictures.

use crate::Release;
use crate::chart::{Axis, Chart, SMALL, Series, Shape};
use crate::known::Noise;
use crate::margins;
use crate::markup::Markup;
use crate::table::is_shown_fully;
use crate::words::{approximate, number, people};
use certify::Guarantee;

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
        meaning(page, &release.certificate.guarantee, !release.certificate.invariants.is_empty());
    });
    if is_shown_fully(release) && release.domain.schema.dimensions.len() > 1 {
        margins::section(page, release);
    }
}

/// Whether there is anything to show.
pub(crate) fn any(release: &Release) -> bool {
    release.known.noise.is_some() || bound(&release.certificate.guarantee).is_some()
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

/// The ε that holds for a unit, and the δ with which it may fail.
fn bound(guarantee: &Guarantee) -> Option<(f64, Option<&str>)> {
    let delta = guarantee.delta.as_deref().filter(|delta| *delta != "0");
    let stated = guarantee.epsilon.as_deref().or(guarantee.epsilon_at_delta.as_deref())?;
    let epsilon = approximate(stated).filter(|epsilon| *epsilon > 0.0 && *epsilon <= 20.0)?;
    Some((epsilon, delta))
}

/// What can be concluded at most.
fn meaning(page: &mut Markup, guarantee: &Guarantee, exact: bool) {
    let Some((epsilon, delta)) = bound(guarantee) else { return };
    let after = |before: f64, epsilon: f64| {
        let odds = epsilon.exp() * before;
        100.0 * odds / (odds + 1.0 - before)
    };
    let points: Vec<(f64, f64, f64)> = (0..=POINTS)
        .map(|point| f64::from(point) / f64::from(POINTS))
        .map(|before| (100.0 * before, after(before, -epsilon), after(before, epsilon)))
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
    let half = (after(0.5, epsilon) * 10.0).ceil() / 10.0;
    let stated = people(&format!("{epsilon}"));
    let label = format!("What the release can change: a belief of 50 % becomes at most {half} %");
    let percent = |title: &str| {
        let ticks = (0..=4).map(|tick| (f64::from(tick) * 25.0, (tick * 25).to_string())).collect();
        Axis { title: title.to_owned(), spread: crate::chart::Spread::Linear, ends: (0.0, 100.0), ticks }
    };
    let (across, up) = (percent("belief before the release, %"), percent("belief after it, %"));
    let except = delta.map(|delta| format!(", except with probability {}", people_small(delta))).unwrap_or_default();
    let caption = format!(
        "Of two tables{} that differ by one {}, somebody who held either for as likely as the other ends between {} % and {half} % for one \
         of them, whatever else they know{except}. On the dashed line nothing is learnt.",
        if exact { " with the same exact totals" } else { "" },
        guarantee.unit,
        people(&format!("{:.1}", 100.0 - half)),
    );
    let chart = Chart { label: &label, size: SMALL, across, up, series };
    chart.figure(page, &format!("What ε = {stated} means"), &caption);
}

/// A small probability: as a power of ten where it is one.
fn people_small(text: &str) -> String {
    match approximate(text) {
        Some(value) if value > 0.0 && value < 1e-3 => format!("{value:.0e}").replace('-', "−"),
        _ => people(text),
    }
}

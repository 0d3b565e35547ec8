//! A comparison of methods as one self-contained HTML page; a pure function.

use crate::markup::Markup;
use crate::{POLICY, STYLE};
use audit::comparison::{Compared, Comparison, Outcome, digits, sizes, with_error};
use audit::measure::{PartErrors, Summary};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 38.0;
/// So many cells are drawn at most, evenly by the size of their counts.
const MOST_POINTS: usize = 500;

/// The comparison as one HTML page. Equal comparisons give equal pages.
pub fn comparison_html(comparison: &Comparison) -> String {
    let mut page = Markup::document();
    page.element("html", &[("lang", "en")], |page| {
        page.element("head", &[], |page| {
            page.void("meta", &[("charset", "utf-8")]);
            page.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
            page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            page.leaf("title", &[], &format!("{} – methods compared", comparison.title));
            page.style(STYLE);
        });
        page.element("body", &[], |page| {
            header(page, comparison);
            page.element("main", &[], |page| {
                section(page, "figures", "What each method does", |page| figures(page, comparison));
                section(page, "bias", "Bias by size of the count", |page| biases(page, comparison));
                section(page, "counts", "Small and large counts", |page| parts(page, comparison, 0, "true count"));
                section(page, "groups", "Small and large groups", |page| {
                    page.leaf(
                        "p",
                        &[],
                        "Cells by the number of cells that share their smallest exact total; 0: cells in no total. Where variances differ \
                         between groups, small groups are treated differently from large ones.",
                    );
                    parts(page, comparison, 1, "cells of the group");
                });
                section(page, "methods", "The methods", |page| methods(page, comparison));
            });
        });
    });
    page.finish()
}

fn section(page: &mut Markup, identity: &str, title: &str, content: impl FnOnce(&mut Markup)) {
    let labelled = format!("{identity}-title");
    page.element("section", &[("id", identity), ("aria-labelledby", &labelled)], |page| {
        page.leaf("h2", &[("id", &labelled)], title);
        content(page);
    });
}

fn header(page: &mut Markup, comparison: &Comparison) {
    page.element("header", &[], |page| {
        page.leaf("p", &[("class", "kicker")], "Methods compared");
        page.leaf("h1", &[], &comparison.title);
        let table = match &comparison.stand_in {
            Some(file) => format!("the public stand-in {file}"),
            None => "the public table".to_owned(),
        };
        page.leaf(
            "p",
            &[("class", "lead")],
            &format!(
                "{} draws of every method on {table}, {} cells, each with the noise at which it is certified at the same loss: {} per {}.",
                comparison.draws,
                comparison.truth.len(),
                comparison.loss,
                comparison.unit
            ),
        );
    });
}

/// The methods that found something.
fn found(comparison: &Comparison) -> impl Iterator<Item = (&Compared, &Outcome)> {
    comparison.methods.iter().filter_map(|method| Some((method, method.outcome.as_ref().ok()?)))
}

fn name(method: &Compared, outcome: &Outcome) -> String {
    format!("{}{}", method.name, if outcome.real_valued { " (real-valued)" } else { "" })
}

fn figures(page: &mut Markup, comparison: &Comparison) {
    let columns = [
        "Method",
        "Mean L1 error",
        "",
        "Mean L2 error",
        "Largest bias",
        "Variance",
        "Made zero",
        "Below zero",
        "Broken",
        "Seconds",
    ];
    let most = found(comparison).map(|(_, outcome)| outcome.errors.l1().mean()).fold(0.0, f64::max);
    page.element("div", &[("class", "scroll"), ("tabindex", "0")], |page| {
        page.element("table", &[("class", "plain wide")], |page| {
            page.element("thead", &[], |page| {
                page.element("tr", &[], |page| {
                    for (place, column) in columns.iter().enumerate() {
                        let class = if place == 0 || place == 2 { "" } else { "number" };
                        page.leaf("th", &[("class", class), ("scope", "col")], column);
                    }
                });
            });
            page.element("tbody", &[], |page| {
                for (method, outcome) in found(comparison) {
                    let errors = &outcome.errors;
                    page.element("tr", &[], |page| {
                        page.leaf("th", &[("scope", "row")], &name(method, outcome));
                        number(page, &mean(errors.l1()));
                        let share = if most > 0.0 { 100.0 * errors.l1().mean() / most } else { 0.0 };
                        page.element("td", &[], |page| bar(page, share));
                        number(page, &mean(errors.l2()));
                        let bias = outcome.largest_bias();
                        number(page, &bias.map_or("–".to_owned(), |(_, bias, error)| with_error(bias, error)));
                        number(page, &digits(outcome.mean_variance()));
                        number(page, &digits(errors.forced_to_zero().mean()));
                        number(page, &digits(errors.negatives().mean()));
                        number(page, &digits(errors.broken().mean()));
                        number(page, &digits(outcome.drawing));
                    });
                }
            });
        });
    });
    page.leaf(
        "p",
        &[("class", "note")],
        &format!(
            "After ±: Monte Carlo standard errors. Largest bias: of a single cell; with many cells a few standard errors are chance. Variance: \
             mean over cells. Made zero: counts above zero that are zero in a release. Broken: totals and rules, of {}, that a release \
             does not keep. All per draw.",
            comparison.kept
        ),
    );
    for method in &comparison.methods {
        match &method.outcome {
            Err(reason) => page.leaf("p", &[("class", "note")], &format!("{} does not apply: {reason}", method.name)),
            Ok(Outcome { remark: Some(remark), .. }) => {
                page.leaf("p", &[("class", "note")], &format!("{}: {remark}.", method.name));
            }
            Ok(_) => {}
        }
    }
}

fn bar(page: &mut Markup, percent: f64) {
    let view = "0 0 100 10";
    let path = format!("M0 2H{percent:.1}V8H0Z");
    let attributes =
        [("class", "inline-bar"), ("viewBox", view), ("preserveAspectRatio", "none"), ("aria-hidden", "true")];
    page.element("svg", &attributes, |page| page.element("path", &[("d", &path)], |_| {}));
}

fn number(page: &mut Markup, text: &str) {
    page.leaf("td", &[("class", "number")], text);
}

/// Cells that are drawn: evenly by the size of their counts.
fn shown(truth: &[i64]) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..truth.len()).collect();
    cells.sort_by_key(|cell| (truth[*cell], *cell));
    let every = cells.len().div_ceil(MOST_POINTS).max(1);
    cells.into_iter().step_by(every).collect()
}

fn biases(page: &mut Markup, comparison: &Comparison) {
    page.leaf(
        "p",
        &[],
        "Every dot is a cell: its true count, and how far the mean of its released counts is from it. The vertical line through a dot is two \
         standard errors long to either side. All plots have the same axes.",
    );
    let cells = shown(&comparison.truth);
    if cells.len() < comparison.truth.len() {
        page.leaf(
            "p",
            &[("class", "note")],
            &format!("{} of {} cells are shown.", cells.len(), comparison.truth.len()),
        );
    }
    let reach = |outcome: &Outcome| {
        cells
            .iter()
            .map(|cell| &outcome.errors.cells()[*cell])
            .map(|error| error.mean().abs() + 2.0 * error.mean_error())
            .fold(0.0, f64::max)
    };
    let reach = round(found(comparison).map(|(_, outcome)| reach(outcome)).fold(0.0, f64::max).max(1e-9));
    page.element("div", &[("class", "multiples")], |page| {
        for (method, outcome) in found(comparison) {
            page.element("figure", &[], |page| {
                page.leaf("figcaption", &[], &name(method, outcome));
                scatter(page, comparison, outcome, &cells, reach, method.name);
            });
        }
    });
}

fn scatter(page: &mut Markup, comparison: &Comparison, outcome: &Outcome, cells: &[usize], reach: f64, name: &str) {
    let scale = |count: i64| (count.max(0) as f64).ln_1p();
    let most = comparison.truth.iter().copied().max().unwrap_or(0).max(1);
    let x = |count: i64| LEFT + (WIDTH - LEFT - RIGHT) * scale(count) / scale(most);
    let middle = TOP + (HEIGHT - TOP - BOTTOM) / 2.0;
    let y = |bias: f64| middle - (HEIGHT - TOP - BOTTOM) / 2.0 * bias / reach;
    let view = format!("0 0 {WIDTH} {HEIGHT}");
    let label = format!("Bias of cells against their true counts, {name}");
    page.element("svg", &[("class", "chart"), ("viewBox", &view), ("role", "img"), ("aria-label", &label)], |page| {
        for bias in [-reach, 0.0, reach] {
            let at = format!("{:.1}", y(bias));
            page.element("path", &[("class", "axis"), ("d", &format!("M{LEFT} {at}H{}", WIDTH - RIGHT))], |_| {});
            let place = format!("{:.1}", LEFT - 6.0);
            page.leaf("text", &[("class", "end"), ("x", &place), ("y", &at), ("dy", "4")], &digits(bias));
        }
        let below = format!("{:.1}", HEIGHT - BOTTOM + 16.0);
        let mut tick = 1;
        page.leaf("text", &[("class", "middle"), ("x", &format!("{LEFT}")), ("y", &below)], "0");
        while tick <= most {
            let place = format!("{:.1}", x(tick));
            page.leaf("text", &[("class", "middle"), ("x", &place), ("y", &below)], &tick.to_string());
            tick = tick.saturating_mul(if most > 10_000 { 100 } else { 10 });
        }
        let (place, bottom) = (format!("{:.1}", (LEFT + WIDTH - RIGHT) / 2.0), format!("{:.1}", HEIGHT - 6.0));
        page.leaf("text", &[("class", "middle"), ("x", &place), ("y", &bottom)], "true count (logarithmic)");
        let mut spread = String::new();
        let mut dots = String::new();
        for cell in cells {
            let error = &outcome.errors.cells()[*cell];
            let (across, down) = (x(comparison.truth[*cell]), y(error.mean()));
            let half = 2.0 * error.mean_error();
            spread += &format!("M{across:.1} {:.1}V{:.1}", y(error.mean() - half), y(error.mean() + half));
            dots += &format!("M{across:.1} {down:.1}h0");
        }
        page.element("path", &[("class", "spread"), ("d", &spread)], |_| {});
        page.element("path", &[("class", "dots"), ("d", &dots)], |_| {});
    });
}

/// One, two or five times a power of ten, not below.
fn round(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|at| *at >= value).unwrap_or(10.0 * power)
}

/// Bias and variance of the parts of a partition, method by method.
fn parts(page: &mut Markup, comparison: &Comparison, place: usize, size: &str) {
    let outcomes: Vec<(String, &PartErrors)> = found(comparison)
        .filter_map(|(method, outcome)| Some((name(method, outcome), outcome.errors.parts().get(place)?)))
        .collect();
    let Some((_, first)) = outcomes.first() else { return };
    for (caption, of) in [
        ("Mean bias", PartErrors::bias as fn(&PartErrors) -> &[Summary]),
        ("Mean variance of a cell", PartErrors::variance),
    ] {
        page.element("div", &[("class", "scroll"), ("tabindex", "0")], |page| {
            page.element("table", &[("class", "plain wide")], |page| {
                page.leaf("caption", &[], caption);
                page.element("thead", &[], |page| {
                    page.element("tr", &[], |page| {
                        page.leaf("th", &[("scope", "col")], size);
                        page.leaf("th", &[("scope", "col"), ("class", "number")], "cells");
                        for (name, _) in &outcomes {
                            page.leaf("th", &[("scope", "col"), ("class", "number")], name);
                        }
                    });
                });
                page.element("tbody", &[], |page| {
                    for (part, sized) in first.partition().parts().iter().enumerate() {
                        page.element("tr", &[], |page| {
                            page.leaf("th", &[("scope", "row")], &sizes(sized));
                            number(page, &sized.cells.to_string());
                            outcomes.iter().for_each(|(_, errors)| number(page, &mean(&of(errors)[part])));
                        });
                    }
                });
            });
        });
    }
}

fn methods(page: &mut Markup, comparison: &Comparison) {
    page.element("dl", &[("class", "facts")], |page| {
        for (method, outcome) in found(comparison) {
            page.element("div", &[], |page| {
                page.leaf("dt", &[], &name(method, outcome));
                page.leaf(
                    "dd",
                    &[],
                    &format!(
                        "{} Noise: {}. Operators: {}. {} s to make ready, {} s per draw here.",
                        meaning(method.name),
                        outcome.noise,
                        outcome.operators.join(", "),
                        digits(outcome.preparing),
                        digits(outcome.drawing)
                    ),
                );
            });
        }
    });
}

/// What a method does, in a sentence.
fn meaning(name: &str) -> &'static str {
    match name {
        "unconstrained" => "Noise in every cell, nothing kept.",
        "condition" => {
            "Drawn from the law of the noise given that everything exact holds: its law is known, and with exact totals alone it is unbiased."
        }
        "project-l2" => "Noise in every cell, then the nearest table with the exact totals.",
        "project-nonnegative" => "Noise in every cell, then the nearest table that keeps everything.",
        "project-l1" => "Noise in every cell, then the table that keeps everything and changes the fewest units.",
        "topdown" => {
            "Noise, then level by level from the root to the leaves the nearest integers that keep everything."
        }
        _ => "",
    }
}

fn mean(summary: &Summary) -> String {
    with_error(summary.mean(), summary.mean_error())
}

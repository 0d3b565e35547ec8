//! A comparison of methods as one self-contained HTML page; a pure function.

use crate::chart::{Axis, Chart, SMALL, Series, Shape};
use crate::head;
use crate::markup::{Head, Markup};
use crate::verdict::verdict;
use audit::comparison::{Compared, Comparison, Outcome, digits, sizes, with_error};
use audit::measure::{PartErrors, Summary};

/// So many cells are drawn at most, evenly by the size of their counts.
const MOST_POINTS: usize = 500;

/// A colour for every method, in the order of a comparison.
const COLOURS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];
const DOTS: [&str; 8] = ["dots c0", "dots c1", "dots c2", "dots c3", "dots c4", "dots c5", "dots c6", "dots c7"];
const SPREADS: [&str; 8] =
    ["spread c0", "spread c1", "spread c2", "spread c3", "spread c4", "spread c5", "spread c6", "spread c7"];

/// The comparison as one HTML page. Equal comparisons give equal pages.
pub fn comparison_html(comparison: &Comparison) -> String {
    sweep_html(comparison, &[])
}

/// A comparison, and the same at several strengths: pairs of a strength and a comparison.
pub fn sweep_html(comparison: &Comparison, sweep: &[(f64, Comparison)]) -> String {
    let mut page = Markup::document();
    page.element("html", &[("lang", "en")], |page| {
        head(page, &format!("{} – methods compared", comparison.title));
        page.element("body", &[], |page| {
            header(page, comparison);
            page.element("main", &[], |page| {
                section(page, "figures", "What each method does", |page| figures(page, comparison));
                if sweep.len() > 1 {
                    let symbol = comparison.loss.split(' ').next().unwrap_or("ε");
                    section(page, "strengths", &format!("Error against {symbol}"), |page| swept(page, symbol, sweep));
                }
                section(page, "coverage", "How often stated intervals hold", |page| coverage(page, comparison));
                section(page, "bias", "Bias by size of the count", |page| biases(page, comparison));
                section(page, "counts", "Small and large counts", |page| parts(page, comparison, 0, "true count"));
                section(page, "groups", "Small and large groups", |page| {
                    page.paragraph("Cells by the number of cells that share their smallest exact total; 0: cells in no total. Where variances differ \
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

/// The place of a method in the comparison, which decides its colour.
fn place(comparison: &Comparison, name: &str) -> usize {
    comparison.methods.iter().position(|method| method.name == name).unwrap_or(0) % COLOURS.len()
}

/// The colours of the methods that are shown.
fn legend(page: &mut Markup, comparison: &Comparison) {
    page.element("ul", &[("class", "legend"), ("aria-label", "Legend of colours")], |page| {
        for (method, outcome) in found(comparison) {
            page.element("li", &[], |page| {
                let class = format!("key-line {}", COLOURS[place(comparison, method.name)]);
                page.leaf("span", &[("class", &class), ("aria-hidden", "true")], "");
                page.text(&name(method, outcome));
            });
        }
    });
}

/// Mean error of a cell by every method, over the strengths.
fn swept(page: &mut Markup, symbol: &str, sweep: &[(f64, Comparison)]) {
    let Some((_, first)) = sweep.first() else { return };
    let error = |comparison: &Comparison, method: &str| {
        let (_, outcome) = found(comparison).find(|(found, _)| found.name == method)?;
        Some(outcome.errors.l1().mean() / comparison.truth.len().max(1) as f64)
    };
    let lines: Vec<(usize, Vec<(f64, f64)>)> = first
        .methods
        .iter()
        .enumerate()
        .map(|(number, method)| {
            let point = |(strength, comparison): &(f64, Comparison)| Some((*strength, error(comparison, method.name)?));
            (number % COLOURS.len(), sweep.iter().filter_map(point).collect::<Vec<_>>())
        })
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let values =
        lines.iter().flat_map(|(_, points)| points.iter().map(|(_, error)| *error)).filter(|error| *error > 0.0);
    let (least, most) =
        values.fold((f64::INFINITY, 0.0f64), |(least, most), error| (least.min(error), most.max(error)));
    if !least.is_finite() {
        return;
    }
    let strengths: Vec<f64> = sweep.iter().map(|(strength, _)| *strength).collect();
    let mut series: Vec<Series> = Vec::new();
    for (colour, points) in lines {
        series.push(Series::new(DOTS[colour], Shape::Dots(points.clone())));
        series.push(Series::new(COLOURS[colour], Shape::Line(points)));
    }
    let chart = Chart {
        label: &format!("Mean absolute error of a cell against {symbol}, method by method"),
        size: SMALL,
        across: Axis::of_values(&format!("{symbol} (logarithmic)"), &strengths),
        up: Axis::logarithmic("mean error of a cell", least.log10().floor() as i32, most.log10().ceil() as i32),
        series,
    };
    page.element("figure", &[], |page| {
        chart.draw(page);
        legend(page, first);
        page.caption("Both axes are logarithmic. Every point is a comparison of its own, at equal loss.");
    });
}

/// How often the truth lies where a reader would look for it.
fn coverage(page: &mut Markup, comparison: &Comparison) {
    page.paragraph("A reader who takes each released count to be within the reach of its noise should be right nine times in ten. Where a method \
         states no interval, the reach of the noise before counts were moved or kept at or above zero is used: nothing promises that it \
         holds.",
    );
    page.element("div", &[("class", "scroll"), ("tabindex", "0")], |page| {
        page.element("table", &[("class", "plain wide")], |page| {
            page.element("thead", &[], |page| {
                page.row(|page| {
                    for (head, class) in [("Method", ""), ("Interval", ""), ("Right, % of counts", "number"), ("", "")]
                    {
                        page.leaf("th", &[("scope", "col"), ("class", class)], head);
                    }
                });
            });
            page.element("tbody", &[], |page| {
                for (method, outcome) in found(comparison) {
                    page.row(|page| {
                        page.row_name(&name(method, outcome));
                        match &outcome.coverage {
                            Some(covered) => {
                                let (least, most) = covered.reach;
                                let reach =
                                    if least == most { format!("±{most}") } else { format!("±{least} to ±{most}") };
                                let whose = if covered.stated { "stated" } else { "not stated; of the noise alone" };
                                page.cell(&format!("{reach}, {whose}"));
                                let share = 100.0 * covered.right.mean();
                                page.number(&with_error(share, 100.0 * covered.right.mean_error()));
                                page.element("td", &[], |page| {
                                    bar(page, share, COLOURS[place(comparison, method.name)])
                                });
                            }
                            None => {
                                page.cell("none: the noise has no law of single counts");
                                page.number("–");
                                page.cell("");
                            }
                        }
                    });
                }
            });
        });
    });
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
        page.element("ul", &[("class", "key")], |page| {
            verdict(comparison).iter().for_each(|sentence| page.leaf("li", &[], sentence));
        });
        page.leaf(
            "p",
            &[("class", "about")],
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
                page.row(|page| {
                    for (place, column) in columns.iter().enumerate() {
                        let class = if place == 0 || place == 2 { "" } else { "number" };
                        page.leaf("th", &[("class", class), ("scope", "col")], column);
                    }
                });
            });
            page.element("tbody", &[], |page| {
                for (method, outcome) in found(comparison) {
                    let errors = &outcome.errors;
                    page.row(|page| {
                        page.row_name(&name(method, outcome));
                        page.number(&mean(errors.l1()));
                        let share = if most > 0.0 { 100.0 * errors.l1().mean() / most } else { 0.0 };
                        page.element("td", &[], |page| bar(page, share, COLOURS[place(comparison, method.name)]));
                        page.number(&mean(errors.l2()));
                        let bias = outcome.largest_bias();
                        page.number(&bias.map_or("–".to_owned(), |(_, bias, error)| with_error(bias, error)));
                        page.number(&digits(outcome.mean_variance()));
                        page.number(&digits(errors.forced_to_zero().mean()));
                        page.number(&digits(errors.negatives().mean()));
                        page.number(&digits(errors.broken().mean()));
                        page.number(&digits(outcome.drawing));
                    });
                }
            });
        });
    });
    page.note(&format!(
            "After ±: Monte Carlo standard errors. Largest bias: of a single cell; with many cells a few standard errors are chance. Variance: \
             mean over cells. Made zero: counts above zero that are zero in a release. Broken: totals and rules, of {}, that a release \
             does not keep. All per draw.",
            comparison.kept
        ),
    );
    for method in &comparison.methods {
        match &method.outcome {
            Err(reason) => page.note(&format!("{} does not apply: {reason}", method.name)),
            Ok(Outcome { remark: Some(remark), .. }) => {
                page.note(&format!("{}: {remark}.", method.name));
            }
            Ok(_) => {}
        }
    }
}

fn bar(page: &mut Markup, percent: f64, colour: &str) {
    let view = "0 0 100 10";
    let path = format!("M0 2H{percent:.1}V8H0Z");
    let class = format!("inline-bar {colour}");
    let attributes =
        [("class", class.as_str()), ("viewBox", view), ("preserveAspectRatio", "none"), ("aria-hidden", "true")];
    page.element("svg", &attributes, |page| page.element("path", &[("d", &path)], |_| {}));
}

/// Cells that are drawn: evenly by the size of their counts.
fn shown(truth: &[i64]) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..truth.len()).collect();
    cells.sort_by_key(|cell| (truth[*cell], *cell));
    let every = cells.len().div_ceil(MOST_POINTS).max(1);
    cells.into_iter().step_by(every).collect()
}

fn biases(page: &mut Markup, comparison: &Comparison) {
    page.paragraph("Every dot is a cell: its true count, and how far the mean of its released counts is from it. The vertical line through a dot is two \
         standard errors long to either side. All plots have the same axes.",
    );
    let cells = shown(&comparison.truth);
    if cells.len() < comparison.truth.len() {
        page.note(&format!("{} of {} cells are shown.", cells.len(), comparison.truth.len()));
    }
    let ends = |outcome: &Outcome| {
        let reach = |cell: &usize| {
            let error = &outcome.errors.cells()[*cell];
            error.mean().abs() + 2.0 * error.mean_error()
        };
        cells.iter().map(reach).filter(|reach| reach.is_finite()).fold(0.0, f64::max)
    };
    let reach = found(comparison).map(|(_, outcome)| ends(outcome)).fold(1e-9, f64::max);
    page.element("div", &[("class", "multiples")], |page| {
        for (method, outcome) in found(comparison) {
            page.element("figure", &[], |page| {
                page.leaf("figcaption", &[("class", "title")], &name(method, outcome));
                scatter(page, comparison, outcome, &cells, reach, method.name);
            });
        }
    });
}

fn scatter(page: &mut Markup, comparison: &Comparison, outcome: &Outcome, cells: &[usize], reach: f64, name: &str) {
    let colour = place(comparison, name);
    let of = |cell: &usize| (comparison.truth[*cell] as f64, &outcome.errors.cells()[*cell]);
    let whisker = |(at, error): (f64, &Summary)| {
        let half = 2.0 * error.mean_error();
        (at, error.mean() - half, error.mean() + half)
    };
    let whiskers = cells.iter().map(of).map(whisker).filter(|(_, from, to)| from.is_finite() && to.is_finite());
    let dots = cells.iter().map(of).map(|(at, error)| (at, error.mean()));
    let chart = Chart {
        label: &format!("Bias of cells against their true counts, {name}"),
        size: SMALL,
        across: Axis::counts("true count (logarithmic)", comparison.truth.iter().copied().max().unwrap_or(0)),
        up: Axis::linear("bias", -reach, reach),
        series: vec![
            Series::new(SPREADS[colour], Shape::Whiskers(whiskers.collect())),
            Series::new(DOTS[colour], Shape::Dots(dots.collect())),
        ],
    };
    chart.draw(page);
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
                page.head(
                    [Head::Words(size), Head::Numbers("cells")]
                        .into_iter()
                        .chain(outcomes.iter().map(|(name, _)| Head::Numbers(name))),
                );
                page.element("tbody", &[], |page| {
                    for (part, sized) in first.partition().parts().iter().enumerate() {
                        page.row(|page| {
                            page.row_name(&sizes(sized));
                            page.number(&sized.cells.to_string());
                            outcomes.iter().for_each(|(_, errors)| page.number(&mean(&of(errors)[part])));
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
        "cascade" => {
            "Totals split from above with noise, each number within what everything exact leaves: its law is known."
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

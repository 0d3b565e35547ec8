//! A comparison of methods as one self-contained HTML page; a pure function.

use crate::chart::{Axis, Chart, SMALL, Series, Shape, picture};
use crate::markup::{Head, Markup};
use crate::verdict::verdict;
use audit::comparison::{Compared, Comparison, Outcome, digits, sizes, with_error};
use audit::measure::{PartErrors, Summary};

/// So many cells are drawn at most, evenly by the size of their counts.
const MOST_POINTS: usize = 500;

/// Colours of methods, in the order of a comparison.
const COLOURS: usize = 8;

/// A comparison as one HTML page, and the same at several strengths: pairs of a strength and a
/// comparison. Equal comparisons give equal pages.
pub fn comparison_html(comparison: &Comparison, sweep: &[(f64, Comparison)]) -> String {
    Markup::page(&format!("{} – methods compared", comparison.title), |page| {
        header(page, comparison);
        page.element("main", &[], |page| {
            page.section("figures", "What each method does", |page| figures(page, comparison));
            if sweep.len() > 1 {
                let symbol = comparison.loss.split(' ').next().unwrap_or("ε");
                page.section("strengths", &format!("Error against {symbol}"), |page| swept(page, symbol, sweep));
            }
            page.section("coverage", "How often stated intervals hold", |page| coverage(page, comparison));
            page.section("bias", "Bias by size of the count", |page| biases(page, comparison));
            page.section("counts", "Small and large counts", |page| parts(page, comparison, 0, "true count"));
            page.section("groups", "Small and large groups", |page| {
                page.paragraph("Cells by the number of cells that share their smallest exact total; 0: cells in no total. Where variances differ \
                     between groups, small groups are treated differently from large ones.",
                );
                parts(page, comparison, 1, "cells of the group");
            });
            page.section("methods", "The methods", |page| methods(page, comparison));
        });
    })
}

/// The class of the colour of a method, by its place in the comparison.
fn colour(comparison: &Comparison, name: &str) -> String {
    format!("c{}", comparison.methods.iter().position(|method| method.name == name).unwrap_or(0) % COLOURS)
}

/// A table that scrolls where it is wider than the page.
fn wide<'a>(
    page: &mut Markup,
    caption: &str,
    columns: impl IntoIterator<Item = Head<'a>>,
    rows: impl FnOnce(&mut Markup),
) {
    page.element("div", &[("class", "scroll"), ("tabindex", "0")], |page| {
        page.table("plain wide", caption, columns, rows);
    });
}

/// The colours of the methods that are shown.
fn legend(page: &mut Markup, comparison: &Comparison) {
    page.element("ul", &[("class", "legend"), ("aria-label", "Legend of colours")], |page| {
        for (method, outcome) in found(comparison) {
            page.element("li", &[], |page| {
                let class = format!("key-line {}", colour(comparison, method.name));
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
            (number % COLOURS, sweep.iter().filter_map(point).collect::<Vec<_>>())
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
        series.push(Series::new(format!("dots c{colour}"), Shape::Dots(points.clone())));
        series.push(Series::new(format!("c{colour}"), Shape::Line(points)));
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
        let caption = "Both axes are logarithmic. Every point is a comparison of its own, at equal loss.";
        page.leaf("figcaption", &[], caption);
    });
}

/// How often the truth lies where a reader would look for it.
fn coverage(page: &mut Markup, comparison: &Comparison) {
    page.paragraph("A reader who takes each released count to be within the reach of its noise should be right nine times in ten. Where a method \
         states no interval, the reach of the noise before counts were moved or kept at or above zero is used: nothing promises that it \
         holds.",
    );
    let heads = [Head::Words("Method"), Head::Words("Interval"), Head::Numbers("Right, % of counts"), Head::Words("")];
    wide(page, "", heads, |page| {
        for (method, outcome) in found(comparison) {
            page.row(|page| {
                page.row_name(&name(method, outcome));
                match &outcome.coverage {
                    Some(covered) => {
                        let (least, most) = covered.reach;
                        let reach = if least == most { format!("±{most}") } else { format!("±{least} to ±{most}") };
                        let whose = if covered.stated { "stated" } else { "not stated; of the noise alone" };
                        page.cell(&format!("{reach}, {whose}"));
                        let share = 100.0 * covered.right.mean();
                        page.number(&with_error(share, 100.0 * covered.right.mean_error()));
                        bar(page, share, &colour(comparison, method.name));
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
        let about = format!(
            "{} draws of every method on {table}, {} cells, each with the noise at which it is certified at the same loss: {} per {}.",
            comparison.draws,
            comparison.truth.len(),
            comparison.loss,
            comparison.unit
        );
        page.leaf("p", &[("class", "about")], &about);
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
    let most = found(comparison).map(|(_, outcome)| outcome.errors.l1().mean()).fold(0.0, f64::max);
    let first = [Head::Words("Method"), Head::Numbers("Mean L1 error"), Head::Words("")];
    let others = "Mean L2 error, Largest bias, Variance, Made zero, Below zero, Broken, Seconds".split(", ");
    wide(page, "", first.into_iter().chain(others.map(Head::Numbers)), |page| {
        for (method, outcome) in found(comparison) {
            let errors = &outcome.errors;
            page.row(|page| {
                page.row_name(&name(method, outcome));
                page.number(&mean(errors.l1()));
                let share = if most > 0.0 { 100.0 * errors.l1().mean() / most } else { 0.0 };
                bar(page, share, &colour(comparison, method.name));
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
            Ok(Outcome { remark: Some(remark), .. }) => page.note(&format!("{}: {remark}.", method.name)),
            Ok(_) => {}
        }
    }
}

/// A cell with a bar.
fn bar(page: &mut Markup, percent: f64, colour: &str) {
    let (class, path) = (format!("inline-bar {colour}"), format!("M0 2H{percent:.1}V8H0Z"));
    page.element("td", &[], |page| {
        let whole = [("preserveAspectRatio", "none")];
        picture(page, &class, (100.0, 10.0), "", &whole, |page| page.path(colour, &path));
    });
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
            scatter(page, comparison, (method, outcome), &cells, reach);
        }
    });
}

fn scatter(
    page: &mut Markup,
    comparison: &Comparison,
    (method, outcome): (&Compared, &Outcome),
    cells: &[usize],
    reach: f64,
) {
    let colour = colour(comparison, method.name);
    let of = |cell: &usize| (comparison.truth[*cell] as f64, &outcome.errors.cells()[*cell]);
    let whisker = |(at, error): (f64, &Summary)| {
        let half = 2.0 * error.mean_error();
        (at, error.mean() - half, error.mean() + half)
    };
    let whiskers = cells.iter().map(of).map(whisker).filter(|(_, from, to)| from.is_finite() && to.is_finite());
    let dots = cells.iter().map(of).map(|(at, error)| (at, error.mean()));
    let chart = Chart {
        label: &format!("Bias of cells against their true counts, {}", method.name),
        size: SMALL,
        across: Axis::counts("true count (logarithmic)", comparison.truth.iter().copied().max().unwrap_or(0)),
        up: Axis::linear("bias", -reach, reach),
        series: vec![
            Series::new(format!("spread {colour}"), Shape::Whiskers(whiskers.collect())),
            Series::new(format!("dots {colour}"), Shape::Dots(dots.collect())),
        ],
    };
    chart.figure(page, &name(method, outcome), "");
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
        let heads = [Head::Words(size), Head::Numbers("cells")].into_iter();
        wide(page, caption, heads.chain(outcomes.iter().map(|(name, _)| Head::Numbers(name))), |page| {
            for (part, sized) in first.partition().parts().iter().enumerate() {
                page.row(|page| {
                    page.row_name(&sizes(sized));
                    page.number(&sized.cells.to_string());
                    outcomes.iter().for_each(|(_, errors)| page.number(&mean(&of(errors)[part])));
                });
            }
        });
    }
}

fn methods(page: &mut Markup, comparison: &Comparison) {
    page.element("dl", &[("class", "facts")], |page| {
        for (method, outcome) in found(comparison) {
            let text = format!(
                "{} Noise: {}. Operators: {}. {} s to make ready, {} s per draw here.",
                meaning(method.name),
                outcome.noise,
                outcome.operators.join(", "),
                digits(outcome.preparing),
                digits(outcome.drawing)
            );
            page.fact(&name(method, outcome), &text);
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

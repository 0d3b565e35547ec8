//! The table as bars: one row per cell, or per group of a hierarchy with its cells folded away beneath.

use crate::Release;
use crate::labels;
use crate::markup::Markup;
use crate::scale::Scale;
use crate::words::{counted, number};
use declare::Levels;
use std::ops::Range;

/// Longer lists scroll inside their own box.
const FREE_ROWS: usize = 120;

/// Labels up to this length stand on one line, close to their numbers.
const SHORT: usize = 36;

/// One row: its labels (one per column of labels), its value and its colour.
pub(crate) struct Bar {
    /// What the value is of.
    pub labels: Vec<String>,
    /// The value.
    pub value: i128,
    /// The class of its colour.
    pub class: &'static str,
}

/// The cells of a range, one bar each.
pub(crate) fn cells(page: &mut Markup, release: &Release, scale: &Scale, range: Range<usize>) {
    let first = &release.figures.first;
    let shown = &first[range.start.min(first.len())..range.end.min(first.len())];
    scale.legend(page, shown.contains(&0), false);
    let dimensions = &release.domain.schema.dimensions;
    let rows: Vec<Bar> = shown
        .iter()
        .enumerate()
        .map(|(position, value)| {
            let codes = release.domain.codes(range.start + position);
            let labels =
                dimensions.iter().zip(codes).map(|(dimension, code)| labels::value(&dimension.values, code)).collect();
            Bar { labels, value: i128::from(*value), class: scale.class(*value) }
        })
        .collect();
    let heads: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    list(page, "The released table", &heads, &rows);
}

/// A hierarchy: the sum of every group of its coarsest level, and the cells of each group folded away.
pub(crate) fn groups(page: &mut Markup, release: &Release, levels: &Levels, scale: &Scale) {
    let dimension = &release.domain.schema.dimensions[0];
    let values = &release.figures.first;
    let mut sums: Vec<(String, i128)> = levels.labels[0].iter().map(|label| (label.clone(), 0)).collect();
    for (cell, value) in values.iter().enumerate() {
        sums[levels.codes[0][release.domain.codes(cell)[0]] as usize].1 += i128::from(*value);
    }
    page.leaf(
        "p",
        &[],
        &format!(
            "The counts are shown by {}. Each bar is the sum of the \
            released counts below it; the counts themselves follow, group by group.",
            levels.names[0]
        ),
    );
    let rows: Vec<Bar> = sums
        .iter()
        .map(|(label, value)| Bar {
            labels: vec![label.clone()],
            value: *value,
            class: if *value < 0 { "n2" } else { "p5" },
        })
        .collect();
    list(page, "Sums of released counts", &[&levels.names[0]], &rows);
    page.leaf("h3", &[], "Every cell");
    scale.legend(page, values.contains(&0), false);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); levels.labels[0].len()];
    for cell in 0..values.len() {
        members[levels.codes[0][release.domain.codes(cell)[0]] as usize].push(cell);
    }
    let finest = levels.names.last().unwrap_or(&dimension.name);
    for ((label, sum), cells) in sums.iter().zip(&members) {
        page.element("details", &[("class", "group")], |page| {
            page.leaf(
                "summary",
                &[],
                &format!("{label} – {}, sum {}", counted(cells.len(), "cell", "cells"), number(*sum)),
            );
            let rows: Vec<Bar> = cells
                .iter()
                .map(|cell| {
                    let value = values[*cell];
                    let label = labels::leaf(&dimension.values, release.domain.codes(*cell)[0]);
                    Bar { labels: vec![label], value: i128::from(value), class: scale.class(value) }
                })
                .collect();
            list(page, label, &[finest], &rows);
        });
    }
}

/// Rows with labels, a number and a bar from a common zero.
pub(crate) fn list(page: &mut Markup, title: &str, heads: &[&str], rows: &[Bar]) {
    let lowest = rows.iter().map(|row| row.value).min().unwrap_or(0).min(0);
    let highest = rows.iter().map(|row| row.value).max().unwrap_or(0).max(0);
    let span = (highest - lowest).max(1);
    let short = rows.iter().flat_map(|row| &row.labels).all(|label| label.chars().count() <= SHORT);
    let class = if short { "bars tight" } else { "bars" };
    let write = |page: &mut Markup| {
        page.element("table", &[("class", class)], |page| {
            page.element("thead", &[], |page| {
                page.element("tr", &[], |page| {
                    for head in heads {
                        page.leaf("th", &[("scope", "col")], head);
                    }
                    page.leaf("th", &[("scope", "col"), ("class", "number")], "Count");
                    page.leaf("td", &[], "");
                });
            });
            page.element("tbody", &[], |page| {
                for row in rows {
                    page.element("tr", &[], |page| {
                        for label in &row.labels {
                            page.leaf("th", &[("scope", "row")], label);
                        }
                        let class = if row.value < 0 { "number minus" } else { "number" };
                        page.leaf("td", &[("class", class)], &number(row.value));
                        page.element("td", &[("class", "track"), ("aria-hidden", "true")], |page| {
                            let style = format!(
                                "margin-left:{};width:{}",
                                percent(row.value.min(0) - lowest, span),
                                percent(row.value.abs(), span)
                            );
                            page.leaf("span", &[("class", &format!("bar {}", row.class)), ("style", &style)], "");
                        });
                    });
                }
            });
        });
    };
    if rows.len() > FREE_ROWS {
        page.element(
            "div",
            &[("class", "scroll tall"), ("tabindex", "0"), ("role", "region"), ("aria-label", title)],
            write,
        );
    } else {
        page.element("div", &[("class", "scroll")], write);
    }
}

/// `part / whole` in per cent with one decimal, by integers alone.
fn percent(part: i128, whole: i128) -> String {
    let tenths = part.saturating_mul(1000) / whole;
    format!("{}.{}%", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn percentages_have_one_decimal() {
        assert_eq!(percent(1, 3), "33.3%");
        assert_eq!(percent(0, 1), "0.0%");
        assert_eq!(percent(i128::from(i64::MAX), i128::from(i64::MAX)), "100.0%");
    }
}

//! The table as bars: one row per cell, or per group of a hierarchy with its cells folded away
//! beneath.

use crate::Release;
use crate::exactly::Exactly;
use crate::grid::plus_minus;
use crate::labels;
use crate::markup::{Head, Markup};
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
    /// What is known of its error.
    pub error: Error,
}

/// What is known of the error of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Error {
    /// It has none.
    Exact,
    /// It is this near the truth nine times in ten.
    Within(u32),
    /// Nothing.
    Unknown,
}

impl Bar {
    /// The count of a cell.
    pub(crate) fn of_cell(release: &Release, scale: &Scale, cell: usize, labels: Vec<String>) -> Bar {
        let value = release.figures.first[cell];
        let error = release.known.of_cell(cell).map_or(Error::Unknown, Error::Within);
        Bar { labels, value: i128::from(value), class: scale.class(value), error }
    }

    /// A sum of counts.
    pub(crate) fn of_sum(label: String, value: i128, error: Error) -> Bar {
        Bar { labels: vec![label], value, class: if value < 0 { "n2" } else { "p5" }, error }
    }
}

impl Error {
    fn reach(self) -> i128 {
        match self {
            Error::Within(reach) => i128::from(reach),
            Error::Exact | Error::Unknown => 0,
        }
    }
}

/// The cells of a range, one bar each.
pub(crate) fn cells(page: &mut Markup, release: &Release, scale: &Scale, range: Range<usize>) {
    let first = &release.figures.first;
    let range = range.start.min(first.len())..range.end.min(first.len());
    let shown = &first[range.clone()];
    scale.legend(page, shown.contains(&0), false);
    let dimensions = &release.domain.schema.dimensions;
    let row = |cell: usize| {
        let codes = dimensions.iter().zip(release.domain.codes(cell));
        let labels = codes.map(|(dimension, code)| labels::value(&dimension.values, code)).collect();
        Bar::of_cell(release, scale, cell, labels)
    };
    let rows: Vec<Bar> = range.clone().map(row).collect();
    let heads: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    list(page, "The released table", &heads, &rows);
    if range.start == 0 && shown.len() == release.domain.len() {
        let exact = Exactly::of(release).along(&[]);
        let reach = release.known.of_sums(&[]).and_then(|reach| reach.first().copied()).filter(|_| !exact);
        page.element("p", &[("class", "total")], |page| {
            page.text("Total ");
            page.leaf("b", &[("class", if exact { "exact" } else { "sum" })], &number(release.figures.sum));
            if let Some(reach) = reach {
                plus_minus(page, reach);
            }
            page.text(if exact { " (exact)" } else { "" });
        });
    }
}

/// A hierarchy: the sum of every group of its coarsest level, and the cells of each group folded
/// away.
pub(crate) fn groups(page: &mut Markup, release: &Release, levels: &Levels, scale: &Scale) {
    let dimension = &release.domain.schema.dimensions[0];
    let values = &release.figures.first;
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); levels.labels[0].len()];
    for cell in 0..values.len() {
        groups[levels.codes[0][release.domain.codes(cell)[0]] as usize].push(cell);
    }
    let sum = |cells: &Vec<usize>| cells.iter().map(|cell| i128::from(values[*cell])).sum::<i128>();
    page.paragraph(&format!(
        "The counts are shown by {}. Each bar is the sum of the \
            released counts below it; the counts themselves follow, group by group.",
        levels.names[0]
    ));
    let named = || levels.labels[0].iter().zip(&groups);
    let rows: Vec<Bar> = named().map(|(label, cells)| Bar::of_sum(label.clone(), sum(cells), Error::Unknown)).collect();
    list(page, "Sums of released counts", &[&levels.names[0]], &rows);
    page.leaf("h3", &[], "Every cell");
    scale.legend(page, values.contains(&0), false);
    let finest = levels.names.last().unwrap_or(&dimension.name);
    for (label, cells) in named() {
        page.element("details", &[("class", "group")], |page| {
            let size = counted(cells.len(), "cell", "cells");
            page.leaf("summary", &[], &format!("{label} – {size}, sum {}", number(sum(cells))));
            let row = |cell: &usize| {
                let label = labels::leaf(&dimension.values, release.domain.codes(*cell)[0]);
                Bar::of_cell(release, scale, *cell, vec![label])
            };
            list(page, label, &[finest], &cells.iter().map(row).collect::<Vec<_>>());
        });
    }
}

/// Rows with labels, a number and a bar from a common zero.
pub(crate) fn list(page: &mut Markup, title: &str, heads: &[&str], rows: &[Bar]) {
    let scaled = Scaled::of(rows.iter());
    scroll(page, title, rows.len(), |page| {
        let heads = heads.iter().map(|head| Head::Words(head)).chain([Head::Numbers("Count"), Head::Nothing]);
        page.table(scaled.class, "", heads, |page| rows.iter().for_each(|row| scaled.row(page, row)));
    });
}

/// Groups of rows, each a small table under its head, with bars from one zero.
pub(crate) fn grouped(page: &mut Markup, title: &str, heads: &[String], groups: &[Vec<Bar>]) {
    let scaled = Scaled::of(groups.iter().flatten());
    page.leaf("h3", &[], title);
    page.element("div", &[("class", "multiples")], |page| {
        for (head, rows) in heads.iter().zip(groups) {
            page.element("table", &[("class", scaled.class)], |page| {
                page.leaf("caption", &[], head);
                page.element("tbody", &[], |page| rows.iter().for_each(|row| scaled.row(page, row)));
            });
        }
    });
}

/// Long lists scroll inside a box of their own.
fn scroll(page: &mut Markup, title: &str, rows: usize, write: impl FnOnce(&mut Markup)) {
    let tall = [("class", "scroll tall"), ("tabindex", "0"), ("role", "region"), ("aria-label", title)];
    page.element("div", if rows > FREE_ROWS { &tall } else { &[("class", "scroll")] }, write);
}

/// What all bars of a list share: where they begin, how long they may be, and how their labels
/// stand.
struct Scaled {
    lowest: i128,
    span: i128,
    class: &'static str,
}

impl Scaled {
    fn of<'a>(rows: impl Iterator<Item = &'a Bar> + Clone) -> Scaled {
        let lowest = rows.clone().map(|row| row.value - row.error.reach()).min().unwrap_or(0).min(0);
        let highest = rows.clone().map(|row| row.value + row.error.reach()).max().unwrap_or(0).max(0);
        let short = rows.flat_map(|row| &row.labels).all(|label| label.chars().count() <= SHORT);
        Scaled { lowest, span: (highest - lowest).max(1), class: if short { "bars tight" } else { "bars" } }
    }

    fn row(&self, page: &mut Markup, row: &Bar) {
        page.row(|page| {
            for label in &row.labels {
                page.row_name(label);
            }
            let class = match row.error {
                Error::Exact => "number exact",
                _ if row.value < 0 => "number minus",
                _ => "number",
            };
            page.element("td", &[("class", class)], |page| {
                page.text(&number(row.value));
                if let Error::Within(reach) = row.error {
                    plus_minus(page, reach);
                }
            });
            page.element("td", &[("class", "track"), ("aria-hidden", "true")], |page| {
                track(page, row, self.lowest, self.span);
            });
        });
    }
}

/// The bar of a row, and a line as long as its noise reaches to either side.
fn track(page: &mut Markup, row: &Bar, lowest: i128, span: i128) {
    let place =
        |from: i128, width: i128| format!("left:{};width:{}", percent(from - lowest, span), percent(width, span));
    page.element("span", &[("class", "rail")], |page| {
        let style = place(row.value.min(0), row.value.abs());
        page.leaf("span", &[("class", &format!("bar {}", row.class)), ("style", &style)], "");
        if let Error::Within(reach @ 1..) = row.error {
            let style = place(row.value - i128::from(reach), 2 * i128::from(reach));
            page.leaf("span", &[("class", "whisker"), ("style", &style)], "");
        }
    });
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

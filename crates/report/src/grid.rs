//! The table as a heat map: the last dimension across, every combination of the others down.

use crate::Release;
use crate::labels;
use crate::markup::Markup;
use crate::scale::Scale;
use crate::words::number;
use declare::Dimension;

/// Longer tables scroll inside their own box.
const FREE_ROWS: usize = 60;

struct Grid<'a> {
    down: Vec<&'a Dimension>,
    across: &'a Dimension,
    /// The codes of the row, and a count or a structural zero for every column.
    rows: Vec<(Vec<usize>, Vec<Option<i64>>)>,
}

/// The first rows of the table as a grid; returns how many cells were shown.
pub(crate) fn section(page: &mut Markup, release: &Release, scale: &Scale, most_rows: usize) -> usize {
    let dimensions = &release.domain.schema.dimensions;
    let Some((across, down)) = dimensions.split_last() else {
        return 0;
    };
    let mut rows: Vec<(Vec<usize>, Vec<Option<i64>>)> = Vec::new();
    let mut shown = 0;
    for (cell, value) in release.figures.first.iter().enumerate() {
        let mut codes = release.domain.codes(cell);
        let column = codes.pop().unwrap_or(0);
        if rows.last().is_none_or(|(last, _)| *last != codes) {
            if rows.len() == most_rows {
                break;
            }
            rows.push((codes, vec![None; across.values.len()]));
        }
        if let Some((_, row)) = rows.last_mut() {
            row[column] = Some(*value);
            shown += 1;
        }
    }
    let whole = shown == release.domain.len();
    Grid { down: down.iter().collect(), across, rows }.write(page, scale, whole);
    shown
}

/// A two-dimensional table with its first dimension across, for tables that are wide and short.
pub(crate) fn transposed(page: &mut Markup, release: &Release, scale: &Scale) {
    let [across, down] = release.domain.schema.dimensions.as_slice() else {
        return;
    };
    let mut rows: Vec<_> = (0..down.values.len()).map(|code| (vec![code], vec![None; across.values.len()])).collect();
    for (cell, value) in release.figures.first.iter().enumerate() {
        if let [column, row] = release.domain.codes(cell)[..] {
            rows[row].1[column] = Some(*value);
        }
    }
    Grid { down: vec![down], across, rows }.write(page, scale, true);
}

impl Grid<'_> {
    fn write(&self, page: &mut Markup, scale: &Scale, whole: bool) {
        let counts = || self.rows.iter().flat_map(|(_, row)| row);
        scale.legend(page, counts().any(|value| *value == Some(0)), counts().any(Option::is_none));
        // Sums over an excerpt would be mistaken for totals, and beyond two dimensions they are not margins.
        let sums = whole && self.down.len() == 1;
        let class = if self.rows.len() > FREE_ROWS { "scroll tall" } else { "scroll" };
        let attributes =
            [("class", class), ("tabindex", "0"), ("role", "region"), ("aria-label", "The released table")];
        page.element("div", &attributes, |page| {
            page.element("table", &[("class", "heat")], |page| {
                self.head(page, sums);
                page.element("tbody", &[], |page| {
                    let mut before: &[usize] = &[];
                    for (codes, row) in &self.rows {
                        page.element("tr", &[], |page| self.row(page, scale, before, codes, row, sums));
                        before = codes;
                    }
                });
                if sums {
                    self.foot(page);
                }
            });
        });
    }

    fn head(&self, page: &mut Markup, sums: bool) {
        page.element("thead", &[], |page| {
            page.element("tr", &[], |page| {
                for dimension in &self.down {
                    page.leaf("th", &[("scope", "col"), ("rowspan", "2"), ("class", "corner")], &dimension.name);
                }
                let columns = self.across.values.len().to_string();
                page.leaf(
                    "th",
                    &[("scope", "colgroup"), ("colspan", &columns), ("class", "across")],
                    &self.across.name,
                );
                if sums {
                    page.leaf("th", &[("scope", "col"), ("rowspan", "2"), ("class", "sum")], "Sum");
                }
            });
            page.element("tr", &[], |page| {
                for code in 0..self.across.values.len() {
                    page.leaf("th", &[("scope", "col")], &labels::value(&self.across.values, code));
                }
            });
        });
    }

    fn row(
        &self,
        page: &mut Markup,
        scale: &Scale,
        before: &[usize],
        codes: &[usize],
        row: &[Option<i64>],
        sums: bool,
    ) {
        for (position, (dimension, code)) in self.down.iter().zip(codes).enumerate() {
            // A repeated label stays in the markup for screen readers, but steps back for the eye.
            let repeated = position + 1 < codes.len() && before.get(..=position) == codes.get(..=position);
            let attributes: &[(&str, &str)] =
                if repeated { &[("scope", "row"), ("class", "repeat")] } else { &[("scope", "row")] };
            page.leaf("th", attributes, &labels::value(&dimension.values, *code));
        }
        for value in row {
            match value {
                Some(value) => page.leaf("td", &[("class", scale.class(*value))], &number(*value)),
                None => page.element("td", &[("class", "x")], |page| {
                    page.leaf("span", &[("class", "unseen")], "not part of the table")
                }),
            }
        }
        if sums {
            page.leaf("td", &[("class", "sum")], &number(sum(row.iter())));
        }
    }

    fn foot(&self, page: &mut Markup) {
        page.element("tfoot", &[], |page| {
            page.element("tr", &[], |page| {
                page.leaf("th", &[("scope", "row")], "Sum");
                for column in 0..self.across.values.len() {
                    page.leaf("td", &[("class", "sum")], &number(sum(self.rows.iter().map(|(_, row)| &row[column]))));
                }
                page.leaf("td", &[("class", "sum")], &number(sum(self.rows.iter().flat_map(|(_, row)| row))));
            });
        });
    }
}

fn sum<'a>(values: impl Iterator<Item = &'a Option<i64>>) -> i128 {
    values.flatten().map(|value| i128::from(*value)).sum()
}

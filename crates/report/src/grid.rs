//! The table as a heat map: the last dimensions across, as many as the width holds, every
//! combination of the others down.

use crate::Release;
use crate::exactly::Exactly;
use crate::labels;
use crate::markup::Markup;
use crate::scale::Scale;
use crate::words::number;
use declare::{Dimension, Domain};

/// Longer tables scroll inside their own box.
const FREE_ROWS: usize = 60;

/// A count, with how far its noise reaches where that is told.
#[derive(Clone, Copy)]
struct Count {
    value: i64,
    reach: Option<u32>,
}

/// A row: the codes of the dimensions that go down, and a count or a structural zero for every
/// column.
type Row = (Vec<usize>, Vec<Option<Count>>);

/// What is known of sums along a margin.
struct Margin {
    exact: bool,
    /// In the order of the codes of the margin; nothing where it is not told.
    reach: Vec<u32>,
}

struct Grid<'a> {
    down: Vec<&'a Dimension>,
    across: Vec<&'a Dimension>,
    rows: Vec<Row>,
    /// What is known of the sums of rows, of columns and of all.
    margins: [Margin; 3],
}

/// Several dimensions stand across together if they have at most so many columns.
const MOST_ACROSS: usize = 14;

/// How many dimensions go down; the others stand across.
pub(crate) fn down(domain: &Domain) -> usize {
    let sizes: Vec<usize> = domain.schema.dimensions.iter().map(|dimension| dimension.values.len()).collect();
    let mut down = sizes.len().saturating_sub(1);
    while down > 1 && sizes[down - 1..].iter().product::<usize>() <= MOST_ACROSS {
        down -= 1;
    }
    down
}

/// The place of codes among all of some dimensions: the column of a cell, or the sum of a row.
fn place(dimensions: &[&Dimension], codes: &[usize]) -> usize {
    dimensions.iter().zip(codes).fold(0, |place, (dimension, code)| place * dimension.values.len() + code)
}

fn columns(across: &[&Dimension]) -> usize {
    across.iter().map(|dimension| dimension.values.len()).product()
}

/// The first rows of the table as a grid; returns how many cells were shown.
pub(crate) fn section(page: &mut Markup, release: &Release, scale: &Scale, most_rows: usize) -> usize {
    let dimensions = &release.domain.schema.dimensions;
    if dimensions.is_empty() {
        return 0;
    }
    let split = down(release.domain);
    let (down, across): (Vec<&Dimension>, Vec<&Dimension>) =
        (dimensions[..split].iter().collect(), dimensions[split..].iter().collect());
    let width = columns(&across);
    let mut rows: Vec<Row> = Vec::new();
    let mut shown = 0;
    for (cell, value) in release.figures.first.iter().enumerate() {
        let mut codes = release.domain.codes(cell);
        let column = place(&across, &codes.split_off(split));
        if rows.last().is_none_or(|(last, _)| *last != codes) {
            if rows.len() == most_rows {
                break;
            }
            rows.push((codes, vec![None; width]));
        }
        if let Some((_, row)) = rows.last_mut() {
            row[column] = Some(Count { value: *value, reach: release.known.of_cell(cell) });
            shown += 1;
        }
    }
    let whole = shown == release.domain.len();
    let places = [(0..split).collect(), (split..dimensions.len()).collect(), Vec::new()];
    let margins = places.map(|places: Vec<usize>| margin(release, &places));
    Grid { down, across, rows, margins }.write(page, scale, whole);
    shown
}

/// A two-dimensional table with its first dimension across, for tables that are wide and short.
pub(crate) fn transposed(page: &mut Markup, release: &Release, scale: &Scale) {
    let [across, down] = release.domain.schema.dimensions.as_slice() else {
        return;
    };
    let mut rows: Vec<Row> = (0..down.values.len()).map(|code| (vec![code], vec![None; across.values.len()])).collect();
    for (cell, value) in release.figures.first.iter().enumerate() {
        if let [column, row] = release.domain.codes(cell)[..] {
            rows[row].1[column] = Some(Count { value: *value, reach: release.known.of_cell(cell) });
        }
    }
    let margins = [vec![1], vec![0], Vec::new()].map(|places| margin(release, &places));
    Grid { down: vec![down], across: vec![across], rows, margins }.write(page, scale, true);
}

/// What is known of the sums along dimensions.
fn margin(release: &Release, places: &[usize]) -> Margin {
    let reach = release.known.of_sums(places).unwrap_or_default().to_vec();
    Margin { exact: Exactly::of(release).along(places), reach }
}

impl Margin {
    /// The cell of a sum: bold where it is exact, with its reach where that is told.
    fn sum(&self, page: &mut Markup, place: usize, sum: i128) {
        let class = if self.exact { "sum exact" } else { "sum" };
        page.element("td", &[("class", class)], |page| {
            page.text(&number(sum));
            if let (Some(reach), false) = (self.reach.get(place), self.exact) {
                plus_minus(page, *reach);
            }
        });
    }
}

/// How far noise reaches, beside a number.
pub(crate) fn plus_minus(page: &mut Markup, reach: u32) {
    page.leaf("span", &[("class", "pm")], &format!("±{}", number(i128::from(reach))));
}

impl Grid<'_> {
    fn write(&self, page: &mut Markup, scale: &Scale, whole: bool) {
        let counts = || self.rows.iter().flat_map(|(_, row)| row);
        let zero = counts().flatten().any(|count| count.value == 0);
        // Sums over an excerpt would be mistaken for totals.
        let class = if self.rows.len() > FREE_ROWS { "scroll tall" } else { "scroll" };
        let attributes =
            [("class", class), ("tabindex", "0"), ("role", "region"), ("aria-label", "The released table")];
        page.element("div", &attributes, |page| {
            page.element("table", &[("class", "heat")], |page| {
                self.head(page, whole);
                page.element("tbody", &[], |page| {
                    let mut before: &[usize] = &[];
                    for (codes, row) in &self.rows {
                        page.row(|page| self.row(page, scale, before, codes, row, whole));
                        before = codes;
                    }
                });
                if whole {
                    self.foot(page);
                }
            });
        });
        self.notes(page, whole);
        scale.legend(page, zero, counts().any(Option::is_none));
    }

    /// What bold and ± mean.
    fn notes(&self, page: &mut Markup, whole: bool) {
        let mut notes = Vec::new();
        if whole && self.margins.iter().any(|margin| margin.exact) {
            notes.push("Bold: exact totals.");
        }
        if self.rows.iter().flat_map(|(_, row)| row).flatten().any(|count| count.reach.is_some()) {
            notes.push("±: the true number is this near nine times in ten.");
        }
        if !notes.is_empty() {
            page.note(&notes.join(" "));
        }
    }

    fn head(&self, page: &mut Markup, sums: bool) {
        let lines = (1 + self.across.len()).to_string();
        page.element("thead", &[], |page| {
            page.row(|page| {
                for dimension in &self.down {
                    page.leaf("th", &[("scope", "col"), ("rowspan", &lines), ("class", "corner")], &dimension.name);
                }
                let names: Vec<&str> = self.across.iter().map(|dimension| dimension.name.as_str()).collect();
                let columns = columns(&self.across).to_string();
                let attributes = [("scope", "colgroup"), ("colspan", columns.as_str()), ("class", "across")];
                page.leaf("th", &attributes, &names.join(" · "));
                if sums {
                    page.leaf("th", &[("scope", "col"), ("rowspan", &lines), ("class", "sum")], "Total");
                }
            });
            for (place, dimension) in self.across.iter().enumerate() {
                let (before, after) = (columns(&self.across[..place]), columns(&self.across[place + 1..]));
                let over = after.to_string();
                let group = [("scope", "colgroup"), ("colspan", &over), ("class", "across")];
                let attributes = if after == 1 { &[("scope", "col")][..] } else { &group };
                page.row(|page| {
                    for code in (0..before).flat_map(|_| 0..dimension.values.len()) {
                        page.leaf("th", attributes, &labels::value(&dimension.values, code));
                    }
                });
            }
        });
    }

    fn row(
        &self,
        page: &mut Markup,
        scale: &Scale,
        before: &[usize],
        codes: &[usize],
        row: &[Option<Count>],
        sums: bool,
    ) {
        for (position, (dimension, code)) in self.down.iter().zip(codes).enumerate() {
            // A repeated label stays in the markup for screen readers, but steps back for the eye.
            let repeated = position + 1 < codes.len() && before.get(..=position) == codes.get(..=position);
            let attributes = [("scope", "row"), ("class", "repeat")];
            let attributes = if repeated { &attributes[..] } else { &attributes[..1] };
            page.leaf("th", attributes, &labels::value(&dimension.values, *code));
        }
        for count in row {
            match count {
                Some(Count { value, reach }) => page.element("td", &[("class", scale.class(*value))], |page| {
                    page.text(&number(*value));
                    reach.iter().for_each(|reach| plus_minus(page, *reach));
                }),
                None => page.element("td", &[("class", "x")], |page| {
                    page.leaf("span", &[("class", "unseen")], "not part of the table")
                }),
            }
        }
        if sums {
            self.margins[0].sum(page, place(&self.down, codes), sum(row.iter()));
        }
    }

    fn foot(&self, page: &mut Markup) {
        page.element("tfoot", &[], |page| {
            page.row(|page| {
                let over = self.down.len().to_string();
                page.leaf("th", &[("scope", "row"), ("colspan", &over)], "Total");
                for column in 0..columns(&self.across) {
                    self.margins[1].sum(page, column, sum(self.rows.iter().map(|(_, row)| &row[column])));
                }
                self.margins[2].sum(page, 0, sum(self.rows.iter().flat_map(|(_, row)| row)));
            });
        });
    }
}

fn sum<'a>(counts: impl Iterator<Item = &'a Option<Count>>) -> i128 {
    counts.flatten().map(|count| i128::from(count.value)).sum()
}

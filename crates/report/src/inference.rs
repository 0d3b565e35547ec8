//! What was inferred from releases as one self-contained HTML page; a pure function.

use crate::chart::picture;
use crate::markup::{Head, Markup};

/// What a page about inferences says.
#[derive(Debug, Clone, Copy)]
pub struct Inference<'a> {
    /// The title of the release.
    pub title: &'a str,
    /// What is known of every release.
    pub lead: &'a [String],
    /// The level, in percent.
    pub level: &'a str,
    /// The heading of the numbers.
    pub heading: &'a str,
    /// Every row: its name and its numbers.
    pub rows: &'a [(String, String)],
    /// Lower end, figure and upper end of every row, where there are such.
    pub spans: &'a [Option<[f64; 3]>],
    /// What the numbers stand on.
    pub basis: &'a [String],
}

/// The width and the height of the line of an interval.
const FIELD: (f64, f64) = (240.0, 14.0);
/// Of more rows only the first are drawn.
const MOST_ROWS: usize = 1000;

/// The page. Equal inferences give equal pages.
pub fn inference_html(inference: &Inference<'_>) -> String {
    Markup::page(&format!("{} – inferred", inference.title), |page| {
        page.element("header", &[], |page| {
            page.leaf("p", &[("class", "kicker")], "What the release tells");
            page.leaf("h1", &[], inference.title);
            inference.lead.iter().for_each(|line| page.leaf("p", &[("class", "lead")], line));
        });
        page.element("main", &[], |page| {
            page.section("figures", &format!("Figures at {} %", inference.level), |page| table(page, inference));
            page.section("basis", "What they stand on", |page| {
                page.element("ul", &[], |page| inference.basis.iter().for_each(|line| page.leaf("li", &[], line)));
            });
        });
    })
}

fn table(page: &mut Markup, inference: &Inference<'_>) {
    let ends = inference.spans.iter().flatten();
    let least = ends.clone().map(|span| span[0]).fold(f64::INFINITY, f64::min);
    let most = ends.map(|span| span[2]).fold(f64::NEG_INFINITY, f64::max);
    let place = |value: f64| match most > least {
        true => 2.0 + (FIELD.0 - 4.0) * (value - least) / (most - least),
        false => FIELD.0 / 2.0,
    };
    let heads = columns(inference.heading);
    let region = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-labelledby", "figures-title")];
    page.element("div", &region, |page| {
        let columns_named = [Head::Words("Figure")].into_iter().chain(heads.iter().map(|head| Head::Numbers(head)));
        page.table("plain", "", columns_named, |page| {
            for ((name, numbers), span) in inference.rows.iter().zip(inference.spans).take(MOST_ROWS) {
                page.row(|page| {
                    page.element("th", &[("scope", "row")], |page| {
                        page.leaf("div", &[], name);
                        if let Some(span) = span {
                            line(page, span, &place);
                        }
                    });
                    cells(page, &columns(numbers), heads.len());
                });
            }
        });
    });
    if inference.rows.len() > MOST_ROWS {
        page.paragraph(&format!("{} more rows are not shown.", inference.rows.len() - MOST_ROWS));
    }
}

/// The numbers of a row; words that take the place of several are one cell.
fn cells(page: &mut Markup, numbers: &[String], heads: usize) {
    for (place, number) in numbers.iter().enumerate() {
        let left = heads.saturating_sub(place).max(1).to_string();
        match place + 1 == numbers.len() && numbers.len() < heads {
            true => page.leaf("td", &[("colspan", &left)], number),
            false => page.number(number),
        }
    }
}

/// A line from the lower to the upper end, with a mark at the figure.
fn line(page: &mut Markup, [lower, middle, upper]: &[f64; 3], place: &dyn Fn(f64) -> f64) {
    let label = format!("from {lower} to {upper}, at {middle}");
    let [from, to, at] = [lower, upper, middle].map(|value| place(*value));
    let path = format!("M{from:.1} {}H{to:.1}M{at:.1} {}V3", FIELD.1 / 2.0, FIELD.1 - 3.0);
    let drawn = [("stroke", "currentColor"), ("fill", "none")];
    picture(page, "span", FIELD, &label, &drawn, |page| page.path("line", &path));
}

/// A line of text by its columns: two spaces are between them, or one between numbers.
fn columns(text: &str) -> Vec<String> {
    let mut columns = Vec::new();
    for part in text.split("  ").map(str::trim).filter(|part| !part.is_empty()) {
        match part.split(' ').all(|word| word.parse::<f64>().is_ok()) {
            true => columns.extend(part.split(' ').map(str::to_string)),
            false => columns.push(part.to_string()),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fall_into_columns() {
        assert_eq!(columns("        mean  std. dev.  from (90 %)"), ["mean", "std. dev.", "from (90 %)"]);
        assert_eq!(columns("     12.5 123456789012 7"), ["12.5", "123456789012", "7"]);
        assert_eq!(columns("  14   0.5   without end: none"), ["14", "0.5", "without end: none"]);
    }
}

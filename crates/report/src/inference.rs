//! What was inferred from releases as one self-contained HTML page; a pure function.

use crate::head;
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

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 14.0;
/// Of more rows only the first are drawn.
const MOST_ROWS: usize = 1000;

/// The page. Equal inferences give equal pages.
pub fn inference_html(inference: &Inference<'_>) -> String {
    let mut page = Markup::document();
    page.element("html", &[("lang", "en")], |page| {
        head(page, &format!("{} – inferred", inference.title));
        page.element("body", &[], |page| {
            page.element("header", &[], |page| {
                page.leaf("p", &[("class", "kicker")], "What the release tells");
                page.leaf("h1", &[], inference.title);
                inference.lead.iter().for_each(|line| page.leaf("p", &[("class", "lead")], line));
            });
            page.element("main", &[], |page| {
                page.element("section", &[("id", "figures"), ("aria-labelledby", "figures-title")], |page| {
                    page.leaf("h2", &[("id", "figures-title")], &format!("Figures at {} %", inference.level));
                    table(page, inference);
                });
                page.element("section", &[("id", "basis"), ("aria-labelledby", "basis-title")], |page| {
                    page.leaf("h2", &[("id", "basis-title")], "What they stand on");
                    page.element("ul", &[], |page| {
                        inference.basis.iter().for_each(|line| page.leaf("li", &[], line));
                    });
                });
            });
        });
    });
    page.finish()
}

fn table(page: &mut Markup, inference: &Inference<'_>) {
    let ends = inference.spans.iter().flatten();
    let least = ends.clone().map(|span| span[0]).fold(f64::INFINITY, f64::min);
    let most = ends.map(|span| span[2]).fold(f64::NEG_INFINITY, f64::max);
    let place =
        |value: f64| if most > least { 2.0 + (WIDTH - 4.0) * (value - least) / (most - least) } else { WIDTH / 2.0 };
    let heads = columns(inference.heading);
    let region = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-labelledby", "figures-title")];
    page.element("div", &region, |page| {
        page.element("table", &[("class", "plain")], |page| {
            page.head([Head::Words("Figure")].into_iter().chain(heads.iter().map(|head| Head::Numbers(head))));
            page.element("tbody", &[], |page| {
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
    });
    if inference.rows.len() > MOST_ROWS {
        let more = format!("{} more rows are not shown.", inference.rows.len() - MOST_ROWS);
        page.paragraph(&more);
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
    let size = format!("0 0 {WIDTH} {HEIGHT}");
    let label = format!("from {lower} to {upper}, at {middle}");
    let drawn = [("class", "span"), ("viewBox", size.as_str()), ("role", "img"), ("aria-label", &label)];
    page.element("svg", &drawn, |page| {
        let y = HEIGHT / 2.0;
        let [from, to, at] = [lower, upper, middle].map(|value| place(*value));
        let path = format!("M{from:.1} {y}H{to:.1}M{at:.1} {}V{}", HEIGHT - 3.0, 3.0);
        page.element("path", &[("d", &path), ("stroke", "currentColor"), ("fill", "none")], |_| {});
    });
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

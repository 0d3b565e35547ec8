//! What was inferred from releases as one self-contained HTML page; a pure function.

use crate::head;
use crate::markup::Markup;

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
    page.element("table", &[], |page| {
        page.element("tbody", &[], |page| {
            page.element("tr", &[], |page| {
                page.leaf("th", &[], "");
                page.element("th", &[], |page| page.leaf("pre", &[], inference.heading));
                page.leaf("th", &[], "");
            });
            for ((name, numbers), span) in inference.rows.iter().zip(inference.spans).take(MOST_ROWS) {
                page.element("tr", &[], |page| {
                    page.leaf("td", &[], name);
                    page.element("td", &[], |page| page.leaf("pre", &[], numbers));
                    page.element("td", &[], |page| {
                        if let Some([lower, middle, upper]) = span {
                            let size = format!("0 0 {WIDTH} {HEIGHT}");
                            let label = format!("from {lower} to {upper}, at {middle}");
                            page.element(
                                "svg",
                                &[("class", "span"), ("viewBox", &size), ("role", "img"), ("aria-label", &label)],
                                |page| {
                                    let line = format!(
                                        "M{:.1} {y}H{:.1}M{:.1} {}V{}",
                                        place(*lower),
                                        place(*upper),
                                        place(*middle),
                                        HEIGHT - 3.0,
                                        3.0,
                                        y = HEIGHT / 2.0
                                    );
                                    page.element(
                                        "path",
                                        &[("d", &line), ("stroke", "currentColor"), ("fill", "none")],
                                        |_| {},
                                    );
                                },
                            );
                        }
                    });
                });
            }
        });
    });
    if inference.rows.len() > MOST_ROWS {
        let more = format!("{} more rows are not shown.", inference.rows.len() - MOST_ROWS);
        page.leaf("p", &[], &more);
    }
}

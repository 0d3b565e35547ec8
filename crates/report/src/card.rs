//! A few facts as a part of another page, such as a notebook: without scripts, readable on light
//! and on dark.

use crate::chart::picture;
use crate::markup::Markup;

/// What a card shows.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a> {
    /// What it is about.
    pub title: &'a str,
    /// Facts: a name and what is the case.
    pub facts: &'a [(String, String)],
    /// Rows of a table, the first of which names its columns.
    pub rows: &'a [Vec<String>],
    /// What the bars say, and a bar each: its name and its length, at least zero.
    pub bars: (&'a str, &'a [(String, f64)]),
}

/// Of more rows only the first are shown.
const MOST_ROWS: usize = 60;

const FACT: &str = "text-align:left;vertical-align:top;padding:0.15em 1em 0.15em 0;font-weight:600;white-space:nowrap";
const CELL: &str = "text-align:left;vertical-align:top;padding:0.15em 1em 0.15em 0";
const HEAD: &str = "text-align:left;padding:0.15em 1em 0.15em 0;border-bottom:1px solid currentColor";
const TABLE: &str = "border-collapse:collapse;background:transparent;color:inherit;margin:0.3em 0";

/// The width of the longest bar, and the height of each.
const FIELD: (f64, f64) = (240.0, 12.0);
const BAR: [(&str, &str); 3] = [("width", "240"), ("height", "12"), ("style", "fill:currentColor;fill-opacity:0.45")];

fn table(part: &mut Markup, rows: impl FnOnce(&mut Markup)) {
    part.element("table", &[("style", TABLE)], rows);
}

fn bars(part: &mut Markup, about: &str, bars: &[(String, f64)]) {
    let longest = bars.iter().map(|(_, length)| *length).filter(|length| length.is_finite()).fold(0.0, f64::max);
    part.leaf("p", &[("style", "margin:0.4em 0 0")], about);
    table(part, |part| {
        for (name, length) in bars.iter().take(MOST_ROWS) {
            let width = if longest > 0.0 { (length / longest).clamp(0.0, 1.0) * FIELD.0 } else { 0.0 };
            part.row(|part| {
                part.leaf("th", &[("scope", "row"), ("style", FACT)], name);
                part.element("td", &[("style", CELL)], |part| {
                    picture(part, "", FIELD, "", &BAR, |part| {
                        part.path("congenial-bar", &format!("M0 0H{width:.1}V{}H0Z", FIELD.1))
                    });
                    part.text(&format!(" {length}"));
                });
            });
        }
    });
}

/// The card. Equal cards give equal texts. Colours are those of the page around it.
pub fn card_html(card: &Card<'_>) -> String {
    let mut part = Markup::default();
    part.element("div", &[("class", "congenial-card"), ("style", "max-width:60em")], |part| {
        part.leaf("p", &[("style", "font-weight:700;margin:0.2em 0")], card.title);
        if !card.facts.is_empty() {
            table(part, |part| {
                for (name, fact) in card.facts {
                    part.row(|part| {
                        part.leaf("th", &[("scope", "row"), ("style", FACT)], name);
                        part.leaf("td", &[("style", CELL)], fact);
                    });
                }
            });
        }
        if let Some((head, rows)) = card.rows.split_first() {
            table(part, |part| {
                part.row(|part| {
                    head.iter().for_each(|name| part.leaf("th", &[("scope", "col"), ("style", HEAD)], name));
                });
                for row in rows.iter().take(MOST_ROWS) {
                    part.row(|part| row.iter().for_each(|cell| part.leaf("td", &[("style", CELL)], cell)));
                }
            });
            if rows.len() > MOST_ROWS {
                part.leaf("p", &[], &format!("… {} more rows", rows.len() - MOST_ROWS));
            }
        }
        if let (about, [_, ..]) = card.bars {
            bars(part, about, card.bars.1);
        }
    });
    part.finish()
}

#[cfg(test)]
mod tests {
    use super::{Card, card_html};

    #[test]
    fn what_comes_from_a_spec_is_escaped() {
        let facts = [("<b>".to_string(), "<script>alert(1)</script>".to_string())];
        let rows = [vec!["\"onload=\"x".to_string()], vec!["<img src=x>".to_string()]];
        let html = card_html(&Card {
            title: "</div><script>",
            facts: &facts,
            rows: &rows,
            bars: ("<i>", &[("<u>".into(), 1.0)]),
        });
        assert!(
            !html.contains("<script") && !html.contains("<img") && !html.contains("<b>") && !html.contains("<u>"),
            "{html}"
        );
        assert!(!html.contains("<i>") && html.contains("M0 0H240.0V12H0Z"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    }

    #[test]
    fn long_tables_are_cut_and_say_so() {
        let rows: Vec<Vec<String>> = (0..100).map(|row| vec![row.to_string()]).collect();
        let html = card_html(&Card { title: "t", facts: &[], rows: &rows, bars: ("", &[]) });
        assert!(html.contains("… 39 more rows") && !html.contains(">90<"), "{html}");
    }
}

//! A few facts as a part of another page, such as a notebook: without scripts, readable on light
//! and on dark.

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
const WIDEST: f64 = 240.0;
const HIGH: &str = "12";

fn bars(part: &mut Markup, about: &str, bars: &[(String, f64)]) {
    let longest = bars.iter().map(|(_, length)| *length).filter(|length| length.is_finite()).fold(0.0, f64::max);
    part.leaf("p", &[("style", "margin:0.4em 0 0")], about);
    part.element("table", &[("style", TABLE)], |part| {
        for (name, length) in bars.iter().take(MOST_ROWS) {
            let width = if longest > 0.0 { (length / longest).clamp(0.0, 1.0) * WIDEST } else { 0.0 };
            let (width, whole) = (format!("{width:.1}"), format!("{WIDEST}"));
            part.element("tr", &[], |part| {
                part.leaf("th", &[("scope", "row"), ("style", FACT)], name);
                part.element("td", &[("style", CELL)], |part| {
                    part.element("svg", &[("width", &whole), ("height", HIGH), ("aria-hidden", "true")], |part| {
                        let bar = [("width", width.as_str()), ("height", HIGH), ("fill", "currentColor")];
                        part.element("rect", &[bar.as_slice(), &[("fill-opacity", "0.45")]].concat(), |_| {});
                    });
                    part.text(&format!(" {length}"));
                });
            });
        }
    });
}

/// The card. Equal cards give equal texts. Colours are those of the page around it.
pub fn card_html(card: &Card<'_>) -> String {
    let mut part = Markup::fragment();
    part.element("div", &[("class", "congenial-card"), ("style", "max-width:60em")], |part| {
        part.leaf("p", &[("style", "font-weight:700;margin:0.2em 0")], card.title);
        if !card.facts.is_empty() {
            part.element("table", &[("style", TABLE)], |part| {
                for (name, fact) in card.facts {
                    part.element("tr", &[], |part| {
                        part.leaf("th", &[("scope", "row"), ("style", FACT)], name);
                        part.leaf("td", &[("style", CELL)], fact);
                    });
                }
            });
        }
        if let Some((head, rows)) = card.rows.split_first() {
            part.element("table", &[("style", TABLE)], |part| {
                part.element("tr", &[], |part| {
                    head.iter().for_each(|name| part.leaf("th", &[("scope", "col"), ("style", HEAD)], name));
                });
                for row in rows.iter().take(MOST_ROWS) {
                    part.element("tr", &[], |part| {
                        row.iter().for_each(|cell| part.leaf("td", &[("style", CELL)], cell));
                    });
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
        assert!(!html.contains("<i>") && html.contains("width=\"240.0\""), "{html}");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    }

    #[test]
    fn long_tables_are_cut_and_say_so() {
        let rows: Vec<Vec<String>> = (0..100).map(|row| vec![row.to_string()]).collect();
        let html = card_html(&Card { title: "t", facts: &[], rows: &rows, bars: ("", &[]) });
        assert!(html.contains("… 39 more rows") && !html.contains(">90<"), "{html}");
    }
}

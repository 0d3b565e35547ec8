//! A few facts as a part of another page, such as a notebook: without scripts, readable on light and on dark.

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
}

/// Of more rows only the first are shown.
const MOST_ROWS: usize = 60;

const FACT: &str = "text-align:left;vertical-align:top;padding:0.15em 1em 0.15em 0;font-weight:600;white-space:nowrap";
const CELL: &str = "text-align:left;vertical-align:top;padding:0.15em 1em 0.15em 0";
const HEAD: &str = "text-align:left;padding:0.15em 1em 0.15em 0;border-bottom:1px solid currentColor";
const TABLE: &str = "border-collapse:collapse;background:transparent;color:inherit;margin:0.3em 0";

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
        let html = card_html(&Card { title: "</div><script>", facts: &facts, rows: &rows });
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<b>"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    }

    #[test]
    fn long_tables_are_cut_and_say_so() {
        let rows: Vec<Vec<String>> = (0..100).map(|row| vec![row.to_string()]).collect();
        let html = card_html(&Card { title: "t", facts: &[], rows: &rows });
        assert!(html.contains("… 39 more rows") && !html.contains(">90<"), "{html}");
    }
}

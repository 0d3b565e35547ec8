//! `Markup`: HTML that is balanced and escaped by construction.

const STYLE: &str = include_str!("page.css");

/// Forbids a page to load or run anything, whatever a label may contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page being written, or a part of one, or a picture. Elements close themselves, and text can
/// only enter escaped.
#[derive(Default)]
pub(crate) struct Markup {
    text: String,
}

/// Elements inside a line; after any other a new line keeps the source readable without adding
/// visible space.
const INLINE: [&str; 8] = ["a", "b", "code", "span", "strong", "td", "th", "time"];

/// The name of a column of a table.
pub(crate) enum Head<'a> {
    /// Of words.
    Words(&'a str),
    /// Of numbers, which stand at its right.
    Numbers(&'a str),
    /// Of what needs no name.
    Nothing,
}

impl Markup {
    /// A whole HTML5 page, which loads nothing and says so.
    pub fn page(title: &str, body: impl FnOnce(&mut Markup)) -> String {
        let mut page = Markup { text: "<!DOCTYPE html>\n".to_owned() };
        page.element("html", &[("lang", "en")], |page| {
            page.element("head", &[], |page| {
                page.void("meta", &[("charset", "utf-8")]);
                page.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
                page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
                page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
                page.leaf("title", &[], title);
                page.style(STYLE);
            });
            page.element("body", &[], body);
        });
        page.finish()
    }

    /// The finished part of a page, or picture.
    pub fn finish(self) -> String {
        self.text
    }

    /// An element with content.
    pub fn element(&mut self, tag: &'static str, attributes: &[(&str, &str)], content: impl FnOnce(&mut Markup)) {
        self.void(tag, attributes);
        content(self);
        self.text.push_str("</");
        self.text.push_str(tag);
        self.text.push('>');
        if !INLINE.contains(&tag) {
            self.text.push('\n');
        }
    }

    /// An element that holds only text.
    pub fn leaf(&mut self, tag: &'static str, attributes: &[(&str, &str)], text: &str) {
        self.element(tag, attributes, |page| page.text(text));
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.leaf("p", &[], text);
    }

    /// A paragraph in small letters.
    pub fn note(&mut self, text: &str) {
        self.leaf("p", &[("class", "note")], text);
    }

    /// A path of a picture.
    pub fn path(&mut self, class: &str, path: &str) {
        self.leaf("path", &[("class", class), ("d", path)], "");
    }

    /// A section under its heading.
    pub fn section(&mut self, identity: &str, title: &str, content: impl FnOnce(&mut Markup)) {
        let labelled = format!("{identity}-title");
        self.element("section", &[("id", identity), ("aria-labelledby", &labelled)], |page| {
            page.leaf("h2", &[("id", &labelled)], title);
            content(page);
        });
    }

    /// A fact of a list: its name and what is the case.
    pub fn fact(&mut self, name: &str, text: &str) {
        self.element("div", &[], |page| {
            page.leaf("dt", &[], name);
            page.leaf("dd", &[], text);
        });
    }

    /// A table: its caption if it has one, the names of its columns, and its rows.
    pub fn table<'a>(
        &mut self,
        class: &str,
        caption: &str,
        columns: impl IntoIterator<Item = Head<'a>>,
        rows: impl FnOnce(&mut Markup),
    ) {
        self.element("table", &[("class", class)], |page| {
            if !caption.is_empty() {
                page.leaf("caption", &[], caption);
            }
            page.element("thead", &[], |page| {
                page.row(|page| {
                    for column in columns {
                        match column {
                            Head::Words(name) => page.leaf("th", &[("scope", "col")], name),
                            Head::Numbers(name) => page.leaf("th", &[("scope", "col"), ("class", "number")], name),
                            Head::Nothing => page.cell(""),
                        }
                    }
                });
            });
            page.element("tbody", &[], rows);
        });
    }

    /// A row of a table.
    pub fn row(&mut self, content: impl FnOnce(&mut Markup)) {
        self.element("tr", &[], content);
    }

    /// What a row is about.
    pub fn row_name(&mut self, text: &str) {
        self.leaf("th", &[("scope", "row")], text);
    }

    /// A number in a row.
    pub fn number(&mut self, text: &str) {
        self.leaf("td", &[("class", "number")], text);
    }

    /// Words in a row.
    pub fn cell(&mut self, text: &str) {
        self.leaf("td", &[], text);
    }

    /// An element without content, or the start of one with content.
    pub fn void(&mut self, tag: &'static str, attributes: &[(&str, &str)]) {
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            self.text(value);
            self.text.push('"');
        }
        self.text.push('>');
        if tag == "meta" {
            self.text.push('\n');
        }
    }

    /// Escaped text, safe in content and in a quoted attribute. Control characters and the marks
    /// that reverse the direction of writing are shown as replacement characters, so that a label
    /// cannot dress up as another.
    pub fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                '\n' | '\t' => self.text.push(character),
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => self.text.push('\u{fffd}'),
                control if control.is_control() => self.text.push('\u{fffd}'),
                other => self.text.push(other),
            }
        }
    }

    /// The style sheet, which is ours and not escaped.
    pub fn style(&mut self, sheet: &'static str) {
        self.text.push_str("<style>\n");
        self.text.push_str(sheet);
        self.text.push_str("</style>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let mut page = Markup::default();
        page.leaf("b", &[("title", "\" onload='x'")], "<script>&\u{202e}\u{7}");
        assert_eq!(page.finish(), "<b title=\"&quot; onload=&#39;x&#39;\">&lt;script&gt;&amp;\u{fffd}\u{fffd}</b>");
    }
}

//! `Markup`: HTML that is balanced and escaped by construction.

/// A page being written. Elements close themselves, and text can only enter escaped.
pub(crate) struct Markup {
    text: String,
}

/// Elements after which a new line keeps the source readable without adding visible space.
const BLOCKS: &[&str] = &[
    "html",
    "head",
    "body",
    "header",
    "nav",
    "main",
    "section",
    "footer",
    "title",
    "style",
    "h1",
    "h2",
    "h3",
    "p",
    "ul",
    "ol",
    "li",
    "dl",
    "div",
    "dt",
    "dd",
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "details",
    "summary",
    "pre",
    "figure",
    "figcaption",
    "svg",
    "path",
    "text",
    "g",
    "label",
];

/// The name of a column of a table.
pub(crate) enum Head<'a> {
    /// Of words.
    Words(&'a str),
    /// Of numbers, which stand at its right.
    Numbers(&'a str),
}

impl Markup {
    /// An empty HTML5 document.
    pub fn document() -> Self {
        Markup { text: "<!DOCTYPE html>\n".to_owned() }
    }

    /// An empty part of a document, or a picture.
    pub fn fragment() -> Self {
        Markup { text: String::new() }
    }

    /// The finished page.
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
        if BLOCKS.contains(&tag) {
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

    /// What stands below a figure.
    pub fn caption(&mut self, text: &str) {
        self.leaf("figcaption", &[], text);
    }

    /// The names of the columns of a table.
    pub fn head<'a>(&mut self, columns: impl IntoIterator<Item = Head<'a>>) {
        self.element("thead", &[], |page| {
            page.row(|page| {
                for column in columns {
                    match column {
                        Head::Words(name) => page.leaf("th", &[("scope", "col")], name),
                        Head::Numbers(name) => page.leaf("th", &[("scope", "col"), ("class", "number")], name),
                    }
                }
            });
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
        let mut page = Markup { text: String::new() };
        page.leaf("b", &[("title", "\" onload='x'")], "<script>&\u{202e}\u{7}");
        assert_eq!(page.finish(), "<b title=\"&quot; onload=&#39;x&#39;\">&lt;script&gt;&amp;\u{fffd}\u{fffd}</b>");
    }
}

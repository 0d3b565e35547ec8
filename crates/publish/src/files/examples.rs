//! Tables as the examples for readers of a release name them.

use super::rows::ColumnKind;

/// A table that lines of R or Python read.
#[derive(Debug)]
pub struct Example<'a> {
    /// A word in both languages.
    pub name: String,
    /// Its file, quoted.
    pub file: String,
    /// Its sheet, quoted.
    pub sheet: String,
    /// Its columns.
    pub columns: Vec<(&'a str, ColumnKind)>,
}

impl Example<'_> {
    /// The columns of texts, quoted.
    pub fn texts(&self) -> Vec<String> {
        let texts = self.columns.iter().filter(|(_, kind)| *kind == ColumnKind::Text);
        texts.map(|(name, _)| quoted(name)).collect()
    }

    /// The argument of pandas that keeps texts: a code such as 007 must not become a number.
    pub fn pandas_texts(&self) -> String {
        let texts: Vec<String> = self.texts().iter().map(|name| format!("{name}: str")).collect();
        if texts.is_empty() { String::new() } else { format!("dtype={{{}}}, ", texts.join(", ")) }
    }
}

/// A text as both languages quote it.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

//! The text of a spec, and where in it a string literal's letters stand.

use crate::problem::{Place, Problem};
use std::ops::Range;

/// The text of a spec with the name messages give it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Source {
    /// A problem of the spec, pointed at a span of its text.
    pub(crate) fn bad(&self, span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.point(Problem::bad(message), span, label)
    }

    /// A problem, pointed at a span of the text.
    pub(crate) fn point(&self, problem: Problem, span: Range<usize>, label: impl Into<String>) -> Problem {
        let end = span.end.min(self.text.len());
        problem.at(Place {
            file: self.name.clone(),
            text: self.text.clone(),
            first_line: 1,
            span: span.start.min(end)..end,
            label: label.into(),
        })
    }

    /// Where a span of the decoded text of a string literal stands in the spec.
    pub(crate) fn inside(&self, literal: Range<usize>, decoded: &str, span: Range<usize>) -> Range<usize> {
        let Some(raw) = self.text.get(literal.clone()) else {
            return literal;
        };
        match offsets(raw) {
            Some((text, offsets)) if text == decoded && span.end <= decoded.len() => {
                literal.start + offsets[span.start]..literal.start + offsets[span.end]
            }
            _ => literal,
        }
    }
}

/// Decodes a TOML string literal and says for every byte of the result, and for its end, where it
/// comes from.
fn offsets(raw: &str) -> Option<(String, Vec<usize>)> {
    let quote = if raw.starts_with("\"\"\"") || raw.starts_with("'''") { 3 } else { 1 };
    let basic = raw.starts_with('"');
    let end = raw.len().checked_sub(quote)?;
    let mut at = quote;
    if quote == 3 {
        at += if raw[at..].starts_with("\r\n") { 2 } else { usize::from(raw[at..].starts_with('\n')) };
    }
    let mut text = String::new();
    let mut offsets = Vec::new();
    while at < end {
        let letter = raw[at..].chars().next()?;
        let start = at;
        at += letter.len_utf8();
        let (decoded, length) = if basic && letter == '\\' { escape(&raw[at..end])? } else { (Some(letter), 0) };
        at += length;
        text.extend(decoded);
        offsets.resize(text.len(), start);
    }
    offsets.push(end);
    Some((text, offsets))
}

/// What an escape after its backslash stands for, and its length; a line continuation stands for
/// nothing.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    let hexadecimal = |digits: usize| {
        let code = u32::from_str_radix(rest.get(1..1 + digits)?, 16).ok()?;
        Some((Some(char::from_u32(code)?), 1 + digits))
    };
    let simple = |letter: char| Some((Some(letter), 1));
    match rest.chars().next()? {
        'b' => simple('\u{8}'),
        't' => simple('\t'),
        'n' => simple('\n'),
        'f' => simple('\u{c}'),
        'r' => simple('\r'),
        'e' => simple('\u{1b}'),
        '"' => simple('"'),
        '\\' => simple('\\'),
        'x' => hexadecimal(2),
        'u' => hexadecimal(4),
        'U' => hexadecimal(8),
        letter if letter.is_ascii_whitespace() => {
            Some((None, rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_literal_is_followed() {
        for (raw, decoded, start) in [
            ("'a = b'", "a = b", 5),
            ("\"a = b\"", "a = b", 5),
            ("\"\\u0061 = b\"", "a = b", 10),
            ("\"\\t= b\"", "\t= b", 5),
            ("\"\"\"\na = b\"\"\"", "a = b", 8),
            ("\"\"\"a \\\n   = b\"\"\"", "a = b", 12),
            ("'''a = b'''", "a = b", 7),
        ] {
            let (text, offsets) = offsets(raw).unwrap();
            assert_eq!(text, decoded);
            assert_eq!(offsets[decoded.len() - 1], start, "{raw}");
            assert_eq!(&raw[start..=start], "b");
        }
    }
}

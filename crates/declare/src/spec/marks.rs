//! Lines of a draft that nobody has reviewed: marks in the comments of a spec.
//!
//! What is marked was learnt from the data, and nothing else in a spec shows it any more.

use super::source::Source;
use crate::problem::Problem;
use std::ops::Range;

/// What a comment says of a line that must be reviewed.
pub const REVIEW: &str = "# REVIEW";

/// The most lines that are named.
const MOST_NAMED: usize = 40;

/// Refuses a text with lines that are still marked.
pub(super) fn check_reviewed(source: &Source) -> Result<(), Problem> {
    let marked: Vec<(usize, Range<usize>)> = marks(&source.text);
    let Some((_, first)) = marked.first().cloned() else { return Ok(()) };
    let mut lines: Vec<usize> = marked.iter().map(|(line, _)| *line).collect();
    lines.dedup();
    let named: Vec<String> = lines.iter().take(MOST_NAMED).map(usize::to_string).collect();
    let more = lines.len().saturating_sub(MOST_NAMED);
    let and = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = match lines.len() {
        1 => format!("line {} is marked REVIEW", named[0]),
        count => format!("{count} lines are marked REVIEW: {}{and}", named.join(", ")),
    };
    let problem = Problem::refused(format!("{what}; what a draft learnt from confidential data is itself a disclosure"))
        .hint(
            "replace what each line says by what is publicly known, or convince yourself that it is public, and take the mark away; lines \
             that say nothing are deleted",
        );
    Err(source.point(problem, first, "not reviewed"))
}

/// Every mark: its line, counted from 1, and where it stands.
fn marks(text: &str) -> Vec<(usize, Range<usize>)> {
    let mut found = Vec::new();
    for comment in comments(text) {
        let from = comment.start;
        for (at, _) in text[comment.clone()].match_indices('#') {
            let rest = text[from + at + 1..comment.end].trim_start_matches([' ', '\t']);
            if rest.get(..REVIEW.len() - 2).is_some_and(|word| word.eq_ignore_ascii_case(&REVIEW[2..])) {
                let line = 1 + text[..from].bytes().filter(|byte| *byte == b'\n').count();
                found.push((line, from + at..comment.end));
                break;
            }
        }
    }
    found
}

/// The comments of a TOML text, from `#` to the end of the line.
fn comments(text: &str) -> Vec<Range<usize>> {
    let (bytes, mut found, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        at = match bytes[at] {
            b'#' => {
                let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
                found.push(at..end);
                end
            }
            quote @ (b'"' | b'\'') => after_string(bytes, at, quote),
            _ => at + 1,
        };
    }
    found
}

/// The first byte after the string that begins here.
fn after_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let is_long = bytes[start..].starts_with(&[quote; 3]);
    let length = if is_long { 3 } else { 1 };
    let mut at = start + length;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            b'\n' if !is_long => return at,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3][..length]) => {
                at += length;
                // A long string may end with quotation marks of its own.
                while is_long && bytes.get(at) == Some(&quote) {
                    at += 1;
                }
                return at;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        marks(text).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn marks_are_found_in_comments_alone() {
        assert_eq!(lines("a = 1 # REVIEW\nb = 2 #REVIEW: x\n# c = 3  #  REVIEW\n"), [1, 2, 3]);
        assert_eq!(lines("# Every line marked REVIEW\na = \"# REVIEW\"\nb = '# REVIEW' # ok\n"), [0usize; 0]);
        assert_eq!(lines("a = \"\"\"\n# REVIEW \\\"\"\" # REVIEW\n\"\"\" # REVIEW"), [3]);
        assert_eq!(lines("a = '''\n# REVIEW''''\nb = \"\\\"# REVIEW\" # REVIEW"), [3]);
        assert_eq!(lines("a = 1 # review\nb = 2 # Review: x\nc = 3 # révision\n"), [1, 2]);
        assert_eq!(lines("a = \"never closed # REVIEW\nb = 1 # REVIEW"), [2]);
    }
}

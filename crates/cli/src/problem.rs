//! Problems as people read them: what happened, the line it happened in, and a hint.

use crate::output::harmless;
use congenial::{Kind, Place, Problem};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};
use std::fmt;
use std::io::{IsTerminal, Write};

/// Of a longer line only a part around the caret is shown.
const WIDEST: usize = 120;
/// Characters shown before the caret when a line is cut.
const BEFORE: usize = 40;

/// The exit code of a kind of problem.
pub fn exit_code(kind: Kind) -> u8 {
    match kind {
        Kind::Bad | Kind::System => 2,
        Kind::Refused => 3,
        Kind::Infeasible => 4,
    }
}

/// Prints a problem to stderr, in colour when that is a terminal and `NO_COLOR` is not set.
pub fn show(problem: &Problem) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    // Nothing is left to tell when the error stream is closed.
    let _ = std::io::stderr().write_all(render(problem, colour).as_bytes());
}

fn render(problem: &Problem, colour: bool) -> String {
    let mut theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    theme.characters.error = match problem.kind {
        Kind::Bad | Kind::System => "error:",
        Kind::Refused => "refused:",
        Kind::Infeasible => "impossible:",
    }
    .to_string();
    let report = Report { message: harmless(&problem.message), excerpt: problem.place.as_deref().map(Excerpt::new) };
    let handler = GraphicalReportHandler::new_themed(theme).with_wrap_lines(false).with_links(false);
    let mut text = String::new();
    if handler.render_report(&mut text, &report).is_err() {
        text = format!("error: {}", report.message);
    }
    let mut text = text.trim_start_matches([' ', '\n']).trim_end().to_string() + "\n";
    if let Some(hint) = &problem.hint {
        let label = if colour { "\u{1b}[36mhint:\u{1b}[0m" } else { "hint:" };
        text.push_str(&format!("{label} {}\n", harmless(hint)));
    }
    text
}

#[derive(Debug)]
struct Report {
    message: String,
    excerpt: Option<Excerpt>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl Diagnostic for Report {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.excerpt.as_ref()?;
        let label = (!excerpt.label.is_empty()).then(|| excerpt.label.clone());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(label, excerpt.span))))
    }
}

/// The line a problem points at, cut when it is long.
#[derive(Debug)]
struct Excerpt {
    file: String,
    text: String,
    /// Counted from 0.
    line: usize,
    /// Characters cut off before `text`.
    cut: usize,
    span: SourceSpan,
    label: String,
}

impl Excerpt {
    fn new(place: &Place) -> Excerpt {
        let line: Vec<char> = harmless(&place.line_text().replace('\t', " ")).chars().collect();
        let start = (place.column() - 1).min(line.len());
        let covered = place.text.get(place.span.clone()).unwrap_or("");
        let covered = covered.split('\n').next().unwrap_or("").chars().count();
        let cut = if line.len() > WIDEST { start.saturating_sub(BEFORE) } else { 0 };
        let shown = &line[cut..line.len().min(cut + WIDEST)];
        let bytes = |characters: &[char]| characters.iter().map(|c| c.len_utf8()).sum::<usize>();
        let from = (start - cut).min(shown.len());
        let to = (from + covered).min(shown.len());
        Excerpt {
            file: harmless(&place.file),
            text: shown.iter().collect(),
            line: place.line() - 1,
            cut,
            span: (bytes(&shown[..from]), bytes(&shown[from..to])).into(),
            label: harmless(&place.label),
        }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            inner.data(),
            *inner.span(),
            self.line,
            self.cut + inner.column(),
            inner.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::{exit_code, render};
    use congenial::{Kind, Place, Problem};

    #[test]
    fn each_kind_has_its_exit_code() {
        let kinds = [Kind::Bad, Kind::System, Kind::Refused, Kind::Infeasible];
        assert_eq!(kinds.map(exit_code), [2, 2, 3, 4]);
        assert!(render(&Problem::new(Kind::Infeasible, "no table"), false).starts_with("impossible: no table\n"));
    }

    fn place(text: &str, span: std::ops::Range<usize>) -> Problem {
        let (file, label) = ("data.csv".to_string(), "not a value of `county`".to_string());
        Problem::bad("a row is outside the declared domain")
            .at(Place { file, text: text.to_string(), first_line: 41, span, label })
            .hint("declare the value, or write outside = \"drop\"")
    }

    #[test]
    fn a_line_of_data_keeps_its_number() {
        insta::assert_snapshot!(render(&place("Alpha,Lo,3", 6..8), false));
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = format!("{}Beta{}", "ä,".repeat(100), ",x".repeat(1000));
        insta::assert_snapshot!(render(&place(&text, 300..304), false));
    }

    #[test]
    fn nothing_in_a_file_can_steer_the_terminal() {
        let shown = render(&place("\u{1b}[31mAl\u{7}pha,1", 0..8), false);
        assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown}");
        assert!(render(&place("Alpha", 0..5), true).contains('\u{1b}'));
    }

    #[test]
    fn spans_beyond_the_text_do_no_harm() {
        for (text, span) in [("", 0..0), ("", 5..9), ("é", 1..1), ("ab\ncd\n", 6..6), ("ab\ncd", 1..4)] {
            let shown = render(&place(text, span), false);
            assert!(shown.contains("data.csv:4"), "{shown}");
        }
    }
}

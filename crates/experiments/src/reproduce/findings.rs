//! `Findings`: what an experiment found, as a table of published beside measured, notes and files.

use audit::measure::Summary;
pub use report::number;
use std::fmt::Write as _;

/// A published figure beside a measured one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is a figure of.
    pub what: String,
    /// What a paper prints, in numbers or words; empty where none does.
    pub published: String,
    /// What was measured.
    pub measured: String,
}

/// What an experiment found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// The name of the experiment.
    pub name: &'static str,
    /// What was done, sentence by sentence.
    pub notes: Vec<String>,
    /// Published beside measured.
    pub rows: Vec<Row>,
    /// Files with their contents.
    pub files: Vec<(String, String)>,
}

impl Findings {
    /// Nothing yet, of an experiment about which so much is to be said.
    pub fn new(name: &'static str, notes: &[&str]) -> Findings {
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        Findings { name, notes, rows: Vec::new(), files: Vec::new() }
    }

    /// One row more.
    pub fn row(&mut self, what: impl Into<String>, published: &str, measured: impl Into<String>) {
        self.rows.push(Row { what: what.into(), published: published.to_owned(), measured: measured.into() });
    }

    /// One row more, of what no paper prints.
    pub fn measured(&mut self, what: impl Into<String>, measured: impl Into<String>) {
        self.row(what, "", measured);
    }

    /// One row more, of what no paper prints, beside the figure of a second program, written apart.
    pub fn checked(&mut self, what: impl Into<String>, measured: impl std::fmt::Display, second: &str) {
        self.measured(what, format!("{measured}; by a second program {second}"));
    }

    /// One file more, named after the experiment.
    pub fn file(&mut self, ending: &str, text: String) {
        self.files.push((format!("{}{ending}", self.name), text));
    }

    /// The findings as a section of a Markdown page, with the figures.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n", self.name);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}\n", self.notes.join(" "));
        text += "| figure | published | measured |\n|---|---|---|\n";
        for row in &self.rows {
            let published = if row.published.is_empty() { "–" } else { &row.published };
            let _ = writeln!(text, "| {} | {published} | {} |", row.what, row.measured);
        }
        text.push('\n');
        for (file, _) in self.files.iter().filter(|(file, _)| file.ends_with(".svg")) {
            let _ = writeln!(text, "![{}]({file})", file.trim_end_matches(".svg"));
        }
        text + "\n"
    }

    /// The findings as text, for a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        let what = self.rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
        let published = self.rows.iter().map(|row| row.published.chars().count()).max().unwrap_or(0).max(9);
        let _ = writeln!(text, "  {:what$}  {:published$}  measured", "", "published");
        for row in &self.rows {
            let known = if row.published.is_empty() { "–" } else { &row.published };
            let _ = writeln!(text, "  {:what$}  {known:published$}  {}", row.what, row.measured);
        }
        for verdict in self.notes.iter().filter(|note| note.starts_with("Verdict: ")) {
            let _ = writeln!(text, "\n  {verdict}");
        }
        text
    }
}

/// A mean with its standard error.
pub fn mean(numbers: &Summary) -> String {
    format!("{:.4} ± {:.4}", numbers.mean(), numbers.mean_error())
}

/// A variance with its standard error.
pub fn variance(numbers: &Summary) -> String {
    format!("{:.4} ± {:.4}", numbers.variance(), numbers.variance_error())
}

/// A duration in a unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1e-3 => format!("{:.1} µs", seconds * 1e6),
        seconds if seconds < 1.0 => format!("{:.2} ms", seconds * 1e3),
        seconds if seconds < 120.0 => format!("{seconds:.1} s"),
        seconds => format!("{:.1} min", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{Findings, duration};

    #[test]
    fn tables_for_pages_and_terminals() {
        let mut findings = Findings::new("name", &["One sentence.", "Another."]);
        findings.row("steps until close", "about 10⁴", "480");
        findings.row("time", "", "2 s");
        findings.file("-l1.svg", String::new());
        insta::assert_snapshot!(format!("{}----\n{}", findings.markdown(), findings.text()));
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!([2e-6, 0.004, 3.0, 600.0].map(duration), ["2.0 µs", "4.00 ms", "3.0 s", "10.0 min"]);
    }
}

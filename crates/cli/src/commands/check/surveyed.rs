//! What stands in the data that is not counted as it is written, for the curator's screen.

use crate::output::{counted, harmless};
use congenial::{Became, Survey};
use std::fmt::Write;

/// The most values of a column that are printed.
const MOST_LISTED: usize = 20;

/// The survey in words; nothing where every field is counted as written.
pub(super) fn text(survey: &Survey, confidential: bool) -> String {
    let mut text = String::new();
    if survey.columns.is_empty() {
        return text;
    }
    let whose = if confidential { "CONFIDENTIAL, for your eyes alone. " } else { "" };
    let rows = counted(usize::try_from(survey.rows).unwrap_or(usize::MAX), "row");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{whose}Fields that are not counted as they are written, among {rows}:");
    for column in &survey.columns {
        let of = match column.dimension == column.column {
            true => harmless(&column.dimension).to_string(),
            false => format!("{} (column {})", harmless(&column.dimension), harmless(&column.column)),
        };
        let _ = writeln!(text, "\n{of}");
        for changed in column.changed.iter().take(MOST_LISTED) {
            let found = if changed.found.is_empty() {
                "(empty)".to_string()
            } else {
                format!("`{}`", harmless(&changed.found))
            };
            let became = match &changed.became {
                Became::Written(value) => format!("is read as {}", harmless(value)),
                Became::Recoded(value) => format!("is recoded to {}", harmless(value)),
                Became::Unknown(value) => format!("is counted as {}", harmless(value)),
                Became::Missing => "is missing".to_string(),
                Became::Outside => "is outside the domain".to_string(),
            };
            let _ = writeln!(text, "  {:>9}  {found} {became}", changed.rows);
        }
        let rest = column.changed.iter().skip(MOST_LISTED);
        let (values, rows) = rest.fold((0, column.others), |(values, rows), changed| (values + 1, rows + changed.rows));
        if rows > 0 {
            let _ = writeln!(text, "  {rows:>9}  … in {values} more values");
        }
    }
    text.push('\n');
    text
}

//! The files of a suppressed release: its exact totals and a page for readers, both functions of the certificate alone.
//!
//! `release` writes them and `verify` makes them again, by the same code.

use crate::contents::{Facts, metadata};
use crate::describe::{README, suppressed_readme};
use crate::files::{Cells, Field, FileWriter, Format, Kind};
use crate::options::Options;
use certify::Certificate;
use declare::Problem;
use std::path::Path;

/// The columns of the file of totals.
pub(crate) const COLUMNS: [&str; 3] = ["invariant", "total", "value"];

/// The problem of a command that would draw.
pub(crate) fn no_draw() -> Problem {
    Problem::refused(
        "method = \"suppress\" publishes the exact totals alone: there is nothing to draw, and no error to study",
    )
    .hint("`check`, `explain`, `release` and `verify` take such a spec; choose method = \"condition\" for draws")
}

/// Refuses formats that totals alone are not written in.
pub(crate) fn check_options(options: &Options) -> Result<(), Problem> {
    let refused = |what: &str, hint: &str| Err(Problem::refused(what).hint(hint));
    match (&options.wide, options.format) {
        (Some(_), _) => {
            refused("a suppressed release has no counts that a wide table could spread", "leave out --wide")
        }
        (None, Format::Xlsx) => {
            refused("a suppressed release is not written as a workbook", "use --format csv or --format parquet")
        }
        (None, Format::Csv | Format::Parquet) => Ok(()),
    }
}

/// The name of the file of totals.
pub(crate) fn file(format: Format) -> String {
    format!("totals.{}", format.extension())
}

/// Every file that the certificate lists, with what it is.
pub(crate) fn listed(format: Format) -> [(String, String); 2] {
    [
        (file(format), "the exact totals, and nothing else".to_string()),
        (README.to_string(), "what the totals are, what they tell and what is not published".to_string()),
    ]
}

/// Writes the totals.
pub(crate) fn write_totals(folder: &Path, format: Format, facts: Facts<'_>) -> Result<(), Problem> {
    let mut writer = FileWriter::create(&folder.join(file(format)), format, &metadata::of(facts, "totals"))?;
    let [invariant, total, value] = COLUMNS;
    let fields = [Field::new(invariant, Kind::Text), Field::new(total, Kind::Text), Field::new(value, Kind::Integer)];
    writer.begin("totals", &fields)?;
    let most = writer.rows_at_once(fields.len());
    for invariant in facts.invariants {
        for totals in invariant.totals.chunks(most) {
            let labels = vec![invariant.label.clone(); totals.len()];
            let names: Vec<String> = totals.iter().map(|total| total.name.clone()).collect();
            let values: Vec<i64> = totals.iter().map(|total| total.value).collect();
            writer.put(&[Cells::Texts(&labels), Cells::Texts(&names), Cells::Integers(&values)])?;
        }
    }
    writer.finish()
}

/// The page for readers: file and contents.
pub(crate) fn readme(certificate: &Certificate) -> (&'static str, String) {
    (README, suppressed_readme(certificate))
}
